"""A class's gradebook: who was given what, what came in, and what it was found to be worth.

Each method that writes is one transaction. When it returns, what it wrote is on the disk; killed
at any instant before, nothing of it is.
"""

import contextlib
import json
import math
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from course.base.errors import UserError
from course.base.i18n import _, numbers
from course.grading.collect.asked import AskedQuestion
from course.grading.collect.submission import Submission
from course.grading.collect.unmatched import Unmatched
from course.grading.distribute.assignment import Assignment, Student
from course.grading.grade import Grade
from course.grading.gradebook import connection, rows, schema, student_results
from course.grading.gradebook.records import GradingSession, ResultKey
from course.grading.student_result import StudentResult

DIGESTS = ("submission", "exercise", "rubric", "runtime")
"""The columns, and the fields of a `ResultKey`, that say what a result of an assignment is of."""
OF_KEY = " AND ".join(f"{name} = :{name}" for name in DIGESTS)


class Gradebook:
    """An open gradebook. Every method raises `UserError` where the file cannot be used any more."""

    def __init__(self, path: Path, db: sqlite3.Connection) -> None:
        self.path = path
        self._db = db

    @classmethod
    def open(cls, path: Path, *, create: bool = False, readonly: bool = False) -> Self:
        """Open the gradebook of this name; make it with `create`; change nothing with `readonly`.

        Raises:
            UserError: there is none, it is no gradebook, damaged, in use, or from the future.

        """
        return cls(path, connection.connect(path, create=create, readonly=readonly))

    def close(self) -> None:
        """Close the file; afterwards the gradebook is of no use."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    # Who was given what.

    def add_class(self, students: Iterable[Student], assignments: Iterable[Assignment]) -> None:
        """Enter students and what they are given; the same again changes nothing.

        A student that is there already takes the new name, language and group.

        Raises:
            UserError: a student was given another exercise of that lesson before; nothing changes.

        """
        with self._writing() as db:
            for student in students:
                _put(
                    db,
                    "student",
                    {"id": student.id},
                    {
                        "name": rows.text(student.name),
                        "lang": student.lang,
                        "aliases": json.dumps(student.aliases),
                        "team": rows.text(student.team),
                    },
                )
            for assignment in assignments:
                _give(db, assignment)

    def students(self) -> tuple[Student, ...]:
        """Return the students, in the order in which they were entered."""
        with self._reading() as db:
            return rows.students(db)

    def assignments(self) -> tuple[Assignment, ...]:
        """Return the assignments, in the order of the students, then in that of giving."""
        with self._reading() as db:
            return tuple(rows.assignments(db).values())

    # What came in.

    def keep(self, submissions: Iterable[Submission]) -> None:
        """Keep what was handed in, each once, with its content.

        What is known already is only told anew whether it is late and where it lay.

        Raises:
            UserError: a student was not given that exercise; nothing is kept.

        """
        with self._writing() as db:
            for submission in submissions:
                _keep(db, submission)

    def keep_unread(self, found: Iterable[Unmatched], taken: Iterable[str]) -> None:
        """Keep what came back from a student and could not be taken for an exercise.

        Of the files in `taken`, by where they lay, that holds no longer: a later round read them.
        """
        with self._writing() as db:
            for source in taken:
                db.execute("DELETE FROM unread WHERE source = ?", (rows.text(source),))
            for each in found:
                figures = json.dumps(dict(each.figures))
                _put(
                    db,
                    "unread",
                    {"source": rows.text(each.source)},
                    {"student": each.student, "reason": each.reason, "figures": figures},
                )

    def keep_questions(self, questions: Iterable[AskedQuestion]) -> list[AskedQuestion]:
        """Keep what students ask, each text once; return those that are new."""
        new = []
        with self._writing() as db:
            for each in questions:
                entry = {"assignment": _assignment(db, *each.target), "text": rows.text(each.text)}
                before = db.total_changes
                _insert(db, "question", {**entry, "at": rows.now()}, "ON CONFLICT DO NOTHING")
                new += [each] if db.total_changes > before else []
        return new

    def contents(self, student: str, lesson: str, framework: str) -> tuple[Submission, ...]:
        """All that a student has handed in for an exercise, the earliest first.

        Raises:
            UserError: the student was not given it.

        """
        with self._reading() as db:
            number = _assignment(db, student, lesson, framework)
            found = db.execute(
                "SELECT submission.*, bytes FROM submission LEFT JOIN content ON content.digest = "
                "submission.content WHERE assignment = ? ORDER BY submitted, number",
                (number,),
            )
            return tuple(rows.submission(row, (student, lesson, framework)) for row in found)

    def counted_contents(self, cap: int) -> dict[str, bytes]:
        """Return the scripts that count, as handed in, by digest; `cap` bytes of each at most."""
        with self._reading() as db:
            found = db.execute(
                "SELECT DISTINCT content.digest, substr(bytes, 1, ?) FROM counted "
                "JOIN content ON content.digest = counted.submission",
                (cap,),
            )
            return dict(found)

    def count(self, key: ResultKey, submitted: datetime | None) -> None:
        """Have a submission count, one that is kept, with the result of this key.

        While there is no such result, the newest of that submission by any other key holds.

        Raises:
            UserError: the student was not given the exercise.

        """
        with self._writing() as db:
            number = _assignment(db, key.student, key.lesson, key.framework)
            counts = {**_digests(key), "submitted": rows.moment(submitted)}
            _put(db, "counted", {"assignment": number}, counts)

    # What it was found to be worth.

    def start_session(self, values: Mapping[str, Any]) -> int:
        """Enter a run of the grader, and what is to be known of it; gives its number."""
        with self._writing() as db:
            return _insert(db, "session", {"started": rows.now(), "values": json.dumps(values)})

    def end_session(self, session: int) -> None:
        """Enter that a run of the grader came to its end."""
        with self._writing() as db:
            db.execute(
                "UPDATE session SET ended = ? WHERE number = ? AND ended IS NULL",
                (rows.now(), session),
            )

    def sessions(self) -> tuple[GradingSession, ...]:
        """List the runs of the grader, the earliest first."""
        with self._reading() as db:
            return tuple(
                GradingSession(
                    row["number"],
                    rows.at(row["started"]),
                    rows.when(row["ended"] or ""),
                    rows.decoded(row["values"], dict),
                )
                for row in db.execute("SELECT * FROM session ORDER BY number")
            )

    def known(self, key: ResultKey) -> Grade | None:
        """Return the newest verdict of this key, if there is one; an internal failure is none."""
        with self._reading() as db:
            found = db.execute(
                "SELECT grade FROM result JOIN assignment ON assignment.number = assignment "
                "WHERE student = :student AND lesson = :lesson AND framework = :framework AND "
                f"{OF_KEY} AND status != 'internal-error' ORDER BY attempt DESC LIMIT 1",
                asdict(key),
            ).fetchone()
            return None if found is None else rows.grade(found[0])

    def record(
        self,
        key: ResultKey,
        grade: Grade,
        *,
        session: int,
        replaces_reason: str = "",
        who: str = "",
    ) -> bool:
        """Record a result, and say whether there was a need to.

        Where the key has a verdict already, that one stands. Only with a reason, and who gives it,
        does the new one take its place; the old one is kept.

        Raises:
            UserError: the student was not given the exercise, or `who` is missing.

        """
        if replaces_reason:
            _require_reason(replaces_reason, who)
        with self._writing() as db:
            number = _assignment(db, key.student, key.lesson, key.framework)
            entry = {"assignment": number, **_digests(key)}
            earlier = db.execute(
                f"SELECT status FROM result WHERE assignment = :assignment AND {OF_KEY}", entry
            ).fetchall()
            judged = any(status != "internal-error" for (status,) in earlier)
            if judged and not replaces_reason:
                return False
            found = {
                "attempt": len(earlier) + 1,
                "session": session,
                "graded": rows.now(),
                "status": grade.status,
                "score": grade.score,
                "max_score": grade.max_score,
                "grade": json.dumps(grade.to_dict()),
                "reason": rows.text(replaces_reason),
                "who": rows.text(who),
            }
            _insert(db, "result", {**entry, **found})
            return True

    def override(
        self, student: str, lesson: str, framework: str, score: float | None, reason: str, who: str
    ) -> None:
        """Put a teacher's own mark in the place of ours.

        Without a score it is taken back, so that ours counts again; it stays in the history.

        Raises:
            UserError: the student was not given the exercise, the score is no number from zero
                up, there is none to take back, or it is not said why or by whom.

        """
        if score is not None and not (math.isfinite(score) and score >= 0):
            sentence = _("{text} is not a score. Write a number from 0 up, such as {example}.")
            example = f"`{numbers.decimal(3.5, 1)}`"
            raise UserError(sentence.format(text=f"`{score}`", example=example))
        _require_reason(reason, who)
        with self._writing() as db:
            number = _assignment(db, student, lesson, framework)
            newest = db.execute(
                "SELECT score FROM override WHERE assignment = ? ORDER BY number DESC LIMIT 1",
                (number,),
            ).fetchone()
            if score is None and (newest is None or newest[0] is None):
                sentence = _("For {exercise}, no teacher has set a score for {student}.")
                raise UserError(_named(sentence, student, lesson, framework))
            why = {"reason": rows.text(reason), "who": rows.text(who), "at": rows.now()}
            _insert(db, "override", {"assignment": number, "score": score, **why})

    def comment(
        self, given: tuple[str, str, str], about: str, text: str | None, points: float, who: str
    ) -> None:
        """Add a comment: on one mark, or, without a student, on all that share a reason.

        Without a text those before it are taken back.
        """
        student, lesson, framework = given
        with self._writing() as db:
            if student:
                _assignment(db, *given)
            whose = {"student": student, "lesson": lesson, "framework": framework, "about": about}
            words = {"text": text and rows.text(text), "who": rows.text(who), "at": rows.now()}
            _insert(db, "comment", {**whose, **words, "points": points})

    def standings(self) -> tuple[StudentResult, ...]:
        """How each student stands with each exercise, in the order of `assignments`."""
        with self._reading() as db:
            return student_results.standings(db)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction, of which all is on the disk at its end, or nothing."""
        with connection.explain_errors(self.path), schema.transaction(self._db):
            yield self._db

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """Hold the tables as they are at one moment."""
        with connection.explain_errors(self.path):
            self._db.execute("BEGIN")
            try:
                yield self._db
            finally:
                schema.undo(self._db)


def _digests(key: ResultKey) -> dict[str, str]:
    """Return the digests that a result follows from, by its columns."""
    return {name: getattr(key, name) for name in DIGESTS}


def _insert(
    db: sqlite3.Connection, table: str, values: Mapping[str, Any], conflict: str = ""
) -> int:
    """Enter a row, given by its columns; gives its number."""
    columns = ", ".join(f'"{name}"' for name in values)
    marks = ", ".join("?" * len(values))
    statement = f"INSERT INTO {table} ({columns}) VALUES ({marks}) {conflict}"
    return db.execute(statement, tuple(values.values())).lastrowid or 0


def _put(
    db: sqlite3.Connection, table: str, key: Mapping[str, Any], values: Mapping[str, Any]
) -> None:
    """Enter a row, or give the one of this key the new values."""
    known = ", ".join(key)
    news = ", ".join(f"{name} = excluded.{name}" for name in values)
    _insert(db, table, {**key, **values}, f"ON CONFLICT ({known}) DO UPDATE SET {news}")


def _give(db: sqlite3.Connection, assignment: Assignment) -> None:
    given = (assignment.student, assignment.lesson, assignment.framework)
    bugs = json.dumps(assignment.bugs)
    earlier = db.execute(
        "SELECT bugs, digest FROM assignment WHERE student = ? AND lesson = ? AND framework = ?",
        given,
    ).fetchone()
    if earlier is None:
        entry = {**asdict(assignment), "bugs": bugs, "seed": str(assignment.seed)}
        _insert(db, "assignment", {**entry, "given": rows.now()})
    elif tuple(earlier) != (bugs, assignment.digest):
        sentence = _(
            "{student} already has another exercise of {exercise}. Use the same form, seed, bugs "
            "and languages as for that one, or use a new gradebook."
        )
        raise UserError(_named(sentence, *given))


def _keep(db: sqlite3.Connection, submission: Submission) -> None:
    number = _assignment(db, submission.student, submission.lesson, submission.framework)
    digest = submission.digest
    if submission.content is not None:
        content = {"digest": digest, "bytes": submission.content}
        _insert(db, "content", content, "ON CONFLICT (digest) DO NOTHING")
    submitted = rows.moment(submission.submitted)
    _put(
        db,
        "submission",
        {"assignment": number, "digest": digest, "submitted": submitted},
        {
            "content": None if submission.content is None else digest,
            "refused": submission.refused,
            "source": rows.text(submission.source),
            "late": submission.late,
        },
    )


def _assignment(db: sqlite3.Connection, student: str, lesson: str, framework: str) -> int:
    """Find the number of an assignment.

    Raises:
        UserError: it was not given.

    """
    with contextlib.suppress(UnicodeEncodeError):
        found = db.execute(
            "SELECT number FROM assignment WHERE student = ? AND lesson = ? AND framework = ?",
            (student, lesson, framework),
        ).fetchone()
        if found is not None:
            return int(found[0])
    sentence = _("{exercise} was not given to {student}.")
    raise UserError(_named(sentence, student, lesson, framework))


def _named(sentence: str, student: str, lesson: str, framework: str) -> str:
    exercise = f"`{lesson}-{framework}`"
    return sentence.format(student=f"`{student}`", exercise=exercise)


def _require_reason(reason: str, who: str) -> None:
    if not (reason.strip() and who.strip()):
        sentence = _("Give the reason and your name: add {reason} and {who}.")
        raise UserError(sentence.format(reason="`--reason TEXT`", who="`--who NAME`"))
