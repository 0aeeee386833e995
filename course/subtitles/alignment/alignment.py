"""Which step of a lesson each cue of a transcript is about."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from course.subtitles.cue import Cue

INTRO = "intro"
OUTRO = "outro"
"""Reserved ids: before the first step, and after the last one."""
SURE = 0.85
"""A cue that is at least as certain is called sure; of the others a reader is told "about here"."""
DOUBT = 0.5
"""A transcript less related than this is taken for one of something else."""


@dataclass(frozen=True, slots=True)
class PlacedCue:
    """A cue, counted from 1 in the order of the file, and the step it is about.

    `confidence` is the probability, from 0 to 1, that this is the right step.
    """

    index: int
    step: str
    confidence: float

    @property
    def sure(self) -> bool:
        """Whether the step can be relied on; else it is about here."""
        return self.confidence >= SURE


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of cues about one step; cues are counted from 1, times are ms.

    `confidence` is the mean of its cues' own.
    """

    step: str
    first_cue: int
    last_cue: int
    start_ms: int
    end_ms: int
    confidence: float


@dataclass(frozen=True, slots=True)
class Alignment:
    """Every cue with its step; `missing` are the steps that the video does not speak of.

    `segments` stand in the order of the video and cover every cue; each step has at most one, and
    so have `intro` and `outro`. `related` is the probability that the transcript has to do with the
    steps at all; the confidences have it in them.
    """

    segments: tuple[Segment, ...]
    cues: tuple[PlacedCue, ...]
    missing: tuple[str, ...]
    related: float = 1.0


def assemble(
    cues: Sequence[Cue],
    steps: Sequence[str],
    sure: Sequence[float],
    known: Sequence[str],
    related: float = 1.0,
) -> Alignment:
    """Make an alignment of cues whose steps are known.

    `steps` and `sure` have the step and the confidence of each cue; `known` are all steps that
    there are, in their order: those that no cue is about are `missing`.
    """
    placed = [
        PlacedCue(index, step, confidence)
        for index, (step, confidence) in enumerate(zip(steps, sure, strict=True), 1)
    ]
    segments = []
    for step, group in groupby(placed, key=lambda each: each.step):
        members = list(group)
        first, last = members[0].index, members[-1].index
        inside = cues[first - 1 : last]
        segments.append(
            Segment(
                step,
                first,
                last,
                min(cue.start.ordinal for cue in inside),
                max(cue.end.ordinal for cue in inside),
                sum(each.confidence for each in members) / len(members),
            )
        )
    met = set(steps)
    missing = tuple(step for step in known if step not in met)
    return Alignment(tuple(segments), tuple(placed), missing, related)
