"""Reviewed boundaries between steps (pins), as times of a lesson's video."""

from collections.abc import Sequence
from dataclasses import dataclass

from course.base import paths, schema
from course.base.errors import ContentError
from course.lesson.lesson import Part
from course.subtitles.alignment.alignment import INTRO, OUTRO, Alignment, assemble
from course.subtitles.cue import Cue, Transcript

NEAR = 1500
"""Milliseconds: a transcript of the same video has a cue that begins this near to each pin."""


@dataclass(frozen=True)
class ReviewedBoundaries:
    """The id and the beginning (ms) of each step in the video, which ends at `end` (ms)."""

    video: str
    end: int
    starts: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class _Pin:
    step: str
    at_ms: int


@dataclass(frozen=True)
class _BoundariesTable:
    """The pins as they are written."""

    video: str
    end_ms: int
    pin: tuple[_Pin, ...]


def alignment(transcript: Transcript, part: Part) -> Alignment | None:
    """Align a transcript to the pins of a lesson's part; None where none ship, or none fit.

    Raises:
        ContentError: as `read`.

    """
    pins = read(part)
    if pins is None or not fit(pins, transcript):
        return None
    return apply(pins, transcript, [step.id for step in part.steps])


def read(part: Part) -> ReviewedBoundaries | None:
    """Read the pins of a lesson's part; None where none ship.

    Raises:
        ContentError: the file breaks its format, or names a step that the part has not.

    """
    source = paths.subtitles() / part.lesson / part.framework / "pins.toml"
    if not source.exists():
        return None
    table = schema.read(_BoundariesTable, source)
    starts = tuple((each.step, each.at_ms) for each in table.pin)
    pins = ReviewedBoundaries(table.video, table.end_ms, starts)
    known = [INTRO, *(step.id for step in part.steps), OUTRO]
    order = [known.index(step) if step in known else -1 for step, _at in starts]
    times = [at for _step, at in starts]
    if -1 in order or order != sorted(set(order)) or times != sorted(set(times)):
        raise ContentError(f"{source}: pins must be steps of the part in their order")
    if pins.video != part.video:
        raise ContentError(f"{source}: pins of {pins.video!r}, the part's video is {part.video!r}")
    return pins


def fit(pins: ReviewedBoundaries, cues: Sequence[Cue]) -> bool:
    """Whether these are cues of the pins' video: one begins near each pin, and both end alike."""
    if not cues:
        return False
    starts = sorted(cue.start.ordinal for cue in cues)
    if abs(max(cue.end.ordinal for cue in cues) - pins.end) > 10 * NEAR:
        return False
    return all(min(abs(at - start) for start in starts) <= NEAR for _step, at in pins.starts)


def apply(pins: ReviewedBoundaries, cues: Sequence[Cue], known: Sequence[str]) -> Alignment:
    """Align cues to the pins: a cue is in the step that has begun when it is half over."""
    order = [INTRO, *known, OUTRO]
    steps = [INTRO]
    for cue in cues:
        middle = (cue.start.ordinal + cue.end.ordinal) / 2
        begun = [step for step, at in pins.starts if at <= middle]
        # Times that run backwards are a diagnostic of the transcript; steps never do.
        steps.append(max(steps[-1], begun[-1] if begun else INTRO, key=order.index))
    return assemble(cues, steps[1:], [1.0] * len(cues), known)
