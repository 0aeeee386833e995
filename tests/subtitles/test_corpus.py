"""The transcripts of the course's videos, which are not ours to keep here."""

import os
import re
from collections import Counter
from pathlib import Path

import pysrt
import pytest

from course.subtitles.export import webvtt
from course.subtitles.transcript import parser, repair
from course.subtitles.transcript.diagnostic import ERROR
from course.subtitles.transcript.languages import split_languages
from tests.subtitles.cues import said, survives

CORPUS = os.environ.get("COURSE_CORPUS", "")
FILES = sorted(Path(CORPUS).glob("*/*.srt")) if CORPUS else []
pytestmark = pytest.mark.skipif(
    not CORPUS, reason="COURSE_CORPUS names no folder with transcripts in en/, zh-CN/ and ru/"
)
LANGUAGES = {"en": ("en",), "ru": ("ru",), "zh-CN": ("zh", "en")}

TIMES = re.compile(rb"\d+:\d\d:\d\d[,.]\d+ --> \d+:\d\d:\d\d[,.]\d+")


def naive(data: bytes) -> tuple[int, Counter[str]]:
    """How many lines of times a file has, and its words: by splitting bytes, not by parsing.

    A number counts as no word where it stands right above times.
    """
    text = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r", b"")
    found = len(TIMES.findall(text))
    bare = re.sub(rb"(?m)^[0-9]+ *\n(?=\d+:\d\d:\d\d)", b"", text)
    return found, Counter(TIMES.sub(b"", bare).decode().split())


def test_the_corpus_is_whole() -> None:
    counts = Counter(file.parent.name for file in FILES)
    assert len(FILES) == 166
    assert counts.keys() == LANGUAGES.keys()


@pytest.mark.parametrize("file", FILES, ids=lambda f: f"{f.parent.name}/{f.stem[:12]}")
def test_words_in_are_words_out_and_pysrt_reads_them(file: Path) -> None:
    data = file.read_bytes()
    survives(data)
    read = parser.read(data)
    transcript = read.transcript
    cues, words = naive(data)
    assert len(transcript) == cues
    assert Counter(word for cue in transcript for word in cue.text.split()) == words
    assert {line.role for line in read.lines} <= {"number", "time", "text", "blank"}
    assert len(read.lines) == len(data.splitlines())
    assert split_languages(transcript).languages == LANGUAGES[file.parent.name]
    text = repair.srt(transcript)
    items = pysrt.from_string(text)
    assert [(i.start.ordinal, i.end.ordinal, i.text) for i in items] == [
        (cue.start, cue.end, cue.text) for cue in transcript
    ]
    assert {each.code for each in parser.read(text.encode()).diagnostics} <= {"empty-cue"}
    again = parser.read(webvtt.captions(transcript).encode())
    assert said(again.transcript) == said(transcript)
    assert [each for each in again.diagnostics if each.severity == ERROR] == []


def test_the_pairs_of_languages_share_their_cues() -> None:
    """Chinese has the cues of English; one lost or run together with another would show here."""
    differing = []
    for file in FILES:
        other = Path(CORPUS) / "en" / file.name
        if file.parent.name == "zh-CN" and other.exists():
            ours, theirs = (len(parser.load(path).transcript) for path in (file, other))
            if ours != theirs:
                differing.append((file.stem[:2], ours, theirs))
    # In three videos the noises at the end are one cue in translation.
    assert differing == [("27", 106, 107), ("58", 40, 41), ("61", 48, 49)]


def test_what_the_corpus_is_known_for() -> None:
    """What each language has: two texts a cue, notes between, cues in English alone."""
    counts: Counter[str] = Counter()
    for file in FILES:
        if file.parent.name != "zh-CN":
            continue
        parted = split_languages(parser.load(file).transcript)
        for texts, note in zip(parted.texts, parted.notes, strict=True):
            counts["+".join(sorted(texts))] += 1
            counts["note"] += bool(note)
    assert counts == {"en+zh": 6491, "en": 3, "note": 12}
