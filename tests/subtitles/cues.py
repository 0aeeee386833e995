"""Cues for tests, from their lines or from a sample; and what holds for any transcript."""

from collections.abc import Mapping, Sequence

from course.subtitles.cue import Cue
from course.subtitles.transcript import line_roles, parser, repair, rules
from course.subtitles.transcript.diagnostic import ERROR, INFO, WARNING
from course.subtitles.transcript.languages import split_languages
from course.subtitles.transcript.style_guide import NETFLIX
from tests.subtitles.accounting import lost
from tests.subtitles.samples import SAMPLES

STAYS = {"empty-cue", "unreadable-time", "lost-characters", "arrow-in-text", "script-in-text"}
"""What is still said of a transcript that was repaired."""


def new_cue(
    start: int, end: int, lines: Sequence[str] = (), number: int | None = None, line: int = 0
) -> Cue:
    """Make a cue at these times (ms)."""
    return Cue(number, start, end, "\n".join(lines), line)


def sample(name: str) -> parser.ParsedTranscript:
    return parser.read(SAMPLES[name])


def said(transcript: Sequence[Cue]) -> list[tuple[int, int, tuple[str, ...]]]:
    """What is said, and when."""
    return [(cue.start, cue.end, cue.lines) for cue in transcript]


def accounted(cue: Sequence[str], texts: Mapping[str, str], note: str) -> bool:
    """Whether every line of a cue is in a text or a note, each once."""
    found = [line for text in (*texts.values(), note) for line in text.split("\n") if text]
    return sorted(found) == sorted(cue)


def survives(data: bytes) -> None:
    """Everything that may be asked of any input at all."""
    read = parser.read(data)
    assert lost(read) == []
    known = {"number", "time", "text", "blank", "title", "header", "comment", "identifier"}
    assert {line.role for line in read.lines} <= known
    assert [line.number for line in read.lines] == list(range(1, len(read.lines) + 1))
    for each in (*read.diagnostics, *rules.examine(read.transcript, NETFLIX)):
        assert each.line is None or 1 <= each.line <= len(read.lines)
        assert each.cue is None or 1 <= each.cue <= len(read.transcript)
        assert each.severity in (ERROR, WARNING, INFO)
        assert each.message[-1] in ".”"
        assert each.brief
    parted = split_languages(read.transcript)
    for cue, texts, note in zip(read.transcript, parted.texts, parted.notes, strict=True):
        assert accounted(cue.lines, texts, note)
    # What WebVTT writes as `--&gt;` may come out as a line of times, which SRT can't tell apart.
    if read.form != line_roles.WEBVTT:
        text = repair.srt(read.transcript)
        again = parser.read(text.encode())
        assert said(again.transcript) == said(read.transcript)
        assert repair.srt(again.transcript) == text
        assert list(repair.diff(again, text, "x.srt")) == []
        assert {each.code for each in again.diagnostics} <= STAYS
