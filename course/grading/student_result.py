"""Where a student stands: what was given out, what came back, and what it is worth."""

from dataclasses import dataclass
from datetime import datetime

from course.grading.collect.unmatched import Unmatched
from course.grading.deadline import LatePenalty
from course.grading.distribute.assignment import Assignment, Student
from course.grading.grade import Grade


@dataclass(frozen=True)
class Override:
    """A teacher's own mark in place of ours: the score, why, who, and when (UTC)."""

    score: float
    reason: str
    who: str
    at: datetime


@dataclass(frozen=True)
class GradedSubmission:
    """One graded submission in the history of an assignment. Times are in UTC.

    `kept` is one that is only kept: a later one counts, or it came after the deadline.
    """

    source: str
    digest: str
    submitted: datetime | None
    late: bool
    graded: datetime | None
    grade: Grade | None
    kept: bool = False


@dataclass(frozen=True)
class StudentResult:
    """An assignment with the attempt that counts, if there is one, and all that came before it.

    `unread` came back from the student, could not be taken for an exercise, and nothing else came.
    `team` are all members of the student's group, or nobody.
    """

    student: Student
    assignment: Assignment
    attempt: GradedSubmission | None = None
    history: tuple[GradedSubmission, ...] = ()
    override: Override | None = None
    unread: tuple[Unmatched, ...] = ()
    penalty: LatePenalty | None = None
    team: tuple[Student, ...] = ()

    @property
    def score(self) -> float | None:
        """The mark: the teacher's own, else ours less what being late costs; None without one."""
        if self.override is not None:
            return self.override.score
        grade = self.attempt.grade if self.attempt else None
        if grade is None or not grade.judged:
            return None
        return round(grade.score * (1 - self.penalty.share), 6) if self.penalty else grade.score
