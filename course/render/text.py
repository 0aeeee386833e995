"""Blocks in plain text, for frontends that show nothing else."""

# A kernel that borrows this room has not got rich: widths are counted here.
import unicodedata
from collections.abc import Iterable

from course.render import blocks

MARKS: dict[blocks.Tone, str] = {"heading": "\n", "bad": "✗ ", "good": "✓ "}
LINES = 12
"""Lines of an output that are shown."""


def draw(found: Iterable[blocks.StoryBlock]) -> str:
    """Write blocks, one below the other; what is as it is, is indented."""
    return "\n".join(line for block in blocks.unfolded(found) for line in _lines(block))


def cut(text: str) -> list[str]:
    """Return the first lines of an output, with a mark where there are more."""
    lines = text.strip("\n").splitlines()
    return lines if len(lines) <= LINES else [*lines[:LINES], "…"]


def _lines(block: blocks.StoryBlock) -> list[str]:
    match block:
        case blocks.Paragraph():
            return [f"{MARKS.get(block.tone, '')}{block.text}"]
        case blocks.Code():
            return _indented(block.text.strip("\n").splitlines())
        case blocks.Output():
            return _indented(cut(block.text))
        case blocks.Diff():
            return _indented(line for line, _role in block.lines)
        case blocks.Losses():
            return [block.sentence]
        case blocks.Stages():
            return [" → ".join(f"[{name}]" if here else name for name, here in block.names)]
        case blocks.Bars():
            return [f"{bar.label}: {bar.figure}" for bar in block.bars]
        case blocks.Table():
            return _table(block)
        case blocks.Reference():
            return [f"{block.title}: {block.url}"]
        case _:
            return []


def _table(block: blocks.Table) -> list[str]:
    """Return the cells below each other, however wide: such frontends have no width of theirs."""
    headings = ("", *block.columns)
    rows = [(blocks.MARK if row.is_marked else "", *row.cells) for row in block.rows]
    widths = [max(map(_width, column)) for column in zip(headings, *rows, strict=True)]
    return ["  ".join(map(_padded, row, widths)).rstrip() for row in (headings, *rows)]


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _width(text))


def _width(text: str) -> int:
    """Return the columns that a text takes where a Han character takes two."""
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text)


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]
