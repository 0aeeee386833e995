"""Grading a class: what is to be done, done by whoever can, and every result kept at once."""

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor, Future, as_completed
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType

from course.base import log
from course.base.errors import UserError
from course.base.i18n import _, in_a_row, numbers
from course.grading import deadline as deadlines
from course.grading import grade as grades
from course.grading import note
from course.grading.collect import team
from course.grading.collect.collector import (
    NOTHING,
    Collected,
    Target,
    after_all,
    collect,
    counting,
    in_order,
    target,
)
from course.grading.collect.found_file import CAPS
from course.grading.collect.mapping import FileMapping
from course.grading.collect.submission import Submission
from course.grading.deadline import LateRule
from course.grading.engine import task
from course.grading.engine.task import Task
from course.grading.grade import Grade
from course.grading.gradebook.gradebook import Gradebook
from course.grading.gradebook.records import ResultKey
from course.grading.rubric import Rubric

OFFICIAL = "(solution)"
"""Who hands in the lesson's own solution."""

Alike = list[Submission]
"""Submissions of which one examination is enough: the one that a team has handed in."""


@dataclass(frozen=True)
class GradingPlan:
    """What a class has handed in, and how it is to be graded.

    `seed` is what the data of this grading are drawn from. A regrade has a `reason` and `who`
    wants it, and does not ask what is known already. `deadline` has a zone, if there is one; `late`
    is what it costs to miss it, None where the rule of the last round is to hold.
    """

    chosen: Mapping[Target, Submission]
    rubric: Rubric
    seed: str
    unsafe: bool = False
    reason: str = ""
    who: str = ""
    deadline: datetime | None = None
    late: LateRule | None = None


@dataclass
class GradingProgress:
    """How far a grading has come; `solutions` are the lessons' own, which are graded first.

    `known` have their grade from before, `new` are those that got one now, `examined` of these ran.
    """

    total: int
    known: int = 0
    new: set[Target] = field(default_factory=set)
    examined: int = 0
    failed: int = 0
    solutions: list[Grade] = field(default_factory=list)

    @property
    def graded(self) -> int:
        """Submissions that got their grade in this run."""
        return len(self.new)

    @property
    def left(self) -> int:
        """Submissions that are still to be graded."""
        return self.total - self.known - self.graded


@dataclass
class ClassGrading:
    """A run of the grader over a class. `on_progress` is called as submissions get their grades."""

    book: Gradebook
    plan: GradingPlan
    on_progress: Callable[[GradingProgress], None] = lambda tally: None
    tally: GradingProgress = field(init=False)

    def __post_init__(self) -> None:
        self.tally = GradingProgress(len(self.plan.chosen))
        self._assignments = {target(each): each for each in self.book.assignments()}
        self._teams = {each.id: each.team for each in self.book.students()}
        self._digests: dict[tuple[str, str], str] = {}
        self._rubrics: dict[tuple[str, str], Rubric] = {}
        self._session = 0

    def run(self, executor: Executor) -> None:
        """Grade all that is not graded yet; each result is in the gradebook as soon as it is there.

        The lesson's own solution is graded first, where there is anything to be graded: a broken
        set of libraries would give everybody too little. What else is graded meanwhile counts
        once it has full marks.

        Raises:
            UserError: it does not get them, says what it stumbled over; nothing can be graded at
                all, or the gradebook cannot be written any more.

        """
        for lesson, framework in dict.fromkeys((t[1], t[2]) for t in self.plan.chosen):
            self._settle(executor, lesson, framework)
        known: dict[Target, Grade | None] = {}
        if not self.plan.reason:
            known = {t: self.book.known(self._key(each)) for t, each in self.plan.chosen.items()}
        groups = self._alike()
        new = [
            alike
            for alike in groups
            if alike[0].content is not None and not any(known.get(target(s)) for s in alike)
        ]
        solutions = [
            (where, executor.submit(task.perform, self._solution(*where)))
            for where in sorted({(alike[0].lesson, alike[0].framework) for alike in new})
        ]
        waiting: dict[Future[dict[str, object]], Alike] = {
            executor.submit(task.perform, self._work(alike[0])): alike for alike in new
        }
        for (lesson, framework), future in solutions:
            self._expect_full_marks(lesson, framework, grades.read(future.result()))
        self._session = self.book.start_session(self._about())
        for alike in groups:
            self._settle_known(alike, known)
        self.on_progress(self.tally)
        for future in as_completed(waiting):
            alike = waiting[future]
            grade = self._result(future, alike[0])
            for submission in alike:
                self._record(submission, replace(grade, student=submission.student))
            self.tally.examined += len(alike)
            self.on_progress(self.tally)
        self.book.end_session(self._session)

    def _solution(self, lesson: str, framework: str) -> Task:
        """Make the task of the lesson's own solution, as if it had been handed in."""
        part = task.examined(lesson, framework)
        bugs = tuple(bug.fault for bug in part.bugs)
        return self._task((OFFICIAL, lesson, framework), bugs, part.text(()).encode())

    def _expect_full_marks(self, lesson: str, framework: str, grade: Grade) -> None:
        if not grade.judged or grade.score < grade.max_score:
            log.logger("grading").error("%s (%s): %s", lesson, framework, grade)
            raise UserError(_stumbled(lesson, framework, grade))
        self.tally.solutions.append(grade)

    def _settle(self, executor: Executor, lesson: str, framework: str) -> None:
        """Find out where and by what a part is graded."""
        part, where = task.examined(lesson, framework), (lesson, framework)
        self._rubrics[where] = self.plan.rubric.settled(part.exam or part.outcome)
        found = executor.submit(task.versions, lesson, framework).result()
        self._digests[where] = task.digest(found, unsafe=self.plan.unsafe)

    def _about(self) -> dict[str, object]:
        return {
            "unsafe": self.plan.unsafe,
            "seed": self.plan.seed,
            "rubric": self.plan.rubric.to_dict(),
            "runtimes": {f"{lesson} {fw}": d for (lesson, fw), d in self._digests.items()},
            "deadline": self.plan.deadline and self.plan.deadline.astimezone(UTC).isoformat(),
            "late": self.plan.late and self.plan.late.to_dict(),
        }

    def _settle_known(self, alike: Alike, known: Mapping[Target, Grade | None]) -> None:
        """Settle those that need no examination, if need be with the verdict on a mate's."""
        verdict = next((found for s in alike if (found := known.get(target(s)))), None)
        for submission in alike:
            if known.get(target(submission)):
                self.book.count(self._key(submission), submission.submitted)
                self.tally.known += 1
            elif submission.content is None:
                self._record(submission, _refused(submission))
            elif verdict is not None:
                self._record(submission, replace(verdict, student=submission.student))

    def _alike(self) -> list[Alike]:
        """Put what a team has handed in together: one examination is enough for all of it.

        A grading that was cut short between two members goes on with the verdict of the first.
        """
        found: dict[tuple[object, ...], Alike] = {}
        for each in self.plan.chosen.values():
            given = self._assignments[target(each)]
            who = self._teams[given.student]
            part = (given.lesson, given.framework, given.bugs, given.exam, each.digest)
            found.setdefault((bool(who), who or given.student, *part), []).append(each)
        return list(found.values())

    def _key(self, submission: Submission) -> ResultKey:
        given = target(submission)
        part = (submission.lesson, submission.framework)
        return ResultKey(
            *given,
            submission=submission.digest,
            exercise=self._assignments[given].digest,
            rubric=self._rubrics[part].digest,
            runtime=self._digests[part],
        )

    def _work(self, submission: Submission) -> Task:
        assert submission.content is not None
        given = self._assignments[target(submission)]
        return self._task(target(submission), given.bugs, submission.content, exam=given.exam)

    def _task(
        self, of: Target, bugs: tuple[str, ...], content: bytes, *, exam: bool = False
    ) -> Task:
        rubric = self._rubrics[of[1:]].to_dict()
        return Task(*of, bugs, content, rubric, self.plan.seed, self.plan.unsafe, exam)

    def _result(self, future: "Future[dict[str, object]]", submission: Submission) -> Grade:
        """Return the grade that came back; log an internal failure, here or where it was graded."""
        try:
            grade = grades.read(future.result())
        except UserError:
            raise
        except Exception as error:  # noqa: BLE001 - kept in the grade, and logged
            grade = grades.failed(*target(submission), error)
        if grade.status == "internal-error":
            named = (*target(submission), submission.source, grade.failure)
            log.logger("grading").error("%s, %s (%s), %s:\n%s", *named)
        return grade

    def _record(self, submission: Submission, grade: Grade) -> None:
        """Keep one result, at once."""
        key = self._key(submission)
        plan = self.plan
        self.book.record(
            key, grade, session=self._session, replaces_reason=plan.reason, who=plan.who
        )
        self.book.count(key, submission.submitted)
        self.tally.new.add(target(submission))
        self.tally.failed += grade.status == "internal-error"


def _stumbled(lesson: str, framework: str, grade: Grade) -> str:
    """Explain why the lesson's own solution does not get full marks here."""
    sentence = _(
        "On this machine, the lesson's own solution of {exercise} gets only {score} of {most}. "
        "Something is wrong with the environment, so no submission was graded."
    ).format(
        exercise=f"`{lesson}-{framework}`",
        score=numbers.at_most(grade.score, 2),
        most=numbers.at_most(grade.max_score, 2),
    )
    why = [note.describe_note(each) for each in grade.notes]
    why += [f"`{f.exception}: {f.message}`" for f in grade.new_faults if f.exception]
    return in_a_row(sentence, *why)


def gather(
    book: Gradebook,
    place: Path,
    deadline: datetime | None,
    mapping: FileMapping = MappingProxyType({}),
    late: LateRule = NOTHING,
) -> Collected:
    """Take in what a class has handed in, and keep all of it in the gradebook.

    Raises:
        UserError: the place cannot be read.

    """
    assignments = book.assignments()
    found = collect(place, book.students(), assignments, mapping)
    earlier = tuple(each for a in assignments for each in book.contents(*target(a)))
    rounds = [each.started for each in book.sessions()]
    shared = team.shared(replace(found, earlier=earlier), book.students(), assignments)
    collected = after_all(shared, deadline, rounds, late)
    book.keep((*collected.earlier, *collected.submissions))
    unread = [each for each in collected.unmatched if each.student is not None]
    book.keep_unread(unread, (each.source for each in collected.submissions))
    return collected


def last_terms(book: Gradebook) -> tuple[datetime | None, LateRule]:
    """Return the deadline (UTC) of the last round that had one, and the cost of being late."""
    return deadlines.last(each.values for each in book.sessions())


def plan(
    collected: Collected,
    rubric: Rubric,
    seed: str,
    *,
    unsafe: bool = False,
    deadline: datetime | None = None,
    late: LateRule | None = None,
) -> GradingPlan:
    """Plan the grading of a collection: of each student the submission that counts.

    That may be one of an earlier round, where what came now is late.
    """
    came = {target(each) for each in collected.submissions}
    chosen = counting(each for each in in_order(collected) if target(each) in came)
    return GradingPlan(chosen, rubric, seed, unsafe, deadline=deadline, late=late)


def plan_again(
    book: Gradebook, students: Iterable[str], plan: GradingPlan, reason: str, who: str
) -> GradingPlan:
    """Plan to grade again the kept submissions of some students, or of all if none is named.

    With a student comes the whole team: all of it has one mark.
    """
    named = set(students)
    teams = {each.team for each in book.students() if each.id in named} - {""}
    named |= {each.id for each in book.students() if each.team in teams}
    kept = [
        submission
        for each in book.assignments()
        if not named or each.student in named
        for submission in book.contents(*target(each))
    ]
    return replace(plan, chosen=counting(kept), reason=reason, who=who)


def _refused(submission: Submission) -> Grade:
    caps = {"cap": CAPS[submission.refused]} if submission.refused in CAPS else {}
    note = grades.GradeNote(f"refused-{submission.refused}", caps)
    return Grade(*target(submission), status="refused", notes=(note,))
