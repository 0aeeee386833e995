"""A student's file on its way to be checked: which exercise it is, and what is in it."""

from pathlib import Path

import pytest

from course.base.errors import UserError
from course.exercise import header
from course.exercise.header import Header
from course.grading.engine import own_check
from course.lesson import lesson

PART = lesson.load("ch8-4").parts["pt"]
BUGS = tuple(bug.fault for bug in PART.bugs[:2])
FIRST = Header("ch8-4", "pt", BUGS, "ru").line()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1251", "utf-16"])
def test_an_exercise_is_known_in_whatever_encoding_it_was_saved(
    encoding: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(f"{FIRST}# Исправлено: токенизатор, батчи, метки\nx = 1\n", encoding)
    found = own_check.open_(path)
    assert found.part == PART
    assert found.bugs == BUGS
    assert found.script == path.read_bytes()


def test_what_is_no_exercise_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    with pytest.raises(UserError, match="no file"):
        own_check.open_(path)
    path.write_bytes(b"x = 1\n")
    with pytest.raises(UserError, match="not an exercise of this course"):
        own_check.open_(path)
    path.write_bytes(b"\x00\xff" * 50)
    with pytest.raises(UserError, match="UTF-8"):
        own_check.open_(path)
    damaged = FIRST.replace("draw=", "draw=x")
    assert header.find(damaged) is not None
    path.write_text(damaged)
    with pytest.raises(UserError, match="first line"):
        own_check.open_(path)
