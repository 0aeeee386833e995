"""The documentation's site as Sphinx builds it, and as a reader meets it in a real Chromium."""

import functools
import http.server
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from course.lesson.catalogue import catalogue
from course.lesson.signature import Signature
from tests.subtitles.browser.chromium import OWN, Visit
from tests.test_site import website
from tests.tiers import sample

pytestmark = pytest.mark.live

MESSAGE = "IndexError: index out of range in self"
"""Four faults have it."""
SIZES = {"phone": (390, 844), "desk": (1280, 900)}
PAGES = ("index", "learner", "faults", "faults/nan-loss", "search")
VISITS = [
    (language, size, scheme)
    for language in website.TAGS
    for size in SIZES
    for scheme in ("light", "dark")
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site in all languages. Sphinx says nothing, since a warning would be an error."""
    for name in ("sphinx", "myst_parser", "furo"):
        pytest.importorskip(name, reason="pip install -e '.[docs]'")
    folder = tmp_path_factory.mktemp("site")
    assert website.build(folder) == 0
    return folder / "html"


class Page(HTMLParser):
    """The ids and the links of a page, and what waits in it for a translation."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.untranslated: list[str] = []
        self.waiting: str | None = None
        self.in_code = False
        self.feed(file.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.ids.add(found.get("id", ""))
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if tag == "code":
            self.in_code = True
        elif "untranslated" in found.get("class", "").split():
            # Code alone is the same in each language.
            self.waiting = "" if tag in ("p", "h1", "h2", "h3", "h4") else None

    def handle_data(self, data: str) -> None:
        if self.waiting is not None and not self.in_code:
            self.waiting += data.strip()

    def handle_endtag(self, tag: str) -> None:
        if tag == "code":
            self.in_code = False
        elif tag in ("p", "h1", "h2", "h3", "h4"):
            self.untranslated += [self.waiting] if self.waiting else []
            self.waiting = None


def test_each_link_leads_to_a_place_that_is_there(site: Path) -> None:
    read = functools.cache(Page)
    files = sorted(site.rglob("*.html"))
    assert len(files) > 3 * len(catalogue())
    lost = []
    for file in files:
        for link in read(file).links:
            parts = urlsplit(link)
            if parts.scheme or not (parts.path or parts.fragment):
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            if not target.is_file() or (
                parts.fragment and unquote(parts.fragment) not in read(target).ids
            ):
                lost.append(f"{file.relative_to(site)}: {link}")
    assert lost == []


@pytest.mark.parametrize("language", [name for name in website.TAGS if name != "en"])
def test_sphinx_finds_the_translation_of_each_paragraph(site: Path, language: str) -> None:
    for name in website.TRANSLATED:
        if name != "faults":
            assert Page(site / language / f"{name}.html").untranslated == [], name


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """The address of the site, served on this machine."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_words: Any) -> None:
            pass

    handler = functools.partial(Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def opened(chromium: Any, address: str, size: str, scheme: str = "light") -> Visit:
    width, height = SIZES[size]
    page = chromium.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    # Browsers ask for an icon by themselves.
    visit = Visit(page, (*OWN, address), forgiven="404")
    visit.watch()
    return visit


@pytest.mark.parametrize("language", sample([*website.TAGS], lambda _n, name: name == "zh"))
def test_a_fault_is_found_by_the_words_of_its_message(
    chromium: Any, address: str, language: str
) -> None:
    visit = opened(chromium, address, "desk")
    page = visit.page
    page.goto(f"{address}/{language}/index.html")
    page.locator(".sidebar-search").fill(MESSAGE)
    page.locator(".sidebar-search").press("Enter")
    page.wait_for_selector("#search-results li a")
    first = page.locator("#search-results li a").all_inner_texts()[0]
    assert "token-id-out-of-range" in first
    asked = [
        # What a reader pastes has names of their own in it.
        [f"faults/{fault.id}", f"{words} my_own_variable"]
        for fault in catalogue().values()
        for words in {s.words for s in fault.signatures if isinstance(s, Signature)}
    ]
    assert len(asked) > 800
    missed = page.evaluate(
        """(asked) => asked.filter(([name, words]) =>
             !Search._performSearch(...Search._parseQuery(words)).some(([found]) => found === name)
           )""",
        asked,
    )
    assert missed == []
    page.wait_for_load_state("networkidle")
    visit.end()
    page.close()


def test_chinese_words_are_found_inside_of_a_sentence(chromium: Any, address: str) -> None:
    page = opened(chromium, address, "desk").page
    page.goto(f"{address}/zh/search.html?q=损失停留")
    page.wait_for_selector("#search-results li a")
    assert "stalling-loss" in page.locator("#search-results").inner_text()
    page.close()


@pytest.mark.parametrize(
    ("language", "size", "scheme"), sample(VISITS, lambda n, _visit: n % 7 == 0, spread=True)
)
def test_pages_fit_and_have_no_serious_barrier(
    chromium: Any, address: str, language: str, size: str, scheme: str
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    visit = opened(chromium, address, size, scheme)
    for name in PAGES:
        visit.page.goto(f"{address}/{language}/{name}.html")
        needed, there = visit.page.evaluate(
            "[document.documentElement.scrollWidth, window.innerWidth]"
        )
        assert needed <= there, name
        grave = [
            (name, each["id"], [node["html"][:200] for node in each["nodes"]])
            for each in Axe().run(visit.page).response["violations"]
            if each["impact"] in ("serious", "critical")
        ]
        assert grave == []
        visit.picture(f"site-{language}-{size}-{scheme}-{name}")
    visit.page.wait_for_load_state("networkidle")
    visit.end()
    visit.page.close()
