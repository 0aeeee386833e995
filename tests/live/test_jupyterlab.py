"""A real JupyterLab in a real Chromium: the zh notebook, and what is said of its first fault."""

from collections.abc import Iterator
from typing import Any

import pytest

from course.base import i18n
from course.lesson import lesson
from course.lesson.catalogue import catalogue
from tests.command import course
from tests.live.jupyterlab import NOTE, run_all, served
from tests.subtitles.browser.chromium import Visit, browser

PART = next(iter(lesson.load("ch8-4").parts.values()))
NAME = f"{PART.lesson}-{PART.framework}.ipynb"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Open the page, with every cell run."""
    folder = tmp_path_factory.mktemp("lab")
    made = course(*("notebook", PART.lesson, "--lang", "zh", "-o", str(folder / NAME)))
    assert made.returncode == 0, made.stderr
    with served(folder, tmp_path_factory.mktemp("jupyter")) as address, browser() as chromium:
        context = chromium.new_context(viewport={"width": 1280, "height": 1000}, locale="zh-CN")
        title = i18n.translator("zh")(catalogue()[PART.bugs[0].fault].title)
        yield run_all(context, address, NAME, title)
        context.close()


def test_the_fault_is_explained_under_the_traceback(lab: Any) -> None:
    output = lab.locator(f".jp-Cell:has({NOTE}:has-text('{PART.bugs[0].fault}'))")
    kinds = output.locator(".jp-OutputArea-child").evaluate_all(
        "(all) => all.map((e) => e.querySelector('[role=note]') ? 'ours' : e.textContent)"
    )
    shown = [i for i, kind in enumerate(kinds) if kind == "ours"]
    traceback = [i for i, kind in enumerate(kinds) if "Traceback" in kind]
    assert traceback
    assert shown == [traceback[-1] + 1]


def test_which_fault_it_is_stands_in_a_fold_that_opens(lab: Any) -> None:
    note = lab.locator(f"{NOTE}:has-text('{PART.bugs[0].fault}')")
    # The guess above the fold offers it, too, among others.
    title = note.locator("details").get_by_text(
        i18n.translator("zh")(catalogue()[PART.bugs[0].fault].title)
    )
    question = note.get_by_text(i18n.translator("zh")(PART.steps[0].question))
    assert question.is_visible()
    assert not title.is_visible()
    note.locator("summary").click()
    assert title.is_visible()


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_it_reads_well_in_light_and_dark(lab: Any, theme: str) -> None:
    lab.evaluate(
        "(theme) => window.jupyterapp.commands.execute('apputils:change-theme', {theme})", theme
    )
    note = lab.locator(f"{NOTE}:has-text('{PART.bugs[0].fault}')")
    lab.wait_for_timeout(500)
    note.scroll_into_view_if_needed()
    Visit(lab).picture(f"lab-zh-{theme.split()[-1].lower()}")
    words, behind = note.evaluate(
        """(note) => {
          let e = note, paper = "rgba(0, 0, 0, 0)";
          while (e && paper === "rgba(0, 0, 0, 0)") {
            paper = getComputedStyle(e).backgroundColor;
            e = e.parentElement;
          }
          return [getComputedStyle(note).color, paper];
        }"""
    )
    assert contrast(words, behind) >= 7
    box = note.bounding_box()
    assert box["width"] > 300


def contrast(one: str, other: str) -> float:
    """Compute the contrast of two colours (WCAG 2.2, 1.4.3)."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    parts = [float(part) / 255 for part in colour.split("(")[1].rstrip(")").split(",")[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
