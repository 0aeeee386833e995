"""Everything in one table, a row for each student and exercise: the report `csv`.

The names of the columns and the words in `status`, `stage`, `how` and `uncertain` are the same in
every language; notes are sentences in the language in force. It begins with a byte order mark,
which spreadsheets need to read it as UTF-8.
"""

from collections.abc import Callable
from datetime import datetime

from course.grading.collect.collector import target
from course.grading.grade import Grade, Healthy
from course.grading.note import describe_note
from course.grading.report import csv_safe, doubts, feedback
from course.grading.report.class_results import Register, handed_in, place
from course.grading.report.csv_safe import CellValue, ReportColumn
from course.grading.report.doubts import Doubt
from course.grading.student_result import StudentResult


def text(register: Register) -> str:
    """Write the class results as CSV: a line for each assignment, a column for each bug."""
    rows = (standing for group in register.groups for standing in group.standings)
    return csv_safe.table(_columns(register), rows, bom=True)


def _columns(register: Register) -> list[ReportColumn[StudentResult]]:
    bugs = dict.fromkeys(bug for group in register.groups for bug in group.bugs)
    possible = {target(s.assignment): g.of(s) for g in register.groups for s in g.standings}
    uncertain = doubts.by_assignment(register)

    def why(s: StudentResult) -> list[Doubt]:
        return uncertain.get(target(s.assignment), [])

    return [
        ("id", lambda s: s.student.id),
        ("name", lambda s: s.student.name),
        ("lang", lambda s: s.student.lang),
        ("lesson", lambda s: s.assignment.lesson),
        ("framework", lambda s: s.assignment.framework),
        ("bugs", lambda s: " ".join(s.assignment.bugs)),
        ("score", lambda s: s.score),
        ("max_score", lambda s: possible[target(s.assignment)]),
        ("status", lambda s: s.grade.status if s.grade else None),
        ("stage", place),
        ("late", lambda s: s.late if s.attempt else None),
        ("submitted", lambda s: _time(s.attempt.submitted if s.attempt else None)),
        ("submissions", handed_in),
        ("seconds", lambda s: s.grade.seconds if s.grade else None),
        *((f"bug:{bug}", _bug(bug)) for bug in bugs),
        ("healthy", lambda s: own.reached if (own := _healthy(s)) else None),
        ("accuracy", lambda s: own.accuracy if (own := _healthy(s)) else None),
        ("baseline", lambda s: own.baseline if (own := _healthy(s)) else None),
        ("new_faults", lambda s: _new_faults(s.grade)),
        ("notes", _notes),
        ("own_score", lambda s: s.grade.score if s.grade and s.grade.judged else None),
        ("override", lambda s: s.override.score if s.override else None),
        ("override_reason", lambda s: s.override.reason if s.override else None),
        ("override_who", lambda s: s.override.who if s.override else None),
        ("override_at", lambda s: _time(s.override.at if s.override else None)),
        ("days_late", lambda s: s.penalty.days if s.penalty else None),
        ("penalty", lambda s: s.penalty.share if s.penalty else None),
        ("graded", lambda s: _time(s.attempt.graded if s.attempt else None)),
        ("group", lambda s: s.student.team or None),
        ("uncertain", lambda s: next((doubt.kind for doubt in why(s)), None)),
        ("why_uncertain", lambda s: " ".join(doubt.text for doubt in why(s)) or None),
        ("unsafe", lambda s: register.unsafe),
        ("reasons", lambda s: _reasons(s.grade)),
        ("comments", lambda s: " ".join(map(feedback.comment, s.comments)) or None),
    ]


def _time(time: datetime | None) -> str | None:
    return time.isoformat() if time else None


def _healthy(standing: StudentResult) -> Healthy | None:
    return standing.grade.healthy if standing.grade else None


def _bug(name: str) -> Callable[[StudentResult], CellValue]:
    """Make what fills the column of a bug: whether it is gone and how that is known, if drawn."""

    def cell(standing: StudentResult) -> CellValue:
        bugs = standing.grade.bugs if standing.grade else ()
        found = next((b for b in bugs if b.fault == name), None)
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
    grade = standing.grade
    return " ".join(describe_note(note) for note in grade.notes) if grade else None
