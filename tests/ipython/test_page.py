"""Pages in a notebook: the same in HTML and in words, safe, and readable in light and dark."""

import re
import xml.etree.ElementTree as ElementTree

import pytest

from course import i18n
from course.ipython.page import Loss, Page, Stages

NASTY = '<script>alert(1)</script> & "quotes" `code<b>`'


def whole() -> Page:
    page = Page()
    page.parts.append(Stages("batch"))
    for kind in ("title", "text", "quiet", "bad", "good", "heading", "code", "output", "diff"):
        page.add(kind, NASTY)
    page.parts.append(Loss(((1, 1.1), (2, float("nan")), (3, 0.9), (4, 0.5)), ((1, 1.0), (4, 0.4))))
    return page


def test_html_is_well_formed_and_carries_nothing_that_runs_or_loads() -> None:
    html = whole().html
    tree = ElementTree.fromstring(html)
    tags = {element.tag for element in tree.iter()}
    assert tags <= {
        *("div", "p", "pre", "code", "span", "strong", "svg", "title", "polyline", "text")
    }
    assert not re.search(r"https?:|url\(|<script|onload", html)
    assert "".join(tree.itertext()).count("<script>") == 9


def test_no_word_has_a_colour_of_its_own() -> None:
    styles = re.findall(r'style="([^"]*)"', whole().html)
    colours = [re.findall(r"(?<![-\w])color:([^;]*)", style) for style in styles]
    assert {c for found in colours for c in found} <= {"inherit"}
    fills = set(re.findall(r'(?:fill|stroke)="([^"]*)"', whole().html))
    assert fills == {"none", "currentColor"}


def test_plain_text_says_the_same() -> None:
    plain = whole().plain
    assert plain.count("<script>") == 9
    assert "[batch]" in plain
    assert "0.50" in plain
    assert plain.splitlines()[0].startswith("data → ")


def test_figures_are_written_as_the_language_writes_them() -> None:
    i18n.activate("ru")
    page = Page([Loss(((1, 1.1), (2, 0.5)))])
    assert "0,50" in page.plain
    assert ">0,50</text>" in page.html


def test_long_outputs_are_cut_and_long_code_is_not() -> None:
    page = Page()
    page.add("output", "line\n" * 100)
    page.add("code", "code\n" * 100)
    assert page.plain.count("line") == 12
    assert page.plain.count("code") == 100


def test_nothing_is_added_for_nothing() -> None:
    page = Page()
    page.add("text", " \n")
    assert page.parts == []


@pytest.mark.parametrize("losses", [((1, float("nan")), (2, float("inf"))), ((1, 0.5), (2, 0.5))])
def test_a_loss_of_no_numbers_or_of_one_is_drawn_all_the_same(
    losses: tuple[tuple[int, float], ...],
) -> None:
    page = Page([Loss(losses)])
    ElementTree.fromstring(page.html)
    assert page.plain
