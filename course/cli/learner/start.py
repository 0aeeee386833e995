"""`course start`: a working copy of an exercise, with comments in the learner's language."""

import shlex
from pathlib import Path

import click

from course.base.i18n import N_, _
from course.cli.learner.bug_options import bugs_option, choose, seed_option
from course.cli.terminal import consoles
from course.cli.terminal.options import PATH, fw_option, json_option, lesson_argument
from course.exercise import progress, working_copy
from course.lesson.lesson import find_part


@lesson_argument
@click.argument(
    "folder",
    type=PATH,
    required=False,
    metavar="DIR",
    help=N_("The folder to create. If not given: the name of the lesson."),
)
@fw_option
@bugs_option
@seed_option
@json_option
def start(
    lesson: str,
    folder: Path | None,
    fw: str | None,
    bugs: str | None,
    seed: int | None,
    as_json: bool,
) -> None:
    """Write the exercise, and say what to do with it."""
    part = find_part(lesson, fw)
    chosen = choose(part, bugs, seed)
    path = working_copy.start(part, chosen, folder or Path(lesson))
    # A new text at an old place begins a page of its own.
    progress.forget(working_copy.read(path))
    if as_json:
        consoles.document(
            {
                "path": str(path),
                "lesson": part.lesson,
                "framework": part.framework,
                "bugs": [b.fault for b in chosen],
            }
        )
        return
    here = Path.cwd()
    shown = path.relative_to(here) if path.is_relative_to(here) else path
    console = consoles.out()
    consoles.paragraph(
        console, _("Your exercise is {path}.").format(path=f"`{shown}`"), style="bold"
    )
    place = str(shown.parent)
    # A bare lesson's name would mean the lesson itself.
    is_plain = shown.is_absolute() or place == "."
    word = shlex.quote(place if is_plain else f"./{place}")
    steps = (
        _("{watch} runs the exercise again after each save.").format(
            watch=f"`course watch {word}`"
        ),
        _("{run} runs the exercise once and names its fault.").format(run=f"`course run {word}`"),
        _("{hint} gives a hint. Each call gives one more hint.").format(
            hint=f"`course hint {word}`"
        ),
        _("{command} shows the change itself.").format(command=f"`course fix {word}`"),
    )
    for step in steps:
        consoles.paragraph(console, step, indent=2)
