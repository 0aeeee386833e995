"""Hints, in levels: where to look, what it means, what to change."""

import ast
from dataclasses import dataclass

from course.base.i18n import N_, _
from course.base.texts import paragraphs
from course.exercise.practice import CurrentFault
from course.exercise.working_copy import Copy
from course.judge.verdict import PROBLEMS
from course.lesson.bug import Bug
from course.lesson.catalogue import Fault, catalogue
from course.lesson.lesson import Look
from course.lesson.look_names import alone, fitting, in_own_names

LEVELS = (N_("Where to look"), N_("What it means"), N_("How to fix it"))
OWN = (
    N_(
        "Read the message from its end. The last line says what went wrong. The nearest line of "
        "your own script above it says where."
    ),
    N_(
        "This is not one of the exercise's own bugs. One of your edits probably caused it. Look at "
        "that line, and at the lines that compute its values."
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

WIDEST = 100
"""Columns of a look that is offered within a sentence."""
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
    remaining: tuple[Bug, ...] = (),
    *,
    script: str = "",
    exam: bool = False,
) -> tuple[Hint, ...]:
    """Make the hints for a fault, for an unknown failure, or for a problem.

    `bug` is the exercise's own behind the fault, if it is one of its own; `mended` is the lesson's
    where the text is without it already, and then its fix is no help; `problem` is a sentence about
    a run that came to its end and is not healthy, and `remaining` are the bugs of the exercise that
    may be behind it. `offer` says on the first rung how to look into
    the stopped script; empty where there is none. Code in them has the names of the `script`. In an
    `exam` the last rung, which says what to
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
        return _of_problem(problem, remaining, script, exam=exam)
    else:
        contents = OWN
    first_rung = (offer,) if offer else ()
    rungs = list(enumerate(zip(LEVELS, contents, strict=True), start=1))
    return tuple(
        Hint(
            number,
            _(heading),
            (
                *(in_own_names(_(text), script) for text in paragraphs(texts)),
                *(first_rung if number == 1 else ()),
            ),
        )
        for number, (heading, texts) in (rungs[:-1] if exam else rungs)
    )


def ladder_of(copy: Copy, current: CurrentFault, problem: str) -> tuple[Hint, ...]:
    """Make the hints for what a copy of an exercise shows now; `problem` as for `ladder`."""
    looks = copy.part.looks_at(current.fault.id if current.fault else "")
    return ladder(
        current.fault,
        current.bug,
        problem,
        current.mended,
        offer(looks, copy.text),
        current.remaining,
        script=copy.text,
        exam=copy.header.exam,
    )


def _of_problem(
    problem: str, remaining: tuple[Bug, ...], script: str, *, exam: bool
) -> tuple[Hint, ...]:
    """Make the hints for a run that names no fault: where the text still differs from the fix."""
    rungs: list[tuple[str, tuple[str, ...]]] = [(_("What is wrong"), (problem,))]
    if remaining:
        left = PROBLEMS["no-failure"]
        faults = [catalogue()[bug.fault] for bug in remaining]
        looks = (_(text) for fault in faults for text in paragraphs(fault.where))
        rungs.append((_(LEVELS[0]), (_(left), *looks)))
        fixes = ((fault.fix, bug.reason) for fault, bug in zip(faults, remaining, strict=True))
        changes = [_(text) for each in fixes for texts in each for text in paragraphs(texts)]
        rungs += [] if exam else [(_(LEVELS[-1]), tuple(changes))]
    return tuple(
        Hint(number, heading, tuple(in_own_names(text, script) for text in texts))
        for number, (heading, texts) in enumerate(rungs, start=1)
    )


def offer(looks: tuple[Look, ...], text: str) -> str:
    """Say where to look around, and at what: code of one line, with the names that the text has."""
    found: list[list[str]] = []
    # The first looks of a lesson may be at what is right, so one of a hint's own goes before them.
    for look in sorted(fitting(alone(looks), text), key=lambda look: not look.hint):
        lines = [line for line in look.code.splitlines() if line]
        # A statement of several lines is none when it is written in one.
        if len(ast.parse(look.code).body) == len(lines) and sum(map(len, lines)) <= WIDEST:
            found.append(lines)
    if not found:
        return _(LOOK_AROUND)
    shortest = min(found, key=len)
    return _(LOOK).format(code=f"`{'; '.join(shortest)}`")
