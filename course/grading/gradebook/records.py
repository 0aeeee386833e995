"""What the gradebook knows a result by, and what it tells of the runs of the grader."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class ResultKey:
    """What a result depends on: where all of it is the same, nothing need be graded again.

    That is whose submission it is, and the SHA-256 of each thing that its grade follows from.
    """

    student: str
    lesson: str
    framework: str
    submission: str
    exercise: str
    rubric: str
    runtime: str


@dataclass(frozen=True)
class GradingSession:
    """One run of the grader. Times are in UTC; `ended` is None where it was cut short.

    `values` are what the grader said of the run: its rubric, its versions, `unsafe`.
    """

    id: int
    started: datetime
    ended: datetime | None
    values: Mapping[str, Any]

    @property
    def unsafe(self) -> bool:
        """Whether submissions ran without a sandbox."""
        return bool(self.values.get("unsafe"))
