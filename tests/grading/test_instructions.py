"""What a student is told of marks, of a lesson with questions and of one without."""

import pytest

from course.grading.distribute import instructions
from course.lesson import lesson
from course.lesson.lesson import Part

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
    assert f"at least {round(100 * margin)} percentage points above" in page
    # Of data that were drawn for it, only a lesson with questions can speak.
    assert ("accuracy on new examples" in page) == (part.exam is not None)
    assert ("in whatever words you like" in page) == (part.exam is None)
    assert ("the model itself is examined" in page) == (part.exam is not None)
