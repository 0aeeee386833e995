"""`course.listen()` in a script's own process: it speaks at the end, and changes nothing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import course_probe

pytestmark = pytest.mark.live
"""Each starts a process."""

LISTENED = "import course\ncourse.listen('en')\ncourse.listen('en')\n"


def python(tmp_path: Path, text: str, **variables: str) -> subprocess.CompletedProcess[str]:
    script = tmp_path / "mine.py"
    script.write_text(text, "utf-8")
    return subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, "PYTHONUTF8": "1", **variables},
        capture_output=True,
        encoding="utf-8",
    )


def test_a_crash_is_named_once_below_its_own_traceback(tmp_path: Path) -> None:
    done = python(tmp_path, LISTENED + "print('out')\nrows = 3\nrows['a']\n")
    assert (done.returncode, done.stdout) == (1, "out\n")
    traceback, _error, said = done.stderr.partition("TypeError: ")
    assert traceback.startswith("Traceback (most recent call last):\n")
    assert said.count("(`wrong-type`)") + said.count("not know") == 1
    assert "rows = 3" in said


def test_a_script_that_ends_well_hears_nothing(tmp_path: Path) -> None:
    done = python(tmp_path, LISTENED + "print('out')\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, "out\n", "")


def test_of_several_processes_one_speaks(tmp_path: Path) -> None:
    done = python(tmp_path, LISTENED + "1 / 0\n", RANK="1")
    assert done.stderr.endswith("ZeroDivisionError: division by zero\n")


def test_another_hook_hides_no_failure_whether_before_or_after(tmp_path: Path) -> None:
    hook = "import sys\nsys.excepthook = lambda k, e, t: print('MINE', file=sys.stderr)\n"
    for text in (hook + LISTENED, LISTENED + hook):
        done = python(tmp_path, text + "rows = 3\nrows['a']\n")
        assert done.returncode == 1
        assert done.stderr.startswith("MINE\n")
        assert done.stderr.count("rows = 3") == 1


def test_ctrl_c_ends_it_as_ever(tmp_path: Path) -> None:
    plain = python(tmp_path, "raise KeyboardInterrupt\n")
    done = python(tmp_path, LISTENED + "raise KeyboardInterrupt\n")
    assert done.returncode == plain.returncode


def test_a_traceback_has_no_level_of_ours(tmp_path: Path) -> None:
    hook = str(Path(course_probe.__file__).with_name("hook.py"))
    text = (
        "namespace = {}\n"
        f"exec(compile('def hook(f): f()', {hook!r}, 'exec'), namespace)\n"
        "def fail():\n    1 / 0\n"
    )
    done = python(tmp_path, LISTENED + text + "namespace['hook'](fail)\n")
    assert "hook.py" not in done.stderr
    assert "in fail" in done.stderr


def test_in_a_notebook_it_is_the_extension(tmp_path: Path) -> None:
    text = (
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\nimport course\ncourse.listen('en')\n"
        "print(hasattr(shell, '_course_extension'), 'course' in "
        "shell.magics_manager.magics['line'])\n"
    )
    done = python(tmp_path, text)
    assert done.stdout.endswith("True True\n"), done.stderr
