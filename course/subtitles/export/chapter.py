"""Chapters: the segments of an alignment as players list them, one after the other."""

from collections.abc import Callable
from dataclasses import dataclass

from course.subtitles.alignment.alignment import Alignment, Segment


@dataclass(frozen=True, slots=True)
class Chapter:
    """A segment with its title, from `start` to `end` (ms)."""

    segment: Segment
    title: str
    start: int
    end: int


def chapters(alignment: Alignment, title: Callable[[str], str]) -> list[Chapter]:
    """One chapter for each segment, by time; `title` tells what a step is called.

    A chapter lasts until the next one begins, so none overlap and there is no pause without one;
    the last one ends with its segment. Each lasts 1 ms at least, even where two begin at once.
    """
    segments = sorted(alignment.segments, key=lambda s: (s.start_ms, s.first_cue))
    ends = [s.start_ms for s in segments[1:]] + [s.end_ms for s in segments[-1:]]
    return [
        Chapter(
            each, " ".join(title(each.step).split()), each.start_ms, max(end, each.start_ms + 1)
        )
        for each, end in zip(segments, ends, strict=True)
    ]
