"""Everything in one table, a row for each student and exercise: the report `csv`.

The names of the columns and the words in `status`, `stage`, `how` and `uncertain` are the same in
every language; notes are sentences in the language in force. It begins with a byte order mark,
which spreadsheets need to read it as UTF-8.
"""

from collections.abc import Iterator

from course.grading.grade import Grade
from course.grading.note import describe_note
from course.grading.report import csv_safe, doubts, feedback
from course.grading.report.class_results import Register, counted, handed_in, late, place
from course.grading.report.csv_safe import CellValue
from course.grading.report.doubts import Doubt
from course.grading.student_result import StudentResult

FIRST = ("id", "name", "lang", "lesson", "framework", "bugs", "score", "max_score", "status")
NEXT = ("stage", "late", "submitted", "submissions", "seconds")
LAST = (
    *("healthy", "accuracy", "baseline", "new_faults", "notes"),
    *("own_score", "override", "override_reason", "override_who", "override_at"),
    *("days_late", "penalty", "graded", "group", "uncertain", "why_uncertain", "unsafe"),
    "reasons",
)


def text(register: Register) -> str:
    """Write the class results as CSV: a line for each assignment, a column for each bug."""
    bugs = tuple(dict.fromkeys(bug for group in register.groups for bug in group.bugs))
    rows: list[tuple[CellValue, ...]] = [(*FIRST, *NEXT, *(f"bug:{bug}" for bug in bugs), *LAST)]
    found = doubts.by_assignment(register)
    for group in register.groups:
        for standing in group.standings:
            why = found.get((standing.student.id, group.lesson, group.framework), [])
            rows.append(
                (
                    *_first(standing, group.of(standing)),
                    *_next(standing),
                    *_bugs(standing, bugs),
                    *_last(standing, why, unsafe=register.unsafe),
                )
            )
    return csv_safe.text(rows, bom=True)


def _first(standing: StudentResult, possible: float) -> tuple[CellValue, ...]:
    student, given, grade = standing.student, standing.assignment, counted(standing)
    return (
        *(student.id, student.name, student.lang, given.lesson, given.framework),
        *(" ".join(given.bugs), standing.score, possible, grade.status if grade else None),
    )


def _next(standing: StudentResult) -> tuple[CellValue, ...]:
    attempt, grade = standing.attempt, counted(standing)
    submitted = attempt.submitted.isoformat() if attempt and attempt.submitted else None
    seconds = grade.seconds if grade else None
    came = None if attempt is None else late(standing)
    return (place(standing), came, submitted, handed_in(standing), seconds)


def _bugs(standing: StudentResult, bugs: tuple[str, ...]) -> Iterator[CellValue]:
    """Of each bug that the student drew whether it is gone and how that is known."""
    grade = counted(standing)
    found = {bug.fault: bug for bug in grade.bugs} if grade else {}
    for name in bugs:
        bug = found.get(name)
        yield f"{'gone' if bug.gone else 'there'}: {bug.how}" if bug else None


def _last(standing: StudentResult, why: list[Doubt], *, unsafe: bool) -> tuple[CellValue, ...]:
    grade, own, attempt = counted(standing), standing.override, standing.attempt
    outcome = grade.healthy if grade else None
    override: tuple[CellValue, ...] = (None,) * 4
    if own is not None:
        override = (own.score, own.reason, own.who, own.at.isoformat())
    ours = grade.score if grade and grade.judged else None
    graded = attempt.graded.isoformat() if attempt and attempt.graded else None
    off = standing.penalty
    return (
        outcome.reached if outcome else None,
        outcome.accuracy if outcome else None,
        outcome.baseline if outcome else None,
        *(_new_faults(grade), _notes(standing), ours, *override),
        *(off.days if off else None, off.share if off else None, graded),
        standing.student.team or None,
        *_uncertain(why),
        unsafe or bool(grade and grade.unsafe),
        _reasons(grade),
    )


def _reasons(grade: Grade | None) -> str | None:
    """Why points are missing, bug by bug and for the outcome; nothing where none is."""
    if grade is None:
        return None
    told = [feedback.about(b.fault, feedback.bug(b)) for b in grade.bugs if not b.gone]
    if grade.healthy is not None and not grade.healthy.reached:
        told.append(feedback.about("healthy", feedback.healthy(grade.healthy)))
    return " ".join(told) or None


def _uncertain(why: list[Doubt]) -> tuple[CellValue, ...]:
    """The gravest kind of doubt in a mark, and all sentences; nothing where the mark is certain."""
    return (why[0].kind, " ".join(doubt.text for doubt in why)) if why else (None, None)


def _new_faults(grade: Grade | None) -> str | None:
    return " ".join(feedback.new_fault(f) for f in grade.new_faults) if grade else None


def _notes(standing: StudentResult) -> str | None:
    if standing.unread:
        return feedback.ungraded(standing)
    grade = counted(standing)
    return " ".join(describe_note(note) for note in grade.notes) if grade else None
