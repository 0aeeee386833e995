"""A notebook as a working copy: read by its cells, mended in one of them, its places named."""

import json
from pathlib import Path
from typing import Any

import pytest

from course.base.errors import UserError
from course.exercise import practice
from course.exercise import working_copy as copies
from course.exercise.header import Header
from course.exercise.working_copy import Copy
from course.judge.cells import placed
from course.lesson import lesson
from course.lesson.lesson import Part
from course.notebook.cells import generated
from course.runs.record import Frame, Raised, RunRecord
from tests.notebook.cells.written import code, markdown, notebook

FRAMEWORKS = [(p.lesson, p.framework) for n in lesson.ids() for p in lesson.load(n).parts.values()]
OUTPUT = {"name": "stdout", "output_type": "stream", "text": ["said\n"]}


def cells(part: Part, **more: Any) -> list[dict[str, Any]]:
    """Our header in a cell of ours, then the script's own cells, each with something to keep."""
    faults = tuple(b.fault for b in part.bugs)
    setup = f"{Header(part.lesson, part.framework, faults, 'ru').line()}%load_ext course"
    made = [code(setup, metadata=generated.mark("setup", setup))]
    for number, text in enumerate(part.script.split("# %%\n")[1:]):
        own = text.split("# %% [markdown]")[0].strip("\n")
        made.append(markdown("prose", attachments={"a.png": {"image/png": "AAAA"}}))
        made.append(code(own, id=f"c{number}", metadata={"tags": ["x"]}, outputs=[OUTPUT], **more))
    return made


@pytest.fixture(params=FRAMEWORKS, ids=lambda p: "-".join(p))
def part(request: pytest.FixtureRequest) -> Part:
    name, framework = request.param
    return lesson.load(name).parts[framework]


def saved(folder: Path, *made: Any, name: str = "mine.ipynb") -> Copy:
    (folder / name).write_text(notebook(*made), "utf-8")
    return copies.read(folder / name)


def test_it_is_known_by_the_header_in_a_cell(part: Part, tmp_path: Path) -> None:
    copy = saved(tmp_path, *cells(part))
    assert (copy.part, copy.bugs, copy.header.lang) == (part, part.bugs, "ru")
    assert "%load_ext" not in copy.text
    assert copies.find(tmp_path) == tmp_path / "mine.ipynb"


def test_one_that_cannot_be_run_is_found_and_told_why(part: Part, tmp_path: Path) -> None:
    (tmp_path / "mine.ipynb").write_text(notebook(*cells(part), code("%odd")), "utf-8")
    with pytest.raises(UserError, match="%odd`"):
        copies.read(copies.find(tmp_path))


def test_outputs_are_no_part_of_what_was_tried(part: Part, tmp_path: Path) -> None:
    one = saved(tmp_path, *cells(part))
    other = saved(tmp_path, *cells(part, execution_count=7))
    assert one.digest == other.digest
    assert one.content != other.content


def test_every_fix_is_made_in_its_cells_and_nowhere_else(part: Part, tmp_path: Path) -> None:
    copy = saved(tmp_path, *cells(part))
    for bug in part.bugs:
        before = json.loads(copy.content)
        found = practice.fix(copy, bug)
        assert found.reason is None
        assert practice.apply(copy, found)
        mended = copies.read(copy.path)
        after = json.loads(mended.content)
        changed = [
            n
            for n, (a, b) in enumerate(zip(before["cells"], after["cells"], strict=True), start=1)
            if a != b
        ]
        assert changed
        assert all(f"mine.ipynb[{n}]" in found.diff for n in changed)
        for a, b in zip(before["cells"], after["cells"], strict=True):
            a.pop("source")
            b.pop("source")
        assert before == after
        copy = mended
    assert copy.text.split() == saved(tmp_path, *healthy(part), name="other.ipynb").text.split()


def healthy(part: Part) -> list[dict[str, Any]]:
    script = part.text(())
    made = cells(part)[:1]
    for text in script.split("# %%\n")[1:]:
        made += [markdown("prose"), code(text.split("# %% [markdown]")[0].strip("\n"))]
    return made


def test_a_notebook_saved_meanwhile_is_left_alone(part: Part, tmp_path: Path) -> None:
    copy = saved(tmp_path, *cells(part))
    found = practice.fix(copy, part.bugs[0])
    copy.path.write_text(copy.content + " ", "utf-8")
    assert not practice.apply(copy, found)
    assert copy.path.read_text("utf-8") == copy.content + " "


def test_cells_in_another_order_and_merged_are_mended_where_they_stand(
    part: Part, tmp_path: Path
) -> None:
    setup, *rest = [c for c in cells(part) if c["cell_type"] == "code"]
    merged = code("\n\n".join(c["source"] for c in rest))
    copy = saved(tmp_path, merged, setup)
    assert copy.part == part
    found = practice.fix(copy, part.bugs[0])
    assert found.reason is None
    assert "mine.ipynb[1]" in found.diff


def test_a_syntax_error_is_named_by_its_cell(part: Part, tmp_path: Path) -> None:
    made = cells(part)
    copy = saved(tmp_path, *made, code("x = 1\nif x\n"))
    found = practice.fix(copy, part.bugs[0])
    assert (found.reason, found.cell, found.line) == ("syntax", len(made) + 1, 2)


def test_a_traceback_names_cells_and_their_lines(tmp_path: Path) -> None:
    part = lesson.load(*FRAMEWORKS[0][:1]).parts[FRAMEWORKS[0][1]]
    copy = saved(tmp_path, *cells(part)[:1], markdown("-"), code("x = 1\ny = 2\n"), code("z = 3"))
    assert copy.script is not None
    lines = copy.text.split("\n")
    own = Frame(
        "__main__", "mine.ipynb", "<module>", lines.index("y = 2") + 1, "y = 2", script=True
    )
    library = Frame("json", "json/x.py", "f", 1, "raise")
    at = lines.index("z = 3") + 1
    raised = Raised("builtins.SyntaxError", (), f"bad (mine.ipynb, line {at})", (own, library))
    found = placed(RunRecord("exception", raised=raised), copy.script).raised
    assert found is not None
    assert [(f.file, f.line) for f in found.frames] == [("mine.ipynb[3]", 2), ("json/x.py", 1)]
    assert found.message == "bad (mine.ipynb[4], line 1)"


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"\xff\xfe", "ends too early"),
        (b'{"a": "\0"}', "ends too early"),
        (b"", "ends too early"),
        (notebook(code("x = !ls")).encode(), "shell line"),
        (notebook(code("x = '@'")).replace("@", "\\ud800").encode(), "source"),
        (notebook(code("x = 1")).encode(), "not an exercise"),
    ],
)
def test_what_cannot_be_run_gets_a_sentence_and_stays(
    data: bytes, word: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine.ipynb"
    path.write_bytes(data)
    with pytest.raises(UserError, match=word):
        copies.read(path)
    assert path.read_bytes() == data


def test_a_hundred_megabytes_of_outputs_are_not_even_parsed(tmp_path: Path) -> None:
    path = tmp_path / "mine.ipynb"
    with path.open("wb") as stream:
        stream.truncate(100_000_000)
    with pytest.raises(UserError, match="clear all outputs"):
        copies.read(path)
