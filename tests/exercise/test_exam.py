"""An exam: its copies say that they are one, which nobody takes out unseen, and show no fixes."""

from pathlib import Path

import pytest

from course.base.errors import UserError
from course.exercise import header, hint, working_copy
from course.exercise.header import Header
from course.grading.distribute import exercises
from course.grading.distribute.assignment import Student
from course.grading.engine import own_check, text_evidence
from course.grading.engine.text_evidence import AssignedExercise
from course.lesson import lesson
from course.lesson.catalogue import catalogue
from tests.command import inside

PART = lesson.load("ch8-4").parts["pt"]
BUGS = PART.bugs[:2]
FAULTS = tuple(bug.fault for bug in BUGS)
STUDENTS = [Student("s01", "Ann", "en"), Student("s02", "王芳", "zh")]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / working_copy.file_name(PART)
    path.write_text(working_copy.text(PART, BUGS, exam=True), "utf-8")
    return path


def test_the_first_line_says_so_and_does_not_show_it(path: Path) -> None:
    first = path.read_text("utf-8").splitlines()[0]
    found = header.find(first)
    assert found == Header("ch8-4", "pt", FAULTS, "en", exam=True)
    assert "exam" not in first
    assert not [fault for fault in FAULTS if fault in first]
    own = header.find(working_copy.text(PART, BUGS))
    assert own is not None
    assert not own.exam


def test_no_character_of_the_draw_can_be_changed_to_take_it_out(path: Path) -> None:
    first = path.read_text("utf-8").splitlines()[0]
    at = first.index("draw=") + len("draw=")
    for place in range(at, len(first)):
        for other in "0a":
            changed = header.find(first[:place] + other + first[place + 1 :])
            assert changed is not None
            assert changed.exam or changed.bugs is None
    shorter = header.find(first[:-3])
    assert shorter is not None
    assert shorter.bugs is None


def test_hints_end_before_the_change_and_there_is_no_fix(path: Path) -> None:
    fault = catalogue()[FAULTS[0]]
    usual = hint.ladder(fault, BUGS[0])
    assert hint.ladder(fault, BUGS[0], exam=True) == usual[:-1]
    with pytest.raises(UserError, match="exam"):
        inside("fix", path)
    with pytest.raises(UserError, match="exam"):
        inside("fix", path, mended=True)
    with pytest.raises(UserError, match="exam"):
        own_check.open_(path)


def test_starting_over_leaves_it_an_exam(path: Path) -> None:
    before = path.read_text("utf-8")
    path.write_text(before + "x = 1\n", "utf-8")
    working_copy.reset(working_copy.read(path))
    assert path.read_text("utf-8") == before


@pytest.mark.parametrize("form", ["script", "notebook"])
def test_a_class_gets_it_and_its_page_says_so(form: exercises.Form) -> None:
    made = exercises.make(PART, STUDENTS, 7, 2, form, exam=True)
    assert all(each.assignment.exam for each in made.exercises)
    usual = exercises.make(PART, STUDENTS, 7, 2, form)
    for mine, theirs in zip(made.exercises, usual.exercises, strict=True):
        assert mine.assignment.bugs == theirs.assignment.bugs
        assert mine.text != theirs.text
    for page, text in made.pages.items():
        assert "`course fix`" in text
        assert "course class check" not in text
        assert "course class check" in usual.pages[page]


def test_the_teacher_is_told_where_the_line_was_changed() -> None:
    exercise = AssignedExercise(PART, BUGS, exam=True)
    exam, usual = (working_copy.text(PART, BUGS, exam=each) for each in (True, False))
    assert [*text_evidence.other_header(exam, exercise)] == []
    for text in (usual, exam.split("\n", 1)[1]):
        (note,) = text_evidence.other_header(text, exercise)
        assert note.id == "no-exam-header"
    assert [*text_evidence.other_header(exam, AssignedExercise(PART, BUGS))] == []
