"""`course run`: walk through a lesson, or judge one working copy as it stands."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from course.cli import resolve
from course.cli.learner import practice
from course.cli.stage import look_prompt
from course.cli.terminal import consoles, keys, live
from course.cli.terminal.options import AsJson, Cold, Framework, HubName, Timeout
from course.errors import UserError
from course.exercise import working_copy
from course.i18n import N_, _

EXAMPLES = N_(
    "Examples: `course run ch8-4 --lang zh`; from one step on `course run ch8-4 --step cublas`; "
    "your exercise in this folder `course run .`; for programs `course run ch8-4 --json`"
)


def run(
    target: Annotated[
        str,
        typer.Argument(
            metavar="LESSON|PATH",
            help=N_("The id of a lesson, or the file or folder of your exercise."),
        ),
    ] = ".",
    fw: Framework = None,
    step: Annotated[
        str | None, typer.Option(metavar="STEP", help=N_("Begin at this step."))
    ] = None,
    yes: Annotated[
        bool,
        typer.Option(
            "--yes", "-y", help=N_("Walk to the end without asking; install what is missing.")
        ),
    ] = False,
    hub: HubName = "embedded",
    timeout: Timeout = 600,
    cold: Cold = False,
    as_json: AsJson = False,
    vitals: Annotated[
        bool,
        typer.Option(
            "--vitals", help=N_("Show the vital signs of a training, beside what is usual.")
        ),
    ] = False,
) -> int:
    """Walk through a lesson, or run one working copy; 1 where something bites unexpectedly."""
    if resolve.is_lesson(target):
        from course.cli.stage import walk

        part = resolve.find_part(target, fw)
        parts = resolve.from_step(part, step)
        _tell_own_copy(target)
        context = resolve.find_context(part, hub, timeout, cold=cold, quiet=as_json, yes=yes)
        return walk.run(parts, context, step, yes=yes, as_json=as_json, with_vitals=vitals)
    if step is not None:
        sentence = _("{option} belongs to a lesson; an exercise of your own is run as it stands.")
        raise UserError(sentence.format(option="`--step`"))
    copy = resolve.find_copy_or_lesson(target)
    context = resolve.find_context(copy.part, hub, timeout, cold=cold, quiet=as_json, yes=yes)
    console = consoles.err() if as_json else consoles.out()
    converse = look_prompt.answers(console) if not as_json and keys.are_there() else None
    done = live.attend(copy, context, console, converse, is_quiet=as_json)
    return practice.tell(done, context, as_json=as_json, with_vitals=vitals)


def _tell_own_copy(lesson: str) -> None:
    """Say which is meant where the learner has a copy of the lesson right here."""
    for folder in (Path(), Path(lesson)):
        found = working_copy.of_lesson(folder, lesson)
        if found:
            # A bare name would mean the lesson: that is how one came here.
            word = "." if folder == Path() else f"./{lesson}"
            word = word if len(found) == 1 else shlex.quote(f"./{found[0]}")
            sentence = _("This is the lesson's walk. Your own copy {path} is run by {command}.")
            command = f"`course run {word}`"
            consoles.note(sentence.format(path=f"`./{found[0]}`", command=command))
            return
