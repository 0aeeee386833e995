"""A live line that tells how far a run is, and the run of a working copy with one."""

import contextlib
from collections.abc import Iterator
from typing import Any

from rich.console import Console

from course.base.i18n import _, at_line, numbers
from course.cli.terminal import consoles
from course.cli.terminal.consoles import ProgressLine
from course.cli.terminal.live_output import OutputPrinter
from course.exercise import practice
from course.exercise.practice import Practice
from course.exercise.working_copy import Copy
from course.runs.conversation import Ask, Converse, FrameLook
from course.runs.run_context import RunContext


class EventLine:
    """A listener that shows the events of a run in a live line."""

    def __init__(self, line: ProgressLine, printer: OutputPrinter | None = None) -> None:
        self._line = line
        self._printer = printer

    def __call__(self, event: dict[str, Any]) -> None:
        """Show an event that says something to somebody who waits."""
        if self._printer is not None:
            self._printer.hear(event)
        text = describe_event(event)
        if text:
            self._line(text)

    def paused(self, converse: Converse) -> Converse:
        """Wrap the answers: the line makes way for them, for good once looks are asked for."""

        def answer(ask: Ask) -> str | FrameLook | None:
            self._line.hide()
            if ask.kind == "look" and self._printer is not None:
                self._printer.end()
            answered = converse(ask)
            if ask.kind != "look":
                self._line.show()
            return answered

        return answer


@contextlib.contextmanager
def listening(console: Console, printer: OutputPrinter | None = None) -> Iterator[EventLine]:
    """Show the events of a run as they come in, on a line of a terminal.

    What the script prints is printed above it, and into a pipe too, where there is a `printer`.
    """
    if printer is not None:
        printer.begin()
    try:
        with consoles.progress(console, _("Starting Python and its libraries …")) as line:
            yield EventLine(line, printer)
    finally:
        if printer is not None:
            printer.end()


def attend(
    copy: Copy,
    context: RunContext,
    console: Console,
    converse: Converse | None = None,
    *,
    is_quiet: bool = False,
) -> Practice:
    """Run a working copy with a live line, and say where something did not go as it was to.

    `converse` answers what it asks for on the way: `input()`, and the debugger. What it prints is
    printed, unless that `is_quiet`.
    """
    with listening(console, None if is_quiet else OutputPrinter(console)) as listen:
        answered = listen.paused(converse) if converse is not None else None
        done = practice.run(copy, context, listen, converse=answered)
    if done.note:
        consoles.note(done.note)
    return done


def describe_event(event: dict[str, Any]) -> str:
    """Describe an event for a user who waits; return an empty text where it means nothing."""
    if event["event"] == "line":
        return at_line(f"`{event['text']}`", event["line"])
    if event["event"] == "step":
        sentence = _("Training: step {step} of {of}, epoch {epoch}")
        epoch = numbers.decimal(event["epoch"], 1)
        return sentence.format(step=event["step"], of=event["of"], epoch=epoch)
    if event["event"] == "progress":
        return str(event["text"]).replace("`", "")
    if event["event"] == "trained":
        return _("Checking the results of the training …")
    if event["event"] in ("exception", "stopped"):
        return _("Inspecting the stopped script …")
    if event["event"] == "again":
        return _("Starting Python and its libraries …")
    if event["event"] == "interrupted":
        return _("Waiting for the script to end. To stop it at once, press Ctrl-C again …")
    return ""
