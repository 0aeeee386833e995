"""Messages in a notebook: the same in HTML and in words, safe, and readable in light and dark."""

import re
import xml.etree.ElementTree as ElementTree
from typing import get_args, get_origin

import pytest

from course.base import i18n
from course.render import blocks, note, text
from course.render.blocks import Details, Losses, Output, Paragraph, StoryBlock, Table, TableRow

NASTY = '<script>alert(1)</script> & "quotes" `code<b>`'


def whole() -> list[StoryBlock]:
    tones: tuple[blocks.Tone, ...] = ("title", "text", "quiet", "bad", "good", "heading")
    losses = ((1, 1.1), (2, float("nan")), (3, 0.9), (4, 0.5))
    return [
        blocks.Stages("batch"),
        *(Paragraph(NASTY, tone) for tone in tones),
        blocks.Code(NASTY),
        blocks.Output(NASTY),
        blocks.Diff(NASTY, named=True),
        Losses(losses, ((1, 1.0), (4, 0.4))),
        Table((NASTY,), (TableRow((NASTY,)), TableRow((NASTY,), "bad"))),
        Details(NASTY, (Paragraph(NASTY, "title"), Details(NASTY, (Output(NASTY),)))),
    ]


def html(*found: StoryBlock) -> str:
    return note.draw(found, good=False)


def test_html_is_well_formed_and_carries_nothing_that_runs_or_loads() -> None:
    shown = html(*whole())
    tree = ElementTree.fromstring(shown)
    tags = {element.tag for element in tree.iter()}
    assert tags <= {
        *("div", "p", "pre", "code", "span", "strong", "svg", "title", "polyline", "text"),
        *("table", "tr", "th", "td", "details", "summary"),
    }
    assert not re.search(r"https?:|url\(|<script|onload", shown)
    assert "".join(tree.itertext()).count("<script>") == 16


def test_no_word_has_a_colour_of_its_own() -> None:
    styles = re.findall(r'style="([^"]*)"', html(*whole()))
    colours = [re.findall(r"(?<![-\w])color:([^;]*)", style) for style in styles]
    assert {c for found in colours for c in found} <= {"inherit"}
    fills = set(re.findall(r'(?:fill|stroke)="([^"]*)"', html(*whole())))
    assert fills == {"none", "currentColor"}


def test_plain_text_says_the_same() -> None:
    plain = text.draw(whole())
    assert plain.count("<script>") == 16
    assert "[batch]" in plain
    assert "0.50" in plain
    assert plain.splitlines()[0].startswith("data → ")


def test_figures_are_written_as_the_language_writes_them() -> None:
    i18n.activate("ru")
    block = Losses(((1, 1.1), (2, 0.5)))
    assert "0,50" in text.draw([block])
    assert ">0,50</text>" in html(block)


def test_long_outputs_are_cut_and_long_code_is_not() -> None:
    long = blocks.Output("line\n" * 100), blocks.Code("code\n" * 100)
    for shown in (text.draw(long), re.sub("<[^>]*>", "", html(*long))):
        assert shown.count("line") == 12
        assert shown.count("code") == 100


def test_every_block_is_drawn() -> None:
    link = blocks.Reference("<b>", "https://example.org/")
    more = (blocks.Gap(), blocks.Bars((blocks.Bar("<b>", "0.5", 0.5),)), link)
    kinds = {get_origin(kind) or kind for kind in get_args(StoryBlock)}
    assert {type(block) for block in (*whole(), *more)} == kinds
    assert "&lt;b&gt;: 0.5" in html(*more)
    assert 'href="https://example.org/"' in html(*more)
    assert text.draw(more) == "<b>: 0.5\n<b>: https://example.org/"


@pytest.mark.parametrize("losses", [((1, float("nan")), (2, float("inf"))), ((1, 0.5), (2, 0.5))])
def test_a_loss_of_no_numbers_or_of_one_is_drawn_all_the_same(
    losses: tuple[tuple[int, float], ...],
) -> None:
    ElementTree.fromstring(html(Losses(losses)))
    assert text.draw([Losses(losses)])
