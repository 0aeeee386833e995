"""What a report is made of: the standings of a class, and what holds for all of them."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Literal

from course.grading.grade import Grade
from course.grading.gradebook.records import GradingSession
from course.grading.report import feedback
from course.grading.student_result import GradedSubmission, StudentResult
from course.lesson import lesson

Waiting = Literal["missing", "unread", "waiting", "unexamined", "empty", "syntax", "early"]
"""Where a student stands who is at no fault: nothing came, nothing that could be read as the
exercise, no verdict yet, nothing to examine; an empty file, one that is no Python, one that ends
before any bug could be looked for."""
EMPTY = hashlib.sha256(b"").hexdigest()
TRAINING, HEALTHY = "training", "healthy"


@dataclass(frozen=True)
class Register:
    """The standings of a class, in the order of the roster.

    `unsafe`: at least one session of grading ran without a sandbox. `rubric` is the rubric of the
    last one as text, empty where it told none. `contents` are scripts as they were handed in, by
    their digests.
    """

    standings: tuple[StudentResult, ...]
    unsafe: bool = False
    rubric: str = ""
    contents: Mapping[str, bytes] = field(default_factory=dict)

    def content(self, standing: StudentResult) -> bytes | None:
        """Return the script that counts, as it was handed in; None where there is none."""
        return self.contents.get(standing.attempt.digest) if standing.attempt else None

    @cached_property
    def groups(self) -> tuple["Group", ...]:
        """The standings by exercise, in the order in which these were given out."""
        found: dict[tuple[str, str], list[StudentResult]] = {}
        for standing in self.standings:
            given = standing.assignment
            found.setdefault((given.lesson, given.framework), []).append(standing)
        return tuple(Group(*key, tuple(each)) for key, each in found.items())


@dataclass(frozen=True)
class Group:
    """The standings of one exercise."""

    lesson: str
    framework: str
    standings: tuple[StudentResult, ...]

    @property
    def name(self) -> str:
        """What the exercise is called in a table: the same in every language."""
        return f"{self.lesson} ({self.framework})"

    @cached_property
    def title(self) -> str:
        """The lesson's title, not translated yet; its id where this program has no such lesson."""
        return lesson.load(self.lesson).title if self.lesson in lesson.ids() else self.lesson

    @cached_property
    def bugs(self) -> tuple[str, ...]:
        """Every bug that somebody drew, in the order of the lesson."""
        drawn = list(dict.fromkeys(b for s in self.standings for b in s.assignment.bugs))
        parts = lesson.load(self.lesson).parts if self.lesson in lesson.ids() else {}
        known = parts[self.framework].known if self.framework in parts else ()
        order = {bug.fault: n for n, bug in enumerate(known)}
        return tuple(sorted(drawn, key=lambda b: order.get(b, len(order))))

    @cached_property
    def possible(self) -> float | None:
        """The points that each student could reach; None where that differs among them."""
        found = {s.grade.max_score for s in self.standings if s.grade and s.grade.max_score}
        if not found:
            found = {len(s.assignment.bugs) + 1.0 for s in self.standings}
        return found.pop() if len(found) == 1 else None

    def of(self, standing: StudentResult) -> float:
        """Return the most points that this student can reach, graded or not."""
        if standing.grade and standing.grade.max_score:
            return standing.grade.max_score
        return self.possible or len(standing.assignment.bugs) + 1.0


def of(
    standings: Iterable[StudentResult],
    sessions: Iterable[GradingSession],
    contents: Mapping[str, bytes] | None = None,
) -> Register:
    """Make the register of a gradebook, for reports; the sessions are in order of their start."""
    standings, sessions = tuple(standings), tuple(sessions)
    grades = [each.grade for s in standings for each in attempts(s) if each.grade]
    unsafe = any(s.unsafe for s in sessions) or any(grade.unsafe for grade in grades)
    rubrics = (s.values["rubric"] for s in reversed(sessions) if s.values.get("rubric"))
    last = next((json.dumps(each, ensure_ascii=False, indent=2) for each in rubrics), "")
    return Register(standings, unsafe, last, contents or {})


def in_own_language(register: Register) -> Iterator[tuple[Group, StudentResult]]:
    """Each standing while the language in force is its student's; one language after the other."""
    for lang in dict.fromkeys(s.student.lang for s in register.standings):
        with feedback.speaking(lang):
            for group in register.groups:
                for standing in group.standings:
                    if standing.student.lang == lang:
                        yield group, standing


def place(standing: StudentResult) -> str:
    """Where a student stands: a fault, `training`, `healthy`, or one of `Waiting`."""
    grade = standing.grade
    if not standing.came:
        return "unread" if standing.unread else "missing"
    if grade is None or grade.status == "internal-error":
        return "waiting"
    if not grade.bugs and grade.status != "graded":
        return "unexamined"
    return _unreached(standing, grade) or grade.stage


def _unreached(standing: StudentResult, grade: Grade) -> Waiting | None:
    """Where a script stands of which no part could be examined; None where one could."""
    if any(bug.gone or bug.how not in ("missing", "not-reached") for bug in grade.bugs):
        return None
    nothing = standing.attempt is not None and standing.attempt.digest == EMPTY
    if nothing or any(note.id == "empty" for note in grade.notes):
        return "empty"
    if any(note.id == "syntax" for note in grade.notes):
        return "syntax"
    crashed = any(fault.exception for fault in grade.new_faults)
    return "early" if crashed and grade.bugs else None


def attempts(standing: StudentResult) -> tuple[GradedSubmission, ...]:
    """All that was handed in, and how it was graded each time, the one that counts among them."""
    found = (*standing.history, *([standing.attempt] if standing.attempt else []))
    start = datetime.min.replace(tzinfo=UTC)
    return tuple(sorted(found, key=lambda a: (a.submitted or start, a.graded or start)))


def handed_in(standing: StudentResult) -> int:
    """How many times something was handed in; what is graded anew is not handed in anew."""
    return len({(each.digest, each.submitted) for each in attempts(standing)})


def worked(standing: StudentResult) -> timedelta | None:
    """Return the time from the first submission to the counting one; None if there is but one."""
    times = [each.submitted for each in attempts(standing) if each.submitted]
    last = standing.attempt.submitted if standing.attempt else None
    if last is None or handed_in(standing) < 2:
        return None
    return last - min(times)


def graded_at(standings: tuple[StudentResult, ...]) -> datetime | None:
    """Return when the newest grade was given (UTC); None where nothing is graded."""
    times = [s.attempt.graded for s in standings if s.attempt and s.attempt.graded]
    return max(times, default=None)
