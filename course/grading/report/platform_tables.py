"""The tables that learning platforms import: the reports `canvas`, `moodle` and `nbgrader`.

A platform has one maximum a column. Where students drew different numbers of bugs, a mark is what
each reached of the points that were theirs to reach, in per cent.
"""

from datetime import UTC

from course.base.i18n import in_a_row
from course.grading.distribute.assignment import Student
from course.grading.report import csv_safe, feedback
from course.grading.report.class_results import Group, Register, in_own_language
from course.grading.report.csv_safe import CellValue, ReportColumn
from course.grading.student_result import StudentResult

PER_CENT = 100.0
UNSAFE = "graded with --unsafe"
POINTS = "Points Possible"
ALIAS = "canvas:"
_HARMLESS = str.maketrans({",": " ", '"': "'"})


def possible(group: Group) -> float:
    """Return the points that the column is out of: 100 where the possible points differ."""
    return group.possible or PER_CENT


def mark(group: Group, standing: StudentResult) -> float | None:
    """Return the mark in the column of an exercise; None where there is none yet."""
    if standing.score is None or group.possible is not None:
        return standing.score
    return PER_CENT * standing.score / group.of(standing)


def canvas(register: Register) -> str:
    """Write the class results as a CSV file that Canvas imports.

    Canvas finds a student by `ID`, its own number, then by `SIS User ID`, `SIS Login ID` and the
    name. The roster's id stands in the second and the third; the number only where the roster has
    it. Every column after `Section` is an assignment to Canvas: that marks were made without a
    sandbox is told in `Section`, which Canvas does not read. Without a byte order mark: Canvas
    knows UTF-8.
    """
    heads = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
    section = UNSAFE if register.unsafe else ""
    table: list[list[CellValue]] = [
        [*heads, *(group.name for group in register.groups)],
        [POINTS, *[None] * len(heads[1:]), *map(possible, register.groups)],
    ]
    for student, own in _by_student(register).items():
        marks = (_mark(group, own.get(group.name)) for group in register.groups)
        table.append(
            [student.name, _canvas_number(student), student.id, student.id, section, *marks]
        )
    return csv_safe.text(table, bom=False)


def moodle(register: Register) -> str:
    """Write the class results as a CSV file that Moodle imports, with a feedback for each grade.

    It is mapped by `ID number`, which is the roster's id. Each exercise has two columns, the mark
    and what the student is told, in the student's language: Moodle wants both mapped, or loses
    one. A column that says that marks were made without a sandbox is there only when they were,
    and is not to be mapped. It begins with a byte order mark, which Moodle takes off.
    """
    told = {
        (group.name, standing.student.id): _comment(standing)
        for group, standing in in_own_language(register)
    }
    heads = [head for g in register.groups for head in (g.name, f"{g.name} feedback")]
    unsafe = register.unsafe
    table: list[list[CellValue]] = [
        ["ID number", "Full name", *heads, *(["Unsafe"] if unsafe else [])]
    ]
    for student, own in _by_student(register).items():
        row: list[CellValue] = [student.id, student.name]
        for group in register.groups:
            row += [_mark(group, own.get(group.name)), told.get((group.name, student.id))]
        table.append([*row, *([True] if unsafe else [])])
    return csv_safe.text(table, bom=True)


def nbgrader(register: Register) -> str:
    """Write the class results as CSV, with the columns of nbgrader's own export.

    As there, a student who has handed in nothing has a score of zero; one who has no mark yet has
    none. Times are in UTC. That marks were made without a sandbox is told in a column more, which
    is there only when they were.
    """
    columns: list[ReportColumn[tuple[Group, StudentResult]]] = [
        ("assignment", lambda row: row[1].assignment.stem),
        ("duedate", lambda row: None),
        ("timestamp", lambda row: _submitted(row[1])),
        ("student_id", lambda row: row[1].student.id),
        ("last_name", lambda row: names(row[1].student.name)[0]),
        ("first_name", lambda row: names(row[1].student.name)[1]),
        ("email", lambda row: None),
        ("raw_score", lambda row: _score(*row)),
        ("late_submission_penalty", lambda row: 0.0),
        ("score", lambda row: _score(*row)),
        ("max_score", lambda row: possible(row[0])),
    ]
    if register.unsafe:
        columns.append(("unsafe", lambda row: UNSAFE))
    rows = [(group, standing) for group in register.groups for standing in group.standings]
    return csv_safe.table(columns, rows, bom=False)


def names(name: str) -> tuple[str, str]:
    """Return a last name and a first one, of `Last, First`; any other name is all last name.

    `nbgrader export` quotes nothing, so neither may hold what would make a cell of its own.
    """
    last, _comma, first = (csv_safe.cell(part) for part in name.partition(","))
    return last.translate(_HARMLESS), first.translate(_HARMLESS)


def _by_student(register: Register) -> dict[Student, dict[str, StudentResult]]:
    """Return the standings of each student by exercise, in the order of the roster."""
    found: dict[Student, dict[str, StudentResult]] = {s.student: {} for s in register.standings}
    for group in register.groups:
        for standing in group.standings:
            found[standing.student][group.name] = standing
    return found


def _mark(group: Group, standing: StudentResult | None) -> float | None:
    """Return what fills the column of an exercise; who was not given it has an empty cell."""
    return mark(group, standing) if standing else None


def _comment(standing: StudentResult) -> str:
    grade = standing.grade
    sentences = list(feedback.student_sentences(standing))
    for bug in grade.bugs if grade else ():
        sentences.append(feedback.of_bug(bug))
    if grade is not None and grade.healthy is not None:
        sentences.append(feedback.healthy(grade.healthy))
    return in_a_row(*sentences)


def _canvas_number(student: Student) -> str | None:
    """Canvas' own number of a student, where the roster has it."""
    found = (a.removeprefix(ALIAS) for a in student.aliases if a.startswith(ALIAS))
    return next(found, None)


def _submitted(standing: StudentResult) -> str | None:
    """When what counts was handed in, as nbgrader writes it: in UTC, without a zone."""
    time = standing.attempt.submitted if standing.attempt else None
    return time.astimezone(UTC).replace(tzinfo=None).isoformat(" ") if time else None


def _score(group: Group, standing: StudentResult) -> float | None:
    score = mark(group, standing)
    return 0.0 if score is None and not standing.came else score
