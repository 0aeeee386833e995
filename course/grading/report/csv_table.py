"""Everything in one table, a row for each student and exercise: the report `csv`.

The names of the columns and the words in `status`, `stage`, `how` and `uncertain` are the same in
every language; notes are sentences in the language in force. It begins with a byte order mark,
which spreadsheets need to read it as UTF-8.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from course.grading.collect.collector import target
from course.grading.grade import Grade, Healthy
from course.grading.note import describe_note
from course.grading.report import csv_safe, doubts, feedback
from course.grading.report.class_results import Register, counted, handed_in, late, place
from course.grading.report.csv_safe import CellValue, ReportColumn
from course.grading.report.doubts import Doubt
from course.grading.student_result import GradedSubmission, Override, StudentResult


@dataclass(frozen=True)
class ReportRow:
    """A student's exercise, the points that could be reached, and why the mark is uncertain."""

    standing: StudentResult
    possible: float
    doubts: list[Doubt]
    unsafe: bool

    @property
    def attempt(self) -> GradedSubmission | None:
        """The submission that counts."""
        return self.standing.attempt

    @property
    def grade(self) -> Grade | None:
        """The grade of it."""
        return counted(self.standing)

    @property
    def healthy(self) -> Healthy | None:
        """The outcome of its training."""
        return self.grade.healthy if self.grade else None

    @property
    def override(self) -> Override | None:
        """The teacher's own mark."""
        return self.standing.override


BEFORE_BUGS: tuple[ReportColumn[ReportRow], ...] = (
    ("id", lambda row: row.standing.student.id),
    ("name", lambda row: row.standing.student.name),
    ("lang", lambda row: row.standing.student.lang),
    ("lesson", lambda row: row.standing.assignment.lesson),
    ("framework", lambda row: row.standing.assignment.framework),
    ("bugs", lambda row: " ".join(row.standing.assignment.bugs)),
    ("score", lambda row: row.standing.score),
    ("max_score", lambda row: row.possible),
    ("status", lambda row: row.grade.status if row.grade else None),
    ("stage", lambda row: place(row.standing)),
    ("late", lambda row: late(row.standing) if row.attempt else None),
    ("submitted", lambda row: _time(row.attempt.submitted if row.attempt else None)),
    ("submissions", lambda row: handed_in(row.standing)),
    ("seconds", lambda row: row.grade.seconds if row.grade else None),
)
AFTER_BUGS: tuple[ReportColumn[ReportRow], ...] = (
    ("healthy", lambda row: row.healthy.reached if row.healthy else None),
    ("accuracy", lambda row: row.healthy.accuracy if row.healthy else None),
    ("baseline", lambda row: row.healthy.baseline if row.healthy else None),
    ("new_faults", lambda row: _new_faults(row.grade)),
    ("notes", lambda row: _notes(row.standing)),
    ("own_score", lambda row: row.grade.score if row.grade and row.grade.judged else None),
    ("override", lambda row: row.override.score if row.override else None),
    ("override_reason", lambda row: row.override.reason if row.override else None),
    ("override_who", lambda row: row.override.who if row.override else None),
    ("override_at", lambda row: _time(row.override.at if row.override else None)),
    ("days_late", lambda row: row.standing.penalty.days if row.standing.penalty else None),
    ("penalty", lambda row: row.standing.penalty.share if row.standing.penalty else None),
    ("graded", lambda row: _time(row.attempt.graded if row.attempt else None)),
    ("group", lambda row: row.standing.student.team or None),
    ("uncertain", lambda row: row.doubts[0].kind if row.doubts else None),
    ("why_uncertain", lambda row: " ".join(doubt.text for doubt in row.doubts) or None),
    ("unsafe", lambda row: row.unsafe or bool(row.grade and row.grade.unsafe)),
    ("reasons", lambda row: _reasons(row.grade)),
    ("comments", lambda row: " ".join(map(feedback.comment, row.standing.comments)) or None),
)


def text(register: Register) -> str:
    """Write the class results as CSV: a line for each assignment, a column for each bug."""
    bugs = dict.fromkeys(bug for group in register.groups for bug in group.bugs)
    columns = (*BEFORE_BUGS, *((f"bug:{bug}", _bug(bug)) for bug in bugs), *AFTER_BUGS)
    found = doubts.by_assignment(register)
    rows = (
        ReportRow(
            standing,
            group.of(standing),
            found.get(target(standing.assignment), []),
            register.unsafe,
        )
        for group in register.groups
        for standing in group.standings
    )
    return csv_safe.table(columns, rows, bom=True)


def _time(time: datetime | None) -> str | None:
    return time.isoformat() if time else None


def _bug(name: str) -> Callable[[ReportRow], CellValue]:
    """Make what fills the column of a bug: whether it is gone and how that is known, if drawn."""

    def cell(row: ReportRow) -> CellValue:
        found = next((b for b in row.grade.bugs if b.fault == name), None) if row.grade else None
        return f"{'gone' if found.gone else 'there'}: {found.how}" if found else None

    return cell


def _reasons(grade: Grade | None) -> str | None:
    """Why points are missing, bug by bug and for the outcome; nothing where none is."""
    if grade is None:
        return None
    told = [feedback.about(b.fault, feedback.bug(b)) for b in grade.bugs if not b.gone]
    if grade.healthy is not None and not grade.healthy.reached:
        told.append(feedback.about("healthy", feedback.healthy(grade.healthy)))
    return " ".join(told) or None


def _new_faults(grade: Grade | None) -> str | None:
    return " ".join(feedback.new_fault(f) for f in grade.new_faults) if grade else None


def _notes(standing: StudentResult) -> str | None:
    if standing.unread:
        return feedback.ungraded(standing)
    grade = counted(standing)
    return " ".join(describe_note(note) for note in grade.notes) if grade else None
