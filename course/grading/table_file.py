"""A table that a teacher gives, as a spreadsheet or a learning platform writes it."""

import csv
import io
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

from course.base import encoding, user_file
from course.base.errors import UserError
from course.base.i18n import _

CAP = 5_000_000
"""Bytes of the largest file that is taken for such a table."""
_DELIMITERS = ",;\t"
RosterRow = tuple[int, dict[str, str]]
"""The line that a row begins on, from 1, and its fields by the names of their columns."""


def text(path: Path) -> str:
    """Read the text of a table, in whatever encoding it is written.

    Raises:
        UserError: it can't be read, is too large, or in no encoding that we know.

    """
    data = user_file.read(path, CAP, "class.csv")
    if len(data) > CAP:
        raise user_file.too_large(path, user_file.megabytes(CAP))
    try:
        found, _encoding = encoding.read_script(data)
    except ValueError as error:
        sentence = _("{path} is not in UTF-8. Save it as UTF-8.")
        raise UserError(sentence.format(path=f"`{path}`")) from error
    return found.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def rows(
    path: Path,
    text: str,
    needed: Sequence[str],
    header: str,
    renamed: Callable[[list[str]], list[str]] = list,
) -> Iterator[RosterRow]:
    """Yield the rows below the header; empty ones are left out.

    `renamed` gives our names for the columns, which it is told in small letters.

    Raises:
        UserError: a column that is `needed` is missing, where `header` tells how the first line
            should be; or a line cannot be read, says which.

    """
    first = text.lstrip().split("\n", 1)[0]
    delimiter = max(_DELIMITERS, key=first.count)
    lines = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)
    columns: list[str] = []
    line = 1
    try:
        for fields in lines:
            values = [field.strip("\ufeff \t\r\n\xa0\u3000") for field in fields]
            if not columns and any(values):
                columns = renamed([value.casefold() for value in values])
                expect(path, columns, needed, header)
            elif any(values):
                if any(values[len(columns) :]):
                    sentence = _(
                        "Line {line} of {path} has more fields than the header. If a name contains "
                        "the delimiter, put quotes around the name."
                    )
                    raise UserError(sentence.format(line=line, path=f"`{path}`"))
                # Of two columns of one name the first holds.
                yield line, dict(reversed(list(zip(columns, values, strict=False))))
            line = lines.line_num + 1
        if not columns:
            expect(path, columns, needed, header)
    except csv.Error as error:
        sentence = _(
            "Line {line} of {path} has one quotation mark too few or too many. Correct the line."
        )
        raise UserError(sentence.format(line=line, path=f"`{path}`")) from error


def expect(path: Path, columns: Collection[str], needed: Sequence[str], header: str) -> None:
    """Make sure that a table has the columns that are needed.

    Raises:
        UserError: it lacks one; says how the first line should be.

    """
    for name in needed:
        if name not in columns:
            sentence = _(
                "The first line of {path} has no column {id}. It should be {header}, with commas, "
                "semicolons or tabs."
            )
            raise UserError(sentence.format(path=f"`{path}`", id=f"`{name}`", header=f"`{header}`"))
