"""A class as a teacher makes and grades it, with the command line."""

import csv
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tests.command import course


def make_class(
    place: Path, lesson: str, rows: Iterable[Sequence[str]], *words: str, delimiter: str = ","
) -> list[dict[str, Any]]:
    """Make a class of students (id, name, language) in a folder; each of them as it is told."""
    with (place / "roster.csv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, delimiter=delimiter).writerows([("id", "name", "lang"), *rows])
    done = course(
        "class", "make", lesson, "--students", str(place / "roster.csv"), *words,
        "--out", str(place / "out"), "--db", str(place / "gradebook.db"), "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    students: list[dict[str, Any]] = json.loads(done.stdout)["students"]
    return students


def grade_class(place: Path, *words: str, timeout: float = 12_000) -> dict[str, Any]:
    """Grade what lies in a class's submissions; the grade of each student."""
    done = course(
        "class", "grade", str(place / "submissions"), "--db", str(place / "gradebook.db"),
        *words, "--json", timeout=timeout,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return {each["student"]: each for each in json.loads(done.stdout)["submissions"]}
