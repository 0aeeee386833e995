"""What a result depends on: where all of it is the same, nothing need be graded again."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ResultKey:
    """Whose submission it is, and the SHA-256 of each thing that its grade follows from."""

    student: str
    lesson: str
    framework: str
    submission: str
    exercise: str
    rubric: str
    runtime: str
