"""Judging needs no framework: records in, verdicts out."""

from dataclasses import replace

import pytest

from course.check.verdict import judge, metrics, quoted
from course.fault.catalogue import catalogue
from course.lesson import lesson
from course.lesson.lesson import Outcome
from course.run.record import Evaluation, Raised, RunRecord, Training

STEPS = {s.id: s for s in lesson.load("ch8-4").parts["pt"].steps}
OUTCOME = Outcome("accuracy", 0.2, labels=3, examples=2400, eval_examples=300)
TRAINED = RunRecord(
    status="finished",
    training=Training(examples=2400, max_steps=900, steps=900, seconds=20.0),
    evaluations=(
        Evaluation(300, {"eval_accuracy": 0.4}, 300, {"0": 100, "1": 100, "2": 100}),
        Evaluation(900, {"eval_accuracy": 0.8}, 300, {"0": 150, "1": 100, "2": 50}),
    ),
)


def words(fault: str) -> RunRecord:
    signature = catalogue()[fault].quoted
    assert signature is not None
    return quoted(signature)


def test_a_run_that_beats_the_baseline_is_healthy() -> None:
    verdict = judge(STEPS["healthy"], OUTCOME, TRAINED)
    assert verdict.matched
    assert verdict.problem is None
    assert verdict.metrics["accuracy"] == 0.8
    assert verdict.metrics["baseline"] == 0.5
    assert verdict.metrics["margin"] == pytest.approx(0.3)


def healthy_but(**changes: object) -> RunRecord:
    return replace(TRAINED, **changes)  # type: ignore[arg-type]


LAST = TRAINED.evaluations[-1]
LOW = {"eval_accuracy": 0.69}


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        (healthy_but(status="time-limit"), "time-limit"),
        (healthy_but(status="output-limit"), "output-limit"),
        (healthy_but(status="died"), "died"),
        (healthy_but(status="unreadable"), "unreadable"),
        (healthy_but(training=None), "no-training"),
        (healthy_but(training=Training(max_steps=900)), "no-training"),
        (healthy_but(training=Training(max_steps=900, steps=899)), "no-training"),
        (healthy_but(evaluations=()), "no-metric"),
        (healthy_but(evaluations=(replace(LAST, values={"eval_loss": 1.0}),)), "no-metric"),
        (healthy_but(evaluations=(replace(LAST, labels={}),)), "no-baseline"),
        (
            healthy_but(evaluations=(replace(LAST, values=LOW),)),
            "below-baseline",
        ),
        (replace(words("target-out-of-bounds")), "other-fault"),
        (RunRecord("exception", raised=Raised("m.E", ("m.E",), "?")), "unknown"),
    ],
)
def test_what_is_not_healthy(record: RunRecord, problem: str) -> None:
    verdict = judge(STEPS["healthy"], OUTCOME, record)
    assert (verdict.matched, verdict.problem) == (False, problem)


def test_a_step_wants_its_own_fault() -> None:
    verdict = judge(STEPS["cublas"], OUTCOME, words("cublas"), "quoted")
    assert verdict.matched
    assert verdict.match is not None
    assert verdict.match.signature.wording == "course"
    assert judge(STEPS["cublas"], OUTCOME, words("size-1-array")).problem == "other-fault"
    assert judge(STEPS["cublas"], OUTCOME, TRAINED).problem == "no-failure"
    assert judge(STEPS["cublas"], OUTCOME, RunRecord("died")).problem == "died"
    unknown = RunRecord("exception", raised=Raised("m.E", ("m.E",), "?"))
    assert judge(STEPS["cublas"], OUTCOME, unknown).problem == "unknown"


def test_a_failed_run_has_no_figures_to_show() -> None:
    assert metrics(words("cublas"), OUTCOME) == {}
