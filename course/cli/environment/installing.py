"""An environment is installed: the question before, the progress meanwhile."""

import contextlib
import os
import sys
from collections.abc import Iterator

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from course.cli.terminal import consoles
from course.errors import UserError
from course.i18n import N_, _
from course.runs.environment import install as installs
from course.runs.environment import runtime
from course.runs.environment.install import Phase, Tell
from course.runs.environment.package_settings import Supply
from course.runs.environment.runtime import Environment

PHASES: dict[Phase, str] = {
    "waiting": N_("Another `course` is working on this environment: waiting for it …"),
    "preparing": N_("Preparing …"),
    "downloading": N_("Downloading: {done} of about {total} MB"),
    "installing": N_("Installing: {done} of about {total} MB"),
    "checking": N_("Loading the libraries once, to see that they work …"),
}
STEP = 10
"""Per cent between two lines about the same phase where there is no terminal."""


def can_ask() -> bool:
    """Whether somebody is there to be asked: stdout may be a file, or a program's input."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def agreed(framework: str) -> bool:
    """Ask whether to install a framework's environment now, naming what it takes."""
    recipe = runtime.describe(framework).recipe
    assert recipe is not None
    question = _(
        "Install the environment for {framework} now? It takes about {download} MB to download "
        "and {size} MB in {folder}."
    )
    return yes(
        question.format(
            framework=f"`{framework}`",
            download=runtime.megabytes(recipe.download),
            size=runtime.megabytes(recipe.installed),
            folder=f"`{runtime.folder_of(framework, recipe)}`",
        )
    )


def yes(question: str) -> bool:
    """Whether a question is answered with yes; anything else means no.

    Raises:
        UserError: nobody is there to be asked.

    """
    if not can_ask():
        sentence = _("There is no terminal to ask on: add {option} to go ahead.")
        raise UserError(sentence.format(option="`--yes`"))
    console = consoles.err()
    consoles.paragraph(console, question, style="bold")
    console.print(_("Type y and Enter to go ahead, or only Enter to leave it:"), end=" ")
    return sys.stdin.readline().strip().lower() in consoles.YES


def install(
    framework: str, python: str | None = None, supply: "Supply | None" = None
) -> "tuple[Environment, bool]":
    """Install a framework's environment and show how far it is; whether it was made just now."""
    with _telling(consoles.err()) as tell:
        return installs.install(framework, python=python, supply=supply, tell=tell)


@contextlib.contextmanager
def _telling(console: "Console") -> Iterator[Tell]:
    if console.is_terminal and os.environ.get("TERM") != "dumb":
        yield from _bar(console)
    else:
        yield from _lines()


def _describe(phase: Phase, done: int, total: int) -> str:
    return _(PHASES[phase]).format(done=runtime.megabytes(done), total=runtime.megabytes(total))


def _bar(console: "Console") -> Iterator[Tell]:
    """One line that changes, on a terminal; it is gone in the end."""
    columns = TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=None)

        def tell(phase: Phase, done: int, total: int) -> None:
            text = consoles.styled(console, _describe(phase, done, total)).plain
            progress.update(task, description=text, completed=done, total=total or None)

        yield tell


def _lines() -> Iterator[Tell]:
    """A line for each phase, and for each tenth of it."""
    shown: tuple[str, int] = ("", 0)

    def tell(phase: Phase, done: int, total: int) -> None:
        nonlocal shown
        tenth = 100 * done // total // STEP if total else 0
        if (phase, tenth) > shown or phase != shown[0]:
            shown = (phase, tenth)
            consoles.note(_describe(phase, done, total))

    yield tell
