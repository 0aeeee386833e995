"""The table that `nbgrader export` writes: the report `nbgrader`, where it is a text.

As there, a student who has handed in nothing has a score of zero; one who has no mark yet has
none. Times are in UTC. That marks were made without a sandbox is told in a column more, which is
there only when they were.
"""

from course.grading.report import csv_safe
from course.grading.report.class_results import Register
from course.grading.report.csv_safe import CellValue
from course.grading.report.nbgrader.marks import Mark, Sheet, names, sheets

COLUMNS = (
    *("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email"),
    *("raw_score", "late_submission_penalty", "score", "max_score"),
)
UNSAFE = "graded with --unsafe"


def text(register: Register) -> str:
    """Write the class results as CSV, with the columns of nbgrader's own export."""
    unsafe: tuple[CellValue, ...] = (UNSAFE,) if register.unsafe else ()
    rows: list[tuple[CellValue, ...]] = [(*COLUMNS, *(["unsafe"] if unsafe else []))]
    for each in sheets(register):
        rows += [(*_row(each, mark), *unsafe) for mark in each.marks]
    return csv_safe.text(rows, bom=False)


def _row(of: Sheet, mark: Mark) -> tuple[CellValue, ...]:
    student = mark.standing.student
    time = mark.time.replace(tzinfo=None).isoformat(" ") if mark.time else None
    score = mark.score if mark.handed_in or mark.score is not None else 0.0
    who = (student.id, *names(student.name), None)
    return (of.name, None, time, *who, score, 0.0, score, sum(of.most))
