"""A live line that tells how far a run is, and the run of a working copy with one."""

import contextlib
from collections.abc import Iterator
from typing import Any

from rich.console import Console

from course.cli.terminal import consoles
from course.exercise import practice
from course.exercise.practice import Practice
from course.exercise.working_copy import Copy
from course.i18n import _, numbers
from course.run.process import Listener
from course.run.run_context import RunContext


@contextlib.contextmanager
def listening(console: Console) -> Iterator[Listener]:
    """Show the events of a run as they come in; nothing where there is no terminal."""
    with consoles.progress(console, _("Starting Python and its libraries …")) as update:

        def listen(event: dict[str, Any]) -> None:
            text = describe_event(event)
            if text:
                update(text)

        yield listen


def attend(copy: Copy, context: RunContext, console: Console) -> Practice:
    """Run a working copy with a live line, and say where something did not go as it was to."""
    with listening(console) as listen:

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
    if event["event"] == "trained":
        return _("Looking at what the training has left …")
    if event["event"] in ("exception", "stopped"):
        return _("Looking into the stopped script …")
    if event["event"] == "again":
        return _("Starting Python and its libraries …")
    return ""
