"""Templates: whatever comes in is text, and they hold no words of their own."""

import re
from pathlib import Path
from typing import get_args, get_origin

import pytest

from course.render import blocks, html

LETTERS = re.compile(r"[A-Za-zА-Яа-я\u4e00-\u9fff]")
FILES = sorted(html.TEMPLATES.glob("*.html"))
SPOKEN = ("title", "aria-label", "placeholder", "alt", "aria-description")


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_a_template_holds_no_words_of_its_own(path: Path) -> None:
    template = path.read_text("utf-8")
    bare = re.sub(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", "", template, flags=re.DOTALL)
    assert not LETTERS.search(re.sub(r"<[^>]*>", "", bare)), bare
    for name, value in re.findall(r'([\w-]+)="([^"]*)"', bare):
        assert name not in SPOKEN or not LETTERS.search(value), (name, value)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_no_template_lets_markup_of_others_through(path: Path) -> None:
    assert not re.search(r"\|\s*safe\b|autoescape", path.read_text("utf-8"))


def test_code_is_set_apart_and_everything_is_escaped() -> None:
    assert html.inline('a <b> `c & "d"`\x00') == (
        'a &lt;b&gt; <code translate="no">c &amp; &#34;d&#34;</code> '
    )
    assert html.inline("<b>").__html__() == "&lt;b&gt;"
    shown = html.environment().from_string("<p>{{ x }}</p>").render(x="<script>\x1b\ufffe`")
    assert shown == "<p>&lt;script&gt;  `</p>"


def test_the_policy_names_the_bytes_that_stand_in_the_page() -> None:
    policy = html.policy("a", "b", {"media-src": "blob:"})
    assert policy.startswith("default-src 'none'; ")
    assert "media-src blob:" in policy
    assert "unsafe" not in policy


def test_every_block_has_a_macro_that_escapes() -> None:
    evil = "<b>`x`</b>"
    found = [
        blocks.Paragraph(evil),
        blocks.Paragraph(evil, "heading"),
        blocks.Code(evil, "bad"),
        blocks.Diff(f"---\n+++\n@@ 1 @@\n-{evil}\n+{evil}\n {evil}"),
        blocks.Items(((blocks.Paragraph(evil), blocks.Code(evil)),)),
        blocks.Stages("batch"),
        blocks.Reference(evil, f"https://example.org/{evil}"),
    ]
    shown = html.blocks([*found, blocks.Details(evil, tuple(found))])
    kinds = {get_origin(kind) or kind for kind in get_args(blocks.Block)}
    assert {type(each) for each in found} | {blocks.Details} == kinds
    assert "<b>" not in shown
    assert shown.count('class="added"') == 2
    assert "---" not in shown
