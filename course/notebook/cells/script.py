"""One script made of a notebook's cells, with the way back from its lines to theirs."""

import ast
import re
import warnings
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

from course.base.i18n import _, enumerate_words
from course.notebook.cells import magic
from course.notebook.cells.notebook import Cell, Notebook, NotebookReason, Unusable

DISPLAY = "display = print  # as in a notebook\n"
"""What every cell can call without importing it."""
LEFT_OUT = 3
"""Lines that are named where they were not run."""
_MARK = re.compile(r"^# %% \[(\d+)\]$", re.MULTILINE)


@dataclass(frozen=True)
class Piece:
    """A cell's lines as they stand in the script, from line `first` (1 is the script's first)."""

    cell: Cell
    first: int
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Script:
    """The code of a notebook in the order of its cells, each after a line `# %% [number]`.

    `left_out` are the lines that are no Python and are not run, each with the number of its cell.
    """

    notebook: Notebook
    pieces: tuple[Piece, ...]
    left_out: tuple[tuple[int, str], ...]
    prelude: str = ""

    @cached_property
    def text(self) -> str:
        """Return the text of the script, with a mark before each cell."""
        return self.prelude + "\n".join(
            "\n".join((f"# %% [{piece.cell.number}]", *piece.lines, "")) for piece in self.pieces
        )

    @property
    def note(self) -> str:
        """A sentence where lines are not run; mostly empty."""
        if not self.left_out:
            return ""
        # Translators: {lines} are lines of a notebook, each with the number of its cell.
        sentence = _("Not run, because these lines are not valid Python: {lines}.")
        lines = (f"`{line}` [{cell}]" for cell, line in self.left_out[:LEFT_OUT])
        return sentence.format(lines=enumerate_words(lines))

    def place(self, line: int) -> tuple[int, int] | None:
        """Return the cell of a line, and the line's number in it, both from 1; None for a mark."""
        at = bisect_right([piece.first for piece in self.pieces], line) - 1
        if at < 0:
            return None
        piece = self.pieces[at]
        inner = line - piece.first + 1
        return (piece.cell.number, inner) if inner <= len(piece.lines) else None

    def back(self, text: str) -> dict[int, str]:
        """Return the sources of those cells that another text of the script has other lines for.

        Lines that are as they were are written as the notebook had them, magics too.

        Raises:
            ValueError: the marks between the cells are not those of this script.

        """
        parts = _MARK.split(text)
        if [*map(int, parts[1::2])] != [p.cell.number for p in self.pieces]:
            raise ValueError("the marks of the cells have changed")
        sources = {}
        for piece, part in zip(self.pieces, parts[2::2], strict=True):
            lines = part.removeprefix("\n").split("\n")
            # What stands after a cell: the end of its last line, and the line before the next mark.
            extra = 1 if piece is self.pieces[-1] else 2
            found = tuple(lines[:-extra])
            if found != piece.lines:
                sources[piece.cell.number] = _rewritten(piece, found)
        return sources


def of(notebook: Notebook) -> Script:
    """Make the script of a notebook, without the generated cells.

    Raises:
        Unusable: there is no code; a magic is not known; a result of the shell, or typed input, is
            waited for.

    """
    pieces: list[Piece] = []
    left_out: list[tuple[int, str]] = []
    if not any(cell.source.strip() for cell in notebook.code):
        raise Unusable("no-code", notebook.name)
    patience = magic.Patience()
    found = [(cell, _to_python(cell, notebook.name, patience)) for cell in notebook.code]
    names = [set(_called(converted.lines)) for _cell, converted in found]
    prelude = DISPLAY if any("display" in each for each in names) else ""
    line = 1 + prelude.count("\n")
    for (cell, converted), called in zip(found, names, strict=True):
        if "input" in called:
            raise Unusable("input", notebook.name, cell=cell.number, line="input()")
        pieces.append(Piece(cell, line + 1, converted.lines))
        left_out += [(cell.number, text) for text in converted.left_out]
        line += len(converted.lines) + 2
    return Script(notebook, tuple(pieces), tuple(left_out), prelude)


def _to_python(cell: Cell, name: str, patience: magic.Patience) -> magic.PlainPython:
    try:
        converted = magic.to_python(cell.source, patience)
    except magic.Unknown as why:
        reason: NotebookReason = "shell" if why.used else "magic"
        raise Unusable(reason, name, cell=cell.number, line=why.line[:60]) from why
    # A line of the learner's own must not pass for the beginning of another cell.
    return magic.PlainPython(
        tuple(line + " " if _MARK.match(line) else line for line in converted.lines),
        converted.left_out,
    )


def _called(lines: tuple[str, ...]) -> Iterator[str]:
    """Yield the names that are called in a cell, if it can be read and they are not its own."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    stored = {
        getattr(node, "id", None) or getattr(node, "name", None) or getattr(node, "asname", None)
        for node in ast.walk(tree)
        if (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
        or isinstance(node, ast.FunctionDef | ast.alias)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield from {node.func.id} - stored


def _rewritten(piece: Piece, lines: tuple[str, ...]) -> str:
    """Return a cell's source with new lines where they differ, and its own where they do not."""
    source = piece.cell.source
    own = magic.lines(source)
    rewritten: list[str] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, piece.lines, lines, False).get_opcodes():
        rewritten += own[i1:i2] if tag == "equal" else lines[j1:j2]
    ends = "\r\n" if "\r\n" in source else "\n"
    return ends.join(rewritten) + (ends if source.endswith("\n") else "")
