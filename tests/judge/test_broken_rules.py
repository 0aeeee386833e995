"""Rules that any training keeps: what is told where one is broken, and where none is."""

from dataclasses import replace
from typing import Any

import pytest

from course.base import log
from course.diagnosis import checklist
from course.judge import broken_rules
from course.judge.script_verdict import judge_script
from course.runs.record import Raised, RunRecord, RunStatus
from course.runs.vital_signs import read
from tests.ledgers import event

FINE: dict[str, dict[str, Any]] = {
    "model": {"steps": 500, "backwards": 500, "passes": 500, "optimizers": 1},
    "loss": {"finite": 1.0, "first": 0.71, "last": 0.3, "guess": 0.693},
    "outcome": {"rows": 300, "classes": 2, "margin": 0.3, "accuracy": 0.8,
                "answers": {"0": 160, "1": 140}},
}  # fmt: skip


def record(*changes: dict[str, dict[str, Any]]) -> RunRecord:
    parts = {name: dict(part) for name, part in FINE.items()}
    for change in changes:
        for name, part in change.items():
            parts[name] |= part
    signs = read(parts)
    return RunRecord("finished", figures=dict(signs.figures()), vitals=signs, seconds=1.0)


def test_of_a_rule_it_is_known_whether_it_was_looked_at() -> None:
    found = broken_rules.with_rules(RunRecord("finished", ledger=event()), "").figures
    assert found["broken.gradients-are-fresh/left-over"] == 0.0
    assert "broken.gradients-are-fresh/by-hand" not in found
    few = event(gradients={"added": 0.0})
    found = broken_rules.with_rules(RunRecord("finished", ledger=few), "").figures
    assert "broken.gradients-are-fresh/left-over" not in found
    kept = event(gradients={"left": 1.8})
    found = broken_rules.with_rules(RunRecord("finished", ledger=kept), "").figures
    assert found["broken.gradients-are-fresh/left-over"] == broken_rules.SETTLED


def test_signs_of_a_lesson_are_those_of_its_hooks_and_else_of_the_ledger() -> None:
    measured = read({"model": {"steps": 7}, "loss": {"guess": 0.5}})
    run = RunRecord("finished", figures={"model.steps": 7.0}, vitals=measured, ledger=event())
    found = broken_rules.with_ledger(run)
    assert found.vitals is not None
    assert (found.vitals.model.steps, found.vitals.model.left_over) == (7, 0.0)
    assert found.figures["model.left_over"] == 0.0
    assert found.vitals.loss.last is not None
    assert found.figures["loss.last_to_guess"] == found.vitals.loss.last / 0.5
    assert broken_rules.with_ledger(replace(run, ledger=None)) == replace(run, ledger=None)


def test_an_evaluation_in_which_something_was_raised_is_not_in_order() -> None:
    fine, _ = checklist.held(record(), ())
    checked, _ = checklist.held(record(), (), {"evaluation"})
    assert [each for each in fine if each not in checked] == [("evaluation", "evaluation")]


@pytest.mark.parametrize("status", ["stopped", "time-limit"])
def test_of_a_run_that_was_ended_not_every_statement_was_run(status: RunStatus) -> None:
    checked, not_checked = checklist.held(replace(record(), status=status), ())
    assert checklist.RUNS not in {check for check, _stage in checked}
    assert (checklist.RUNS, checklist.NO_TIME) in not_checked


@pytest.mark.parametrize("share", [0.0, 0.9])
def test_a_loss_that_is_no_number_has_no_tick(share: float) -> None:
    checked, _not_checked = checklist.held(record({"loss": {"finite": share}}), ())
    assert "loss-is-finite" not in dict(checked)
    assert "loss-is-finite" in dict(checklist.held(record(), ())[0])


def test_a_rule_that_a_ledger_breaks_is_told_with_its_place_and_no_tick_beside_it() -> None:
    flat = {"series": [[at, 0.7 + at % 2 / 50] for at in range(200)]}
    found = RunRecord("finished", ledger=event(losses=flat), seconds=1.0, places={13: "[2]:4"})
    found = broken_rules.with_signs(found)
    verdict = judge_script(found)
    assert [each.invariant for each in verdict.broken] == ["better-than-guessing"]
    assert "in line [2]:4 " in verdict.broken[0].evidence
    assert checklist.VITAL_SIGNS not in dict(checklist.held(found, ())[0])
    failed = Raised("builtins.ValueError", ("builtins.ValueError",), "no")
    assert broken_rules.broken(replace(found, raised=failed)) == ()
    well = broken_rules.with_signs(RunRecord("finished", ledger=event(), seconds=1.0))
    assert checklist.VITAL_SIGNS in dict(checklist.held(well, ())[0])


def test_what_was_measured_counts_where_a_text_is_beyond_us(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fails(*_given: Any) -> None:
        raise AttributeError("a node without a line")

    run = RunRecord("finished", ledger=event(gradients={"left": 1.8}))
    measured = broken_rules.facts_in(run)
    monkeypatch.setattr(broken_rules, "of_text", fails)
    assert broken_rules.facts_in(run, "x = 1") == measured
    written = log.file()
    assert written is not None
    assert "a node without a line" in written.read_text()
