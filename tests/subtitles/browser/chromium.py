"""A Chromium, and a page in it that is watched: what it asks for, and what it complains of."""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--disable-sync",
]
OWN = ("file:", "blob:", "data:")
"""What a page may ask for without a network."""
SIZES = {"desk": (1366, 900), "tablet": (800, 1130), "phone": (375, 812), "least": (360, 640)}


@contextmanager
def browser() -> Iterator[Any]:
    """Start the system's Chromium, without a window."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(f"no Chromium is installed: looked for {', '.join(NAMES)}")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield chromium
        chromium.close()


@dataclass
class Visit:
    """One viewer's visit; `page` is what Playwright drives."""

    page: Any
    allowed: tuple[str, ...] = OWN
    asked: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    forgiven: str | None = None
    """A complaint with this in it was provoked by the test."""

    def watch(self) -> None:
        """Note from now on what the page asks for and complains of."""
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", self._note)

    def _note(self, message: Any) -> None:
        """Keep what the console says; not that a key was pressed before the page set the focus."""
        if "Autofocus processing was blocked" not in message.text:
            self.complaints.append(f"{message.type}: {message.text}")

    def end(self) -> None:
        """Nothing may have left the machine, and nothing may have gone wrong."""
        assert [url for url in self.asked if not url.startswith(self.allowed)] == []
        assert [c for c in self.complaints if not self.forgiven or self.forgiven not in c] == []

    def wait(self, condition: str, argument: object = None) -> None:
        """Wait until something holds in the page, which forbids the polling of Playwright."""
        for _ in range(300):
            if self.page.evaluate(condition, argument):
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(condition)

    # What a viewer sees

    def data(self) -> Any:
        """Return what the page's script was told."""
        return self.page.evaluate("JSON.parse(document.getElementById('data').textContent)")

    @property
    def time(self) -> float:
        """Where the page says that it is, to a tenth of a second."""
        return float(self.page.locator("#seek").input_value())

    @property
    def current(self) -> int:
        """The number of the marked cue, from 0 on; -1 for none."""
        found = self.page.evaluate(
            "[...document.querySelectorAll('#cues button')]"
            ".findIndex((b) => b.getAttribute('aria-current') === 'true')"
        )
        return int(found)

    @property
    def step(self) -> str:
        """The step whose text is shown."""
        (shown,) = self.page.evaluate(
            "[...document.querySelectorAll('.step')].filter((s) => s.offsetParent)"
            ".map((s) => s.dataset.step)"
        )
        return str(shown)

    def in_view(self, selector: str) -> bool:
        """Whether an element is wholly inside the list of cues."""
        return bool(
            self.page.evaluate(
                """(selector) => {
                  const box = document.getElementById('cues').getBoundingClientRect();
                  const it = document.querySelector(selector).getBoundingClientRect();
                  return it.top >= box.top && it.bottom <= box.bottom;
                }""",
                selector,
            )
        )

    def settle(self) -> None:
        """Wait until the list of cues no longer moves."""
        self.page.evaluate(
            """() => new Promise((done) => {
              const box = document.getElementById('cues');
              let last = -1, still = 0;
              const look = () => {
                still = box.scrollTop === last ? still + 1 : 0;
                last = box.scrollTop;
                if (still > 8) done(); else requestAnimationFrame(look);
              };
              look();
            })"""
        )

    def said(self) -> list[str]:
        """Return the captions below the video."""
        return list(self.page.locator("#captions .said").all_inner_texts())

    def expect_accessible(self) -> None:
        """No violation by axe, with all its rules."""
        from axe_playwright_python.sync_playwright import Axe

        # What is half faded in has half its contrast.
        self.page.evaluate("Promise.all(document.getAnimations().map((a) => a.finished))")
        found = Axe().run(self.page).response["violations"]
        assert [(v["id"], [n["html"][:200] for n in v["nodes"]]) for v in found] == []

    def picture(self, name: str, *, whole: bool = False) -> None:
        """Keep a picture in the folder that `COURSE_SCREENSHOTS` names, if it does."""
        folder = os.environ.get("COURSE_SCREENSHOTS")
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            name = re.sub(r"[^\w-]", "-", name)
            self.page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=whole)


Visits = Callable[..., Visit]


@contextmanager
def visits(chromium: Any, folder: Path) -> Iterator[Visits]:
    """Open pages of a folder, each in a browser that has never seen one; in the end, look at all.

    `routes` answers what is asked for, `prepare` runs before the page's own script, and a `film` is
    chosen as the viewer's own; other options are those of a browser's context.
    """
    seen: list[Visit] = []

    def open_page(
        name: str = "",
        scheme: str = "light",
        size: str = "desk",
        film: str | None = None,
        url: str | None = None,
        routes: dict[str, Callable[[Any], None]] | None = None,
        prepare: str | None = None,
        **options: Any,
    ) -> Visit:
        width, height = SIZES[size]
        context = chromium.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, **options
        )
        for pattern, answer in (routes or {}).items():
            context.route(pattern, answer)
        if prepare:
            context.add_init_script(prepare)
        visit = Visit(context.new_page())
        seen.append(visit)
        visit.watch()
        visit.page.goto(url or f"file://{folder}/{name}")
        if film:
            visit.page.set_input_files("#file", folder / film)
            visit.wait("document.getElementById('video').readyState > 1")
        return visit

    yield open_page
    for each in seen:
        each.end()
        each.page.context.close()
