"""`kill -9` at any instant loses nothing of what was recorded, and doubles nothing."""

import contextlib
import os
import random
import signal
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from course.grading.collect.submission import Submission
from course.grading.gradebook import connection
from course.grading.gradebook.gradebook import Gradebook
from tests.grading.test_gradebook import (
    FRAMEWORK,
    LESSON,
    NAMES,
    assignment,
    grade,
    handed_in,
    key_of,
    made,
    students,
)

pytestmark = pytest.mark.live

Say = Callable[[int], None]
STUDENTS = list(NAMES)
FEW_AND_MANY = [10, pytest.param(200, marks=[pytest.mark.live, pytest.mark.exhaustive])]


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Make a folder in memory, if there is any: a process that is killed needs no real disk."""
    memory = Path("/dev/shm")
    where = memory if os.access(memory, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="course-tests-", dir=where) as folder:
        yield Path(folder)


def killed(work: Callable[[Say], object], words: int, seconds: float) -> tuple[list[int], bool]:
    """Do work in a child that is killed so long after it has said so many numbers.

    Gives all that it said, and whether it came to its end before.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(reading)

            def say(number: int) -> None:
                os.write(writing, number.to_bytes(4, "big"))

            work(say)
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    with open(reading, "rb") as stream:
        said = stream.read(4 * words)
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
        said += stream.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, -signal.SIGKILL)
    return [int.from_bytes(said[i : i + 4], "big") for i in range(0, len(said), 4)], status == 0


def moment(draw: random.Random) -> tuple[int, float]:
    """Draw after how many words to kill, and after how many seconds more."""
    words = draw.randrange(5)
    # Without a word, it is the opening of the file that is cut short.
    return words, draw.random() * (0.003 if words else 0.02)


# A plan of steps, each of which adds one row.


def submission(number: int) -> Submission:
    text = f"# {number}\n" * (1 + number * 37 % 3000)
    return handed_in(STUDENTS[number % len(STUDENTS)], text, days=number)


def take(book: Gradebook, step: int) -> None:
    number, kind = divmod(step, 4)
    given = submission(number)
    if kind == 0:
        book.keep([given])
    elif kind == 1:
        book.count(key_of(given), given.submitted)
        book.record(key_of(given), grade(given.student, number), session=1)
    elif kind == 2:
        better = grade(given.student, number + 0.5)
        why = {"replaces_reason": f"reason {number}", "who": "Chen"}
        assert book.record(key_of(given), better, session=1, **why)
    else:
        book.override(given.student, LESSON, FRAMEWORK, number, f"reason {number}", "Chen")


def planned(steps: int) -> dict[str, list[Any]]:
    """Say what must be in the tables after so many steps."""
    found: dict[str, list[Any]] = {"submission": [], "result": [], "override": []}
    for step in range(steps):
        number, kind = divmod(step, 4)
        given = submission(number)
        if kind == 0:
            found["submission"].append((given.digest, len(given.content or b"")))
        elif kind == 1:
            found["result"].append((given.digest, 1, float(number), ""))
        elif kind == 2:
            found["result"].append((given.digest, 2, number + 0.5, f"reason {number}"))
        else:
            found["override"].append((float(number), f"reason {number}"))
    return found


COLUMNS = {
    "submission": "submission JOIN content ON content.digest = content, submission.digest, "
    "length(bytes)",
    "result": "result, submission, attempt, score, reason",
    "override": "override, score, reason",
}


def there(path: Path) -> dict[str, list[Any]]:
    with contextlib.closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
        found = {}
        for name, columns in COLUMNS.items():
            table, _comma, wanted = columns.partition(", ")
            rows = db.execute(f"SELECT {wanted} FROM {table} ORDER BY {name}.number")
            found[name] = rows.fetchall()
        return found


def steps_taken(book: Gradebook) -> int:
    tables = ("submission", "result", "override")
    return sum(book._db.execute(f"SELECT count(*) FROM {t}").fetchone()[0] for t in tables)


@pytest.mark.parametrize("kills", FEW_AND_MANY)
def test_what_was_said_to_be_recorded_is_there_once_after_any_kill(
    tmp_path: Path, kills: int
) -> None:
    path, draw = tmp_path / "gradebook.db", random.Random(kills)
    with made(path) as book:
        book.start_session({})

    def work(say: Say) -> None:
        with Gradebook.open(path) as book:
            for step in range(steps_taken(book), 1_000_000):
                take(book, step)
                say(step + 1)

    said = waited_for = 0
    for kill in range(kills):
        words, seconds = moment(draw)
        numbers, _done = killed(work, words, seconds)
        said, waited_for = max([said, *numbers]), waited_for + words
        # Now and then several die one after the other before anybody looks.
        if draw.random() < 0.5 or kill == kills - 1:
            with Gradebook.open(path, readonly=True) as book:
                reached = steps_taken(book)
            # The step at which it died may have come to its end unsaid.
            assert said <= reached <= said + kill + 1
            said = reached
            if draw.random() < 0.2 or kill == kills - 1:
                assert there(path) == planned(reached)
    assert said >= waited_for
    with Gradebook.open(path) as book:
        last = {each.student.id: each for each in book.standings()}
    for number in range(max(0, said // 4 - len(STUDENTS)), said // 4):
        standing = last[STUDENTS[number % len(STUDENTS)]]
        assert standing.override.score >= number


def test_a_grader_that_is_killed_and_goes_on_grades_everything_once(tmp_path: Path) -> None:
    path, draw = tmp_path / "gradebook.db", random.Random(1)
    given = [submission(number) for number in range(80)]
    with made(path) as book:
        book.keep(given)

    def work(say: Say) -> None:
        with Gradebook.open(path) as book:
            session = book.start_session({})
            for number, each in enumerate(given):
                if book.known(key_of(each)) is None:
                    assert book.record(key_of(each), grade(each.student, number), session=session)
                    say(number)
            book.end_session(session)

    said: list[int] = []
    deaths, done = 0, False
    while not done:
        numbers, done = killed(work, *moment(draw))
        deaths += not done
        said += numbers
    assert deaths
    assert len(said) == len(set(said))
    scores = [score for _digest, _attempt, score, _reason in there(path)["result"]]
    assert scores == [float(number) for number in range(80)]
    with Gradebook.open(path) as book:
        sessions = book.sessions()
    assert len(sessions) <= deaths + 1
    assert sessions[0].ended is None
    assert sessions[-1].ended is not None


def test_two_graders_at_once_record_everything_once(tmp_path: Path) -> None:
    path = tmp_path / "gradebook.db"
    given = [submission(number) for number in range(40)]
    made(path).close()
    children = []
    for turn in (1, -1):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                with Gradebook.open(path) as book:
                    session = book.start_session({"turn": turn})
                    for each in given[::turn]:
                        book.keep([each])
                        book.count(key_of(each), each.submitted)
                        book.record(key_of(each), grade(each.student), session=session)
                status = 0
            finally:
                os._exit(status)
        children.append(child)
    assert [os.waitstatus_to_exitcode(os.waitpid(c, 0)[1]) for c in children] == [0, 0]
    found = there(path)
    digests = sorted(each.digest for each in given)
    assert sorted(digest for digest, _attempt, _score, _reason in found["result"]) == digests
    assert sorted(digest for digest, _length in found["submission"]) == digests


def traced(tick: Callable[[], object]) -> Callable[[Path, str], sqlite3.Connection]:
    """Make a way to open the file that has `tick` called before each statement."""
    connected = connection._connected

    def opened(file: Path, mode: str) -> sqlite3.Connection:
        db = connected(file, mode)
        db.set_trace_callback(lambda statement: void(tick()))
        return db

    return opened


def void(_value: object) -> None:
    """Nothing, of anything."""


def test_a_class_is_there_whole_or_not_at_all_killed_at_each_statement(tmp_path: Path) -> None:
    path = tmp_path / "gradebook.db"
    roster, given = students()[:2], [assignment(student) for student in STUDENTS[:2]]

    def work(instant: int) -> None:
        chances = iter(range(1, instant))

        def tick() -> None:
            if next(chances, None) is None:
                os.kill(os.getpid(), signal.SIGKILL)

        connection._connected = traced(tick)
        with Gradebook.open(path, create=True) as book:
            book.add_class(roster, given)

    for instant in range(1, 200):
        _said, done = killed(lambda say, instant=instant: work(instant), 1, 0)
        if done:
            break
        with Gradebook.open(path, create=True) as book:
            assert (book.students(), book.assignments()) == ((), ())
            book.add_class(roster, given)
            assert (book.students(), book.assignments()) == (tuple(roster), tuple(given))
        path.unlink()
    assert instant > 20
