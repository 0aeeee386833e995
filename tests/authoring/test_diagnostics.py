"""What an author is told of a run that did not show what it should have."""

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from course.authoring import diagnostics
from course.authoring.lesson_check import CheckResult
from course.judge.verdict import judge
from course.lesson import catalogue, lesson
from course.lesson.lesson import Step
from course.runs.record import Frame, Raised, RunRecord, parse
from tests.conftest import RECORDS
from tests.lesson import tiny

PART = lesson.load("ch8-4").parts["pt"]
FAULT = tiny.FAULT.format(id="new").partition("[[signature]]")[0]
CRASH = (
    FAULT
    + """
[[signature]]
wording = "later"
exception = "builtins.TypeError"
message = "boom"
example = "boom"
module = 'torch(?:\\..+)?'
seen = "S"
"""
)
SILENT = (
    FAULT
    + """
[[signature]]
wording = "later"
effect = { figure = "share", above = 0.5 }
cause = [{ figure = "call", below = 0.5 }, { figure = "width", above = 1, below = 9 }]
shown = "{share:.0%}"
example = "E"
seen = "S"
"""
)


def result(record: RunRecord, fault: str = "new") -> CheckResult:
    step = Step(fault, fault, "", (), None)
    return CheckResult(
        PART, (fault,), fault, judge(step, PART.outcome, record), record, PART.outcome
    )


def crash(message: str, module: str = "torch.nn.functional", **versions: str) -> RunRecord:
    frame = Frame(module, "f.py", "f", 1, "")
    classes = ("builtins.ValueError", "builtins.Exception")
    raised = Raised(classes[0], classes, message, (frame,))
    return RunRecord("exception", versions={"python": "3.11.7", **versions}, raised=raised)


def reasons(lessons: Path, text: str, record: RunRecord) -> list[str]:
    (lessons / "faults" / "new.toml").write_text(text)
    catalogue.catalogue.cache_clear()
    return [each.split(": ", 1)[1] for each in diagnostics.reasons(result(record))]


def test_a_proposed_signature_fits_what_it_was_made_of(tmp_path: Path) -> None:
    words = (
        ("Target size (torch.Size([8])) must be 'x'", "Target size (torch.Size([16])) must be 'x'"),
        ('a\tb \\ "c" [1.5]\nand more', 'a\tb \\ "c" [20.7]'),
        ("", "anything"),
    )
    for said, again in words:
        record = crash(said, torch="2.13.0+cpu")
        entry = tmp_path / "new.toml"
        entry.write_text(FAULT + diagnostics.proposal(record), "utf-8")
        fault = catalogue.read(entry)
        assert [m.fault for m in catalogue.matches(record, faults=[fault])] == [fault]
        assert catalogue.matches(crash(again), faults=[fault])
        assert fault.signatures[0].seen == "torch 2.13.0"


def test_a_proposed_signature_of_the_scripts_own_line_says_so() -> None:
    record = crash("boom", "__main__")
    (entry,) = tomllib.loads(diagnostics.proposal(record))["signature"]
    assert entry["module"] == "__main__"
    assert entry["seen"] == "python 3.11.7"


@pytest.mark.parametrize("stored", sorted(RECORDS.glob("today/*.jsonl")), ids=lambda p: p.stem)
def test_a_real_failure_makes_a_signature_that_finds_it(stored: Path, tmp_path: Path) -> None:
    record = parse(stored.read_text("utf-8").splitlines())
    if record.raised is None:
        assert diagnostics.proposal(record) == ""
        return
    entry = tmp_path / "new.toml"
    entry.write_text(FAULT + diagnostics.proposal(record), "utf-8")
    own = record.raised.origin is not None and record.raised.origin.raises
    found = catalogue.matches(record, faults=[catalogue.read(entry)])
    # What the script itself raises is nobody's fault.
    assert len(found) == (0 if own and record.raised.origin.module == "__main__" else 1)


def test_each_key_that_does_not_fit_is_named(lessons: Path) -> None:
    assert reasons(lessons, CRASH, crash("bang", "numpy.core")) == [
        "the exception of the run does not match `exception`, `message`, `module`."
    ]
    assert reasons(lessons, CRASH.replace("TypeError", "ValueError"), crash("boom")) == []
    assert reasons(lessons, CRASH, RunRecord("finished")) == [
        "no exception was raised, but `exception` expects one."
    ]


def test_each_figure_that_does_not_fit_is_told(lessons: Path) -> None:
    measured = RunRecord("finished", figures={"share": 0.25, "calls": 0.0, "width": 12.0})
    assert reasons(lessons, SILENT, measured) == [
        "the measured value `share`: 0.25 (expected: `above = 0.5`).",
        "the measured value `call`: not measured (expected: `below = 0.5`). Did you mean `calls`?",
        "the measured value `width`: 12 (expected: `above = 1`, `below = 9`).",
    ]
    assert reasons(lessons, SILENT, replace(crash("boom"), figures={"share": 1.0})) == [
        "the exception of the run does not match `effect`."
    ]


def test_figures_stand_beside_those_of_the_healthy_run() -> None:
    bug = result(RunRecord("finished", figures={"width": 12.0, "share": 1 / 3}))
    healthy = result(RunRecord("finished", figures={"width": 74.0, "rows": 1620.0}))
    assert [line.split() for line in diagnostics.figures(bug, healthy)] == [
        ["rows", "–", "(1620)"],
        ["share", "0.3333", "(–)"],
        ["width", "12", "(74)"],
    ]
    assert [line.split() for line in diagnostics.figures(healthy, None)] == [
        ["rows", "1620"],
        ["width", "74"],
    ]
