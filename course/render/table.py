"""Tables in columns of cells, where a Han character takes two: for terminals."""

from collections.abc import Iterator

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table as Grid
from rich.text import Text

from course.render.blocks import MARK, Table, Tone
from course.render.lines import QUIET, longest_word, styled, width, wrap

NARROW = 60
"""Columns below which the cells of a row stand one after the other."""
WIDEST = 34
"""Columns that are kept for the first cells of tables that stand below each other."""
GAP = 2
STYLES: dict[Tone, str] = {"bad": "bold red", "quiet": QUIET}


class TableCell:
    """A text that is wrapped by its script's own rules in the width that its column has."""

    def __init__(self, text: Text) -> None:
        self._text = text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the lines of the text."""
        yield from _fold(console, self._text, options.max_width)


def draw(console: Console, block: Table) -> None:
    """Print a table; where the terminal is narrow, each row as a line of its own."""
    columns = width(console)
    if columns < NARROW:
        _stack(console, block, columns)
        return
    headings = [styled(console, heading) for heading in block.columns]
    rows = [
        [styled(console, cell, STYLES.get(row.tone, "")) for cell in row.cells]
        for row in block.rows
    ]
    grid = Grid(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")
    grid.add_column(width=len(MARK))
    room = columns - len(MARK) - GAP * len(headings)
    least = max(map(cell_len, block.firsts), default=0)
    widths = _widths([headings, *rows], least, room)
    for heading, each in zip(headings, widths, strict=True):
        grid.add_column(TableCell(heading), width=each)
    for row, cells in zip(block.rows, rows, strict=True):
        mark = Text(MARK if row.is_marked else " ", STYLES.get(row.tone, ""))
        grid.add_row(mark, *map(TableCell, cells))
    console.print(grid)


def _fold(console: Console, text: Text, columns: int) -> Iterator[Text]:
    """Wrap a text by its script's rules, and fold a word that is wider than that."""
    for line in wrap(text, columns):
        yield from line.wrap(console, columns, overflow="fold")


def _widths(rows: list[list[Text]], least: int, room: int) -> list[int]:
    """Return the widths of a row's cells: as the widest needs, as far as there is room."""
    widths = [max(cell.cell_len for cell in column) for column in zip(*rows, strict=True)]
    widths[0] = max(widths[0], min(least, WIDEST))
    words = [max(longest_word(cell.plain) for cell in column) for column in zip(*rows, strict=True)]
    while sum(widths) > room:
        # The first cells stand below each other: the others give way, as long as they can.
        wide = [n for n, each in enumerate(widths) if each > max(words[n], WIDEST // 2)]
        others = [n for n in wide if n > 0] or wide or range(len(widths))
        widths[max(others, key=widths.__getitem__)] -= 1
    return widths


def _stack(console: Console, block: Table, columns: int) -> None:
    rows = [(block.columns, "bold", " ")]
    rows += [(r.cells, STYLES.get(r.tone, ""), MARK if r.is_marked else " ") for r in block.rows]
    for cells, style, mark in rows:
        line = styled(console, " · ".join(filter(None, cells)), style)
        for number, part in enumerate(_fold(console, line, columns - len(MARK) - 1)):
            lead = Text(f"{mark} " if number == 0 else "  ", style)
            console.print(lead.append_text(part), soft_wrap=True)
