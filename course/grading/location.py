"""Where a line of a submission stands, as its author sees it: in a script, or in a cell."""

import re
from collections.abc import Mapping, Sequence

MARK = re.compile(r"^# %% \[(\d{1,6})\]$", re.MULTILINE)
"""The line before each cell of a notebook, in the script that they make."""


def find(text: str, line: int) -> dict[str, int]:
    """Return the figures of a note: the `line`, or a line in a `cell`; both count from 1."""
    before = re.split(r"\r\n|\r|\n", text)[: line - 1]
    for above, other in enumerate(reversed(before), start=1):
        mark = MARK.fullmatch(other)
        if mark is not None:
            return {"line": above, "cell": int(mark[1])}
    return {"line": line}


def line_of(lines: Sequence[str], figures: Mapping[str, str | int | float]) -> int | None:
    """Return the line of the text that the figures of a note tell; None where there is none."""
    line, cell = int(figures["line"]), figures.get("cell")
    if cell is not None:
        mark = f"# %% [{cell}]"
        if mark not in lines:
            return None
        line += lines.index(mark) + 1
    return line if 0 < line <= len(lines) else None
