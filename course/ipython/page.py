"""A message in a notebook: the same in HTML, for light and dark pages, and in plain text."""

import html
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from course import i18n
from course.i18n import _, numbers
from course.lesson.catalogue import STAGES

Kind = Literal["title", "text", "quiet", "bad", "good", "heading", "code", "output", "diff"]

LINES = 12
"""Lines of an output that are shown."""
_CODE = re.compile(r"`([^`]+)`")
_BOX = (
    "border-left:4px solid {edge};padding:.4em 0 .4em 1em;margin:.3em 0;max-width:50em;"
    "line-height:1.5;font-family:system-ui,sans-serif;font-size:14px"
)
_PRE = (
    "margin:.3em 0 .3em 1em;padding:.3em .6em;overflow-x:auto;border-radius:4px;font-size:13px;"
    "line-height:1.4;color:inherit;"
)
_PRES: dict[Kind, str] = {
    "code": "white-space:pre;background:color-mix(in srgb,currentColor 12%,transparent)",
    "diff": (
        "white-space:pre;background:none;"
        "border:1px solid color-mix(in srgb,currentColor 25%,transparent)"
    ),
    "output": "white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere;background:none",
}
_INLINE = (
    "font-size:.92em;padding:0 .2em;border-radius:3px;color:inherit;"
    "background:color-mix(in srgb,currentColor 12%,transparent)"
)
# Words have the page's own colour: none is read well on white and on black alike.
_BAD, _GOOD = "#d13434", "#1f8a3b"
_STYLES: dict[Kind, str] = {
    "title": "font-weight:700;font-size:1.1em",
    "text": "",
    "quiet": "font-size:.92em",
    "bad": "font-weight:700",
    "good": "font-weight:700",
    "heading": "font-weight:700;margin-top:.7em",
}
_MARKS: dict[Kind, str] = {"bad": "✗ ", "good": "✓ "}


@dataclass(frozen=True)
class Block:
    """A paragraph, with `code` between backticks; or lines of code, an output, a diff as it is."""

    kind: Kind
    text: str


@dataclass(frozen=True)
class Loss:
    """The loss of a training over its steps, and that of healthy runs where it is known."""

    losses: tuple[tuple[int, float], ...]
    healthy: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True)
class Stages:
    """The stages of a training run in a row, with the one where a fault sits set apart."""

    here: str

    @property
    def shown(self) -> list[tuple[str, bool]]:
        """The names of the stages, each with whether it is the one."""
        return [
            (_(label), name == self.here)
            for name, label in STAGES.items()
            if name != "environment" or self.here == name
        ]


@dataclass
class Page:
    """A message: its parts in their order. `good` is one that has nothing to complain of."""

    parts: list[Block | Loss | Stages] = field(default_factory=list)
    good: bool = False

    def add(self, kind: Kind, text: str) -> None:
        """Add a paragraph, or lines as they are; nothing where there is no text."""
        if text.strip():
            self.parts.append(Block(kind, text.strip("\n")))

    @property
    def bundle(self) -> dict[str, str]:
        """The message in the forms that a frontend chooses from."""
        return {"text/html": self.html, "text/plain": self.plain}

    @property
    def html(self) -> str:
        """As HTML: no script, no style sheet, nothing from elsewhere; colours of the page."""
        inner = "".join(_html(part) for part in self.parts)
        box = _BOX.format(edge=_GOOD if self.good else _BAD)
        lang = html.escape(i18n.language())
        return f'<div lang="{lang}" role="note" style="{box}">{inner}</div>'

    @property
    def plain(self) -> str:
        """As text, for frontends that show nothing else."""
        return "\n".join(_plain(part) for part in self.parts)


def _html(part: Block | Loss | Stages) -> str:
    if isinstance(part, Loss):
        return _picture(part)
    if isinstance(part, Stages):
        here = "font-weight:700;text-decoration:underline;text-underline-offset:.25em"
        names = (
            f'<strong style="{here}">{html.escape(name)}</strong>' if is_it else html.escape(name)
            for name, is_it in part.shown
        )
        return f"<div>{' → '.join(names)}</div>"
    if part.kind in _PRES:
        return f'<pre tabindex="0" style="{_PRE}{_PRES[part.kind]}">{_lines(part)}</pre>'
    style = f"margin:.25em 0;{_STYLES[part.kind]}"
    return f'<p style="{style}">{html.escape(_MARKS.get(part.kind, ""))}{_inline(part.text)}</p>'


def _inline(text: str) -> str:
    return _CODE.sub(rf'<code style="{_INLINE}">\1</code>', html.escape(text))


def _lines(block: Block) -> str:
    if block.kind != "diff":
        return html.escape(_cut(block))
    colours = {"+": _GOOD, "-": _BAD}
    lines = (
        f'<span style="background:{colours[line[0]]}38">{html.escape(line)}</span>'
        if line[:1] in colours
        else html.escape(line)
        for line in block.text.splitlines()
    )
    return "\n".join(lines)


def _cut(block: Block) -> str:
    lines = block.text.splitlines()
    if block.kind != "output" or len(lines) <= LINES:
        return block.text
    return "\n".join([*lines[:LINES], "…"])


def _plain(part: Block | Loss | Stages) -> str:
    if isinstance(part, Loss):
        return _in_words(part)
    if isinstance(part, Stages):
        return " → ".join(f"[{name}]" if is_it else name for name, is_it in part.shown)
    if part.kind in _PRES:
        return "\n".join(f"    {line}" for line in _cut(part).splitlines())
    lead = "\n" if part.kind == "heading" else ""
    return f"{lead}{_MARKS.get(part.kind, '')}{part.text}"


def _in_words(loss: Loss) -> str:
    (first, before), (last, after) = loss.losses[0], loss.losses[-1]
    said = _("The loss: {before} at step {first}, {after} at step {last}.")
    return said.format(
        before=numbers.decimal(before, 2),
        first=first,
        after=numbers.decimal(after, 2),
        last=last,
    )


WIDTH, HEIGHT, MARGIN = 560, 170, 40


def _picture(loss: Loss) -> str:
    """The losses as an SVG picture; what is no number leaves a gap."""
    shown = [value for _step, value in (*loss.losses, *loss.healthy) if math.isfinite(value)]
    if not shown:
        return f"<p>{html.escape(_in_words(loss))}</p>"
    last = max(step for step, _value in loss.losses)
    low, high = min(shown), max(shown)
    span = high - low or 1.0

    def at(step: int, value: float) -> str:
        x = MARGIN + (WIDTH - MARGIN - 8) * step / max(1, last)
        y = 8 + (HEIGHT - 34) * (high - value) / span
        return f"{x:.1f},{y:.1f}"

    ours = _pieces(loss.losses)
    theirs = _pieces([point for point in loss.healthy if point[0] <= last])
    lines = [
        *(_line(" ".join(at(*p) for p in piece), dashed=True) for piece in theirs),
        *(_line(" ".join(at(*p) for p in piece)) for piece in ours),
    ]
    text = 'fill="currentColor" font-size="12"'
    words = [
        f'<text x="2" y="14" {text}>{numbers.decimal(high, 2)}</text>',
        f'<text x="2" y="{HEIGHT - 26}" {text}>{numbers.decimal(low, 2)}</text>',
        f'<text x="{WIDTH - 8}" y="{HEIGHT - 4}" text-anchor="end" {text}>{last}</text>',
    ]
    names = [_("this run")] + ([_("healthy runs (recorded)")] if theirs else [])
    for number, name in enumerate(names):
        x, y = MARGIN + 200 * number, HEIGHT - 8
        words.append(_line(f"{x},{y} {x + 24},{y}", dashed=number > 0))
        words.append(f'<text x="{x + 30}" y="{HEIGHT - 4}" {text}>{html.escape(name)}</text>')
    title = html.escape(_in_words(loss))
    return (
        f'<svg role="img" aria-label="{title}" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'style="width:100%;max-width:{WIDTH}px;height:auto;display:block">'
        f"<title>{title}</title>{''.join([*lines, *words])}</svg>"
    )


def _line(points: str, *, dashed: bool = False) -> str:
    more = ' stroke-dasharray="4 4" opacity=".7"' if dashed else ""
    return f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="2"{more}/>'


def _pieces(points: Sequence[tuple[int, float]]) -> list[list[tuple[int, float]]]:
    """Stretches of numbers, between what are none."""
    pieces: list[list[tuple[int, float]]] = [[]]
    for step, value in points:
        if math.isfinite(value):
            pieces[-1].append((step, value))
        elif pieces[-1]:
            pieces.append([])
    return [piece for piece in pieces if len(piece) > 1]
