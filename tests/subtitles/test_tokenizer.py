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


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        # A number is its value, however it is written.
        (("1e-3", "0.001", "1E-3", "１e-3"), ["#0.001"]),
        (("two", "2", "两个", "два"), ["#2"]),
        # The longest phrase wins.
        (("data loader", "数据加载器"), ["@dataloader"]),
        # Idle words say nothing.
        (("and so it is that we have the", "的了是在"), []),
        # Han characters without a notion come in pairs.
        (("传输带",), ["传输", "输带"]),
        # Control characters and lone surrogates do no harm.
        (("\x00\ud800 label \u202e",), ["@label"]),
    ],
)
def test_what_a_text_comes_down_to(texts: tuple[str, ...], found: list[str]) -> None:
    assert [tokens(text) for text in texts] == [found] * len(texts)


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
