"""The canonical text of a transcript: SRT as every player and every library reads it."""

import difflib
import io
from collections.abc import Iterator

from course.subtitles.cue import Cue, Transcript
from course.subtitles.transcript.parser import ParsedTranscript


def srt(transcript: Transcript) -> str:
    """Write a transcript as SRT: numbered from 1, a blank line between cues, lines end in LF.

    Neither the order of the cues nor their times nor the breaks in their text are changed.
    """
    numbered = Transcript(
        Cue(number, cue.start, cue.end, _writable(cue.text))
        for number, cue in enumerate(transcript, 1)
    )
    stream = io.StringIO()
    numbered.write_into(stream)
    # pysrt ends the last cue with a blank line, too.
    return stream.getvalue()[:-1]


def _writable(text: str) -> str:
    """Return the lines of a text that SRT can hold: a blank one would end the cue."""
    lines = (line.rstrip() for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def diff(read: ParsedTranscript, text: str, name: str) -> Iterator[str]:
    """Return the lines of a unified diff from what was read to a repaired text; none if alike."""
    old = [line.text for line in read.lines]
    return difflib.unified_diff(old, text.split("\n")[:-1], name, name, n=2, lineterm="")
