"""A teacher's own word on whose a file is: the table of `course class grade --map`."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from course.errors import UserError
from course.grading.collect.encoding import likeliest
from course.grading.distribute.assignment import Assignment
from course.i18n import _

CAP = 1_000_000
"""Bytes of the largest table that is read."""
COLUMNS = ("source", "id")


@dataclass(frozen=True)
class FileMapping:
    """Assignments by the file that came for them, named as the grader names it."""

    assignments: dict[str, Assignment]

    def of(self, source: str) -> Assignment | None:
        """The assignment that a file is for, if the teacher says so."""
        return self.assignments.get(source)


NONE = FileMapping({})


def read(path: Path, assignments: Sequence[Assignment]) -> FileMapping:
    """Read a table with the columns `source`, `id` and, where somebody has several, `exercise`.

    Raises:
        UserError: it can't be read, or names a student or an exercise that there is not.

    """
    found = {}
    for number, row in enumerate(_rows(path), start=2):
        source, student, exercise = (row.get(c, "") for c in (*COLUMNS, "exercise"))
        own = [a for a in assignments if a.student == student and exercise in ("", a.stem)]
        if not source or len(own) != 1:
            sentence = _(
                "Line {line} of {path} names no file, or not just one exercise of a student: "
                "its columns are {columns}."
            )
            columns = "`source,id,exercise`"
            raise UserError(sentence.format(line=number, path=f"`{path}`", columns=columns))
        found[source] = own[0]
    return FileMapping(found)


def _rows(path: Path) -> list[dict[str, str]]:
    try:
        with path.open("rb") as stream:
            data = stream.read(CAP)
    except OSError as error:
        sentence = _("{path} cannot be read: {reason}.")
        raise UserError(sentence.format(path=f"`{path}`", reason=error.strerror)) from error
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode(likeliest(data, "cp1251") or "utf-8", errors="replace")
    head = text.partition("\n")[0]
    delimiter = max(",;\t", key=head.count)
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    if not set(COLUMNS) <= set(rows.fieldnames or ()):
        sentence = _("The first line of {path} should be {header}.")
        raise UserError(sentence.format(path=f"`{path}`", header="`source,id,exercise`"))
    return [{k: (v or "").strip() for k, v in row.items() if isinstance(k, str)} for row in rows]
