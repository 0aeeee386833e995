"""General faults: what Python itself raises is named, and only where no other fault shows."""

import io
import linecache
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from course.exercise import hint
from course.judge import messages
from course.judge.attempt import judge_attempt
from course.judge.verdict import judge
from course.lesson import lesson
from course.lesson.catalogue import STAGES, catalogue, general_matches, matches
from course.render import run_blocks, text
from course.runs.record import Frame, Raised, RunRecord, parse
from course_probe.event_log import EventLog
from course_probe.exception_report import OwnScript, report_exception
from tests.conftest import RECORDS

PART = lesson.load("ch3-4").parts["pt"]
GENERAL = {fault.id for fault in catalogue().values() if fault.general}


def ran(script: str, folder: Path) -> RunRecord:
    """The record of a script that Python has run here, and that has failed."""
    file = folder / "exercise.py"
    file.write_text(script, "utf-8")
    linecache.checkcache(str(file))
    out = io.StringIO()
    log = EventLog(out, str(folder / "stop"))
    try:
        exec(compile(script, file, "exec"), {"__name__": "__main__"})
    except Exception as error:
        report_exception(error, OwnScript(file), log)
    return parse(out.getvalue().splitlines(), "exception")


def named(record: RunRecord) -> list[str]:
    return [match.fault.id for match in general_matches(record)]


SCRIPTS = {
    script: fault
    for fault, scripts in tomllib.loads(
        Path(__file__).with_name("general_faults.toml").read_text("utf-8")
    ).items()
    for script in scripts
}
OF_LIBRARIES = {
    "value-not-accepted", "arrays-do-not-fit", "used-before-fit", "truth-value-ambiguous",
    "class-too-rare", "file-damaged", "incompatible-arguments",
}  # fmt: skip
ELSEWHERE = {
    "file-not-found": "environment",
    "text-is-no-number": "data",
    "arrays-do-not-fit": "data",
    "used-before-fit": "model",
    "class-too-rare": "data",
    "file-damaged": "environment",
    "file-not-writable": "environment",
}
"""The general faults that are not of the script's own text."""


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("script", SCRIPTS)
def test_what_python_raises_is_named(script: str, tmp_path: Path) -> None:
    record = ran(script, tmp_path)
    assert named(record) == [SCRIPTS[script]]
    assert matches(record) == []


def test_general_faults_are_of_the_script_or_of_any_data_and_most_are_python_s_own() -> None:
    assert GENERAL - {*SCRIPTS.values()} == OF_LIBRARIES
    stages = {fault: catalogue()[fault].stage for fault in GENERAL}
    assert {fault: stage for fault, stage in stages.items() if stage != "script"} == ELSEWHERE
    assert next(iter(STAGES)) == "script"


def raised(kind: str, message: str, module: str, *, raises: bool = False) -> RunRecord:
    frame = Frame(module, "f.py", "f", 1, "", script=module == "__main__", raises=raises)
    classes = (f"builtins.{kind}", "builtins.Exception")
    return RunRecord("exception", raised=Raised(classes[0], classes, message, (frame,)))


@pytest.mark.parametrize(
    ("kind", "message", "module", "fault"),
    [
        ("NameError", "name 'evaluate' is not defined", "__main__", "missing-import"),
        ("NameError", "name 'set_seed' is not defined", "__main__", "missing-import"),
        ("IndexError", "Target 2 is out of bounds.", "torch.nn.functional", "target-out-of-bounds"),
        (
            "TypeError",
            "TrainingArguments.__init__() got an unexpected keyword argument 'evaluation_strategy'",
            "__main__",
            "renamed-argument",
        ),
    ],
)
def test_a_general_fault_gives_way_to_every_other(
    kind: str, message: str, module: str, fault: str
) -> None:
    record = raised(kind, message, module)
    assert [match.fault.id for match in matches(record)] == [fault]
    assert general_matches(record) == []


def test_a_name_that_is_spelt_nearly_as_another_is_no_missing_import() -> None:
    record = raised("NameError", "name 'AutoModelForX' is not defined", "__main__")
    assert record.raised is not None
    near = replace(record, raised=replace(record.raised, near=("AutoModelForY",)))
    assert ([m.fault.id for m in matches(record)], matches(near)) == (["missing-import"], [])
    assert named(near) == ["misspelt-name"]


@pytest.mark.parametrize("module", ["__main__", "torch.nn.modules.module", "json"])
def test_it_may_come_out_of_a_library_too(module: str) -> None:
    missing = "extend() missing 1 required positional argument: 'input'"
    assert named(raised("TypeError", missing, module)) == ["missing-argument"]


def test_what_the_script_raises_itself_is_none() -> None:
    record = raised("KeyError", "'labels'", "__main__", raises=True)
    assert (named(record), judge_attempt(PART, (), record).verdict.problem) == ([], "unknown")


def test_an_attempt_is_told_it_and_a_walk_is_not() -> None:
    record = raised("TypeError", "len() takes exactly one argument (0 given)", "__main__")
    attempt = judge_attempt(PART, PART.bugs, record)
    assert attempt.verdict.match is not None
    assert (attempt.verdict.match.fault.id, attempt.verdict.problem) == ("missing-argument", None)
    assert (attempt.new, attempt.healthy, attempt.bug, attempt.behind) == (True, False, None, None)
    fault = attempt.verdict.match.fault
    assert hint.ladder(fault, None)[0].texts == (fault.where,)
    for step in PART.steps:
        verdict = judge(step, PART.outcome, record)
        assert (verdict.match, verdict.problem, verdict.matched) == (None, "unknown", False)


def test_what_stands_in_the_way_of_a_run_is_still_told() -> None:
    record = replace(raised("TypeError", "len() takes", "__main__"), status="time-limit")
    assert judge_attempt(PART, (), record).verdict.problem == "time-limit"
    assert judge_attempt(PART, (), record).verdict.match is None


def test_the_nearest_name_and_the_type_are_told(tmp_path: Path) -> None:
    def told(script: str) -> str:
        record = ran(script, tmp_path)
        (match,) = general_matches(record)
        assert record.raised is not None
        return messages.raised(match.signature, record.raised)

    assert told("model = 1\nprint(modle)") == "The most similar name that exists: `model`."
    assert told("len(8)").endswith("`int`.")
    assert told("open(2e-5)").endswith("`float`.")
    assert told("1 + 'a'") == ""


def test_the_stage_of_a_slip_is_the_script_itself(tmp_path: Path) -> None:
    (match,) = general_matches(ran("def f(:", tmp_path))
    first, *_rest = text.draw(run_blocks.name(match)).splitlines()
    assert "script" in first
    other = text.draw(run_blocks.name(replace(match, fault=catalogue()["lazy-column"])))
    assert "script" not in other.splitlines()[0]


@pytest.mark.parametrize("stored", sorted(RECORDS.glob("*/none.*.jsonl")), ids=lambda p: p.stem)
def test_a_stored_record_shows_one_general_fault_at_most(stored: Path) -> None:
    record = parse(stored.read_text("utf-8").splitlines())
    assert len(general_matches(record)) <= 1
    if stored.stem == "none.syntax":
        assert named(record) == ["syntax-error"]
    elif "raise" in stored.stem:
        assert named(record) == []
