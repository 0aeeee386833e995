from pathlib import Path

import pytest

from course.base import i18n, paths
from course.base.errors import UserError


@pytest.mark.parametrize(
    ("tag", "language"),
    [
        ("zh_CN.UTF-8", "zh"),
        ("zh-Hans", "zh"),
        ("zh_SG", "zh"),
        ("zh", "zh"),
        ("ru_RU.KOI8-R", "ru"),
        ("ru_RU@euro", "ru"),
        ("en_GB", "en"),
        ("C", "en"),
        ("C.UTF-8", "en"),
        ("POSIX", "en"),
        ("de_DE", None),
        ("", None),
    ],
)
def test_a_locale_asks_for_a_language(tag: str, language: str | None) -> None:
    assert i18n.normalise(tag) == language


def test_the_option_wins_then_course_lang_then_the_locale() -> None:
    everywhere = {"COURSE_LANG": "ru", "LC_ALL": "en_US.UTF-8", "LANG": "zh_CN.UTF-8"}
    assert i18n.negotiate("zh", everywhere) == "zh"
    assert i18n.negotiate(None, everywhere) == "ru"
    assert i18n.negotiate(None, {"LANG": "zh_CN.UTF-8"}) == "zh"
    assert i18n.negotiate(None, {"LC_ALL": "ru_RU.UTF-8", "LANG": "zh_CN.UTF-8"}) == "ru"
    assert i18n.negotiate(None, {"LANGUAGE": "de:ru:en", "LANG": "zh_CN.UTF-8"}) == "ru"
    assert i18n.negotiate(None, {"LANG": "de_DE.UTF-8"}) == "en"
    assert i18n.negotiate(None, {}) == "en"


def test_an_unknown_language_is_refused_with_those_there_are() -> None:
    with pytest.raises(UserError, match=r"`xx`.*`en`, `ru`, `zh`"):
        i18n.negotiate("xx", {})
    with pytest.raises(UserError, match="`xx`"):
        i18n.negotiate(None, {"COURSE_LANG": "xx"})


@pytest.mark.parametrize("language", ["zh", "ru"])
def test_a_language_in_force_translates(language: str) -> None:
    i18n.activate(language)
    assert i18n.language() == language
    assert i18n._("Options") != "Options"


def test_russian_has_three_plurals() -> None:
    i18n.activate("ru")
    one, many = "({n} level in between)", "({n} levels in between)"
    assert len({i18n.ngettext(one, many, n) for n in (1, 2, 5)}) == 3


WAITING = r"""
msgid ""
msgstr ""
"Content-Type: text/plain; charset=utf-8\n"
"Plural-Forms: nplurals=3; plural=(n%10==1 ? 0 : n%10>=2 ? 1 : 2);\n"

msgid "Run it."
msgstr "Запустите."

msgid "Read it."
msgstr ""

msgid "{n} run"
msgid_plural "{n} runs"
msgstr[0] ""
msgstr[1] ""
msgstr[2] ""
"""


def test_what_waits_for_its_translators_is_shown_in_english(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ru").mkdir()
    (tmp_path / "ru" / "course.po").write_text(WAITING, "utf-8")
    monkeypatch.setattr(paths, "locales", lambda: tmp_path)
    i18n.activate("ru")
    assert i18n._("Run it.") == "Запустите."
    assert [i18n._(text) for text in ("Read it.", "Stop it.")] == ["Read it.", "Stop it."]
    assert [i18n.ngettext("{n} run", "{n} runs", n) for n in (1, 5)] == ["{n} run", "{n} runs"]
    assert i18n.ngettext("{n} day", "{n} days", 5) == "{n} days"


def test_the_pseudo_language_changes_letters_only() -> None:
    i18n.activate(i18n.PSEUDO)
    assert i18n._("Run {n} of `course run`!") == "Ｒｕｎ {n} ｏｆ `course run`!"
