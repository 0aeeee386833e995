"""The kernel of a framework's runtime, made known to Jupyter.

https://jupyter-client.readthedocs.io/en/stable/kernels.html#kernel-specs
"""

import json
import os
from pathlib import Path

from jupyter_core.paths import jupyter_data_dir

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
    path = Path(jupyter_data_dir(), "kernels", name(framework), "kernel.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    files.write(path, (json.dumps(document, indent=1) + "\n").encode())
    return path
