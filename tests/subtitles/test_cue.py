"""Transcripts are pysrt's own files, items and times, behind the lenient reader."""

import pysrt
import pytest

from course.subtitles.cue import Cue, Transcript, unwrapped
from course.subtitles.transcript import parser
from tests.subtitles.cues import new_cue

TEXT = "7\n0:00:01,5 --> 0:00:02.25\n你好\nHello\n8\n00:00:03,000 --> 00:00:04,000\nBye\n"


def read() -> Transcript:
    return parser.read(TEXT.encode()).transcript


def test_what_is_read_is_what_pysrt_works_with() -> None:
    transcript = read()
    assert isinstance(transcript, pysrt.SubRipFile)
    first = transcript[0]
    assert isinstance(first, pysrt.SubRipItem)
    # pysrt's own reader takes `,5` for 5 ms, and loses the second cue.
    assert str(first) == "7\n00:00:01,500 --> 00:00:02,250\n你好\nHello\n"
    assert first.duration == 750
    assert first.lines == ("你好", "Hello")
    assert [cue.line for cue in transcript] == [1, 5]


def test_cues_sort_by_time_and_are_equal_only_in_everything() -> None:
    early, late = new_cue(0, 1, ("b",)), new_cue(1, 2, ("a",), 3)
    assert sorted([late, early]) == [early, late]
    assert early == new_cue(0, 1, ("b",))
    others = [new_cue(0, 1, ("c",)), new_cue(0, 1, ("b",), 1), new_cue(0, 1, ("b",), line=1)]
    assert all(other != early for other in others)
    assert Cue(None, 0, 1).lines == ()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("two\nlines", "two lines"),
        (" a \r\n\n b ", "a b"),
        ("前半句，\n后半句", "前半句，后半句"),
        ("前半句\n后半句", "前半句 后半句"),
        ("Это —\nслово", "Это — слово"),
        ("", ""),
    ],
)
def test_wrapped_texts_are_put_on_one_line(text: str, line: str) -> None:
    assert unwrapped(text) == line
