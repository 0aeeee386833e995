"""Hints, in levels: where to look, what it means, what to change."""

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from course.base.i18n import N_, _
from course.base.texts import paragraphs
from course.lesson.bug import Bug
from course.lesson.catalogue import Fault
from course.lesson.lesson import Look

LEVELS = (N_("Where to look"), N_("What it means"), N_("How to fix it"))
OWN = (
    N_(
        "Read the message from its end: the last line says what went wrong, and the line of your "
        "own script above it says where."
    ),
    N_(
        "This is not one of the exercise's own bugs. One of your edits probably caused it: in "
        "that line, or in a line that makes a value which that line uses."
    ),
    N_(
        "Undo the last edit and run again. Or, just before this line, print the type and the "
        "shape of the values that it uses. `course reset` gives you a fresh copy of the script, "
        "and keeps your version in another file."
    ),
)
"""For a failure that the catalogue does not know."""
MENDED = N_(
    "Your script already has the lesson's fix for this fault, so something else is the cause."
)

LOOK = N_(
    "See it yourself: `course look` (the key `e` in `course watch`) opens the script where it "
    "stopped. Evaluate {code} there."
)
LOOK_AROUND = N_(
    "See it yourself: `course look` (the key `e` in `course watch`) opens the script where it "
    "stopped."
)


@dataclass(frozen=True)
class Hint:
    """One level of the hints: its number from 1 up, its heading, its paragraphs (translated)."""

    level: int
    heading: str
    texts: tuple[str, ...]


def ladder(
    fault: Fault | None,
    bug: Bug | None,
    problem: str = "",
    mended: Bug | None = None,
    offer: str = "",
    *,
    exam: bool = False,
) -> tuple[Hint, ...]:
    """Make the hints for a fault, for an unknown failure, or for a problem.

    `bug` is the exercise's own behind the fault, if it is one of its own; `mended` is the lesson's
    where the text is without it already, and then its fix is no help; `problem` is a sentence about
    a run that came to its end and is not healthy. `offer` says on the first rung how to look into
    the stopped script; empty where there is none. In an `exam` the last rung, which says what to
    change, is not there.
    """
    contents: tuple[str, ...]
    if fault is not None and mended is not None:
        contents = fault.where, fault.means, f"{MENDED}\n\n{OWN[-1]}"
    elif fault is not None:
        reason = bug.reason if bug is not None else ""
        first, second = bug.hints if bug is not None and bug.hints else (fault.where, fault.means)
        contents = first, second, f"{fault.fix}\n\n{reason}"
    elif problem:
        return (Hint(1, _("What is wrong"), (problem,)),)
    else:
        contents = OWN
    first_rung = (offer,) if offer else ()
    rungs = list(enumerate(zip(LEVELS, contents, strict=True), start=1))
    return tuple(
        Hint(
            number,
            _(heading),
            (*(_(text) for text in paragraphs(texts)), *(first_rung if number == 1 else ())),
        )
        for number, (heading, texts) in (rungs[:-1] if exam else rungs)
    )


def offer(looks: tuple[Look, ...]) -> str:
    """Where to look around, and at what: a look of one line, whose names the script itself has."""
    bound: set[str] = set()
    for look in looks:
        names = list(_names(look.code))
        if "\n" not in look.code and bound.isdisjoint(name.id for name in names):
            return _(LOOK).format(code=f"`{look.code}`")
        bound.update(name.id for name in names if isinstance(name.ctx, ast.Store))
    return _(LOOK_AROUND)


def _names(code: str) -> Iterable[ast.Name]:
    return (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name))
