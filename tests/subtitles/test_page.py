"""The playback page as it is assembled, without a browser."""

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from course.authoring import translations
from course.base import i18n, paths
from course.base.texts import paragraphs
from course.lesson import aside, lesson
from course.lesson.catalogue import catalogue
from course.lesson.lesson import Part
from course.render.html import TEMPLATES
from course.subtitles.alignment.alignment import INTRO, OUTRO, SURE, assemble
from course.subtitles.cue import Transcript
from course.subtitles.playback import captions, page
from course.subtitles.playback.captions import Captions
from course.subtitles.transcript import parser
from course.subtitles.transcript.languages import LanguageTracks
from tests.subtitles.browser.reader import Reader
from tests.subtitles.cues import new_cue

PART = lesson.load("ch8-4").parts["pt"]
PARTS = [("ch8-4", "pt"), ("ch8-4", "tf")]
EVIL = '</script><script>alert("1 & 2")</script> --> <!-- `x` \u2028 {{title}} <s> <pad>'
LETTERS = re.compile(r"[A-Za-zА-Яа-я\u4e00-\u9fff]")


def made_up(
    *texts: str,
    sure: float = 1.0,
    related: float = 1.0,
    part: Part = PART,
    steps: Sequence[str] = (),
) -> Captions:
    """Cues of a second each: intro, two for each of the first two steps, outro; or of `steps`."""
    ids = steps or [INTRO, *(step.id for step in part.steps[:2] for _ in range(2)), OUTRO]
    words = [*texts, *("……" for _ in ids[len(texts) :])]
    cues = [new_cue(1000 * n, 1000 * n + 900, (text,)) for n, text in enumerate(words)]
    known = [step.id for step in part.steps]
    alignment = assemble(cues, ids, [sure] * len(ids), known, related)
    said = tuple({"zh": text} for text in words)
    tracks = LanguageTracks(Transcript(cues), ("zh",), said, ("",) * len(ids))
    return Captions(tracks, ("zh",), alignment)


def shown(found: Captions | None = None, part: Part = PART, **options: Any) -> Reader:
    return Reader(page.page(found or made_up(part=part), part, **options))


def data_of(read: Reader) -> Any:
    return json.loads(read.one("script", type="application/json").text)


def source(policy: str, name: str) -> str:
    return dict(part.split(" ", 1) for part in policy.split("; "))[name]


@pytest.mark.parametrize(("file", "embed"), [(None, False), ("film.webm", False), (None, True)])
def test_the_policy_lets_in_this_style_and_this_script_and_nothing_inline(
    file: str | None, embed: bool
) -> None:
    read = shown(made_up(EVIL), file=file, embed=embed)
    policy = read.one("meta", http_equiv="Content-Security-Policy").attributes["content"]
    for name, element in (
        ("style-src", read.one("style")),
        ("script-src", read.find("script")[-1]),
    ):
        digest = base64.b64encode(hashlib.sha256(element.whole.encode()).digest()).decode()
        assert source(policy, name) == f"'sha256-{digest}'"
    assert source(policy, "default-src") == "'none'"
    assert source(policy, "frame-src") == (page.PLAYER if embed else "'none'")
    assert "unsafe" not in policy
    assert "http:" not in policy
    assert ("https:" in policy) == embed
    for element in read.all:
        assert not [a for a in element.attributes if a == "style" or a.startswith("on")], element


def test_the_page_asks_for_nothing_from_anywhere() -> None:
    read = shown()
    for element in read.all:
        # Where a link leads to is asked for by whoever follows it.
        leads = ("href",) if element.name != "a" else ()
        for name in ("src", "action", "poster", "srcset", *leads):
            address = element.attributes.get(name, "#")
            assert address.startswith(("#", "data:")), (element.name, address)


def test_what_stands_in_a_cue_is_text() -> None:
    read = shown(made_up(EVIL))
    assert len(read.find("script")) == 2
    (said,) = [e for e in read.find("span", class_="said") if "alert" in e.whole]
    assert said.content == [said.text] == [EVIL]
    assert data_of(read)["cues"][0]["text"] == {"zh": EVIL}


def test_data_can_stand_in_a_script() -> None:
    text = page.data({"a": EVIL + "\u2029 中文 ё"})
    assert not re.search("[<>&\u2028\u2029]", text)
    assert "中文 ё" in text
    assert json.loads(text) == {"a": EVIL + "\u2029 中文 ё"}


def test_the_programs_can_stand_in_a_page() -> None:
    for name in ("style.css", "playback.css", *page.SCRIPTS):
        text = (TEMPLATES / name).read_text("utf-8")
        assert not re.search(r"</?script|</style|<!--", text, re.IGNORECASE), name
        assert not re.search(
            r"\beval\b|\bFunction\(|innerHTML|insertAdjacent|document\.write", text
        )


@pytest.mark.parametrize(("name", "framework"), PARTS)
@pytest.mark.parametrize("language", ["en", "zh", "ru"])
def test_the_page_of_our_notes_is_small_and_whole(name: str, framework: str, language: str) -> None:
    i18n.activate(language)
    part = lesson.load(name).parts[framework]
    found = captions.ours(part)
    text = page.page(found, part)
    assert len(text.encode()) < 400_000
    assert found.tracks.languages[0] == language
    assert found.first == (language,)
    read = Reader(text)
    assert read.one("html").attributes["lang"] == {"zh": "zh-Hans"}.get(language, language)
    for code in found.tracks.languages:
        said = read.find("span", class_="said", data_language=code)
        assert len(said) == len(found.tracks.transcript)
        tag = {"zh": "zh-Hans"}.get(code, code)
        assert {e.attributes["lang"] for e in said} == {tag}


@pytest.mark.parametrize(("name", "framework"), PARTS)
@pytest.mark.parametrize("language", ["en", "zh", "ru"])
def test_everything_a_step_has_to_say_is_there(name: str, framework: str, language: str) -> None:
    i18n.activate(language)
    part = lesson.load(name).parts[framework]
    read = shown(part=part)

    def plain(text: str) -> str:
        return " ".join(text.replace("`", "").split())

    for step in part.steps:
        panel = read.one("article", data_step=step.id)
        text = plain(panel.whole)
        wanted = [i18n._(p) for p in paragraphs(step.intro)]
        if step.fault:
            fault = catalogue()[step.fault]
            wanted += [i18n._(p) for p in paragraphs(fault.means)] + [i18n._(fault.where)]
            wanted += [i18n._(fault.title)]
        for look in part.looks_at(step.id):
            wanted += [i18n._(look.caption), look.code]
        if step.bug:
            wanted += [i18n._(p) for p in paragraphs(step.bug.reason)]
            wanted += [line for e in step.bug.edits for line in e.healthy.strip().split("\n")]
        wanted.append(i18n._(step.question))
        for each in wanted:
            assert plain(each) in text, each
        if step.fault:
            # As in the walk: the error, a question, looks, and only then what it means.
            words = (fault.quoted or fault.signatures[0]).words
            captions_ = [i18n._(look.caption) for look in part.looks_at(step.id)]
            told = [words, i18n._(step.question), *captions_, i18n._(fault.title)]
            told.append(i18n._(paragraphs(fault.means)[0]))
            places = [text.index(plain(each)) for each in told]
            assert places == sorted(places)
            before = text[: text.index(plain(i18n._(step.question)))]
            assert not re.search(rf"\b{re.escape(step.fault)}\b", before)
        details, *more = [
            e for e in panel.content if not isinstance(e, str) and e.name == "details"
        ]
        lines = details.whole.splitlines()
        code = [line for line in part.text(step.bugs).splitlines() if not line.startswith("#")]
        assert set(code) <= set(lines)
        asides = aside.load(lesson.load(name)).at(part, step.id).asides
        for opened, each in zip(more, asides, strict=True):
            assert plain(opened.whole).startswith(plain(i18n._(each.title)))


@pytest.mark.parametrize(("name", "framework"), PARTS)
def test_what_heads_a_step_tells_how_its_run_ends_and_not_which_fault_it_is(
    name: str, framework: str
) -> None:
    part = lesson.load(name).parts[framework]
    read = shown(part=part)
    headings = [
        e.whole for kind in ("h2", "h3") for e in read.find(kind) if "article" not in e.around
    ]
    headings += [e.whole for e in read.find("button") if "data-step" in e.attributes]
    headings += [e.whole for e in read.find("h2") if "article" in e.around]
    for step in part.steps:
        if step.fault:
            title = catalogue()[step.fault].title.replace("`", "")
            assert not [h for h in headings if title in h]
    assert any("1. The run stops with ValueError" in h for h in headings)


def test_steps_are_chapters_and_those_without_a_cue_are_named() -> None:
    found = made_up()
    read = shown(found)
    buttons = [e for e in read.find("button") if "data-step" in e.attributes]
    listed = [e.attributes["data-step"] for e in buttons if "nav" in e.around]
    assert listed == [INTRO, *(s.id for s in PART.steps), OUTRO]
    missing = [e.attributes["data-step"] for e in buttons if "table" in e.around]
    assert missing == list(found.alignment.missing) == [s.id for s in PART.steps[2:]]


def test_without_missing_steps_there_is_no_table_of_them() -> None:
    read = shown(made_up(steps=[step.id for step in PART.steps]))
    assert read.find("section", class_="missing") == []


def test_uncertain_cues_have_a_mark_and_words_for_it() -> None:
    sure, unsure = (shown(made_up(sure=c)) for c in (SURE, SURE - 0.01))
    assert sure.find("button", class_="uncertain") == []
    assert sure.find("p", class_="legend") == []
    marked = unsure.find("button", class_="uncertain")
    assert len(marked) == 6
    assert all("≈" in e.whole and "about here" in e.whole and "84%" in e.whole for e in marked)
    assert len(unsure.find("p", class_="legend")) == 1


def test_a_transcript_of_another_lesson_is_called_that() -> None:
    assert shown(made_up(related=0.5)).find("p", class_="warning") == []
    assert shown(made_up(related=0.4)).find("p", class_="warning") != []


def test_cues_without_a_text_in_a_language_and_translators_notes() -> None:
    cues = (new_cue(0, 900, ("你好", "[译注]", "Hello")), new_cue(1000, 1900, ("Only\nEnglish",)))
    alignment = assemble(cues, [INTRO, INTRO], [1.0, 1.0], [s.id for s in PART.steps])
    texts = ({"zh": "你好", "en": "Hello"}, {"en": "Only\nEnglish"})
    tracks = LanguageTracks(Transcript(cues), ("zh", "en"), texts, ("[译注]", ""))
    read = shown(Captions(tracks, ("zh", "en"), alignment))
    assert [e.whole for e in read.find("span", class_="said")] == ["你好", "Hello", "Only English"]
    (note,) = read.find("span", class_="note")
    assert (note.whole, note.attributes["lang"]) == ("[译注]", "zh-Hans")


def test_one_language_is_no_choice() -> None:
    assert shown().find("fieldset") == []


def test_every_word_of_the_page_is_translated() -> None:
    """In the made-up language a plain letter is one that was never marked."""
    i18n.activate(i18n.PSEUDO)
    found = made_up(sure=0.5)
    read = shown(found)
    data = {"pre", "code", "script", "style"}
    for element in read.all:
        attributes = element.attributes
        if element.around & data:
            continue
        text = element.text
        if attributes.get("class") == "kicker":
            text = text.replace("ch8-4", "").replace("pt", "")
        if element.name == "kbd":
            text = re.sub(r"^[A-Z]$", "", text)
        for spoken in (text, *(attributes.get(n, "") for n in ("title", "aria-label"))):
            assert not LETTERS.search(spoken) or attributes.get("lang"), (element.name, spoken)
    strings = data_of(read)["strings"]
    for name, words in strings.items():
        for said in words.values() if isinstance(words, dict) else [words]:
            kept = re.sub(r"\{\w+\}", "", said)
            assert not LETTERS.search(kept), (name, said)


@pytest.mark.live
def test_every_word_of_the_page_reaches_the_translators(asked: set[object]) -> None:
    page.page(made_up(sure=0.5, related=0.1), PART)
    known = {message.id for message in translations.gather()}
    assert {m for m in asked if m not in known} == set()


def test_the_script_has_all_the_words_that_it_says() -> None:
    script = "".join((TEMPLATES / name).read_text("utf-8") for name in page.SCRIPTS)
    said = set(re.findall(r"\bsay\(\s*\"(\w+)\"", script))
    said |= {"play", "pause", "watch", "mirror"}
    strings = data_of(shown())["strings"]
    assert said == set(strings)


def test_links_lead_to_the_video_and_to_its_mirror() -> None:
    assert PART.video is not None
    links = data_of(shown())["links"]
    assert links == {
        "watch": f"https://www.youtube.com/watch?v={PART.video}&t={{seconds}}s",
        "mirror": None,
    }
    mirrored = replace(PART, mirror="https://videos.example/{video}?at={seconds}")
    links = data_of(shown(part=mirrored))["links"]
    assert links["mirror"] == f"https://videos.example/{PART.video}?at={{seconds}}"


def test_without_a_video_there_is_no_link_and_no_embedded_player() -> None:
    found = data_of(shown(part=replace(PART, video=None), embed=True))
    assert found["links"] == {"watch": None, "mirror": None}
    assert found["embed"] is None


@pytest.mark.parametrize("language", ["en", "zh", "ru"])
def test_each_plural_that_a_browser_can_ask_for_is_there(language: str) -> None:
    i18n.activate(language)
    strings = data_of(shown())["strings"]
    assert set(strings["matches"]) == {"one", "few", "many", "other"}


@pytest.mark.parametrize(("video", "beside", "other"), [("tf", "pt", "tf"), ("pt", "pt", None)])
def test_a_transcript_of_the_lessons_other_video_is_known(
    video: str, beside: str, other: str | None
) -> None:
    transcript = paths.subtitles() / "ch8-4" / video / "en.srt"
    part = lesson.load("ch8-4").parts[beside]
    found = captions.of_viewer(parser.load(transcript).transcript, part, pins=False)
    assert captions.other_framework(found, part) == other
