"""Faults that are known by the vital signs: each shows in its own run, alone, and in no honest one.

The figures are those of `vital_faults.toml`.
"""

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from course.judge import messages
from course.lesson.catalogue import catalogue, matches
from course.lesson.signature import BROKEN, SilentSignature
from course.runs.record import Frame, Raised, RunRecord
from course.runs.vital_signs import VitalSigns, read
from tests.lesson.signatures import of_kind
from tests.vital_figures import FIGURES

Signs = dict[str, dict[str, Any]]
DATA = tomllib.loads(Path(__file__).with_name("vital_faults.toml").read_text("utf-8"))
PARTS = ("model", "loss", "rate", "data", "outcome")


def changes_of(case: dict[str, Any]) -> Signs:
    """The figures of a case that differ: None for one that was not measured, no part for none."""
    found: Signs = {}
    for known in (*(DATA["shared"][name] for name in case.get("like", ())), case):
        for part in (*PARTS, "own"):
            if part in known:
                found[part] = {**found.get(part, {}), **known[part]}
    for place in case.get("unmeasured", ()):
        part, _dot, figure = place.partition(".")
        found[part] = {**found.get(part, {}), figure: None} if figure else {}
    return found


HEALTHY = changes_of(DATA["healthy"])
FAULTY = {
    case["name"]: (case["fault"], changes_of(case)) for case in DATA["case"] if "fault" in case
}
HONEST = {case["name"]: changes_of(case) for case in DATA["case"] if "fault" not in case}
BASELINE = DATA["shared"]["at the baseline"]["outcome"]


def signs(changes: Signs) -> VitalSigns:
    """Those of the healthy run with some of them changed; a part that is empty was not measured."""
    parts = {**HEALTHY, **{name: {} for name, part in changes.items() if not part}}
    return read({name: {**part, **changes.get(name, {})} for name, part in parts.items()})


def record(changes: Signs, **figures: float) -> RunRecord:
    """What a run shows; a part called `own` are figures that only scripts of no lesson have."""
    found = signs(changes)
    known = {**dict(found.figures()), **changes.get("own", {}), **figures}
    return RunRecord("finished", figures=known, vitals=found)


def shown(run: RunRecord) -> list[str]:
    return [match.fault.id for match in matches(run)]


@pytest.mark.parametrize("name", FAULTY)
def test_each_shows_in_its_own_run_and_alone(name: str) -> None:
    fault, changes = FAULTY[name]
    assert shown(record(changes)) == [fault]


@pytest.mark.parametrize("name", HONEST)
def test_none_shows_in_an_honest_run(name: str) -> None:
    assert shown(record(HONEST[name])) == []


def test_every_fault_of_vital_signs_has_its_run_here() -> None:
    parts = tuple(f"{name}." for name in HEALTHY)
    known = {
        fault.id
        for fault, signature in of_kind(SilentSignature)
        if any(figure.startswith(parts) for figure in signature.figures)
    }
    assert known == {fault for fault, _changes in FAULTY.values()}


def test_every_figure_of_a_vital_sign_is_one() -> None:
    parts = tuple(f"{name}." for name in HEALTHY)
    for fault, signature in of_kind(SilentSignature):
        named = {figure for figure in signature.figures if figure.startswith(parts)}
        assert named <= FIGURES, fault.id


@pytest.mark.parametrize("name", FAULTY)
def test_what_is_shown_has_all_its_figures(name: str) -> None:
    (match,) = matches(record(FAULTY[name][1]))
    assert isinstance(match.signature, SilentSignature)
    told = messages.silent(match.signature, record(FAULTY[name][1]).figures)
    assert "not measured" not in told
    assert "{" not in told


def test_a_figure_that_was_not_measured_is_told_as_such() -> None:
    run = record({"outcome": {**BASELINE, "accuracy": None}, "data": {"cut": 0.8}})
    (match,) = matches(run)
    assert isinstance(match.signature, SilentSignature)
    told = messages.silent(match.signature, run.figures)
    assert "right in not measured of the examples" in told
    assert "80%" in told


def test_a_fault_is_not_named_beside_the_one_that_brings_it_about() -> None:
    known = {f"{BROKEN}held-out-is-held-out/all": 1.0}
    run = record({"data": {"texts_in_ids": 1}, "outcome": BASELINE}, **known)
    assert shown(run) == ["input-left-out"]
    faults = [fault for fault in catalogue().values() if fault.id == "evaluation-on-training-data"]
    assert [match.fault.id for match in matches(run, faults=faults)] == [faults[0].id]


@pytest.mark.parametrize(
    ("figures", "faults"),
    [
        ({"trainers": 1.0, "steps_trained": 0.0}, ["training-missing"]),
        ({"trainers": 1.0, "steps_trained": 204.0}, []),
        ({"steps_trained": 0.0}, []),
        ({}, []),
    ],
)
def test_a_trainer_that_never_trains(figures: dict[str, float], faults: list[str]) -> None:
    assert shown(RunRecord("finished", figures=figures)) == faults


@pytest.mark.parametrize(
    ("predictions", "references", "faults"),
    [
        (2, 8, ["argmax-over-wrong-axis"]),
        (3, 306, ["argmax-over-wrong-axis"]),
        (300, 8, []),
        (2, 1, []),
        (16, 8, []),
    ],
)
def test_as_many_answers_as_classes_come_of_the_wrong_axis(
    predictions: int, references: int, faults: list[str]
) -> None:
    words = f"Mismatch in the number of predictions ({predictions}) and references ({references})"
    frame = Frame("evaluate.module", "evaluate/module.py", "add_batch", 546, "", raises=True)
    raised = Raised("builtins.ValueError", ("builtins.ValueError",), words, (frame,))
    assert shown(replace(record({}), status="exception", raised=raised)) == faults
