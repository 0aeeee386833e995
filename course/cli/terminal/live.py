"""A live line that tells how far a run is, and the run of a working copy with one."""

import contextlib
from collections.abc import Iterator
from typing import Any

from rich.console import Console

from course.cli.terminal import consoles
from course.cli.terminal.consoles import ProgressLine
from course.exercise import practice
from course.exercise.practice import Practice
from course.exercise.working_copy import Copy
from course.i18n import _, numbers
from course.run.conversation import Ask, Converse, FrameLook
from course.run.run_context import RunContext


class EventLine:
    """A listener that shows the events of a run in a live line."""

    def __init__(self, line: ProgressLine) -> None:
        self._line = line

    def __call__(self, event: dict[str, Any]) -> None:
        """Show an event that says something to somebody who waits."""
        text = describe_event(event)
        if text:
            self._line(text)

    def paused(self, converse: Converse) -> Converse:
        """The same answers, for which the line makes way; once looks are asked for, for good."""

        def answer(ask: Ask) -> str | FrameLook | None:
            self._line.hide()
            answered = converse(ask)
            if ask.kind != "look":
                self._line.show()
            return answered

        return answer


@contextlib.contextmanager
def listening(console: Console) -> Iterator[EventLine]:
    """Show the events of a run as they come in; nothing where there is no terminal."""
    with consoles.progress(console, _("Starting Python and its libraries …")) as line:
        yield EventLine(line)


def attend(
    copy: Copy, context: RunContext, console: Console, converse: Converse | None = None
) -> Practice:
    """Run a working copy with a live line, and say where something did not go as it was to.

    `converse` answers what it asks for on the way: `input()`, and the debugger.
    """
    with listening(console) as listen:
        answered = listen.paused(converse) if converse is not None else None
        done = practice.run(copy, context, listen, converse=answered)
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
    if event["event"] in ("exception", "trained", "stopped"):
        return _("Looking into the stopped script …")
    if event["event"] == "again":
        return _("Starting Python and its libraries …")
    return ""
