"""What a lesson says of its steps, as blocks: the question, the looks, the fix, what to read."""

import ast
from collections.abc import Iterable, Iterator

from course.base.i18n import N_, _, about, enumerate_words, numbers, titled
from course.base.texts import is_name, translated
from course.lesson import aside
from course.lesson.aside import Asides, WebLink
from course.lesson.bug import Bug, diff
from course.lesson.catalogue import Fault, catalogue
from course.lesson.lesson import Look, Part, Step
from course.lesson.signature import Signature
from course.render.blocks import (
    Block,
    Code,
    Details,
    Diff,
    Gap,
    Items,
    Output,
    Paragraph,
    Reference,
    Stages,
    StoryBlock,
    prose,
    text,
)
from course.runs.record import Raised

RAISED = N_("What would you look at first?")
SILENT = N_("What do you expect here, and how can you check it?")
AT_END = N_("What would convince you that the model has learned?")
"""Questions for the steps that have none of their own."""
SLOW = 0.1
"""Seconds from which on it is told how long a look took."""
RIGHT = N_("Yes, this is what the run shows.")


def page(step: Step, part: Part) -> Iterator[Block]:
    """Yield all that there is to read about a step without a run of it, in the order of a walk."""
    yield from prose(step.intro)
    fault = catalogue()[step.fault] if step.fault else None
    shown = fault.in_course if fault is not None else None
    raises = isinstance(shown, Signature)
    if shown is not None:
        yield Paragraph(_("How to recognize it"), "heading")
        if not raises:
            yield happened(None)
        yield Code(shown.words, "bad")
    looks = part.looks_at(step.id)
    yield Paragraph(_("Where to look"), "heading")
    yield Paragraph(question(step, raises=raises))
    if looks:
        yield Items(tuple((Paragraph(_(look.caption)), Code(look.code)) for look in looks))
    if fault is not None:
        yield Stages(fault.stage)
        yield Paragraph(titled(fault.title, fault.id), "heading")
        yield from prose(fault.means)
        yield from prose(fault.where)
    script = translated(part.text(step.bugs), _)
    if step.bug is not None:
        after = translated(part.text(tuple(b for b in step.bugs if b is not step.bug)), _)
        yield Paragraph(_("The fix"), "heading")
        yield from reasons(fault if step.bug.fault == step.fault else None, step.bug)
        yield Diff(diff(script, after, part.path.name))
    yield Details(_("The script at this step"), (Code(script),))
    more = aside.of_step(part, step.id)
    for each in more.asides:
        yield Details(_(each.title), tuple(text(each.text)))
    if more.links:
        yield Paragraph(_("On the web"), "heading")
        yield from map(reference, more.links)


def happened(error: Raised | None) -> Paragraph:
    """Say in a line what a run came to, and nothing of the fault behind it."""
    if error is None:
        return Paragraph(_("No error was raised."), "bad")
    text = error.own.text.strip() if error.own is not None else ""
    if not text or "`" in text:
        return Paragraph(stops_with(error.name), "bad")
    return Paragraph(about(f"`{text}`", stops_with(error.name)), "bad")


def stops_with(exception: str) -> str:
    """Head a run that an exception of this class ends, wherever that is."""
    return _("The run stops with {error}").format(error=f"`{exception}`")


def question(step: Step | None, *, raises: bool) -> str:
    """Return the question before anything is explained: the step's own, or a usual one.

    None is for a fault that is no step of the lesson.
    """
    if step is not None and step.question:
        return _(step.question)
    at_end = step is not None and step.fault is None
    return _(AT_END if at_end else RAISED if raises else SILENT)


def choices(offered: Iterable[Fault]) -> Iterator[StoryBlock]:
    """Yield the faults to choose from, by the numbers that are typed."""
    for number, fault in enumerate(offered, start=1):
        yield Paragraph(f"`{number}` {_(fault.title)}", indent=2)


def guessed(fault: Fault, apart: str) -> Iterator[StoryBlock]:
    """Yield the answer to a guess: how it differs from the right one, nothing of the right one."""
    yield Paragraph(titled(fault.title, fault.id), "title")
    yield Paragraph(apart) if apart else Paragraph(_(RIGHT), "good")


def suggestions(looks: Iterable[Look]) -> Iterator[StoryBlock]:
    """Yield looks that a learner may take, by their numbers."""
    for number, each in enumerate(looks, start=1):
        yield Paragraph(f"{number}. {_(each.caption)}", indent=2)
        yield Code(each.code, indent=4, prompt=True)


def look(
    taken: Look, output: str = "", error: str | None = None, seconds: float = 0.0
) -> Iterator[StoryBlock]:
    """Yield an inspection, with its real output where it was taken, and what follows from it."""
    yield Paragraph(_(taken.caption), indent=2)
    yield from seen(taken.code, output, error, plot=taken.plot)
    if taken.shows and (output or error):
        yield Paragraph(_(taken.shows), indent=2)
    if seconds >= SLOW:
        took = numbers.amount(seconds, "duration-second", 1)
        yield Paragraph(took, "quiet", indent=4)


def seen(code: str, output: str, error: str | None, *, plot: bool = False) -> Iterator[StoryBlock]:
    """Yield code as typed in at a prompt, and what it gave."""
    yield Code(code, indent=4, prompt=True)
    if output.strip():
        yield Output(output, losses=_losses(output) if plot else ())
    if error:
        yield Output(error, "bad")


def _losses(output: str) -> tuple[tuple[int, float], ...]:
    """Read a list of losses, one a step; none where the output is no such list."""
    try:
        return tuple(enumerate((float(loss) for loss in ast.literal_eval(output)), start=1))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return ()


def reasons(fault: Fault | None, bug: Bug) -> Iterator[Paragraph]:
    """Yield why a fix is as it is: for the fault, where that is known, and for this bug."""
    yield from prose(fault.fix if fault is not None else "")
    yield from prose(bug.reason)


def beside(fault: Fault, bug: Bug, own: str, official: str) -> Iterator[StoryBlock]:
    """Yield a mended bug: the learner's change, the lesson's, and the reason for that one."""
    yield Gap()
    yield Paragraph(titled(fault.title, fault.id), "title")
    if own == official:
        yield Paragraph(_("You made the same change as the lesson."), "good")
    elif own:
        yield Paragraph(_("Your change"), "heading")
        yield Diff(own)
    else:
        yield Paragraph(_("Your script has no change there now."), "quiet")
    yield Paragraph(_("The fix"), "heading")
    yield Diff(official)
    yield from reasons(fault, bug)


def patch(diff: str) -> tuple[StoryBlock, ...]:
    """Return a diff, without the names of its files."""
    return Gap(), Diff(diff)


def asides(found: Asides, command: str, *, folded: bool = False) -> Iterator[StoryBlock]:
    """Yield the asides of a step: the titles, how they are opened, and the links.

    All of it takes one line where it is `folded`.
    """
    titles = [_(each.title) for each in found.asides]
    if folded:
        titles += [reference(link).title for link in found.links]
    if titles:
        yield Gap()
        sentence = _("More about this: {titles} ({command}).")
        names = enumerate_words(titles)
        yield Paragraph(sentence.format(titles=names, command=f"`{command}`"), "quiet")
    if not folded:
        yield from links(found)


def opened(found: Asides) -> Iterator[StoryBlock]:
    """Yield the asides of a step, each below its title, and the links."""
    for each in found.asides:
        yield Gap()
        yield Paragraph(_(each.title), "title")
        yield from text(each.text)
    yield from links(found)


def links(found: Asides) -> Iterator[StoryBlock]:
    """Yield the links of a step, with their heading; nothing where there is none."""
    if found.links:
        yield Gap()
        yield Paragraph(_("On the web"), "heading")
        yield from map(reference, found.links)


def reference(link: WebLink) -> Reference:
    """Return a link with its title in the language in force."""
    return Reference(link.title if is_name(link.title) else _(link.title), link.url)
