"""A team's notebook, handed in by one of it: each of its members has the mark, wherever it goes."""

import shutil
from pathlib import Path

import pytest

from course.grading.engine import class_grading
from course.grading.gradebook.gradebook import Gradebook
from course.grading.report import class_results, platform_tables
from course.grading.report.class_results import Register
from course.grading.rubric import Rubric
from tests.grading import report_class as made
from tests.grading.test_class_grading import Workers, run
from tests.grading.test_make_command import make

FILE = "ch8-4-pt.ipynb"


@pytest.fixture
def roster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a class: two who work together, and one alone."""
    monkeypatch.chdir(tmp_path)
    path = Path("roster.csv")
    path.write_text("id,name,lang,group\nann,Ann,en,A\n小明,小明,zh,A\neve,Eve,ru,\n", "utf-8")
    return path


def graded(place: Path) -> tuple[Register, Workers]:
    """Grade what lies there: the class as reports see it."""
    with Gradebook.open(Path("b.db")) as book:
        collected = class_grading.gather(book, place, None)
        assert collected.unmatched == ()
        _tally, workers = run(book, class_grading.plan(collected, Rubric(), "seed"))
        return class_results.of(book.standings(), book.sessions()), workers


def scores(register: Register) -> dict[str, float | None]:
    return {each.student.id: each.score for each in register.standings}


def test_what_nbgrader_collects_from_one_is_in_its_table_for_all(roster: Path) -> None:
    make("ch8-4", roster, Path("nlp"), Path("b.db"), nbgrader=True)
    handed = Path("nlp", "submitted", "小明", "ch8-4-pt", FILE)
    handed.parent.mkdir(parents=True)
    shutil.copy(Path("nlp", "source", "ch8-4-pt", FILE), handed)
    handed.with_name("timestamp.txt").write_text("2026-11-20 10:00:00 UTC")
    register, workers = graded(Path("nlp", "submitted"))
    assert len(workers.done) == 1
    assert scores(register) == {"ann": 4.0, "小明": 4.0, "eve": None}
    rows = {row["student_id"]: row for row in made.rows(platform_tables.nbgrader(register))}
    assert float(rows["ann"]["score"]) == float(rows["小明"]["score"]) == 4.0
    assert rows["ann"]["timestamp"] == rows["小明"]["timestamp"] == "2026-11-20 10:00:00"
