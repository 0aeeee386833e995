"""WebVTT: captions, chapters, and data for scripts (https://www.w3.org/TR/webvtt1/)."""

import json
import re
from collections.abc import Iterable

from pysrt import SubRipTime

from course.subtitles.cue import Transcript
from course.subtitles.export.chapter import Chapter
from course.subtitles.transcript.timing import format_times

_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\0": "\ufffd"})
"""What would be markup, an entity, or, in `-->`, a time line. A reader takes NUL for U+FFFD."""
_BREAK = re.compile(r"[\r\n]+")


def captions(transcript: Transcript) -> str:
    """Subtitles: every cue with its lines, in the order of the transcript."""
    return _file((cue.start, cue.end, _payload(cue.text)) for cue in transcript)


def chapters(found: Iterable[Chapter]) -> str:
    """Write a list of chapters, for `<track kind="chapters">`: titles without their backticks."""
    return _chapters((c, _payload(c.title.replace("`", ""))) for c in found)


def metadata(found: Iterable[Chapter]) -> str:
    """Write the step at each time, as JSON for scripts (`<track kind="metadata">`).

    A cue's text is one object: `step`, `title`, `confidence`, and `first_cue` and `last_cue`,
    counted from 1 in the transcript.
    """
    return _chapters((c, _data(c)) for c in found)


def _chapters(found: Iterable[tuple[Chapter, str]]) -> str:
    time = SubRipTime.from_ordinal
    return _file((time(c.start), time(c.end), payload) for c, payload in found)


def _file(cues: Iterable[tuple[SubRipTime, SubRipTime, str]]) -> str:
    blocks = (
        f"\n{format_times(start, end).replace(',', '.')}\n{payload}" for start, end, payload in cues
    )
    return "WEBVTT\n" + "".join(blocks)


def _payload(text: str) -> str:
    """Write a text as the lines of a cue: an empty line ends it, so none may be in it."""
    lines = (line for line in _BREAK.split(text) if line)
    return "".join(f"{line.translate(_ESCAPES)}\n" for line in lines)


def _data(chapter: Chapter) -> str:
    """One line of JSON. It is not read as markup, but `-->` would be a time line."""
    segment = chapter.segment
    document = {
        "step": segment.step,
        "title": chapter.title,
        "confidence": round(segment.confidence, 4),
        "first_cue": segment.first_cue,
        "last_cue": segment.last_cue,
    }
    return json.dumps(document, ensure_ascii=False).replace(">", "\\u003e") + "\n"
