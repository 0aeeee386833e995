"""Where a line of a submission stands, as its author sees it: in a script, or in a cell."""

import re

_MARK = re.compile(r"# %% \[(\d{1,6})\]")
"""The line before each cell of a notebook, in the script that they make."""


def find(text: str, line: int) -> tuple[int, int | None]:
    """A line of the text and None; or a line in a cell, and the number of the cell, from 1."""
    before = re.split(r"\r\n|\r|\n", text)[: line - 1]
    for above, other in enumerate(reversed(before), start=1):
        mark = _MARK.fullmatch(other)
        if mark is not None:
            return above, int(mark[1])
    return line, None


def figures(line: int, cell: int | None) -> dict[str, int]:
    """Return the figures of a note: the `line`, and the `cell` of a notebook; both count from 1."""
    return {"line": line} if cell is None else {"line": line, "cell": cell}
