"""A class from the roster to the reports, with the grader killed on the way."""

import itertools
import json
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from course.exercise import patch
from course.lesson import lesson
from tests.command import course
from tests.live.classes import grade_class, interrupt, make_class

FILE = "ch8-4-pt.py"
PART = lesson.load("ch8-4").parts["pt"]
BUGS = {bug.fault: bug for bug in PART.bugs}
NAMES = {
    "zh": ("王芳", "李 伟", '=HYPERLINK("x")', "欧阳娜娜"),
    "ru": ("Иванов, Пётр", "Ёлкина «Ася»", "Ng, 'Пак'", "О'Нил"),
    "en": ("Ann O'Neil", "-1+1", 'Bob "Tables"', "Zoë <b>"),
}


@dataclass(frozen=True)
class Handed:
    """What a student hands in, and what it must come to."""

    text: str
    score: float
    gone: frozenset[str]
    notes: frozenset[str] = frozenset()
    status: str = "graded"


@dataclass(frozen=True)
class Class:
    """A class as it was made, and where its files are."""

    place: Path
    drawn: dict[str, tuple[str, ...]]
    langs: dict[str, str]
    handed: dict[str, Handed]

    @property
    def book(self) -> str:
        return str(self.place / "gradebook.db")

    def grade(self, *more: str) -> tuple[str, ...]:
        submissions = str(self.place / "submissions")
        return ("class", "grade", submissions, "--db", self.book, *more)


def mended(text: str, faults: tuple[str, ...]) -> str:
    for fault in faults:
        text = patch.take_out(text, BUGS[fault])
    return text


def hand_in(number: int, text: str, drawn: tuple[str, ...]) -> Handed:
    """Make the submission of one student: twelve kinds of them."""
    everything = frozenset(drawn)
    orders = list(itertools.permutations(drawn))
    order = orders[number % len(orders)]
    if number < 5:
        # Honest, so many bugs out, in another order each time.
        some = order[: number % len(order)]
        return Handed(mended(text, some), len(some), frozenset(some))
    healthy = mended(text, drawn)
    if number == 5:
        return Handed(healthy, len(drawn) + 1, everything)
    if number == 6:
        return Handed(healthy.replace("# %%", "# ##"), len(drawn) + 1, everything)
    if number == 7:
        # A way around: one batch at a time.
        text = healthy.replace(
            '    eval_strategy="epoch",',
            '    eval_strategy="epoch",\n    per_device_train_batch_size=1,',
        )
        return Handed(text, len(drawn), everything, frozenset({"batch-of-one"}))
    if number == 8:
        text = text.replace(
            "trainer.train()", "try:\n    trainer.train()\nexcept Exception:\n    pass"
        )
        return Handed(text, 0, frozenset(), frozenset({"swallowed"}))
    if number == 9:
        # It leaves before anything is asked, and nothing was mended.
        text = text.replace("import evaluate\n", "import evaluate\nimport os\nos._exit(0)\n")
        return Handed(text, 0, frozenset(), frozenset({"unusual", "died"}))
    if number == 10:
        text = text.replace("import evaluate\n", "import evaluate\nwhile True: pass\n")
        return Handed(text, 0, frozenset(), frozenset({"time-limit"}), "time-limit")
    return Handed(text + "\n(", 0, frozenset(), frozenset({"syntax"}))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Class:
    place = tmp_path_factory.mktemp("class")
    langs = [lang for _n in range(4) for lang in NAMES]
    rows = [(f"s{n:02}", NAMES[lang][n // 3], lang) for n, lang in enumerate(langs)]
    students = make_class(place, "ch8-4", rows, "--seed", "11", delimiter=";")
    drawn = {each["student"]: tuple(each["bugs"]) for each in students}
    handed = {}
    for number, each in enumerate(students):
        text = Path(each["path"]).read_text("utf-8")
        handed[each["student"]] = hand_in(number, text, drawn[each["student"]])
        folder = place / "submissions" / each["student"]
        folder.mkdir(parents=True)
        # One has given the file another name: its first line says what it is.
        name = "домашняя работа.py" if number == 3 else FILE
        (folder / name).write_text(handed[each["student"]].text, "utf-8")
    (place / "submissions" / "s01" / "вопрос.txt").write_text("Почему?", "utf-8")
    (place / "rubric.toml").write_text("format = 1\nepochs = 0.15\n\n[limits]\nseconds = 15\n")
    return Class(place, drawn, {s["student"]: s["lang"] for s in students}, handed)


@pytest.fixture(scope="module")
def graded(made: Class) -> dict[str, Any]:
    """Grade the class, killed on the way."""
    words = made.grade("--rubric", str(made.place / "rubric.toml"), "--jobs", "2")
    seen, _status = interrupt(words, made.book, 3, signal.SIGKILL)
    done = course(*words, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    assert document["known"] >= seen, "a result was lost"
    return document


def test_every_mark_is_exactly_the_expected_one(made: Class, graded: dict[str, Any]) -> None:
    found = {each["student"]: each for each in graded["submissions"]}
    assert {s: f["score"] for s, f in found.items()} == {
        s: h.score for s, h in made.handed.items()
    }, json.dumps(found, indent=1)
    for student, handed in made.handed.items():
        each = found[student]
        assert each["status"] == handed.status, student
        assert each["max_score"] == len(made.drawn[student]) + 1
        assert {b["fault"] for b in each["bugs"] if b["gone"]} == handed.gone
        assert handed.notes <= {n["note"] for n in each["notes"]}


def test_a_question_comes_with_the_submissions_and_is_answered_in_the_report(
    made: Class, graded: dict[str, Any], tmp_path: Path
) -> None:
    asked = {"student": "s01", "lesson": "ch8-4", "framework": "pt", "text": "Почему?"}
    assert graded["questions"] == [asked]
    told = json.loads(course("class", "comment", made.book, "--json").stdout)
    assert told["questions"] == [asked]
    shared = {each["reason"]: each["students"] for each in told["reasons"]}
    assert any(len(students) > 2 for students in shared.values())
    done = course("class", "comment", made.book, "s01", "Потому что.", "--who", "Li")
    assert done.returncode == 0, done.stderr
    assert json.loads(course("class", "comment", made.book, "--json").stdout)["questions"] == []
    done = course("class", "report", made.book, "--format", "web", "-o", str(tmp_path / "site"))
    assert done.returncode == 0, done.stderr
    links = (tmp_path / "site" / "links.csv").read_text("utf-8-sig").splitlines()
    page = next(line.rpartition(",")[2] for line in links if line.startswith("s01,"))
    text = (tmp_path / "site" / "pages" / page).read_text("utf-8")
    assert "Почему?" in text
    assert "Li: Потому что." in text


@pytest.mark.parametrize(
    ("student", "variables"),
    [("s07", {}), ("s02", {"PATH": ""})],
    ids=["boxed", "without-a-sandbox"],
)
def test_a_student_finds_the_same_mark_before_handing_it_in(
    made: Class, tmp_path: Path, student: str, variables: dict[str, str]
) -> None:
    handed = made.handed[student]
    (tmp_path / FILE).write_text(handed.text, "utf-8")
    rubric = ("--rubric", str(made.place / "rubric.toml"))
    done = course("class", "check", str(tmp_path), *rubric, "--json", **variables)
    document = json.loads(done.stdout)
    assert document["score"] == handed.score
    assert {b["fault"] for b in document["bugs"] if b["gone"]} == handed.gone
    assert {n["for"] for n in document["notes"]} <= {"student"}
    assert done.returncode == (0 if handed.score == document["max_score"] else 1)
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_nothing_is_graded_twice(made: Class, graded: dict[str, Any]) -> None:
    import sqlite3

    with sqlite3.connect(made.book) as db:
        rows = db.execute("SELECT assignment, count(*) FROM result GROUP BY assignment").fetchall()
    assert sorted(count for _number, count in rows) == [1] * 12


def test_a_second_run_grades_only_what_has_changed(made: Class, graded: dict[str, Any]) -> None:
    path = made.place / "submissions" / "s00" / FILE
    path.write_text(mended(path.read_text("utf-8"), made.drawn["s00"][:1]), "utf-8")
    later = time.time() + 60
    os.utime(path, (later, later))
    rubric = ("--rubric", str(made.place / "rubric.toml"))
    document = json.loads(course(*made.grade(*rubric, "--json")).stdout)
    assert document["known"] == 11
    found = {each["student"]: each["score"] for each in document["submissions"]}
    assert found["s00"] == made.handed["s00"].score + 1


def test_a_mark_of_the_teachers_own_holds_through_a_regrade(
    made: Class, graded: dict[str, Any]
) -> None:
    done = course(
        "class", "override", made.book, "s11", "2", "--reason", "explained it to me", "--who", "Li"
    )
    assert done.returncode == 0, done.stderr
    done = course(
        "class", "regrade", made.book, "s11", "--reason", "again", "--who", "Li",
        "--rubric", str(made.place / "rubric.toml"), "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    (found,) = json.loads(done.stdout)["submissions"]
    assert (found["student"], found["override"], found["score"]) == ("s11", 2, 0)


@pytest.mark.exhaustive
def test_a_cluster_finds_the_same(made: Class, graded: dict[str, Any], tmp_path: Path) -> None:
    """Two workers in processes of their own; the gradebook stays here."""
    from distributed import LocalCluster

    few = ["s01", "s02"]
    make_class(tmp_path, "ch8-4", [(s, s, "en") for s in few], "--seed", "11")
    for student in few:
        text = (tmp_path / "out" / student / FILE).read_text("utf-8")
        path = tmp_path / "submissions" / student / FILE
        path.parent.mkdir(parents=True)
        path.write_text(hand_in(int(student[1:]), text, made.drawn[student]).text, "utf-8")
    start: Any = LocalCluster
    with start(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        found = grade_class(tmp_path, "--cluster", cluster.scheduler_address, timeout=600)
    assert {s: grade["score"] for s, grade in found.items()} == {
        student: made.handed[student].score for student in few
    }
