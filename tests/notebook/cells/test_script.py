"""One script of a notebook's cells: its lines know their cells, and changed ones find home."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.notebook.cells import generated
from course.notebook.cells.notebook import Unusable, read
from course.notebook.cells.script import Script, of
from tests.notebook.cells.written import code, markdown, notebook


def script(*sources: str) -> Script:
    return of(read(notebook(*map(code, sources)), "n.ipynb"))


def test_cells_follow_each_other_without_ours_and_without_prose() -> None:
    look = "trainer"
    cells = (
        markdown("# Title"),
        code("a = 1\n"),
        code(look, metadata=generated.mark("look", look)),
        code("%pip install x\nb = 2"),
    )
    made = of(read(notebook(*cells), "n.ipynb"))
    assert made.text == "# %% [2]\na = 1\n\n# %% [4]\npass  # %pip install x\nb = 2\n"
    assert made.left_out == ((4, "%pip install x"),)


def test_a_notebook_of_nothing_but_our_cells_has_nothing_to_run() -> None:
    cell = code("x", metadata=generated.mark("look", "x"))
    with pytest.raises(Unusable) as caught:
        of(read(notebook(cell), "n.ipynb"))
    assert caught.value.reason == "no-code"


@given(st.lists(st.lists(st.sampled_from(["a = 1", "", "# %% [2]", "%pwd", "'ж'"]), max_size=4)))
def test_each_line_knows_its_cell(cells: list[list[str]]) -> None:
    sources = ["first = 1", *("\n".join(lines) for lines in cells)]
    made = script(*sources)
    lines = made.text.split("\n")
    for piece in made.pieces:
        for inner, line in enumerate(piece.lines, start=1):
            at = piece.first + inner - 1
            assert lines[at - 1] == line
            assert made.place(at) == (piece.cell.number, inner)
    assert made.place(1) is None
    assert made.back(made.text) == {}


def test_a_changed_line_comes_back_with_the_magics_around_it() -> None:
    made = script("%time a = f(1)\n", "x = 1", "%matplotlib inline\r\nb = 2\r\n!ls\r\n")
    assert made.back(made.text.replace("b = 2", "b = 3\nc = 4")) == {
        3: "%matplotlib inline\r\nb = 3\r\nc = 4\r\n!ls\r\n"
    }


def test_a_text_with_other_marks_is_not_taken_apart() -> None:
    made = script("x = 1", "y = 2")
    with pytest.raises(ValueError, match="marks"):
        made.back(made.text.replace("# %% [2]\n", ""))


def test_display_is_there_for_those_who_call_it_and_imported_by_nobody() -> None:
    made = script("display(1)")
    assert made.text == "display = print  # as in a notebook\n# %% [1]\ndisplay(1)\n"
    assert made.place(3) == (1, 1)
    assert made.back(made.text.replace("(1)", "(2)").replace("[(2)]", "[1]")) == {1: "display(2)"}
    assert "= print" not in script("from x import display\ndisplay(1)").text


@pytest.mark.parametrize(
    ("source", "reason", "quoted"),
    [
        ("%odd", "magic", "%odd"),
        ("x = !ls", "shell", "x = !ls"),
        ("name = input('?')", "input", "input()"),
    ],
)
def test_what_cannot_be_run_names_its_cell(source: str, reason: str, quoted: str) -> None:
    with pytest.raises(Unusable) as caught:
        script("x = 1", source)
    assert caught.value.reason == reason
    assert f"[2]:{quoted}`" in str(caught.value)


def test_an_input_of_the_notebooks_own_is_called() -> None:
    assert script("def input(x):\n    return 1\ninput(2)").text


def test_a_bomb_in_many_cells_is_given_up_in_seconds() -> None:
    cell = "(\n" + "%x\n" * 1100
    with pytest.raises(Unusable) as caught:
        script(*[cell] * 290)
    assert caught.value.reason == "magic"
