"""Notes on a submission: the sentences, and for whom they are."""

from typing import Literal

from course.base.i18n import _, at_line, enumerate_words, numbers
from course.base.texts import sentences
from course.grading.collect.submission import REFUSALS
from course.grading.grade import GradeNote
from course.judge.verdict import PROBLEMS
from course.lesson.catalogue import catalogue

Reader = Literal["student", "teacher"]

OF_ANY_SCRIPT = (
    "swallowed", "batch-of-one", "one-process", "fewer-labels", "fewer-examples", "not-moved",
    "other-model", "not-measured", "not-finite", "died", "no-training",
)  # fmt: skip
"""Notes that `course run` has the same sentences for."""

FOR_STUDENTS: dict[str, str] = {
    **{name: PROBLEMS[name] for name in OF_ANY_SCRIPT},
    "asks": REFUSALS["notebook-input"],
    **{f"refused-{reason}": text for reason, text in REFUSALS.items()},
    **sentences("notes-for-students"),
}
FOR_TEACHERS = sentences("notes-for-teachers")
NOTES = FOR_STUDENTS | FOR_TEACHERS
"""The sentence of each note, by its id."""


def describe_note(note: GradeNote) -> str:
    """Return the sentence of a note in the language in force; before it, the line that it is on.

    Faults are called by their titles, a share is in per cent, a size grouped.
    """
    figures = dict(note.figures)
    for name, value in note.figures.items():
        if name in ("accuracy", "baseline", "before") and isinstance(value, float):
            figures[name] = numbers.percent(value)
        elif name == "cap" and isinstance(value, int):
            figures[name] = numbers.whole(value)
        elif name in ("fault", "faults"):
            figures[name] = enumerate_words(map(_title, str(value).split(", ")))
    told = _(NOTES[note.id]).format(**figures)
    return at_line(told, figures["line"], figures.get("cell")) if figures.get("line") else told


def _title(fault: str) -> str:
    known = catalogue().get(fault)
    return f"{_(known.title)} (`{fault}`)" if known else fault


def reader(note: GradeNote) -> Reader:
    """For whom a note is; the teacher reads all of them."""
    return "student" if note.id in FOR_STUDENTS else "teacher"
