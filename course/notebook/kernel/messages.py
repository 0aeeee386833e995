"""What is said in a notebook: the message for a fault, a healthy run, a hint, a fix."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from course.base.i18n import _
from course.exercise import guess
from course.exercise.guess import Choice
from course.exercise.hint import Hint
from course.judge import messages
from course.judge.attempt import Attempt
from course.lesson import aside
from course.lesson.catalogue import Match
from course.lesson.lesson import Look, Part
from course.render import lesson_blocks, run_blocks, text
from course.render import note as in_html
from course.render.blocks import Details, Paragraph, StoryBlock
from course.runs.record import Raised
from course_probe.events import LookOutput


@dataclass
class Message:
    """Blocks in their order; `good` is a message that has nothing to complain of."""

    blocks: list[StoryBlock] = field(default_factory=list)
    good: bool = False

    def add(self, *blocks: StoryBlock) -> None:
        """Put blocks at the end."""
        self.blocks.extend(blocks)

    @property
    def html(self) -> str:
        """As HTML that needs nothing else: no script, no style sheet, colours of the page."""
        return str(in_html.draw(self.blocks, good=self.good))

    @property
    def plain(self) -> str:
        """As text, for frontends that show nothing else."""
        return text.draw(self.blocks)

    @property
    def bundle(self) -> dict[str, str]:
        """The message in the forms that a frontend chooses from."""
        return {"text/html": self.html, "text/plain": self.plain}


def fault(
    match: Match,
    raised: Raised | None,
    values: Mapping[str, float] | None = None,
    evidence: str = "",
) -> Message:
    """Make a message of a fault: its stage and name, its meaning, and where to look."""
    return Message([*run_blocks.diagnosis(match, raised, values or {}, evidence=evidence)])


def attempt(found: Attempt, losses: Sequence[tuple[int, float]], part: Part) -> Message:
    """Make a message of an attempt's result: in the walk's order where a fault is to be named."""
    verdict = found.verdict
    if verdict.match is None:
        message = Message(
            [*_places(found), *run_blocks.problem(verdict, found.outcome)], found.healthy
        )
        if found.healthy:
            message.add(Paragraph(_("The script trains, and the model has learned."), "good"))
            if {"accuracy", "baseline"} <= verdict.metrics.keys():
                message.add(Paragraph(messages.learned(verdict.metrics)))
        if verdict.raised is None:
            loss(message, found, losses)
        if found.healthy:
            message.add(*_beside(part, verdict.step))
        return message
    message = Message([lesson_blocks.happened(verdict.raised)])
    if verdict.raised is None:
        loss(message, found, losses)
    step = next((s for s in part.steps if s.id == verdict.step), None)
    asked = lesson_blocks.question(step, raises=verdict.raised is not None)
    message.add(Paragraph(asked, "heading"))
    _suggest(message, part.looks_at(verdict.step))
    choice = guess.choice(verdict.match.fault)
    if choice is not None:
        message.add(*_choices(choice))
    answer = (*_diagnosis(found, verdict.match), *_beside(part, verdict.step))
    title = _("Which fault it is, and the way out")
    if verdict.raised is not None:
        title = _("Which fault is behind {error}, and the way out")
        title = title.format(error=verdict.raised.name)
    message.add(Details(title, answer))
    return message


def _choices(choice: Choice) -> Iterator[StoryBlock]:
    """Offer the fault and its neighbours, to be guessed among."""
    how = _("Which fault is it? Guess first: `%course guess 1` takes the first of these.")
    yield Paragraph(how, "heading")
    yield from lesson_blocks.choices(choice.offered)


def guessed(choice: Choice, number: int) -> Message:
    """Answer a guess by what tells it from the fault; of a right one, say so."""
    offered = choice.offered[number - 1]
    answer = lesson_blocks.guessed(offered, choice.apart(offered))
    return Message([*answer], good=offered is choice.fault)


def _suggest(message: Message, looks: tuple[Look, ...]) -> None:
    """Offer the lesson's looks, if it has any for this."""
    if looks:
        how = _(
            "`%course look` takes the first of these looks, then the next each time; `%course look "
            "2` takes the second. Look for yourself, too, in a cell of your own."
        )
        message.add(*lesson_blocks.suggestions(looks), Paragraph(how, "quiet"))


def _diagnosis(found: Attempt, match: Match) -> Iterator[StoryBlock]:
    """Which fault it is, and what to do next."""
    verdict = found.verdict
    yield from run_blocks.diagnosis(match, verdict.raised, verdict.metrics)
    yield from _places(found)
    yield from run_blocks.problem(verdict, found.outcome)
    yield from run_blocks.earlier(verdict)
    if found.mended is not None:
        # What the other cells have made of the old one is still there until they are run again.
        again = _(
            "The cells that were run have the change that mends this in the lesson. Run the cells "
            "after it again; if the fault stays, something else brings it about."
        )
        yield Paragraph(again)
    elif found.new:
        yield Paragraph(_("This is none of the exercise's own bugs."))
    advice = _(
        "Edit the cell that is to blame, then run it and the cells after it again. `%course "
        "hint` helps, `%course fix` shows how."
    )
    yield Paragraph(advice, "quiet")


def _places(found: Attempt) -> Iterator[StoryBlock]:
    """At how many of its places a bug is mended, where that is at some of them."""
    if found.bug is not None and found.right:
        yield Paragraph(messages.mended_in_part(found.right, len(found.bug.edits)))


def _beside(part: Part, step: str) -> Iterator[StoryBlock]:
    """Yield the asides of a step, and how they are opened here."""
    if any(s.id == step for s in part.steps):
        yield from lesson_blocks.asides(aside.of_step(part, step), "%course more")


def loss(message: Message, found: Attempt | None, losses: Sequence[tuple[int, float]]) -> None:
    """Add the picture of a training's loss, where there is one."""
    if len(losses) > 1:
        message.add(run_blocks.curve(tuple(losses), found.outcome if found is not None else None))


def look(taken: Look, result: LookOutput | None, *, is_last: bool) -> Message:
    """Make a message of a look's caption and output; of one not taken, of the reason."""
    message = Message(good=True)
    if result is None:
        sentence = _(
            "This look changes the model or is slow, so it is in a new cell: run it if you like."
        )
        message.add(*lesson_blocks.look(taken), Paragraph(sentence, "quiet"))
    else:
        message.add(*lesson_blocks.look(taken, result["output"], result["error"]))
    if is_last:
        over = _("That was the last of these looks.")
        message.add(Paragraph(over, "quiet"))
    return message


def hint(shown: Hint, of: int) -> Message:
    """One level of the hints."""
    heading = _("Hint {n} of {of}: {heading}")
    title = heading.format(n=shown.level, of=of, heading=shown.heading)
    message = Message([Paragraph(title, "title"), *map(Paragraph, shown.texts)])
    if shown.level < of:
        message.add(Paragraph(_("`%course hint` once more tells more."), "quiet"))
    return message


def note(sentence: str, *, good: bool = True) -> Message:
    """Make a message of one sentence."""
    return Message([Paragraph(sentence)], good)
