"""`course fix`: the next fix, held against the learner's own text, and made if wanted."""

import sys
from pathlib import Path

import click
from rich.console import Console

from course.base.errors import UserError
from course.base.i18n import N_, _, titled
from course.cli.environment import installing
from course.cli.learner.own_copy import find_copy, find_current_fault
from course.cli.terminal import consoles
from course.cli.terminal.json_output import fix_document
from course.cli.terminal.options import (
    cold_option,
    copy_argument,
    either,
    fw_option,
    json_option,
    yes_option,
)
from course.exercise import mended as changes
from course.exercise import practice, progress, working_copy
from course.exercise.practice import CurrentFault, Fix
from course.exercise.working_copy import Copy
from course.lesson.catalogue import catalogue
from course.render import lesson_blocks, terminal


@copy_argument
@fw_option
@click.option(
    "--apply", is_flag=True, help=N_("Write the fix into your script. The program asks first.")
)
@yes_option
@click.option(
    "--mended",
    is_flag=True,
    help=N_("Show the lesson's fixes beside yours, for the bugs that you have fixed."),
)
@cold_option
@json_option
def fix(
    target: str | None,
    fw: str | None,
    apply: bool,
    yes: bool,
    mended: bool,
    cold: bool,
    as_json: bool,
) -> int:
    """Show or make the fix; 1 where there is a fault and no fix for it."""
    _check_options(apply=apply, asks=apply and not (yes or mended), as_json=as_json, mended=mended)
    if target is not None and not mended and working_copy.is_foreign(Path(target)):
        from course.cli.script.mend import mend_script

        ask = (lambda _path: True) if yes else _agreed
        return mend_script(Path(target), ask, apply=apply, as_json=as_json)
    copy = find_copy(target, fw)
    if copy.header.exam:
        raise UserError(_(practice.IN_AN_EXAM))
    console = consoles.err() if as_json else consoles.out()
    if mended:
        _tell_mended(console, copy, as_json=as_json)
        return 0
    current, problem = find_current_fault(copy, console, cold=cold, quiet=as_json)
    fault = current.fault.id if current.fault else None
    found = None if current.healthy else practice.fix(copy, current.to_fix)
    if not as_json:
        _show(console, current, found, problem)
    fits = found is not None and found.reason is None
    applied = False
    if found is not None and fits and apply and (yes or _agreed(copy.path)):
        applied = practice.apply(copy, found)
        if not applied:
            raise UserError(
                _("The file has been saved meanwhile, so nothing was changed. Try again.")
            )
    if as_json:
        consoles.document(fix_document(copy.path, fault, found, applied=applied))
    elif applied:
        done = _("Written: {path}.").format(path=f"`{copy.path.name}`")
        consoles.paragraph(console, done, style="green")
    elif fits and not apply:
        console.print()
        more = _("{command} makes these changes in the file.")
        more = more.format(command="`course fix --apply`")
        consoles.paragraph(console, more, style=consoles.QUIET)
    return 0 if found is None or fits else 1


def _check_options(*, apply: bool, asks: bool, as_json: bool, mended: bool) -> None:
    if mended and apply:
        raise either("--mended", "--apply")
    if asks and (as_json or not (sys.stdin.isatty() and sys.stdout.isatty())):
        sentence = _(
            "There is no terminal, so the program cannot ask. To continue without the question, "
            "add {option}."
        )
        raise UserError(sentence.format(option="`--yes`"))


def _show(console: Console, current: CurrentFault, found: Fix | None, problem: str) -> None:
    if found is None:
        done = _("The script trains, and the model has learned.")
        consoles.paragraph(console, done, style="green")
        return
    bug = current.to_fix
    if problem:
        consoles.paragraph(console, problem, style="bold red")
    fault = current.fault or (catalogue()[bug.fault] if bug is not None else None)
    if fault is not None:
        consoles.paragraph(console, titled(fault.title, fault.id), style="bold")
    if found.reason is not None and (bug is not None or not problem):
        consoles.paragraph(console, found.why, style="bold red")
    if fault is not None and bug is not None:
        terminal.draw(console, lesson_blocks.reasons(fault, bug))
        terminal.draw(console, lesson_blocks.patch(found.diff))


def _tell_mended(console: Console, copy: Copy, *, as_json: bool) -> None:
    """Show each bug that is mended, the learner's change above the lesson's."""
    found = changes.mended(copy, progress.of(copy))
    if as_json:
        about = [{"fault": m.bug.fault, "own": m.own, "diff": m.official} for m in found]
        document = fix_document(copy.path, None, None, applied=False)
        consoles.document({**document, "mended": about})
        return
    if not found:
        nothing_yet = _("No run has shown yet that a bug of this exercise is fixed.")
        consoles.paragraph(console, nothing_yet)
    for each in found:
        fault = catalogue()[each.bug.fault]
        terminal.draw(console, lesson_blocks.beside(fault, each.bug, each.own, each.official))


def _agreed(path: Path) -> bool:
    return installing.yes(_("Write the result to {file}?").format(file=f"`{path.name}`"))
