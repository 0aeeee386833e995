"""The canonical text of a transcript: SRT as every player and every library reads it."""

from course.errors import ContentError
from course.subtitles.cue import Cue, Transcript
from course.subtitles.transcript import timing


def srt(transcript: Transcript) -> str:
    """A transcript as SRT: numbered from 1, one blank line between cues, lines ended by LF.

    Neither the order of the cues nor their times nor the breaks in their text are changed.

    Raises:
        ContentError: pysrt reads something else in it than the transcript's cues.

    """
    blocks = []
    for number, cue in enumerate(transcript.cues, 1):
        times = timing.written(cue.start, cue.end)
        blocks.append("\n".join([str(number), times, *_lines(cue)]))
    text = "".join(f"{block}\n\n" for block in blocks)
    result = f"{text[:-1]}" if text else ""
    _prove(result, transcript)
    return result


def _lines(cue: Cue) -> list[str]:
    """The lines of a cue that SRT can hold: a blank one would end the cue."""
    parts = (part.rstrip() for line in cue.lines for part in line.splitlines())
    return [part for part in parts if part]


def _prove(text: str, transcript: Transcript) -> None:
    """Have pysrt read the text, and compare."""
    import pysrt

    try:
        items = pysrt.from_string(text, error_handling=pysrt.SubRipFile.ERROR_RAISE)
    except pysrt.Error as error:
        raise ContentError(f"pysrt does not read it: {error!r}") from error
    read = [(item.index, item.start.ordinal, item.end.ordinal, item.text) for item in items]
    meant = [
        (number, cue.start, cue.end, "\n".join(_lines(cue)))
        for number, cue in enumerate(transcript.cues, 1)
    ]
    for ours, theirs in zip(meant, read, strict=False):
        if ours != theirs:
            raise ContentError(f"pysrt reads cue {ours[0]} as {theirs!r}, not as {ours!r}")
    if len(read) != len(meant):
        raise ContentError(f"pysrt reads {len(read)} cues, not {len(meant)}")
