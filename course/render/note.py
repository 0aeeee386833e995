"""A message in a notebook, in HTML: no script, no style sheet, for light and dark pages alike."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from markupsafe import Markup

from course.base.i18n import _, numbers
from course.render import html, text
from course.render.blocks import MARK, Losses, StoryBlock

WIDTH, HEIGHT, MARGIN = 560, 170, 40
"""The size of a picture and the room left of it, in its own units."""


@dataclass(frozen=True)
class Picture:
    """A loss as an SVG picture: `lines` as points, each with whether it is dashed."""

    lines: list[tuple[str, bool]]
    high: str
    low: str
    last: int
    names: list[str]


def draw(blocks: Iterable[StoryBlock], *, good: bool) -> Markup:
    """Fill the template of a message; `good` is one that has nothing to complain of."""
    return html.fragment(
        "note.html",
        found=list(blocks),
        kind=lambda block: type(block).__name__.lower(),
        good=good,
        marks=text.MARKS,
        mark=MARK,
        cut=text.cut,
        picture=picture,
        size=(WIDTH, HEIGHT, MARGIN),
    ).strip()


def picture(block: Losses) -> Picture | None:
    """Lay out the losses; what is no number leaves a gap. None where nothing is a number."""
    shown = [value for _step, value in (*block.losses, *block.healthy) if math.isfinite(value)]
    if not shown:
        return None
    last = max(step for step, _value in block.losses)
    low, high = min(shown), max(shown)
    span = high - low or 1.0

    def points(piece: Sequence[tuple[int, float]]) -> str:
        return " ".join(
            f"{MARGIN + (WIDTH - MARGIN - 8) * step / max(1, last):.1f},"
            f"{8 + (HEIGHT - 34) * (high - value) / span:.1f}"
            for step, value in piece
        )

    ours = _pieces(block.losses)
    theirs = _pieces([point for point in block.healthy if point[0] <= last])
    return Picture(
        [*((points(piece), True) for piece in theirs), *((points(piece), False) for piece in ours)],
        numbers.decimal(high, 2),
        numbers.decimal(low, 2),
        last,
        [_("this run"), *([_("runs without bugs (recorded)")] if theirs else [])],
    )


def _pieces(points: Sequence[tuple[int, float]]) -> list[list[tuple[int, float]]]:
    """Return the stretches of numbers, between what are none."""
    found = groupby(points, key=lambda point: math.isfinite(point[1]))
    pieces = [list(piece) for is_finite, piece in found if is_finite]
    return [piece for piece in pieces if len(piece) > 1]
