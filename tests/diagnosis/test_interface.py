"""The Python interface: what it gives, and that nothing of it is loaded before it is asked for."""

import subprocess
import sys
from pathlib import Path

import pytest

import course
from course.base.errors import UserError

TRACEBACK = """Traceback (most recent call last):
  File "/home/me/train.py", line 12, in <module>
    loss = criterion(outputs, labels)
IndexError: Target 2 is out of bounds.
"""


def test_a_text_is_explained() -> None:
    assert course.explain(TRACEBACK)[0].fault.id == "target-out-of-bounds"
    assert course.explain("all is well") == []


def test_all_names_are_there() -> None:
    assert all(getattr(course, name) is not None for name in course.__all__)
    assert "nan-loss" in course.catalogue()


def test_what_there_is_not_is_told(tmp_path: Path) -> None:
    script = tmp_path / "mine.py"
    for call in (course.run, course.diagnose):
        with pytest.raises(UserError, match="There is no file"):
            call(script)
    with pytest.raises(UserError, match="is a folder"):
        course.run(tmp_path)
    script.write_text("x = 1\n")
    with pytest.raises(UserError, match="`--hub` does not accept `onlin`"):
        course.run(script, hub="onlin")


def test_transcripts_are_there_without_an_import_of_their_own() -> None:
    code = "import course; print(callable(course.subtitles.read), callable(course.subtitles.align))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8")
    assert done.stdout == "True True\n"


def test_nothing_is_loaded_before_it_is_asked_for() -> None:
    code = "import course, sys; print([m for m in sys.modules if m.startswith('course.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8")
    assert done.stdout == "[]\n"
