"""`course diagnose --static` and `course fix` over scripts that are nobody's exercise."""

import json
import stat
from pathlib import Path

import pytest
from rich.cells import cell_len

from course.exercise import working_copy
from course.lesson import catalogue, lesson
from course.notebook.cells import notebook
from tests.cli.refusals import refused
from tests.command import course
from tests.diagnosis.text.scripts import CHAIN, LOOP
from tests.notebook.cells.written import code
from tests.notebook.cells.written import notebook as notebook_of

pytestmark = pytest.mark.live
"""Each starts a process."""

CLEARED = LOOP.replace("        optimizer.zero_grad()\n", "").replace(
    "        loss.backward()\n", "        loss.backward()\n        optimizer.zero_grad()\n"
)


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "train me.py"
    path.write_text(CLEARED)
    return path


def test_a_fault_is_named_with_line_evidence_and_mend(script: Path) -> None:
    done = course("diagnose", str(script), "--static", "--json", "--lang", "ru")
    assert done.returncode == 1, done.stderr
    (fault,) = json.loads(done.stdout)["faults"]
    assert (fault["fault"], fault["certain"]) == ("gradients-cleared-before-step", True)
    assert (fault["stage"], fault["file"]) == ("optimizer", str(script))
    assert CLEARED.splitlines()[fault["line"] - 1].strip() == "optimizer.zero_grad()"
    assert "+        optimizer.step()\n         optimizer.zero_grad()\n-" in fault["fix"]
    assert script.read_text() == CLEARED


def test_the_fixes_of_an_exam_are_not_shown(tmp_path: Path) -> None:
    part = lesson.load("ch8-4").parts["pt"]
    copy = tmp_path / "exam.py"
    first = working_copy.text(part, (), exam=True).partition("\n")[0]
    copy.write_text(f"{first}\n{CLEARED}")
    done = course("diagnose", str(copy), "--static", "--lang", "en")
    assert "gradients-cleared-before-step" in done.stdout
    assert "This is an exam" in done.stdout
    assert "+        optimizer.step()" not in done.stdout
    assert "course fix --apply" not in done.stdout
    for fix in catalogue.catalogue()["gradients-cleared-before-step"].fix.split(". "):
        assert fix[:30] not in done.stdout
    (fault,) = json.loads(course("diagnose", str(copy), "--static", "--json").stdout)["faults"]
    assert fault["fix"] is None


def test_a_healthy_script_has_no_fault_and_says_what_was_not_looked_at(script: Path) -> None:
    script.write_text(LOOP)
    done = course("diagnose", str(script), "--static", "--lang", "en")
    assert done.returncode == 0
    assert "✓ Gradients are computed, used and cleared in the right order." in done.stdout
    assert "○ Not checked, `data-reach-the-training`" in done.stdout
    assert (
        "○ Not checked, `run`: the script was only read, not run; `course diagnose" in done.stdout
    )


def test_a_script_that_needs_tensorflow_is_told_which_environment_has_it(script: Path) -> None:
    given = ("diagnose", str(script), "--static", "--lang", "en")
    none = str(script.parent / "none")
    assert "runtime" not in course(*given, COURSE_RUNTIMES=none).stdout
    script.write_text("import tensorflow as tf\n")
    told = " ".join(course(*given, COURSE_RUNTIMES=none).stdout.split())
    assert "`course runtime install tf`" in told


@pytest.mark.parametrize("language", ["en", "zh", "ru"])
@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_page_fits_the_terminal(script: Path, language: str, width: int) -> None:
    script.write_text(CHAIN)
    done = course(
        "diagnose", script.name, "--static", "--lang", language,
        cwd=script.parent, COLUMNS=str(width),
    )  # fmt: skip
    assert done.returncode == 1
    for line in done.stdout.splitlines():
        # Code is indented, and not cut.
        assert cell_len(line) <= width or line.startswith("  ") or "course fix" in line, line


def test_fix_mends_all_that_is_mechanical_and_keeps_the_file_s_own_ways(script: Path) -> None:
    script.write_bytes(b"\xef\xbb\xbf" + CLEARED.replace("\n", "\r\n").encode())
    script.chmod(0o640)
    shown = course("fix", str(script), "--lang", "en")
    assert shown.returncode == 0, shown.stderr
    assert f"`course fix '{script}' --apply`" in " ".join(shown.stdout.split())
    done = course("fix", str(script), "--apply", "--yes", "--json")
    assert done.returncode == 0
    document = json.loads(done.stdout)
    assert document["applied"] is True
    assert [each["fault"] for each in document["faults"]] == ["gradients-cleared-before-step"]
    data = script.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    assert b"\r\n" in data
    assert stat.S_IMODE(script.stat().st_mode) == 0o640
    again = course("diagnose", str(script), "--static", "--json")
    assert json.loads(again.stdout)["faults"] == []


def test_a_script_in_another_encoding_is_mended_in_it_and_a_closed_one_is_not(
    script: Path,
) -> None:
    text = f"# -*- coding: latin-1 -*-\n# caf\xe9\n{CLEARED}".encode("latin-1")
    script.write_bytes(text)
    script.chmod(0o440)
    closed = course("fix", str(script), "--apply", "--yes", "--lang", "en")
    assert closed.returncode == 2
    assert "cannot be written: Permission denied" in closed.stderr
    assert script.read_bytes() == text
    script.chmod(0o640)
    assert course("fix", str(script), "--apply", "--yes").returncode == 0
    data = script.read_bytes()
    assert data != text
    assert b"# caf\xe9\n" in data


def test_a_statement_that_fails_without_a_name_is_not_in_order(script: Path) -> None:
    script.write_text("n = int(input('How many? '))\n")
    done = course("diagnose", str(script), "--json", "--lang", "en")
    document = json.loads(done.stdout)
    unchecked = {each["check"]: each["why"] for each in document["not_checked"]}
    assert "script-runs" in unchecked
    assert "script-runs" not in {each["check"] for each in document["checked"]}
    assert "waits for `input()`" in unchecked["line 1"]


def test_a_script_that_wants_arguments_is_told_where_they_go(script: Path) -> None:
    script.write_text(
        "import argparse\nparser = argparse.ArgumentParser()\n"
        "parser.add_argument('--epochs', required=True)\nparser.parse_args()\n"
    )
    done = course("diagnose", str(script), "--json", "--lang", "en")
    unchecked = {e["check"]: e["why"] for e in json.loads(done.stdout)["not_checked"]}
    assert "arguments are required: --epochs" in unchecked["script-runs"]
    assert "after `--`" in unchecked["script-runs"]
    given = course("diagnose", str(script), "--json", "--", "--epochs", "3")
    assert "script-runs" in {each["check"] for each in json.loads(given.stdout)["checked"]}


def test_what_a_person_has_to_choose_is_left_and_said(script: Path) -> None:
    script.write_text(LOOP.replace("        loss.backward()\n", ""))
    done = course("fix", str(script), "--apply", "--yes", "--lang", "en")
    assert done.returncode == 1
    assert "For you to fix" in done.stdout
    assert "The backward pass is never run" in done.stdout


def test_a_notebook_is_read_and_mended_cell_by_cell(tmp_path: Path) -> None:
    path = tmp_path / "mine.ipynb"
    path.write_text(notebook_of(code("%pip list\nimport torch"), code(CLEARED)))
    done = course("diagnose", str(path), "--static", "--json")
    (fault,) = json.loads(done.stdout)["faults"]
    assert fault["cell"] == 2
    assert (fault["lines"][0], fault["cells"][0]) == (fault["line"], 2)
    assert len(fault["lines"]) == len(fault["cells"])
    assert CLEARED.splitlines()[fault["line"] - 1].strip() == "optimizer.zero_grad()"
    assert course("fix", str(path), "--apply", "--yes").returncode == 0
    after = notebook.read(path.read_text(), path.name)
    assert after.cells[0].source == "%pip list\nimport torch"
    assert "optimizer.step()\n        optimizer.zero_grad()" in after.cells[1].source


def test_a_folder_is_answered_with_what_to_name(script: Path) -> None:
    script.write_text("x = 1\n")
    told = refused("run", str(script.parent), "--lang", "en")
    assert f"Give the name of a file in it, such as `{script}`" in told


def test_a_script_that_python_can_t_read_is_a_fault_and_nothing_is_mended(script: Path) -> None:
    script.write_text("import torch\nprint('a'\n")
    done = course("diagnose", str(script), "--static", "--json")
    assert done.returncode == 1
    document = json.loads(done.stdout)
    assert [each["fault"] for each in document["faults"]] == ["syntax-error"]
    assert len(document["not_checked"]) == 6
    assert course("fix", str(script), "--apply", "--yes").returncode == 1
    assert script.read_text() == "import torch\nprint('a'\n"
