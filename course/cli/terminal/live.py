"""A live line that tells how far a run is, and the run of a working copy with one."""

import contextlib
from collections.abc import Iterator
from typing import Any

from rich.console import Console

from course.cli.terminal import consoles
from course.cli.terminal.live_output import OutputPrinter
from course.exercise import practice
from course.exercise.practice import Practice
from course.exercise.working_copy import Copy
from course.i18n import _, numbers
from course.run.process import Listener
from course.run.run_context import RunContext


@contextlib.contextmanager
def listening(console: Console, printer: OutputPrinter | None = None) -> Iterator[Listener]:
    """Show the events of a run as they come in, on a line of a terminal.

    What the script prints is printed above it, and into a pipe too, where there is a `printer`.
    """
    if printer is not None:
        printer.begin()
    with consoles.progress(console, _("Starting Python and its libraries …")) as update:

        def listen(event: dict[str, Any]) -> None:
            if printer is not None:
                printer.hear(event)
            text = describe_event(event)
            if text:
                update(text)

        yield listen
    if printer is not None:
        printer.end()


def attend(
    copy: Copy, context: RunContext, console: Console, *, is_quiet: bool = False
) -> Practice:
    """Run a working copy with a live line, and say where something did not go as it was to.

    What it prints is printed, unless that `is_quiet`.
    """
    with listening(console, None if is_quiet else OutputPrinter(console)) as listen:

        def heard(event: dict[str, Any]) -> None:
            # What shows the verdict is loaded while the script runs: nobody waits for it then.

            listen(event)

        done = practice.run(copy, context, heard)
    if done.note:
        consoles.note(done.note)
    return done


def describe_event(event: dict[str, Any]) -> str:
    """What an event means for somebody who waits; empty where it means nothing."""
    if event["event"] == "line":
        code = f"`{event['text']}`"
        return _("Line {line}: {code}").format(line=event["line"], code=code)
    if event["event"] == "step":
        sentence = _("Training: step {step} of {of}, epoch {epoch}")
        epoch = numbers.decimal(event["epoch"], 1)
        return sentence.format(step=event["step"], of=event["of"], epoch=epoch)
    if event["event"] == "progress":
        return str(event["text"]).replace("`", "")
    if event["event"] in ("exception", "trained", "stopped"):
        return _("Looking into the stopped script …")
    if event["event"] == "again":
        return _("Starting Python and its libraries …")
    return ""
