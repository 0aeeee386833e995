"""Hints, in levels: where to look, what it means, what to change."""

from dataclasses import dataclass

from course.i18n import N_, _
from course.lesson.bug import Bug
from course.lesson.catalogue import Fault
from course.texts import paragraphs

LEVELS = (N_("Where to look"), N_("What it means"), N_("What to change"))
OWN = (
    N_(
        "Read the message from its end: the last line says what went wrong, and the line of your "
        "own script above it says where."
    ),
    N_(
        "This is none of the exercise's own bugs. It came in with an edit, most likely in that "
        "line or in one that makes what the line uses."
    ),
    N_(
        "Undo the last edit and run again, or print the type and the shape of what the line uses "
        "just before it. `course reset` starts over and keeps your text."
    ),
)
"""For a failure that the catalogue does not know."""
MENDED = N_(
    "Your script already has the change that mends this fault in the lesson, so something else "
    "brings it about."
)


@dataclass(frozen=True)
class Hint:
    """One level of the hints: its number from 1 up, its heading, its paragraphs (translated)."""

    level: int
    heading: str
    texts: tuple[str, ...]


def ladder(
    fault: Fault | None, bug: Bug | None, problem: str = "", mended: Bug | None = None
) -> tuple[Hint, ...]:
    """The hints for a fault; for a failure that the catalogue does not know, or for a problem.

    `bug` is the exercise's own behind the fault, if it is one of its own; `mended` is the lesson's
    where the text is without it already, and then its fix is no help; `problem` is a sentence about
    a run that came to its end and is not healthy.
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
    return tuple(
        Hint(number, _(heading), tuple(_(text) for text in paragraphs(texts)))
        for number, (heading, texts) in enumerate(zip(LEVELS, contents, strict=True), start=1)
    )
