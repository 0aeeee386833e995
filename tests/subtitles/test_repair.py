"""What is written is what was read, and pysrt reads it so too."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.subtitles.cue import Transcript
from course.subtitles.transcript import parser, timing
from course.subtitles.transcript.repair import srt
from tests.subtitles.cues import new_cue, said, sample
from tests.subtitles.samples import CLEAN


@pytest.mark.parametrize("name", ["clean.srt", "captions.vtt", "number-gap.srt", "no-numbers.srt"])
def test_one_text_comes_of_all(name: str) -> None:
    assert srt(sample(name).transcript) == CLEAN


def test_a_line_that_would_end_its_cue_is_not_written() -> None:
    text = srt(Transcript((new_cue(0, 1000, ("a\n\nb", " ", "c\u2028d")),)))
    assert text == "1\n00:00:00,000 --> 00:00:01,000\na\nb\nc\nd\n"


# -- any transcript, in any clothes ---------------------------------------------------------------

LETTERS = st.characters(
    blacklist_categories=("Cs", "Cc", "Zl", "Zp"), blacklist_characters="\ufeff\ufffd"
)
WORDS = st.text(LETTERS, min_size=1, max_size=12).filter(lambda word: len(word.split()) == 1)
SPECIAL = st.sampled_from(["-->", "<s>", "</s>", "<pad>", "2023", "7", "{\\an8}", "&amp;", "-"])
LINES = (
    st.lists(WORDS | SPECIAL, min_size=1, max_size=6)
    .map(" ".join)
    .map(str.strip)
    .filter(lambda line: line and not line.isdigit() and timing.parse(line) is None)
)
MS = st.integers(0, 400_000_000)
CUES = st.lists(
    st.builds(
        lambda a, b, lines: new_cue(min(a, b), max(a, b), tuple(lines)),
        MS,
        MS,
        st.lists(LINES, max_size=4),
    ),
    max_size=8,
).map(Transcript)


def _sbv(line: str) -> str:
    return line.replace(",", ".").replace(" --> ", ",")


def _short(line: str) -> str:
    # Only one zero, and only of the first hours: "00:" is in minutes too.
    return line[1:] if line.startswith("0") else line


WAYS = {
    "as it is": str,
    "dots": lambda line: line.replace(",", "."),
    "short hours": _short,
    "SBV": _sbv,
    "no space": lambda line: line.replace(" ", ""),
    "dash": lambda line: line.replace("-->", "—>"),
    "full width": lambda line: line.replace(":", "：").replace(",", "，"),
}


@pytest.mark.live
@given(
    CUES.filter(lambda t: all(cue.lines for cue in t) and len(t) > 0),
    st.sampled_from(["\n", "\r\n", "\r", "\r\r\n"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    st.sampled_from(sorted(WAYS)),
    st.booleans(),
    st.booleans(),
)
def test_a_transcript_comes_back_in_other_clothes(
    transcript: Transcript, end: str, encoding: str, way: str, numbered: bool, parted: bool
) -> None:
    blocks = []
    for number, cue in enumerate(transcript, 1):
        times = WAYS[way](timing.format_times(cue.start, cue.end))
        head = [str(number), times] if numbered or not parted else [times]
        blocks.append("\n".join([*head, *cue.lines]) + "\n")
    text = ("\n" if parted else "").join(blocks).replace("\n", end)
    assert said(parser.read(text.encode(encoding)).transcript) == said(transcript)
