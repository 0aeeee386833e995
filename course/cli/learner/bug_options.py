"""Which bugs an exercise is made with, as the commands that make one are told."""

import secrets

import click

from course.base.errors import UserError
from course.base.i18n import N_, _
from course.base.schema import refused
from course.cli.terminal.options import either
from course.exercise import working_copy
from course.exercise.draw import NONE
from course.lesson.bug import Bug
from course.lesson.lesson import Part

bugs_option = click.option(
    "--bugs",
    metavar="FAULT,…|N|none",
    help=N_(
        "Only these bugs: the ids of their faults, or a number N for N random bugs. If not given: "
        "all bugs."
    ),
)
seed_option = click.option(
    "--seed",
    type=int,
    metavar="N",
    help=N_("Choose the bugs at random. The same N gives the same bugs."),
)


def choose(part: "Part", bugs: str | None, seed: int | None) -> "tuple[Bug, ...]":
    """Choose the bugs that the options ask for.

    Raises:
        UserError: there is no such bug, or the options don't go together.

    """
    names = [n.strip() for n in (bugs or "").split(",") if n.strip() not in ("", NONE)]
    size = int(names[0]) if len(names) == 1 and names[0].isdigit() else None
    if bugs is None and seed is None:
        return part.bugs
    if bugs is None or size is not None:
        return working_copy.draw(part, secrets.randbits(32) if seed is None else seed, size)
    if seed is not None:
        raise either("--bugs FAULT,…", "--seed")
    known = [b.fault for b in part.known]
    for name in names:
        if name not in known:
            raise UserError(refused("--bugs", name, known))
    chosen = tuple(b for b in part.known if b.fault in names)
    alone = next((b for b in part.variants if b in chosen), None)
    if alone is not None and len(chosen) > 1:
        sentence = _("{name} cannot be combined with other bugs. Give only {name}.")
        raise UserError(sentence.format(name=f"`{alone.fault}`"))
    return chosen
