"""The lines in which a fault may have to be mended, the likeliest first.

The line that a traceback ends in is often only where a fault comes to light: a layer of the wrong
size was made in another one, a loss chosen far above. So the line itself comes first, and then what
its text and its names lead to: what the message speaks of, the layer of the size that was measured,
and what made the names in the line.

Of a library's `fit`, and of a Trainer's `train`, that line is the least likely: it stands behind
what the call was given.
"""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from course.diagnosis.text import command_line, given, leads, place
from course.diagnosis.text.given import find_fit, find_trainer
from course.diagnosis.text.leads import Clue
from course.diagnosis.text.script_text import ScriptText

ARGUMENTS = ("message", "keyword")
"""Places that may be within a call."""
MOST = 3
"""Lines that are named for one fault."""
OTHERWISE = ("message", "made")
"""What is looked for last, of a fault that was raised."""
LEADS: dict[str, Callable[[ScriptText, Clue], Iterator[int]]] = {
    "message": leads.message,
    "layer": leads.layers,
    "made": leads.made,
    "imports": leads.imports,
    "outputs": leads.outputs,
    "fit uneven": given.uneven,
    "fit sides": given.sides,
    "trainer batch": given.batch,
}
"""What a list of places may ask for besides a place in the text."""


class MendLines(NamedTuple):
    """The lines to look at, and what the command line `gave` in place of a default among them."""

    lines: tuple[int, ...] = ()
    gave: str = ""


def told(figures: Mapping[str, float]) -> tuple[int, ...]:
    """Return the lines that the figures of a silent fault tell themselves."""
    return tuple(int(value) for name, value in figures.items() if name.endswith("_line"))


def find(script: ScriptText, fault: str, clue: Clue) -> MendLines:
    """Find at most three lines to look at for a fault; the first is where it came to light.

    Where that is within a library's `fit`, it stands behind the lines that made what is wrong. A
    default is none of them where the command line gave another value.

    Raises:
        ContentError: the list of places breaks its format; says where.

    """
    replaced = command_line.replaced(script, clue.arguments)
    found = dict.fromkeys(_all(script, fault, clue))
    gave = next((replaced[line] for line in found if line in replaced), "")
    kept = [line for line in found if line not in replaced]
    return MendLines(tuple(kept[:MOST]), gave)


def _all(script: ScriptText, fault: str, clue: Clue) -> Iterator[int]:
    listed = place.listed()
    kinds = listed.places.get(fault, ())
    if clue.lines and clue.message:
        if find_fit(script, clue) is not None:
            yield from _led(script, clue, listed.fits.get(fault, ()))
        trainer = find_trainer(script, clue)
        if trainer is not None:
            yield from _led(script, clue, listed.trainers.get(fault, ()))
        yield from _led(script, clue, listed.before.get(fault, ()))
        yield from _within(script, clue, kinds)
        if trainer is not None:
            yield from _led(script, clue, kinds)
    yield from clue.lines[:1]
    yield from _led(script, clue, (*kinds, *(OTHERWISE if clue.message else ())))


def _led(script: ScriptText, clue: Clue, kinds: Sequence[str]) -> Iterator[int]:
    """Yield the lines that places and leads come to."""
    for each in kinds:
        led = LEADS.get(each)
        if led is not None:
            yield from led(script, clue)
        else:
            yield from place.lines(script, each)


def _within(script: ScriptText, clue: Clue, kinds: Sequence[str]) -> Iterator[int]:
    """Lines of the arguments of a call that has several lines: its first one is rarely mended."""
    statement = script.statement_at(clue.lines[0])
    if isinstance(statement, ast.Expr | ast.Assign) and isinstance(statement.value, ast.Call):
        last = statement.end_lineno or statement.lineno
        found = _led(script, clue, [each for each in kinds if each.startswith(ARGUMENTS)])
        yield from (line for line in found if statement.lineno < line <= last)
