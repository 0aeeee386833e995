"""`course.listen()` in a script's own process: it speaks at the end, and changes nothing."""

import os
import subprocess
import sys
from pathlib import Path

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
