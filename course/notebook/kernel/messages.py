"""What is said in a notebook: the message for a fault, a healthy run, a hint, a fix."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from course.base.i18n import _
from course.exercise import guess
from course.exercise.guess import Choice
from course.exercise.hint import Hint
from course.judge.attempt import Attempt
from course.lesson.lesson import Look, Part
from course.render import lesson_blocks, story, text
from course.render import note as in_html
from course.render.blocks import Paragraph, StoryBlock
from course.render.story import NotebookWays
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


def attempt(found: Attempt, losses: Sequence[tuple[int, float]], part: Part) -> Message:
    """Make a message of an attempt's result: in the walk's order where a fault is to be named."""
    match = found.verdict.match
    choice = guess.choice(match.fault) if match is not None else None
    offered = choice.offered if choice is not None else ()
    ways = NotebookWays(
        look=_(
            "Each call of `%course look` shows the next item of this list; `%course look 2` shows "
            "the second one. You can also inspect the variables with your own code in a new cell."
        ),
        guess=_("Which fault is it? Guess first: `%course guess 1` chooses the first of these."),
        more="%course more",
        advice=_(
            "Edit the cell with the fault, then run it and the cells after it again. `%course "
            "hint` gives a hint, `%course fix` shows the fix."
        ),
    )
    return Message([*story.of_cells(found, losses, part, offered, ways)], found.healthy)


def guessed(choice: Choice, number: int) -> Message:
    """Answer a guess by what tells it from the fault; of a right one, say so."""
    offered = choice.offered[number - 1]
    answer = lesson_blocks.guessed(offered, choice.apart(offered))
    return Message([*answer], good=offered is choice.fault)


def look(taken: Look, result: LookOutput | None, *, is_last: bool) -> Message:
    """Make a message of a look's caption and output; of one not taken, of the reason."""
    message = Message(good=True)
    if result is None:
        sentence = _(
            "The code of this inspection changes the model or is slow. So it is in a new cell "
            "and was not run. Run it if you like."
        )
        message.add(*lesson_blocks.look(taken), Paragraph(sentence, "quiet"))
    else:
        message.add(*lesson_blocks.look(taken, result["output"], result["error"]))
    if is_last:
        over = _("This was the last inspection here.")
        message.add(Paragraph(over, "quiet"))
    return message


def hint(shown: Hint, of: int) -> Message:
    """One level of the hints."""
    heading = _("Hint {n} of {of}: {heading}")
    title = heading.format(n=shown.level, of=of, heading=shown.heading)
    message = Message([Paragraph(title, "title"), *map(Paragraph, shown.texts)])
    if shown.level < of:
        more = _("{hint} gives a hint. Each call gives one more hint.")
        message.add(Paragraph(more.format(hint="`%course hint`"), "quiet"))
    return message


def note(sentence: str, *, good: bool = True) -> Message:
    """Make a message of one sentence."""
    return Message([Paragraph(sentence)], good)
