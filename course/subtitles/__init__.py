"""Transcripts of videos: read, checked, aligned to a lesson's steps, exported, played in a page.

`read` and `align` are the Python interface; nothing is imported before they are called.
"""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from course.subtitles.alignment.alignment import Alignment
    from course.subtitles.transcript.parser import ParsedTranscript


def read(path: str | Path) -> "ParsedTranscript":
    """Read a transcript (SRT, SBV or WebVTT), with a word on all that is wrong with it.

    Raises:
        course.base.errors.UserError: the file can't be read, or is no text.

    """
    from course.subtitles.transcript import parser

    return parser.load(Path(path))


def align(
    transcript: "ParsedTranscript",
    lesson: str | None = None,
    framework: str | None = None,
    *,
    document: str | None = None,
) -> "Alignment":
    """Lay a transcript beside the steps of a lesson, or the headings of a `document` in Markdown.

    Raises:
        course.base.errors.UserError: there is no such lesson, or the document has no headings.
        KeyError: the lesson is not there in this framework.
        TypeError: neither a lesson nor a document is given.

    """
    from course.subtitles.alignment import align as aligner

    if lesson is None:
        if document is None:
            raise TypeError("align() needs a lesson or a document")
        return aligner.to_document(transcript.transcript, document, aligner.DOCUMENT)
    from course.lesson import lesson as lessons

    parts = lessons.load(lesson).parts
    part = parts[framework] if framework is not None else next(iter(parts.values()))
    return aligner.to_lesson(transcript.transcript, part, pins=True, method=aligner.LESSON)
