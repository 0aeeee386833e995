"""`course start`: a working copy of an exercise, with comments in the learner's language."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from course.cli.options import AsJson, Framework, LessonId
from course.errors import UserError
from course.i18n import N_, _

if TYPE_CHECKING:
    from course.lesson.bug import Bug
    from course.lesson.lesson import Part

HELP = N_("Make your own copy of an exercise, to edit and to mend.")
EXAMPLES = N_(
    "Examples: `course start ch8-4 --lang zh`; one fault alone "
    "`course start ch8-4 practice --bugs length-mismatch`; a draw of bugs "
    "`course start ch8-4 draw7 --seed 7`"
)


def start(
    lesson: LessonId,
    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="DIR", help=N_("Where to; a folder named after the lesson if not given.")
        ),
    ] = None,
    fw: Framework = None,
    bugs: Annotated[
        str | None,
        typer.Option(
            metavar="FAULT,…|N|none",
            help=N_("Only these bugs, by their faults, or how many to draw; all if not given."),
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", help=N_("Draw the bugs; the same ones for the same N.")),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write the exercise, and say what to do with it."""
    from course.cli import lookup, screen
    from course.exercise import copy, progress

    part = lookup.find_part(lesson, fw)
    chosen = _choose(part, bugs, seed)
    path = copy.start(part, chosen, folder or Path(lesson))
    # A new text at an old place begins a page of its own.
    progress.forget(copy.read(path))
    if as_json:
        screen.document(
            {
                "format": 1,
                "path": str(path),
                "lesson": part.lesson,
                "framework": part.framework,
                "bugs": [b.fault for b in chosen],
            }
        )
        return
    shown = _short(path)
    console = screen.out()
    screen.paragraph(console, _("Your exercise is {path}.").format(path=f"`{shown}`"), style="bold")
    word = _quoted(shown.parent if str(shown.parent) != "." else Path("."))
    steps = (
        (f"course watch {word}", _("runs it again at each save")),
        (f"course run {word}", _("runs it once and says which fault bites")),
        (f"course hint {word}", _("helps you on, a rung at a time")),
        (f"course fix {word}", _("shows the next fix, and makes it with `--apply`")),
    )
    for command, what in steps:
        screen.paragraph(console, f"`{command}`  {what}", indent=2)


def _choose(part: "Part", bugs: str | None, seed: int | None) -> "tuple[Bug, ...]":
    """The bugs that the options ask for.

    Raises:
        UserError: there is no such bug, or the options don't go together.

    """
    import secrets

    from course.cli.help import unknown
    from course.exercise import copy
    from course.exercise.header import NONE

    names = [n.strip() for n in (bugs or "").split(",") if n.strip() not in ("", NONE)]
    size = int(names[0]) if len(names) == 1 and names[0].isdigit() else None
    if bugs is None and seed is None:
        return part.bugs
    if bugs is None or size is not None:
        return copy.draw(part, secrets.randbits(32) if seed is None else seed, size)
    if seed is not None:
        said = _("{first} names the bugs already, so {second} has nothing to draw.")
        raise UserError(said.format(first="`--bugs`", second="`--seed`"))
    known = [b.fault for b in part.known]
    for name in names:
        if name not in known:
            raise UserError(unknown(_("This exercise has no bug {name}."), name, known))
    chosen = tuple(b for b in part.known if b.fault in names)
    alone = next((b for b in part.variants if b in chosen), None)
    if alone is not None and len(chosen) > 1:
        said = _(
            "{name} is an exercise by itself and cannot be combined with other bugs: name it alone."
        )
        raise UserError(said.format(name=f"`{alone.fault}`"))
    return chosen


def _short(path: Path) -> Path:
    """The path as one would type it here."""
    try:
        return path.relative_to(Path.cwd())
    except ValueError:
        return path


def _quoted(path: Path) -> str:
    """A path as a word of a command: a bare lesson's name would mean the lesson itself."""
    import shlex

    word = str(path)
    return shlex.quote(word if path.is_absolute() or word == "." else f"./{word}")
