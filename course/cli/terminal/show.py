"""A step that was taken, as a learner reads it: the error, the fault, the looks, the fix."""

from collections.abc import Iterator

from rich.console import Console

from course.exercise.walk import Taken
from course.i18n import _, numbers
from course.render import story, terminal
from course.render.blocks import Gap, Paragraph, StoryBlock, prose
from course.run.run_context import RunContext


def evidence(console: Console, taken: Taken, place: RunContext) -> None:
    """Say where what follows comes from: this run, a recording, or a quotation."""
    device = taken.step.device or place.device
    source = story.evidence(taken.verdict, taken.record, device, place.hub.name)
    terminal.draw(console, [Gap(), source])


def observed(console: Console, taken: Taken) -> None:
    """The error and the fault that it is, or how well the model does."""
    terminal.draw(console, _observed(taken))


def _observed(taken: Taken) -> Iterator[StoryBlock]:
    verdict = taken.verdict
    yield from story.error(verdict)
    yield from story.stopped(taken.record)
    if verdict.raised is None:
        yield from story.loss(taken.record.losses, taken.outcome)
    if verdict.match is not None:
        yield Gap()
        yield from story.name(verdict.match)
        yield from prose(verdict.match.fault.means)
        yield from story.quoted(verdict.match)
        yield Paragraph(_(verdict.match.fault.where))
    yield from story.problem(verdict, taken.outcome)
    if verdict.problem is not None and verdict.raised is None:
        yield from story.printed(taken.output)
    if taken.step.fault is None and verdict.metrics:
        yield from story.figures(verdict.metrics, taken.part)


def looks(console: Console, taken: Taken) -> None:
    """The section's inspections, with what they really gave."""
    if taken.looks:
        terminal.draw(console, _looks(taken))


def _looks(taken: Taken) -> Iterator[StoryBlock]:
    yield Gap()
    yield story.looking(taken.record)
    for look, result in taken.looks:
        yield Gap()
        yield from story.look(look, result.output, result.error)
        if result.seconds >= 0.1:
            seconds = numbers.decimal(result.seconds, 1)
            yield Paragraph(_("({seconds} s)").format(seconds=seconds), "quiet", indent=4)


def fix(console: Console, taken: Taken) -> None:
    """The bug taken out, as a diff, with the reason."""
    if taken.fix and taken.step.bug is not None:
        match, bug = taken.verdict.match, taken.step.bug
        # What is said of a fault fits only where it is the step's.
        known = match if match is not None and match.fault.id == taken.step.fault else None
        heading = Paragraph(_("The fix"), "heading")
        reasons = story.reasons(known.fault if known else None, bug)
        terminal.draw(console, [Gap(), heading, *reasons, *story.patch(taken.fix)])
