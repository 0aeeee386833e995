"""`course notebook FILE`: either form of a file from the other, by the real command line's code."""

import ast
import subprocess
import sys
from pathlib import Path

import jupytext
import pytest

from course.base.errors import UserError
from course.cli.notebook import conversion
from course.exercise import working_copy as copies
from course.lesson import lesson
from course.notebook import convert, make
from tests.notebook.cells.written import code, markdown, notebook


def test_an_exercise_becomes_a_notebook_and_a_script_again(tmp_path: Path) -> None:
    part = next(iter(lesson.load("ch8-4").parts.values()))
    script = copies.start(part, part.bugs, tmp_path)
    made = script.with_suffix(".ipynb")
    conversion.convert(script, None)
    assert copies.read(made).bugs == part.bugs
    conversion.convert(made, tmp_path / "again.py")
    again = copies.read(tmp_path / "again.py")
    assert again.bugs == part.bugs
    assert ast.dump(ast.parse(again.text)) == ast.dump(ast.parse(script.read_text("utf-8")))


def test_a_notebook_becomes_a_script_as_jupytext_writes_it(tmp_path: Path) -> None:
    path = tmp_path / "mine.ipynb"
    said = {"name": "stdout", "output_type": "stream", "text": "x"}
    cells = (
        code("%time f()\nx = 1", id="a", metadata={"tags": ["t"]}, outputs=[said]),
        markdown("# A title", id="b"),
    )
    path.write_text(notebook(*cells), "utf-8")
    conversion.convert(path, None)
    found = jupytext.read(tmp_path / "mine.py")
    kinds = [(each.cell_type, each.source) for each in found.cells]
    assert kinds == [("code", "%time f()\nx = 1"), ("markdown", "# A title")]


@pytest.mark.live
def test_a_pair_is_one_that_jupytext_knows(tmp_path: Path) -> None:
    part = next(iter(lesson.load("ch8-4").parts.values()))
    book, script = tmp_path / "x.ipynb", tmp_path / "x.py"
    book.write_text(convert.paired(make.text(part, part.bugs)), "utf-8")
    script.write_text(convert.to_script(book.read_text("utf-8")), "utf-8")
    assert copies.find(tmp_path) == book
    # An edit of the script arrives in the notebook.
    script.write_text(script.read_text("utf-8").replace("set_seed(42)", "set_seed(43)"), "utf-8")
    subprocess.run([sys.executable, "-m", "jupytext", "--sync", str(script)], check=True)
    assert "set_seed(43)" in copies.read(book).text


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "a.ipynb").write_text("mine")
    with pytest.raises(UserError, match="already exists"):
        conversion.convert(tmp_path / "a.py", None)
    assert (tmp_path / "a.ipynb").read_text() == "mine"


@pytest.mark.parametrize(
    ("name", "text", "output", "word"),
    [
        ("a.ipynb", "{", None, "ends too early"),
        (
            "a.ipynb",
            notebook(code("x"), metadata={"kernelspec": {"language": "R"}}),
            None,
            "another language",
        ),
        ("a.py", "x = 1", "b.py", "ends in `.ipynb`"),
        ("none.py", None, None, "no file"),
    ],
)
def test_what_cannot_be_converted_gets_its_sentence(
    name: str, text: str | None, output: str | None, word: str, tmp_path: Path
) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(UserError, match=word):
        conversion.convert(tmp_path / name, tmp_path / output if output else None)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("word", "means"),
    [
        ("ch8-4", False),
        ("./x.py", True),
        ("nb/x.ipynb", True),
        ("x.py", True),
        ("ch8-4.md", False),
    ],
)
def test_a_lesson_is_no_file(word: str, means: bool) -> None:
    assert conversion.is_file(word) is means
