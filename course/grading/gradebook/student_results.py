"""How every student stands, put together from the tables."""

import sqlite3
from collections import defaultdict

from course.grading import deadline
from course.grading.collect.unmatched import Unmatched
from course.grading.distribute.assignment import Assignment, by_team
from course.grading.grade import OURS
from course.grading.gradebook import rows
from course.grading.student_result import Comment, GradedSubmission, Override, StudentResult


def standings(db: sqlite3.Connection) -> tuple[StudentResult, ...]:
    """Return the standing for each assignment, in the order of the roster, then of giving out."""
    attempts, overrides, unread = _attempts(db), _overrides(db), _unread(db)
    questions, comments = _questions(db), _comments(db)
    told = db.execute('SELECT "values" FROM session ORDER BY number')
    until, rule = deadline.last(rows.decoded(values, dict) for (values,) in told)
    students = {each.id: each for each in rows.students(db)}
    teams = by_team(students.values())
    found = []
    for number, given in rows.assignments(db).items():
        own, student = attempts[number], students[given.student]
        counts = next((a for a in own if not a.kept), None)
        came = counts.submitted if counts and counts.late else None
        found.append(
            StudentResult(
                student,
                given,
                counts,
                tuple(a for a in own if a.kept),
                overrides.get(number),
                () if own else tuple(unread[student.id]),
                rule.penalty(student.id, came, until),
                teams.get(student.team, ()),
                _told(given, counts, comments, questions[number]),
            )
        )
    return tuple(found)


def _told(
    given: Assignment,
    counts: GradedSubmission | None,
    comments: dict[tuple[str, str, str, str], list[Comment]],
    questions: list[Comment],
) -> tuple[Comment, ...]:
    """Return what is said of a mark, by the teacher and by its student, the earliest first."""
    grade = counts.grade if counts else None
    found = [*questions, *comments.get((given.student, given.lesson, given.framework, ""), ())]
    for reason in grade.reasons if grade else ():
        found += comments.get(("", given.lesson, given.framework, reason), ())
    return tuple(sorted(found, key=lambda each: each.at))


def _questions(db: sqlite3.Connection) -> dict[int, list[Comment]]:
    """Return what students ask about their marks, by the number of the assignment."""
    found: dict[int, list[Comment]] = defaultdict(list)
    for row in db.execute("SELECT * FROM question"):
        found[row["assignment"]].append(Comment(row["text"], "", rows.at(row["at"])))
    return found


def _comments(db: sqlite3.Connection) -> dict[tuple[str, str, str, str], list[Comment]]:
    """Return the comments that stand, by student, lesson, framework and reason."""
    found: dict[tuple[str, str, str, str], list[Comment]] = defaultdict(list)
    for row in db.execute("SELECT * FROM comment"):
        key = (row["student"], row["lesson"], row["framework"], row["about"])
        if row["text"] is None:
            found[key].clear()
        else:
            told = (row["text"], row["who"], rows.at(row["at"]), row["about"], row["points"])
            found[key].append(Comment(*told))
    return found


def _attempts(db: sqlite3.Connection) -> dict[int, list[GradedSubmission]]:
    """Return the submissions for each assignment and their grades each time, earliest first.

    All but one are only kept.
    """
    results: dict[tuple[int, str], list[sqlite3.Row]] = defaultdict(list)
    for row in db.execute("SELECT * FROM result ORDER BY number"):
        results[row["assignment"], row["submission"]].append(row)
    counted = {row["assignment"]: row for row in db.execute("SELECT * FROM counted")}
    found: dict[int, list[GradedSubmission]] = defaultdict(list)
    for row in db.execute("SELECT * FROM submission ORDER BY submitted, number"):
        best = counted.get(row["assignment"])
        if best and (best["submission"], best["submitted"]) != (row["digest"], row["submitted"]):
            best = None
        known = results[row["assignment"], row["digest"]]
        newest = _newest(known, best)
        shown = [r for r in known if r["status"] != OURS and r is not newest]
        for result in (*shown, newest):
            found[row["assignment"]].append(
                GradedSubmission(
                    row["digest"],
                    rows.when(row["submitted"]),
                    bool(row["late"]),
                    rows.when(result["graded"]) if result else None,
                    rows.grade(result["grade"]) if result else None,
                    kept=not (best and result is newest),
                )
            )
    return found


def _newest(results: list[sqlite3.Row], counted: sqlite3.Row | None) -> sqlite3.Row | None:
    """Return the result that holds, if there is any.

    It is the newest by the rubric that counts; while there is none, the newest by any. A failure
    of ours never takes the place of a verdict.
    """
    by = ("exercise", "rubric", "runtime")
    fitting = [r for r in results if counted and all(r[name] == counted[name] for name in by)]
    fitting = fitting or results
    verdicts = [r for r in fitting if r["status"] != OURS] or fitting
    return verdicts[-1] if verdicts else None


def _unread(db: sqlite3.Connection) -> dict[str, list[Unmatched]]:
    """Return the texts from each student that could not be taken for an exercise."""
    found: dict[str, list[Unmatched]] = defaultdict(list)
    for row in db.execute("SELECT * FROM unread ORDER BY number"):
        found[row["student"]].append(rows.unread(row))
    return found


def _overrides(db: sqlite3.Connection) -> dict[int, Override]:
    """Return the teacher's mark for each assignment that has one now."""
    newest = {
        row["assignment"]: row for row in db.execute("SELECT * FROM override ORDER BY number")
    }
    return {
        number: Override(row["score"], row["reason"], row["who"], rows.at(row["at"]))
        for number, row in newest.items()
        if row["score"] is not None
    }
