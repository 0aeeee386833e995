"""`course watch`: an exercise that runs again at each save."""

import contextlib
import hashlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import click
from filelock import FileLock, Timeout
from rich.console import Console, Group
from rich.live import Live

from course.base import paths
from course.base.errors import UserError
from course.base.i18n import N_, _
from course.cli.environment.run_place import find_context
from course.cli.learner import copy_report
from course.cli.learner.own_copy import find_copy
from course.cli.stage import watch_screen
from course.cli.terminal import consoles, keys, live_output
from course.cli.terminal.options import (
    cold_option,
    copy_argument,
    device_option,
    fw_option,
    hub_option,
    timeout_option,
)
from course.exercise.look import StoppableScript
from course.exercise.watch.session import WatchSession
from course.exercise.watch.state import KeyPress, State
from course.exercise.working_copy import Copy
from course.runs.run_context import RunContext


@copy_argument
@fw_option
@hub_option
@timeout_option
@device_option
@cold_option
@click.option(
    "--named",
    is_flag=True,
    help=N_(
        "Show the name of each fault at once, without asking you to guess. The environment "
        "variable `COURSE_NAMED=1` does the same."
    ),
)
def watch(
    target: str | None,
    fw: str | None,
    hub: str,
    timeout: float,
    device: str | None,
    cold: bool,
    named: bool,
) -> int:
    """Watch until told to stop; 0 if the exercise was healthy then, else 1."""
    copy = find_copy(target, fw)
    context = find_context(copy.part, hub, timeout, device=device, cold=cold, quiet=True)
    console = consoles.out()
    shows = console.is_terminal and sys.stdin.isatty() and os.environ.get("TERM") != "dumb"
    with _alone(copy.path):
        if shows:
            guesses = not (named or os.environ.get("COURSE_NAMED"))
            last = _on_screen(console, copy.path, context, guesses=guesses)
        else:
            last = _in_lines(copy.path, context)
    if shows and last.done is not None:
        copy_report.observed(console, last.done, last.choice)
    return 0 if last.done is not None and last.done.attempt.healthy and not last.stale else 1


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Keep a second watch off the same file.

    Raises:
        UserError: there is one already.

    """
    name = hashlib.sha256(os.path.realpath(path).encode()).hexdigest()[:16]
    try:
        held = FileLock(paths.private() / f"watch-{name}.lock").acquire(timeout=0)
    except Timeout as error:
        sentence = _("Another `course watch` is watching {path}. Use that one, or quit it first.")
        raise UserError(sentence.format(path=f"`{path.name}`")) from error
    with held:
        yield


def _on_screen(console: "Console", path: Path, context: "RunContext", *, guesses: bool) -> "State":
    """Show a screen of its own, redrawn from the state, and react to keys."""

    def draw(state: "State") -> None:
        screen.update(Group(*watch_screen.draw(console, state, path.name)), refresh=True)

    screen = Live(console=console, screen=True, auto_refresh=False, redirect_stderr=False)
    opened = contextlib.ExitStack()

    def open_screen() -> None:
        opened.enter_context(screen)
        opened.enter_context(keys.reading(lambda name: session.post(KeyPress(name))))

    def look(copy: Copy, context: RunContext) -> None:
        """Give the terminal to a prompt, and take it back when that is left."""
        from course.cli.stage import look

        opened.close()
        try:
            look.look_around(StoppableScript.of_copy(copy), context)
        except KeyboardInterrupt:
            # It was for the run that was to be looked into.
            pass
        finally:
            open_screen()

    session = WatchSession(path, context, draw, look, guesses=guesses)
    try:
        with opened:
            open_screen()
            return session.run()
    except OSError:
        # The window was closed: nobody is there any more to be told of anything.
        if sys.stdout.isatty():
            raise
        raise SystemExit(1) from None


def _in_lines(path: Path, context: "RunContext") -> "State":
    """Print each verdict as it comes, one after the other, where there is no terminal."""
    console = consoles.out()
    shown, trouble = 0, ""

    def draw(state: "State") -> None:
        nonlocal shown, trouble
        if state.trouble and state.trouble != trouble:
            consoles.note(state.trouble)
        trouble = state.trouble
        if state.done is not None and not state.stale and state.number > shown:
            shown = state.number
            if state.done.note:
                consoles.note(state.done.note)
            live_output.tell(console, state.done.run.record.output)
            copy_report.report(console, state.done, context)
            console.print()
            sys.stdout.flush()

    return WatchSession(path, context, draw).run()
