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
class Comment:
    """What a teacher says of a mark, or a student asks about it, and when (UTC).

    `about` is the reason that all share for whom it is (`Grade.reasons`), empty where it is for one
    student alone; `points` it adds to the mark. `who` is empty for what the student asks.
    """

    text: str
    who: str
    at: datetime
    about: str = ""
    points: float = 0.0


@dataclass(frozen=True)
class GradedSubmission:
    """One graded submission in the history of an assignment. Times are in UTC.

    `kept` is one that is only kept: a later one counts, or it came after the deadline.
    """

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
    `team` are all members of the student's group, or nobody. `comments` and the student's own
    questions are in the order in which they came.
    """

    student: Student
    assignment: Assignment
    attempt: GradedSubmission | None = None
    history: tuple[GradedSubmission, ...] = ()
    override: Override | None = None
    unread: tuple[Unmatched, ...] = ()
    penalty: LatePenalty | None = None
    team: tuple[Student, ...] = ()
    comments: tuple[Comment, ...] = ()

    @property
    def grade(self) -> Grade | None:
        """The grade of what counts; None where there is none."""
        return self.attempt.grade if self.attempt else None

    @property
    def came(self) -> bool:
        """Whether anything was handed in, though it may not count yet."""
        return self.attempt is not None or bool(self.history)

    @property
    def late(self) -> bool:
        """Whether what counts was handed in after the deadline."""
        return self.attempt is not None and self.attempt.late

    @property
    def asks(self) -> Comment | None:
        """The student's last question, while neither a comment nor a mark has answered it."""
        own = [each for each in self.comments if not each.about]
        last = own[-1] if own and not own[-1].who else None
        answered = last is None or (self.override is not None and self.override.at > last.at)
        return None if answered else last

    @property
    def score(self) -> float | None:
        """The mark: the teacher's own, else ours with what comments add, less what lateness costs.

        None without one. Comments never lead below zero or above the most that can be reached.
        """
        if self.override is not None:
            return self.override.score
        grade = self.grade
        if grade is None or not grade.judged:
            return None
        added = grade.score + sum(each.points for each in self.comments)
        score = added if added == grade.score else min(max(added, 0.0), grade.max_score)
        return round(score * (1 - self.penalty.share), 6) if self.penalty else round(score, 6)
