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
class Pin:
    """The beginning of a step in the video."""

    step: str
    at_ms: int


@dataclass(frozen=True)
class ReviewedBoundaries:
    """The pins of a video, which ends at `end_ms`."""

    video: str
    end_ms: int
    pin: tuple[Pin, ...]


def alignment(transcript: Transcript, part: Part) -> Alignment | None:
    """Align a transcript to the pins of a lesson's part; None where none ship, or none fit.

    Raises:
        ContentError: as `read`.

    """
    found = read(part)
    if found is None or not fit(found, transcript):
        return None
    return apply(found, transcript, [step.id for step in part.steps])


def read(part: Part) -> ReviewedBoundaries | None:
    """Read the pins of a lesson's part; None where none ship.

    Raises:
        ContentError: the file breaks its format, or names a step that the part has not.

    """
    source = paths.subtitles() / part.lesson / part.framework / "pins.toml"
    if not source.exists():
        return None
    found = schema.read(ReviewedBoundaries, source)
    known = [INTRO, *(step.id for step in part.steps), OUTRO]
    order = [known.index(pin.step) if pin.step in known else -1 for pin in found.pin]
    times = [pin.at_ms for pin in found.pin]
    if -1 in order or order != sorted(set(order)) or times != sorted(set(times)):
        raise ContentError(f"{source}: pins must be steps of the part in their order")
    if found.video != part.video:
        raise ContentError(f"{source}: pins of {found.video!r}, the part's video is {part.video!r}")
    return found


def fit(found: ReviewedBoundaries, cues: Sequence[Cue]) -> bool:
    """Whether these are cues of the pins' video: one begins near each pin, and both end alike."""
    if not cues:
        return False
    if abs(max(cue.end.ordinal for cue in cues) - found.end_ms) > 10 * NEAR:
        return False
    starts = [cue.start.ordinal for cue in cues]
    return all(min(abs(pin.at_ms - start) for start in starts) <= NEAR for pin in found.pin)


def apply(found: ReviewedBoundaries, cues: Sequence[Cue], known: Sequence[str]) -> Alignment:
    """Align cues to the pins: a cue is in the step that has begun when it is half over."""
    order = [INTRO, *known, OUTRO]
    steps = [INTRO]
    for cue in cues:
        middle = (cue.start.ordinal + cue.end.ordinal) / 2
        begun = [pin.step for pin in found.pin if pin.at_ms <= middle]
        # Times that run backwards are a diagnostic of the transcript; steps never do.
        steps.append(max(steps[-1], begun[-1] if begun else INTRO, key=order.index))
    return assemble(cues, steps[1:], [1.0] * len(cues), known)
