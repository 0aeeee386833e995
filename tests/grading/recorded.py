"""The results of a student as the tables hold them: each one ever had, with who asked for it."""

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from course.grading import grade
from course.grading.gradebook import rows


@dataclass(frozen=True)
class Recorded:
    grade: grade.Grade
    graded: str
    reason: str
    who: str


def results(path: Path, student: str) -> list[Recorded]:
    """Read the results of a student, the earliest first."""
    db = sqlite3.connect(path)
    found = db.execute(
        "SELECT grade, graded, reason, who FROM result JOIN assignment "
        "ON assignment.number = assignment WHERE student = ? ORDER BY result.number",
        (student,),
    ).fetchall()
    db.close()
    return [Recorded(rows.grade(text), *rest) for text, *rest in found]
