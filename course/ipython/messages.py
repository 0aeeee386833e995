"""What is said in a notebook: the message for a fault, a healthy run, a hint, a fix."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from course.check import messages
from course.check.attempt import Attempt
from course.exercise.hint import Hint
from course.i18n import _
from course.lesson.catalogue import Match
from course.lesson.lesson import Look
from course.render import note as in_html
from course.render import story, text
from course.render.blocks import Paragraph, StoryBlock, prose
from course.run.record import Raised
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
    match: Match, raised: Raised | None, values: Mapping[str, float] | None = None
) -> Message:
    """A fault by its stage and name, what it means, and where to look."""
    message = Message([*story.name(match)])
    if raised is None:
        message.add(*story.silent(match, values or {}))
    message.add(*story.detail(match, raised))
    message.add(*prose(match.fault.means), Paragraph(_(match.fault.where)), *story.quoted(match))
    return message


def attempt(found: Attempt, losses: Sequence[tuple[int, float]]) -> Message:
    """What a run of the exercise showed."""
    verdict = found.verdict
    if verdict.match is not None:
        message = fault(verdict.match, verdict.raised, verdict.metrics)
    else:
        message = Message(good=found.healthy)
    if found.bug is not None and found.right:
        places = messages.mended_in_part(found.right, len(found.bug.edits))
        message.add(Paragraph(places))
    message.add(*story.problem(verdict, found.outcome), *story.earlier(verdict))
    if found.healthy:
        message.add(Paragraph(_("The script trains, and the model has learned."), "good"))
        if {"accuracy", "baseline"} <= verdict.metrics.keys():
            message.add(Paragraph(messages.learned(verdict.metrics)))
    if verdict.raised is None:
        loss(message, found, losses)
    if found.mended is not None:
        # What the other cells have made of the old one is still there until they are run again.
        again = _(
            "The cells that were run have the change that mends this in the lesson. Run the cells "
            "after it again; if the fault stays, something else brings it about."
        )
        message.add(Paragraph(again))
    elif found.new and verdict.match is not None:
        message.add(Paragraph(_("This is none of the exercise's own bugs.")))
    return message


def loss(message: Message, found: Attempt | None, losses: Sequence[tuple[int, float]]) -> None:
    """Add the picture of a training's loss, where there is one."""
    if len(losses) > 1:
        message.add(story.curve(tuple(losses), found.outcome if found is not None else None))


def looks(message: Message, taken: Iterable[tuple[Look, LookOutput | None]]) -> None:
    """Add looks with what they gave; those that were not taken are for the learner to run."""
    kept: list[Look] = []
    for number, (look, result) in enumerate(taken):
        if number == 0:
            message.add(Paragraph(_("A look into the notebook"), "heading"))
        if result is None:
            kept.append(look)
        else:
            message.add(*story.look(look, result["output"], result["error"]))
    if kept:
        sentence = _(
            "These change the model or take their time, so run them in a cell if you like:"
        )
        message.add(Paragraph(sentence, "heading"))
    for look in kept:
        message.add(*story.look(look))


def advice(message: Message) -> None:
    """What to do next."""
    sentence = _(
        "Edit the cell that is to blame, then run it and the cells after it again. `%course "
        "hint` helps, `%course fix` shows how."
    )
    message.add(Paragraph(sentence, "quiet"))


def hint(shown: Hint, of: int) -> Message:
    """One level of the hints."""
    heading = _("Hint {n} of {of}: {heading}")
    title = heading.format(n=shown.level, of=of, heading=shown.heading)
    message = Message([Paragraph(title, "title"), *map(Paragraph, shown.texts)])
    if shown.level < of:
        message.add(Paragraph(_("`%course hint` once more tells more."), "quiet"))
    return message


def note(sentence: str, *, good: bool = True) -> Message:
    """A message of one sentence."""
    return Message([Paragraph(sentence)], good)
