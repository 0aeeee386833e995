"""`course memory`: what a training step of a lesson's model takes of the memory, part by part."""

from typing import Any

import click

from course.base.errors import UserError
from course.base.i18n import N_, _, about
from course.cli.environment.run_place import find_context
from course.cli.terminal import consoles
from course.cli.terminal.options import json_option, lesson_argument
from course.lesson.lesson import find_part
from course.render import memory as pages
from course.render import terminal
from course.runs import hub as hubs
from course.runs import memory as counting
from course.runs.memory import MemoryEstimate, MemoryParts

LARGEST = 65_536
"""Examples of a batch: as many as anybody has use for."""


@lesson_argument
@click.option(
    "--batch", type=int, default=8, metavar="N", help=N_("Number of examples in a batch.")
)
@click.option(
    "--length", type=int, default=128, metavar="N", help=N_("Length of the texts, in tokens.")
)
@json_option
def memory(lesson: str, batch: int, length: int, as_json: bool) -> None:
    """Count the memory, and show what changes it."""
    part = find_part(lesson, None)
    known = counting.checkpoints()
    checkpoint = next((each for each in known.values() if f'"{each.name}"' in part.script), None)
    if checkpoint is None:
        sentence = _("The size of this lesson's model is not known. Choose another lesson.")
        raise UserError(sentence)
    _check("--batch", batch, LARGEST)
    _check("--length", length, checkpoint.positions)
    context = find_context(part, hubs.EMBEDDED, cold=True, quiet=True)
    with consoles.progress(consoles.err(), _("Running …")):
        found = counting.estimate(context, checkpoint, part.outcome.labels, batch, length)
    if as_json:
        consoles.document(_document(found))
        return
    terminal.draw(consoles.out(), pages.page(found))


def _check(option: str, value: int, largest: int) -> None:
    if not 1 <= value <= largest:
        sentence = _("Give a number from 1 to {n}.").format(n=largest)
        raise UserError(about(f"`{option}`", sentence))


def _document(found: MemoryEstimate) -> dict[str, Any]:
    return {
        "checkpoint": found.checkpoint.name,
        "source": found.checkpoint.source,
        **consoles.fields_of(found, "batch", "length"),
        "embedded": {**_parts(found.embedded), "measured": found.measured},
        "real": _parts(found.real),
        "cases": [
            {"case": each.what, **consoles.fields_of(each, "batch", "length", "activations")}
            for each in found.cases
        ],
        "gpu": found.gpu,
        "others": {name: _parts(each) for name, each in found.others.items()},
    }


def _parts(parts: MemoryParts) -> dict[str, Any]:
    names = ("parameters", "weights", "gradients", "optimizer", "activations", "total")
    return consoles.fields_of(parts, *names)
