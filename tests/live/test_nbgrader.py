"""A class with the real nbgrader: given out and collected by it, graded by us."""

import csv
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from course.exercise import patch
from course.lesson import lesson
from course.notebook.cells import notebook, script
from tests.command import CLEAN, course

NAME = "ch8-4-pt"
FILE = f"{NAME}.ipynb"
PART = lesson.load("ch8-4").parts["pt"]
MENDED = {"ann": 0, "小明": 2, "o'neil": 4}
"""How many bugs each student takes out; the last one's notebook is healthy then."""
CONFIG = """
c.CourseDirectory.course_id = "nlp101"
c.Exchange.root = {exchange!r}
c.Exchange.cache = {cache!r}
c.Exchange.path_includes_course = False
c.ExchangeCollect.check_owner = False
"""
COMMANDS = """
import json, os, sys
from nbgrader.apps.nbgraderapp import NbGraderApp
for folder, *words in json.load(sys.stdin):
    os.chdir(folder)
    print("$", *words, flush=True)
    NbGraderApp.launch_instance(words)
    NbGraderApp.clear_instance()
"""
"""What the program `nbgrader` does, several times over: most of its time it is being imported."""


@dataclass(frozen=True)
class School:
    """Where everything lies: nbgrader's course, and a folder for each student."""

    place: Path

    @property
    def teacher(self) -> Path:
        return self.place / "nlp101"

    @property
    def book(self) -> str:
        return str(self.place / "marks.db")

    def student(self, name: str) -> Path:
        return self.place / "homes" / name

    def notebook(self, name: str) -> Path:
        return self.student(name) / NAME / FILE

    def nbgrader(self, *commands: tuple[Path, str]) -> str:
        """Run commands of nbgrader, each in its folder."""
        programs = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
        done = subprocess.run(
            [sys.executable, "-c", COMMANDS],
            input=json.dumps([[str(folder), *command.split()] for folder, command in commands]),
            env={**CLEAN, "HOME": str(self.place), "PATH": programs, "PYTHONUTF8": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=300,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout


def mend(path: Path, many: int) -> None:
    """Take bugs out of a notebook, in the cells that they are in."""
    read = notebook.read(path.read_text("utf-8"), path.name)
    made = script.of(read)
    text = made.text
    for bug in PART.bugs[:many]:
        text = patch.take_out(text, bug)
    path.write_text(read.replaced(made.back(text)), "utf-8")


def cells(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["cells"]
    return found


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> School:
    """Make the assignment, have nbgrader release it, and have every student fetch it."""
    school = School(tmp_path_factory.mktemp("school"))
    exchange, cache = school.place / "exchange", school.place / "cache"
    exchange.mkdir(mode=0o777)
    exchange.chmod(0o777)
    roster = ["id,name,lang", *(f'{name},"Lee, {name}",zh' for name in MENDED)]
    (school.place / "roster.csv").write_text("\n".join(roster), "utf-8")
    (school.place / "rubric.toml").write_text("format = 1\nepochs = 0.3\n")
    done = course(
        "class", "make", "ch8-4", "--students", str(school.place / "roster.csv"), "--nbgrader",
        "--out", str(school.teacher), "--db", school.book,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    config = CONFIG.format(exchange=str(exchange), cache=str(cache))
    for folder in (school.teacher, *map(school.student, MENDED)):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "nbgrader_config.py").write_text(config)
    school.nbgrader(
        (school.teacher, f"generate_assignment {NAME}"),
        (school.teacher, f"release_assignment {NAME}"),
        *((school.student(name), f"fetch_assignment {NAME}") for name in MENDED),
    )
    return school


@pytest.fixture(scope="module")
def graded(school: School) -> dict[str, Any]:
    """Grade what every student has handed in and nbgrader has collected."""
    for name, many in MENDED.items():
        mend(school.notebook(name), many)
    school.nbgrader(
        *((school.student(name), f"submit {NAME} --student={name}") for name in MENDED),
        (school.teacher, f"collect {NAME}"),
    )
    submitted = school.teacher / "submitted"
    before = {path: path.stat().st_mtime_ns for path in submitted.rglob("*")}
    done = course(
        "class", "grade", str(submitted), "--db", school.book, "--json",
        "--rubric", str(school.place / "rubric.toml"),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert {path: path.stat().st_mtime_ns for path in submitted.rglob("*")} == before
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def test_nbgrader_gives_out_what_we_made(school: School) -> None:
    ours = cells(school.teacher / "source" / NAME / FILE)
    for name in MENDED:
        theirs = cells(school.notebook(name))
        assert [c["source"] for c in theirs] == [c["source"] for c in ours]
        assert (school.student(name) / NAME / "instructions.zh.md").is_file()


def test_what_nbgrader_has_collected_gets_exactly_the_expected_marks(
    graded: dict[str, Any],
) -> None:
    found = {each["student"]: each for each in graded["submissions"]}
    assert {name: each["score"] for name, each in found.items()} == {
        "ann": 0,
        "小明": 2,
        "o'neil": 5,
    }, json.dumps(found, indent=1)
    assert (graded["strays"], graded["missing"]) == ([], [])
    assert {each["status"] for each in found.values()} == {"graded"}
    assert not any(each["late"] for each in found.values())


def test_the_same_again_grades_nothing_again(school: School, graded: dict[str, Any]) -> None:
    path = school.teacher / "submitted" / "小明" / NAME / FILE
    document = json.loads(path.read_text("utf-8"))
    for cell in document["cells"]:
        if cell["cell_type"] == "code":
            text = {"output_type": "stream", "name": "stdout", "text": ["seen\n"]}
            cell.update(execution_count=7, outputs=[text])
    path.write_text(json.dumps(document), "utf-8")
    done = course(
        "class", "grade", str(school.teacher / "submitted"), "--db", school.book, "--json",
        "--rubric", str(school.place / "rubric.toml"),
    )  # fmt: skip
    assert json.loads(done.stdout)["known"] == len(MENDED), done.stderr


def test_the_marks_are_in_a_table_with_the_columns_of_nbgraders_own_export(
    school: School, graded: dict[str, Any]
) -> None:
    done = course("class", "report", school.book, "--format", "nbgrader")
    assert done.returncode == 0, done.stderr
    ours = list(csv.DictReader(done.stdout.splitlines()))
    school.nbgrader((school.teacher, "export --to=grades.csv"))
    with (school.teacher / "grades.csv").open(encoding="utf-8", newline="") as stream:
        theirs = csv.reader(stream)
        assert [*ours[0]] == next(theirs)
    assert {row["student_id"]: float(row["score"]) for row in ours} == {
        "ann": 0,
        "小明": 2,
        "o'neil": 5,
    }


@pytest.mark.exhaustive
def test_nbgrader_finds_the_notebook_valid(school: School) -> None:
    """It runs it up to the first fault and beyond: its cells hold no tests that could fail."""
    told = school.nbgrader((school.teacher / "release" / NAME, f"validate {FILE}"))
    assert "Success! Your notebook passes all the tests." in told
