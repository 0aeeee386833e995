"""Whatever is done to a transcript, reading it neither fails nor loses a word."""

import pytest

from course.subtitles.cue import Transcript
from course.subtitles.transcript import line_roles, parser, repair, rules
from course.subtitles.transcript.languages import split_languages
from course.subtitles.transcript.style_guide import NETFLIX
from tests.subtitles.accounting import lost
from tests.subtitles.mutation import damaged
from tests.tiers import exhaustive


def essence(transcript: Transcript) -> list[tuple[int, int, tuple[str, ...]]]:
    return [(cue.start, cue.end, cue.lines) for cue in transcript]


def survives(data: bytes) -> None:
    """Everything that may be asked of any input at all."""
    read = parser.read(data)
    assert lost(read) == []
    for diagnostic in (*read.diagnostics, *rules.examine(read.transcript, NETFLIX)):
        assert diagnostic.message
        assert diagnostic.brief
    parted = split_languages(read.transcript)
    for cue, texts, note in zip(read.transcript, parted.texts, parted.notes, strict=True):
        found = [line for text in (*texts.values(), note) for line in text.split("\n") if text]
        assert sorted(found) == sorted(cue.lines)
    text = repair.srt(read.transcript)
    again = parser.read(text.encode())
    # What WebVTT writes as `--&gt;` may come out as a line of times, which SRT can't tell apart.
    if read.form != line_roles.WEBVTT:
        assert essence(again.transcript) == essence(read.transcript)
        assert repair.srt(again.transcript) == text


@pytest.mark.parametrize("hundred", range(20))
def test_two_thousand_damaged_transcripts(hundred: int) -> None:
    for seed in range(hundred * 100, hundred * 100 + 100):
        try:
            survives(damaged(seed))
        except Exception as error:
            raise AssertionError(f"seed {seed}: {damaged(seed)!r}") from error


@pytest.mark.live
@pytest.mark.parametrize(
    "seeds", [range(2_000, 22_000), exhaustive(range(22_000, 102_000))], ids=["some", "rest"]
)
def test_a_hundred_thousand_damaged_transcripts(seeds: range) -> None:
    for seed in seeds:
        try:
            survives(damaged(seed))
        except Exception as error:
            raise AssertionError(f"seed {seed}: {damaged(seed)!r}") from error
