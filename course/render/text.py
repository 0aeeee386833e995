"""Blocks in plain text, for frontends that show nothing else."""

from collections.abc import Iterable

from course.render.blocks import (
    Bars,
    Code,
    Diff,
    Losses,
    Output,
    Paragraph,
    Stages,
    StoryBlock,
    Tone,
)

MARKS: dict[Tone, str] = {"heading": "\n", "bad": "✗ ", "good": "✓ "}
LINES = 12
"""Lines of an output that are shown."""


def draw(blocks: Iterable[StoryBlock]) -> str:
    """Write blocks, one below the other; what is as it is, is indented."""
    return "\n".join(line for block in blocks for line in _lines(block))


def cut(text: str) -> list[str]:
    """The first lines of an output, with a mark where there are more."""
    lines = text.strip("\n").splitlines()
    return lines if len(lines) <= LINES else [*lines[:LINES], "…"]


def _lines(block: StoryBlock) -> list[str]:
    match block:
        case Paragraph():
            return [f"{MARKS.get(block.tone, '')}{block.text}"]
        case Code():
            return _indented(block.text.strip("\n").splitlines())
        case Output():
            return _indented(cut(block.text))
        case Diff():
            return _indented(line for line, _role in block.lines)
        case Losses():
            return [block.sentence]
        case Stages():
            return [" → ".join(f"[{name}]" if here else name for name, here in block.names)]
        case Bars():
            return [f"{bar.label}: {bar.figure}" for bar in block.bars]
        case _:
            return []


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]
