"""Marks as nbgrader has them, and the table that it writes: made without nbgrader."""

import csv
import io
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as some

from course.grading.grade import Grade, Healthy
from course.grading.report.class_results import Register
from course.grading.report.nbgrader import marks, table
from course.grading.student_result import StudentResult
from tests.grading import report_class as made

NBGRADER = (
    "assignment,duedate,timestamp,student_id,last_name,first_name,email,raw_score,"
    "late_submission_penalty,score,max_score"
)
POINTS = some.floats(0, 10).map(lambda x: round(x, 2))


def only(standings: tuple[StudentResult, ...]) -> marks.Sheet:
    (sheet,) = marks.sheets(Register(standings))
    return sheet


def rows(register: Register) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(table.text(register), newline="")))


def test_each_point_is_in_the_cell_of_its_bug_and_the_last_is_the_outcomes() -> None:
    who = [made.student(n) for n in range(3)]
    sheet = only(
        (
            made.standing(who[0], made.grade(who[0], made.BUGS, accuracy=0.9)),
            made.standing(who[1], made.grade(who[1], made.BUGS[1:3])),
            made.standing(who[2], came=False),
        )
    )
    assert (sheet.name, sheet.most) == ("ch8-4-pt", (1.0,) * 5)
    assert [each.scores for each in sheet.marks] == [
        (1.0, 1.0, 1.0, 1.0, 1.0),
        (0.0, 1.0, 1.0, 0.0, 0.0),
        None,
    ]
    assert [each.handed_in for each in sheet.marks] == [True, True, False]


def weighed(grade: Grade, most: tuple[float, ...]) -> Grade:
    bugs = tuple(
        replace(bug, of=of, points=of if bug.gone else 0.0)
        for bug, of in zip(grade.bugs, most, strict=False)
    )
    assert grade.healthy is not None
    return replace(grade, bugs=bugs, healthy=replace(grade.healthy, of=most[-1]))


def test_a_rubric_of_the_teachers_own_weighs_the_cells() -> None:
    who, most = made.student(0), (2.0, 0.5, 1.0, 1.0, 3.0)
    sheet = only((made.standing(who, weighed(made.grade(who, made.BUGS[:2]), most)),))
    assert sheet.most == most
    assert sheet.marks[0].scores == (2.0, 0.5, 0.0, 0.0, 0.0)


def test_the_teachers_own_mark_is_spread_over_the_cells() -> None:
    own = made.twelve()[10]
    (mark,) = only((own,)).marks
    assert own.override is not None
    assert mark.score == own.override.score == 4.5
    assert mark.scores == (1.0, 1.0, 1.0, 1.0, 0.5)


def test_where_not_all_could_reach_the_same_there_is_one_cell_in_per_cent() -> None:
    who = [made.student(n) for n in range(2)]
    few = replace(made.standing(who[1]), assignment=made.assignment(who[1], made.BUGS[:1]))
    grade = made.grade(who[1], made.BUGS[:1], made.BUGS[:1])
    few = replace(few, attempt=made.attempt(grade))
    sheet = only((made.standing(who[0], made.grade(who[0], made.BUGS)), few))
    assert sheet.most == (100.0,)
    assert [mark.scores for mark in sheet.marks] == [(80.0,), (50.0,)]


def test_what_could_not_be_examined_has_nothing_in_any_cell() -> None:
    who = made.student(0)
    refused = replace(made.grade(who), bugs=(), healthy=None, status="refused")
    healthy = made.grade(made.student(1), made.BUGS, accuracy=0.9)
    sheet = only((made.standing(who, refused), made.standing(made.student(1), healthy)))
    assert [mark.score for mark in sheet.marks] == [None, 5.0]


@given(cells=some.lists(some.tuples(POINTS, POINTS), min_size=1, max_size=6), total=POINTS)
def test_a_total_is_spread_whole_and_no_cell_but_the_last_has_too_much(
    cells: list[tuple[float, float]], total: float
) -> None:
    most = [max(pair) for pair in cells]
    found = marks.spread([min(pair) for pair in cells], most, total)
    assert sum(found) == pytest.approx(total, abs=1e-4)
    assert all(score >= -1e-6 for score in found)
    assert all(score <= cap + 1e-6 for score, cap in zip(found[:-1], most, strict=False))
    if total <= sum(most):
        assert found[-1] <= most[-1] + 1e-4


def test_a_total_that_is_right_already_changes_nothing() -> None:
    assert marks.spread((1.0, 0.0, 0.5), (1.0, 1.0, 1.0), 1.5) == (1.0, 0.0, 0.5)
    assert marks.spread((1.0, 0.0, 0.5), (1.0, 1.0, 1.0), 1.0) == (1.0, 0.0, 0.0)
    assert marks.spread((1.0, 0.0, 0.5), (1.0, 1.0, 1.0), 2.0) == (1.0, 0.5, 0.5)
    assert marks.spread((1.0, 0.0, 0.5), (1.0, 1.0, 1.0), 7.0) == (1.0, 1.0, 5.0)


def test_the_table_has_nbgraders_columns_and_a_row_for_everybody() -> None:
    text = table.text(made.register())
    assert text.split("\r\n")[0] == NBGRADER
    found = rows(made.register())
    assert [row["student_id"] for row in found] == [f"s{n:02d}" for n in range(12)]
    wanted = {s.student.id: s.score for s in made.twelve()}
    for row in found:
        score = wanted[row["student_id"]]
        if row["timestamp"]:
            assert row["score"] == row["raw_score"] == ("" if score is None else f"{score:g}")
        assert (row["assignment"], row["max_score"]) == ("ch8-4-pt", "5")
    missing = found[5]
    assert (missing["timestamp"], missing["raw_score"], missing["score"]) == ("", "0", "0")


def test_times_are_in_utc_without_a_zone_as_nbgrader_has_them() -> None:
    who = made.student(0)
    east = timezone(timedelta(hours=8))
    came = replace(made.attempt(made.grade(who)), submitted=datetime(2026, 3, 1, 6, tzinfo=east))
    (row,) = rows(Register((replace(made.standing(who), attempt=came),)))
    assert row["timestamp"] == "2026-02-28 22:00:00"
    assert datetime.fromisoformat(row["timestamp"]).replace(tzinfo=UTC) == came.submitted


def test_no_cell_is_taken_for_a_formula() -> None:
    for row in csv.reader(io.StringIO(table.text(made.register()), newline="")):
        assert not any(re.match("[=+@-]", cell) for cell in row)


@pytest.mark.parametrize(
    ("name", "last", "first"),
    [
        ("Иванов, Пётр", "Иванов", "Пётр"),
        ("王小明", "王小明", ""),
        ("O'Neil", "O'Neil", ""),
        ('A "B", C, D', "A 'B'", "C  D"),
        ("=1+1, +2", "'=1+1", "'+2"),
        ("a\nb", "a b", ""),
        ("", "", ""),
    ],
)
def test_a_name_has_a_last_and_a_first_part_and_neither_breaks_nbgraders_own_table(
    name: str, last: str, first: str
) -> None:
    assert marks.names(name) == (last, first)


def test_that_marks_are_unsafe_is_told_in_a_column_of_its_own() -> None:
    assert "unsafe" not in rows(made.register())[0]
    (row, *_rest) = rows(replace(made.register(), unsafe=True))
    assert row["unsafe"] == "graded with --unsafe"


def test_a_grade_without_points_leaves_the_sheet_as_the_exercise_has_it() -> None:
    who = made.student(0)
    nothing = replace(made.grade(who), healthy=Healthy(False, 0.0, 0.0), bugs=())
    sheet = only((made.standing(who, nothing),))
    assert sheet.most == (1.0,) * 5
