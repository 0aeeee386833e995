"""The playback page in a real Chromium, from `file://`, with a real video.

Mouse and keyboard, Chinese and Russian, light and dark. Every test ends with a look at what the
page asked for (nothing that leaves the machine) and at the console (silent); axe looks at every
state.
"""

import base64
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from course.base import i18n
from course.lesson import lesson
from course.subtitles.playback import captions, page, serve
from course.subtitles.transcript import parser
from tests.subtitles.browser import film
from tests.subtitles.browser.chromium import OWN, Visit, Visits, visits
from tests.subtitles.serving import serving
from tests.tiers import exhaustive, sample

pytestmark = pytest.mark.live

PART = lesson.load("ch8-4").parts["pt"]
LOOKS = sample(
    [("zh", "light"), ("zh", "dark"), ("ru", "light"), ("ru", "dark")],
    lambda _number, look: look == ("ru", "dark"),
    spread=True,
)
DOUBTFUL = """1
00:00:01,000 --> 00:00:03,000
Boil the potatoes <script>alert("1 & 2")</script> --> and peel them

2
00:00:04,000 --> 00:00:06,000
Add <s> salt and <pad> pepper &amp; leave them
"""

BILINGUAL = """1
00:00:01,000 --> 00:00:03,000
训练一开始就报错：没有 input_ids
The training ends at once: no input_ids

2
00:00:04,000 --> 00:00:06,000
Only in English: pad the batch
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages of our notes in each language, a doubtful one, and media beside them."""
    made = tmp_path_factory.mktemp("pages")
    film.make(made / "film.webm", 250)
    film.make(made / "sound.webm", 30, picture=False)
    (made / "broken.webm").write_bytes(b"no video at all")
    for language in ("en", "zh", "ru", i18n.PSEUDO):
        i18n.activate(language)
        found = captions.ours(PART)
        (made / f"{language}.html").write_text(page.page(found, PART), "utf-8")
        found = captions.of_viewer(parser.read(DOUBTFUL.encode()).transcript, PART)
        (made / f"{language}-doubtful.html").write_text(page.page(found, PART), "utf-8")
    i18n.activate("zh")
    found = captions.of_viewer(parser.read(BILINGUAL.encode()).transcript, PART)
    mirrored = replace(PART, mirror="https://videos.example/{video}?at={seconds}")
    (made / "bilingual.html").write_text(page.page(found, mirrored), "utf-8")
    i18n.activate(i18n.SOURCE)
    return made


@pytest.fixture
def visit(chromium: Any, folder: Path) -> Iterator[Visits]:
    with visits(chromium, folder) as opened:
        yield opened


def wait_for_current(visit: Visit, index: int) -> None:
    visit.wait("(n) => document.querySelectorAll('#cues button')[n].ariaCurrent === 'true'", index)


def film_time(visit: Visit) -> float:
    return float(visit.page.evaluate("document.getElementById('video').currentTime"))


def seek_film(visit: Visit, time: float) -> None:
    visit.page.evaluate("(t) => { document.getElementById('video').currentTime = t }", time)


# Seeking and playing


@pytest.mark.parametrize(("language", "scheme"), LOOKS)
def test_a_click_on_a_cue_seeks_and_playing_goes_on_from_there(
    visit: Visits, language: str, scheme: str
) -> None:
    seen = visit(f"{language}.html", scheme, film="film.webm")
    cues = seen.data()["cues"]
    button = seen.page.locator("#cues button").nth(7)
    button.click()
    wait_for_current(seen, 7)
    assert film_time(seen) == pytest.approx(cues[7]["start"] / 1000, abs=0.25)
    assert seen.said() == cues[7]["text"][language].split("\n\n")
    assert seen.page.locator("#captions .said").get_attribute("lang") == (
        "zh-Hans" if language == "zh" else "ru"
    )
    # From right before the next cue on, so that the test need not wait for it.
    seek_film(seen, cues[8]["start"] / 1000 - 0.3)
    seen.page.get_by_role("button", name=seen.data()["strings"]["play"], exact=True).click()
    wait_for_current(seen, 8)
    assert seen.page.evaluate("!document.getElementById('video').paused")
    seen.expect_accessible()
    seen.picture(f"film-{language}-{scheme}")


@pytest.mark.parametrize("key", ["Enter", " "])
@pytest.mark.parametrize(("language", "scheme"), [("zh", "dark"), ("ru", "light")])
def test_a_cue_is_pressed_by_keyboard(visit: Visits, language: str, scheme: str, key: str) -> None:
    seen = visit(f"{language}.html", scheme)
    seen.page.locator("#cues button").nth(3).focus()
    seen.page.keyboard.press("Tab")
    assert seen.page.evaluate("document.activeElement.closest('#cues') !== null")
    seen.page.keyboard.press(key)
    wait_for_current(seen, 4)
    # A space on a button presses that button and nothing else: the clock still stands.
    assert not seen.page.evaluate("document.documentElement.classList.contains('playing')")
    assert seen.page.evaluate("document.activeElement.ariaCurrent") == "true"


def test_the_clock_drives_the_notes_where_there_is_no_video(visit: Visits) -> None:
    seen = visit("zh.html")
    cues = seen.data()["cues"]
    first = seen.page.locator("#watch").get_attribute("href")
    assert first == f"https://www.youtube.com/watch?v={PART.video}&t=0s"
    seen.page.locator("#cues button").nth(5).click()
    start = cues[5]["start"] // 1000
    assert seen.page.locator("#watch").get_attribute("href").endswith(f"&t={start}s")
    seen.page.locator("#play").click()
    wait_for_current(seen, 6)
    seen.page.locator("#play").click()
    stopped = seen.time
    seen.page.wait_for_timeout(400)
    assert seen.time == stopped
    seen.expect_accessible()


def test_the_clock_stops_at_the_end_and_begins_anew(visit: Visits) -> None:
    seen = visit("ru.html")
    duration = seen.data()["duration"]
    seen.page.evaluate("(t) => { location.hash = `t=${t}` }", round(duration - 0.4, 1))
    seen.page.locator("#play").click()
    seen.wait("!document.documentElement.classList.contains('playing')")
    assert seen.time == pytest.approx(duration, abs=0.11)
    seen.page.locator("#play").click()
    seen.wait("document.documentElement.classList.contains('playing')")
    seen.wait("Number(document.getElementById('seek').value) < 5")


def test_the_slider_seeks_by_keyboard_and_says_where_it_is(visit: Visits) -> None:
    seen = visit("ru.html", film="film.webm")
    seen.page.locator("#seek").focus()
    for _ in range(5):
        seen.page.keyboard.press("PageUp")
    assert seen.time > 20
    at = "document.getElementById('video').currentTime - document.getElementById('seek').value"
    seen.wait(f"Math.abs({at}) < 0.3")
    said = seen.page.locator("#seek").get_attribute("aria-valuetext")
    assert seen.page.locator("#time").inner_text() in said


def test_a_file_is_dropped_on_the_page(visit: Visits, folder: Path) -> None:
    seen = visit("zh.html")
    seen.page.locator("#cues button").nth(9).click()
    before = seen.time
    data = (folder / "film.webm").read_bytes()
    transfer = seen.page.evaluate_handle(
        """(text) => {
          const carried = new DataTransfer();
          const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
          carried.items.add(new File([bytes], "film.webm", {type: "video/webm"}));
          return carried;
        }""",
        base64.b64encode(data).decode(),
    )
    seen.page.dispatch_event("#screen", "dragover", {"dataTransfer": transfer})
    assert "dropping" in seen.page.locator("#screen").get_attribute("class")
    seen.page.dispatch_event("#screen", "drop", {"dataTransfer": transfer})
    seen.wait("document.getElementById('video').readyState > 1")
    # It goes on at the time where the clock was.
    assert film_time(seen) == pytest.approx(before, abs=0.25)
    assert seen.page.locator("#clock").is_hidden()
    seen.page.locator("#without").click()
    assert seen.page.locator("#clock").is_visible()
    assert seen.time == pytest.approx(before, abs=0.25)


def test_a_file_that_is_no_video_leaves_the_clock_and_a_sentence(
    visit: Visits, folder: Path
) -> None:
    seen = visit("ru.html")
    seen.page.set_input_files("#file", folder / "broken.webm")
    seen.wait("document.getElementById('status').textContent.includes('broken.webm')")
    assert seen.page.locator("#clock").is_visible()
    assert seen.page.locator("#video").is_hidden()
    seen.page.locator("#cues button").nth(2).click()
    wait_for_current(seen, 2)
    seen.expect_accessible()


def test_sound_alone_is_enough(visit: Visits) -> None:
    seen = visit("zh.html", film="sound.webm")
    seen.wait("document.getElementById('screen').classList.contains('audio')")
    seen.page.keyboard.press("k")
    seen.wait("document.getElementById('video').currentTime > 0.1")
    assert seen.page.locator("#video").bounding_box()["height"] < 100
    seen.expect_accessible()


def test_captions_on_the_video_are_its_text_tracks(visit: Visits) -> None:
    seen = visit("zh.html", film="film.webm")
    cues = seen.data()["cues"]
    tracks = "[...document.getElementById('video').textTracks].map((t) => [t.language, t.mode])"
    assert dict(seen.page.evaluate(tracks)) == {"zh": "hidden", "en": "hidden", "ru": "hidden"}
    seen.page.locator("#place").select_option("over")
    assert dict(seen.page.evaluate(tracks))["zh"] == "showing"
    assert seen.page.locator("#captions").is_hidden()
    seen.page.locator("#cues button").nth(6).click()
    active = """() => [...document.getElementById('video').textTracks]
      .filter((t) => t.mode === 'showing').flatMap((t) => [...t.activeCues].map((c) => c.text))"""
    seen.wait(f"({active})().length > 0")
    assert seen.page.evaluate(active) == [cues[6]["text"]["zh"]]
    seen.picture("captions-on-the-video")
    seen.page.locator("#place").select_option("off")
    assert dict(seen.page.evaluate(tracks))["zh"] == "hidden"
    assert seen.page.locator("#captions").is_hidden()


# Following


def begin_following(seen: Visit, index: int = 20) -> None:
    seen.page.locator("#cues button").nth(index).click()
    seen.settle()
    assert seen.in_view("#cues [aria-current]")
    assert seen.page.locator("#resume").is_hidden()


def advance(seen: Visit, index: int) -> None:
    """Let the time come to a cue without touching the list."""
    start = seen.data()["cues"][index]["start"] / 1000
    slider = "(t) => { const s = document.getElementById('seek'); s.value = t; "
    seen.page.evaluate(f"{slider} s.dispatchEvent(new Event('input')) }}", start + 0.15)
    wait_for_current(seen, index)
    seen.settle()


@pytest.mark.parametrize(("language", "scheme"), LOOKS)
def test_the_list_follows_yields_to_the_wheel_and_resumes(
    visit: Visits, language: str, scheme: str
) -> None:
    seen = visit(f"{language}.html", scheme)
    begin_following(seen)
    advance(seen, 35)
    assert seen.in_view("#cues [aria-current]")
    seen.page.locator("#cues").hover()
    seen.page.mouse.wheel(0, -3000)
    seen.settle()
    place = seen.page.evaluate("document.getElementById('cues').scrollTop")
    resume = seen.page.locator("#resume")
    assert resume.is_visible()
    advance(seen, 36)
    assert seen.page.evaluate("document.getElementById('cues').scrollTop") == place
    assert not seen.in_view("#cues [aria-current]")
    seen.expect_accessible()
    seen.picture(f"yielded-{language}-{scheme}")
    resume.click()
    seen.settle()
    assert seen.in_view("#cues [aria-current]")
    assert resume.is_hidden()
    advance(seen, 38)
    assert seen.in_view("#cues [aria-current]")


@pytest.mark.parametrize("key", ["PageUp", exhaustive("Home"), exhaustive("ArrowUp"), "Tab"])
def test_the_list_yields_to_keys_and_resumes_by_key(visit: Visits, key: str) -> None:
    seen = visit("zh.html")
    begin_following(seen, 30)
    seen.page.keyboard.press(key)
    seen.settle()
    assert seen.page.locator("#resume").is_visible()
    seen.page.keyboard.press("f")
    seen.settle()
    assert seen.page.locator("#resume").is_hidden()
    advance(seen, 5)
    assert seen.in_view("#cues [aria-current]")


def test_the_button_that_resumes_is_pressed_by_keyboard(visit: Visits) -> None:
    seen = visit("ru.html")
    begin_following(seen)
    seen.page.locator("#cues").hover()
    seen.page.mouse.wheel(0, 2000)
    seen.settle()
    seen.page.locator("#resume").focus()
    seen.page.keyboard.press("Enter")
    seen.settle()
    assert seen.in_view("#cues [aria-current]")
    # The button is gone; the focus is not lost with it.
    assert seen.page.evaluate("document.activeElement.id") == "cues"


def test_the_list_yields_to_its_scroll_bar(visit: Visits) -> None:
    seen = visit("ru.html")
    begin_following(seen)
    # A scroll bar moves the list and sends no other event that a page could see.
    seen.page.wait_for_timeout(1000)
    seen.page.evaluate("document.getElementById('cues').scrollTop = 0")
    seen.wait("!document.getElementById('resume').hidden")
    advance(seen, 25)
    assert seen.page.evaluate("document.getElementById('cues').scrollTop") == 0


def test_following_can_be_turned_off_for_good(visit: Visits) -> None:
    seen = visit("zh.html")
    seen.page.locator("#follow").uncheck()
    advance(seen, 40)
    assert seen.page.evaluate("document.getElementById('cues').scrollTop") == 0
    seen.page.locator("#cues").hover()
    seen.page.mouse.wheel(0, 300)
    seen.settle()
    assert seen.page.locator("#resume").is_hidden()
    seen.page.reload()
    assert not seen.page.locator("#follow").is_checked()


def test_following_moves_the_list_and_never_the_page(visit: Visits) -> None:
    seen = visit("ru.html", size="phone")
    seen.page.locator("#panel").scroll_into_view_if_needed()
    seen.page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    seen.page.locator("#help-open").evaluate("(e) => e.focus({ preventScroll: true })")
    before = seen.page.evaluate("window.scrollY")
    advance(seen, 5)
    assert seen.page.evaluate("window.scrollY") == before
    assert seen.page.evaluate("document.activeElement.id") == "help-open"


def test_other_languages_and_a_turned_phone_are_no_scrolling(visit: Visits) -> None:
    seen = visit("zh.html", size="phone")
    begin_following(seen, 40)
    for change in (
        lambda: seen.page.get_by_label("English").check(),
        lambda: seen.page.set_viewport_size({"width": 812, "height": 375}),
        lambda: seen.page.get_by_label("English").uncheck(),
        lambda: seen.page.set_viewport_size({"width": 375, "height": 812}),
    ):
        seen.page.wait_for_timeout(1000)
        change()
        seen.page.wait_for_timeout(400)
        seen.settle()
        assert seen.page.locator("#resume").is_hidden()
        assert seen.in_view("#cues [aria-current]")


def test_with_reduced_motion_the_list_leaps(visit: Visits) -> None:
    seen = visit("zh.html", reduced_motion="reduce")
    begin_following(seen)
    moved = seen.page.evaluate(
        """() => {
          const box = document.getElementById('cues');
          const before = box.scrollTop;
          document.querySelectorAll('#cues button')[24].click();
          return box.scrollTop !== before;
        }"""
    )
    assert moved


# Searching


def hits(seen: Visit) -> list[str]:
    return list(seen.page.locator("#cues mark").all_inner_texts())


def search(seen: Visit, text: str) -> list[str]:
    seen.page.locator("#search").fill(text)
    seen.page.locator("#search").press("Enter")
    return hits(seen)


def test_search_in_chinese(visit: Visits) -> None:
    seen = visit("zh.html")
    wanted = sum(cue["text"]["zh"].count("批次") for cue in seen.data()["cues"])
    assert wanted > 1
    seen.page.keyboard.press("/")
    assert seen.page.evaluate("document.activeElement.id") == "search"
    seen.page.keyboard.type("批次")
    seen.page.wait_for_selector("mark.now")  # Enter would go to the next hit.
    assert hits(seen) == ["批次"] * wanted
    assert str(wanted) in seen.page.locator("#count").inner_text()
    now = seen.page.locator("mark.now")
    first = now.evaluate("(m) => [...document.querySelectorAll('#cues mark')].indexOf(m)")
    assert first == 0
    seen.settle()
    assert seen.in_view("mark.now")
    seen.expect_accessible()
    seen.picture("search-zh")
    place = "(m) => [...document.querySelectorAll('#cues mark')].indexOf(m)"
    seen.page.keyboard.press("Enter")
    assert now.evaluate(place) == 1
    seen.page.keyboard.press("Shift+Enter")
    seen.page.keyboard.press("Shift+Enter")
    assert now.evaluate(place) == wanted - 1
    # From the match straight to its moment.
    seen.page.locator("#hit-play").click()
    assert seen.page.locator("#cues [aria-current] mark.now").count() == 1


def test_search_in_russian_minds_neither_case_nor_yo(visit: Visits) -> None:
    seen = visit("ru.html", "dark")
    texts = [cue["text"]["ru"] for cue in seen.data()["cues"]]
    wanted = sum(len(re.findall("батч", text, re.IGNORECASE)) for text in texts)
    assert wanted > 1
    seen.page.locator("#search").fill("БАТЧ")
    seen.wait("document.querySelectorAll('#cues mark').length > 0")
    assert len(hits(seen)) == wanted
    seen.expect_accessible()
    seen.picture("search-ru-dark")
    yo = next(word for text in texts for word in re.findall(r"\w*ё\w*", text))
    seen.page.locator("#search").fill(yo.replace("ё", "е").upper())
    seen.wait("(w) => document.querySelector('#cues mark')?.textContent === w", yo)


def test_search_for_what_is_not_there_and_for_signs(visit: Visits) -> None:
    seen = visit("en.html")
    seen.page.locator("#search").fill("potatoes")
    seen.wait("document.getElementById('count').textContent === '0 matches'")
    assert seen.page.locator("#hit-next").is_disabled()
    wanted = sum(cue["text"]["en"].count("[0]") for cue in seen.data()["cues"])
    assert search(seen, "[0]") == ["[0]"] * wanted
    seen.page.locator("#search").fill("")
    seen.wait("document.querySelectorAll('#cues mark').length === 0")
    assert seen.page.locator("#count").inner_text() == ""


def test_search_looks_into_the_languages_that_are_shown(visit: Visits) -> None:
    seen = visit("zh.html")
    alone = len(search(seen, "dataset"))
    seen.page.get_by_label("English").check()
    assert len(hits(seen)) > alone


# Languages


@pytest.mark.parametrize(("language", "scheme"), LOOKS)
def test_one_language_or_two(visit: Visits, language: str, scheme: str) -> None:
    seen = visit(f"{language}.html", scheme)
    cues = seen.data()["cues"]
    boxes = {name: seen.page.locator(f".languages [value={name}]") for name in ("zh", "ru", "en")}
    assert [name for name in boxes if boxes[name].is_checked()] == [language]
    seen.page.locator("#cues button").nth(6).click()
    boxes["en"].check()
    both = [cues[6]["text"][language], cues[6]["text"]["en"]]
    assert seen.said() == both
    shown = seen.page.locator("#cues button").nth(6).locator(".said:visible")
    assert [t.get_attribute("data-language") for t in shown.all()] == [language, "en"]
    seen.expect_accessible()
    seen.picture(f"two-languages-{language}-{scheme}")
    # A third takes the place of the one that was there first; the last one stays.
    third = "ru" if language == "zh" else "zh"
    boxes[third].check()
    assert sum(box.is_checked() for box in boxes.values()) == 2
    assert boxes[third].is_checked()
    for box in boxes.values():
        if box.is_checked():
            box.click()
    assert sum(box.is_checked() for box in boxes.values()) == 1
    (left,) = (name for name in boxes if boxes[name].is_checked())
    seen.page.reload()
    assert [name for name in boxes if boxes[name].is_checked()] == [left]


def test_a_transcript_in_two_languages_shows_both(visit: Visits) -> None:
    seen = visit("bilingual.html")
    seen.page.locator("#cues button").nth(0).click()
    assert seen.said() == [
        "训练一开始就报错：没有 input_ids",
        "The training ends at once: no input_ids",
    ]
    # A cue that lacks what is asked for is shown in what it has.
    seen.page.get_by_label("English").uncheck()
    assert len(seen.said()) == 1
    seen.page.locator("#cues button").nth(1).click()
    assert seen.said() == ["Only in English: pad the batch"]
    assert seen.page.locator("#captions .said").get_attribute("lang") == "en"
    mirror = seen.page.locator("#mirror")
    assert mirror.get_attribute("href") == f"https://videos.example/{PART.video}?at=4"
    assert mirror.get_attribute("rel") == "noopener noreferrer"


# Links and memory


@pytest.mark.parametrize(
    ("link", "time"), [("#t=83.5", 83.5), ("#t=1:23", 83), ("#t=0:01:23.5", 83.5), ("#t=9", 9)]
)
def test_a_link_leads_to_its_moment(visit: Visits, link: str, time: float) -> None:
    seen = visit(f"zh.html{link}")
    assert seen.time == time
    wait_for_current(seen, seen.current)
    seen.settle()
    assert seen.in_view("#cues [aria-current]")
    seen.page.evaluate("location.hash = 't=2:00'")
    seen.wait("Number(document.getElementById('seek').value) === 120")


@pytest.mark.parametrize(
    ("link", "end"),
    [(f"#{x}", 0) for x in ("t=", "t=x", "t=-5", "t=1e9", "x", "t=1:2:3:4")] + [("#t=99999", 1)],
)
def test_a_link_that_means_nothing_leads_to_the_beginning_and_one_beyond_the_end_to_it(
    visit: Visits, link: str, end: int
) -> None:
    seen = visit(f"zh.html{link}")
    assert seen.time == pytest.approx(end * seen.data()["duration"], abs=0.11 * end)


def test_a_link_to_this_moment_is_copied(visit: Visits, folder: Path) -> None:
    seen = visit("ru.html", permissions=["clipboard-read", "clipboard-write"])
    seen.page.locator("#cues button").nth(4).click()
    seen.page.locator("#copy").click()
    seen.wait("document.getElementById('status').textContent !== ''")
    link = seen.page.evaluate("navigator.clipboard.readText()")
    tenth = -(-seen.data()["cues"][4]["start"] // 100) / 10
    assert link == f"file://{folder}/ru.html#t={tenth:g}"
    other = visit(url=link)
    assert other.current == 4


def test_without_a_clipboard_the_link_is_in_the_address(visit: Visits) -> None:
    forbid = "Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => undefined })"
    seen = visit("zh.html", prepare=forbid)
    seen.page.locator("#cues button").nth(4).click()
    seen.page.locator("#copy").click()
    seen.wait("location.hash.startsWith('#t=')")


def test_the_page_remembers_where_the_viewer_was(visit: Visits, folder: Path) -> None:
    seen = visit("zh.html")
    seen.page.locator("#cues button").nth(12).click()
    was = seen.time
    seen.page.reload()
    assert seen.time == pytest.approx(was, abs=0.11)
    assert seen.current == 12
    # A link is stronger than the memory.
    seen.page.goto("about:blank")
    seen.page.goto(f"file://{folder}/zh.html#t=5")
    assert seen.time == 5
    seen.asked.clear()


@pytest.mark.parametrize(
    "prepare",
    [
        "Object.defineProperty(window, 'localStorage', { get() { throw new Error('no') } })",
        "Storage.prototype.setItem = () => { throw new Error('full') }",
        "localStorage.setItem('course:settings', '{')",
        "localStorage.setItem('course:settings', '[\"x\"]')",
        'localStorage.setItem(\'course:settings\', \'{"languages": ["xx"], "theme": "x"}\')',
    ],
)
def test_the_page_works_without_a_memory(visit: Visits, prepare: str) -> None:
    seen = visit("zh.html", prepare=prepare)
    seen.page.locator("#cues button").nth(12).click()
    wait_for_current(seen, 12)
    seen.page.locator("#theme").select_option("dark")
    seen.page.locator("#speed").select_option("1.5")
    seen.page.reload()
    assert seen.page.locator("#cues button").count() == len(seen.data()["cues"])


# Speed and keys


def test_speed_by_choice_and_by_key(visit: Visits) -> None:
    seen = visit("ru.html", film="film.webm")
    rate = "document.getElementById('video').playbackRate"
    seen.page.locator("#speed").select_option("1.5")
    seen.wait(f"{rate} === 1.5")
    seen.page.locator("#cues button").first.focus()
    seen.page.keyboard.press("]")
    seen.wait(f"{rate} === 1.75")
    assert seen.page.locator("#speed").input_value() == "1.75"
    for _ in range(9):
        seen.page.keyboard.press("[")
    seen.wait(f"{rate} === 0.5")
    seen.page.reload()
    assert seen.page.locator("#speed").input_value() == "0.5"


def test_the_clock_keeps_the_speed(visit: Visits) -> None:
    seen = visit("zh.html")
    seen.page.locator("#speed").select_option("2")
    seen.page.locator("#play").click()
    elapsed = seen.page.evaluate(
        """() => new Promise((done) => {
          const time = () => Number(document.getElementById('seek').value);
          const [began, from] = [performance.now(), time()];
          setTimeout(() => done((time() - from) / ((performance.now() - began) / 1000)), 1500);
        })"""
    )
    assert 1.6 < elapsed < 2.4


def test_keys_play_and_leap(visit: Visits) -> None:
    seen = visit("zh.html")
    leaps = (("l", 10), ("ArrowRight", 15), ("j", 5), ("ArrowLeft", 0), ("ArrowLeft", 0))
    for key, time_after in leaps:
        seen.page.keyboard.press(key)
        assert seen.time == time_after
    for key in (" ", "k"):
        seen.page.keyboard.press(key)
        seen.wait("document.documentElement.classList.contains('playing')")
        seen.page.keyboard.press(key)
        seen.wait("!document.documentElement.classList.contains('playing')")


def test_keys_of_a_russian_keyboard(visit: Visits) -> None:
    seen = visit("ru.html")
    seen.page.evaluate(
        "document.body.dispatchEvent(new KeyboardEvent('keydown', "
        "{ key: 'д', code: 'KeyL', bubbles: true }))"
    )
    assert seen.time == 10


def test_keys_are_letters_while_one_types(visit: Visits) -> None:
    seen = visit("ru.html")
    seen.page.locator("#search").focus()
    seen.page.keyboard.type("jkl np ?/[]")
    assert seen.page.locator("#search").input_value() == "jkl np ?/[]"
    assert seen.time == 0
    assert not seen.page.evaluate("document.getElementById('help').open")
    seen.page.locator("#cues button").first.focus()
    seen.page.keyboard.press("Control+l")
    assert seen.time == 0


@pytest.mark.parametrize(("language", "scheme"), LOOKS)
def test_keys_are_told_and_can_be_turned_off(visit: Visits, language: str, scheme: str) -> None:
    seen = visit(f"{language}.html", scheme)
    seen.page.keyboard.press("?")
    assert seen.page.evaluate("document.getElementById('help').open")
    seen.expect_accessible()
    seen.picture(f"help-{language}-{scheme}")
    seen.page.locator("#shortcuts").uncheck()
    seen.page.keyboard.press("Escape")
    assert not seen.page.evaluate("document.getElementById('help').open")
    for key in ("l", "n", "?", "/"):
        seen.page.keyboard.press(key)
    assert seen.time == 0
    assert not seen.page.evaluate("document.getElementById('help').open")
    seen.page.reload()
    seen.page.keyboard.press("l")
    assert seen.time == 0
    seen.page.locator("#help-open").click()
    seen.page.locator("#shortcuts").check()
    seen.page.locator("#help-close").click()
    seen.page.keyboard.press("l")
    assert seen.time == 10


# Steps


@pytest.mark.parametrize(("language", "scheme"), LOOKS)
def test_the_step_in_hand_follows_the_video(visit: Visits, language: str, scheme: str) -> None:
    seen = visit(f"{language}.html", scheme, film="film.webm")
    segments = seen.data()["segments"]
    for segment in segments:
        seek_film(seen, segment["start"] / 1000 + 0.05)
        chosen = "document.querySelector('#steps-list [aria-current=step]').dataset.step"
        seen.wait(f"(s) => {chosen} === s", segment["step"])
        assert seen.step == segment["step"]
    seen.page.locator(f"#steps-list [data-step={segments[2]['step']}]").click()
    seen.page.locator(".step:visible summary").first.click()
    seen.expect_accessible()
    seen.page.evaluate("window.scrollTo(0, 0)")
    seen.picture(f"step-{language}-{scheme}", whole=True)


def test_next_and_previous_step(visit: Visits) -> None:
    seen = visit("ru.html")
    segments = seen.data()["segments"]
    names = [segment["step"] for segment in segments]
    starts = [segment["start"] / 1000 for segment in segments]
    seen.page.locator("#next").click()
    seen.page.locator("#next").click()
    assert seen.step == names[1]
    seen.page.keyboard.press("n")
    assert seen.step == names[2]
    assert seen.time == pytest.approx(starts[2], abs=0.06)
    seen.page.keyboard.press("l")
    # First back to where the step begins, then to the one before.
    seen.page.keyboard.press("p")
    assert seen.time == pytest.approx(starts[2], abs=0.06)
    seen.page.locator("#previous").click()
    assert seen.time == pytest.approx(starts[1], abs=0.06)
    for _ in names:
        seen.page.keyboard.press("p")
    assert seen.step == names[0]
    for _ in range(len(names) + 2):
        seen.page.keyboard.press("n")
    assert seen.step == names[-1]


def test_a_step_is_chosen_from_the_list(visit: Visits) -> None:
    seen = visit("zh.html")
    segment = seen.data()["segments"][3]
    button = seen.page.locator(f"#steps-list [data-step={segment['step']}]")
    button.focus()
    seen.page.keyboard.press("Enter")
    assert seen.time == pytest.approx(segment["start"] / 1000, abs=0.06)
    assert seen.step == segment["step"]
    assert seen.page.evaluate("document.activeElement.dataset.step") == segment["step"]


def test_a_step_that_the_video_lacks_can_be_read(visit: Visits) -> None:
    seen = visit("zh.html")
    met = {segment["step"] for segment in seen.data()["segments"]}
    missing = [step.id for step in PART.steps if step.id not in met]
    assert missing
    button = seen.page.locator(f".missing [data-step={missing[0]}]")
    button.click()
    assert seen.step == missing[0]
    assert seen.time == 0
    seen.expect_accessible()
    # It stays until the viewer lets go of it.
    advance(seen, 20)
    assert seen.step == missing[0]
    seen.page.locator("#pin").click()
    assert seen.step == seen.data()["segments"][seen.data()["cues"][20]["segment"]]["step"]


def test_a_step_can_be_kept(visit: Visits) -> None:
    seen = visit("ru.html")
    advance(seen, 6)
    kept = seen.step
    seen.page.locator("#pin").click()
    assert seen.page.locator("#pin").get_attribute("aria-pressed") == "true"
    advance(seen, 40)
    assert seen.step == kept
    seen.page.keyboard.press("n")
    assert seen.step != kept
    assert seen.page.locator("#pin").get_attribute("aria-pressed") == "false"


def test_an_open_script_is_open_at_the_next_step_too(visit: Visits) -> None:
    seen = visit("en.html")
    seen.page.keyboard.press("n")
    seen.page.keyboard.press("n")
    seen.page.locator(".step:visible summary").first.click()
    assert seen.page.locator(".step:visible details pre").first.is_visible()
    seen.page.keyboard.press("n")
    assert seen.page.locator(".step:visible details pre").first.is_visible()


# The hall


def test_in_the_hall_one_step_is_shown_in_large_type_and_keys_turn_it(visit: Visits) -> None:
    seen = visit("zh.html")
    steps = seen.page.eval_on_selector_all(".step", "(all) => all.map((s) => s.dataset.step)")
    small = seen.page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)")
    seen.page.keyboard.press("h")
    large = seen.page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)")
    assert large > 1.3 * small
    for hidden in (".player", ".transcript", ".steps", "#hall-open"):
        assert seen.page.locator(hidden).first.is_hidden()
    assert seen.step == steps[0]
    for key, step in ((" ", 1), ("ArrowRight", 2), ("PageDown", 3), ("ArrowLeft", 2)):
        seen.page.keyboard.press(key)
        assert seen.step == steps[step]
    seen.expect_accessible()
    seen.picture("hall", whole=True)
    seen.page.keyboard.press("Escape")
    assert seen.page.locator(".player").is_visible()
    assert seen.step == steps[2]
    assert seen.page.evaluate("document.activeElement.id") == "hall-open"
    seen.page.reload()
    assert seen.page.locator(".player").is_visible()


def test_an_address_opens_in_the_hall_and_its_buttons_stop_at_the_ends(visit: Visits) -> None:
    seen = visit("ru.html?hall", size="phone")
    count = seen.page.locator(".step").count()
    assert seen.page.locator("#hall-previous").is_disabled()
    for _ in range(count - 1):
        seen.page.locator("#hall-next").click()
    assert seen.page.locator("#hall-next").is_disabled()
    assert seen.page.locator("#hall-at").inner_text().startswith(str(count))
    seen.page.locator("#hall-close").click()
    assert seen.page.locator(".transcript").is_visible()


# Looks


def test_light_dark_or_as_the_system(visit: Visits) -> None:
    seen = visit("zh.html", "dark")
    theme = "document.documentElement.dataset.theme"
    ground = "getComputedStyle(document.body).backgroundColor"
    assert seen.page.evaluate(theme) == "dark"
    night = seen.page.evaluate(ground)
    seen.page.locator("#theme").select_option("light")
    assert seen.page.evaluate(ground) != night
    seen.page.reload()
    assert seen.page.evaluate(theme) == "light"
    seen.page.locator("#theme").select_option("system")
    assert seen.page.evaluate(ground) == night
    seen.page.emulate_media(color_scheme="light")
    seen.wait(f"{theme} === 'light'")


@pytest.mark.parametrize(("language", "scheme"), LOOKS)
def test_a_phone_scrolls_in_one_direction(visit: Visits, language: str, scheme: str) -> None:
    seen = visit(f"{language}.html", scheme, "phone", has_touch=True, is_mobile=True)
    for width in (375, 320):
        seen.page.set_viewport_size({"width": width, "height": 700})
        for segment in seen.data()["segments"]:
            seen.page.evaluate("(t) => { location.hash = `t=${t}` }", segment["start"] / 1000)
            wide = seen.page.evaluate(
                """() => [...document.querySelectorAll('body *')]
                  .filter((e) => e.checkVisibility() && !e.closest('.unseen, .skip')
                    && e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML)"""
            )
            assert wide == []
            assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
    seen.page.set_viewport_size({"width": 375, "height": 812})
    seen.expect_accessible()
    seen.picture(f"phone-{language}-{scheme}")
    seen.picture(f"phone-whole-{language}-{scheme}", whole=True)


def test_twice_the_size_is_half_the_room(visit: Visits) -> None:
    """What a browser does at 200 %: half the pixels in each direction."""
    seen = visit("ru.html", device_scale_factor=2)
    seen.page.set_viewport_size({"width": 640, "height": 400})
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= 640
    begin_following(seen)
    seen.expect_accessible()


def test_spacing_of_the_viewers_own_hides_nothing(visit: Visits) -> None:
    """WCAG 1.4.12: more room between lines, words and letters."""
    seen = visit("zh.html")
    seen.page.evaluate(
        """() => {
          const sheet = new CSSStyleSheet();
          sheet.replaceSync(`* { line-height: 1.5 !important; letter-spacing: 0.12em !important;
            word-spacing: 0.16em !important; } p { margin-bottom: 2em !important; }`);
          document.adoptedStyleSheets = [sheet];
        }"""
    )
    cut = seen.page.evaluate(
        """() => [...document.querySelectorAll('button, summary, h1, h2, h3, p, label')]
          .filter((e) => e.checkVisibility() && !e.closest('.unseen')
            && e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflow !== 'visible')
          .map((e) => e.outerHTML.slice(0, 200))"""
    )
    assert cut == []


def test_on_paper_there_is_all_the_text_and_nothing_to_click(visit: Visits) -> None:
    seen = visit("ru.html", "dark")
    seen.page.locator("#cues button").nth(12).click()
    seen.page.emulate_media(media="print")
    seen.wait("[...document.querySelectorAll('.step details')].every((d) => d.open)")
    hidden = ("#play", "#seek", "#search", "#pin", "#follow", "#theme", ".languages", "#copy")
    for selector in (*hidden, "#steps-list"):
        assert seen.page.locator(selector).first.is_hidden(), selector
    assert seen.page.locator(".step:visible").count() == seen.page.locator(".step").count()
    assert seen.page.locator("#cues .when:visible").count() == len(seen.data()["cues"])
    white = "rgb(255, 255, 255)"
    assert seen.page.evaluate("getComputedStyle(document.body).backgroundColor") == white
    assert seen.page.evaluate("getComputedStyle(document.body).color") == "rgb(34, 38, 43)"
    seen.picture("print-ru", whole=True)
    seen.page.emulate_media(media="screen")
    seen.wait("[...document.querySelectorAll('.step details')].every((d) => !d.open)")
    assert seen.page.pdf().startswith(b"%PDF")


def test_without_a_script_the_page_can_be_read(visit: Visits) -> None:
    seen = visit("zh.html", java_script_enabled=False)
    assert seen.page.locator(".step:visible").count() == seen.page.locator(".step").count()
    assert seen.page.locator("#cues button:visible").count() > 30


def test_what_has_the_focus_can_be_seen(visit: Visits) -> None:
    seen = visit("ru.html")
    for _ in range(25):
        seen.page.keyboard.press("Tab")
        width = seen.page.evaluate(
            """() => { const e = document.activeElement.closest('.file') ?? document.activeElement;
              return [e.outerHTML.slice(0, 100), getComputedStyle(e).outlineWidth,
                      getComputedStyle(e).outlineStyle]; }"""
        )
        assert width[1:] == ["3px", "solid"], width


# What is odd


@pytest.mark.parametrize(("language", "scheme"), [("zh", "light"), ("ru", "dark")])
def test_a_transcript_of_something_else_is_marked_and_its_tags_are_text(
    visit: Visits, language: str, scheme: str
) -> None:
    seen = visit(f"{language}-doubtful.html", scheme, film="film.webm")
    assert seen.page.locator(".warning").is_visible()
    assert seen.page.locator("#cues button.uncertain").count() == 2
    about = {"zh": "大致在这里", "ru": "примерно здесь"}[language]
    cues = seen.page.locator("#cues")
    assert cues.get_by_text(about).count() == cues.get_by_role("button", name=about).count() == 2
    assert all(each.is_visible() for each in cues.get_by_text(about).all())
    seen.page.locator("#cues button").nth(0).click()
    wanted = 'Boil the potatoes <script>alert("1 & 2")</script> --> and peel them'
    assert seen.said() == [wanted]
    seen.page.locator("#place").select_option("over")
    text = """() => [...document.getElementById('video').textTracks[0].activeCues]
      .map((c) => c.getCueAsHTML().textContent)"""
    seen.wait(f"({text})().length > 0")
    assert seen.page.evaluate(text) == [wanted]
    assert search(seen, "<script>") == ["<script>"]
    assert seen.page.locator("#cues script").count() == 0
    seen.expect_accessible()
    seen.picture(f"doubtful-{language}-{scheme}")


# Served


@pytest.fixture
def served() -> Iterator[serve.PlaybackServer]:
    i18n.activate("ru")
    text = page.page(captions.ours(PART), PART, embed=True)
    with serving(serve.PlaybackServer(text)) as server:
        yield server


@pytest.fixture
def served_film(folder: Path) -> Iterator[serve.PlaybackServer]:
    i18n.activate("zh")
    video = folder / "film.webm"
    text = page.page(captions.ours(PART), PART, file=serve.address(video))
    with serving(serve.PlaybackServer(text, video)) as server:
        yield server


STAND_IN = """<!doctype html><script>
// Speaks as the embedded player does: https://developers.google.com/youtube/iframe_api_reference
let [at, playing, rate, listener] = [0, false, 1, null];
const tell = (message) => listener?.postMessage(JSON.stringify(message), "*");
const deliver = () => tell({ event: "infoDelivery", id: 1, info: {
  currentTime: at, duration: 248, playbackRate: rate, playerState: playing ? 1 : 2 } });
addEventListener("message", ({ data, source }) => {
  const { event, func, args } = JSON.parse(data);
  if (event === "listening") {
    listener = source;
    tell({ event: "onReady", id: 1 });
  }
  if (func === "playVideo") playing = true;
  if (func === "pauseVideo") playing = false;
  if (func === "seekTo") at = args[0];
  if (func === "setPlaybackRate") rate = args[0];
  // All of them: two may come before anybody looks, as a leap and a pause do.
  if (func) document.title += `${func} ${args};`;
  deliver();
});
setInterval(() => { if (playing) { at += 0.1 * rate; deliver(); } }, 100);
</script>"""


def embedded(visit: Visits, served: serve.PlaybackServer, answer: Callable[[Any], None]) -> Visit:
    """Open the served page; `answer` stands in for the embedded player."""
    seen = visit(url=served.url, routes={f"{page.PLAYER}/**": answer})
    seen.allowed = (*OWN, served.url, page.PLAYER)
    return seen


def test_the_embedded_player_drives_the_notes(visit: Visits, served: serve.PlaybackServer) -> None:
    asked = []

    def answer(route: Any) -> None:
        asked.append(route.request)
        # A slow connection: the page calls while its frame is still empty, without a complaint.
        time.sleep(0.8)
        route.fulfill(content_type="text/html", body=STAND_IN)

    seen = embedded(visit, served, answer)
    seen.wait("document.getElementById('duration').textContent === '4:08'")
    (request,) = asked
    assert f"/embed/{PART.video}?enablejsapi=1&origin=http%3A%2F%2F127.0.0.1" in request.url
    assert request.headers["referer"] == served.url
    seen.page.locator("#clock").wait_for(state="hidden")
    frame = seen.page.frames[1]
    seen.page.locator("#cues button").nth(8).click()
    start = seen.data()["cues"][8]["start"] / 1000
    frame.wait_for_function("(t) => document.title.includes(`seekTo ${t},true;`)", arg=start)
    seen.page.keyboard.press("k")
    wait_for_current(seen, 9)
    seen.page.keyboard.press("]")
    frame.wait_for_function("document.title.endsWith('setPlaybackRate 1.25;')")
    seen.page.keyboard.press("k")
    frame.wait_for_function("document.title.endsWith('pauseVideo ;')")
    seen.wait("!document.documentElement.classList.contains('playing')")
    seen.expect_accessible()


def test_a_blocked_player_leaves_the_clock_and_a_sentence(
    visit: Visits, served: serve.PlaybackServer
) -> None:
    served.page = served.page.replace(b'"patience":10000', b'"patience":300')
    seen = embedded(visit, served, lambda route: route.abort())
    # Not even for a moment is an empty frame to be seen.
    assert seen.page.locator("#embed").is_hidden()
    assert seen.page.locator("#clock").is_visible()
    # What the browser itself says of the frame that it was told to refuse, at a time of its own.
    seen.forgiven = "ERR_FAILED"
    sentence = seen.data()["strings"]["blocked"]
    seen.wait("(s) => document.getElementById('clock-about').innerText === s", sentence)
    seen.page.locator("#cues button").nth(8).click()
    wait_for_current(seen, 8)
    assert seen.page.locator("#watch").is_visible()
    seen.expect_accessible()


def test_messages_of_others_are_not_listened_to(
    visit: Visits, served: serve.PlaybackServer
) -> None:
    answer = {"content_type": "text/html", "body": STAND_IN}
    seen = embedded(visit, served, lambda route: route.fulfill(**answer))
    seen.wait("document.getElementById('duration').textContent === '4:08'")
    seen.page.evaluate(
        "window.postMessage(JSON.stringify({event: 'infoDelivery', "
        "info: {currentTime: 99, playerState: 1}}), '*')"
    )
    seen.page.wait_for_timeout(300)
    assert seen.time == 0


def test_a_served_video_plays_and_leaps(visit: Visits, served_film: serve.PlaybackServer) -> None:
    seen = visit(url=served_film.url)
    seen.allowed = (*OWN, served_film.url)
    seen.wait("document.getElementById('video').readyState > 1")
    seen.page.locator("#cues button").nth(30).click()
    start = seen.data()["cues"][30]["start"] / 1000
    seen.wait("!document.getElementById('video').seeking")
    assert film_time(seen) == pytest.approx(start, abs=0.25)
    seen.page.keyboard.press("k")
    seen.wait("(t) => document.getElementById('video').currentTime > t", start + 0.3)
