"""The check of the translations fails when it should, and passes on what ships."""

import warnings
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog

from course.authoring import translations
from course.base import paths

HEADER = """
msgid ""
msgstr ""
"Content-Type: text/plain; charset=utf-8\\n"
"Plural-Forms: nplurals=3; plural=(n%10==1 ? 0 : n%10>=2 ? 1 : 2);\\n"
"""


@pytest.fixture
def checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> "Checked":
    return Checked(tmp_path, monkeypatch)


class Checked:
    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.monkeypatch = folder, monkeypatch

    def __call__(self, template: str, translated: str, glossary: str = "") -> list[str]:
        ru = self.folder / "ru"
        ru.mkdir()
        (self.folder / "course.pot").write_text(HEADER + template)
        (ru / "course.po").write_text(HEADER + translated)
        if glossary:
            (ru / "glossary.toml").write_text(glossary)
        wanted = translations.read(self.folder / "course.pot")
        self.monkeypatch.setattr(translations, "gather", lambda: wanted)
        return [f.problem for f in translations.check(self.folder)]


ONE = 'msgid "the batch {n} of `x`"\nmsgstr "{}"\n'


def test_a_good_translation_passes(checked: Checked) -> None:
    assert checked(ONE.replace("{}", ""), ONE.replace("{}", "батч {n} из `x`")) == []


@pytest.mark.parametrize(
    ("translation", "problem"),
    [
        ("", "not translated"),
        ("батч {m} из `x`", "placeholders differ"),
        ("батч из `x`", "placeholders differ"),
        ("батч {n} из `y`", "quoted code differs"),
        ("батч {n} из x", "quoted code differs"),
    ],
)
def test_a_bad_translation_is_found(checked: Checked, translation: str, problem: str) -> None:
    (found,) = checked(ONE.replace("{}", ""), ONE.replace("{}", translation))
    assert problem in found


def test_a_number_in_another_form_is_found(checked: Checked) -> None:
    text = 'msgid "{share:.0%} of them"\nmsgstr "{}"\n'
    strayed = text.replace("{}", "{share:.0 %} из них")
    (found,) = checked(text.replace("{}", ""), strayed)
    assert "placeholders differ" in found


def test_a_missing_entry_is_found(checked: Checked) -> None:
    assert checked(ONE.replace("{}", ""), "") == ["not translated"]


def test_a_fuzzy_entry_is_found(checked: Checked) -> None:
    fuzzy = "#, fuzzy\n" + ONE.replace("{}", "батч {n} из `x`")
    assert checked(ONE.replace("{}", ""), fuzzy) == ["marked fuzzy"]


def test_a_fuzzy_header_is_found(tmp_path: Path, checked: Checked) -> None:
    header = "#, fuzzy\n" + HEADER.lstrip()
    (tmp_path / "ru").mkdir()
    (tmp_path / "ru" / "course.po").write_text(header)
    (tmp_path / "course.pot").write_text(HEADER)
    template = translations.read(tmp_path / "course.pot")
    checked.monkeypatch.setattr(translations, "gather", lambda: template)
    assert [f.problem for f in translations.check(tmp_path)] == ["the header is marked fuzzy"]


PLURAL = 'msgid "{n} run"\nmsgid_plural "{n} runs"\n'


def test_each_plural_form_is_checked(checked: Checked) -> None:
    template = PLURAL + 'msgstr[0] ""\nmsgstr[1] ""\n'
    lacking = PLURAL + 'msgstr[0] "{n} запуск"\nmsgstr[1] "{n} запуска"\nmsgstr[2] "запусков"\n'
    (found,) = checked(template, lacking)
    assert "placeholders differ" in found


def test_a_missing_plural_form_is_found(checked: Checked) -> None:
    template = PLURAL + 'msgstr[0] ""\nmsgstr[1] ""\n'
    two = PLURAL + 'msgstr[0] "{n} запуск"\nmsgstr[1] "{n} запуска"\nmsgstr[2] ""\n'
    assert checked(template, two) == ["not translated"]


def test_a_term_off_the_glossary_is_found(checked: Checked) -> None:
    glossary = '[terms]\nbatch = ["батч"]\n'
    strayed = ONE.replace("{}", "пакет {n} из `x`")
    (found,) = checked(ONE.replace("{}", ""), strayed, glossary)
    assert "'batch' is not rendered as the glossary says" in found


def test_a_text_that_nobody_gathered_is_found(tmp_path: Path, checked: Checked) -> None:
    found = checked(ONE.replace("{}", ""), ONE.replace("{}", "батч {n} из `x`"))
    assert found == []
    (tmp_path / "course.pot").write_text(HEADER)
    (drift,) = translations.check(tmp_path)
    assert "course dev texts" in drift.problem


def test_a_per_cent_sign_makes_no_format_of_printf(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else gettext would refuse a translation in which another letter follows the sign."""
    texts = Catalog()
    texts.add("only {percent}% sure", None, [("course/x.py", 1)])
    monkeypatch.setattr(translations, "gather", lambda: texts)
    translations.update(tmp_path)
    written = (tmp_path / "course.pot").read_text("utf-8")
    assert "only {percent}% sure" in written
    assert "#, python-brace-format\n" in written


def test_what_ships_is_right_in_every_language() -> None:
    """A sentence that waits for its translators is shown in English: no defect until a release."""
    assert {"ru", "zh"} <= {p.parent.name for p in paths.locales().glob("*/course.po")}
    found = translations.check(paths.locales())
    assert [str(f) for f in found if not f.waits] == []
    if found:
        # `.ci/run --release` makes an error of this warning, by its first words.
        warnings.warn(
            f"not translated: {len(found)} texts, which `course dev texts` lists", stacklevel=1
        )


def test_every_language_has_a_glossary() -> None:
    for source in paths.locales().glob("*/course.po"):
        assert {"batch", "loss"} <= set(translations.glossary(source.parent))
