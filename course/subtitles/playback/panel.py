"""The lesson's side of the playback page: the steps in their order, and what to read about each."""

from collections.abc import Iterator
from dataclasses import dataclass

from course.base.i18n import _, titled
from course.base.texts import translated
from course.lesson import aside, lesson
from course.lesson.bug import diff
from course.lesson.catalogue import catalogue
from course.lesson.lesson import Part, Step
from course.lesson.signature import Signature, SilentSignature
from course.render import lesson_blocks
from course.render.blocks import Block, Code, Details, Diff, Items, Paragraph, Stages, prose
from course.render.blocks import text as text_blocks
from course.subtitles.alignment.alignment import INTRO, OUTRO, Alignment
from course.subtitles.titles import OURS


@dataclass(frozen=True)
class Panel:
    """A step on the page; `start` is its time in the video in ms, None where it has none.

    In a list it is `listed`, by itself it has the same `title` without a number.
    """

    name: str
    title: str
    listed: str
    start: int | None
    place: str
    blocks: tuple[Block, ...]


def panels(alignment: Alignment, part: Part) -> Iterator[Panel]:
    """All steps in order; intro and outro where the video has them."""
    starts = {segment.step: segment.start_ms for segment in alignment.segments}
    around = {INTRO: lesson.load(part.lesson).summary, OUTRO: part.outro}
    steps = {step.id: step for step in part.steps}
    for name in (INTRO, *steps, OUTRO):
        if name in steps:
            place, blocks = _place(steps[name], part), _step(steps[name], part)
        elif name in starts:
            place, blocks = _("The lesson"), iter(prose(around[name]))
        else:
            continue
        start = starts.get(name)
        yield Panel(name, _title(name, part), listed(name, part), start, place, tuple(blocks))


def listed(name: str, part: Part) -> str:
    """Return a step's number and its run's end: its fault is named only after the looks."""
    known = [step.id for step in part.steps]
    called = _title(name, part)
    return f"{known.index(name) + 1}. {called}" if name in known else called


def _title(name: str, part: Part) -> str:
    """Return the heading of a step: how its run ends."""
    step = next((s for s in part.steps if s.id == name), None)
    if step is None or step.fault is None:
        return _(OURS[name])
    shown = _shown(step.fault)
    if not isinstance(shown, Signature):
        return _("The run ends without an error")
    return lesson_blocks.stops_with(shown.exception.rpartition(".")[2])


def _shown(fault: str) -> Signature | SilentSignature:
    """How a fault shows in the video: in the course's words where it quotes them."""
    found = catalogue()[fault]
    return found.quoted or found.signatures[0]


def _place(step: Step, part: Part) -> str:
    """Which of the steps it is, and where it can be seen."""
    sentence = _("Step {n} of {all}")
    if step.device:
        sentence = _("Step {n} of {all}, on the device {device}")
    n = part.steps.index(step) + 1
    return sentence.format(n=n, all=len(part.steps), device=f"`{step.device}`")


def _step(step: Step, part: Part) -> Iterator[Block]:
    """All that there is to read about one step, below its title: in the order of the walk."""
    yield from prose(step.intro)
    fault = catalogue()[step.fault] if step.fault else None
    shown = _shown(step.fault) if step.fault else None
    raises = isinstance(shown, Signature)
    if shown is not None:
        yield Paragraph(_("How it shows"), "heading")
        if not raises:
            yield lesson_blocks.happened(None)
        yield Code(shown.words, "bad")
    looks = part.looks_at(step.id)
    yield Paragraph(_("Where to look"), "heading")
    yield Paragraph(lesson_blocks.question(step, raises=raises))
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
        if fault is not None and step.bug.fault == step.fault:
            yield from prose(fault.fix)
        yield from prose(step.bug.reason)
        yield Diff(diff(script, after, part.path.name))
    yield Details(_("The script at this step"), (Code(script),))
    more = aside.of_step(part, step.id)
    for each in more.asides:
        yield Details(_(each.title), tuple(text_blocks(each.text)))
    if more.links:
        yield Paragraph(_("On the web"), "heading")
        yield from map(lesson_blocks.reference, more.links)
