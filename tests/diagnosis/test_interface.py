"""The Python interface: a text is explained, and what there is not is told."""

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
