"""One submission to be graded, as plain data, and the function that grades it anywhere.

The function runs in a thread of this process, or on another machine that has `course` installed:
nothing but these data goes there, and nothing but a grade comes back.
"""

import atexit
import contextlib
import hashlib
import json
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import course
from course.base import paths
from course.base.errors import ContentError, UserError
from course.base.i18n import _
from course.grading import rubric
from course.grading.engine import by_questions, by_run, text_evidence
from course.grading.engine.text_evidence import AssignedExercise
from course.grading.grade import OURS, Grade, failed
from course.grading.reference import dataset, embedded
from course.grading.reference.dataset import Drawn
from course.lesson import lesson
from course.lesson.lesson import Part
from course.runs.environment import runtime
from course.runs.sandbox.bubblewrap import Sandbox
from course.runs.sandbox.turns import Turns

GRADER = 7
"""Counts the changes to how grades come about: results of an older way are graded anew."""


@dataclass(frozen=True)
class Task:
    """One submission, and all that its grade depends on.

    `bugs` are the faults that the student drew, `rubric` a settled one as plain data; `seed` is
    what the data of this grading are drawn from.
    """

    student: str
    lesson: str
    framework: str
    bugs: tuple[str, ...]
    content: bytes
    rubric: Mapping[str, Any]
    seed: str
    unsafe: bool
    exam: bool = False


@dataclass(frozen=True)
class Worker:
    """Where submissions of one part are examined: a box, and what was drawn for it.

    Nothing is for a part without questions: its submissions are examined by text and by run.
    """

    part: Part
    sandbox: Sandbox
    data: Drawn | None
    versions: Mapping[str, str]


def perform(work: Task) -> dict[str, Any]:
    """Grade one submission, once more after a failure of ours; the grade as plain data.

    What fails again is a grade without a verdict, with the traceback: it never counts against the
    student. As data it comes back from other machines too, whatever the exception was.

    Raises:
        UserError: nothing can be graded here at all.

    """
    found = _graded(work)
    if found.status == OURS:
        found = _graded(work)
    return replace(found, unsafe=work.unsafe).to_dict()


def _graded(work: Task) -> Grade:
    """Grade one submission from its beginning, or tell how that failed.

    Raises:
        UserError: nothing can be graded here at all.

    """
    try:
        worker = _workers.get(work.lesson, work.framework, work.seed, work.unsafe)
        known = {bug.fault: bug for bug in worker.part.known}
        bugs = tuple(known[fault] for fault in work.bugs)
        exercise = AssignedExercise(worker.part, bugs, work.exam)
        text, on_file = text_evidence.decoded(work.content)
        given = (worker.sandbox, exercise, text, rubric.from_dict(work.rubric))
        if worker.data is None:
            found = by_run.examine(*given, work.student)
        else:
            found = by_questions.examine(*given, worker.data, work.student)
    except UserError:
        raise
    except Exception as error:  # noqa: BLE001 - kept in the grade, and logged by who asked for it
        return failed(work.student, work.lesson, work.framework, error)
    return replace(found, notes=(*on_file, *found.notes), versions=worker.versions)


def versions(lesson_id: str, framework: str) -> dict[str, str]:
    """Return the versions of a part's libraries, where this is called."""
    return runtime.find(framework, examined(lesson_id, framework).requires).versions


def digest(found: Mapping[str, str], *, unsafe: bool) -> str:
    """Make a digest that changes with the libraries, our own version and the way of grading."""
    parts = [GRADER, course.__version__, unsafe, sorted(found.items())]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def examined(lesson_id: str, framework: str) -> Part:
    """Find a part whose submissions are examined.

    Raises:
        UserError: this program does not know it.

    """
    try:
        return lesson.load(lesson_id).parts[framework]
    except (ContentError, KeyError) as error:
        sentence = _(
            "The gradebook has exercises of {lesson} ({framework}), but this program does not have "
            "that lesson."
        )
        raise UserError(
            sentence.format(lesson=f"`{lesson_id}`", framework=f"`{framework}`")
        ) from error


def share(count: int) -> None:
    """Let at most so many submissions compute at once in this process, from now on."""
    _workers.turns = Turns(count)


def close() -> None:
    """Close every worker of this process: its warm processes end, and its data are gone."""
    _workers.turns.close()
    _workers.close()
    _workers.turns = Turns()


class _Workers:
    """The workers of this process, each made when it is first needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: dict[tuple[str, str, str, bool], Worker] = {}
        self._held = contextlib.ExitStack()
        self.turns = Turns()

    def get(self, lesson_id: str, framework: str, seed: str, unsafe: bool) -> Worker:
        with self._lock:
            key = (lesson_id, framework, seed, unsafe)
            if key not in self._made:
                # Another grading is over when a new one begins: its worker is of no more use.
                if any(made[2] != seed for made in self._made):
                    self._close()
                self._made[key] = self._make(lesson_id, framework, seed, unsafe)
            return self._made[key]

    def _make(self, lesson_id: str, framework: str, seed: str, unsafe: bool) -> Worker:
        part, data = examined(lesson_id, framework), None
        found = runtime.find(framework, part.requires)
        with contextlib.ExitStack() as held:
            folder = held.enter_context(paths.working("class")) / "drawn"
            home = folder / "hub"
            home.mkdir(parents=True)
            box = Sandbox(found, part.imports, home, unsafe, self.turns)
            sandbox = held.enter_context(box)
            # What it imports takes as long as the data that will lie in it by then.
            with ThreadPoolExecutor(1) as beside:
                starting = beside.submit(sandbox.start)
                if part.exam is None:
                    embedded.copy(found, home)
                else:
                    data = dataset.draw(part, part.exam, found, seed, folder)
                starting.result()
            self._held.push(held.pop_all())
        return Worker(part, sandbox, data, found.versions)

    def close(self) -> None:
        with self._lock:
            self._close()

    def _close(self) -> None:
        self._made.clear()
        self._held.close()
        self._held = contextlib.ExitStack()


_workers = _Workers()
atexit.register(close)
