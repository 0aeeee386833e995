"""The documentation's site, without Sphinx: its guides are translated, its pages of faults made."""

import importlib.util
import warnings
from collections.abc import Iterator
from types import ModuleType

import pytest
from markdown_it import MarkdownIt

from course.base import i18n
from course.lesson.catalogue import catalogue
from course.lesson.signature import Signature
from course.render.blocks import Bars, Code, Paragraph
from tests.command import ROOT


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("website", ROOT / "docs" / "website.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


website = load()


@pytest.fixture(params=website.TAGS)
def language(request: pytest.FixtureRequest) -> Iterator[str]:
    i18n.activate(request.param)
    yield request.param
    i18n.activate(i18n.SOURCE)


def test_the_guides_are_translated() -> None:
    """A paragraph that waits for its translators is shown in English: no defect until a release."""
    found = website.check()
    assert [str(each) for each in found if not each.waits] == []
    if found:
        # `.ci/run --release` makes an error of this warning, by its first words.
        warnings.warn(
            f"not translated: {len(found)} paragraphs of the guides; `python docs/website.py "
            "--texts` brings them into locales/*/docs.po",
            stacklevel=1,
        )


def test_a_paragraph_that_is_changed_waits_for_its_translation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gathered = website.gather()
    gathered.add("A sentence that nobody has translated.")
    monkeypatch.setattr(website, "gather", lambda: gathered)
    assert [each.language for each in website.check() if each.waits] == ["ru", "zh"]


def test_each_fault_has_a_page_with_the_words_of_its_messages(language: str) -> None:
    listed = website.list_of_faults()
    for fault in catalogue().values():
        assert f"(faults/{fault.id}.md)" in listed
        tokens = MarkdownIt().parse(website.fault_page(fault).split("\n---\n", 1)[1])
        shown = {token.content.rstrip("\n") for token in tokens if token.type == "fence"}
        told = {s.words.rstrip("\n") for s in fault.signatures if isinstance(s, Signature)}
        assert told <= shown, fault.id
        assert [token.tag for token in tokens if token.type == "heading_open"].count("h1") == 1


def test_a_name_of_a_fault_is_a_link_and_other_signs_are_no_markup() -> None:
    (line,) = website.markdown([Paragraph("*a* [b] `nan-loss` and `x*y`")])
    assert line == r"\*a\* \[b\] [`nan-loss`](nan-loss.md) and `x*y`"
    (block,) = website.markdown([Code("a ```` fence")])
    assert block == "`````text\na ```` fence\n`````"
    with pytest.raises(TypeError, match="Bars"):
        list(website.markdown([Bars(())]))


def test_the_comments_of_code_are_translated_and_its_commands_stay(language: str) -> None:
    if language == i18n.SOURCE:
        return
    source = website.po.read(website.LOCALES / language / "docs.po")
    blocks = [message for message in source if message.id.endswith("\n")]
    assert len(blocks) > 5
    for message in blocks:
        before, after = (
            [line.partition("# ")[0].rstrip() for line in text.splitlines()]
            for text in (message.id, message.string)
        )
        assert before == after
