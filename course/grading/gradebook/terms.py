"""The terms of a class: until when submissions count, and what it costs to be late."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from course.grading.deadline import LatePenalty, LateRule, from_dict
from course.grading.student_result import GradedSubmission


@dataclass(frozen=True)
class ClassTerms:
    """The deadline of the last round of grading that had one (UTC), and the last rule."""

    deadline: datetime | None = None
    late: LateRule = field(default_factory=LateRule)

    def penalty(self, student: str, attempt: GradedSubmission | None) -> LatePenalty | None:
        """What is taken off for a submission that came too late."""
        if attempt is None or not attempt.late:
            return None
        return self.late.penalty(student, attempt.submitted, self.deadline)


def last(sessions: Iterable[Mapping[str, Any]]) -> ClassTerms:
    """The terms that hold, of what each round of grading said of itself, the earliest first."""
    deadline, late = None, LateRule()
    for values in sessions:
        if isinstance(values.get("deadline"), str):
            deadline = datetime.fromisoformat(values["deadline"])
        if isinstance(values.get("late"), Mapping):
            late = from_dict(values["late"])
    return ClassTerms(deadline, late)
