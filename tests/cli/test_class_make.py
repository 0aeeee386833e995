"""`course class make`, as a teacher calls it."""

import json
import sqlite3
import subprocess
from pathlib import Path

import pytest

from course.exercise import header
from tests.command import ROOT, course

pytestmark = pytest.mark.live
"""Each starts the real command, most of them several times."""

ROSTER = "id;name;lang\nann;Ann Lee;en\n王小明;王小明;zh\nivan k;=Иванов;ru\n0007;;\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "roster.csv").write_text(ROSTER, "utf-8-sig")
    return tmp_path


def make(
    folder: Path, *more: str, lang: str = "en", out: str = "class", db: str = "book.db"
) -> "subprocess.CompletedProcess[str]":
    words = ("class", "make", "ch8-4", "--students", "roster.csv", "--out", out, "--db", db)
    return course(*words, *more, "--lang", lang, cwd=folder, PYTHONPATH=str(ROOT))


def given(db: Path) -> list[tuple[str, ...]]:
    with sqlite3.connect(f"file:{db}?mode=ro", uri=True) as book:
        return book.execute("SELECT student, bugs, seed FROM assignment ORDER BY number").fetchall()


@pytest.mark.parametrize("lang", ["en", "zh", "ru"])
def test_make_says_what_it_made(folder: Path, lang: str) -> None:
    done = make(folder, lang=lang)
    assert (done.returncode, done.stderr) == (0, "")
    for word in ("`class`", "`book.db`", "`instructions.zh.md`", "4"):
        assert word in done.stdout
    made = sorted(p.relative_to(folder / "class").as_posix() for p in folder.rglob("*.py"))
    assert made == [f"{s}/ch8-4-pt.py" for s in ("0007", "ann", "ivan k", "王小明")]
    # Whoever has no language in the roster has the teacher's.
    header = (folder / "class" / "0007" / "ch8-4-pt.py").read_text().splitlines()[0]
    assert f"lang={lang} " in header


def test_the_document_tells_who_got_what_and_the_gradebook_has_it(folder: Path) -> None:
    done = make(folder, "--bugs", "2", "--json", "--fw", "tf")
    assert done.stderr == ""
    told = json.loads(done.stdout)
    assert (told["format"], told["lesson"], told["framework"]) == (1, "ch8-4", "tf")
    assert [s["lang"] for s in told["students"]] == ["en", "zh", "ru", "en"]
    assert {len(s["bugs"]) for s in told["students"]} == {2}
    for student in told["students"]:
        found = header.find(Path(student["path"]).read_text())
        assert found is not None
        assert found.bugs == tuple(student["bugs"])
    assert all(Path(page).is_file() for page in told["instructions"])
    rows = given(folder / "book.db")
    assert [row[0] for row in rows] == ["ann", "王小明", "ivan k", "0007"]
    assert {str(row[2]) for row in rows} == {str(told["seed"])}
    again = make(folder, "--bugs", "2", "--json", "--fw", "tf", "--seed", str(told["seed"]))
    assert json.loads(again.stdout) == told
    assert given(folder / "book.db") == rows


def test_a_gradebook_that_cannot_be_used_takes_the_class_back(folder: Path) -> None:
    (folder / "text.db").write_text("this is no gradebook, just a text\n" * 99)
    done = make(folder, db="text.db")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert not (folder / "class").exists()
    assert make(folder, "--seed", "1").returncode == 0
    before = given(folder / "book.db")
    done = make(folder, "--seed", "2", out="other")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert not (folder / "other").exists()
    assert given(folder / "book.db") == before
    done = make(folder, "--seed", "2")
    assert "already exists and was not changed" in done.stderr
