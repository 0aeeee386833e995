"""Each rule on the cue that breaks it and the one that just doesn't."""

from pathlib import Path

import pytest

from course.base.errors import UserError
from course.subtitles.cue import Cue, Transcript
from course.subtitles.transcript import rules, style_guide
from course.subtitles.transcript.style_guide import NETFLIX, STRUCTURE, Limits, width
from tests.subtitles.cues import new_cue, sample


def codes(
    *cues: Cue, held_to: style_guide.StyleGuide = NETFLIX
) -> list[tuple[int | None, str, str]]:
    found = rules.examine(Transcript(cues), held_to)
    return [(f.cue, f.code, f.severity) for f in found]


def cue(start: int, end: int, *lines: str) -> Cue:
    return new_cue(start, end, lines or ("text",))


NOTE = "*[译者注: " + "很长的注释" * 10 + "]"


@pytest.mark.parametrize(
    ("cues", "expected"),
    [
        ([cue(0, 2000), cue(2000, 4000)], []),
        ([cue(2000, 1000)], [(1, "ends-before-it-begins", "error")]),
        ([cue(1000, 1000)], [(1, "zero-length", "error")]),
        ([cue(2000, 3000), cue(1000, 2000)], [(2, "times-run-backwards", "error")]),
        ([cue(0, 2000), cue(1999, 4000)], [(2, "overlap", "warning")]),
        # Two that run together begin together: an overlap, but nothing runs backwards.
        ([cue(0, 2000), cue(0, 2000)], [(2, "overlap", "warning")]),
        # The long first cue is what the third overlaps.
        ([cue(0, 5000), cue(5000, 6000), cue(6000, 7000)], []),
        ([cue(0, 6000), cue(1000, 2000), cue(3000, 4000)], [(2, "overlap", "warning")] * 1
         + [(3, "overlap", "warning")]),
        ([cue(0, 2000), cue(2082, 4000)], [(2, "short-gap", "warning")]),
        ([cue(0, 2000), cue(2083, 4000)], []),
        ([cue(0, 832)], [(1, "short-duration", "warning")]),
        ([cue(0, 833)], []),
        ([cue(0, 7000)], []),
        ([cue(0, 7001)], [(1, "long-duration", "warning")]),
        ([cue(0, 5000, "a", "b")], []),
        ([cue(0, 5000, "a", "b", "c")], [(1, "too-many-lines", "warning")]),
        ([cue(0, 5000, "x" * 42)], []),
        ([cue(0, 5000, "x" * 43)], [(1, "long-line", "warning")]),
        ([cue(0, 5000, "я" * 39)], []),
        ([cue(0, 5000, "я" * 40)], [(1, "long-line", "warning")]),
        ([cue(0, 5000, "行" * 16)], []),
        ([cue(0, 5000, "行" * 16 + "a")], [(1, "long-line", "warning")]),
        ([cue(0, 2000, "x" * 40)], []),
        ([cue(0, 1999, "x" * 40)], [(1, "fast-reading", "warning")]),
        ([cue(0, 1000, "я" * 17)], []),
        ([cue(0, 1000, "я" * 18)], [(1, "fast-reading", "warning")]),
        ([cue(0, 1000, "行" * 9)], []),
        ([cue(0, 1000, "行" * 9 + ".")], [(1, "fast-reading", "warning")]),
        # A line break takes no time to read.
        ([cue(0, 1000, "x" * 10, "y" * 10)], []),
        # Each language has limits of its own; two lines in each of two are not four.
        ([cue(0, 2000, "行" * 16, "x" * 40)], []),
        ([cue(0, 2000, "行" * 16, "x" * 41)], [(1, "fast-reading", "warning")]),
        ([cue(0, 7000, "第一行，", "第二行。", "The first line,", "the second one.")], []),
        # A translator's note is not counted.
        ([cue(0, 5000, "先读最后一行。", NOTE, "Read the last line first.")], []),
    ],
)  # fmt: skip
def test_the_default_profile(cues: list[Cue], expected: list[tuple[int, str, str]]) -> None:
    assert codes(*cues) == expected


def test_without_style_only_structure_is_left() -> None:
    wild = [cue(0, 100, "x" * 500, "y", "z"), cue(50, 50), cue(40, 30)]
    found = codes(*wild, held_to=STRUCTURE)
    assert {code for _cue, code, severity in found if severity == "error"} == {
        "zero-length",
        "times-run-backwards",
        "ends-before-it-begins",
    }
    assert {code for _cue, code, severity in found if severity == "warning"} == {"overlap"}


def test_findings_come_in_the_order_of_the_cues_and_name_their_lines() -> None:
    result = sample("overlap.srt")
    found = rules.examine(result.transcript, NETFLIX)
    assert [(f.line, f.cue, f.code) for f in found] == [(5, 2, "overlap")]
    assert found[0].message == "Cue 2 begins 500 ms before cue 1 ends."


# -- how characters are counted, and limits of one's own ------------------------------------------


@pytest.mark.parametrize(
    ("text", "language", "count"),
    [
        ("Trainer API", "en", 11),
        ("Trainer API", "zh", 5.5),
        ("用 Trainer，", "zh", 2 + 4),
        ("他说“好”……", "zh", 7),
        ("Ёж — это ёж.", "ru", 12),
        # A letter with its mark apart is one letter; joiners are none.
        ("e\u0301te\u0301", "en", 3),
        ("a\u200bb\u200f", "en", 2),
        ("", "zh", 0),
    ],
)
def test_width(text: str, language: str, count: float) -> None:
    assert width(text, language) == count


def own(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "school.toml"
    file.write_text(text, "utf-8")
    return file


def test_a_profile_of_ones_own(tmp_path: Path) -> None:
    file = own(
        tmp_path,
        "format = 1\nshortest = 1.0\nlongest = 6\nlines = 1\ngap = 0.1\n"
        "[languages.zh]\nline = 14\n[languages.de]\nsecond = 17\n",
    )
    found = style_guide.load(str(file))
    assert (found.shortest, found.longest, found.gap, found.lines) == (1000, 6000, 100, 1)
    assert found.languages["zh"] == Limits(14, 9)
    assert found.languages["de"] == Limits(None, 17)
    assert found.languages["en"] == NETFLIX.languages["en"]


def test_a_profile_that_says_nothing_is_as_the_usual_one(tmp_path: Path) -> None:
    assert style_guide.load(str(own(tmp_path, "format = 1\n"))) == NETFLIX


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "`format` is missing"),
        ("format = 2\n", "`format` does not accept `2`. Choose one of `1`"),
        ("format = 1\nlonger = 7\n", "unknown key `longer`.* `longest`"),
        ("format = 1\n[languages.zh]\nlines = 3\n", "`zh`: unknown key `lines`.* `line`"),
        ("format = 1\nlanguages = 3\n", "`languages` must be of the type `table`"),
        ("format = 1\n[languages]\nzh = 16\n", "`zh` must be of the type `table`"),
        ("format = 1\nlines = true\n", "`lines` must be of the type `float`"),
        ("format = 1\nlines = -1\n", "`lines` must be a number"),
        ("format = 1\ngap = nan\n", "`gap` must be a number"),
        (
            "format = 1\n[languages.zh]\nline = '16'\n",
            "`zh`: `line` must be of",
        ),
        ("format = 1\n[languages.zh]\nline = -1\n", "`zh.line` must be a number"),
        ("format = \n", "not valid TOML"),
    ],
)
def test_a_broken_profile_is_said_in_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        style_guide.load(str(own(tmp_path, text)))


def test_an_unknown_profile_names_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"`nothing`. Choose one of `netflix`, `structure`"):
        style_guide.load("nothing")
    with pytest.raises(UserError, match="cannot be read"):
        style_guide.load(str(tmp_path))
