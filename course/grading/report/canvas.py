"""The table that Canvas imports into its gradebook: the report `canvas`.

Canvas finds a student by `ID`, its own number, then by `SIS User ID`, `SIS Login ID` and the name.
The roster's id stands in the second and the third; the number only where the roster has it. Every
column after `Section` is an assignment to Canvas: that marks were made without a sandbox is told
in `Section`, which Canvas does not read. Without a byte order mark: Canvas knows UTF-8.
"""

from course.grading.distribute.assignment import Student
from course.grading.report import csv_safe, marks
from course.grading.report.class_results import Register
from course.grading.report.csv_safe import CellValue

COLUMNS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
POINTS = "Points Possible"
ALIAS = "canvas:"
UNSAFE = "graded with --unsafe"


def text(register: Register) -> str:
    """Write the class results as a CSV file that Canvas imports."""
    groups = register.groups
    section = UNSAFE if register.unsafe else ""
    rows: list[tuple[CellValue, ...]] = [
        (*COLUMNS, *(group.name for group in groups)),
        (POINTS, None, None, None, None, *(marks.possible(group) for group in groups)),
    ]
    for id_, standings in marks.by_student(register).items():
        student = next(iter(standings.values())).student
        scores = [
            marks.mark(group, standings[group.name]) if group.name in standings else None
            for group in groups
        ]
        rows.append((student.name, _number(student), id_, id_, section, *scores))
    return csv_safe.text(rows, bom=False)


def _number(student: Student) -> str | None:
    """Canvas' own number of a student, where the roster has it."""
    found = (a.removeprefix(ALIAS) for a in student.aliases if a.startswith(ALIAS))
    return next(found, None)
