import io
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import ConsoleDimensions
from rich.text import Text

from course.cli.terminal import consoles
from course.render.lines import wrap
from tests.render.terminals import console, seen

MIXED = st.text("abc xyz 批次损失，。（）“” батч`", max_size=200)


@given(MIXED, st.integers(20, 80))
def test_wrapping_loses_nothing_but_spaces_at_line_ends(text: str, columns: int) -> None:
    lines = wrap(Text(text), columns)
    assert "".join(line.plain for line in lines).replace(" ", "") == text.replace(" ", "")


@given(st.text("批次损失标签学习率，。", min_size=1, max_size=200), st.integers(20, 80))
def test_chinese_lines_are_full_and_begin_with_no_closing_mark(text: str, columns: int) -> None:
    lines = [line.plain for line in wrap(Text(text), columns)]
    runs_of_marks = any(a in "，。" and b in "，。" for a, b in pairwise(text))
    if not runs_of_marks:
        assert all(cell_len(line) <= columns for line in lines)
        assert all(line[0] not in "，。" for line in lines[1:])
        assert all(cell_len(line) >= columns - 4 for line in lines[:-1])


def test_a_word_is_not_torn() -> None:
    lines = [line.plain for line in wrap(Text("one two three four"), 9)]
    assert lines == ["one two", "three", "four"]


def test_a_line_does_not_end_before_a_sign_of_per_cent() -> None:
    lines = [line.plain for line in wrap(Text("в среднем 88,7\xa0% всех"), 15)]
    assert lines == ["в среднем", "88,7\xa0% всех"]


def test_code_keeps_its_backticks_where_colour_cannot_show_it() -> None:
    said = "run `x` now"
    assert consoles.styled(console(force_terminal=False), said).plain == said
    assert consoles.styled(console(no_color=False), said).plain == "run x now"


def test_a_long_line_of_code_stays_whole_in_a_pipe() -> None:
    assert code("x" * 100, terminal=False, fold=True) == ["  " + "x" * 100]
    assert [len(line) for line in code("x" * 100, fold=True)] == [40, 40, 26]


def test_what_does_not_fit_the_screen_is_divided_and_nothing_is_lost() -> None:
    page = console(force_terminal=True)
    page.size = ConsoleDimensions(40, 24)
    lines = [*"abcdef", "x" * 200, *"ghijklmnopqrstuvwxyz"]

    def write() -> None:
        for line in lines:
            page.print(line, soft_wrap=True)

    found = list(consoles.pages(page, 0, write))
    assert "".join(found).split() == lines
    assert [text.count("\n") for text in found] == [16, 11]
    # Below what nobody has read yet there is no room for it.
    assert next(consoles.pages(page, 10, write)) == ""
    assert list(consoles.pages(page, 20, lambda: None)) == [""]


@pytest.mark.parametrize(("encoding", "ascii_only"), [("utf-8", False), ("cp1251", True)])
def test_json_can_be_read_in_any_encoding(
    encoding: str, ascii_only: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr("sys.stdout", stream)
    consoles.document({"message": "批次"})
    stream.flush()
    said = stream.buffer.getvalue().decode(encoding)  # type: ignore[attr-defined]
    assert said.isascii() == ascii_only


def code(line: str, columns: int = 40, *, terminal: bool = True, fold: bool = False) -> list[str]:
    page = console(columns, force_terminal=terminal)
    consoles.code(page, line, indent=2, fold=fold)
    return seen(page).splitlines()


def test_a_line_of_code_is_broken_between_words_and_goes_on_further_in() -> None:
    line = "    model = AutoModel.from_pretrained(checkpoint, num_labels=2).to(device)"
    assert code(line) == [
        "      model = AutoModel.from_pretrained(",
        "          checkpoint, num_labels=2).to(",
        "          device)",
    ]
    assert code("+" + line, 60) == [
        "  +    model = AutoModel.from_pretrained(checkpoint,",
        "           num_labels=2).to(device)",
    ]
    assert code(line, terminal=False) == ["  " + line]
    # What is broken within a string could not be copied.
    assert code('[name for name in signature(A).names if "strategy" in name]', 50, fold=True) == [
        "  [name for name in signature(A).names if",
        '  "strategy" in name]',
    ]
    told = "Trainer.__init__() doesn't take 'evaluation_strategy'"
    assert code(told, 50, fold=True) == [
        "  Trainer.__init__() doesn't take",
        "  'evaluation_strategy'",
    ]


@given(st.text("abc  (,)批次`\t", max_size=200), st.integers(24, 80))
def test_a_broken_line_of_code_loses_nothing_but_spaces_and_fits(line: str, columns: int) -> None:
    shown = code(line, columns)
    assert "".join("".join(shown).split()) == "".join(line.split())
    assert all(cell_len(each) <= columns for each in shown if not each.isspace())
