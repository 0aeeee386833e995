"""The lesson's side of the playback page: the steps in their order, and what to read about each."""

from collections.abc import Iterator
from typing import Any

from course.base.i18n import _, enumerate_words
from course.lesson import lesson
from course.lesson.catalogue import catalogue
from course.lesson.lesson import Part, Step
from course.lesson.signature import Signature
from course.render import lesson_blocks
from course.render.blocks import prose
from course.subtitles.alignment.alignment import INTRO, OUTRO, Alignment
from course.subtitles.titles import OURS


def panels(alignment: Alignment, part: Part) -> Iterator[dict[str, Any]]:
    """Yield the steps in order, as the page shows them; intro and outro where the video has them.

    `start` is a step's time in the video in ms, None where it has none. In a list a step is
    `listed`, by itself it has the same `title` without a number.
    """
    starts = {segment.step: segment.start_ms for segment in alignment.segments}
    around = {INTRO: lesson.load(part.lesson).summary, OUTRO: part.outro}
    steps = {step.id: step for step in part.steps}
    for name in (INTRO, *steps, OUTRO):
        if name in steps:
            place, blocks = _place(steps[name], part), lesson_blocks.page(steps[name], part)
        elif name in starts:
            place, blocks = _("The lesson"), iter(prose(around[name]))
        else:
            continue
        yield {
            "name": name,
            "title": _title(name, part),
            "listed": listed(name, part),
            "start": starts.get(name),
            "place": place,
            "blocks": list(blocks),
        }


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
    shown = catalogue()[step.fault].in_course
    if not isinstance(shown, Signature):
        return _("No error was raised.")
    return lesson_blocks.stops_with(shown.exception.rpartition(".")[2])


def _place(step: Step, part: Part) -> str:
    """Which of the steps it is, and where it can be seen."""
    n = part.steps.index(step) + 1
    place = _("Step {n} of {all}").format(n=n, all=len(part.steps))
    return enumerate_words((place, f"`{step.device}`")) if step.device else place
