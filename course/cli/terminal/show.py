"""A step that was taken, as a learner reads it: the error, a question, the looks, fault and fix."""

from collections.abc import Iterator

from rich.console import Console

from course.base.i18n import _, numbers
from course.exercise.walk import Taken
from course.lesson import aside
from course.lesson.aside import Asides
from course.lesson.lesson import Look, framework_option
from course.render import lesson_blocks, run_blocks, terminal
from course.render.blocks import Gap, Paragraph, StoryBlock
from course.runs.record import LookResult
from course.runs.run_context import RunContext


def evidence(console: Console, taken: Taken, place: RunContext) -> None:
    """Say where what follows comes from: this run, a recording, or a quotation."""
    device = taken.step.device or place.device
    source = run_blocks.evidence(taken.verdict, taken.record, device, place.hub.name)
    terminal.draw(console, [Gap(), source])


def error(console: Console, taken: Taken) -> None:
    """Print the result of the run by itself: the error or its absence, or how well it went."""
    terminal.draw(console, _error(taken))


def _error(taken: Taken) -> Iterator[StoryBlock]:
    verdict = taken.verdict
    if verdict.raised is not None:
        yield Gap()
        yield from run_blocks.raised(verdict.raised)
    elif verdict.match is not None:
        yield Gap()
        yield lesson_blocks.happened(None)
    if verdict.match is None:
        yield from run_blocks.stopped(taken.record)
    if verdict.raised is None:
        yield from run_blocks.loss(taken.record, taken.outcome)
    yield from run_blocks.problem(verdict, taken.outcome)
    if verdict.problem is not None and verdict.raised is None:
        yield from run_blocks.printed(taken.output, taken.record)
    if taken.step.fault is None and verdict.metrics:
        yield from run_blocks.figures(verdict.metrics, taken.part)


def question(console: Console, taken: Taken) -> None:
    """Print the question that comes before the looks."""
    terminal.draw(console, [Gap(), Paragraph(question_of(taken), "heading")])


def question_of(taken: Taken) -> str:
    """Return the question of a step, in the user's language."""
    return lesson_blocks.question(taken.step, raises=taken.verdict.raised is not None)


def looks(console: Console, taken: Taken) -> None:
    """Print the section's inspections, with their real results."""
    if taken.looks:
        looks_heading(console, taken)
    for look, result in taken.looks:
        one_look(console, look, result)


def looks_heading(console: Console, taken: Taken) -> None:
    """Print the heading above the looks."""
    terminal.draw(console, [Gap(), run_blocks.looking(taken.record)])


def one_look(console: Console, look: Look, result: LookResult) -> None:
    """One inspection, with what it really gave."""
    terminal.draw(console, _look(look, result))


def _look(look: Look, result: LookResult) -> Iterator[StoryBlock]:
    yield Gap()
    yield from lesson_blocks.look(look, result.output, result.error)
    if result.seconds >= 0.1:
        seconds = numbers.decimal(result.seconds, 1)
        yield Paragraph(_("({seconds} s)").format(seconds=seconds), "quiet", indent=4)


def own_look(console: Console, code: str, result: LookResult) -> None:
    """Print the result of an expression of the learner's own."""
    terminal.draw(console, lesson_blocks.seen(code, result.output, result.error))


def fault(console: Console, taken: Taken) -> None:
    """Which fault it is and why; of a silent one, the figures that give it away."""
    terminal.draw(console, _fault(taken))


def _fault(taken: Taken) -> Iterator[StoryBlock]:
    verdict = taken.verdict
    if verdict.match is None:
        return
    yield Gap()
    yield from run_blocks.diagnosis(verdict.match, verdict.raised, verdict.metrics, taken.record)


def more(console: Console, taken: Taken, word: str = "") -> None:
    """Print the reading beside the step and how it is opened: by a command, or a `word`."""
    option = framework_option(taken.part)
    command = word or f"course more {taken.part.lesson} {taken.step.id}{option}"
    terminal.draw(console, lesson_blocks.asides(_asides(taken), command, folded=bool(word)))


def opened(console: Console, taken: Taken) -> None:
    """Print the reading beside the step, whole."""
    terminal.draw(console, lesson_blocks.opened(_asides(taken)))


def _asides(taken: Taken) -> Asides:
    return aside.of_step(taken.part, taken.step.id)


def fix(console: Console, taken: Taken) -> None:
    """Print the removal of the bug as a diff, with the reason."""
    if taken.fix and taken.step.bug is not None:
        match, bug = taken.verdict.match, taken.step.bug
        # What is said of a fault fits only where it is the step's.
        known = match if match is not None and match.fault.id == taken.step.fault else None
        heading = Paragraph(_("The fix"), "heading")
        reasons = lesson_blocks.reasons(known.fault if known else None, bug)
        terminal.draw(console, [Gap(), heading, *reasons, *lesson_blocks.patch(taken.fix)])
