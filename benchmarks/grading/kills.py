"""SIGKILL at random moments of a grading, and then on with it: what is lost or there twice?"""

import random
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from course.grading.gradebook.gradebook import Gradebook
from grading import meter, with_course
from grading.submissions import Example
from grading.tool import Setting

PATIENCE = 5.0
"""Seconds that the processes of a killed grading have to be gone."""


@dataclass
class Count:
    """What was seen: `left` are processes that outlived a kill, `classes` those graded whole."""

    kills: int = 0
    classes: int = 0
    results: int = 0
    lost: int = 0
    doubled: int = 0
    wrong: int = 0
    left: int = 0


def count(
    examples: list[Example], setting: Setting, total: int, say: Callable[[str], None]
) -> Count:
    """Kill this many times, going on with the same gradebook until the class is graded."""
    made = with_course.make(examples, setting.folder)
    seen = Count()
    began = time.monotonic()
    with_course.run(_command(made, made.gradebook("whole.db"), setting), made.folder)
    longest = time.monotonic() - began
    chance = random.Random(total)
    right = {e.student: e.score for e in examples}
    meter.adopt()
    while seen.kills < total:
        book = made.gradebook("killed.db")
        before: Counter[Row] = Counter()
        while not _ends(_command(made, book, setting), made.folder, chance.uniform(0, longest)):
            seen.kills += 1
            before = _compare(seen, before, _rows(book))
            seen.left += _outlived()
            if seen.kills % 10 == 0:
                say(f"{seen.kills} kills, {sum(before.values())} results in the gradebook")
            if seen.kills >= total:
                with_course.run(_command(made, book, setting), made.folder)
                break
        after = _compare(seen, before, _rows(book))
        seen.classes += 1
        seen.results += sum(after.values())
        found = Counter(student for student, _digest, _graded, _score in after)
        seen.lost += sum(student not in found for student in right)
        seen.wrong += sum(right.get(s) != score for s, _digest, _graded, score in after)
    return seen


def report(seen: Count) -> None:
    """Print the counts."""
    print("\n| kills | classes | results | lost | doubled | wrong marks | processes left |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    row = (seen.kills, seen.classes, seen.results, seen.lost, seen.doubled, seen.wrong, seen.left)
    print(f"| {' | '.join(map(str, row))} |")


Row = tuple[str, str, str, float]
"""A result: student, digest of the submission, when it was graded, score."""


def _command(made: with_course.Class, book: Path, setting: Setting) -> list[str]:
    return made.command(book, *with_course.jobs(setting))


def _ends(command: list[str], folder: Path, seconds: float) -> bool:
    """Whether the grading comes to its end within this time; it is killed if not."""
    with open(folder / "killed.log", "wb") as log:
        running = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log
        )
    try:
        return running.wait(seconds) in (0, 1)
    except subprocess.TimeoutExpired:
        running.kill()
        running.wait()
        return False


def _rows(book: Path) -> Counter[Row]:
    """All results in the gradebook."""
    rows: Counter[Row] = Counter()
    with Gradebook.open(book, readonly=True) as opened:
        for standing in opened.standings():
            attempts = {id(a): a for a in (standing.attempt, *standing.history) if a is not None}
            for attempt in attempts.values():
                if attempt.grade is not None:
                    score = attempt.grade.score
                    rows[standing.student.id, attempt.digest, str(attempt.graded), score] += 1
    return rows


def _compare(seen: Count, before: Counter[Row], after: Counter[Row]) -> Counter[Row]:
    """Count what is not there any more, or more than once."""
    seen.lost += sum((before - after).values())
    each = Counter((student, digest) for student, digest, _graded, _score in after.elements())
    seen.doubled += sum(many - 1 for many in each.values())
    return after


def _outlived() -> int:
    """How many processes are still there some seconds after a kill; they are ended."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and meter.descendants():
        meter.bury()
        time.sleep(0.1)
    return meter.end_all()
