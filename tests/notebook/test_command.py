"""`course notebook`: what it writes, what it says, and what it refuses."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from course.base.errors import UserError
from course.exercise import working_copy
from course.lesson import lesson
from course.notebook import document, execute
from course.notebook.cells import generated, notebook
from tests.command import ROOT, course

pytestmark = pytest.mark.live
"""Each starts the real command or a real kernel."""

PART = lesson.load("ch8-4").parts["pt"]
FAULTS = [b.fault for b in PART.bugs]
KERNEL = (sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}")


def make(folder: Path, *words: str, **variables: str) -> Any:
    return course("notebook", "ch8-4", *words, cwd=folder, PYTHONPATH=str(ROOT), **variables)


@pytest.mark.parametrize("lang", ["en", "zh", "ru"])
def test_it_writes_a_notebook_named_after_the_lesson_and_says_what_to_do(
    tmp_path: Path, lang: str
) -> None:
    done = make(tmp_path, "--lang", lang)
    assert done.returncode == 0, done.stderr
    assert "`jupyter lab ch8-4-pt.ipynb`" in done.stdout
    assert "`course run ch8-4-pt.ipynb`" in done.stdout
    assert "course runtime kernel" not in done.stdout
    made = working_copy.read(tmp_path / "ch8-4-pt.ipynb")
    assert (made.bugs, made.header.lang) == (PART.bugs, lang)


def test_a_notebook_that_needs_another_kernel_says_so(tmp_path: Path) -> None:
    done = make(tmp_path, "--fw", "tf")
    assert "`course runtime kernel tf`" in done.stdout


@pytest.mark.parametrize(
    ("words", "bugs"),
    [((), FAULTS), (("--bugs", FAULTS[1]), FAULTS[1:2]), (("--bugs", "none"), [])],
)
def test_the_document_tells_what_was_made(
    tmp_path: Path, words: tuple[str, ...], bugs: list[str]
) -> None:
    done = make(tmp_path, "-o", "made.ipynb", "--json", *words)
    path = tmp_path / "made.ipynb"
    assert json.loads(done.stdout) == {
        "format": 1,
        "path": str(path),
        "lesson": "ch8-4",
        "framework": "pt",
        "lang": "en",
        "script": None,
        "bugs": bugs,
        "cells": len(notebook.read(path.read_text("utf-8"), path.name).cells),
    }
    assert [b.fault for b in working_copy.read(path).bugs] == bugs


def test_the_notebook_goes_to_stdout_as_it_would_to_a_file(tmp_path: Path) -> None:
    shown = make(tmp_path, "--seed", "7", "-o", "-")
    make(tmp_path, "--seed", "7", "-o", "made.ipynb")
    assert shown.stdout == (tmp_path / "made.ipynb").read_text("utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["made.ipynb"]


def test_executed_it_has_the_outputs_up_to_the_first_fault(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    done = make(tmp_path, "--executed", "--lang", "zh", "-o", "made.ipynb")
    assert done.returncode == 0, done.stderr
    bare = json.loads(make(tmp_path, "--lang", "zh", "-o", "-").stdout)
    made = json.loads((tmp_path / "made.ipynb").read_text("utf-8"))
    assert [c["source"] for c in made["cells"]] == [c["source"] for c in bare["cells"]]
    assert [c["id"] for c in made["cells"]] == [c["id"] for c in bare["cells"]]
    assert {k: v for k, v in made["metadata"].items() if k != "widgets"} == bare["metadata"]
    code = [c for c in made["cells"] if c["cell_type"] == "code"]
    ran = [c for c in code if c["execution_count"] is not None]
    assert code[: len(ran)] == ran
    failed = [c for c in ran if any(o["output_type"] == "error" for o in c["outputs"])]
    assert failed == ran[-1:]
    assert FAULTS[0] in json.dumps(failed[0]["outputs"])
    assert not [c for c in ran if generated.kind(c["metadata"], "".join(c["source"])) == "look"]


def text(*sources: str) -> str:
    """A notebook with these cells; those that begin with a mark are ours."""
    cells = []
    for source in sources:
        own = source.removeprefix("setup:")
        metadata = generated.mark("setup", own) if own != source else {}
        cells.append(document.cell("code", own, metadata))
    return document.text(cells, document.KERNEL)


def test_cells_run_with_their_variables_in_an_empty_folder_until_one_fails() -> None:
    made = execute.executed(
        text("import os; os.environ['SAID'], os.listdir()", "1 / 0", "print('never')"),
        KERNEL,
        {"SAID": "hello"},
        60,
    )
    first, second, third = json.loads(made)["cells"]
    assert first["outputs"][0]["data"]["text/plain"] == ["('hello', [])"]
    assert second["outputs"][0]["ename"] == "ZeroDivisionError"
    assert (third["outputs"], third["execution_count"]) == ([], None)
    assert json.loads(made)["metadata"] == document.KERNEL


def test_a_cell_that_asks_for_input_fails_at_once() -> None:
    made = json.loads(execute.executed(text("input()"), KERNEL, {}, 60))
    assert made["cells"][0]["outputs"][0]["ename"] == "StdinNotImplementedError"


@pytest.mark.parametrize(
    ("sources", "command", "timeout", "said"),
    [
        (("1",), (sys.executable, "-c", "raise SystemExit(1)"), 60, "was lost"),
        (("import os; os._exit(1)",), KERNEL, 60, "was lost"),
        (("import time; time.sleep(60)",), KERNEL, 2, "more than 2 seconds"),
        (("setup:1 / 0",), KERNEL, 60, "first cell failed: ZeroDivisionError"),
    ],
)
def test_a_run_that_comes_to_nothing_is_told_in_a_sentence(
    sources: tuple[str, ...], command: tuple[str, ...], timeout: float, said: str
) -> None:
    with pytest.raises(UserError, match=said):
        execute.executed(text(*sources), command, {}, timeout)
