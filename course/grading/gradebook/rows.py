"""Rows of the tables, as what the rest of the program knows; and moments as the tables hold them.

Raises `BadRow` wherever a row holds what was never written so.
"""

import json
import sqlite3
from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any, TypeVar, cast, get_args

from course.grading.collect.submission import REFUSALS, Submission
from course.grading.collect.unmatched import SENTENCES, Unmatched
from course.grading.distribute.assignment import Assignment, Form, Student
from course.grading.grade import Grade, read

T = TypeVar("T")


class BadRow(Exception):
    """A row holds what was never written so: the gradebook is damaged."""


def decoded(text: Any, kind: type[T]) -> T:
    """Return the value of a column of JSON, which is a `kind`.

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
    """Return the value of a column that holds nothing but the words in `known`.

    Raises:
        BadRow: it is another one.

    """
    if value not in known:
        raise BadRow(value)
    return value


def students(db: sqlite3.Connection) -> tuple[Student, ...]:
    """Return the students, in the order in which they were entered; raises `BadRow`."""
    return tuple(
        Student(
            row["id"],
            row["name"],
            row["lang"],
            tuple(map(str, decoded(row["aliases"], list))),
            row["team"],
        )
        for row in db.execute("SELECT * FROM student ORDER BY number")
    )


def assignments(db: sqlite3.Connection) -> dict[int, Assignment]:
    """Return the table of assignments, by their numbers; raises `BadRow`.

    It is in the order of the students, then in that of giving.
    """
    return {
        row["number"]: Assignment(
            row["student"],
            row["lesson"],
            row["framework"],
            tuple(map(str, decoded(row["bugs"], list))),
            row["lang"],
            decoded(row["seed"], int),
            row["digest"],
            cast("Form", one_of(row["form"], get_args(Form))),
            bool(row["exam"]),
        )
        for row in db.execute(
            "SELECT assignment.* FROM assignment JOIN student ON student.id = assignment.student "
            "ORDER BY student.number, assignment.number"
        )
    }


def submission(row: sqlite3.Row, given: tuple[str, str, str]) -> Submission:
    """Make a submission for an assignment, from its table row with the `bytes` of its content."""
    moment, late, refused = when(row["submitted"]), bool(row["late"]), row["refused"]
    found = Submission(*given, row["bytes"], row["source"], moment, late, refused)
    if found.digest != row["digest"]:
        raise BadRow(row["digest"])
    return found


def unread(row: sqlite3.Row) -> Unmatched:
    """Make an entry of what could not be read from a row of its table; raises `BadRow`."""
    one_of(row["reason"], {*SENTENCES, *REFUSALS})
    return Unmatched(row["source"], row["reason"], row["student"], decoded(row["figures"], dict))


def grade(text: str) -> Grade:
    """Read a grade from its JSON text; raises `BadRow`."""
    try:
        return read(decoded(text, dict))
    except ValueError as error:
        raise BadRow(text) from error


def moment(at: datetime | None) -> str:
    """Return a moment in UTC, as text that sorts as moments do; empty where it is not known."""
    if at is None:
        return ""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def when(text: str) -> datetime | None:
    """Read a moment in UTC as `moment` wrote it; None for an empty text; raises `BadRow`."""
    return at(text) if text else None


def at(text: str) -> datetime:
    """Return the moment that `moment` wrote, where it is always known."""
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
