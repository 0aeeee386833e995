"""The kernel of a framework's runtime, made known to Jupyter.

https://jupyter-client.readthedocs.io/en/stable/kernels.html#kernel-specs
"""

import json
import os
import sys
from pathlib import Path

from course.base import files, shelves
from course.base.errors import UserError
from course.base.i18n import _
from course.notebook.kernel import launch
from course.runs.environment import runtime as runtimes

NEEDED = "ipykernel"


def name(framework: str) -> str:
    """Return the name of a framework's kernel, which begins with `course-`."""
    return f"course-{framework}"


def install(framework: str) -> Path:
    """Write the kernel's description where Jupyter looks for this user's; the file.

    Raises:
        UserError: the runtime is not installed, or can't be a kernel.

    """
    environment = runtimes.locate(framework)
    found = runtimes.libraries(environment, (f"{NEEDED}>=6",))
    if found.missing or found.unfit:
        raise UserError(
            _("{name} is not installed: run {command}.").format(
                name=f"`{NEEDED}`", command=f"`{environment.python} -m pip install {NEEDED}`"
            )
        )
    document = {
        "argv": [environment.python, launch.__file__, "-f", "{connection_file}"],
        "display_name": f"course ({framework})",
        "language": "python",
        "metadata": {"debugger": True},
        "env": {
            "COURSE_LENDS": os.pathsep.join(runtimes.own().site),
            **shelves.environment(),
        },
    }
    path = _data() / "kernels" / name(framework) / "kernel.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    files.write(path, (json.dumps(document, indent=1) + "\n").encode())
    return path


def _data() -> Path:
    """Where this user's Jupyter keeps its data (`jupyter --data-dir`)."""
    named = os.environ.get("JUPYTER_DATA_DIR")
    if named:
        return Path(named)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Jupyter"
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home()) / "jupyter"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "jupyter"
