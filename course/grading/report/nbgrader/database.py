"""Marks written into nbgrader's own gradebook, a SQLite file: the report `nbgrader` with `-o X.db`.

All of it is one transaction of nbgrader's own tables. What is there already is kept: students and
their names, other assignments, marks that somebody has given by hand, penalties.
"""

import contextlib
import os
import secrets
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from course.errors import UserError
from course.grading.report.nbgrader import points
from course.grading.report.nbgrader.marks import Mark, Sheet, names
from course.i18n import _

COURSE = "default_course"
"""What nbgrader calls a course without a name."""
TABLES = {"alembic_version", "assignment", "base_cell", "grade", "submitted_assignment"}
"""What nbgrader's gradebook has among its tables."""


def write(path: Path, sheets: Iterable[Sheet], *, unsafe: bool = False) -> int:
    """Enter the marks, into a new file where there is none; gives how many students have one.

    A notebook whose marks are `unsafe` is flagged, for somebody to look at it.

    Raises:
        UserError: nbgrader is not installed here, or the file is another program's, or cannot be
            written; nothing has changed then.

    """
    api = _api()
    _check(path, _head(api))
    with _explain_errors(path), _unfinished(path) as file, _session(api, file) as db:
        written = sum(_ExerciseMarks(api, db, each).enter(unsafe=unsafe) for each in sheets)
        db.commit()
    return written


def _api() -> ModuleType:
    """What nbgrader's gradebook is made of, as its own program has it.

    Raises:
        UserError: it is not installed here.

    """
    try:
        from nbgrader import api
    except ImportError as error:
        sentence = _("nbgrader is not installed here: install it with {command}.")
        raise UserError(sentence.format(command="`pip install nbgrader`")) from error
    assert isinstance(api, ModuleType)
    return api


def _head(api: ModuleType) -> str:
    """The version of the tables that this nbgrader makes.

    Its own function for that starts a program, which need not be in the path.
    """
    from alembic.script import ScriptDirectory

    found = ScriptDirectory(str(Path(str(api.__file__)).with_name("alembic")))
    return str(found.get_current_head())


def _check(path: Path, head: str) -> None:
    """Make sure that a gradebook of this nbgrader's lies there, or that one can be made.

    Raises:
        UserError: it is something else, or there is no folder for it.

    """
    if not path.exists():
        if not path.parent.is_dir():
            sentence = _("There is no folder {folder}: make it first.")
            raise UserError(sentence.format(folder=f"`{path.parent}`"))
        return
    version = _version(path)
    if version is None:
        sentence = _("{path} is not nbgrader's gradebook: name that one, or a new file.")
        raise UserError(sentence.format(path=f"`{path}`"))
    if version != head:
        sentence = _("{path} was made by another version of nbgrader: run {command} in its folder.")
        raise UserError(sentence.format(path=f"`{path}`", command="`nbgrader db upgrade`"))


def _version(path: Path) -> str | None:
    """The version of the tables in nbgrader's gradebook; None where the file is something else."""
    address = f"{path.absolute().as_uri()}?mode=ro"
    with (
        contextlib.suppress(sqlite3.Error),
        contextlib.closing(sqlite3.connect(address, uri=True)) as db,
    ):
        found = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
        if found >= TABLES:
            (version,) = db.execute("SELECT version_num FROM alembic_version").fetchone()
            return str(version)
    return None


@contextlib.contextmanager
def _session(api: ModuleType, file: Path) -> Iterator[Any]:
    """One transaction in a gradebook, whose tables are made where it has none."""
    from sqlalchemy import URL, create_engine, text
    from sqlalchemy.orm import Session

    engine = create_engine(URL.create("sqlite", database=str(file.absolute())))
    try:
        with Session(engine) as db:
            if not file.exists():
                api.Base.metadata.create_all(db.connection())
                db.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"))
                entered = text("INSERT INTO alembic_version (version_num) VALUES (:head)")
                db.execute(entered, {"head": _head(api)})
                db.add(api.Course(id=COURSE))
            yield db
    finally:
        engine.dispose()


@contextlib.contextmanager
def _unfinished(path: Path) -> Iterator[Path]:
    """The file to write to: a new one gets its name only when all is in it."""
    if path.exists():
        yield path
        return
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}.new")
    try:
        yield unfinished
        os.rename(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


@contextlib.contextmanager
def _explain_errors(path: Path) -> Iterator[None]:
    """Say in a sentence why the file can't be written.

    Raises:
        UserError: it can't.

    """
    from sqlalchemy.exc import SQLAlchemyError

    try:
        yield
    except (SQLAlchemyError, OSError) as error:
        reason = str(getattr(error, "orig", None) or error).splitlines()[0]
        sentence = _("nbgrader's gradebook {path} cannot be written: {reason}.")
        raise UserError(sentence.format(path=f"`{path}`", reason=reason)) from error


class _ExerciseMarks:
    """The marks of one exercise on their way into the tables; nothing of it is committed here."""

    def __init__(self, api: ModuleType, db: Any, sheet: Sheet) -> None:
        self._api = api
        self._db = db
        self._sheet = sheet

    def enter(self, *, unsafe: bool) -> int:
        """Enter the marks of an exercise without committing; returns how many had a score."""
        notebook = self._notebook()
        cells = [self._cell(notebook, number) for number in range(1, len(self._sheet.most) + 1)]
        entered = 0
        for mark in self._sheet.marks:
            self._student(mark)
            if mark.scores is not None:
                submitted = self._submitted(notebook, mark)
                for cell, score in zip(cells, mark.scores, strict=True):
                    self._score(submitted, cell, score)
                submitted.flagged = unsafe or submitted.flagged
                entered += 1
        self._db.flush()
        return entered

    def _notebook(self) -> Any:
        """The notebook of this name: that of the assignment that has one, or of a new one.

        Raises:
            UserError: several assignments have one, and none of them is called so.

        """
        api, name = self._api, self._sheet.name
        known = self._db.query(api.Notebook).filter(api.Notebook.name == name).all()
        same = [notebook for notebook in known if notebook.assignment.name == name]
        if len(same or known) > 1:
            sentence = _(
                "nbgrader has several assignments with a notebook {name}: call one of them so."
            )
            raise UserError(sentence.format(name=f"`{name}`"))
        if known:
            return (same or known)[0]
        assignment = self._db.query(api.Assignment).filter(api.Assignment.name == name).first()
        if assignment is None:
            course = self._db.query(api.Course).first()
            assignment = api.Assignment(name=name, course_id=course.id if course else COURSE)
            self._db.add(assignment)
        notebook = api.Notebook(name=name, assignment=assignment)
        self._db.add(notebook)
        self._db.flush()
        return notebook

    def _cell(self, notebook: Any, number: int) -> Any:
        """The cell that holds a point, worth what our rubric says."""
        api, name = self._api, points.name(number)
        known = [*notebook.task_cells, *notebook.grade_cells]
        cell = next((each for each in known if each.name == name), None)
        if cell is None:
            cell = api.TaskCell(name=name, notebook=notebook, cell_type="markdown")
            self._db.add(cell)
        cell.max_score = self._sheet.most[number - 1]
        self._db.flush()
        return cell

    def _student(self, mark: Mark) -> None:
        known = mark.standing.student
        if self._db.get(self._api.Student, known.id) is None:
            last, first = names(known.name)
            student = self._api.Student(id=known.id, last_name=last, first_name=first or None)
            self._db.add(student)
            self._db.flush()

    def _submitted(self, notebook: Any, mark: Mark) -> Any:
        """What the student has handed in, as nbgrader has it: with a place for each score."""
        api, assignment = self._api, notebook.assignment
        submission = (
            self._db.query(api.SubmittedAssignment)
            .filter_by(assignment_id=assignment.id, student_id=mark.standing.student.id)
            .first()
        )
        if submission is None:
            student = self._db.get(api.Student, mark.standing.student.id)
            submission = api.SubmittedAssignment(assignment=assignment, student=student)
            self._db.add(submission)
        if mark.time is not None:
            submission.timestamp = mark.time.replace(tzinfo=None)
        found = next((n for n in submission.notebooks if n.notebook is notebook), None)
        if found is None:
            found = api.SubmittedNotebook(notebook=notebook, assignment=submission)
            self._db.add(found)
        self._db.flush()
        return found

    def _score(self, submitted: Any, cell: Any, score: float) -> None:
        """Enter a score, beside one that somebody has given by hand: that one goes before ours."""
        grade = next((each for each in submitted.grades if each.cell_id == cell.id), None)
        if grade is None:
            grade = self._api.Grade(cell_id=cell.id, notebook=submitted)
            self._db.add(grade)
        grade.auto_score = score
        grade.needs_manual_grade = False
