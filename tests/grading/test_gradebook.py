"""The gradebook: what it knows, what it refuses, and that nothing in it is ever lost."""

import contextlib
import hashlib
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any, get_args

import pytest

from course.base.errors import UserError
from course.grading.collect.submission import Submission
from course.grading.distribute.assignment import Assignment, Form, Student
from course.grading.grade import BugGrade, Grade, GradeNote, Healthy, NewFault
from course.grading.gradebook import connection, schema, student_results
from course.grading.gradebook.gradebook import Gradebook
from course.grading.gradebook.records import ResultKey
from tests.command import CLEAN, ROOT, course, inside
from tests.grading.recorded import results

LESSON, FRAMEWORK = "ch8-4", "pt"
BUGS = ("missing-input-ids", "length-mismatch")
MONDAY = datetime(2025, 3, 3, 12, 0, tzinfo=UTC)
NAMES = {
    "s01": "Chen Wei 陈伟",
    "s02": "Иванова, Ольга «О»",
    "s03": "=HYPERLINK(1)",
    "s04": "Robert'); DROP TABLE student;--",
    "李雷": "\U0001f600 \u202eright to left",
}


def students() -> list[Student]:
    known = ("moodle:657737", "canvas:12")
    return [Student(each, name, "zh", known) for each, name in NAMES.items()]


def assignment(student: str, *, seed: int = 7, lesson: str = LESSON) -> Assignment:
    digest = hashlib.sha256(f"{student} {lesson} {seed}".encode()).hexdigest()
    return Assignment(student, lesson, FRAMEWORK, BUGS, "zh", seed, digest)


def handed_in(
    student: str, text: str = "print(1)", *, days: float | None = 0, late: bool = False
) -> Submission:
    at = None if days is None else MONDAY + timedelta(days=days)
    return Submission(student, LESSON, FRAMEWORK, text.encode(), f"zip: {student}.py", at, late)


def key_of(submission: Submission, **other: str) -> ResultKey:
    given = (submission.student, submission.lesson, submission.framework)
    return replace(ResultKey(*given, submission.digest, "exercise", "rubric", "runtime"), **other)


def grade(student: str, points: float = 1.0, status: Any = "graded") -> Grade:
    return Grade(
        student,
        LESSON,
        FRAMEWORK,
        status,
        (BugGrade(BUGS[0], True, "answers", points, 1.0), BugGrade(BUGS[1], False, "raised", 0, 1)),
        Healthy(False, 0.0, 1.0, accuracy=0.4, baseline=0.35, examples=200, epochs=1.0),
        (NewFault(None, "NameError", "имя 'x' \udc80 \0", 12),),
        (GradeNote("swallowed", {}), GradeNote("below-baseline", {"accuracy": 0.4, "epochs": 1})),
        3.25,
        {"python": "3.11"},
    )


def made(path: Path) -> Gradebook:
    book = Gradebook.open(path, create=True)
    book.add_class(students(), [assignment(student) for student in NAMES])
    return book


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "gradebook.db"


@pytest.fixture
def book(path: Path) -> Iterator[Gradebook]:
    with made(path) as opened:
        yield opened


def test_a_class_is_there_again_in_the_order_of_the_roster(path: Path) -> None:
    made(path).close()
    with Gradebook.open(path) as book:
        assert book.students() == tuple(students())
        assert book.assignments() == tuple(assignment(student) for student in NAMES)
        standings = book.standings()
    assert [s.student.id for s in standings] == list(NAMES)
    assert {(s.attempt, s.history, s.override, s.score) for s in standings} == {
        (None, (), None, None)
    }


def test_a_seed_may_have_as_many_digits_as_it_likes(book: Gradebook) -> None:
    given = assignment("s01", lesson="ch7-1", seed=10**40)
    book.add_class([], [given])
    assert given in book.assignments()


def test_the_same_class_again_changes_only_names_and_languages(book: Gradebook) -> None:
    renamed = [replace(s, name=s.name.upper(), lang="ru") for s in reversed(students())]
    book.add_class(renamed, book.assignments())
    assert book.students() == tuple(reversed(renamed))
    assert len(book.assignments()) == len(NAMES)


def test_another_exercise_for_a_student_is_refused_and_nothing_changes(book: Gradebook) -> None:
    newcomer = Student("s09", "New", "en")
    with pytest.raises(UserError, match="`s02` already has another exercise of `ch8-4-pt`"):
        book.add_class([newcomer], [assignment("s09"), assignment("s02", seed=8)])
    assert book.students() == tuple(students())
    assert book.assignments() == tuple(assignment(student) for student in NAMES)


def test_a_verdict_is_known_by_all_that_it_follows_from(book: Gradebook) -> None:
    submission, found = handed_in("s01"), grade("s01")
    book.keep([submission])
    key = key_of(submission)
    assert book.known(key) is None
    assert book.record(key, found, session=book.start_session({}))
    assert book.known(key) == found
    for each in fields(ResultKey):
        assert book.known(replace(key, **{each.name: "another"})) is None


def test_a_result_recorded_twice_is_there_once(book: Gradebook) -> None:
    submission = handed_in("s01")
    book.keep([submission, submission])
    book.keep([submission])
    session = book.start_session({})
    assert book.record(key_of(submission), grade("s01", 1.0), session=session)
    assert not book.record(key_of(submission), grade("s01", 0.0), session=session)
    assert book.known(key_of(submission)) == grade("s01", 1.0)
    assert len(results(book.path, "s01")) == 1
    assert book.contents("s01", LESSON, FRAMEWORK) == (submission,)


def test_a_regrade_counts_and_the_grade_before_it_is_kept(book: Gradebook) -> None:
    submission = handed_in("s01")
    key, session = key_of(submission), book.start_session({})
    book.keep([submission])
    book.count(key, submission.submitted)
    book.record(key, grade("s01", 0.0), session=session)
    with pytest.raises(UserError, match="and your name"):
        book.record(key, grade("s01", 1.0), session=session, replaces_reason="a flaw of ours")
    assert book.known(key) == grade("s01", 0.0)
    assert book.record(
        key, grade("s01", 1.0), session=session, replaces_reason="a flaw of ours", who="Ольга"
    )
    assert book.known(key) == grade("s01", 1.0)
    first, second = results(book.path, "s01")
    assert (first.grade.score, first.reason, first.who) == (0.0, "", "")
    assert (second.grade.score, second.reason, second.who) == (1.0, "a flaw of ours", "Ольга")
    assert first.graded <= second.graded
    standing = book.standings()[0]
    assert standing.score == 1.0
    assert [a.grade.score for a in standing.history if a.grade] == [0.0]


def test_a_failure_of_ours_is_kept_but_is_no_verdict(book: Gradebook) -> None:
    submission = handed_in("s01")
    key, session = key_of(submission), book.start_session({})
    broken = Grade("s01", LESSON, FRAMEWORK, "internal-error")
    book.keep([submission])
    book.count(key, submission.submitted)
    for _attempt in range(2):
        assert book.record(key, broken, session=session)
        assert book.known(key) is None
        assert book.standings()[0].score is None
    book.record(key, grade("s01"), session=session)
    assert book.known(key) == grade("s01")
    # Neither does one that comes later take a mark away, even where it was asked for.
    book.record(key, broken, session=session, replaces_reason="again", who="me")
    assert book.known(key) == grade("s01")
    assert book.standings()[0].score == 1.0
    statuses = [r.grade.status for r in results(book.path, "s01")]
    assert statuses == ["internal-error", "internal-error", "graded", "internal-error"]


def test_the_submission_that_counts_is_told_from_those_that_are_kept(book: Gradebook) -> None:
    first, second, late = (
        handed_in("s02", "1", days=0),
        handed_in("s02", "2", days=1),
        handed_in("s02", "3", days=2, late=True),
    )
    book.keep([late, second, first])
    session = book.start_session({})
    for submission, points in ((first, 0.0), (second, 1.0)):
        book.record(key_of(submission), grade("s02", points), session=session)
    book.count(key_of(first), first.submitted)
    assert book.standings()[1].score == 0.0
    book.count(key_of(second), second.submitted)
    standing = book.standings()[1]
    assert (standing.attempt.submitted, standing.attempt.kept) == (second.submitted, False)
    assert standing.attempt.graded is not None
    assert (standing.score, standing.attempt.digest) == (1.0, second.digest)
    assert [(a.submitted, a.late, a.kept, a.grade) for a in standing.history] == [
        (first.submitted, False, True, grade("s02", 0.0)),
        (late.submitted, True, True, None),
    ]


def test_a_standing_goes_by_the_rubric_that_counts_not_by_the_newest_result(
    book: Gradebook,
) -> None:
    submission, session = handed_in("s01"), book.start_session({})
    book.keep([submission])
    old, new = key_of(submission), key_of(submission, rubric="new")
    book.count(old, submission.submitted)
    book.record(old, grade("s01", 1.0), session=session)
    book.count(new, submission.submitted)
    # Until there is a result by the new rubric, the mark is not lost.
    assert book.standings()[0].score == 1.0
    book.record(new, grade("s01", 0.5), session=session)
    assert book.standings()[0].score == 0.5
    book.count(old, submission.submitted)
    assert book.standings()[0].score == 1.0


def test_what_counts_must_have_been_kept(book: Gradebook) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        book.count(key_of(handed_in("s01")), MONDAY)


def test_the_same_text_of_two_students_is_two_submissions_with_one_content(
    book: Gradebook, path: Path
) -> None:
    book.keep([handed_in("s01"), handed_in("s02"), handed_in("s01", days=3)])
    assert len(book.contents("s01", LESSON, FRAMEWORK)) == 2
    assert book.contents("s02", LESSON, FRAMEWORK) == (handed_in("s02"),)
    with contextlib.closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT count(*) FROM content").fetchone() == (1,)


def test_submissions_come_back_as_they_were(book: Gradebook) -> None:
    unknown = handed_in("s03", "x", days=None)
    binary = replace(handed_in("s03", days=2), content=bytes(range(256)))
    refused = replace(handed_in("s03", days=1), content=None, refused="too-large")
    book.keep([binary, refused, unknown])
    book.keep([unknown, replace(binary, late=True, source="moved \udcff")])
    assert book.contents("s03", LESSON, FRAMEWORK) == (
        unknown,
        refused,
        replace(binary, late=True, source="moved ?"),
    )


def test_times_are_the_same_moment_in_any_zone(book: Gradebook) -> None:
    there = replace(handed_in("s01"), submitted=MONDAY.astimezone(timezone(timedelta(hours=8))))
    book.keep([handed_in("s01"), there])
    (kept,) = book.contents("s01", LESSON, FRAMEWORK)
    assert kept.submitted == MONDAY
    assert kept.submitted.tzinfo is UTC


@pytest.mark.parametrize("stranger", ["s99", "\udc80"])
def test_a_submission_for_what_was_not_given_is_refused_with_all_beside_it(
    book: Gradebook, stranger: str
) -> None:
    with pytest.raises(UserError, match="`ch8-4-pt` was not given to"):
        book.keep([handed_in("s01"), handed_in(stranger)])
    assert book.contents("s01", LESSON, FRAMEWORK) == ()


def test_an_override_counts_until_it_is_removed_and_each_is_kept(
    book: Gradebook, path: Path
) -> None:
    submission = handed_in("s01")
    book.keep([submission])
    book.count(key_of(submission), submission.submitted)
    book.record(key_of(submission), grade("s01"), session=book.start_session({}))
    given = ("s01", LESSON, FRAMEWORK)
    with pytest.raises(UserError, match="no teacher has set a score"):
        book.override(*given, None, "why", "who")
    book.override(*given, 2.5, "told me how", "Chen")
    book.override(*given, 0.0, "copied", "陈")
    standing = book.standings()[0]
    assert (standing.score, standing.override.reason, standing.override.who) == (
        0.0,
        "copied",
        "陈",
    )
    assert standing.override.at.tzinfo is UTC
    book.override(*given, None, "the wrong student", "Chen")
    standing = book.standings()[0]
    assert (standing.score, standing.override) == (1.0, None)
    with pytest.raises(UserError):
        book.override(*given, None, "once more", "Chen")
    with contextlib.closing(sqlite3.connect(path)) as db:
        kept = db.execute("SELECT score, reason, who FROM override ORDER BY number").fetchall()
    assert kept == [
        (2.5, "told me how", "Chen"),
        (0.0, "copied", "陈"),
        (None, "the wrong student", "Chen"),
    ]


@pytest.mark.parametrize(
    ("score", "reason", "who"),
    [
        (-1.0, "r", "w"),
        (float("nan"), "r", "w"),
        (float("inf"), "r", "w"),
        (1.0, " ", "w"),
        (1.0, "r", ""),
    ],
)
def test_an_override_without_sense_is_refused(
    book: Gradebook, score: float, reason: str, who: str
) -> None:
    with pytest.raises(UserError):
        book.override("s01", LESSON, FRAMEWORK, score, reason, who)
    assert book.standings()[0].override is None


def test_a_run_of_the_grader_is_on_record(book: Gradebook) -> None:
    values = {"jobs": 2, "unsafe": True, "rubric": {"текст": [1, None]}, "versions": {"a": "1"}}
    first = book.start_session(values)
    second = book.start_session({"unsafe": False})
    submission = handed_in("s01")
    book.keep([submission])
    book.record(key_of(submission), grade("s01"), session=second)
    book.end_session(second)
    one, two = book.sessions()
    assert (one.id, one.values, one.unsafe, one.ended) == (first, values, True, None)
    assert (two.id, two.unsafe) == (second, False)
    assert one.started <= two.started <= two.ended
    book.end_session(second)
    assert book.sessions()[1].ended == two.ended


def test_the_file_is_safe_and_alone_when_it_is_closed(path: Path) -> None:
    with made(path) as book:
        assert settings(book) == {
            "journal_mode": "delete",
            "synchronous": 3,
            "foreign_keys": 1,
            "application_id": schema.APPLICATION,
        }
    with Gradebook.open(path, readonly=True) as book:
        assert book.students() == tuple(students())
    assert os.listdir(path.parent) == ["gradebook.db"]


def cut_short(path: Path, folder: Path) -> None:
    """Put a copy of a gradebook into a folder, as whoever dies in the middle of a change does."""
    folder.mkdir()
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA cache_size = 1")
        db.execute("BEGIN IMMEDIATE")
        db.execute("UPDATE student SET name = hex(randomblob(20000))")
        for end in ("", "-journal"):
            shutil.copyfile(f"{path}{end}", folder / f"{path.name}{end}")
        db.execute("ROLLBACK")


def test_a_change_that_was_cut_short_is_undone(path: Path, tmp_path: Path) -> None:
    full(path)
    wanted = everything(path)
    cut_short(path, tmp_path / "cut")
    copy = tmp_path / "cut" / path.name
    assert copy.read_bytes() != path.read_bytes()
    with Gradebook.open(copy, readonly=True) as book:
        assert book.standings() == wanted[0]
    assert everything(copy) == wanted
    assert os.listdir(copy.parent) == [copy.name]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_gradebook_is_read_while_it_is_written(path: Path) -> None:
    made(path).close()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            with Gradebook.open(path) as book:
                for number in range(100):
                    book.keep([handed_in("s01", f"# {number}", days=number)])
            status = 0
        finally:
            os._exit(status)
    seen = [0]
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        with Gradebook.open(path, readonly=True) as book:
            seen.append(len(book.contents("s01", LESSON, FRAMEWORK)))
    assert seen == sorted(seen)
    with Gradebook.open(path) as book:
        assert len(book.contents("s01", LESSON, FRAMEWORK)) == 100


def settings(book: Gradebook) -> dict[str, Any]:
    names = ("journal_mode", "synchronous", "foreign_keys", "application_id")
    return {name: book._db.execute(f"PRAGMA {name}").fetchone()[0] for name in names}


@pytest.mark.parametrize("name", [":memory:", "a b?mode=memory#%41.db", "журнал 成绩.db", "-x"])
def test_a_gradebook_may_have_any_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    made(Path(name)).close()
    assert os.listdir(tmp_path) == [name]
    with Gradebook.open(Path(name), readonly=True) as book:
        assert len(book.students()) == len(NAMES)


def test_a_gradebook_behind_a_link_is_that_gradebook(path: Path, tmp_path: Path) -> None:
    made(path).close()
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "link.db").symlink_to(path)
    with Gradebook.open(folder / "link.db") as book:
        book.keep([handed_in("s01")])
    assert os.listdir(folder) == ["link.db"]
    with Gradebook.open(path) as book:
        assert book.contents("s01", LESSON, FRAMEWORK) == (handed_in("s01"),)


# What cannot be opened.


def refused(path: Path, **how: bool) -> str:
    with pytest.raises(UserError) as caught:
        Gradebook.open(path, **how)
    return str(caught.value)


def test_what_is_no_gradebook_is_said_to_be_none_and_left_alone(tmp_path: Path) -> None:
    others = {
        "text.db": b"id,name,lang\n" * 100,
        "short.db": b"x",
        "empty.db": b"",
        "zeros.db": bytes(8192),
    }
    for name, content in others.items():
        (tmp_path / name).write_bytes(content)
    foreign = tmp_path / "foreign.db"
    with contextlib.closing(sqlite3.connect(foreign)) as db:
        db.execute("CREATE TABLE student (id)")
    others["foreign.db"] = foreign.read_bytes()
    for name, content in others.items():
        for how in ({}, {"readonly": True}, {"create": True}):
            if how == {"create": True} and not content:
                continue
            said = refused(tmp_path / name, **how)
            assert said.startswith(f"`{tmp_path / name}` is not a gradebook."), (name, how)
            assert (tmp_path / name).read_bytes() == content
    assert sorted(os.listdir(tmp_path)) == sorted(others)
    assert refused(Path("/dev/null")).startswith("`/dev/null` is not a gradebook.")


def test_an_empty_file_becomes_a_gradebook_where_one_is_asked_for(path: Path) -> None:
    path.touch()
    made(path).close()
    with Gradebook.open(path) as book:
        assert len(book.students()) == len(NAMES)


def test_what_is_missing_is_said_to_be_missing(path: Path, tmp_path: Path) -> None:
    for how in ({}, {"readonly": True}):
        assert refused(path, **how) == (
            f"`{path}` is not a gradebook. Give the file that `course class make` made."
        )
    assert "is a folder. Give the name of a file in it" in refused(tmp_path, create=True)
    assert "Create it first" in refused(tmp_path / "no" / "gradebook.db", create=True)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("version", [schema.VERSION - 1, schema.VERSION + 1])
def test_a_gradebook_of_another_version_is_left_alone(path: Path, version: int) -> None:
    made(path).close()
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA user_version = {version}")
    before = path.read_bytes()
    for how in ({}, {"readonly": True}, {"create": True}):
        assert "was made by another version of `course`: use that one" in refused(path, **how)
    assert path.read_bytes() == before


def full(path: Path) -> None:
    """Make a gradebook with something in every table."""
    with made(path) as book:
        session = book.start_session({"unsafe": False})
        for number, student in enumerate(NAMES):
            submission = handed_in(student, f"# {number}\n" * 500)
            book.keep([submission])
            book.count(key_of(submission), submission.submitted)
            book.record(key_of(submission), grade(student, number / 10), session=session)
            book.override(student, LESSON, FRAMEWORK, number, "because", "Chen")


def everything(path: Path) -> list[Any]:
    with Gradebook.open(path) as book:
        found: list[Any] = [book.standings(), book.sessions(), book.students()]
        found += [book.contents(student, LESSON, FRAMEWORK) for student in NAMES]
        return found


def test_a_truncated_gradebook_is_said_to_be_damaged(path: Path) -> None:
    full(path)
    whole = path.read_bytes()
    for length in range(100, len(whole), 4099):
        path.write_bytes(whole[:length])
        for how in ({}, {"readonly": True}):
            said = refused(path, **how)
            assert "is damaged. Restore a copy" in said or "is not a gradebook" in said
    path.write_bytes(whole)
    assert len(everything(path)[0]) == len(NAMES)


def test_random_bytes_in_the_middle_never_pass_for_marks(path: Path, tmp_path: Path) -> None:
    full(path)
    whole, wanted = path.read_bytes(), everything(path)
    draw, seen = random.Random(6), []
    for _time in range(100):
        hurt = bytearray(whole)
        at = draw.randrange(100, len(whole) - 512)
        hurt[at : at + 512] = draw.randbytes(512)
        path.write_bytes(hurt)
        try:
            assert everything(path) == wanted
            seen.append("")
        except UserError as error:
            seen.append(str(error))
        Path(f"{path}-journal").unlink(missing_ok=True)
    assert sum("is damaged" in said for said in seen) > 20
    assert all("is damaged" in said or not said for said in seen)


def test_a_broken_description_of_the_tables_is_damage(path: Path) -> None:
    full(path)
    whole = path.read_bytes()
    for old, new in [(b"counted (", b"count\xffd ("), (b"NULL", b"NU\xc3L")]:
        path.write_bytes(whole.replace(old, new, 1))
        with pytest.raises(UserError, match="is damaged"):
            everything(path)


BAD_ROWS = [
    "UPDATE student SET name = CAST(x'ff' AS TEXT)",
    "UPDATE student SET aliases = '['",
    "UPDATE student SET aliases = '\"moodle\"'",
    "UPDATE assignment SET bugs = x'5b5d'",
    "UPDATE assignment SET bugs = '{}'",
    "UPDATE assignment SET seed = 'seven'",
    "UPDATE assignment SET form = 'poem'",
    "UPDATE submission SET refused = 'tired', content = NULL",
    "UPDATE submission SET submitted = 'monday'",
    "UPDATE session SET started = ''",
    "UPDATE session SET \"values\" = '5'",
    "UPDATE result SET graded = x'00'",
    "UPDATE result SET grade = '{\"format\": 1}'",
    "UPDATE result SET grade = '{\"format\": 2}'",
    "UPDATE result SET grade = replace(grade, '\"bugs\"', '\"bags\"')",
    "UPDATE result SET grade = replace(grade, '\"fault\"', '\"vault\"')",
    "UPDATE result SET grade = substr(grade, 1, 99)",
    "UPDATE override SET at = 'noon'",
]


@pytest.mark.parametrize("statement", BAD_ROWS)
def test_a_row_that_cannot_be_decoded_is_damage(path: Path, statement: str) -> None:
    full(path)
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute("PRAGMA foreign_keys = OFF")
        db.execute(statement)
    with pytest.raises(UserError, match=r"is damaged\. Restore a copy"):
        everything(path)


@pytest.mark.parametrize("kind", [KeyError, TypeError, ValueError, UnicodeError])
def test_a_mistake_of_ours_while_reading_is_no_damage(
    path: Path, monkeypatch: pytest.MonkeyPatch, kind: type[Exception]
) -> None:
    full(path)

    def broken(*_values: object) -> None:
        raise kind("a mistake")

    monkeypatch.setattr(student_results, "StudentResult", broken)
    with Gradebook.open(path) as book, pytest.raises(kind, match="a mistake"):
        book.standings()


def test_a_statement_of_ours_that_makes_no_sense_leaves_a_log(path: Path, tmp_path: Path) -> None:
    full(path)
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("ALTER TABLE override RENAME COLUMN number TO place")
    with Gradebook.open(path) as book, pytest.raises(sqlite3.OperationalError, match="number"):
        book.standings()
    done = subprocess.run(
        [sys.executable, "-m", "course", "class", "report", str(path), "--format", "csv"],
        cwd=ROOT,
        env={**CLEAN, "COURSE_CACHE": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (3, "")
    (log,) = (tmp_path / "cache" / "logs").iterdir()
    assert str(log) in done.stderr
    assert "no such column: number" in log.read_text("utf-8")


def test_a_content_that_is_not_what_was_handed_in_is_said_to_be_damaged(path: Path) -> None:
    full(path)
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE content SET bytes = x'00'")
    with Gradebook.open(path) as book, pytest.raises(UserError, match="is damaged"):
        book.contents("s01", LESSON, FRAMEWORK)


def test_a_locked_gradebook_is_said_to_be_in_use(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(path).close()
    monkeypatch.setattr(connection, "TIMEOUT", 0.1)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        with Gradebook.open(path) as book:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(UserError, match="Another program is using the gradebook"):
                book.keep([handed_in("s01")])
            assert book.students() == tuple(students())
            other.execute("ROLLBACK")
            book.keep([handed_in("s01")])
        other.execute("BEGIN EXCLUSIVE")
        for how in ({}, {"readonly": True}):
            assert refused(path, **how).startswith("Another program is using the gradebook")
        other.execute("ROLLBACK")
    with Gradebook.open(path) as book:
        assert book.contents("s01", LESSON, FRAMEWORK) == (handed_in("s01"),)


def test_a_full_disk_loses_nothing_that_was_recorded(book: Gradebook) -> None:
    first, large = handed_in("s01", "first"), handed_in("s02", "x" * 1_000_000)
    book.keep([first])
    pages = book._db.execute("PRAGMA page_count").fetchone()[0]
    book._db.execute(f"PRAGMA max_page_count = {pages + 4}")
    with pytest.raises(UserError, match="There is no space left on the disk"):
        book.keep([handed_in("s03"), large])
    assert book.contents("s01", LESSON, FRAMEWORK) == (first,)
    assert book.contents("s03", LESSON, FRAMEWORK) == ()
    book._db.execute("PRAGMA max_page_count = 1000000")
    book.keep([large])
    assert book.contents("s02", LESSON, FRAMEWORK) == (large,)


def in_a_room(setup: str, work: str) -> str:
    """Return what Python code prints after a shell's setup, with mounts of its own."""
    script = f"{setup}; PYTHONPATH={ROOT} {sys.executable} - <<'END'\n{work}\nEND"
    done = subprocess.run(
        ["unshare", "-rm", "bash", "-ec", script], env=CLEAN, capture_output=True, text=True
    )
    if "unshare" in done.stderr:
        pytest.skip("no mounts of one's own can be had here")
    assert done.returncode == 0, done.stderr
    return done.stdout


IMPORTS = """
from pathlib import Path
from course.base.errors import UserError
from course.grading.gradebook.gradebook import Gradebook
from tests.grading.test_gradebook import *
"""


@pytest.mark.live
def test_a_disk_that_is_really_full_loses_nothing(tmp_path: Path) -> None:
    printed = in_a_room(
        f"mount -t tmpfs -o size=400k none {tmp_path}",
        f"""{IMPORTS}
path, told, kept = Path({str(tmp_path)!r}) / "gradebook.db", set(), []
with made(path) as book:
    for number in range(40):
        submission = handed_in("s01", str(number) * 9000, days=number)
        try:
            book.keep([submission])
            kept.append(submission)
        except UserError as error:
            told.add(str(error))
            if len(told) == 1:
                refused(path.with_name("other.db"), create=True)
    assert book.contents("s01", LESSON, FRAMEWORK) == tuple(kept)
with Gradebook.open(path) as book:
    assert book.contents("s01", LESSON, FRAMEWORK) == tuple(kept)
print(len(kept), told)""",
    )
    kept, _space, told = printed.partition(" ")
    assert 5 < int(kept) < 40
    assert "There is no space left on the disk" in told


@pytest.mark.live
@pytest.mark.parametrize("how", ["now", "killed"])
def test_a_gradebook_that_cannot_be_written_can_be_read(tmp_path: Path, how: str) -> None:
    path = tmp_path / "gradebook.db"
    made(path).close()
    if how == "killed":
        cut_short(path, tmp_path / "in")
        tmp_path, path = tmp_path / "in", tmp_path / "in" / path.name
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    printed = in_a_room(
        f"mount --bind {tmp_path} {tmp_path} && mount -o remount,ro,bind {tmp_path}",
        f"""{IMPORTS}
path = Path({str(path)!r})
print(refused(path))
try:
    with Gradebook.open(path, readonly=True) as book:
        assert book.students() == tuple(students())
        book.standings()
        print("read")
        book.keep([handed_in("s01")])
except UserError as error:
    print(error)""",
    )
    first, *rest, last = printed.splitlines()
    if how == "killed":
        for said in (first, last):
            assert said.startswith(f"The last change to the gradebook `{path}` was interrupted")
            assert f"Copy the gradebook and `{path}-journal` to a folder" in said
    else:
        assert rest == ["read"]
        for said in (first, last):
            assert said.startswith(f"The gradebook `{path}` cannot be read or written:")
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


@pytest.mark.parametrize("form", get_args(Form))
def test_the_form_of_an_exercise_is_kept(book: Gradebook, form: Form) -> None:
    given = replace(assignment("s01", lesson="ch7-1"), form=form)
    book.add_class([], [given])
    assert given in book.assignments()
    assert given in [standing.assignment for standing in book.standings()]


# The command.


def test_the_command_gives_a_score_and_takes_it_back(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    full(path)
    inside("class", "override", path, "s03", 2.5, reason="read it myself", who="Chen", as_json=True)
    document = json.loads(capsys.readouterr().out)
    assert document["override"].pop("at").endswith("+00:00")
    assert document == {
        "format": 1,
        "student": "s03",
        "lesson": LESSON,
        "framework": FRAMEWORK,
        "score": 2.5,
        "max_score": 3.0,
        "override": {"score": 2.5, "reason": "read it myself", "who": "Chen"},
    }
    inside("class", "override", path, "s03", 25, reason="a slip", who="Chen")
    told = capsys.readouterr()
    assert told.out == "`s03` now has the score 25 for `ch8-4-pt`.\n"
    assert told.err == "The new score is above the highest possible score, 3.\n"
    inside("class", "override", path, "s03", remove=True, reason="a slip", who="Chen")
    assert capsys.readouterr().out == "`s03` now has the score 0.2 for `ch8-4-pt`.\n"


def test_the_command_says_what_it_lacks(path: Path) -> None:
    with made(path) as book:
        book.add_class([], [assignment("s01", lesson="ch7-1")])
    reasons = {"reason": "r", "who": "w"}
    for arguments, said in [
        ({"student": "s01", "score": 1.0}, "There are several exercises: `ch8-4-pt`, `ch7-1-pt`"),
        ({"student": "s02", "score": 1.0, "lesson": "ch7-1"}, "this exercise, only `ch8-4-pt`"),
        ({"student": "s2", "score": 1.0}, "There is no student `s2`"),
        ({"student": "s02"}, "either `SCORE` or `--remove`"),
        ({"student": "s02", "score": 1.0, "remove": True}, "not both"),
        ({"student": "s02", "score": 1.0, "reason": " "}, "`--reason TEXT`"),
        ({"student": "s02", "score": float("nan")}, "is not a score"),
        ({"student": "s02", "remove": True}, "no teacher has set a score"),
    ]:
        words = [arguments.pop(name) for name in ("student", "score") if name in arguments]
        with pytest.raises(UserError) as caught:
            inside("class", "override", path, *words, **{**reasons, **arguments})
        assert said in str(caught.value)
    with Gradebook.open(path) as book:
        assert {standing.override for standing in book.standings()} == {None}


@pytest.mark.parametrize(("lang", "score"), [("ru", "2,5"), ("ru", "2.5"), ("en", "2.5")])
def test_a_score_is_written_as_the_teacher_writes_numbers(
    path: Path, lang: str, score: str
) -> None:
    full(path)
    command = ("class", "override", str(path), "s03", score, "--reason", "r", "--who", "w")
    done = course(*command, "--json", "--lang", lang)
    assert json.loads(done.stdout)["score"] == 2.5


def test_a_score_that_may_be_another_is_refused(path: Path) -> None:
    full(path)
    command = ("class", "override", str(path), "s03", "2,5", "--reason", "r", "--who", "w")
    done = course(*command, "--lang", "en")
    assert done.returncode == 2
    assert "`2,5` is not a score. Write a number from 0 up, such as `3.5`." in done.stderr
