"""The report `gradescope`, held against the published shape of `results.json`."""

import json
from typing import Any

import pytest

from course.base.errors import UserError
from course.grading.report import folder, gradescope
from tests.grading import report_class as made

VISIBLE = {"visible", "hidden", "after_due_date", "after_published"}
FORMATS = {"text", "html", "simple_format", "md", "ansi"}
WHOLE: dict[str, type | tuple[type, ...]] = {
    "score": (int, float),
    "execution_time": (int, float),
    "output": str,
    "output_format": str,
    "visibility": str,
    "stdout_visibility": str,
    "extra_data": dict,
    "tests": list,
}
TEST: dict[str, type | tuple[type, ...]] = {
    "score": (int, float),
    "max_score": (int, float),
    "status": str,
    "name": str,
    "name_format": str,
    "number": str,
    "output": str,
    "output_format": str,
    "visibility": str,
}


def valid(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document, after a look at each key and value that Gradescope knows."""
    for keys, given in ((WHOLE, document), *((TEST, test) for test in document["tests"])):
        for key, value in given.items():
            assert isinstance(value, keys[key]), (key, value)
            assert not isinstance(value, bool)
        assert {v for k, v in given.items() if k.endswith("visibility")} <= VISIBLE
        assert {v for k, v in given.items() if k.endswith("_format")} <= FORMATS
    assert {t["status"] for t in document["tests"] if "status" in t} <= {"passed", "failed"}
    assert all("name" in test for test in document["tests"])
    return document


def documents(**how: Any) -> dict[str, dict[str, Any]]:
    found = gradescope.documents(made.register(**how))
    return {student: valid(json.loads(text)) for (_exercise, student), text in found.items()}


def test_each_student_with_a_mark_has_a_valid_document_and_no_other() -> None:
    found = documents()
    # Nothing came, not readable, our own failure, not graded yet: a file would make them zeros.
    assert set(found) == {f"s{n:02d}" for n in range(12)} - {"s05", "s08", "s09", "s11"}
    scores = {student: document["score"] for student, document in found.items()}
    assert scores == {
        **{"s00": 5, "s01": 4, "s02": 2, "s03": 0, "s04": 3, "s06": 3},
        **{"s07": 1, "s10": 4.5},
    }


def test_the_tests_add_up_to_the_score_where_no_teacher_changed_it() -> None:
    for student, document in documents().items():
        if document["extra_data"]["override"]:
            assert student == "s10"
            assert "4,5" in document["output"]
            assert "Chen & Co" in document["output"]
        else:
            assert sum(t.get("score", 0) for t in document["tests"]) == document["score"]


def test_students_read_their_own_language_and_only_teachers_the_teachers_notes() -> None:
    found = documents()
    assert found["s00"]["tests"][0]["name"] == "模型没有收到词元 ID"
    assert found["s01"]["tests"][1]["name"] == "Примеры в батче разной длины"
    hidden = [t for t in found["s06"]["tests"] if t["visibility"] == "hidden"]
    assert [("sys.modules" in t["output"]) for t in hidden] == [True]
    shown = [t for t in found["s06"]["tests"] if t["visibility"] == "visible"]
    assert "sys.modules" not in json.dumps([found["s06"]["output"], shown])
    assert not [t for t in found["s00"]["tests"] if t["visibility"] == "hidden"]


def test_a_late_submission_and_a_new_fault_are_told() -> None:
    found = documents()
    assert found["s04"]["extra_data"]["late"]
    assert "tokeniser" in found["s03"]["output"]


@pytest.mark.parametrize("unsafe", [True, False])
def test_grading_without_a_sandbox_is_told_in_every_document(unsafe: bool) -> None:
    for document in documents(unsafe=unsafe).values():
        assert ("--unsafe" in document["output"]) == document["extra_data"]["unsafe"] == unsafe


def test_with_several_exercises_each_has_its_folder() -> None:
    who = made.student(0)
    other = made.assignment(who, framework="tf")
    register = made.register(
        [
            made.standing(who, made.grade(who)),
            made.standing(who, made.grade(who), assignment=other),
        ]
    )
    assert set(folder.gradescope_files(register)) == {
        ("ch8-4 (pt)", "s00", "results.json"),
        ("ch8-4 (tf)", "s00", "results.json"),
    }


@pytest.mark.parametrize("id_", ["..", ".", "", "a/b", "/etc", "a\\b", "a\0b"])
def test_an_id_never_leads_out_of_the_folder(id_: str) -> None:
    who = made.Student(id_, "Ada", "en")
    register = made.register([made.standing(who, made.grade(who))])
    for write in (folder.gradescope_files, folder.pages):
        with pytest.raises(UserError, match="folder"):
            write(register)
