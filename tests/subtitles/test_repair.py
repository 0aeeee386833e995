"""What is written is what was read, and pysrt reads it so too."""

from pathlib import Path

import pysrt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.subtitles.cue import Transcript
from course.subtitles.transcript import parser, timing
from course.subtitles.transcript.repair import diff, srt
from tests.subtitles.cues import new_cue

SAMPLES = Path(__file__).parent / "samples"
ALL = sorted(p.name for p in SAMPLES.iterdir() if not p.name.startswith("."))
CLEAN = (SAMPLES / "clean.srt").read_text("utf-8")


def essence(transcript: Transcript) -> list[tuple[int, int, tuple[str, ...]]]:
    return [(cue.start, cue.end, cue.lines) for cue in transcript]


@pytest.mark.parametrize(
    "name",
    [
        "clean.srt", "missing-blank-lines.srt", "crlf.srt", "byte-order-mark.srt", "dot-times.srt",
        "captions.sbv", "captions.vtt", "pasted.txt", "double-spaced.srt", "utf-16-be.srt",
        "number-gap.srt", "no-numbers.srt", "text-beside-times.srt", "short-fractions.srt",
    ],
)  # fmt: skip
def test_one_text_comes_of_all(name: str) -> None:
    assert srt(parser.read((SAMPLES / name).read_bytes()).transcript) == CLEAN


@pytest.mark.parametrize("name", ALL)
def test_what_was_repaired_needs_no_repair(name: str) -> None:
    first = parser.read((SAMPLES / name).read_bytes())
    text = srt(first.transcript)
    again = parser.read(text.encode())
    assert essence(again.transcript) == essence(first.transcript)
    assert srt(again.transcript) == text
    assert list(diff(again, text, "x.srt")) == []
    stays = {"empty-cue", "unreadable-time", "lost-characters", "arrow-in-text", "script-in-text"}
    assert {diagnostic.code for diagnostic in again.diagnostics} <= stays


def test_nothing_comes_of_nothing() -> None:
    assert srt(Transcript()) == ""


def test_a_cue_without_text_keeps_its_place() -> None:
    text = srt(Transcript((new_cue(0, 1, ()), new_cue(2, 3, ("a",)), new_cue(4, 5, ()))))
    assert essence(parser.read(text.encode()).transcript) == [
        (0, 1, ()),
        (2, 3, ("a",)),
        (4, 5, ()),
    ]


def test_order_and_breaks_are_kept() -> None:
    transcript = Transcript((new_cue(5000, 4000, ("b", "a")), new_cue(0, 1000, ("c",))))
    assert essence(parser.read(srt(transcript).encode()).transcript) == essence(transcript)


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
NUMBERS = st.integers(0, 10**9).map(str)
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


@given(CUES)
def test_a_transcript_comes_back_from_its_text(transcript: Transcript) -> None:
    text = srt(transcript)
    assert essence(parser.read(text.encode()).transcript) == essence(transcript)
    items = pysrt.from_string(text)
    assert [(i.start.ordinal, i.end.ordinal, i.text) for i in items] == [
        (cue.start, cue.end, cue.text) for cue in transcript
    ]


@given(st.lists(st.lists(LINES | NUMBERS, min_size=1, max_size=3), min_size=1, max_size=6))
def test_numbers_that_are_said_come_back_too(texts: list[list[str]]) -> None:
    transcript = Transcript(
        tuple(new_cue(n * 1000, n * 1000 + 900, tuple(lines)) for n, lines in enumerate(texts))
    )
    again = parser.read(srt(transcript).encode()).transcript
    assert essence(again) == essence(transcript)


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
    assert essence(parser.read(text.encode(encoding)).transcript) == essence(transcript)


# -- the difference -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_the_difference_leads_from_the_one_text_to_the_other(name: str) -> None:
    read = parser.read((SAMPLES / name).read_bytes())
    old = [line.text for line in read.lines]
    new = srt(read.transcript).split("\n")[:-1]
    found = list(diff(read, srt(read.transcript), "x"))
    assert patched(old, found) == new
    assert (found == []) == (old == new)


def patched(old: list[str], diff: list[str]) -> list[str]:
    result, at = [], 0
    for line in diff[2:]:
        if line.startswith("@@"):
            first, count = line.split()[1][1:].split(",")
            begin = int(first) - (count != "0")
            assert begin >= at
            result += old[at:begin]
            at = begin
            new_first, new_count = line.split()[2][1:].split(",")
            assert int(new_first) - (new_count != "0") == len(result)
        elif line[0] == "+":
            result.append(line[1:])
        else:
            assert old[at] == line[1:]
            at += 1
            if line[0] == " ":
                result.append(line[1:])
    return result + old[at:]
