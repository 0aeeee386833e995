"""Commands on either file of a pair: both in step first, the notebook is what counts."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from course.cli import resolve
from course.cli.learner import fix, reset
from course.cli.notebook import notebook as command
from course.cli.notebook import pairs
from course.errors import UserError
from course.exercise import progress
from course.exercise import working_copy as copies
from course.lesson import lesson
from course.notebook import pair
from tests.command import CLEAN, ROOT

pytestmark = pytest.mark.live
"""Each starts a process."""

PART = next(iter(lesson.load("ch8-4").parts.values()))


@pytest.fixture(autouse=True)
def state_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_STATE", str(tmp_path_factory.mktemp("state")))


@pytest.fixture
def book(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    path = tmp_path / "x.ipynb"
    command.notebook("ch8-4", output=path, with_script=True)
    assert "x.py" in capsys.readouterr().out
    return path


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


@pytest.mark.parametrize("name", ["x.py", "x.ipynb", "."])
def test_the_notebook_is_what_counts_whichever_file_is_named(
    book: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert resolve.find_copy(str(book.parent / name)).path == book
    assert capsys.readouterr().err == ""
    edit(book.with_suffix(".py"), "set_seed(42)", "set_seed(43)")
    copy = resolve.find_copy(str(book.parent / name))
    assert (copy.path, copy.bugs) == (book, PART.bugs)
    assert "set_seed(43)" in copy.text
    said = capsys.readouterr()
    assert said.err.split() == "x.py has changed: x.ipynb has its text now.".replace(
        "x.py", "`x.py`").replace("x.ipynb", "`x.ipynb`").split()  # fmt: skip
    assert said.out == ""


def test_a_conflict_stops_every_command_before_it_does_anything(book: Path) -> None:
    edit(book, "set_seed(42)", "set_seed(1)")
    edit(book.with_suffix(".py"), "set_seed(42)", "set_seed(2)")
    before = book.read_bytes(), book.with_suffix(".py").read_bytes()
    for name in ("x.py", "x.ipynb", "."):
        with pytest.raises(UserError, match="--keep"):
            reset.reset(str(book.parent / name))
    assert (book.read_bytes(), book.with_suffix(".py").read_bytes()) == before
    assert len([*book.parent.iterdir()]) == 2


def test_a_fix_comes_into_both(book: Path) -> None:
    script = book.with_suffix(".py")
    edit(script, "set_seed(42)", "set_seed(43)")
    copy = resolve.find_copy(str(script))
    bug = PART.bugs[0]
    progress.keep(replace(progress.of(copy), digest=copy.digest, fault=bug.fault))
    assert fix.fix(str(script), apply=True, yes=True) == 0
    for place in bug.edits:
        assert place.healthy in script.read_text("utf-8")
    assert bug.take_out(copy.text) == copies.read(book).text
    assert resolve.find_copy(str(script)).text == copies.read(book).text


def test_starting_over_starts_both_over_and_they_stay_a_pair(book: Path) -> None:
    script = book.with_suffix(".py")
    fresh = book.read_bytes(), script.read_bytes()
    edit(script, "set_seed(42)", "set_seed(43)")
    reset.reset(str(script))
    assert (book.read_bytes(), script.read_bytes()) == fresh
    assert b"set_seed(43)" in book.with_name("x.ipynb.1.bak").read_bytes()
    assert pair.whole(script) is not None


def test_a_file_in_the_way_of_the_script_stays(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text("mine")
    with pytest.raises(UserError, match="is there already"):
        command.notebook("ch8-4", output=tmp_path / "x.ipynb", with_script=True)
    assert [p.name for p in tmp_path.iterdir()] == ["x.py"]
    assert (tmp_path / "x.py").read_text() == "mine"
    with pytest.raises(UserError, match="two files"):
        command.notebook("ch8-4", output=Path("-"), with_script=True)


def test_by_hand_a_missing_one_is_made_and_a_side_is_kept(
    book: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = book.with_suffix(".py")
    text = script.read_bytes()
    script.unlink()
    command.notebook(str(book), sync=True)
    assert script.read_bytes() == text
    edit(book, "set_seed(42)", "set_seed(1)")
    edit(script, "set_seed(42)", "set_seed(2)")
    capsys.readouterr()
    pairs.sync(str(book.parent), "py", as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert told == {
        "format": 1,
        "notebook": str(book),
        "script": str(script),
        "written": str(book),
        "kept": str(book.with_name("x.ipynb.1.bak")),
    }
    assert "set_seed(2)" in copies.read(book).text
    pairs.sync(str(script), None, as_json=False)
    assert "have the same text" in capsys.readouterr().out


def test_what_is_no_pair_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="There is no file"):
        pairs.sync(str(tmp_path / "x.ipynb"), None, as_json=False)
    command.notebook("ch8-4", output=tmp_path / "x.ipynb")
    copies.start(PART, (), tmp_path)
    with pytest.raises(UserError, match="--set-formats"):
        pairs.sync(str(tmp_path / "x.ipynb"), "py", as_json=False)


def test_in_step_nothing_heavy_is_loaded(book: Path) -> None:
    script = (
        "import sys\nfrom course.cli import resolve as lookup\n"
        f"assert lookup.find_copy({str(book)!r}).script\n"
        "print({'jupytext', 'nbformat', 'yaml'} & {*sys.modules})"
    )
    env = {**CLEAN, "COURSE_STATE": os.environ["COURSE_STATE"]}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=env, capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == ("set()\n", "")
