"""What Gradescope shows of one submission, its `results.json`: the report `gradescope`.

A student is told everything in the student's language; the notes for the teacher stand in a test
that only teachers see. Whoever has no mark yet gets no file: Gradescope would make a zero of it.
"""

import json
from collections.abc import Mapping
from typing import Any

from course.base.i18n import _
from course.grading.report import feedback
from course.grading.report.class_results import Register, in_own_language
from course.grading.student_result import StudentResult

FILE = "results.json"


def documents(register: Register) -> dict[tuple[str, str], str]:
    """For each student and exercise that has a mark the text of its file, by (exercise, id)."""
    teacher = {
        (group.name, standing.student.id): "\n".join(feedback.asides(standing.grade))
        for group in register.groups
        for standing in group.standings
    }
    found = {}
    for group, standing in in_own_language(register):
        key = (group.name, standing.student.id)
        if standing.score is not None:
            result = results(standing, teacher[key], unsafe=register.unsafe)
            found[key] = json.dumps(result, ensure_ascii=False, indent=2) + "\n"
    return found


def results(standing: StudentResult, teacher: str, *, unsafe: bool) -> dict[str, Any]:
    """Make the document, in the language in force; only teachers are to read `teacher`."""
    grade = standing.grade
    output = list(feedback.student_sentences(standing))
    if unsafe:
        output.append(feedback.unsafe())
    tests = _tests(standing)
    if teacher:
        tests.append(
            {
                "name": _("For the teacher"),
                "output": teacher,
                "output_format": "text",
                "visibility": "hidden",
            }
        )
    return {
        "score": standing.score,
        "execution_time": round(grade.seconds, 3) if grade else 0,
        "output": "\n".join(output),
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "extra_data": {
            "lesson": standing.assignment.lesson,
            "framework": standing.assignment.framework,
            "status": grade.status if grade else None,
            "late": standing.late,
            "override": standing.override is not None,
            "unsafe": unsafe,
        },
        "tests": tests,
    }


def _tests(standing: StudentResult) -> list[Mapping[str, Any]]:
    grade = standing.grade
    if grade is None or grade.status == "internal-error":
        return []
    tests = [
        _test(
            f"1.{n}", feedback.title(bug.fault), (bug.points, bug.of), bug.gone, feedback.bug(bug)
        )
        for n, bug in enumerate(grade.bugs, start=1)
    ]
    if grade.healthy is not None:
        own = grade.healthy
        name, text = _("The model learns"), feedback.healthy(own)
        tests.append(_test("2", name, (own.points, own.of), own.reached, text))
    return tests


def _test(
    number: str, name: str, score: tuple[float, float], passed: bool, output: str
) -> Mapping[str, Any]:
    return {
        "name": name,
        "name_format": "text",
        "number": number,
        "score": score[0],
        "max_score": score[1],
        "status": "passed" if passed else "failed",
        "output": output,
        "output_format": "text",
        "visibility": "visible",
    }
