"""Grading a class: each submission once, each result kept at once, and one failure stops nobody."""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from course.base.errors import UserError
from course.cli.classroom import grade as command
from course.grading import deadline, note
from course.grading.collect import team
from course.grading.collect.collector import counting
from course.grading.collect.submission import Submission
from course.grading.deadline import DAY, LatePenalty, LateRule
from course.grading.distribute.assignment import Assignment, Student
from course.grading.engine import by_questions, class_grading, cluster, task
from course.grading.engine.class_grading import ClassGrading, GradingPlan, GradingProgress
from course.grading.engine.task import Task
from course.grading.grade import BugGrade, Grade, Healthy
from course.grading.gradebook.gradebook import Gradebook
from course.grading.report import class_results, csv_table, feedback, gradescope
from course.grading.report.page import page
from course.grading.rubric import Rubric
from course.lesson import lesson
from tests.command import inside
from tests.grading import report_class as made
from tests.grading.files import put
from tests.grading.recorded import results

LESSON, FRAMEWORK = "ch8-4", "pt"
BUGS = ("missing-input-ids", "length-mismatch")
IDS = ("s01", "s02", "s03", "李雷", "s05")
MONDAY = datetime(2025, 3, 3, 12, 0, tzinfo=UTC)
VERSIONS = {"python": "3.11.7"}


def handed_in(student: str, text: str = "x = 1", days: float = 0, **other: Any) -> Submission:
    at = MONDAY + timedelta(days=days)
    usual = Submission(student, LESSON, FRAMEWORK, text.encode(), f"{student}.py", at)
    return replace(usual, **other)


def graded(given: Task, points: float = 1.0, status: Any = "graded") -> dict[str, Any]:
    bugs = tuple(BugGrade(fault, True, "answers", points, 1.0) for fault in given.bugs)
    who = (given.student, given.lesson, given.framework, status)
    if status == "internal-error":
        return Grade(*who).to_dict()
    return Grade(*who, bugs, Healthy(False, 0.0, 1.0), unsafe=given.unsafe).to_dict()


class Workers(Executor):
    """Workers who answer at once, as a test has them answer; the lesson's solution as `proof`."""

    def __init__(
        self,
        perform: Callable[[Task], Any] = graded,
        proof: Callable[[Task], Any] = lambda given: complete(given, 1.0),
    ) -> None:
        self._perform = perform
        self._proof = proof
        self.versions = dict(VERSIONS)
        self.done: list[Task] = []
        self.proofs: list[Task] = []

    def submit(self, function: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        try:
            if function is task.versions:
                future.set_result(self.versions)
            else:
                assert function is task.perform
                (given,) = arguments
                is_proof = given.student == class_grading.OFFICIAL
                (self.proofs if is_proof else self.done).append(given)
                future.set_result((self._proof if is_proof else self._perform)(given))
        except Exception as error:
            future.set_exception(error)
        return future

    @property
    def students(self) -> list[str]:
        return [each.student for each in self.done]


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Gradebook]:
    with Gradebook.open(tmp_path / "gradebook.db", create=True) as opened:
        opened.add_class(
            [Student(each, each, "en") for each in IDS],
            [Assignment(each, LESSON, FRAMEWORK, BUGS, "en", 7, digest(each)) for each in IDS],
        )
        yield opened


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def came(
    place: Path, student: str, text: str, day: float | None = None, name: str = "ch8-4-pt.py"
) -> None:
    """Put a student's file into a folder, of this day of the week if one is given."""
    path = put(place / student / name, text)
    if day is not None:
        moment = (MONDAY + timedelta(days=day)).timestamp()
        os.utime(path, (moment, moment))


def plan_of(book: Gradebook, *submissions: Submission, **other: Any) -> GradingPlan:
    """Plan to grade what was handed in, which is in the gradebook then."""
    chosen = submissions or [handed_in(each) for each in IDS]
    book.keep(chosen)
    return replace(GradingPlan(counting(chosen), Rubric(), "seed"), **other)


def run(
    book: Gradebook, plan: GradingPlan, workers: Workers | None = None
) -> tuple[GradingProgress, Workers]:
    workers = workers or Workers()
    doing = ClassGrading(book, plan)
    doing.run(workers)
    return doing.tally, workers


def scores(book: Gradebook) -> dict[str, float | None]:
    return {each.student.id: each.score for each in book.standings()}


def marks(book: Gradebook, student: str) -> list[tuple[str, float]]:
    found = results(book.path, student)
    return [(each.grade.status, each.grade.score) for each in found]


def test_everybody_is_graded_once_and_the_work_is_all_that_a_worker_needs(book: Gradebook) -> None:
    told: list[tuple[int, int]] = []
    doing = ClassGrading(book, plan_of(book), lambda tally: told.append((tally.graded, tally.left)))
    workers = Workers()
    doing.run(workers)
    assert sorted(workers.students) == sorted(IDS)
    assert told == [(n, len(IDS) - n) for n in range(len(IDS) + 1)]
    assert scores(book) == dict.fromkeys(IDS, 2.0)
    sent = workers.done[0]
    assert (sent.bugs, sent.content, sent.seed, sent.unsafe) == (BUGS, b"x = 1", "seed", False)
    # The lesson's own figures are settled before anybody works with them.
    assert (sent.rubric["epochs"], sent.rubric["margin"]) == (0.5, 0.15)


def test_what_is_known_is_not_graded_again(book: Gradebook) -> None:
    run(book, plan_of(book))
    tally, workers = run(book, plan_of(book, seed="another"))
    assert (workers.done, tally.known, tally.graded, tally.left) == ([], len(IDS), 0, 0)
    assert all(len(marks(book, each)) == 1 for each in IDS)


def test_only_what_changed_is_graded_again(book: Gradebook) -> None:
    run(book, plan_of(book))
    mended = handed_in("s02", "x = 2", days=1)
    others = [handed_in(each) for each in IDS if each != "s02"]
    tally, workers = run(book, plan_of(book, *others, mended))
    assert (workers.students, tally.known) == (["s02"], len(IDS) - 1)
    assert len(marks(book, "s02")) == 2


@pytest.mark.parametrize("other", [{"rubric": Rubric(bug=3)}, {"unsafe": True}])
def test_another_rubric_or_no_sandbox_is_another_grade(
    book: Gradebook, other: dict[str, Any]
) -> None:
    run(book, plan_of(book))
    tally, workers = run(book, plan_of(book, **other))
    assert (len(workers.done), tally.known) == (len(IDS), 0)
    assert {each.unsafe for each in workers.done} == {other.get("unsafe", False)}


def test_other_libraries_are_another_grade(book: Gradebook) -> None:
    run(book, plan_of(book))
    workers = Workers()
    workers.versions["python"] = "3.12"
    tally, _workers = run(book, plan_of(book), workers)
    assert tally.known == 0
    # Back on the first ones nothing need be done, and what was found with them counts again.
    tally, _workers = run(book, plan_of(book))
    assert tally.known == len(IDS)


def test_the_rubric_of_the_lesson_written_out_is_the_same_rubric(book: Gradebook) -> None:
    run(book, plan_of(book))
    tally, _workers = run(book, plan_of(book, rubric=Rubric(epochs=0.5, margin=0.15)))
    assert tally.known == len(IDS)


def failing(times: int, student: str = "s03", how: Any = "internal-error") -> Workers:
    """Workers who fail so often at one student's submission."""
    left = Counter({student: times})

    def perform(given: Task) -> Any:
        left[given.student] -= 1
        if left[given.student] < 0:
            return graded(given)
        if isinstance(how, Exception):
            raise how
        return graded(given, status=how) if how == "internal-error" else how

    return Workers(perform)


OURS = [
    "internal-error",
    OSError("disk"),
    MemoryError(),
    RuntimeError("a worker died"),
    KeyError("x"),
    None,
    {"format": 999},
    {"format": 1},
    [],
]


@pytest.mark.parametrize("how", OURS, ids=repr)
def test_a_failure_that_stays_is_no_verdict_and_stops_nobody(book: Gradebook, how: Any) -> None:
    tally, workers = run(book, plan_of(book), failing(99, how=how))
    assert Counter(workers.students)["s03"] == 1
    assert (tally.graded, tally.failed, tally.left) == (len(IDS), 1, 0)
    assert scores(book) == {**dict.fromkeys(IDS, 2.0), "s03": None}
    # The same command tries it again, and only that.
    tally, workers = run(book, plan_of(book))
    assert (workers.students, tally.failed) == (["s03"], 0)
    assert scores(book)["s03"] == 2.0


def test_where_nothing_can_be_graded_at_all_it_is_said(book: Gradebook) -> None:
    with pytest.raises(UserError, match="no sandbox"):
        run(book, plan_of(book), failing(99, how=UserError("no sandbox")))


def test_what_cannot_be_read_is_refused_without_a_worker(book: Gradebook) -> None:
    refused = [
        handed_in("s01", content=None, refused="too-large"),
        handed_in("s02", content=None, refused="not-text"),
    ]
    tally, workers = run(book, plan_of(book, *refused, handed_in("s03")))
    assert (workers.students, tally.graded, tally.failed) == (["s03"], 3, 0)
    by_id = {each.student.id: each for each in book.standings()}
    first, second = (by_id[each].grade for each in ("s01", "s02"))
    assert first
    assert second
    assert (first.status, second.status) == ("refused", "refused")
    told = [(note.id, bool(note.figures)) for note in (*first.notes, *second.notes)]
    assert told == [("refused-too-large", True), ("refused-not-text", False)]
    tally, _workers = run(book, plan_of(book, *refused, handed_in("s03")))
    assert (tally.known, tally.graded) == (3, 0)


def test_where_the_lesson_s_own_solution_fails_nobody_is_graded(book: Gradebook) -> None:
    plan = plan_of(book)
    broken = Workers(proof=lambda given: complete(given, 0.0))
    with pytest.raises(UserError, match=r"gets only 4 of 5\..*no submission was graded"):
        ClassGrading(book, plan).run(broken)
    # Whatever was examined meanwhile.
    assert not book.sessions()
    assert not any(each.attempt for each in book.standings())


def test_the_lesson_s_own_solution_is_graded_where_there_is_anything_to_grade(
    book: Gradebook,
) -> None:
    tally, workers = run(book, plan_of(book))
    (work,) = workers.proofs
    part = lesson.load(LESSON).parts[FRAMEWORK]
    assert (work.student, work.content) == (class_grading.OFFICIAL, part.text(()).encode())
    assert [each.score for each in tally.solutions] == [5.0]
    # What is known already asks for nothing.
    tally, workers = run(book, plan_of(book))
    assert (tally.solutions, workers.proofs, workers.done) == ([], [], [])


def complete(given: Task, points: float) -> dict[str, Any]:
    """Make a grade with all bugs gone, and the healthy outcome reached or not."""
    grade = graded(given)
    return {**grade, "healthy": asdict(Healthy(points == 1.0, points, 1.0))}


def test_what_was_done_before_a_kill_is_not_done_again(book: Gradebook) -> None:
    plan = plan_of(book)
    for number in range(1, len(IDS) + 1):

        def stopped(tally: GradingProgress) -> None:
            if tally.graded == 1:
                raise KeyboardInterrupt

        doing = ClassGrading(book, plan, stopped)
        with pytest.raises(KeyboardInterrupt):
            doing.run(Workers())
        assert doing.tally.known == number - 1
        assert sum(len(marks(book, each)) for each in IDS) == number
    tally, workers = run(book, plan)
    assert (workers.done, tally.known) == ([], len(IDS))
    assert all(marks(book, each) == [("graded", 2.0)] for each in IDS)


def test_a_session_is_entered_and_says_how_it_was_graded(book: Gradebook) -> None:
    run(book, plan_of(book, unsafe=True))
    (session,) = book.sessions()
    assert (session.values["unsafe"], session.values["seed"]) == (True, "seed")
    assert session.ended is not None
    assert list(session.values["runtimes"]) == ["ch8-4 pt"]


def test_a_class_that_handed_in_nothing_is_graded_at_once(book: Gradebook) -> None:
    tally, workers = run(book, GradingPlan({}, Rubric(), "seed"))
    assert (workers.done, tally.total, tally.left) == ([], 0, 0)


def test_a_lesson_that_is_not_known_here_is_said_not_to_be(book: Gradebook) -> None:
    strange = handed_in("s01", lesson="ch0-0")
    with pytest.raises(UserError, match="does not have that lesson"):
        run(book, GradingPlan(counting([strange]), Rubric(), "seed"))


# Once more, with a reason.


def again(book: Gradebook, *students: str, **other: Any) -> GradingPlan:
    empty = replace(GradingPlan({}, Rubric(), "again"), **other)
    return class_grading.plan_again(book, students, empty, "the limit was too low", "Chen")


def test_a_regrade_asks_nobody_what_is_known_and_keeps_what_was(book: Gradebook) -> None:
    run(book, plan_of(book))
    low = Workers(lambda given: graded(given, 0.5))
    tally, _workers = run(book, again(book, "s02", "李雷"), low)
    assert (sorted(low.students), tally.graded, tally.known) == (["s02", "李雷"], 2, 0)
    assert marks(book, "s02") == [("graded", 2.0), ("graded", 1.0)]
    kept = results(book.path, "s02")[-1]
    assert (kept.reason, kept.who) == ("the limit was too low", "Chen")
    assert scores(book) == {**dict.fromkeys(IDS, 2.0), "s02": 1.0, "李雷": 1.0}


def test_all_are_graded_again_where_none_is_named(book: Gradebook) -> None:
    run(book, plan_of(book))
    _tally, workers = run(book, again(book))
    assert sorted(workers.students) == sorted(IDS)


def test_of_several_submissions_the_one_that_counts_is_graded_again(book: Gradebook) -> None:
    first, second = handed_in("s01", "x = 1"), handed_in("s01", "x = 2", days=1)
    late = handed_in("s01", "x = 3", days=2, late=True)
    run(book, plan_of(book, first, second, late))
    _tally, workers = run(book, again(book, "s01"))
    assert [each.content for each in workers.done] == [b"x = 2"]


def test_a_regrade_that_fails_takes_no_mark_away(book: Gradebook) -> None:
    run(book, plan_of(book))
    tally, _workers = run(book, again(book, "s03"), failing(99))
    assert tally.failed == 1
    assert scores(book)["s03"] == 2.0


def test_gathering_keeps_what_came_and_the_newest_counts(book: Gradebook, tmp_path: Path) -> None:
    for student in IDS[:3]:
        came(tmp_path / "in", student, f"x = '{student}'\n")
    collected = class_grading.gather(book, tmp_path / "in", None)
    plan = class_grading.plan(collected, Rubric(), "seed")
    assert [given[0] for given in plan.chosen] == sorted(IDS[:3])
    assert len(book.contents("s01", LESSON, FRAMEWORK)) == 1
    assert {each.student for each in collected.missing} == set(IDS[3:])


def a_round(
    book: Gradebook,
    place: Path,
    text: str,
    day: float,
    *,
    deadline: datetime | None = MONDAY + timedelta(days=1),
    moodle: bool = False,
    late: LateRule | None = None,
) -> list[bytes | None]:
    """Grade a folder with one student's file, of this day of the week; what counts then."""
    came(place, "s01_7_assignsubmission_file" if moodle else "s01", text, day)
    earlier, last = class_grading.last_terms(book)
    until, rule = deadline or earlier, late or last
    collected = class_grading.gather(book, place, until, late=rule)
    plan = class_grading.plan(collected, Rubric(), "seed", deadline=until, late=rule)
    run(book, plan)
    return [each.content for each in plan.chosen.values()]


def test_what_comes_late_in_another_round_does_not_replace_what_came_in_time(
    book: Gradebook, tmp_path: Path
) -> None:
    assert a_round(book, tmp_path / "first", "x = 1", 0) == [b"x = 1"]
    assert a_round(book, tmp_path / "second", "x = 2", 2) == [b"x = 1"]
    # Nobody need say the deadline again.
    assert a_round(book, tmp_path / "third", "x = 3", 3, deadline=None) == [b"x = 1"]
    # With a later one the newest of them all counts, wherever it came from.
    later = MONDAY + timedelta(days=2, hours=1)
    assert a_round(book, tmp_path / "fourth", "x = 4", 4, deadline=later) == [b"x = 2"]
    attempts = [a.late for a in class_results.attempts(book.standings()[0])]
    assert attempts == [False, False, True, True]


def test_each_day_that_something_is_late_costs_what_the_rubric_says(
    book: Gradebook, tmp_path: Path
) -> None:
    a_round(book, tmp_path / "first", "x = 1", 2.5, late=LateRule(per_day=0.25, most=0.6))
    (standing,) = (s for s in book.standings() if s.attempt)
    assert standing.penalty == LatePenalty(2, 0.5)
    own = replace(standing, penalty=None).score
    assert own
    assert standing.score == own / 2
    assert "2 days late and loses 50%" in " ".join(feedback.student_sentences(standing))
    # The same once more is no later, and a rule holds until another one is given.
    a_round(book, tmp_path / "second", "x = 1", 9)
    assert [s.penalty for s in book.standings() if s.attempt] == [LatePenalty(2, 0.5)]
    register = class_results.Register(book.standings())
    told = page.student_page(standing, register.groups[0], register)
    assert feedback.penalty(LatePenalty(2, 0.5)) in told
    # All days together cost no more than the most.
    assert LateRule(0.25, 0.6).penalty("s01", MONDAY + 9 * DAY, MONDAY) == LatePenalty(9, 0.6)
    # A date of the student's own makes it as good as in time, and nothing is examined anew.
    before = len(results(book.path, "s01"))
    excused = LateRule(0.25, 0.6, {"s01": MONDAY + timedelta(days=3)})
    a_round(book, tmp_path / "third", "x = 1", 2.5, late=excused)
    (standing,) = (s for s in book.standings() if s.attempt)
    assert (standing.penalty, standing.score) == (None, own)
    assert not standing.attempt.late
    assert len(results(book.path, "s01")) == before


def test_a_date_of_ones_own_may_be_earlier_or_the_only_one(book: Gradebook, tmp_path: Path) -> None:
    rule = LateRule(0.1, 1.0, {"s01": MONDAY})
    assert a_round(book, tmp_path / "first", "x = 1", -1, late=rule) == [b"x = 1"]
    assert a_round(book, tmp_path / "second", "x = 2", 0.5) == [b"x = 1"]
    collected = class_grading.gather(book, tmp_path / "second", None, late=rule)
    assert [each.late for each in collected.submissions] == [True]


@pytest.mark.parametrize("submitted", [None, MONDAY])
def test_what_came_in_time_or_nobody_knows_when_costs_nothing(submitted: datetime | None) -> None:
    rule = LateRule(per_day=0.5)
    assert rule.penalty("s01", submitted, MONDAY) is None
    assert rule.penalty("s01", MONDAY + timedelta(seconds=1), MONDAY) == LatePenalty(1, 0.5)
    assert LateRule().penalty("s01", MONDAY + timedelta(days=9), MONDAY) is None


def test_of_an_archive_without_times_what_is_new_after_a_late_round_is_late(
    book: Gradebook, tmp_path: Path
) -> None:
    # The deadline is long past, so each of these rounds is after it.
    assert a_round(book, tmp_path / "first", "x = 1", 0, moodle=True) == [b"x = 1"]
    assert a_round(book, tmp_path / "second", "x = 2", 0, moodle=True) == [b"x = 1"]
    again = a_round(book, tmp_path / "third", "x = 1", 0, moodle=True)
    assert again == [b"x = 1"]


def test_before_the_deadline_the_newest_of_such_an_archive_counts(
    book: Gradebook, tmp_path: Path
) -> None:
    ahead = datetime.now(UTC) + timedelta(days=1)
    for text in ("x = 1", "x = 2"):
        chosen = a_round(book, tmp_path / text, text, 0, deadline=ahead, moodle=True)
        assert chosen == [text.encode()]


def test_the_command_says_what_came_too_late(
    book: Gradebook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_round(book, tmp_path / "first", "x = 1", 0)
    came(tmp_path / "second", "s01", "x = 2")
    collected = class_grading.gather(book, tmp_path / "second", MONDAY + timedelta(days=1))
    plan = class_grading.plan(collected, Rubric(), "seed")
    (told,) = command._too_late(collected, plan.chosen)
    assert told == (
        "`s01/ch8-4-pt.py` came after the deadline. The student's last submission before the "
        "deadline counts."
    )


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("2026-12-01", 23),
        ("2026-12-01T18:30", 18),
        ("01.12.2026 18:30", 18),
        ("01.12.2026", 23),
        ("2026/12/01 18:30", 18),
        ("2026年12月01日", 23),
    ],
)
def test_a_deadline_is_read_in_the_forms_of_each_language(text: str, hour: int) -> None:
    found = deadline.read(text)
    assert (found.year, found.month, found.day, found.hour) == (2026, 12, 1, hour)
    assert found.tzinfo is not None


def test_what_came_back_and_is_not_the_exercise_does_not_vanish(
    book: Gradebook, tmp_path: Path
) -> None:
    place = tmp_path / "in"
    for student, name in (("s01", "ch8-4-pt.docx"), ("s02", "final.py"), ("s03", "ch8-4-pt.py")):
        came(place, student, "x = 1", name=name)
    class_grading.gather(book, place, None)
    register = class_results.of(book.standings(), ())
    stages = {s.student.id: class_results.place(s) for s in register.standings}
    assert [stages[s] for s in IDS] == ["unread", "unread", "waiting", "missing", "missing"]
    rows = {row["id"]: row for row in made.rows(csv_table.text(register))}
    assert rows["s01"]["stage"] == "unread"
    assert "ch8-4-pt.docx" in rows["s01"]["notes"]
    assert "ch8-4-pt.docx" in page.page(register)
    # It holds until the same file could be read, or another one came.
    whose = {"s02/final.py": book.assignments()[1]}
    class_grading.gather(book, place, None, whose)
    assert [bool(s.unread) for s in book.standings()] == [True, False, False, False, False]


def test_threads_that_do_the_work_lose_and_double_nothing(
    book: Gradebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = Counter[str]()

    def perform(given: Task) -> Any:
        if given.student == class_grading.OFFICIAL:
            return complete(given, 1.0)
        calls[given.student] += 1
        return graded(given)

    monkeypatch.setattr(task, "perform", perform)
    monkeypatch.setattr(task, "versions", lambda lesson, framework: VERSIONS)
    doing = ClassGrading(book, plan_of(book))
    with ThreadPoolExecutor(4) as executor:
        doing.run(executor)
    assert calls == dict.fromkeys(IDS, 1)
    assert all(marks(book, each) == [("graded", 2.0)] for each in IDS)


# A mistake of ours.


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Have the examination divide by zero at one student's submission."""

    def examine(box: Any, exercise: Any, text: str, *rest: Any) -> Grade:
        if "zero" in text:
            1 / 0  # noqa: B018
        return Grade(rest[-1], LESSON, FRAMEWORK, "graded")

    part = lesson.load(LESSON).parts[FRAMEWORK]
    room = task.Worker(part, cast("Any", None), cast("Any", object()), VERSIONS)
    monkeypatch.setattr(task._workers, "get", lambda *key: room)
    monkeypatch.setattr(by_questions, "examine", examine)
    monkeypatch.setattr(task, "versions", lambda lesson, framework: VERSIONS)
    monkeypatch.setenv("COURSE_CACHE", str(tmp_path / "cache"))


def assert_tells(text: str) -> None:
    """Look for the whole traceback of the mistake."""
    assert "Traceback (most recent call last):" in text
    assert "in examine\n    1 / 0" in text
    assert "ZeroDivisionError: division by zero" in text


def test_a_mistake_of_ours_is_kept_with_the_result_and_logged(
    book: Gradebook, broken: None, tmp_path: Path
) -> None:
    plan = plan_of(book, handed_in("s01"), handed_in("s02", "zero"))
    doing = ClassGrading(book, plan)
    with ThreadPoolExecutor(2) as executor:
        doing.run(executor)
    assert (doing.tally.graded, doing.tally.failed) == (2, 1)
    (kept,) = results(book.path, "s02")
    assert kept.grade.status == "internal-error"
    assert_tells(kept.grade.failure)
    (told,) = kept.grade.notes
    assert note.reader(told) == "teacher"
    assert note.describe_note(told).startswith(
        "The grading program failed: ZeroDivisionError: division by zero (test_class_grading.py:"
    )
    (written,) = (tmp_path / "cache" / "logs").iterdir()
    assert_tells(written.read_text("utf-8"))
    assert "s02, ch8-4 (pt), s02.py:" in written.read_text("utf-8")


def test_what_is_no_grade_is_told_with_its_traceback(book: Gradebook) -> None:
    run(book, plan_of(book), failing(99, how=RuntimeError("a worker died")))
    (kept,) = results(book.path, "s03")
    assert "RuntimeError: a worker died" in kept.grade.failure
    assert "Traceback" in kept.grade.failure


@pytest.mark.parametrize("as_json", [False, True])
def test_the_command_names_the_log(
    book: Gradebook, broken: None, tmp_path: Path, capsys: pytest.CaptureFixture[str], as_json: bool
) -> None:
    for student, text in (("s01", "x = 1"), ("s02", "zero")):
        came(tmp_path / "in", student, text)
    assert (
        inside("class", "grade", tmp_path / "in", db=book.path, unsafe=True, as_json=as_json) == 1
    )
    (log,) = (tmp_path / "cache" / "logs").iterdir()
    printed = capsys.readouterr()
    assert f"This is a bug in our program. Please send us `{log}`." in printed.err.replace("\n", "")
    if not as_json:
        assert "ZeroDivisionError: division by zero" in " ".join(printed.out.split())
        return
    document = json.loads(printed.out)
    assert document["log"] == str(log)
    good, bad = document["submissions"]
    assert (good["failure"], bad["status"]) == (None, "internal-error")
    assert_tells(bad["failure"])
    assert [each["for"] for each in bad["notes"]] == ["teacher"]


def test_the_command_tells_what_is_new_with_the_exercise_and_counts_the_rest(
    book: Gradebook, broken: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def hand_in_and_grade(student: str, text: str) -> str:
        came(tmp_path / "in", student, text)
        none = dict.fromkeys(("jobs", "cluster", "rubric", "deadline", "mapping"))
        command.grade(tmp_path / "in", book.path, **none, unsafe=True, as_json=False)
        return capsys.readouterr().out

    first = hand_in_and_grade("s01", "x = 1")
    assert "s01  ch8-4-pt" in first
    assert "graded before" not in first
    second = hand_in_and_grade("s02", "x = 2")
    assert "s02  ch8-4-pt" in second
    assert "s01" not in second
    assert "1 submission was graded before" in second
    again = hand_in_and_grade("s01", "x = 3")
    assert "s01  ch8-4-pt" in again
    assert "s02" not in again


def test_what_needs_no_examination_makes_no_estimate(book: Gradebook) -> None:
    seen: list[tuple[int, int]] = []
    refused = handed_in("s02", content=None, refused="too-large")
    plan = plan_of(book, handed_in("s01"), refused)
    ClassGrading(book, plan, lambda tally: seen.append((tally.graded, tally.examined))).run(
        Workers()
    )
    assert seen == [(1, 0), (2, 1)]
    shown: list[str] = []
    show = command._showing(shown.append)
    known = GradingProgress(9, known=4, new={("s02", LESSON, FRAMEWORK)})
    show(known)
    show(replace(known, examined=1))
    assert [" left" in text for text in shown] == [False, True]
    assert shown[0] == "5 of 9"


def test_no_student_is_shown_a_mistake_of_ours(book: Gradebook, broken: None) -> None:
    doing = ClassGrading(book, plan_of(book, handed_in("s02", "zero")))
    with ThreadPoolExecutor(1) as executor:
        doing.run(executor)
    all_of_it = class_results.of(book.standings(), book.sessions())
    (group,) = all_of_it.groups
    own = next(s for s in group.standings if s.student.id == "s02")
    assert "The grading program failed" in page.page(all_of_it)
    for text in (page.student_page(own, group, all_of_it), *feedback.student_sentences(own)):
        assert "ZeroDivision" not in text
        assert "Traceback" not in text
    assert gradescope.documents(all_of_it) == {}


@pytest.mark.live
def test_a_mistake_on_another_machine_comes_back_with_its_traceback(
    book: Gradebook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from distributed import Client, LocalCluster

    def spoil() -> None:
        from course.grading.engine import task

        def mistaken(given: Task) -> Grade:
            class OnlyHere(ZeroDivisionError):
                def __init__(self, one: int, two: int) -> None:
                    super().__init__(f"{one}/{two}")

            if given.student == class_grading.OFFICIAL:
                return proved
            raise OnlyHere(1, 0)

        task._graded = mistaken  # type: ignore[assignment]
        task.versions = lambda lesson, framework: {"python": "3"}  # type: ignore[assignment]

    monkeypatch.setenv("COURSE_CACHE", str(tmp_path / "cache"))
    plan = plan_of(book, handed_in("s02"))
    bugs = tuple(BugGrade(fault, True, "answers", 1.0, 1.0) for fault in BUGS)
    proved = Grade(
        class_grading.OFFICIAL, LESSON, FRAMEWORK, "graded", bugs, Healthy(True, 1.0, 1.0)
    )
    start: Any = LocalCluster
    with start(n_workers=1, threads_per_worker=1, dashboard_address=None) as there:
        connect: Any = Client
        with connect(there.scheduler_address) as client:
            client.run(spoil)
            with cluster.workers(there.scheduler_address) as executor:
                doing = ClassGrading(book, plan)
                doing.run(executor)
    (kept,) = results(book.path, "s02")
    assert "OnlyHere: 1/0" in str(kept.grade.notes[0].figures["error"])
    for text in (kept.grade.failure, next((tmp_path / "cache" / "logs").iterdir()).read_text()):
        assert "in perform" in text
        assert "in mistaken" in text
        assert "OnlyHere: 1/0" in text


TEAM = ("s01", "s02", "李雷")


def team_up(book: Gradebook, *members: str) -> None:
    book.add_class(
        [Student(each, each, "en", team="北 Nord" if each in members else "") for each in IDS], []
    )


def test_what_a_member_hands_in_is_examined_once_and_counts_for_the_whole_team(
    book: Gradebook, tmp_path: Path
) -> None:
    team_up(book, *TEAM)
    for student, text, day in (("s01", "x = 1", -2), ("s02", "x = 2", -1), ("s05", "x = 2", -1)):
        came(tmp_path / "in", student, text, day)
    collected = class_grading.gather(book, tmp_path / "in", MONDAY)
    assert [each.student for each in collected.missing] == ["s03"]
    plan = class_grading.plan(collected, Rubric(), "seed", deadline=MONDAY)
    tally, workers = run(book, plan)
    assert (tally.graded, tally.left, len(workers.done)) == (4, 0, 2)
    found = {each.student.id: each for each in book.standings()}
    for each in TEAM:
        assert book.contents(each, LESSON, FRAMEWORK)[-1].source == "s02/ch8-4-pt.py"
        assert (found[each].grade.student, found[each].score) == (each, 2.0)
        assert "北 Nord" in " ".join(feedback.student_sentences(found[each]))
    assert not found["s05"].team
    register = class_results.Register(book.standings())
    own_page = page.student_page(found["s01"], register.groups[0], register)
    assert "The submission counts for the whole group 北 Nord: s01, s02, 李雷." in own_page
    # One of them has a mark of the teacher's; the others keep theirs.
    book.override("s02", LESSON, FRAMEWORK, 1.0, "did nothing", "Chen")
    assert [scores(book)[each] for each in TEAM] == [2.0, 1.0, 2.0]
    rows = made.rows(csv_table.text(class_results.Register(book.standings())))
    assert [row["group"] for row in rows] == ["北 Nord", "北 Nord", "", "北 Nord", ""]
    # The same place once more: nothing is examined.
    again_collected = class_grading.gather(book, tmp_path / "in", MONDAY)
    _tally, workers = run(book, class_grading.plan(again_collected, Rubric(), "other"))
    assert workers.done == []


def test_a_grading_that_was_cut_short_between_two_members_gives_the_rest_the_same_mark(
    book: Gradebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    team_up(book, *TEAM)
    plan = plan_of(book, *(handed_in(each, source="s01.py") for each in TEAM))
    record, left = book.record, [1]

    def dying(*arguments: Any, **named: Any) -> bool:
        if not left:
            raise KeyboardInterrupt
        left.pop()
        return record(*arguments, **named)

    monkeypatch.setattr(book, "record", dying)
    with pytest.raises(KeyboardInterrupt):
        run(book, plan)
    monkeypatch.setattr(book, "record", record)
    _tally, workers = run(book, plan, Workers(lambda given: graded(given, 0.0)))
    assert workers.done == []
    assert {scores(book)[each] for each in TEAM} == {2.0}


def test_a_regrade_of_one_member_is_one_of_the_team(book: Gradebook) -> None:
    team_up(book, *TEAM)
    run(book, plan_of(book, *(handed_in(each) for each in TEAM)))
    tally, workers = run(book, again(book, "s02"), Workers(lambda given: graded(given, 0.5)))
    assert (tally.graded, len(workers.done)) == (3, 1)
    assert {scores(book)[each] for each in TEAM} == {1.0}


def test_the_latest_date_of_a_member_is_that_of_the_team(book: Gradebook) -> None:
    team_up(book, "s01", "s02")
    rule = LateRule(0.1, 1.0, {"s01": MONDAY + DAY, "s05": MONDAY - DAY})
    found = team.shared_rule(rule, MONDAY, book.students())
    dates = [found.due(each, MONDAY) for each in IDS]
    assert dates == [MONDAY + DAY, MONDAY + DAY, MONDAY, MONDAY, MONDAY - DAY]
    early = LateRule(0.1, 1.0, {"s01": MONDAY - DAY})
    assert team.shared_rule(early, MONDAY, book.students()).due("s01", MONDAY) == MONDAY


def test_of_several_exercises_it_is_told_which_one_is_missing() -> None:
    missing = [an_assignment("s01"), an_assignment("s02"), an_assignment("s01", "ch3-2")]
    assert list(command._nothing_came(missing, several=True)) == [
        "`ch8-4-pt`: Nothing handed in: `s01`, `s02`",
        "`ch3-2-pt`: Nothing handed in: `s01`",
    ]
    assert list(command._nothing_came(missing[:1], several=False)) == ["Nothing handed in: `s01`"]


def an_assignment(student: str, lesson: str = "ch8-4") -> Assignment:
    return Assignment(student, lesson, "pt", (), "en", 0, "")
