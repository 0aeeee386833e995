"""Which step of a lesson each cue of a transcript is about."""

from dataclasses import dataclass

INTRO = "intro"
OUTRO = "outro"
"""Reserved: what is said before the first step and after the last one."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A cue, counted from 1 in the order of the file, and the step it is about.

    `confidence` is the probability, from 0 to 1, that this is the right step.
    """

    index: int
    step: str
    confidence: float


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
    so have `intro` and `outro`.
    """

    segments: tuple[Segment, ...]
    cues: tuple[Placed, ...]
    missing: tuple[str, ...]
