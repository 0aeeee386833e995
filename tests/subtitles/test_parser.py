"""Each sample has one defect; what it says is the same in all of them."""

from pathlib import Path

import pytest

from course.base.errors import UserError
from course.subtitles.transcript import parser
from tests.subtitles.accounting import lost
from tests.subtitles.cues import new_cue, said, sample
from tests.subtitles.samples import SAMPLES

FIRST = (1000, 3500, ("Today we read a stack trace.",))
SECOND = (3500, 6000, ("The last line names the error,", "and the lines above say where."))
THIRD = (62040, 64000, ("<s> and <pad> are words here.",))
USUAL = [FIRST, SECOND, THIRD]


def diagnostics(result: parser.ParsedTranscript) -> list[tuple[int | None, int | None, str]]:
    return [(f.line, f.cue, f.code) for f in result.diagnostics]


def thrice(code: str) -> list[tuple[int, int, str]]:
    """The same of the times of every cue."""
    return [(2, 1, code), (6, 2, code), (11, 3, code)]


@pytest.mark.parametrize(
    ("name", "expected"),
    {
        "clean.srt": [],
        "missing-blank-lines.srt": [(4, 2, "missing-blank-line"), (8, 3, "missing-blank-line")],
        "byte-order-mark.srt": [(None, None, "byte-order-mark")],
        "crlf.srt": [(None, None, "line-endings")],
        "cr.srt": [(None, None, "line-endings")],
        "mixed-line-ends.srt": [(None, None, "line-endings")],
        "doubled-line-ends.srt": [(None, None, "line-endings")],
        "no-final-line-end.srt": [(None, None, "no-final-newline")],
        "dot-times.srt": thrice("dot-time"),
        "short-hours.srt": thrice("short-hours"),
        "short-fractions.srt": thrice("short-fraction"),
        "spaced-times.srt": thrice("odd-time"),
        "full-width-times.srt": thrice("odd-time"),
        "escaped-arrows.srt": thrice("odd-time"),
        "captions.sbv": [],
        "sbv-time-in-srt.srt": [(6, 2, "sbv-time")],
        "captions.vtt": [
            (1, None, "webvtt"),
            (4, None, "comment"),
            (7, None, "comment"),
            (15, 2, "cue-settings"),
            (19, 3, "identifier"),
        ],
        "pasted.txt": [
            (None, None, "no-final-newline"),
            (1, None, "text-outside-cues"),
            (5, 2, "missing-blank-line"),
            (9, 3, "missing-blank-line"),
        ],
        "number-gap.srt": [(5, 2, "number-gap")],
        "number-repeated.srt": [(10, 3, "number-repeated")],
        "number-backwards.srt": [(5, 2, "number-gap"), (10, 3, "number-backwards")],
        "number-missing.srt": [(5, 2, "number-missing"), (9, 3, "number-gap")],
        "no-numbers.srt": [(None, None, "no-numbers")],
        "blank-line-in-cue.srt": [(8, 2, "blank-line-in-cue")],
        "blank-line-above-text.srt": [(12, 3, "blank-line-in-cue")],
        "number-beside-times.srt": [(5, 2, "number-beside-times")],
        "text-beside-times.srt": [(6, 2, "text-beside-times")],
        "text-outside-cues.srt": [(1, None, "text-outside-cues")],
        "nul-bytes.srt": [(3, 1, "control-characters")],
        "settings.srt": [(6, 2, "cue-settings")],
        "truncated-number.srt": [
            (None, None, "no-final-newline"),
            (14, None, "truncated-cue"),
        ],
        "utf-16-le.srt": [(None, None, "encoding"), (None, None, "byte-order-mark")],
        "utf-16-be.srt": [(None, None, "encoding"), (None, None, "byte-order-mark")],
        "utf-16-le-unmarked.srt": [(None, None, "encoding-guessed")],
        "utf-16-be-unmarked.srt": [(None, None, "encoding-guessed")],
    }.items(),
)
def test_the_cues_are_the_same_and_the_defect_is_found(
    name: str, expected: list[tuple[int | None, int | None, str]]
) -> None:
    result = sample(name)
    assert said(result.transcript) == USUAL
    assert diagnostics(result) == expected


@pytest.mark.parametrize(
    ("name", "cues", "expected"),
    [
        # A number can be what is said, in a paste without blank lines, too.
        ("number-as-text.srt", [(1000, 3500, ("2023",)), SECOND, (62040, 64000, ("2",))], []),
        ("number-as-text-pasted.srt", [(1000, 3500, ("2023",)), SECOND, (62040, 64000, ("4",))],
         [(4, 2, "missing-blank-line"), (8, 3, "missing-blank-line")]),
        ("unreadable-end.srt", [FIRST, SECOND, (62040, 62040, THIRD[2])],
         [(11, 3, "unreadable-time")]),
        ("empty-cue.srt", [(1000, 3500, ()), SECOND, THIRD], [(2, 1, "empty-cue")]),
    ],
)  # fmt: skip
def test_what_a_defect_leaves_of_the_cues(
    name: str,
    cues: list[tuple[int, int, tuple[str, ...]]],
    expected: list[tuple[int | None, int | None, str]],
) -> None:
    result = sample(name)
    assert said(result.transcript) == cues
    assert diagnostics(result) == expected


def test_a_double_spaced_file_has_a_finding_for_each_blank_line_that_parts_a_cue() -> None:
    result = sample("double-spaced.srt")
    assert said(result.transcript) == USUAL
    assert {code for _line, _cue, code in diagnostics(result)} == {"blank-line-in-cue"}
    assert [line for line, _cue, _code in diagnostics(result)] == [2, 4, 8, 10, 16, 18]


def test_a_countdown_without_numbers_is_text() -> None:
    result = sample("number-as-text-unnumbered.srt")
    assert [cue.lines for cue in result.transcript] == [("1",), ("2",), ("3",)]
    assert [cue.index for cue in result.transcript] == [None] * 3


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        # A year where the count goes on without it is said, not counted, even without blank lines.
        ("6\n{t}\nit was\n1997\n{t}\nnext\n8\n{t}\nlast", [6, None, 8]),
        # A gap is a gap.
        ("6\n{t}\na\n9\n{t}\nb", [6, 9]),
        # Two files joined begin to count anew.
        ("6\n{t}\na\n1\n{t}\nb\n2\n{t}\nc", [6, 1, 2]),
        ("6\n{t}\na\n\n1\n{t}\nb", [6, 1]),
        # Every cue has the same number.
        ("1\n{t}\na\n1\n{t}\nb\n1\n{t}\nc", [1, 1, None]),
        # A cue without text, and no blank lines.
        ("1\n{t}\n2\n{t}\nb", [1, 2]),
        ("1\n{t}\n1997\n2\n{t}\nb", [1, 2]),
        # A blank line that strayed between number and times.
        ("1\n{t}\na\n\n2\n\n{t}\nb", [1, 2]),
        ("0\n{t}\na\n\n1\n{t}\nb", [0, 1]),
        ("0010\n{t}\na", [10]),
        # Too long for a number.
        ("1\n{t}\na\n\n2\n{t}\n12345678901\n{t}\nb", [1, 2, None]),
    ],
)
def test_what_counts_as_a_number(text: str, numbers: list[int | None]) -> None:
    result = parser.read(text.format(t="00:00:01,000 --> 00:00:02,000").encode())
    assert [cue.index for cue in result.transcript] == numbers
    assert lost(result) == []


def test_a_cue_knows_the_line_that_it_begins_at() -> None:
    transcript = sample("pasted.txt").transcript
    assert [cue.line for cue in transcript] == [2, 5, 9]
    assert transcript[0] == new_cue(*FIRST, number=1, line=2)


def test_control_characters_are_taken_out_and_named() -> None:
    result = sample("control-characters.srt")
    assert result.transcript[0].lines == ("Today we read a [31mstack trace.",)
    (diagnostic,) = result.diagnostics
    assert diagnostic.code == "control-characters"
    assert diagnostic.values["characters"] == "`U+0007`, `U+001B`, `U+2028`"


def test_a_line_of_times_that_cannot_be_read_stays_text() -> None:
    result = sample("unreadable-time.srt")
    assert len(result.transcript) == 2
    assert "00:00:O3,500 --> 00:00:06,000" in result.transcript[0].lines
    assert (6, 1, "unreadable-time") in diagnostics(result)


def test_a_file_that_was_cut_off_says_so() -> None:
    for name in ("truncated-number.srt", "truncated-times.srt", "truncated-text.srt"):
        result = sample(name)
        assert said(result.transcript)[:3] == USUAL
        assert "truncated-cue" in {code for _line, _cue, code in diagnostics(result)}, name


@pytest.mark.parametrize("name", ["arrow-in-text.srt", "script-in-text.srt"])
def test_what_looks_like_markup_is_text(name: str) -> None:
    result = sample(name)
    assert said(result.transcript)[1:] == [SECOND, THIRD]
    assert diagnostics(result) == [(3, 1, name.removesuffix(".srt"))]


def test_text_without_times_has_findings_for_all_of_it() -> None:
    assert (list(parser.read(b"").transcript), parser.read(b"").lines) == ([], ())
    result = parser.read(b"no times\n\nat all\n")
    assert diagnostics(result) == [(1, None, "text-outside-cues"), (3, None, "text-outside-cues")]
    assert lost(result) == []


@pytest.mark.parametrize(
    ("line", "start", "end"),
    [
        ("100:00:00,000 --> 100:00:01,000", 360_000_000, 360_001_000),
        ("00:01.000 --> 00:02.5", 1000, 2500),
        ("00:00:01 --> 00:00:02", 1000, 2000),
        ("00:00:01,000000 --> 00:00:02,9999", 1000, 2999),
        ("0:0:1,0 --> 0:0:2,05", 1000, 2050),
        ("00:00:61,000 --> 00:61:00,000", 61_000, 3_660_000),
        ("00:00:01,000 -> 00:00:02,000", 1000, 2000),
        ("00:00:01,000 —> 00:00:02,000", 1000, 2000),
        ("00:00:01,000 → 00:00:02,000", 1000, 2000),
        ("\t00:00:01,000-->00:00:02,000  ", 1000, 2000),
    ],
)
def test_times_in_many_ways(line: str, start: int, end: int) -> None:
    (cue,) = parser.read(f"1\n{line}\ntext\n".encode()).transcript
    assert (cue.start, cue.end, cue.lines) == (start, end, ("text",))


@pytest.mark.parametrize(
    "line",
    [
        "read Romans 3:10 -> 4:20",
        "3:10 -> 4:20",
        "from 00:00:01,000 --> 00:00:02,000 it shows",
        "00:00:01,000 --> 00:00:02,000 00:00:03,000 --> 00:00:04,000",
        "00:00:01,000 --> the end",
        "a --> b",
        "1:2",
    ],
)
def test_what_only_speaks_of_times_is_text(line: str) -> None:
    text = f"1\n00:00:01,000 --> 00:00:02,000\nabove\n{line}\nbelow\n"
    (cue,) = parser.read(text.encode()).transcript
    assert cue.lines == ("above", line, "below")


# -- files that are no transcripts ----------------------------------------------------------------


def refusal(path: Path) -> str:
    with pytest.raises(UserError) as caught:
        parser.load(path)
    return str(caught.value)


def test_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "gb18030.srt").write_bytes(SAMPLES["gb18030.srt"])
    found = parser.load(tmp_path / "gb18030.srt").transcript
    assert found[0].lines[0] == "今天我们来读一段错误信息。"


def test_what_cannot_be_read_is_said_in_one_sentence(tmp_path: Path) -> None:
    assert refusal(tmp_path / "no.srt") == f"There is no file `{tmp_path / 'no.srt'}`."
    assert "is a folder" in refusal(tmp_path)
    (tmp_path / "file").touch()
    assert "cannot be read" in refusal(tmp_path / "file" / "no.srt")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is not a transcript"),
        (b" \n\r\n\t\n", "is not a transcript"),
        (b"\xef\xbb\xbf\n", "is not a transcript"),
        (b"# Notes\n\nNo time anywhere.\n", "is not a transcript"),
        (bytes(range(256)) * 100, "is not a transcript"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(7, 200)) * 50, "is not a transcript"),
    ],
)
def test_what_is_no_transcript_is_said_in_one_sentence(
    tmp_path: Path, data: bytes, said: str
) -> None:
    file = tmp_path / "x.srt"
    file.write_bytes(data)
    assert said in refusal(file)


def test_a_file_too_large_is_not_read_to_its_end(tmp_path: Path) -> None:
    file = tmp_path / "x.srt"
    with file.open("wb") as stream:
        stream.truncate(200 * 1024 * 1024)
    told = f"`{file}` is too large: the limit is 32 MB."
    assert refusal(file) == told


def test_a_file_of_too_many_cues_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parser, "MOST_CUES", 2000)
    file = tmp_path / "x.srt"
    file.write_bytes(b"00:00:01,000 --> 00:00:02,000\n" * 2001)
    assert "the limit is 2,000 cues" in refusal(file)


@pytest.mark.parametrize(("count", "encoding"), [(10_000_000, "utf-8"), (1_000_001, "utf-16")])
def test_lines_without_end_are_refused(tmp_path: Path, count: int, encoding: str) -> None:
    file = tmp_path / "x.srt"
    file.write_bytes(("a\n" * count).encode(encoding))
    assert "the limit is 1,000,000 lines" in refusal(file)


def test_an_endless_device_is_left_in_time() -> None:
    zero = Path("/dev/zero")
    if not zero.exists():
        pytest.skip("this system has no /dev/zero")
    assert "too large" in refusal(zero)


@pytest.mark.parametrize("tail", [".0999999999999", ".9", ".00000000000004"])
def test_milliseconds_with_a_fraction_of_their_own_are_times(tail: str) -> None:
    first = f"1\n00:00:00,500 --> 00:00:02,249{tail}\nfirst\n"
    second = f"2\n00:00:02,249{tail} --> 00:00:05,000\nsecond\n"
    result = parser.read(f"{first}\n{second}".encode())
    assert said(result.transcript) == [(500, 2249, ("first",)), (2249, 5000, ("second",))]
    assert diagnostics(result) == [(2, 1, "odd-time"), (6, 2, "odd-time")]


@pytest.mark.parametrize("name", ["no-numbers.srt", "number-missing.srt"])
def test_a_missing_number_is_an_error_as_players_refuse_it(name: str) -> None:
    found = {each.code: each.severity for each in sample(name).diagnostics}
    assert found[name.removesuffix(".srt")] == "error"
