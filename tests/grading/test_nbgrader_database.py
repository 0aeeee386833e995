"""nbgrader's own gradebook: marks come in, nothing else changes, all or nothing."""

import contextlib
import os
import sqlite3
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from course.cli.classroom.report import report
from course.errors import UserError
from course.grading.gradebook.gradebook import Gradebook
from course.grading.report.class_results import Register
from course.grading.report.nbgrader import database, marks
from tests.grading import report_class as made
from tests.grading.test_report_command import fill

pytestmark = pytest.mark.live
"""nbgrader takes some seconds to be imported."""


@pytest.fixture(autouse=True, scope="module")
def in_the_path() -> Iterator[None]:
    """nbgrader starts a program of its own environment."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", os.path.dirname(sys.executable), prepend=os.pathsep)
        yield


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "gradebook 100%23?.db"


def write(path: Path, register: Register | None = None, **more: Any) -> int:
    return database.write(path, marks.sheets(register or made.register()), **more)


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Any]:
    """The file as nbgrader itself opens it."""
    from nbgrader import api
    from sqlalchemy import URL

    with api.Gradebook(URL.create("sqlite", database=str(path)), "") as found:
        yield found


def scores(path: Path) -> dict[str, float]:
    with opened(path) as found:
        return {s.student.id: s.score for s in found.assignment_submissions("ch8-4-pt")}


def dumped(path: Path) -> list[str]:
    with contextlib.closing(sqlite3.connect(path)) as db:
        return list(db.iterdump())


WANTED = {s.student.id: s.score for s in made.twelve() if s.score is not None}


def test_a_new_gradebook_is_one_of_nbgraders_with_all_marks(path: Path) -> None:
    assert write(path) == len(WANTED)
    assert scores(path) == WANTED
    with opened(path) as found:
        assert {s.id for s in found.students} == {f"s{n:02d}" for n in range(12)}
        assert found.find_assignment("ch8-4-pt").max_score == 5
        first = found.find_submission("ch8-4-pt", "s00")
        came = made.twelve()[0].attempt
        assert came is not None
        assert came.submitted is not None
        assert first.timestamp == came.submitted.replace(tzinfo=None)
        assert not first.needs_manual_grade
        grade = found.find_grade("point-2", "ch8-4-pt", "ch8-4-pt", "s02")
        assert (grade.auto_score, grade.max_score) == (1.0, 1.0)
    assert os.listdir(path.parent) == [path.name]


def test_the_same_again_changes_nothing(path: Path) -> None:
    write(path)
    before = dumped(path)
    write(path)
    assert dumped(path) == before


def test_what_is_there_already_is_kept(path: Path) -> None:
    with opened(path) as found:
        found.add_assignment("ps1", duedate="2026-01-01 12:00:00 UTC")
        found.add_notebook("p1", "ps1")
        found.add_grade_cell("test", "p1", "ps1", max_score=7, cell_type="code")
        found.add_assignment("ch8-4-pt", duedate="2026-02-01 12:00:00 UTC")
        found.add_notebook("ch8-4-pt", "ch8-4-pt")
        found.add_task_cell("point-1", "ch8-4-pt", "ch8-4-pt", max_score=1, cell_type="markdown")
        found.add_student("s00", first_name="Ada", last_name="King", email="a@b.c")
        found.add_submission("ps1", "s00")
        found.find_grade("test", "p1", "ps1", "s00").manual_score = 6
        ours = found.add_submission("ch8-4-pt", "s00")
        ours.notebooks[0].late_submission_penalty = 0.5
        grade = found.find_grade("point-1", "ch8-4-pt", "ch8-4-pt", "s00")
        grade.manual_score, grade.extra_credit = 0.25, 0.5
        found.db.commit()
    write(path)
    with opened(path) as found:
        ada = found.find_student("s00")
        assert (ada.first_name, ada.last_name, ada.email) == ("Ada", "King", "a@b.c")
        assert found.find_submission("ps1", "s00").score == 6
        assert found.find_assignment("ch8-4-pt").duedate == datetime(2026, 2, 1, 12)
        ours = found.find_submission("ch8-4-pt", "s00")
        assert ours.late_submission_penalty == 0.5
        # What somebody gave by hand goes before ours in its cell.
        assert ours.score == 4 + 0.25 + 0.5
        assert found.find_submission("ch8-4-pt", "s01").score == WANTED["s01"]
        assert {each.name for each in found.assignments} == {"ch8-4-pt", "ps1"}


def test_an_assignment_of_another_name_is_known_by_its_notebook(path: Path) -> None:
    with opened(path) as found:
        found.add_assignment("week3")
        found.add_notebook("ch8-4-pt", "week3")
    write(path)
    with opened(path) as found:
        assert [each.name for each in found.assignments] == ["week3"]
        assert found.find_submission("week3", "s00").score == WANTED["s00"]
        found.add_assignment("again")
        found.add_notebook("ch8-4-pt", "again")
    before = dumped(path)
    with pytest.raises(UserError, match="several assignments with a notebook `ch8-4-pt`"):
        write(path)
    assert dumped(path) == before


def test_a_mark_that_has_changed_takes_the_place_of_the_one_before(path: Path) -> None:
    write(path)
    who = made.student(3)
    better = made.standing(who, made.grade(who, made.BUGS, accuracy=0.9))
    assert write(path, Register((better,))) == 1
    assert scores(path) == {**WANTED, "s03": 5.0}


def test_unsafe_marks_are_flagged_and_a_flag_is_never_taken_away(path: Path) -> None:
    write(path)
    for unsafe in (True, False):
        write(path, unsafe=unsafe)
        with opened(path) as found:
            assert all(n.flagged for n in found.notebook_submissions("ch8-4-pt", "ch8-4-pt"))


@pytest.mark.parametrize("there", [False, True])
def test_what_fails_halfway_leaves_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    if there:
        write(path, Register(made.twelve()[:1]))
    before = dumped(path) if there else None
    entry, left = database._ExerciseMarks._score, 12

    def full(self: Any, *given: Any) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise OSError(28, "No space left on device")
        entry(self, *given)

    monkeypatch.setattr(database._ExerciseMarks, "_score", full)
    with pytest.raises(UserError, match=r"cannot be written: .*No space left"):
        write(path)
    assert (dumped(path) if there else None) == before
    assert os.listdir(path.parent) == ([path.name] if there else [])


def test_one_that_is_in_use_is_left_alone(path: Path) -> None:
    write(path, Register(made.twelve()[:1]))
    before = dumped(path)
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("BEGIN IMMEDIATE")
        with pytest.raises(UserError, match="database is locked"):
            write(path)
    assert dumped(path) == before


def test_a_file_of_another_program_is_left_alone(path: Path) -> None:
    fill(path)
    ours = path.read_bytes()
    with pytest.raises(UserError, match="is not nbgrader's gradebook"):
        report(path, "nbgrader", path)
    assert path.read_bytes() == ours
    text = path.with_name("text.db")
    text.write_text("mine")
    for other in (text, path.parent):
        with pytest.raises(UserError, match="is not nbgrader's gradebook"):
            write(other)
    assert text.read_text() == "mine"
    with pytest.raises(UserError, match="There is no folder"):
        write(path.parent / "none" / "a.db")
    write(older := path.with_name("older.db"))
    with contextlib.closing(sqlite3.connect(older)) as db, db:
        db.execute("UPDATE alembic_version SET version_num = 'old'")
    with pytest.raises(UserError, match="another version of nbgrader: run `nbgrader db upgrade`"):
        write(older)


def test_nbgraders_gradebook_is_none_of_ours(path: Path) -> None:
    write(path)
    with pytest.raises(UserError, match="is not a gradebook"):
        Gradebook.open(path)


def test_without_nbgrader_one_sentence_says_so(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nbgrader", None)
    with pytest.raises(UserError, match="not installed here: install it with `pip install"):
        write(path)
    assert os.listdir(path.parent) == []


def test_the_command_says_how_many_marks_it_entered(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(tmp_path / "ours.db", unsafe=True)
    report(tmp_path / "ours.db", "nbgrader", path)
    told = capsys.readouterr()
    assert told.out == ""
    assert f"Entered: 8 marks in `{path}`." in " ".join(told.err.split())
    assert scores(path) == WANTED


def test_half_of_a_point_more_than_all_is_kept_too(path: Path) -> None:
    own = made.twelve()[10]
    assert own.override is not None
    generous = replace(own, override=replace(own.override, score=6.5))
    write(path, Register((generous,)))
    assert scores(path) == {"s10": 6.5}
