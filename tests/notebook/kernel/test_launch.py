"""A kernel in another environment: what is lent to it, and how Jupyter is told of it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import indent

import pytest

from course.notebook.kernel import launch, spec
from course.runs.environment import runtime


def test_only_what_is_named_is_lent() -> None:
    lender = launch.Lender([])
    assert lender.find_spec("course") is not None
    assert lender.find_spec("rich") is None
    assert lender.find_spec("json") is None


_RUN = """
import runpy, sys
folder, path = sys.argv[1:]
sys.path[:0] = [path.rsplit("/", 1)[0], folder]
runpy.run_path(path, run_name="__main__")
"""


def launched(folder: Path, body: str, lent: tuple[str, ...]) -> str:
    """Launch a kernel where `ipykernel` only does this; what it prints."""
    package = folder / "ipykernel"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "kernelapp.py").write_text(f"def launch_new_instance():\n{indent(body, '    ')}")
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", _RUN, str(folder), launch.__file__],
        capture_output=True,
        text=True,
        env={"COURSE_LENDS": os.pathsep.join(lent), "PATH": os.environ["PATH"]},
        check=True,
    ).stdout


def test_the_kernels_modules_shadow_nothing(tmp_path: Path) -> None:
    shown = launched(
        tmp_path,
        "import course\n"
        "import importlib.util as u\n"
        "names = ('course', 'session', 'rich', 'click')\n"
        "print(course.__version__, [n for n in names if u.find_spec(n)])\n",
        (),
    )
    assert shown.split(" ", 1)[1].strip() == "['course']"


def test_a_message_can_be_shown_with_what_is_lent_alone(tmp_path: Path) -> None:
    body = "from course.notebook.kernel.messages import note\nprint(note('<b> `x`').bundle)\n"
    assert "&lt;b&gt; <code" in launched(tmp_path, body, runtime.own().site)


def test_jupyter_is_told_where_this_user_keeps_kernels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    (tmp_path / "own").mkdir()
    monkeypatch.setenv("COURSE_LESSONS", str(tmp_path / "own"))
    monkeypatch.setattr(runtime, "named_entry", lambda framework: None)
    framework = next(f for f in runtime.frameworks() if runtime.describe(f).recipe is None)
    path = spec.install(framework)
    assert path == tmp_path / "kernels" / f"course-{framework}" / "kernel.json"
    told = json.loads(path.read_text("utf-8"))
    assert told["argv"] == [sys.executable, launch.__file__, "-f", "{connection_file}"]
    assert told["language"] == "python"
    # A kernel sees neither our packages nor, always, our environment.
    assert told["env"]["COURSE_LESSONS"] == str(tmp_path / "own")
