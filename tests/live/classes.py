"""A class as a teacher makes and grades it, with the command line."""

import csv
import json
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
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


def interrupt(words: Sequence[str], book: str, least: float, stroke: int) -> tuple[int, int]:
    """Run a grading until there are so many results, then send it a signal.

    Returns how many there were, and the status that it left with.
    """
    command = [sys.executable, "-m", "course", *words]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    found = 0
    with subprocess.Popen(command, **quiet) as process:
        for found in results(book):
            if found >= least or process.poll() is not None:
                break
        process.send_signal(stroke)
        return found, process.wait()


def results(book: str) -> Iterator[int]:
    """How many results there are, asked again and again for an hour at most."""
    deadline = time.monotonic() + 3600
    while time.monotonic() < deadline:
        with sqlite3.connect(f"file:{book}?mode=ro", uri=True) as db:
            yield db.execute("SELECT count(*) FROM result").fetchone()[0]
        time.sleep(0.2)
