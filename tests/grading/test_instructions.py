"""What a student is told of marks, of a lesson with questions and of one without."""

from datetime import datetime, timedelta, timezone

import pytest

from course.base import i18n
from course.grading.deadline import LateRule
from course.grading.distribute import instructions
from course.grading.distribute.instructions import Terms
from course.grading.rubric import Rubric
from course.lesson import lesson
from course.lesson.lesson import Part
from course.runs.sandbox.bubblewrap import JobLimits

PARTS = [part for name in lesson.ids() for part in lesson.load(name).parts.values()]


@pytest.mark.parametrize("part", PARTS, ids=lambda p: f"{p.lesson}-{p.framework}")
@pytest.mark.parametrize("form", ["script", "notebook", "nbgrader"])
def test_the_page_tells_how_this_lesson_is_marked(part: Part, form: str) -> None:
    page = instructions.page(part, form)  # type: ignore[arg-type]
    assert "{" not in page
    # A lesson with questions has one model, whatever a script names.
    assert ("`bert-base-cased`" in page) == (part.exam is None)
    assert "scikit-learn " in page or part.framework == "tf"
    assert "`accuracy`" in page
    assert "s of CPU time" in page
    margin = (part.exam or part.outcome).margin
    assert f"at least {round(100 * margin)} percentage points higher" in page
    # Of data that were drawn for it, only a lesson with questions can speak.
    assert ("accuracy on new examples" in page) == (part.exam is not None)
    assert ("in your own way" in page) == (part.exam is None)


DUE = datetime(2026, 12, 5, 18, 0, tzinfo=timezone(timedelta(hours=3)))


@pytest.mark.parametrize("lang", ["en", "zh", "ru"])
def test_the_page_tells_how_to_get_the_program_until_when_and_what_late_costs(lang: str) -> None:
    i18n.activate(lang)
    late = LateRule(0.1, 0.5)
    page = instructions.page(PARTS[0], terms=Terms(deadline=DUE, rubric=Rubric(late=late)))
    assert "pip install --no-index --find-links handout" in page
    assert "18:00" in page
    assert "UTC+03:00" in page
    assert "10" in page.partition("UTC+03:00")[2]
    assert "50" in page.partition("UTC+03:00")[2]
    assert "-pt-question.txt`" in page
    free = instructions.page(PARTS[0], terms=Terms(deadline=DUE))
    assert "UTC+03:00" in free
    assert "50" not in free.partition("UTC+03:00")[2]
    assert "UTC" not in instructions.page(PARTS[0])


def test_the_teacher_says_how_to_get_the_program_and_the_rubric_its_limits() -> None:
    terms = Terms("It is on every machine of room 7.", rubric=Rubric(limits=JobLimits(cpu=77.0)))
    page = instructions.page(PARTS[0], terms=terms)
    assert "## How to get the program\n\n- It is on every machine of room 7.\n" in page
    assert "handout" not in page
    assert "77 s of CPU time" in page
