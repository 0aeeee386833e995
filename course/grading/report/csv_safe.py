"""Tables as CSV, described by their columns; no cell begins as a formula of a spreadsheet would."""

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from course.grading.report.feedback import printable

BOM = "\ufeff"
"""What tells a spreadsheet that a file is in UTF-8."""
_FORMULA = tuple("=+-@＝＋－＠")
"""What a formula begins with, on the keyboards of all our languages."""

T = TypeVar("T")
CellValue = str | int | float | bool | None
ReportColumn = tuple[str, Callable[[T], CellValue]]
"""The heading of a column, and what stands in it of each row."""


def table(columns: Sequence[ReportColumn[T]], rows: Iterable[T], *, bom: bool) -> str:
    """Write a table as CSV: a line of headings, then one for each of the rows."""
    cells = ([cell(row) for _heading, cell in columns] for row in rows)
    return text([[heading for heading, _cell in columns], *cells], bom=bom)


def text(rows: Iterable[Sequence[CellValue]], *, bom: bool) -> str:
    """Rows as CSV with commas; a number stays a number, None is an empty cell.

    Every text is set on one line, and one that begins like a formula is led by an apostrophe, as
    spreadsheets write a text that is not to be computed.
    """
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\r\n").writerows([cell(c) for c in row] for row in rows)
    return (BOM if bom else "") + out.getvalue()


def number(value: float) -> str:
    """Write a number for programs, with a point and at most two decimals, in every language."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def cell(value: CellValue) -> str:
    """Format one cell; a text that a spreadsheet would take for a formula gets an apostrophe."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return number(value)
    line = printable(value)
    return f"'{line}" if line.startswith(_FORMULA) else line
