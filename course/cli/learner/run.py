"""`course run`: walk through a lesson, judge one working copy, or run any script as it is."""

import shlex
from pathlib import Path

import click

from course.base.errors import UserError
from course.base.i18n import N_, _
from course.cli.environment.run_place import find_context
from course.cli.learner import copy_report
from course.cli.learner.own_copy import find_copy_or_lesson
from course.cli.stage import look_prompt
from course.cli.terminal import consoles, live
from course.cli.terminal.options import (
    HUB,
    SECONDS,
    cold_option,
    device_option,
    fw_option,
    json_option,
    time_limit,
)
from course.exercise import working_copy
from course.lesson import lesson
from course.runs.process import TIMEOUT
from course.runs.run_context import check_device


@click.argument(
    "target",
    required=False,
    metavar="LESSON|PATH",
    help=N_(
        "The id of a lesson, your exercise (a file or a folder), or any other script or notebook. "
        "If not given: the exercise in this folder."
    ),
)
@click.argument("arguments", nargs=-1, metavar="-- ARGS", help=N_("Arguments for your own script."))
@click.option(
    "-m", "module", metavar="MODULE", help=N_("Run a module of your own, as `python -m` does.")
)
@click.option(
    "--python",
    metavar="PATH",
    help=N_("The Python for your own script. If not given: that of the active environment."),
)
@fw_option
@click.option("--step", metavar="STEP", help=N_("Begin at this step."))
@click.option(
    "--yes", "-y", is_flag=True, help=N_("Show all steps without asking. Install what is missing.")
)
@click.option("--hub", metavar="embedded|online", help=HUB)
@click.option("--timeout", type=time_limit, metavar="SECONDS", help=SECONDS)
@device_option
@cold_option
@json_option
@click.option(
    "--vitals", is_flag=True, help=N_("Show the training's vital signs, with their usual values.")
)
def run(
    target: str | None,
    arguments: tuple[str, ...],
    module: str | None,
    python: str | None,
    fw: str | None,
    step: str | None,
    yes: bool,
    hub: str | None,
    timeout: float | None,
    device: str | None,
    cold: bool,
    as_json: bool,
    vitals: bool,
) -> int:
    """Walk through a lesson, or run a script; 1 where something bites unexpectedly."""
    if module is not None or (target or ".") not in lesson.ids():
        from course.cli.script import own_script

        written = own_script.find(target, module, arguments)
        if written is not None:
            check_device(device)
            return own_script.run(
                written,
                python=python,
                hub=hub,
                timeout=timeout,
                device=device,
                as_json=as_json,
                with_vitals=vitals,
            )
    if arguments:
        raise UserError(
            _("Only your own scripts can have arguments, so these cannot be used: {words}.").format(
                words=f"`{shlex.join(arguments)}`"
            )
        )
    target, hub, timeout = target or ".", hub or "embedded", timeout or TIMEOUT
    if target in lesson.ids():
        from course.cli.stage import walk

        part = lesson.find_part(target, fw)
        _tell_own_copy(target)
        if step is None and not (yes or as_json):
            step = walk.going_on(lesson.walked_from(part, None))
        parts = lesson.walked_from(part, step)
        context = find_context(part, hub, timeout, device=device, cold=cold, quiet=as_json, yes=yes)
        return walk.run(parts, context, step, yes=yes, as_json=as_json, with_vitals=vitals)
    if step is not None:
        sentence = _("{option} can only be used with {lesson}.")
        raise UserError(sentence.format(option="`--step`", lesson="`LESSON`"))
    copy = find_copy_or_lesson(target)
    context = find_context(
        copy.part, hub, timeout, device=device, cold=cold, quiet=as_json, yes=yes
    )
    console = consoles.err() if as_json else consoles.out()
    converse = look_prompt.answers(console, is_quiet=as_json)
    done = live.attend(copy, context, console, converse, is_quiet=as_json)
    return copy_report.tell(done, context, as_json=as_json, with_vitals=vitals)


def _tell_own_copy(lesson: str) -> None:
    """Say which is meant where the learner has a copy of the lesson right here."""
    for folder in (Path(), Path(lesson)):
        found = working_copy.of_lesson(folder, lesson)
        if found:
            # A bare name would mean the lesson: that is how one came here.
            word = "." if folder == Path() else f"./{lesson}"
            word = word if len(found) == 1 else shlex.quote(f"./{found[0]}")
            sentence = _(
                "These are the lesson's steps. To run your own copy {path}, use {command}."
            )
            command = f"`course run {word}`"
            consoles.note(sentence.format(path=f"`./{found[0]}`", command=command))
            return
