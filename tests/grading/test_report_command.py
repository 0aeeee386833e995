"""`course class report`, on a gradebook in a file."""

import json
import os
from pathlib import Path

import pytest

from course.base import i18n
from course.base.errors import UserError
from course.cli.classroom.report import FORMATS
from course.grading.collect.submission import Submission
from course.grading.gradebook.gradebook import Gradebook
from course.grading.gradebook.records import ResultKey
from tests.command import inside
from tests.grading import report_class as made


def report(book: Path, to: str, output: Path | None = None) -> None:
    inside("class", "report", book, "--format", to, *(["-o", output] if output else []))


def fill(path: Path, *, unsafe: bool = False) -> None:
    """Make a gradebook with the class of twelve, each with the grade that counts."""
    standings = made.twelve()
    with Gradebook.open(path, create=True) as book:
        book.add_class([s.student for s in standings], [s.assignment for s in standings])
        session = book.start_session({"unsafe": unsafe, "rubric": {"bug": 1.0}})
        for s in standings:
            if s.attempt is None:
                continue
            given = (s.student.id, s.assignment.lesson, s.assignment.framework)
            name, content = f"{s.attempt.digest}.py", s.attempt.digest.encode()
            came = Submission(*given, content, name, s.attempt.submitted, s.attempt.late)
            key = ResultKey(*given, came.digest, s.assignment.digest, "rubric", "runtime")
            book.keep([came])
            book.count(key, came.submitted)
            if s.attempt.grade is not None:
                book.record(key, s.attempt.grade, session=session)
            if s.override is not None:
                book.override(*given, s.override.score, s.override.reason, s.override.who)
        book.end_session(session)


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("class") / "gradebook.db"
    fill(path)
    return path


def printed(capfdbinary: pytest.CaptureFixture[bytes]) -> bytes:
    return capfdbinary.readouterr().out


@pytest.mark.parametrize("to", [f for f in FORMATS if f not in ("gradescope", "web")])
def test_a_report_of_one_file_is_the_same_printed_and_written(
    book: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], to: str
) -> None:
    report(book, to)
    shown = printed(capfdbinary)
    target = tmp_path / "report.out"
    target.write_text("an older one")
    report(book, to, target)
    assert target.read_bytes() == shown
    assert printed(capfdbinary) == b""
    assert os.listdir(tmp_path) == ["report.out"]


def test_the_marks_of_the_gradebook_stand_in_every_report(
    book: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    wanted = {s.student.id: s.score for s in made.twelve()}
    report(book, "csv")
    rows = made.rows(printed(capfdbinary).decode())
    assert {r["id"]: float(r["score"]) if r["score"] else None for r in rows} == wanted
    report(book, "gradescope", tmp_path / "results")
    found = {
        file.parent.name: json.loads(file.read_bytes())["score"]
        for file in (tmp_path / "results").glob("*/results.json")
    }
    assert found == {k: v for k, v in wanted.items() if v is not None}


def test_a_folder_takes_the_class_and_a_page_for_each_student(book: Path, tmp_path: Path) -> None:
    for _again in range(2):
        report(book, "html", tmp_path / "reports")
    files = sorted(p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if p.is_file())
    assert files == [
        "reports/class.html",
        *(f"reports/s{n:02d}/ch8-4-pt.html" for n in range(12)),
    ]


def test_the_page_speaks_the_language_in_force(
    book: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    i18n.activate("zh")
    report(book, "html")
    assert "<h1>调试训练流程</h1>".encode() in printed(capfdbinary)


def test_an_unsafe_session_is_told_in_every_report(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "gradebook.db"
    fill(path, unsafe=True)
    for to in FORMATS:
        if to in ("gradescope", "web"):
            report(path, to, tmp_path / "results")
            results = [
                *(tmp_path / "results").glob("*/*.json"),
                *(tmp_path / "results").glob("pages/*"),
            ]
            assert all("--unsafe" in file.read_text("utf-8") for file in results)
            continue
        report(path, to)
        out, err = capfdbinary.readouterr()
        told = {"csv": b",unsafe,", "moodle": b"Unsafe\r\n", "nbgrader": b"unsafe\r\n"}.get(
            to, b"--unsafe"
        )
        assert told in out
        assert b"--unsafe" in err


@pytest.mark.parametrize(
    ("to", "output", "said"),
    [
        ("pdf", None, "`--format` does not accept `pdf`"),
        ("gradescope", None, "Give a folder with `-o DIR`"),
        ("web", "-", "Give a folder with `-o DIR`"),
        ("csv", "folder", "is a folder"),
        ("csv", "nowhere/a.csv", "no folder"),
        ("gradescope", "nowhere/results", "no folder"),
        ("gradescope", "file.txt", "File exists: 'file.txt'"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(
    book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, to: str, output: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("file.txt").write_text("mine")
    # What the system refuses is put into a sentence where a command ends.
    with pytest.raises((UserError, FileExistsError), match=said):
        report(book, to, Path(output) if output else None)
    assert sorted(os.listdir()) == ["file.txt", "folder"]
    assert Path("file.txt").read_text() == "mine"
    assert os.listdir("folder") == []


def test_a_report_on_no_gradebook_is_refused_and_makes_none(tmp_path: Path) -> None:
    with pytest.raises(UserError):
        report(tmp_path / "none.db", "csv")
    assert os.listdir(tmp_path) == []


def test_pages_for_the_web_have_names_that_stay_and_cannot_be_guessed(
    book: Path, tmp_path: Path
) -> None:
    site = tmp_path / "site"
    report(book, "web", site)
    links = (site / "links.csv").read_text("utf-8-sig")
    whose = {row["id"]: row["page"] for row in made.rows(links)}
    assert set(whose) == {s.student.id for s in made.twelve()}
    assert len(set(whose.values())) == len(whose)
    # Neither the class's page nor what a student could guess is put on the web.
    assert sorted(os.listdir(site)) == ["links.csv", "pages"]
    assert sorted(os.listdir(site / "pages")) == sorted(whose.values())
    for each in made.twelve():
        page = (site / "pages" / whose[each.student.id]).read_text("utf-8")
        assert each.student.id not in whose[each.student.id]
        assert f'lang="{"zh-Hans" if each.student.lang == "zh" else each.student.lang}"' in page
        assert 'content="noindex"' in page
        assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org", "")
    (site / "pages" / whose["s00"]).unlink()
    report(book, "web", site)
    assert (site / "links.csv").read_text("utf-8-sig") == links
    assert sorted(os.listdir(site / "pages")) == sorted(whose.values())


def test_who_has_two_exercises_has_one_page_for_the_web(tmp_path: Path) -> None:
    who = made.student(0, "Ann", "en")
    both = [made.assignment(who), made.assignment(who, ("nan-loss",), "ch3-3")]
    with Gradebook.open(tmp_path / "b.db", create=True) as opened:
        opened.add_class([who], both)
    report(tmp_path / "b.db", "web", tmp_path / "site")
    (name,) = os.listdir(tmp_path / "site" / "pages")
    text = (tmp_path / "site" / "pages" / name).read_text("utf-8")
    assert text.count('<section class="sheet"') == 2
    assert ["ch8-4 (pt)" in text, "ch3-3 (pt)" in text] == [True, True]
