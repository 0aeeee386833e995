"""A teacher's own word on whose a file is: the table of `course class grade --map`."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from course.base.errors import UserError
from course.base.i18n import _
from course.grading import table_file
from course.grading.distribute.assignment import Assignment

COLUMNS = ("source", "id")
HEADER = "source,id,exercise"


FileMapping = Mapping[str, Assignment]
"""Assignments by the file that came for them, named as the grader names it."""


def read(path: Path, assignments: Sequence[Assignment]) -> FileMapping:
    """Read a table with the columns `source`, `id` and, where somebody has several, `exercise`.

    Raises:
        UserError: it can't be read, or names a student or an exercise that there is not.

    """
    found = {}
    for number, row in table_file.rows(path, table_file.text(path), COLUMNS, HEADER):
        source, student, exercise = (row.get(c, "") for c in (*COLUMNS, "exercise"))
        own = [a for a in assignments if a.student == student and exercise in ("", a.stem)]
        if not source or len(own) != 1:
            sentence = _(
                "Line {line} of {path} must name a file and exactly one exercise of a student. The "
                "columns are {columns}."
            )
            words = {"line": number, "path": f"`{path}`", "columns": f"`{HEADER}`"}
            raise UserError(sentence.format(**words))
        found[source] = own[0]
    return found
