import re
import shutil
from pathlib import Path

import pytest

from course.base import paths
from course.base.errors import ContentError
from course.subtitles.alignment.tokenizer import GENERAL, phrases, phrases_of, stem, tokens


def test_an_identifier_comes_whole_and_in_its_parts() -> None:
    assert tokens("loss.backward") == ["=loss.backward", "@loss", "@backward"]
    assert tokens("DataCollatorWithPadding")[0] == "=datacollatorwithpadding"
    assert "@pad" in tokens("DataCollatorWithPadding")


@pytest.mark.parametrize("written", ["1e-3", "0.001", "1E-3", "１e-3"])
def test_a_number_is_its_value_however_it_is_written(written: str) -> None:
    assert tokens(written) == ["#0.001"]


@pytest.mark.parametrize("word", ["two", "2", "两个", "два"])
def test_a_number_in_words_is_a_number(word: str) -> None:
    assert tokens(word) == ["#2"]


@pytest.mark.parametrize(
    ("notion", "words"),
    [
        ("@label", ["labels", "label", "标签", "метками", "меток"]),
        ("@learning rate", ["learning rate", "学习率", "скорости обучения"]),
        ("@gradient", ["gradients", "梯度", "градиентов"]),
        ("@loss", ["loss", "losses", "损失", "функцию потерь"]),
    ],
)
def test_a_notion_is_the_same_in_every_language(notion: str, words: list[str]) -> None:
    assert all(notion in tokens(word) for word in words)


def test_a_form_of_two_notions_stands_for_both() -> None:
    assert {"@error", "@bug"} <= set(tokens("错误"))


def test_the_longest_phrase_wins() -> None:
    assert tokens("data loader") == ["@dataloader"]
    assert tokens("数据加载器") == ["@dataloader"]


def test_idle_words_say_nothing() -> None:
    assert tokens("and so it is that we have the") == []
    assert tokens("的了是在") == []


def test_han_characters_without_a_notion_come_in_pairs() -> None:
    assert tokens("传输带") == ["传输", "输带"]


def test_control_characters_and_lone_surrogates_do_no_harm() -> None:
    assert tokens("\x00\ud800 label \u202e") == ["@label"]


def test_a_long_text_takes_no_longer_than_its_length() -> None:
    assert len(tokens("label_" * 50_000)) > 50_000


def test_every_notion_can_be_found_by_each_of_its_forms() -> None:
    mark = "@"
    for line in (paths.subtitles() / "terms.txt").read_text("utf-8").splitlines():
        if line == GENERAL:
            mark = "~"
        if not line or line.startswith("#"):
            continue
        columns = [[form.strip() for form in column.split(",")] for column in line.split("|")]
        assert len(columns) == 3, line
        name = columns[0][0]
        expected = f"#{name}" if name.isdigit() else f"{mark}{name}"
        for form in [*columns[0], *columns[1]]:
            if form.isascii() or re.search(r"[\u4e00-\u9fff]", form):
                assert expected in tokens(form), (line, form, tokens(form))


def test_a_line_that_breaks_the_format_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("terms.txt", "phrases.toml"):
        shutil.copy(paths.subtitles() / name, tmp_path)
    with (tmp_path / "terms.txt").open("a", encoding="utf-8") as stream:
        stream.write("word | only two\n")
    monkeypatch.setattr(paths, "subtitles", lambda: tmp_path)
    phrases.cache_clear()
    try:
        with pytest.raises(ContentError, match=r"terms\.txt:.*only two"):
            tokens("anything")
    finally:
        phrases.cache_clear()


def test_phrases_are_found_whatever_their_case() -> None:
    assert phrases_of("opening").search("WELCOME to the course")
    assert phrases_of("again").search("исправим и запустим снова")
    assert not phrases_of("closing").search("the gradients")


def test_stems_are_those_of_the_word_s_own_language() -> None:
    assert stem("running") == "run"
    assert stem("обучения") == stem("обучение")
