"""The formats by themselves, read again by somebody else's reader where there is one."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from urllib.parse import unquote

import pysrt
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from course.lesson import lesson
from course.subtitles import titles
from course.subtitles.alignment.alignment import (
    INTRO,
    OUTRO,
    SURE,
    Alignment,
    PlacedCue,
    Segment,
)
from course.subtitles.cue import Cue, Transcript, unwrapped
from course.subtitles.export import data, markdown, video, webvtt
from course.subtitles.transcript import parser, repair
from course.subtitles.transcript.languages import LanguageTracks, join, select
from tests.subtitles.cues import new_cue, said

HOURS = 3_600_000  # ms
NASTY = (
    "a --> b",
    "</script><script>alert(1)</script>",
    "Salt & pepper &amp; &copy; &#60;",
    "<s> and <pad> are words",
    "\u200fעברית\u200e and \u202eback\u202c",
    "*bold* _em_ __init__ input_ids [x](y) ![i](j) `code` ~~no~~ $x$ a|b \\n",
    "# no heading",
    "1. no list",
    "2) nor this",
    "--- | ---",
    ":-:",
    "===",
    "> quote",
    "+ plus",
    "- [ ] task",
    "```",
    "~~~",
    "   ",
    "",
    "ends with \\",
    "\tx",
    "2023",
    "NOTE not one",
    "WEBVTT",
)
PRINTED = st.characters(codec="utf-8", exclude_categories=("Cs", "Cc"))
PLAIN = st.text(PRINTED, max_size=40) | st.sampled_from(NASTY) | st.integers(0, 10**9).map(str)
TIMES = st.tuples(st.integers(0, 200 * HOURS), st.integers(0, 20_000))
CUES = st.lists(
    st.builds(
        lambda at, lines: new_cue(at[0], at[0] + at[1], tuple(lines)),
        TIMES,
        st.lists(PLAIN, max_size=4),
    ),
    max_size=8,
)


def tracks(*cues: Cue, languages: tuple[str, ...] = ("en",), note: str = "") -> LanguageTracks:
    """Cues of which the first line is in the first language, and so on; all in an only one."""
    parts = len(languages) - 1
    texts = tuple(
        dict(zip(languages, cue.text.split("\n", parts), strict=False)) if cue.text else {}
        for cue in cues
    )
    return LanguageTracks(Transcript(cues), languages, texts, (note,) * len(cues))


def aligned(*segments: tuple[str, int, int, int, int], missing: tuple[str, ...] = ()) -> Alignment:
    """Segments given as step, first cue, last cue, start, end; all 0.9 sure."""
    found = tuple(Segment(*segment, 0.9) for segment in segments)
    cues = (PlacedCue(n, s.step, 0.9) for s in found for n in range(s.first_cue, s.last_cue + 1))
    return Alignment(found, tuple(cues), missing)


def blocks(text: str) -> list[tuple[int, int, list[str]]]:
    """Read the cues of a WebVTT file as the standard's own parser does.

    Lines end with LF; an empty one ends a cue, and so does one that holds an arrow.
    """
    lines = text.split("\n")
    assert lines[0] == "WEBVTT"
    assert lines[1] == ""
    found: list[tuple[int, int, list[str]]] = []
    open_ = False
    for line in lines[1:]:
        if "-->" in line:
            start, end = (_ms(time) for time in line.split(" --> "))
            found.append((start, end, []))
            open_ = True
        elif line == "":
            open_ = False
        else:
            assert open_, f"a line outside a cue: {line!r}"
            found[-1][2].append(line)
    return found


def _ms(time: str) -> int:
    hours, minutes, seconds, fraction = re.fullmatch(
        r"(\d{2,}):([0-5]\d):([0-5]\d)\.(\d{3})", time
    ).groups()  # type: ignore[union-attr]
    return ((int(hours) * 60 + int(minutes)) * 60 + int(seconds)) * 1000 + int(fraction)


def bare(payload: str) -> str:
    """Return the text that a player shows: there must be no markup in it."""
    assert "<" not in payload
    assert ">" not in payload
    assert re.sub(r"&(amp|lt|gt);", "", payload).count("&") == 0
    return payload.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


# WebVTT


@given(CUES)
@example([new_cue(100 * HOURS + 1, 100 * HOURS + 1, NASTY)])
def test_captions_say_what_the_cues_say_when_they_say_it(cues: list[Cue]) -> None:
    read = blocks(webvtt.captions(Transcript(cues)))
    assert [(start, end) for start, end, _lines in read] == [(c.start, c.end) for c in cues]
    for (_start, _end, lines), cue in zip(read, cues, strict=True):
        assert [bare(line) for line in lines] == [line for line in cue.lines if line]


def test_line_ends_within_a_line_break_it_and_nul_is_what_readers_make_of_it() -> None:
    [(_start, _end, lines)] = blocks(
        webvtt.captions(Transcript((new_cue(0, 9, ("a\r\n\r\nb\0c",)),)))
    )
    assert lines == ["a", "b\ufffdc"]


def test_chapters_follow_each_other_without_overlap_or_pause() -> None:
    found = aligned(
        (INTRO, 1, 2, 500, 4000), ("one", 3, 3, 5000, 9500), ("two", 4, 5, 9000, 12_000)
    )
    text = webvtt.chapters(found, lambda step: f"The `{step}`\n& <more>")
    assert [(s, e, [bare(line) for line in lines]) for s, e, lines in blocks(text)] == [
        (500, 5000, ["The intro & <more>"]),
        (5000, 9000, ["The one & <more>"]),
        (9000, 12_000, ["The two & <more>"]),
    ]


@given(st.lists(TIMES, max_size=8, unique_by=lambda at: at[0]))
def test_chapters_are_in_order_whatever_the_times(times: list[tuple[int, int]]) -> None:
    found = aligned(*((f"s{n}", n, n, at, at + long) for n, (at, long) in enumerate(times, 1)))
    read = blocks(webvtt.chapters(found, str))
    assert {title for _start, _end, [title] in read} == {s.step for s in found.segments}
    assert all(start < end for start, end, _title in read)
    assert all(one[1] <= other[0] for one, other in pairwise(read))


def test_chapters_that_begin_at_once_are_all_there() -> None:
    found = aligned(("a", 1, 1, 0, 0), ("b", 2, 2, 0, 0))
    assert blocks(webvtt.chapters(found, str)) == [(0, 1, ["a"]), (0, 1, ["b"])]


@given(PLAIN, PLAIN)
def test_metadata_is_one_line_of_json(step: str, title: str) -> None:
    found = aligned((step, 3, 7, 1000, 2000))
    [(start, end, [payload])] = blocks(webvtt.metadata(found, lambda _step: title))
    assert (start, end) == (1000, 2000)
    assert json.loads(payload) == {
        "step": step,
        "title": " ".join(title.split()),
        "confidence": 0.9,
        "first_cue": 3,
        "last_cue": 7,
    }


# Languages


def test_chosen_languages_stand_in_the_order_asked_for() -> None:
    whole = tracks(
        new_cue(0, 1, ("你好", "hello"), 7, 3),
        new_cue(1, 2, ("二",)),
        languages=("zh", "en"),
        note="注",
    )
    both = select(whole, ["en", "zh"])
    assert both == LanguageTracks(
        Transcript((new_cue(0, 1, ("hello", "你好"), 7, 3), new_cue(1, 2, ("二",)))),
        ("en", "zh"),
        ({"en": "hello", "zh": "你好"}, {"zh": "二"}),
        ("", ""),
    )
    english = select(whole, ["en"])
    assert english.transcript == [new_cue(0, 1, ("hello",), 7, 3), new_cue(1, 2)]


def test_notes_are_joined_cue_by_cue() -> None:
    zh = Transcript((new_cue(0, 1000, ("一", "行"), 1), new_cue(1000, 2000, ("二",), 2)))
    en = Transcript((new_cue(0, 1000, ("one",), 1), new_cue(1000, 2000, ("two", "lines"), 2)))
    both = join({"zh": zh, "en": en})
    assert [c.lines for c in both.transcript] == [("一", "行", "one"), ("二", "two", "lines")]
    assert both.languages == ("zh", "en")
    assert both.texts[1] == {"zh": "二", "en": "two\nlines"}
    assert [(c.start, c.end) for c in both.transcript] == [(0, 1000), (1000, 2000)]


# JSON


def test_json_has_everything_and_null_where_nothing_is_known() -> None:
    one = tracks(new_cue(83_500, 84_000, ("x",)), note="translator")
    assert data.document(one, None, str) == {
        "format": 1,
        "languages": ["en"],
        "cues": [
            {
                "index": 1,
                "start_ms": 83_500,
                "end_ms": 84_000,
                "text": {"en": "x"},
                "notes": "translator",
                "step": None,
                "confidence": None,
                "sure": None,
            }
        ],
        "segments": None,
        "missing": None,
        "related": None,
    }
    document = data.document(one, aligned(("a", 1, 1, 83_500, 84_000), missing=("b",)), str.upper)
    assert document["cues"][0]["step"] == "a"
    assert document["cues"][0]["confidence"] == 0.9
    assert document["cues"][0]["sure"] is True
    assert document["segments"] == [
        {
            "step": "a",
            "title": "A",
            "first_cue": 1,
            "last_cue": 1,
            "start_ms": 83_500,
            "end_ms": 84_000,
            "confidence": 0.9,
        }
    ]
    assert document["missing"] == ["b"]
    assert document["related"] == 1.0


# Markdown


def rendered(text: str) -> list[Token]:
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)


def words(token: Token) -> str:
    """Return what a reader sees of one paragraph or heading."""
    shown = {"softbreak": "\n", "hardbreak": "\n"}
    for child in token.children or ():
        assert child.type in {"text", "text_special", "code_inline", *shown, *LINK}, child.type
    return "".join(shown.get(child.type, child.content) for child in token.children or ())


LINK = ("link_open", "link_close")
ITEM = ["bullet_list_open", "list_item_open", "paragraph_open", "inline", "paragraph_close"]
ITEM += ["list_item_close", "bullet_list_close"]


@given(PLAIN, PLAIN)
@example("2023", "1. x")
@example("a", ":-:")
@example("a\\", "b")
def test_markdown_shows_the_text_and_nothing_else(one: str, other: str) -> None:
    cue = new_cue(83_999, 90_000, (one, other))
    text = markdown.notes("H", tracks(cue, languages=("en", "ru")), None, str, None)
    tokens = rendered(text)[3:]
    shown = [line for line in (unwrapped(one), unwrapped(other)) if line]
    if not shown:
        assert tokens == []
        return
    assert [t.type for t in tokens] == ITEM
    assert words(tokens[3]) == "1:23 " + "\n".join(shown)


def test_markdown_says_where_a_cue_is_about_here_only() -> None:
    cues = tracks(new_cue(0, 1, ("x",)), new_cue(1000, 2000, ("y",)))
    found = aligned(("a", 1, 2, 0, 2000))
    one, other = found.cues
    unsure = replace(found, cues=(one, replace(other, confidence=SURE - 0.01)))
    for link in (None, video.link("http://x.y/?t={seconds}", None)):
        text = markdown.notes("H", cues, unsure, str, link)
        assert [line.count("(≈ about here)") for line in text.splitlines()[-2:]] == [0, 1]
        assert "about here" not in markdown.notes("H", cues, found, str, link)


@given(PLAIN)
@example("x #")
@example("`a` # ##")
@example("``x``")
def test_markdown_headings_show_the_title_with_its_code(title: str) -> None:
    text = markdown.notes(
        "H", tracks(new_cue(0, 1, ("x",))), aligned((title, 1, 1, 0, 1)), str, None
    )
    tokens = rendered(text)[3:]
    assert [t.type for t in tokens[:3]] == ["heading_open", "inline", "heading_close"]
    assert tokens[0].tag == "h2"
    plain = " ".join(title.split())
    code = re.findall(r"`([^`]+)`", plain)
    assert [c.content for c in tokens[1].children or () if c.type == "code_inline"] == [
        _trimmed(c) for c in code
    ]
    seen = words(tokens[1])
    assert seen.replace("`", "").split() == plain.replace("`", "").split()


def _trimmed(code: str) -> str:
    """Code as CommonMark shows it: one space goes at both ends if there is one at both."""
    both = code.startswith(" ") and code.endswith(" ") and code.strip(" ")
    return code[1:-1] if both else code


def test_markdown_has_a_heading_a_step_and_links_into_the_video() -> None:
    cues = (new_cue(1999, 3000, ("hi",)), new_cue(3_723_000, 3_724_000, ("see `x`\n_it_",)))
    found = aligned((INTRO, 1, 1, 1999, 3000), ("a_b*", 2, 2, 0, 0), missing=("c", "`d`"))
    link = video.link(video.YOUTUBE, "N9kO")
    text = markdown.notes("All of `it`", tracks(*cues, note="ps"), found, str, link)
    assert text == (
        "# All of `it`\n\n"
        "## intro\n\n"
        "- [0:01](https://www.youtube.com/watch?v=N9kO&t=1s) hi\\\n"
        "  Translator's note: ps\n\n"
        "## a_b\\*\n\n"
        "- [1:02:03](https://www.youtube.com/watch?v=N9kO&t=3723s) see \\`x\\` \\_it\\_\\\n"
        "  Translator's note: ps\n\n"
        "These steps are not in the video: c, `d`\n"
    )


@given(PLAIN)
@example("a) b](c) <d> \\ &copy; \"q\" 'q'{seconds}")
def test_an_address_cannot_leave_its_link(template: str) -> None:
    link = video.link("https://mirror.example/" + template + "?{seconds}", None)
    text = markdown.notes("H", tracks(new_cue(5000, 6000, ("x",))), None, str, link)
    paragraph = rendered(text)[6]
    links = [c for c in paragraph.children or () if c.type == "link_open"]
    assert len(links) == 1
    assert words(paragraph) == "0:05 x"
    href = str(links[0].attrs["href"])
    expected = template.replace("{video}", "").replace("{seconds}", "5")
    assert unquote(href) == unquote(f"https://mirror.example/{expected}?5")


# Titles


@pytest.mark.parametrize("framework", ["pt", "tf"])
def test_every_step_has_a_title_of_its_own(framework: str) -> None:
    part = lesson.load("ch8-4").parts[framework]
    found: Mapping[str, str] = {
        step: titles.title(step, part) for step in (INTRO, OUTRO, *(s.id for s in part.steps))
    }
    assert len(set(found.values())) == len(found)
    assert all(title != step for step, title in found.items())


def test_the_headings_of_a_document_are_their_own_titles() -> None:
    assert titles.title("cublas", None) == "cublas"
    assert titles.title(OUTRO, None) == "Closing words"


# There and back again


LINES = PLAIN.map(lambda text: " ".join(text.split())).filter(lambda text: text.strip("\ufeff"))
SPOKEN = st.lists(
    st.builds(
        lambda at, lines: new_cue(at[0], at[0] + at[1], tuple(lines)),
        TIMES,
        st.lists(LINES.filter(lambda text: "\ufeff" not in text), max_size=4),
    ),
    min_size=1,
    max_size=8,
)


@given(SPOKEN)
@example(
    [
        new_cue(5, 1, ("a", "2")),
        new_cue(1, 2, ("2023",)),
        new_cue(2, 3, ()),
        new_cue(3, 4, ("1", "b")),
    ]
)
def test_srt_and_webvtt_are_read_again_as_the_same_cues(cues: list[Cue]) -> None:
    meant = Transcript(cues)
    text = repair.srt(meant)
    items = pysrt.from_string(text)
    assert [(i.start.ordinal, i.end.ordinal, i.text) for i in items] == [
        (cue.start, cue.end, cue.text) for cue in cues
    ]
    from_srt = parser.read(text.encode()).transcript
    assert said(from_srt) == said(meant)
    from_vtt = parser.read(webvtt.captions(from_srt).encode()).transcript
    assert said(from_vtt) == said(meant)
    again = parser.read(repair.srt(from_vtt).encode()).transcript
    assert said(again) == said(meant)
