"""Rows of the tables, as what the rest of the program knows; and moments as the tables hold them.

Raises `ValueError`, `TypeError` or `KeyError` wherever a row holds what was never written so.
"""

import json
from datetime import UTC, datetime
from typing import Any, cast, get_args

from course.grading.collect.submission import REFUSALS, Refusal, Submission
from course.grading.distribute.assignment import Assignment, Form, Student
from course.grading.grade import Grade, read

STUDENT = "student.id, student.name, student.lang, student.aliases"
ASSIGNMENT = (
    "assignment.student, assignment.lesson, assignment.framework, assignment.bugs, "
    "assignment.lang, assignment.seed, assignment.digest, assignment.form"
)
Row = tuple[Any, ...]


def student(row: Row) -> Student:
    """A student, of the columns of `STUDENT`."""
    known, name, lang, aliases = row
    return Student(known, name, lang, tuple(map(str, json.loads(aliases))))


def assignment(row: Row) -> Assignment:
    """An assignment, of the columns of `ASSIGNMENT`."""
    owner, lesson, framework, bugs, lang, seed, digest, form = row
    if form not in get_args(Form):
        raise ValueError(form)
    drawn = tuple(map(str, json.loads(bugs)))
    return Assignment(owner, lesson, framework, drawn, lang, int(seed), digest, form)


def submission(row: Row, given: tuple[str, str, str]) -> Submission:
    """A submission for what was given: its content, source, `submitted`, lateness, refusal.

    The last column is the digest under which it was kept.
    """
    content, source, submitted, late, refused, digest = row
    if refused is not None and refused not in REFUSALS:
        raise ValueError(refused)
    reason = cast("Refusal | None", refused)
    found = Submission(*given, content, source, when(submitted), bool(late), reason)
    if found.digest != digest:
        raise ValueError(digest)
    return found


def grade(text: str) -> Grade:
    """A grade as it was recorded."""
    return read(json.loads(text))


def moment(at: datetime | None) -> str:
    """A moment in UTC, as text that sorts as moments do; empty where it is not known."""
    if at is None:
        return ""
    known = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
    return known.astimezone(UTC).isoformat(timespec="microseconds")


def when(text: str) -> datetime | None:
    """The moment that `moment` wrote."""
    return datetime.fromisoformat(text) if text else None


def now() -> str:
    """The present moment."""
    return moment(datetime.now(UTC))


def text(words: str) -> str:
    """Words as the tables can hold them: what is no character becomes a question mark."""
    return words.encode(errors="replace").decode()
