"""The class as test results in XML, which continuous integration reads: the report `junit`.

A suite for each student and exercise, a case for each bug and one for the healthy outcome. A bug
that is not gone is a failure; one that could not be seen because the script crashed or was
stopped is an error, and so is a failure of our own; what nobody handed in is skipped.
Attributes and their order are those of both published schemas, that of Ant's and that of
Jenkins' reader, so that a suite without a time gets that of the epoch.
"""

import xml.etree.ElementTree as ET
from datetime import UTC, datetime

from course.grading.grade import Grade
from course.grading.note import describe_note
from course.grading.report import csv_safe, feedback
from course.grading.report.class_results import Group, Register, counted, handed_in, late
from course.grading.student_result import StudentResult

UNSEEN = "not-reached"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def text(register: Register) -> str:
    """Write the class results as JUnit XML, a suite for each assignment."""
    root = ET.Element("testsuites")
    number = 0
    for group in register.groups:
        for standing in group.standings:
            root.append(_suite(group, standing, number, unsafe=register.unsafe))
            number += 1
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _suite(group: Group, standing: StudentResult, number: int, *, unsafe: bool) -> ET.Element:
    grade, attempt = counted(standing), standing.attempt
    cases = _cases(group, standing)
    when = (attempt.graded or attempt.submitted if attempt else None) or EPOCH
    kinds = [child.tag for case in cases for child in case]
    suite = ET.Element(
        "testsuite",
        {
            "name": feedback.printable(standing.student.id),
            "package": group.lesson,
            "id": str(number),
            "timestamp": when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S"),
            "hostname": "localhost",
            "tests": str(len(cases)),
            "failures": str(kinds.count("failure")),
            "errors": str(kinds.count("error")),
            "skipped": str(kinds.count("skipped")),
            "time": _seconds(grade),
        },
    )
    properties = ET.SubElement(suite, "properties")
    for name, value in _properties(group, standing, unsafe=unsafe).items():
        ET.SubElement(properties, "property", {"name": name, "value": feedback.printable(value)})
    suite.extend(cases)
    ET.SubElement(suite, "system-out").text = _output(standing)
    ET.SubElement(suite, "system-err").text = feedback.unsafe() if unsafe else ""
    return suite


def _properties(group: Group, standing: StudentResult, *, unsafe: bool) -> dict[str, str]:
    grade, score, own = counted(standing), standing.score, standing.override
    found = {
        "name": standing.student.name,
        "lang": standing.student.lang,
        "lesson": group.lesson,
        "framework": group.framework,
        "score": "" if score is None else csv_safe.number(score),
        "max_score": csv_safe.number(group.of(standing)),
        "status": grade.status if grade else "",
        "late": "true" if late(standing) else "false",
        "submissions": str(handed_in(standing)),
        "unsafe": "true" if unsafe or (grade and grade.unsafe) else "false",
    }
    if own is not None:
        found |= {"override": csv_safe.number(own.score), "override_who": own.who}
        found |= {"override_reason": own.reason, "override_at": own.at.isoformat()}
    return found


def _cases(group: Group, standing: StudentResult) -> list[ET.Element]:
    """A case for each bug that was drawn, and the last for the healthy outcome."""
    grade = counted(standing)
    cases = []
    for fault in standing.assignment.bugs:
        case = _case(group, standing, fault)
        case.extend(_whole(standing) or _of_bug(fault, grade))
        cases.append(case)
    case = _case(group, standing, "healthy")
    case.extend(_whole(standing) or _of_outcome(grade))
    # The examination took its time once, whatever there was to be seen in it.
    case.set("time", _seconds(grade))
    return [*cases, case]


def _whole(standing: StudentResult) -> list[ET.Element]:
    """What holds for all cases of a suite: nothing came, there is no verdict, or it was refused."""
    grade = counted(standing)
    if grade is None:
        return [ET.Element("skipped", {"message": feedback.ungraded(standing)})]
    if grade.status in ("internal-error", "refused"):
        return [_problem("error", grade.status, feedback.status(grade.status))]
    return []


def _of_bug(fault: str, grade: Grade | None) -> list[ET.Element]:
    bug = next((b for b in grade.bugs if b.fault == fault), None) if grade else None
    if bug is None:
        return _stopped(grade)
    if bug.gone:
        return []
    return [_problem("error" if bug.how == UNSEEN else "failure", bug.how, feedback.bug(bug))]


def _of_outcome(grade: Grade | None) -> list[ET.Element]:
    outcome = grade.healthy if grade else None
    if outcome is not None and outcome.reached:
        return []
    if grade is None or grade.status != "graded":
        return _stopped(grade)
    return [_problem("failure", "not-healthy", feedback.healthy(outcome))]


def _stopped(grade: Grade | None) -> list[ET.Element]:
    status = grade.status if grade else "internal-error"
    return [_problem("error", status, feedback.status(status))]


def _case(group: Group, standing: StudentResult, name: str) -> ET.Element:
    classname = f"{group.lesson}.{group.framework}.{feedback.printable(standing.student.id)}"
    return ET.Element("testcase", {"name": name, "classname": classname, "time": "0"})


def _problem(kind: str, type_: str, message: str) -> ET.Element:
    sentence = feedback.printable(message)
    found = ET.Element(kind, {"type": type_, "message": sentence})
    found.text = sentence
    return found


def _seconds(grade: Grade | None) -> str:
    return f"{grade.seconds:.3f}" if grade else "0"


def _output(standing: StudentResult) -> str:
    """All that is known, for whoever reads the results: the teacher's notes too."""
    grade = counted(standing)
    sentences = list(feedback.student_sentences(standing))
    sentences += [
        s for s in (describe_note(n) for n in (grade.notes if grade else ())) if s not in sentences
    ]
    return "\n".join(feedback.printable(sentence) for sentence in sentences)
