"""The work of one submission: plain data there and back, and no failure of ours is a verdict."""

import contextlib
import pickle
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

import course
from course.base.errors import UserError
from course.grading import grade
from course.grading.engine import task
from course.grading.engine.task import Task, Worker
from course.grading.rubric import Rubric
from course.lesson import lesson
from course.runs.child import ProcessLost
from course.runs.environment.runtime import Runtime
from course.runs.sandbox.bubblewrap import Done, JobMailbox, Sandbox
from tests.grading import small
from tests.grading.box import FakeBox, Run

PART = lesson.load("ch8-4").parts["pt"]
FAULTS = tuple(bug.fault for bug in PART.bugs)
VERSIONS = {"python": "3.11.7", "numpy": "2.1"}


def ends(number: int, heard: Callable[..., None], desk: JobMailbox) -> Done:
    heard({"event": "end"}, desk)
    return Done(None, 0, "", 1.5)


def given(**other: Any) -> Task:
    rubric = Rubric().settled(PART.exam).to_dict()
    usual = Task("s01", "ch8-4", "pt", FAULTS[:2], b"x = 1\n", rubric, "seed", unsafe=False)
    return replace(usual, **other)


@pytest.fixture
def performed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Perform work in a box that is none; return the grade, and the box."""

    def perform(run: Run, **other: Any) -> tuple[grade.Grade, FakeBox]:
        box = FakeBox(tmp_path, run)
        room = Worker(PART, cast("Sandbox", box), small.world().drawn, VERSIONS)
        monkeypatch.setattr(task, "_workers", _OneRoom(room))
        sent = pickle.loads(pickle.dumps(given(**other)))
        return grade.read(task.perform(sent)), box

    return perform


class _OneRoom:
    def __init__(self, room: Worker) -> None:
        self._room = room

    def get(self, *_key: object) -> Worker:
        return self._room


def test_a_grade_comes_back_with_the_versions_it_was_come_by(performed: Any) -> None:
    found, box = performed(ends)
    assert (found.student, found.lesson, found.framework) == ("s01", "ch8-4", "pt")
    assert (found.status, found.score, found.max_score) == ("graded", 0, 3)
    assert [bug.fault for bug in found.bugs] == list(FAULTS[:2])
    assert (found.versions, found.unsafe, found.seconds) == (VERSIONS, False, 1.5)
    assert box.scripts == [(b"x = 1\n", "ch8-4-pt.py")]


def test_that_it_was_unsafe_is_written_into_every_grade(performed: Any) -> None:
    def lost(*_run: object) -> Done:
        raise ProcessLost

    assert performed(ends, unsafe=True)[0].unsafe
    assert performed(lost, unsafe=True)[0].unsafe


def test_bytes_of_any_kind_can_be_examined(performed: Any) -> None:
    for content in (b"", b"\0", b"\xff\xfe\x00", "\ufeffprint('при')".encode(), b"\r\r\n\x0c"):
        assert performed(ends, content=content)[0].status == "graded"


@pytest.mark.parametrize("error", [ProcessLost(), OSError("disk"), MemoryError()], ids=repr)
def test_after_a_failure_of_ours_it_is_tried_again_from_the_beginning(
    performed: Any, error: Exception
) -> None:
    def lost_once(number: int, heard: Callable[..., None], desk: JobMailbox) -> Done:
        if number == 1:
            heard({"event": "ready", "reached": "parts"}, desk)
            raise error
        return ends(number, heard, desk)

    found, box = performed(lost_once)
    assert (found.status, len(box.scripts)) == ("graded", 2)
    # What the lost one had said is forgotten.
    assert found.notes == ()


def test_a_box_that_is_lost_twice_is_a_failure_of_ours(performed: Any) -> None:
    def lost(*_run: object) -> Done:
        raise ProcessLost

    found, box = performed(lost)
    assert (found.status, found.bugs, len(box.scripts)) == ("internal-error", (), 2)
    assert "in lost\n    raise ProcessLost" in found.failure


def test_where_nothing_can_be_graded_it_is_said(performed: Any) -> None:
    def fails(*_run: object) -> Done:
        raise UserError("no")

    with pytest.raises(UserError, match="no"):
        performed(fails)


class Strange(Exception):
    """An exception that no other process can be sent."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one}/{two}")


@pytest.mark.parametrize("error", [OSError("no"), MemoryError(), Strange(1, 0)], ids=repr)
def test_a_failure_of_ours_comes_back_as_data_with_its_traceback(
    performed: Any, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fails(*_run: object) -> Done:
        raise error

    found, _box = performed(fails, unsafe=True)
    assert (found.status, found.bugs, found.unsafe) == ("internal-error", (), True)
    (only,) = found.notes
    assert type(error).__name__ in only.figures["error"]
    assert "test_task.py:" in only.figures["error"]
    assert "in fails\n    raise error" in found.failure


def test_the_digest_of_a_runtime_changes_with_all_that_a_grade_depends_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    base = task.digest(VERSIONS, unsafe=False)
    assert task.digest(dict(reversed(VERSIONS.items())), unsafe=False) == base
    others = {
        task.digest(VERSIONS, unsafe=True),
        task.digest({**VERSIONS, "numpy": "2.2"}, unsafe=False),
        task.digest({"python": "3.11.7"}, unsafe=False),
    }
    monkeypatch.setattr(task, "GRADER", task.GRADER + 1)
    others.add(task.digest(VERSIONS, unsafe=False))
    monkeypatch.undo()
    monkeypatch.setattr(course, "__version__", "999")
    others.add(task.digest(VERSIONS, unsafe=False))
    assert len({base, *others}) == 6


def test_every_part_that_is_examined_has_a_question_for_each_of_its_bugs() -> None:
    from course.grading.reference.question import KINDS

    for name in lesson.ids():
        for part in lesson.load(name).parts.values():
            assert task.examined(name, part.framework) == part
            if part.exam is not None:
                assert {bug.exam for bug in part.known} <= KINDS.keys()


@pytest.mark.parametrize("wanted", [("ch0-0", "pt"), ("ch8-4", "jax"), ("../ch8-4", "pt")])
def test_a_lesson_that_is_not_known_is_said_not_to_be(wanted: tuple[str, str]) -> None:
    with pytest.raises(UserError, match="does not have that lesson"):
        task.examined(*wanted)


def test_a_submission_to_a_part_without_questions_is_simply_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = lesson.load("ch3-4").parts["pt"]
    box = FakeBox(tmp_path, ends)
    room = Worker(part, cast("Sandbox", box), None, VERSIONS)
    monkeypatch.setattr(task, "_workers", _OneRoom(room))
    rubric = Rubric().settled(part.outcome).to_dict()
    drawn = tuple(bug.fault for bug in part.bugs[:2])
    found = grade.read(
        task.perform(given(lesson="ch3-4", bugs=drawn, rubric=rubric, content=b"x = 1\n"))
    )
    assert (found.lesson, found.status, found.score, found.max_score) == ("ch3-4", "graded", 0, 3)
    assert box.scripts == [(b"x = 1\n", "ch3-4-pt.py")]
    assert not box.given[0]["examined"]
    assert found.versions == VERSIONS


# Rooms.


class Made:
    """What was made of rooms, and what is left of it."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.fails = False


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    log = Made()

    @contextlib.contextmanager
    def box(
        runtime: Runtime, modules: object, home: Path, unsafe: bool, turns: object
    ) -> Iterator[Any]:
        log.events.append("box")
        try:
            yield _Starting(log)
        finally:
            log.events.append("end")

    def draw(part: Any, exam: Any, runtime: Any, seed: str, place: Path) -> Any:
        log.events.append(f"draw {part.framework} {seed}")
        assert list((place / "hub").iterdir()) == []
        return small.world().drawn

    def copy(runtime: Runtime, place: Path) -> None:
        log.events.append("copy")
        assert list(place.iterdir()) == []

    monkeypatch.setattr(task, "Sandbox", box)
    monkeypatch.setattr(task.dataset, "draw", draw)
    monkeypatch.setattr(task.embedded, "copy", copy)
    monkeypatch.setattr(task.runtime, "find", lambda fw, needs: Runtime(fw, "python", VERSIONS))
    monkeypatch.setattr(task.paths, "private", lambda: tmp_path)
    return log


class _Starting:
    def __init__(self, log: Made) -> None:
        self._log = log

    def start(self) -> None:
        if self._log.fails:
            raise UserError("no")
        self._log.events.append("start")


def test_a_room_is_made_once_and_one_for_each_part(made: Made) -> None:
    rooms = task._Workers()
    first = rooms.get("ch8-4", "pt", "a", False)
    assert rooms.get("ch8-4", "pt", "a", False) is first
    assert rooms.get("ch8-4", "tf", "a", False) is not first
    # The box starts while its data are drawn.
    assert [made.events[0], *sorted(made.events[1:3])] == ["box", "draw pt a", "start"]
    assert [made.events[3], *sorted(made.events[4:])] == ["box", "draw tf a", "start"]
    rooms.close()
    assert made.events[6:] == ["end", "end"]


def test_for_a_part_without_questions_nothing_is_drawn(made: Made) -> None:
    rooms = task._Workers()
    assert rooms.get("ch3-4", "pt", "a", False).data is None
    assert [made.events[0], *sorted(made.events[1:])] == ["box", "copy", "start"]
    rooms.close()


def test_the_rooms_of_another_grading_are_left(made: Made, tmp_path: Path) -> None:
    rooms = task._Workers()
    rooms.get("ch8-4", "pt", "a", False)
    rooms.get("ch8-4", "pt", "b", False)
    assert [made.events[number] for number in (0, 3, 4)] == ["box", "end", "box"]
    assert sorted(made.events[1:3]) == ["draw pt a", "start"]
    assert sorted(made.events[5:]) == ["draw pt b", "start"]
    assert len(list(tmp_path.iterdir())) == 1
    rooms.close()
    rooms.close()
    assert made.events.count("end") == 2
    assert list(tmp_path.iterdir()) == []


def test_of_a_room_that_cannot_be_made_nothing_is_left(made: Made, tmp_path: Path) -> None:
    rooms = task._Workers()
    made.fails = True
    for _ in range(3):
        with pytest.raises(UserError):
            rooms.get("ch8-4", "pt", "a", False)
        assert list(tmp_path.iterdir()) == []
    assert made.events == ["box", "draw pt a", "end"] * 3
    made.fails = False
    assert rooms.get("ch8-4", "pt", "a", False).versions == VERSIONS
    rooms.close()
