"""WebVTT: captions, chapters, and data for scripts (https://www.w3.org/TR/webvtt1/)."""

import json
import re
from collections.abc import Callable, Iterable

from pysrt import SubRipTime

from course.subtitles.alignment.alignment import Alignment, Segment
from course.subtitles.cue import Transcript
from course.subtitles.transcript.timing import format_times

_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\0": "\ufffd"})
"""What would be markup, an entity, or, in `-->`, a time line. A reader takes NUL for U+FFFD."""
_BREAK = re.compile(r"[\r\n]+")


def captions(transcript: Transcript) -> str:
    """Subtitles: every cue with its lines, in the order of the transcript."""
    return _file((cue.start, cue.end, _payload(cue.text)) for cue in transcript)


def chapters(alignment: Alignment, title: Callable[[str], str]) -> str:
    """Write a list of chapters, for `<track kind="chapters">`: titles without their backticks.

    There is one for each segment; `title` tells what a step is called.
    """
    return _chapters(alignment, title, lambda _segment, name: _payload(name.replace("`", "")))


def metadata(alignment: Alignment, title: Callable[[str], str]) -> str:
    """Write the step at each time, as JSON for scripts (`<track kind="metadata">`).

    A cue's text is one object: `step`, `title`, `confidence`, and `first_cue` and `last_cue`,
    counted from 1 in the transcript.
    """
    return _chapters(alignment, title, _data)


def _chapters(
    alignment: Alignment, title: Callable[[str], str], payload: Callable[[Segment, str], str]
) -> str:
    """Write a cue for each segment, by time.

    A chapter lasts until the next one begins, so none overlap and there is no pause without one;
    the last one ends with its segment. Each lasts 1 ms at least, even where two begin at once.
    """
    time = SubRipTime.from_ordinal
    segments = sorted(alignment.segments, key=lambda s: (s.start_ms, s.first_cue))
    ends = [s.start_ms for s in segments[1:]] + [s.end_ms for s in segments[-1:]]
    return _file(
        (
            time(s.start_ms),
            time(max(end, s.start_ms + 1)),
            payload(s, " ".join(title(s.step).split())),
        )
        for s, end in zip(segments, ends, strict=True)
    )


def _file(cues: Iterable[tuple[SubRipTime, SubRipTime, str]]) -> str:
    blocks = (
        f"\n{format_times(start, end).replace(',', '.')}\n{payload}" for start, end, payload in cues
    )
    return "WEBVTT\n" + "".join(blocks)


def _payload(text: str) -> str:
    """Write a text as the lines of a cue: an empty line ends it, so none may be in it."""
    lines = (line for line in _BREAK.split(text) if line)
    return "".join(f"{line.translate(_ESCAPES)}\n" for line in lines)


def _data(segment: Segment, title: str) -> str:
    """One line of JSON. It is not read as markup, but `-->` would be a time line."""
    document = {
        "step": segment.step,
        "title": title,
        "confidence": round(segment.confidence, 4),
        "first_cue": segment.first_cue,
        "last_cue": segment.last_cue,
    }
    return json.dumps(document, ensure_ascii=False).replace(">", "\\u003e") + "\n"
