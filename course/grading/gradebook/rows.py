"""Rows of the tables, as what the rest of the program knows; and moments as the tables hold them.

Raises `BadRow` wherever a row holds what was never written so.
"""

import json
from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any, TypeVar, cast, get_args

from course.grading.collect.submission import REFUSALS, Refusal, Submission
from course.grading.collect.unmatched import SENTENCES, Unmatched
from course.grading.distribute.assignment import Assignment, Form, Student
from course.grading.grade import Grade, read

STUDENT = "student.id, student.name, student.lang, student.aliases, student.team"
ASSIGNMENT = (
    "assignment.student, assignment.lesson, assignment.framework, assignment.bugs, "
    "assignment.lang, assignment.seed, assignment.digest, assignment.form, "
    "assignment.exam"
)
DatabaseRow = tuple[Any, ...]
T = TypeVar("T")


class BadRow(Exception):
    """A row holds what was never written so: the gradebook is damaged."""


def decoded(text: Any, kind: type[T]) -> T:
    """The value of a column of JSON, which is a `kind`.

    Raises:
        BadRow: it is none.

    """
    try:
        found = json.loads(text) if isinstance(text, str) else None
    except ValueError as error:
        raise BadRow(text) from error
    if not isinstance(found, kind):
        raise BadRow(text)
    return found


def one_of(value: str, known: Collection[str]) -> str:
    """A value of a column that holds nothing but the words in `known`.

    Raises:
        BadRow: it is another one.

    """
    if value not in known:
        raise BadRow(value)
    return value


def student(row: DatabaseRow) -> Student:
    """Make a student from the columns of `STUDENT`; raises `BadRow`."""
    known, name, lang, aliases, team = row
    return Student(known, name, lang, tuple(map(str, decoded(aliases, list))), team)


def assignment(row: DatabaseRow) -> Assignment:
    """Make an assignment from the columns of `ASSIGNMENT`; raises `BadRow`."""
    owner, lesson, framework, bugs, lang, seed, digest, form, exam = row
    one_of(form, get_args(Form))
    drawn = tuple(map(str, decoded(bugs, list)))
    number = decoded(seed, int)
    return Assignment(owner, lesson, framework, drawn, lang, number, digest, form, bool(exam))


def submission(row: DatabaseRow, given: tuple[str, str, str]) -> Submission:
    """A submission for what was given: its content, source, `submitted`, lateness, refusal.

    The last column is the digest under which it was kept.
    """
    content, source, submitted, late, refused, digest = row
    reason = None if refused is None else cast("Refusal", one_of(refused, REFUSALS))
    found = Submission(*given, content, source, when(submitted), bool(late), reason)
    if found.digest != digest:
        raise BadRow(digest)
    return found


def unread(row: DatabaseRow) -> Unmatched:
    """Make an entry of what could not be read from its columns; raises `BadRow`."""
    owner, source, reason, figures = row
    one_of(reason, {*SENTENCES, *REFUSALS})
    return Unmatched(source, reason, owner, decoded(figures, dict))


def grade(text: str) -> Grade:
    """Read a grade from its JSON text; raises `BadRow`."""
    found = decoded(text, dict)
    try:
        return read(found)
    except ValueError as error:
        raise BadRow(text) from error


def moment(at: datetime | None) -> str:
    """A moment in UTC, as text that sorts as moments do; empty where it is not known."""
    if at is None:
        return ""
    known = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
    return known.astimezone(UTC).isoformat(timespec="microseconds")


def when(text: str) -> datetime | None:
    """Read a moment in UTC as `moment` wrote it; None for an empty text; raises `BadRow`."""
    return at(text) if text else None


def at(text: str) -> datetime:
    """The moment that `moment` wrote, where it is always known."""
    try:
        return datetime.fromisoformat(str(text))
    except ValueError as error:
        raise BadRow(text) from error


def now() -> str:
    """Return the time in UTC, as `moment` writes it."""
    return moment(datetime.now(UTC))


def text(words: str) -> str:
    """Words as the tables can hold them: what is no character becomes a question mark."""
    return words.encode(errors="replace").decode()
