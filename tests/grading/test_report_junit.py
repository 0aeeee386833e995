"""The report `junit`, held against both published schemas: Ant's, and that of Jenkins' reader."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from course.grading.report import junit
from tests.grading import report_class as made

SUITE = {"name", "tests", "failures", "errors", "time", "timestamp", "hostname", "package", "id"}
CHILDREN = ["properties", "testcase", "system-out", "system-err"]
PROBLEMS = {"skipped": set(), "failure": {"type"}, "error": {"type"}}
JENKINS_TIME = r"(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?"
DECIMAL = r"[+-]?(\d+(\.\d*)?|\.\d+)"


def valid(text: str) -> ET.Element:
    """The document, after a look at everything that one of the schemas asks for."""
    root = ET.fromstring(text.encode())
    assert (root.tag, root.attrib) == ("testsuites", {})
    for number, suite in enumerate(root):
        assert suite.tag == "testsuite"
        assert set(suite.attrib) == SUITE | {"skipped"}
        assert suite.attrib["id"] == str(number)
        assert suite.attrib["name"]
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.attrib["timestamp"])
        assert re.fullmatch(JENKINS_TIME, suite.attrib["time"])
        assert re.fullmatch(DECIMAL, suite.attrib["time"])
        tags = [child.tag for child in suite]
        assert sorted(tags, key=CHILDREN.index) == tags
        assert [tags.count(t) for t in ("properties", "system-out", "system-err")] == [1, 1, 1]
        for entry in suite.findall("properties/property"):
            assert set(entry.attrib) == {"name", "value"}
        cases = suite.findall("testcase")
        found: list[str] = []
        for case in cases:
            assert set(case.attrib) == {"name", "classname", "time"}
            assert re.fullmatch(DECIMAL, case.attrib["time"])
            assert len(case) <= 1
            for problem in case:
                assert PROBLEMS[problem.tag] <= set(problem.attrib) <= {"type", "message"}
                found.append(problem.tag)
        for attribute, tag in (
            ("failures", "failure"),
            ("errors", "error"),
            ("skipped", "skipped"),
        ):
            assert suite.attrib[attribute] == str(found.count(tag))
        assert suite.attrib["tests"] == str(len(cases))
    return root


def results(suite: ET.Element) -> list[str]:
    return [next((child.tag for child in case), "") for case in suite.findall("testcase")]


def properties(suite: ET.Element) -> dict[str, str]:
    return {e.attrib["name"]: e.attrib["value"] for e in suite.findall("properties/property")}


def test_every_state_is_a_valid_suite_and_told_apart() -> None:
    root = valid(junit.text(made.register()))
    found = {suite.attrib["name"]: results(suite) for suite in root}
    bad, err, skip = "failure", "error", "skipped"
    assert found == {
        "s00": ["", "", "", "", ""],
        "s01": ["", "", "", "", bad],
        "s02": ["", "", bad, bad, bad],
        "s03": [err, err, err, err, bad],
        "s04": [bad, "", "", "", bad],
        "s05": [skip] * 5,
        "s06": ["", "", "", bad, bad],
        "s07": ["", err, err, err, err],
        "s08": [err] * 5,
        "s09": [err] * 5,
        "s10": ["", "", bad, bad, bad],
        "s11": [skip] * 5,
    }


def test_the_mark_stands_in_the_properties_and_is_empty_where_there_is_none() -> None:
    suites = {s.attrib["name"]: properties(s) for s in valid(junit.text(made.register()))}
    assert (suites["s00"]["score"], suites["s00"]["max_score"]) == ("5", "5")
    assert suites["s00"]["submissions"] == "3"
    assert suites["s05"]["score"] == suites["s09"]["score"] == suites["s11"]["score"] == ""
    assert suites["s04"]["late"] == "true"
    assert suites["s10"]["score"] == suites["s10"]["override"] == "4.5"
    assert suites["s10"]["override_who"] == "Chen & Co"
    assert "override" not in suites["s00"]


def test_the_teachers_notes_stand_in_the_output_each_once() -> None:
    root = valid(junit.text(made.register()))
    said = {s.attrib["name"]: s.findtext("system-out") or "" for s in root}
    assert said["s06"].count("sys.modules") == 1
    assert said["s07"].count("20 seconds") == 1


@pytest.mark.parametrize("unsafe", [True, False])
def test_grading_without_a_sandbox_is_a_property_of_every_suite(unsafe: bool) -> None:
    root = valid(junit.text(made.register(unsafe=unsafe)))
    assert {properties(suite)["unsafe"] for suite in root} == {str(unsafe).lower()}
    assert all(("--unsafe" in (s.findtext("system-err") or "")) == unsafe for s in root)


def test_what_xml_forbids_is_left_out_and_the_rest_comes_back() -> None:
    first = made.twelve()[0]
    student = replace(first.student, id=made.EVIL, name=made.EVIL + "\ud83d")
    grade = made.grade(
        student, new_faults=(made.NewFault(None, "E", made.EVIL, 3), made.NewFault("no-such"))
    )
    text = junit.text(made.register([made.standing(student, grade)]))
    (suite,) = valid(text)
    assert properties(suite)["name"].startswith('</script><script>alert("1 & 2")</script>')
    assert "{{title}}" in (suite.findtext("system-out") or "")


def test_a_class_without_students_is_a_valid_document() -> None:
    assert len(valid(junit.text(made.register([])))) == 0
