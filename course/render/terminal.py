"""Blocks on a terminal, as Rich prints them."""

import ast
from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from course.base.i18n import _
from course.render import blocks, table
from course.render.chart import Curve, can_show, chart
from course.render.lines import CODE, QUIET, code, numbered, paragraph, shows, width, wrap

LINES: dict[blocks.Tone, int] = {"bad": 5, "error": 5}
"""Lines that are shown of an output by its tone: of an error, what matters comes first."""
MOST = 12
"""Lines of any other output."""
WORDS: dict[blocks.Tone, str] = {
    "title": "bold",
    "heading": "bold",
    "quiet": QUIET,
    "bad": "bold red",
    "good": "green",
}
VERBATIM: dict[blocks.Tone, str] = {"quiet": QUIET, "bad": "red", "error": "bold red"}
ROLES = {"added": "green", "removed": "red", "place": QUIET}


def draw(console: Console, found: Iterable[blocks.StoryBlock]) -> None:
    """Print blocks, one below the other."""
    for block in blocks.unfolded(found):
        match block:
            case blocks.Paragraph():
                paragraph(console, block.text, block.indent, WORDS.get(block.tone, ""))
            case blocks.Code():
                _code(console, block)
            case blocks.Diff():
                _diff(console, block)
            case blocks.Output():
                _output(console, block)
            case blocks.Losses():
                _losses(console, block)
            case blocks.Stages():
                _stages(console, block)
            case blocks.Bars():
                _bars(console, block)
            case blocks.Reference():
                paragraph(console, block.title, indent=2)
                # On a line of its own, whole: so a terminal knows it for an address.
                code(console, block.url, indent=4, style=QUIET, whole=True)
            case blocks.Table():
                table.draw(console, block)
            case blocks.Gap():
                console.print()


def _code(console: Console, block: blocks.Code) -> None:
    if block.numbered:
        numbered(console, block.text)
    elif block.prompt:
        code(console, _prompted(block.text.strip()), block.indent, CODE, whole=True)
    else:
        code(console, block.text, block.indent, VERBATIM.get(block.tone, ""))


def _prompted(text: str) -> str:
    """Write code as at Python's prompt, with `...` where a statement goes on."""
    try:
        nodes = ((node, *getattr(node, "decorator_list", ())) for node in ast.parse(text).body)
        begun = {min(each.lineno for each in begins) for begins in nodes}
    except SyntaxError:
        begun = set(range(1, text.count("\n") + 2))
    lines = enumerate(text.splitlines(), start=1)
    return "\n".join(
        f"{'>>>' if number in begun else '...'} {line}".rstrip() for number, line in lines
    )


def _diff(console: Console, block: blocks.Diff) -> None:
    for line, role in block.lines:
        code(console, line, indent=2, style=ROLES.get(role, ""), whole=True)


def _losses(console: Console, block: blocks.Losses) -> None:
    curves = [Curve(_("this run"), block.losses)]
    end = max(block.last or 0, block.losses[-1][0])
    healthy = tuple(point for point in block.healthy if point[0] <= end)
    if len(healthy) > 1:
        curves.append(Curve(_("runs without bugs (recorded)"), healthy))
    _chart(console, curves, 2, block.last)


def _chart(console: Console, curves: list[Curve], indent: int, last: int | None = None) -> bool:
    """Draw curves into the width of the terminal; whether there was anything to draw."""
    lines = chart(curves, width(console, indent), last=last, ascii_only=not can_show(console))
    for line in lines:
        console.print(" " * indent, line, sep="", soft_wrap=True)
    return bool(lines)


def _output(console: Console, block: blocks.Output) -> None:
    """Print the first lines of something long, folded to a terminal's width; or its picture."""
    if block.losses and _chart(console, [Curve(_("loss"), block.losses)], block.indent):
        return
    style = VERBATIM.get(block.tone, "")
    most = LINES.get(block.tone, MOST)
    lines = [line if len(line) <= 400 else line[:400] + " …" for line in block.text.splitlines()]
    code(console, "\n".join(lines[:most]), block.indent, style, fold=True)
    if len(lines) > most:
        code(console, "…", block.indent, style)


def _stages(console: Console, block: blocks.Stages) -> None:
    line = Text()
    for name, here in block.names:
        line.append(" → " if line else "", QUIET)
        line.append(f"[{name}]" if here else name, "bold yellow" if here else QUIET)
    for piece in wrap(line, width(console)):
        console.print(piece, soft_wrap=True)


def _bars(console: Console, block: blocks.Bars) -> None:
    pad = max(Text(bar.label).cell_len for bar in block.bars)
    for bar in block.bars:
        drawn = ("█" if shows(console, "█") else "#") * round(bar.share * 40)
        gap = " " * (pad - Text(bar.label).cell_len)
        console.print(f"  {bar.label}{gap}  {bar.figure}  ", Text(drawn, "green"), sep="")
