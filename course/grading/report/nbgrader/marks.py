"""Marks as nbgrader has them: a number for each cell that holds a point, the same cells for all."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from course.grading.grade import Grade
from course.grading.report import csv_safe, marks
from course.grading.report.class_results import Group, Register, came, counted
from course.grading.student_result import StudentResult

_HARMLESS = str.maketrans({",": " ", '"': "'"})


@dataclass(frozen=True)
class Mark:
    """What a student has in each cell; `scores` is None where there is no mark yet.

    `handed_in` tells whether anything was, and `time` when that was that counts, in UTC as far as
    it is known.
    """

    standing: StudentResult
    handed_in: bool
    time: datetime | None
    scores: tuple[float, ...] | None

    @property
    def score(self) -> float | None:
        """Sum the points of the cells; None for an assignment that has no score."""
        return None if self.scores is None else round(sum(self.scores), 6)


@dataclass(frozen=True)
class Sheet:
    """An exercise, to nbgrader an assignment of one notebook: the most in each cell, the marks."""

    name: str
    most: tuple[float, ...]
    marks: tuple[Mark, ...]


def sheets(register: Register) -> Iterator[Sheet]:
    """A sheet for each exercise, with a mark for each student.

    The cells are those of the notebook, one for each bug and one for the healthy outcome. Where
    not everybody could reach the same there is a single one, in per cent.
    """
    for group in register.groups:
        most = _most(group)
        found = (_mark(group, standing, most) for standing in group.standings)
        yield Sheet(group.standings[0].assignment.stem, most, tuple(found))


def names(name: str) -> tuple[str, str]:
    """A last name and a first one, of `Last, First`; of any other name all is the last one.

    `nbgrader export` quotes nothing, so neither may hold what would make a cell of its own.
    """
    last, _comma, first = (csv_safe.cell(part) for part in name.partition(","))
    return last.translate(_HARMLESS), first.translate(_HARMLESS)


def spread(scores: Sequence[float], most: Sequence[float], total: float) -> tuple[float, ...]:
    """The scores changed as little as need be for their sum to be `total`.

    What is too little is added from the first cell on, what is too much taken from the last; only
    a total beyond all points makes the last cell hold more than its most.
    """
    found = list(scores)
    left = total - sum(found)
    for number in range(len(found)):
        if left > 0:
            step = min(left, max(0.0, most[number] - found[number]))
            found[number] += step
            left -= step
    for number in reversed(range(len(found))):
        if left < 0:
            step = min(-left, found[number])
            found[number] -= step
            left += step
    found[-1] += left
    return tuple(round(score, 6) for score in found)


def _most(group: Group) -> tuple[float, ...]:
    """The points of each cell, as the newest grade has them; one each while there is none."""
    possible = marks.possible(group)
    many = {len(standing.assignment.bugs) for standing in group.standings}
    if group.possible is None or len(many) > 1:
        return (possible,)
    for standing in reversed(group.standings):
        grade = counted(standing)
        if grade is not None and grade.bugs and grade.healthy is not None:
            found = (*(bug.of for bug in grade.bugs), grade.healthy.of)
            if sum(found) == possible:
                return found
    return (1.0,) * (many.pop() + 1)


def _mark(group: Group, standing: StudentResult, most: tuple[float, ...]) -> Mark:
    attempt, total = standing.attempt, marks.mark(group, standing)
    time = attempt.submitted if attempt is not None else None
    if time is not None and time.tzinfo is not None:
        time = time.astimezone(UTC)
    scores = None
    if total is not None:
        scores = spread(_own(counted(standing), most), most, total)
    return Mark(standing, came(standing), time, scores)


def _own(grade: Grade | None, most: tuple[float, ...]) -> tuple[float, ...]:
    """What was found to be worth what, cell by cell; nothing where it was not examined."""
    if grade is not None and grade.healthy is not None and len(grade.bugs) + 1 == len(most):
        return (*(bug.points for bug in grade.bugs), grade.healthy.points)
    return (0.0,) * len(most)
