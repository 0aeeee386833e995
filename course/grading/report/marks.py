"""The columns that learning platforms read: one mark for each exercise and student."""

from course.grading.report.class_results import Group, Register
from course.grading.student_result import StudentResult

PER_CENT = 100.0


def possible(group: Group) -> float:
    """The points that the column is out of: 100 where not everybody could reach the same."""
    return group.possible or PER_CENT


def mark(group: Group, standing: StudentResult) -> float | None:
    """The mark in the column of an exercise; None where there is none yet.

    A platform has one maximum a column. Where students drew different numbers of bugs, the mark
    is what each reached of the points that were theirs to reach, in per cent.
    """
    if standing.score is None or group.possible is not None:
        return standing.score
    return PER_CENT * standing.score / group.of(standing)


def by_student(register: Register) -> dict[str, dict[str, StudentResult]]:
    """The standings of each student by the name of the exercise; students as in the roster."""
    found: dict[str, dict[str, StudentResult]] = {}
    for standing in register.standings:
        found.setdefault(standing.student.id, {})
    for group in register.groups:
        for standing in group.standings:
            found[standing.student.id][group.name] = standing
    return found
