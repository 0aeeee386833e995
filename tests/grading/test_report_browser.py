"""The class map in a real Chromium, from `file://`: languages, widths, colours, keyboard, paper.

Every visit ends with a look at what the page asked for (nothing that leaves the machine) and at
the console (silent); axe looks at the class and at students in every state.
"""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from course.base import i18n
from course.grading.report.page import page
from tests.grading import report_class as made
from tests.subtitles.browser.chromium import SIZES, Visit, Visits, visits
from tests.tiers import sample

pytestmark = pytest.mark.live

LANGUAGES = ("en", "zh", "ru", i18n.PSEUDO)
CLASSES = {12: made.twelve(), 60: made.crowd(60), 300: made.crowd(300)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages of each size of class in each language, and one student's by itself."""
    folder = tmp_path_factory.mktemp("reports")
    for language in LANGUAGES:
        i18n.activate(language)
        for n, standings in CLASSES.items():
            register = made.register(standings, unsafe=n == 12)
            (folder / f"{language}-{n}.html").write_bytes(page.page(register).encode())
        alone = page.student_page(standings[0], register.groups[0], register)
        (folder / f"{language}-alone.html").write_bytes(alone.encode())
    i18n.activate(i18n.SOURCE)
    return folder


@pytest.fixture
def visit(chromium: Any, folder: Path) -> Iterator[Visits]:
    with visits(chromium, folder) as opened:
        yield opened


def fits(seen: Visit) -> None:
    """Nothing is to be scrolled sideways."""
    wide = "[document.documentElement.scrollWidth, window.innerWidth]"
    needed, there = seen.page.evaluate(wide)
    assert needed <= there


def stays_in_its_column(seen: Visit) -> None:
    """No name on the map runs into those of the next fault."""
    right = "(e) => e.getBoundingClientRect().right"
    out = f"(a) => ({right})(a) > ({right})(a.closest('.stop')) + 1"
    assert (
        seen.page.evaluate(f"[...document.querySelectorAll('.chips a')].filter({out}).length") == 0
    )


def shown(seen: Visit, selector: str) -> list[str]:
    """Return the texts of what can be seen."""
    script = "(s) => [...document.querySelectorAll(s)].filter((e) => e.checkVisibility())"
    texts = seen.page.evaluate(f"(s) => ({script})(s).map((e) => e.innerText.trim())", selector)
    return list(texts)


SHOWN = [*itertools.product(LANGUAGES[1:], SIZES, ["light", "dark"])]


@pytest.mark.parametrize(
    ("language", "size", "scheme"),
    sample(SHOWN, lambda number, _case: number % 5 == 0, spread=True),
)
def test_the_class_fits_and_can_be_read_by_everybody(
    visit: Visits, language: str, size: str, scheme: str
) -> None:
    for n in CLASSES:
        seen = visit(f"{language}-{n}.html", scheme, size)
        fits(seen)
        stays_in_its_column(seen)
        # The made-up language has no tag that is one; and to look at a crowd takes a minute.
        if language != i18n.PSEUDO and n == 12:
            seen.expect_accessible()
        seen.picture(f"class-{language}-{n}-{size}-{scheme}", whole=True)


@pytest.mark.parametrize(
    ("language", "size", "scheme"),
    [
        pytest.param("zh", "desk", "light", marks=pytest.mark.exhaustive),
        pytest.param("zh", "least", "dark", marks=pytest.mark.exhaustive),
        ("ru", "desk", "dark"),
        pytest.param("ru", "least", "light", marks=pytest.mark.exhaustive),
    ],
)
def test_every_students_page_fits_and_can_be_read_by_everybody(
    visit: Visits, language: str, size: str, scheme: str
) -> None:
    seen = visit(f"{language}-12.html", scheme, size)
    for n in range(1, 13):
        seen.page.evaluate("(n) => { location.hash = `s${n}` }", n)
        assert len(shown(seen, "h1")) == 1
        fits(seen)
        seen.expect_accessible()
        seen.picture(f"student-{language}-{n}-{size}-{scheme}", whole=True)
    seen = visit(f"{language}-alone.html", scheme, size)
    assert len(shown(seen, "h1")) == 1
    fits(seen)
    seen.expect_accessible()


@pytest.mark.parametrize("script", [True, False])
def test_a_name_on_the_map_leads_to_the_students_page_and_back(visit: Visits, script: bool) -> None:
    seen = visit("en-12.html", java_script_enabled=script)
    link = seen.page.locator(".chips a[href='#s3']")
    link.focus()
    seen.page.keyboard.press("Enter")
    assert seen.page.locator("#s3 h1").inner_text() == "Ada Lovelace"
    assert seen.page.locator("#class").is_hidden()
    assert seen.page.locator("#s4").is_hidden()
    seen.page.locator("#s3 [rel=next]").click()
    assert seen.page.locator("#s3").is_hidden()
    assert seen.page.locator("#s4 h1").is_visible()
    seen.page.keyboard.press("Tab")
    seen.page.keyboard.press("Enter")
    assert seen.page.locator("#class").is_visible()
    assert seen.page.locator(".sheet:visible").count() == 0


def test_the_table_is_sorted_by_its_heads_with_the_keyboard(visit: Visits) -> None:
    seen = visit("en-12.html")
    seen.page.get_by_role("button", name="Mark").focus()
    seen.page.keyboard.press("Enter")
    up = shown(seen, "tbody tr td:nth-child(4)")[:12]
    seen.page.keyboard.press("Enter")
    down = shown(seen, "tbody tr td:nth-child(4)")[:12]
    assert up[0] == "–"
    assert down[:3] == ["5 of 5", "4.5 of 5", "4 of 5"]
    head = seen.page.get_by_role("columnheader", name="Mark")
    assert head.get_attribute("aria-sort") == "descending"
    seen.page.get_by_role("button", name="Stopped at").click()
    assert head.get_attribute("aria-sort") is None
    seen.expect_accessible()


def test_the_table_is_narrowed_by_name_and_by_place(visit: Visits) -> None:
    seen = visit("en-60.html")
    seen.page.get_by_label("Student", exact=True).fill("ADA")
    names = shown(seen, ".students tbody th")
    assert names
    assert all("Ada" in name for name in names)
    assert seen.page.get_by_role("status").inner_text() == f"{len(names)} of 60"
    seen.page.get_by_label("Student", exact=True).fill("")
    seen.page.get_by_label("Stopped at").select_option("length-mismatch")
    places = shown(seen, ".students tbody td:nth-child(3)")
    assert set(places) == {"The examples of a batch differ in length"}
    assert seen.page.get_by_role("status").inner_text() == f"{len(places)} of 60"
    seen.expect_accessible()


def test_without_its_script_the_page_offers_nothing_that_does_not_work(visit: Visits) -> None:
    seen = visit("en-60.html", java_script_enabled=False)
    assert seen.page.locator(".filter").is_hidden()
    assert seen.page.locator("button").count() == 0
    assert seen.page.locator(".students tbody tr").count() == 60


def test_a_point_in_a_crowd_tells_its_name(visit: Visits) -> None:
    seen = visit("ru-300.html")
    point = seen.page.locator(".chips a").nth(3)
    said = "(a) => getComputedStyle(a.querySelector('span')).opacity"
    assert point.evaluate(said) == "0"
    point.focus()
    seen.page.keyboard.press("Tab")
    seen.page.keyboard.press("Shift+Tab")
    assert point.evaluate(said) == "1"
    fits(seen)
    seen.expect_accessible()


def test_on_paper_each_student_begins_a_sheet_and_a_chosen_one_is_alone(visit: Visits) -> None:
    seen = visit("zh-12.html")
    seen.page.emulate_media(media="print")
    assert seen.page.locator("#class").is_visible()
    assert seen.page.locator(".sheet:visible").count() == 12
    breaks = "[...document.querySelectorAll('.sheet')].map((s) => getComputedStyle(s).breakBefore)"
    assert set(seen.page.evaluate(breaks)) == {"page"}
    seen.picture("paper", whole=True)
    seen.page.goto(seen.page.url + "#s2")
    assert seen.page.locator("#class").is_hidden()
    assert seen.page.locator(".sheet:visible").count() == 1


def test_a_crowd_opens_fast(visit: Visits) -> None:
    seen = visit("ru-300.html")
    opened = "performance.getEntriesByType('navigation')[0].loadEventEnd"
    assert seen.page.evaluate(opened) < 5000
