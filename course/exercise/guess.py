"""Guesses before the answer: the stage that a fault sits in, and which of its neighbours it is."""

import hashlib
from dataclasses import dataclass
from itertools import islice

from course.base.i18n import _, in_a_row
from course.lesson import catalogue
from course.lesson.catalogue import Fault

MOST = 4
"""Faults to choose from: the one that the run shows, and its nearest neighbours."""
FEWEST = 3
STAGES = ("environment", "data", "batch", "model", "optimizer", "evaluation")
"""What can be guessed as the stage, by its number from 1 on; the text of a script is with the
environment."""


@dataclass(frozen=True)
class Choice:
    """Faults to choose from, in an order that tells nothing; `fault` is the right one."""

    fault: Fault
    offered: tuple[Fault, ...]

    def apart(self, guessed: Fault) -> str:
        """Say that a guess is wrong, and what to look at; nothing for the right one.

        The right one is not named: where the two have no sentence that tells them apart, it is
        said where the guessed one would show.
        """
        if guessed is self.fault:
            return ""
        told = catalogue.neighbours(self.fault.id)[guessed.id]
        return in_a_row(_("No, this is not the fault."), _(told or guessed.where))


def choice(fault: Fault) -> Choice | None:
    """Return the faults to choose from; None where too few are easily taken for this one."""
    near = list(islice(catalogue.neighbours(fault.id), MOST - 1))
    if len(near) < FEWEST - 1:
        return None

    def digest(name: str) -> bytes:
        return hashlib.sha256(f"{fault.id} {name}".encode()).digest()

    ids = sorted((fault.id, *near), key=digest)
    known = catalogue.catalogue()
    return Choice(fault, tuple(fault if name == fault.id else known[name] for name in ids))


def is_stage(fault: Fault, number: int) -> bool:
    """Return whether a fault sits in the stage of this number."""
    stage = "environment" if fault.stage == "script" else fault.stage
    return 1 <= number <= len(STAGES) and STAGES[number - 1] == stage
