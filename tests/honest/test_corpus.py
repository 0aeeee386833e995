"""The honest corpus itself: large enough, of all lessons, and no line of it withholds a mark."""

import ast

import pytest

from course.base import encoding
from course.grading.engine import static_checks
from course.lesson import lesson
from tests.honest.corpus import ALL, HonestSubmission, submissions

SCRIPTS = [each for each in submissions() if each.name.endswith(".py")]


def test_it_is_as_large_as_it_should_be_and_of_every_lesson() -> None:
    found = submissions()
    assert len(found) >= 150
    assert len({each.id for each in found}) == len(found)
    assert {*ALL} == {
        f"{name} {framework}" for name in lesson.ids() for framework in lesson.load(name).parts
    }


@pytest.mark.parametrize("submission", SCRIPTS, ids=lambda s: s.id)
def test_nothing_in_it_withholds_a_mark(submission: HonestSubmission) -> None:
    text, _encoding = encoding.read_script(submission.content)
    ast.parse(text.removeprefix("\ufeff"))
    assert [f for f in static_checks.find(text) if f.withholds] == []
