"""nbgrader: `nbgrader autograde` for the whole class, its own time limit for each cell.

It grades one submission after the other, so the class is dealt out to as many courses as there are
jobs, each with a gradebook of its own.
"""

import json
import sqlite3
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from grading import checks, notebook
from grading.submissions import Example
from grading.tool import Done, Scores, Setting, Work, split

ASSIGNMENT = "lesson"
SETTINGS = """c = get_config()
c.CourseDirectory.course_id = "course"
c.Execute.timeout = {limit}
c.Execute.iopub_timeout = {limit}
"""
SCORES = """
SELECT student.id, SUM(COALESCE(grade.manual_score, grade.auto_score, 0))
FROM grade
JOIN submitted_notebook ON grade.notebook_id = submitted_notebook.id
JOIN submitted_assignment ON submitted_notebook.assignment_id = submitted_assignment.id
JOIN student ON submitted_assignment.student_id = student.id
GROUP BY student.id
"""


def prepare(examples: list[Example], setting: Setting, python: str) -> Work:
    """Make courses with the assignment and what was handed in; what grades them."""
    environment = setting.hooked(python)
    courses = []
    for number, part in enumerate(split(examples, setting.jobs)):
        course = setting.folder / f"course-{number}"
        _make(course, part, setting.limit)
        _nbgrader(python, "generate_assignment", course, environment)
        courses.append(course)

    def one(course: Path) -> Scores:
        _nbgrader(python, "autograde", course, environment)
        book = sqlite3.connect(course / "gradebook.db")
        try:
            return dict(book.execute(SCORES).fetchall())
        finally:
            book.close()

    def grade() -> Done:
        with ThreadPoolExecutor(setting.jobs) as pool:
            return Done({k: v for scores in pool.map(one, courses) for k, v in scores.items()})

    return grade


def _make(course: Path, examples: list[Example], limit: float) -> None:
    """Source, submissions and settings of a course."""
    source = course / "source" / ASSIGNMENT
    source.mkdir(parents=True)
    (course / "nbgrader_config.py").write_text(SETTINGS.format(limit=int(limit)))
    (source / "lesson.ipynb").write_text(json.dumps(_notebook("")))
    for example in examples:
        folder = course / "submitted" / example.student / ASSIGNMENT
        folder.mkdir(parents=True)
        (folder / "lesson.ipynb").write_text(json.dumps(_notebook(example.text)))


def _notebook(script: str) -> dict[str, Any]:
    """Make a notebook of the student's cells and a locked cell, worth a point, per question."""
    locked = {"grade": True, "locked": True, "solution": False, "task": False, "points": 1}
    questions = [
        notebook.code(
            f"{checks.QUESTIONS}\n{name}(globals())",
            {"nbgrader": {**locked, "schema_version": 3, "grade_id": name, "cell_type": "code"}},
            name.replace("_", "-"),
        )
        for name in checks.NAMES
    ]
    return notebook.whole([*notebook.cells(script), *questions])


def _nbgrader(python: str, command: str, course: Path, environment: dict[str, str]) -> None:
    log = course / f"{command}.log"
    with log.open("wb") as stream:
        done = subprocess.run(
            [python, "-m", "nbgrader", command, ASSIGNMENT],
            cwd=course, env=environment, stdin=subprocess.DEVNULL,
            stdout=stream, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
    # It says so, too, where it came back without a grade for one of the submissions.
    if done.returncode and command != "autograde":
        raise SystemExit(log.read_text(errors="replace"))
