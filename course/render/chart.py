"""A small picture of a training's loss as it falls, in braille dots or in plain ASCII."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import fmean

from rich.console import Console
from rich.text import Text

from course.base.i18n.numbers import Figure
from course.render import lines as typeset

NARROWEST = 20
"""With fewer columns there is nothing to see."""
_STYLES = ("green", "yellow")
_ASCII = "*."
_BITS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
"""The bit of each dot of a braille cell, by column and row."""
_HUGE = 1e300
"""What lies beyond is drawn here: sums and differences of such values would overflow."""


@dataclass(frozen=True)
class Curve:
    """The losses of one training: (step, loss), steps ascending; a loss may be nan or inf."""

    name: str
    points: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class _Plane:
    """Where steps and values lie on a grid of dots, counted from its top left."""

    width: int
    height: int
    first: int
    last: int
    low: float
    high: float

    def x(self, step: int) -> int:
        span = max(1, self.last - self.first)
        return (2 * (step - self.first) * (self.width - 1) + span) // (2 * span)

    def y(self, value: float) -> int:
        return round((self.high - value) / (self.high - self.low) * (self.height - 1))

    def path(self, piece: Iterable[tuple[int, float]]) -> Iterator[tuple[int, int]]:
        """Yield the dots of an unbroken piece: each column's mean, joined by straight lines."""
        columns = groupby(piece, key=lambda point: self.x(point[0]))
        ends = [(x, self.y(fmean(_tamed(v) for _step, v in group))) for x, group in columns]
        yield ends[0]
        for (x, y), (x_next, y_next) in pairwise(ends):
            across, down = x_next - x, y_next - y
            n = max(abs(across), abs(down))
            for i in range(1, n + 1):
                yield x + round(across * i / n), y + round(down * i / n)


def can_show(console: Console) -> bool:
    """Return whether the console's encoding can hold braille."""
    return typeset.shows(console, "⣿×")


def chart(
    curves: Sequence[Curve],
    columns: int,
    rows: int = 6,
    last: int | None = None,
    ascii_only: bool = False,
) -> list[Text]:
    """Draw one or two curves: so many rows, a line for the steps, and for two one for the names.

    `last` is the step at which a running training will end. Nothing where there is too little room
    or no finite loss.
    """
    points = [point for curve in curves for point in curve.points]
    losses = [_tamed(loss) for _step, loss in points if math.isfinite(loss)]
    if columns < NARROWEST or rows < 1 or not losses:
        return []
    low, high = _range(losses)
    gutter = max(len(_number(low)), len(_number(high)))
    cells = columns - gutter - 1
    wide, tall = (1, 1) if ascii_only else (2, 4)
    steps = [step for step, _loss in points]
    end = max(steps if last is None else [*steps, last])
    plane = _Plane(cells * wide, rows * tall, min(steps), end, low, high)

    # What each cell (column, row) of the plot shows, and its style: what comes later covers it.
    plot: dict[tuple[int, int], tuple[str, str]] = {}
    labels = {rows - 1: low, 0: high}
    bits: defaultdict[tuple[int, int], int] = defaultdict(int)
    # The first curve is drawn last, so that the cells that both pass through are in its colour.
    for i, curve in reversed(list(enumerate(curves))):
        for finite, piece in groupby(curve.points, key=lambda point: math.isfinite(point[1])):
            path = list(plane.path(piece)) if finite else []
            # Colour may be off: the second curve is dotted, to be told from the first.
            for x, y in path if ascii_only else path[:: 1 + i]:
                cell = x // wide, y // tall
                bits[cell] |= _BITS[x % wide][y % tall]
                plot[cell] = _ASCII[i] if ascii_only else chr(0x2800 + bits[cell]), _STYLES[i]
    for curve in curves:
        broken = next((step for step, loss in curve.points if not math.isfinite(loss)), None)
        if broken is not None:
            plot[plane.x(broken) // wide, 0] = "x" if ascii_only else "×", "red"

    lines = []
    for row in range(rows):
        label = _number(labels[row]) if row in labels else ""
        line = Text().append(f"{label:>{gutter}} ", typeset.QUIET)
        for column in range(cells):
            line.append(*plot.get((column, row), (" ", "")))
        line.rstrip()
        lines.append(line)
    lines.append(_axis(plane, gutter + 1, columns))
    if len(curves) > 1:
        lines.append(_legend(curves, columns, ascii_only))
    return lines


def _tamed(value: float) -> float:
    return max(-_HUGE, min(_HUGE, value))


def _range(losses: Sequence[float]) -> tuple[float, float]:
    """Return the lowest and the highest value of the plot, never the same."""
    low, high = min(losses), max(losses)
    if 0 <= low < high / 4:
        low = 0.0
    # A curve that hardly moves shall look flat, and the two labels differ.
    lacking = max(0.02, max(abs(low), abs(high)) / 20) - (high - low)
    if lacking > 0:
        below = lacking / 2 if low < 0 else min(low, lacking / 2)
        low, high = low - below, high + lacking - below
    return low, high


def _number(value: float) -> str:
    return format(Figure(value), "z.2f" if abs(value) < 1e5 else ".1e")


def _axis(plane: _Plane, indent: int, columns: int) -> Text:
    """Make the line of the first and the last step, or as much of it as there is room for."""
    line, last = " " * indent + str(plane.first), str(plane.last)
    if plane.last > plane.first:
        room = columns - len(line)
        line = line + last.rjust(room) if len(last) < room else last.rjust(columns)
    return Text(line if len(line) <= columns else "", typeset.QUIET)


def _legend(curves: Sequence[Curve], columns: int, ascii_only: bool) -> Text:
    """Make the name of each curve after a piece of its line, the room shared fairly."""
    line = Text()
    for curve, char, style in zip(curves, _ASCII if ascii_only else "⠒⠂", _STYLES, strict=True):
        name = Text(curve.name)
        # A sample takes two cells, a space after it and the gap between the curves three more.
        name.truncate((columns - 8) // 2, overflow="crop" if ascii_only else "ellipsis")
        line.append("  " if line else "").append(char * 2, style).append(" ").append_text(name)
    return line
