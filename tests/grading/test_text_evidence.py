"""What a text tells by itself: which of our own bugs stand in a script that is otherwise ours."""

import time

import pytest

from course.grading.engine import text_evidence
from course.lesson import lesson
from course.lesson.lesson import Part

PARTS = [part for name in lesson.ids() for part in lesson.load(name).parts.values()]
PART = lesson.load("ch3-4").parts["pt"]
ENDLESS = {
    "nested": "-" * 100_000 + "1",
    "long": "x = 1\n" * 20_000,
    "null": "x = 1\0",
    "surrogate": "x = '\ud800'",
    "no python": "x = (",
}


@pytest.mark.parametrize("part", PARTS, ids=lambda p: f"{p.lesson}-{p.framework}")
def test_every_exercise_is_known_by_the_bugs_that_are_still_in_it(part: Part) -> None:
    for bugs in part.exercises():
        assert text_evidence.still_in(part.text(bugs), part) == bugs


def test_how_it_is_written_makes_no_difference() -> None:
    text = PART.text(PART.bugs[2:4])
    for other in (
        "\ufeff" + text,
        text.replace("\n", "\r\n"),
        text.replace('"', "'"),
        text.replace("# %%", "# my notes"),
        text.replace("(examples, ", "(examples,\n        "),
    ):
        assert other != text
        assert text_evidence.still_in(other, PART) == PART.bugs[2:4]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("import evaluate\n", "import evaluate\nprint()\n"),
        ("lr=5e-5", "lr=4e-5"),
        ("metric.compute()", "x = metric.compute()"),
        ("epochs = 3", "epochs = 3.0"),
        ("model.eval()\n", ""),
    ],
)
def test_whatever_else_is_changed_makes_it_another_script(ours: str, theirs: str) -> None:
    text = PART.text(())
    assert text.replace(ours, theirs) != text
    assert text_evidence.still_in(text.replace(ours, theirs), PART) in (None, PART.bugs[6:])


def test_a_fix_in_other_words_makes_it_another_script() -> None:
    text = PART.text(()).replace("argmax(dim=-1)", "argmax(-1)")
    assert text_evidence.still_in(text, PART) is None


@pytest.mark.parametrize("name", ENDLESS)
def test_a_text_of_any_kind_is_read_at_once(name: str) -> None:
    began = time.process_time()
    assert text_evidence.still_in(ENDLESS[name], PART) is None
    assert not text_evidence.is_plain(ENDLESS[name], PART, ())
    assert time.process_time() - began < 3


def test_lines_of_a_notebook_in_a_script_are_left_out_and_told() -> None:
    """What Colab saves as a script has them as they were."""
    text = PART.text(()) + "%matplotlib inline\n!pip install -q evaluate\n"
    python, (told,) = text_evidence.decoded(text.encode())
    line = len(PART.text(()).splitlines()) + 1
    assert (told.id, told.figures) == (
        "notebook-line",
        {"line": line, "what": "%matplotlib inline"},
    )
    assert len(python.splitlines()) == len(text.splitlines())
    assert text_evidence.is_plain(python.replace("pass  #", "#"), PART, ())
    for other in (text + "x = (\n", text + "%unknown\n", PART.text(())):
        assert text_evidence.decoded(other.encode()) == (other, ())
