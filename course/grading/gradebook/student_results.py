"""How every student stands, put together from the tables."""

import sqlite3
from collections import defaultdict
from dataclasses import dataclass

from course.grading.collect.unmatched import Unmatched
from course.grading.distribute.assignment import by_team
from course.grading.gradebook import rows, terms
from course.grading.gradebook.terms import ClassTerms
from course.grading.student_result import GradedSubmission, Override, StudentResult

INTERNAL = "internal-error"
"""The status of a failure of ours, which is no verdict."""


def standings(db: sqlite3.Connection) -> tuple[StudentResult, ...]:
    """A standing for each assignment, in the order of the roster, then as they were given out."""
    attempts, overrides, unread, agreed = _attempts(db), _overrides(db), _unread(db), _terms(db)
    teams = by_team(
        map(rows.student, db.execute(f"SELECT {rows.STUDENT} FROM student ORDER BY number"))
    )
    found = []
    for number, *row in db.execute(
        f"SELECT assignment.number, {rows.STUDENT}, {rows.ASSIGNMENT} FROM assignment "
        "JOIN student ON student.id = assignment.student ORDER BY student.number, assignment.number"
    ):
        own = attempts[number]
        student = rows.student(tuple(row[:5]))
        counts = next((a for a in own if not a.kept), None)
        found.append(
            StudentResult(
                student,
                rows.assignment(tuple(row[5:])),
                counts,
                tuple(a for a in own if a.kept),
                overrides.get(number),
                () if own else tuple(unread[student.id]),
                agreed.penalty(student.id, counts),
                teams.get(student.team, ()),
            )
        )
    return tuple(found)


@dataclass(frozen=True)
class _Recorded:
    """A result, still as text; `by` are the digests of exercise, rubric and runtime."""

    by: tuple[str, str, str]
    graded: str
    status: str
    grade: str


def _attempts(db: sqlite3.Connection) -> dict[int, list[GradedSubmission]]:
    """What came in for each assignment and how it was graded each time, the earliest first.

    All but one are only kept.
    """
    results = _results(db)
    counted = {
        number: (submission, submitted, (exercise, rubric, runtime))
        for number, submission, submitted, exercise, rubric, runtime in db.execute(
            "SELECT assignment, submission, submitted, exercise, rubric, runtime FROM counted"
        )
    }
    found: dict[int, list[GradedSubmission]] = defaultdict(list)
    for number, digest, source, submitted, late in db.execute(
        "SELECT assignment, digest, source, submitted, late FROM submission "
        "ORDER BY submitted, number"
    ):
        counts = number in counted and counted[number][:2] == (digest, submitted)
        known = results[number, digest]
        newest = _newest(known, counted[number][2] if counts else None)
        shown = [r for r in known if r.status != INTERNAL and r is not newest]
        for result in (*shown, newest):
            found[number].append(
                GradedSubmission(
                    source,
                    digest,
                    rows.when(submitted),
                    bool(late),
                    rows.when(result.graded) if result else None,
                    rows.grade(result.grade) if result else None,
                    kept=not (counts and result is newest),
                )
            )
    return found


def _results(db: sqlite3.Connection) -> dict[tuple[int, str], list[_Recorded]]:
    """The results of each submission for each assignment, the earliest first."""
    found: dict[tuple[int, str], list[_Recorded]] = defaultdict(list)
    for number, submission, exercise, rubric, runtime, graded, status, grade in db.execute(
        "SELECT assignment, submission, exercise, rubric, runtime, graded, status, grade "
        "FROM result ORDER BY number"
    ):
        recorded = _Recorded((exercise, rubric, runtime), graded, status, grade)
        found[number, submission].append(recorded)
    return found


def _newest(results: list[_Recorded], by: tuple[str, str, str] | None) -> _Recorded | None:
    """The result that holds, if there is any.

    It is the newest by the rubric that counts; while there is none, the newest by any. A failure
    of ours never takes the place of a verdict.
    """
    fitting = [r for r in results if r.by == by] or results
    verdicts = [r for r in fitting if r.status != INTERNAL] or fitting
    return verdicts[-1] if verdicts else None


def _unread(db: sqlite3.Connection) -> dict[str, list[Unmatched]]:
    """What came back from each student and could not be taken for an exercise."""
    found: dict[str, list[Unmatched]] = defaultdict(list)
    for row in db.execute("SELECT student, source, reason, figures FROM unread ORDER BY number"):
        found[row[0]].append(rows.unread(row))
    return found


def _terms(db: sqlite3.Connection) -> ClassTerms:
    """What holds of deadlines now."""
    told = db.execute('SELECT "values" FROM session ORDER BY number')
    return terms.last(rows.decoded(values, dict) for (values,) in told)


def _overrides(db: sqlite3.Connection) -> dict[int, Override]:
    """The teacher's mark for each assignment that has one now."""
    newest = {
        number: (score, reason, who, at)
        for number, score, reason, who, at in db.execute(
            "SELECT assignment, score, reason, who, at FROM override ORDER BY number"
        )
    }
    return {
        number: Override(score, reason, who, rows.at(at))
        for number, (score, reason, who, at) in newest.items()
        if score is not None
    }
