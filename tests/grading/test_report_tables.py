"""The reports that are tables, read back as other programs read them."""

import csv
import io
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest

from course.base import i18n
from course.grading.report import class_results, csv_safe, csv_table, platform_tables
from course.grading.report.class_results import Register
from tests.grading import report_class as made

Rows = list[list[str]]
Writer = Callable[[Register], str]
WRITERS = (csv_table.text, platform_tables.canvas, platform_tables.moodle, platform_tables.nbgrader)


def read(text: str, bom: bool) -> Rows:
    assert text.startswith(csv_safe.BOM) == bom
    rows = list(csv.reader(io.StringIO(text.removeprefix(csv_safe.BOM), newline="")))
    assert {len(row) for row in rows} == {len(rows[0])}
    return rows


def dicts(text: str, bom: bool = True) -> list[dict[str, str]]:
    read(text, bom)
    return made.rows(text)


def nbgraders(register: Register) -> list[dict[str, str]]:
    return dicts(platform_tables.nbgrader(register), bom=False)


@pytest.mark.parametrize("begin", [*"=+-@＝＋－＠", "\t=", "\r@", "\n-", " =", "\u3000+", "\x00="])
def test_no_cell_begins_like_a_formula(begin: str) -> None:
    said = csv_safe.cell(f"{begin}cmd|' /C calc'!A0")
    assert said[0] == "'"
    assert not re.search("[\x00-\x1f]", said)


def test_a_number_of_ours_stays_a_number() -> None:
    assert [csv_safe.cell(v) for v in (-1, 4.50, 0.0, 12345678.126, -0.001, True, None)] == [
        *("-1", "4.5", "0", "12345678.13", "0", "yes", "")
    ]


@pytest.mark.parametrize("name", [made.EVIL, 'a "b", c', "a\nb", "a;b,c\td", "\ud800 lone", ""])
def test_a_cell_comes_back_whole_whatever_is_in_it(name: str) -> None:
    text = csv_safe.text([("x", name, 1)], bom=False)
    text.encode()
    ((x, said, one),) = csv.reader(io.StringIO(text, newline=""))
    assert (x, one) == ("x", "1")
    assert said.split() == re.sub(r"[\x00-\x1f\ud800\ufffe]", " ", name).split()


def test_the_table_has_a_row_for_each_student_and_everything_that_is_known() -> None:
    rows = dicts(csv_table.text(made.register()))
    assert [row["id"] for row in rows] == [f"s{n:02d}" for n in range(12)]
    first, below, _two, broken, late, missing, odd, stopped, refused, ours, own, fresh = rows
    assert (first["score"], first["max_score"], first["stage"]) == ("5", "5", "healthy")
    assert (first["submissions"], first["healthy"], first["accuracy"]) == ("3", "yes", "0.81")
    assert first["bug:length-mismatch"] == "gone: answers"
    assert (below["stage"], below["healthy"], below["score"]) == ("training", "no", "4")
    assert "NameError: name 'tokeniser' is not defined" in broken["new_faults"]
    assert broken["bug:missing-input-ids"] == "there: not-reached"
    assert (late["late"], late["stage"]) == ("yes", "missing-input-ids")
    assert (missing["stage"], missing["score"], missing["late"]) == ("missing", "", "")
    assert "sys.modules" in odd["notes"]
    assert (stopped["status"], stopped["score"]) == ("time-limit", "1")
    assert (refused["status"], refused["score"], refused["stage"]) == ("refused", "", "unexamined")
    assert (ours["status"], ours["score"], ours["own_score"]) == ("internal-error", "", "")
    assert (own["score"], own["own_score"], own["override"]) == ("4.5", "2", "4.5")
    assert own["override_reason"] == "'=explained it `to me` <b>"
    assert (fresh["status"], fresh["score"], fresh["stage"]) == ("", "", "waiting")
    assert {row["unsafe"] for row in rows} == {"no"}


def test_the_table_tells_whose_mark_is_uncertain_and_why() -> None:
    rows = dicts(csv_table.text(made.register()))
    kinds = [row["uncertain"] for row in rows]
    assert kinds == ["", "", "", "", "", "", "withheld", "limit", "unread", "ours", "", ""]
    assert "sys.modules" in rows[6]["why_uncertain"]
    assert all(bool(row["uncertain"]) == bool(row["why_uncertain"]) for row in rows)


def test_the_words_of_the_table_are_the_same_in_every_language() -> None:
    english = dicts(csv_table.text(made.register()))
    i18n.activate(i18n.PSEUDO)
    other = dicts(csv_table.text(made.register()))
    told = {"notes", "new_faults", "why_uncertain", "reasons"}
    assert [{k: v for k, v in row.items() if k not in told} for row in english] == [
        {k: v for k, v in row.items() if k not in told} for row in other
    ]
    assert english[3]["new_faults"] != other[3]["new_faults"]


def test_canvas_finds_its_columns_and_its_row_of_points() -> None:
    head, points, *rows = read(platform_tables.canvas(made.register()), bom=False)
    # What Canvas' importer asks of the first two rows.
    assert "Student" in head[0]
    assert "ID" in head[1]
    assert head[2:5] == ["SIS User ID", "SIS Login ID", "Section"]
    assert head[5:] == ["ch8-4 (pt)"]
    assert "Points Possible" in points[0]
    assert points[5:] == ["5"]
    assert [row[5] for row in rows] == ["5", "4", "2", "0", "3", "", "3", "1", "", "", "4.5", ""]
    assert [row[2] for row in rows] == [row[3] for row in rows] == [f"s{n:02d}" for n in range(12)]
    assert {row[1] for row in rows} == {row[4] for row in rows} == {""}
    assert rows[7][0] == '\'=HYPERLINK("x")'


def test_canvas_is_told_its_own_number_where_the_roster_has_it() -> None:
    standing = made.twelve()[0]
    student = replace(standing.student, aliases=("moodle:1", "canvas:340934"))
    text = platform_tables.canvas(made.register([replace(standing, student=student)]))
    assert read(text, bom=False)[2][1] == "340934"


def test_moodle_gets_the_id_number_the_mark_and_feedback_in_the_students_language() -> None:
    head, *rows = read(platform_tables.moodle(made.register()), bom=True)
    assert head == ["ID number", "Full name", "ch8-4 (pt)", "ch8-4 (pt) feedback"]
    assert [row[0] for row in rows] == [f"s{n:02d}" for n in range(12)]
    assert [row[2] for row in rows] == ["5", "4", "2", "0", "3", "", "3", "1", "", "", "4.5", ""]
    assert "模型没有收到词元 ID" in rows[0][3]
    assert "Примеры в батче разной длины" in rows[1][3]
    assert "Nothing handed in" in rows[5][3]
    assert "sys.modules" not in rows[6][3]
    assert i18n.language() == "en"


def two_lessons() -> Register:
    who = [made.student(0), made.student(1)]
    other = made.assignment(who[0], made.BUGS[:2], framework="tf")
    second = made.grade(who[0], made.BUGS[:2], made.BUGS[:2], framework="tf")
    return made.register(
        [
            made.standing(who[0], made.grade(who[0], made.BUGS)),
            made.standing(who[1], made.grade(who[1])),
            made.standing(who[0], second, assignment=other),
        ]
    )


def test_each_exercise_has_its_column_and_who_was_not_given_it_an_empty_cell() -> None:
    head, points, *rows = read(platform_tables.canvas(two_lessons()), bom=False)
    assert head[5:] == ["ch8-4 (pt)", "ch8-4 (tf)"]
    assert points[5:] == ["5", "3"]
    assert [row[5:] for row in rows] == [["4", "2"], ["0", ""]]
    assert len(dicts(csv_table.text(two_lessons()))) == 3


def test_marks_are_in_per_cent_where_not_everybody_could_reach_the_same() -> None:
    few, many = made.student(0), made.student(1)
    register = made.register(
        [
            made.standing(few, made.grade(few, made.BUGS[:1], made.BUGS[:2])),
            made.standing(many, made.grade(many, made.BUGS)),
            made.standing(made.student(2), came=False),
        ]
    )
    (group,) = register.groups
    assert platform_tables.possible(group) == 100
    _head, points, *rows = read(platform_tables.canvas(register), bom=False)
    assert points[5] == "100"
    assert [row[5] for row in rows] == ["33.33", "80", ""]
    assert [(row["score"], row["max_score"]) for row in nbgraders(register)] == [
        *(("33.33", "100"), ("80", "100"), ("0", "100"))
    ]


def test_a_refused_submission_does_not_change_what_the_others_could_reach() -> None:
    (group,) = made.register().groups
    assert group.possible == 5
    assert {group.of(s) for s in group.standings} == {5}


@pytest.mark.parametrize("write", WRITERS)
def test_grading_without_a_sandbox_is_told_in_every_row(write: Writer) -> None:
    safe, unsafe = write(made.register()), write(made.register(unsafe=True))
    assert len(unsafe.splitlines()) == len(safe.splitlines())
    if write in (platform_tables.canvas, platform_tables.nbgrader):
        assert unsafe.count(platform_tables.UNSAFE) == 12
        assert platform_tables.UNSAFE not in safe
    else:
        rows = dicts(unsafe)
        assert {row.get("unsafe", row.get("Unsafe")) for row in rows} == {"yes"}


def test_one_unsafe_grade_is_told_where_the_session_is_not() -> None:
    who = made.student(0)
    register = class_results.of([made.standing(who, made.grade(who, unsafe=True))], ())
    assert dicts(csv_table.text(register))[0]["unsafe"] == "yes"


@pytest.mark.parametrize("write", WRITERS)
def test_an_empty_gradebook_makes_a_table_without_rows(write: Writer) -> None:
    assert len(write(made.register([])).splitlines()) == (
        2 if write is platform_tables.canvas else 1
    )


def test_nbgraders_table_has_its_columns_and_a_row_for_everybody() -> None:
    text = platform_tables.nbgrader(made.register())
    assert text.split("\r\n")[0] == (
        "assignment,duedate,timestamp,student_id,last_name,first_name,email,raw_score,"
        "late_submission_penalty,score,max_score"
    )
    found = nbgraders(made.register())
    assert [row["student_id"] for row in found] == [f"s{n:02d}" for n in range(12)]
    wanted = {s.student.id: s.score for s in made.twelve()}
    for row in found:
        score = wanted[row["student_id"]]
        if row["timestamp"]:
            assert row["score"] == row["raw_score"] == ("" if score is None else f"{score:g}")
        assert (row["assignment"], row["max_score"]) == ("ch8-4-pt", "5")
    missing = found[5]
    assert (missing["timestamp"], missing["raw_score"], missing["score"]) == ("", "0", "0")


def test_nbgraders_times_are_in_utc_without_a_zone() -> None:
    who = made.student(0)
    east = timezone(timedelta(hours=8))
    came = replace(made.attempt(made.grade(who)), submitted=datetime(2026, 3, 1, 6, tzinfo=east))
    (row,) = nbgraders(Register((replace(made.standing(who), attempt=came),)))
    assert row["timestamp"] == "2026-02-28 22:00:00"


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
    assert platform_tables.names(name) == (last, first)
