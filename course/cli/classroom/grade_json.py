"""A grade as the JSON documents of `course class` have it."""

from dataclasses import asdict
from typing import Any

from course.cli.terminal.consoles import fields_of
from course.grading import note
from course.grading.grade import BugGrade, Grade
from course.grading.report import feedback


def describe(grade: Grade) -> dict[str, Any]:
    """Describe a grade without its student; sentences are in the language in force."""
    healthy = grade.healthy
    return {
        "lesson": grade.lesson,
        "framework": grade.framework,
        "score": grade.score if grade.judged else None,
        "max_score": grade.max_score,
        "status": grade.status,
        "bugs": [_bug(each) for each in grade.bugs],
        "healthy": {
            **fields_of(healthy, "reached", "accuracy", "baseline", "epochs"),
            "text": feedback.healthy(healthy),
        }
        if healthy
        else None,
        "new_faults": [asdict(found) for found in grade.new_faults],
        "notes": [
            {"note": n.id, "for": note.reader(n), "text": note.describe_note(n)}
            for n in grade.notes
        ],
        "failure": grade.failure or None,
        "seconds": grade.seconds,
        "training_seconds": grade.training_seconds,
        "versions": dict(grade.versions),
        "unsafe": grade.unsafe,
    }


def _bug(found: BugGrade) -> dict[str, Any]:
    """Describe whether a bug is gone, with the reason that a student can check."""
    names = ("asked", "answered", "expected", "exception", "message", "line", "cell", "what")
    reason = {name: found.reason.get(name) for name in names}
    told = {**reason, "text": feedback.bug(found)}
    return {**fields_of(found, "fault", "gone", "how"), "reason": told}
