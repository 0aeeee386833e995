"""`course hint`: where to look, what it means, what to change; a rung at a time."""

from pathlib import Path

import click

from course.base.errors import UserError
from course.base.i18n import N_, _, about, titled
from course.cli.learner.own_copy import find_copy, find_current_fault
from course.cli.terminal import consoles
from course.cli.terminal.options import cold_option, copy_argument, fw_option, json_option
from course.exercise import hint as hints
from course.exercise import practice, progress
from course.exercise.hint import Hint


@copy_argument
@fw_option
@click.option(
    "--rung",
    "level",
    type=int,
    metavar="1|2|3",
    help=N_("Show the hint with this number, instead of the next one."),
)
@cold_option
@json_option
def hint(target: str | None, fw: str | None, level: int | None, cold: bool, as_json: bool) -> int:
    """Show the next rung; 0 also where there is nothing to hint at."""
    copy = find_copy(target, fw)
    console = consoles.err() if as_json else consoles.out()
    current, problem = find_current_fault(copy, console, cold=cold, quiet=as_json)
    known = progress.of(copy)
    name = current.fault.id if current.fault else None
    ladder = () if current.healthy else hints.ladder_of(copy, current, problem)
    if not ladder:
        if as_json:
            consoles.document(_document(copy.path, name, None, 0))
        else:
            done = _("The script trains, and the model has learned.")
            consoles.paragraph(console, done, style="green")
        return 0
    if level is not None and not 1 <= level <= len(ladder):
        sentence = _("Give a number from 1 to {n}.").format(n=len(ladder))
        raise UserError(about("`--level`", sentence))
    number = level or practice.next_level(known, name or "", len(ladder))
    shown = ladder[number - 1]
    progress.keep(progress.hinted(known, name or "", number))
    if as_json:
        consoles.document(_document(copy.path, name, shown, len(ladder)))
        return 0
    consoles.code(console, str(copy.path), style=consoles.QUIET)
    title = current.fault.title if current.fault else ""
    if title:
        consoles.paragraph(console, titled(title, name or ""), style="bold")
    heading = _("Hint {n} of {of}: {heading}")
    text = heading.format(n=number, of=len(ladder), heading=shown.heading)
    consoles.paragraph(console, text, style="bold yellow")
    for paragraph in shown.texts:
        consoles.paragraph(console, paragraph)
    if number < len(ladder):
        more = _("{hint} gives a hint. Each call gives one more hint.").format(hint="`course hint`")
        consoles.paragraph(console, more, style=consoles.QUIET)
    elif current.to_fix is not None and not copy.header.exam:
        consoles.paragraph(
            console,
            _("{command} shows the change itself.").format(command="`course fix`"),
            style=consoles.QUIET,
        )
    if number == len(ladder) and name is not None:
        page = _("For more: {command}").format(command=f"`course explain {name}`")
        consoles.paragraph(console, page, style=consoles.QUIET)
    return 0


def _document(path: Path, fault: str | None, shown: Hint | None, of: int) -> dict[str, object]:
    return {
        "path": str(path),
        "fault": fault,
        "rung": shown and shown.level,
        "of": of,
        "heading": shown and shown.heading,
        "texts": list(shown.texts) if shown else [],
    }
