"""Judging needs no framework: records in, verdicts out."""

import json
from dataclasses import replace

import pytest

from course.judge.health import shown
from course.judge.measures import lesson_figures, metrics
from course.judge.verdict import describe_problem, judge, quoted, should_stop
from course.lesson import lesson
from course.lesson.catalogue import catalogue
from course.lesson.lesson import Outcome
from course.lesson.loss_curve import LossCurve
from course.runs.record import Evaluation, Raised, RunRecord, Training, parse
from course.runs.vital_signs import OutcomeSigns, VitalSigns
from tests.vital_signs import signs

STEPS = {s.id: s for s in lesson.load("ch8-4").parts["pt"].steps}
OUTCOME = Outcome("accuracy", 0.2, labels=3, examples=2400, eval_examples=300)
TRAINED = RunRecord(
    status="finished",
    training=Training(examples=2400, max_steps=900, steps=900, seconds=20.0),
    evaluations=(
        Evaluation(300, {"eval_accuracy": 0.4}, 300, {"0": 100, "1": 100, "2": 100}),
        Evaluation(900, {"eval_accuracy": 0.8}, 300, {"0": 150, "1": 100, "2": 50}),
    ),
    vitals=signs(
        accuracy=0.8,
        labels={"0": 150, "1": 100, "2": 50},
        seen={"0": 800, "1": 800, "2": 800},
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


def test_a_score_is_found_by_its_value_among_what_two_evaluations_of_a_trainer_say() -> None:
    names = ("loss", "accuracy", "f1", "runtime", "samples_per_second", "steps_per_second")
    said = {f"{split}_{name}": 0.1 for split in ("test", "validation") for name in names}
    last = replace(LAST, values={**said, "validation_accuracy": 0.8, "epoch": 3.0})
    verdict = judge(STEPS["healthy"], OUTCOME, healthy_but(evaluations=(last,)))
    assert (verdict.problem, verdict.metrics["accuracy"]) == (None, 0.8)


def healthy_but(**changes: object) -> RunRecord:
    return replace(TRAINED, **changes)  # type: ignore[arg-type]


LAST = TRAINED.evaluations[-1]


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        (healthy_but(training=Training(max_steps=900)), "no-training"),
        (healthy_but(evaluations=(), vitals=None), "no-metric"),
        (healthy_but(evaluations=(replace(LAST, values={"eval_loss": 1.0}),)), "no-metric"),
        (healthy_but(evaluations=(replace(LAST, labels={}),), vitals=None), "no-baseline"),
        (replace(words("target-out-of-bounds")), "other-fault"),
        (RunRecord("exception", raised=Raised("m.E", ("m.E",), "?")), "unknown"),
    ],
)
def test_what_is_not_healthy(record: RunRecord, problem: str) -> None:
    verdict = judge(STEPS["healthy"], OUTCOME, record)
    assert (verdict.matched, verdict.problem) == (False, problem)


SIGNS = TRAINED.vitals or VitalSigns()


def measured(**changes: dict[str, object]) -> RunRecord:
    """The healthy run, with signs changed: by part, then by name."""
    parts = {part: replace(getattr(SIGNS, part), **new) for part, new in changes.items()}
    return healthy_but(vitals=replace(SIGNS, **parts))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        (healthy_but(vitals=None), "not-measured"),
        (measured(model={"moved_share": None}), "not-measured"),
        (measured(model={"moved_share": 0.0}), "not-moved"),
        (measured(model={"groups": (replace(SIGNS.model.groups[0], moved=0),)}), "part-not-moved"),
        (measured(model={"evaluated_is_trained": 0}), "other-model"),
        (measured(data={"examples": 300}), "fewer-examples"),
        (measured(data={"batch_size": 1}), "batch-of-one"),
        (measured(data={"classes": 2}), "fewer-labels"),
        (measured(data={"split": "test"}), "other-split"),
        (measured(outcome={"split": "train"}), "other-split"),
        (measured(outcome={"of_data": 0.6}), "other-texts"),
        (measured(outcome={"labels_of_data": 0.6}), "other-labels"),
        (measured(data={"labels_of_data": 0.6}), "other-labels"),
        (measured(outcome={"rows": 8}), "other-evaluation"),
        (measured(outcome={"margin": 0.1}), "below-baseline"),
        (measured(outcome={"gain": 0.0, "loss_gain": 0.01}), "no-gain"),
        (measured(outcome={"gain": None, "loss_gain": None}), "not-measured"),
        (healthy_but(vitals=replace(SIGNS, outcome=OutcomeSigns())), "not-measured"),
    ],
)
def test_what_the_script_says_is_not_enough_to_be_healthy(record: RunRecord, problem: str) -> None:
    verdict = judge(STEPS["healthy"], OUTCOME, record)
    assert (verdict.matched, verdict.problem) == (False, problem)
    assert "{" not in describe_problem(verdict, OUTCOME)


@pytest.mark.parametrize(
    ("earlier", "problem"),
    [
        (measured(outcome={"rows": 160, "split": "train"}), None),
        (measured(outcome={"rows": 160, "split": "train", "margin": 0.1}), "below-baseline"),
        (measured(data={"split": "test"}), "other-split"),
        (measured(data={"examples": 300}), "fewer-examples"),
    ],
)
def test_a_training_before_the_last_may_be_evaluated_on_a_part_that_was_kept(
    earlier: RunRecord, problem: str | None
) -> None:
    found = judge(STEPS["healthy"], OUTCOME, healthy_but(earlier=(earlier,)))
    assert (found.matched, found.problem) == (problem is None, problem)


ENCODER = SIGNS.model.groups[0]
FINE = {
    "a pooler that is not used": measured(
        model={"groups": (replace(ENCODER, name="encoder.pooler", moved=0),)}
    ),
    "a part that nobody wants to train": measured(
        model={"groups": (*SIGNS.model.groups, replace(ENCODER, learning=0, moved=0))}
    ),
    "a lucky start, where the loss fell": measured(outcome={"gain": 0.0, "loss_gain": 0.4}),
    "one of several processes": replace(
        measured(outcome={"rows": 150}), figures={"processes": 2.0}
    ),
    "steps that nobody could foresee": healthy_but(
        training=Training(examples=2400, max_steps=None, steps=900, seconds=20.0)
    ),
    "an evaluation by hand, which we count": healthy_but(evaluations=()),
    "labels that come with the batches only": healthy_but(evaluations=(replace(LAST, labels={}),)),
}


@pytest.mark.parametrize("record", FINE.values(), ids=FINE)
def test_what_is_healthy_all_the_same(record: RunRecord) -> None:
    verdict = judge(STEPS["healthy"], OUTCOME, record)
    assert (verdict.matched, verdict.problem) == (True, None)
    assert verdict.metrics["accuracy"] == SIGNS.outcome.accuracy
    assert verdict.metrics["baseline"] == 0.5


def test_a_script_may_call_its_accuracy_as_it_likes_where_it_is_as_we_count() -> None:
    counted = SIGNS.outcome.accuracy
    assert counted is not None
    for name, said, problem in (
        ("eval_acc", counted, None),
        ("eval_acc", counted - 0.1, "no-metric"),
        ("eval_loss", 3.0, "no-metric"),
    ):
        run = healthy_but(evaluations=(replace(LAST, values={name: said}),))
        assert judge(STEPS["healthy"], OUTCOME, run).problem == problem


def test_metrics_of_one_evaluation_are_told_one_by_one() -> None:
    f1 = replace(LAST, values={"eval_f1": 0.7})
    record = healthy_but(evaluations=(LAST, f1))
    last = record.last_evaluation
    assert last is not None
    assert last.values == {**LAST.values, "eval_f1": 0.7}
    assert judge(STEPS["healthy"], OUTCOME, record).matched
    # What was said of other examples, or before more training, is another evaluation's.
    for changes in ({"examples": 8}, {"step": 0}, {"labels": {"0": 1}}):
        record = healthy_but(evaluations=(replace(LAST, **changes), f1))  # type: ignore[arg-type]
        assert record.last_evaluation == f1
    assert healthy_but(evaluations=()).last_evaluation is None


def test_a_metric_that_is_given_the_rows_in_pieces_tells_of_each_and_we_count_them_all() -> None:
    piece = replace(LAST, examples=20, labels={"0": 20})
    whole = measured(outcome={"given": 20, "given_times": 15})
    record = replace(whole, evaluations=(piece,))
    assert lesson_figures(record, OUTCOME)["lesson.evaluated"] == 300
    assert judge(STEPS["healthy"], OUTCOME, record).matched
    once = replace(measured(outcome={"given": 20, "given_times": 1}), evaluations=(piece,))
    assert judge(STEPS["healthy"], OUTCOME, once).problem == "other-evaluation"


def test_rows_that_differ_in_a_text_nobody_reads_are_not_fewer() -> None:
    alike = measured(data={"examples": 800, "text_columns": 2, "texts_in_ids": 1})
    assert judge(STEPS["healthy"], OUTCOME, alike).matched
    assert lesson_figures(alike, OUTCOME).get("lesson.train_examples") != 800
    read = measured(data={"examples": 800, "text_columns": 2, "texts_in_ids": 2})
    assert judge(STEPS["healthy"], OUTCOME, read).problem == "fewer-examples"


def test_beside_a_librarys_metric_a_script_may_count_its_accuracy_by_hand() -> None:
    for values, problem in (
        ({"eval_f1": 0.7, "eval_recall": 0.7}, None),
        ({"eval_f1": 0.7, "eval_loss": 0.7}, "no-metric"),
        ({}, "no-metric"),
    ):
        run = healthy_but(evaluations=(replace(LAST, values=values),))
        assert judge(STEPS["healthy"], OUTCOME, run).problem == problem
    counted = SIGNS.outcome
    uncounted = replace(SIGNS, outcome=replace(counted, accuracy=None))
    run = healthy_but(evaluations=(replace(LAST, values={"eval_f1": 0.7}),), vitals=uncounted)
    assert judge(STEPS["healthy"], OUTCOME, run).problem == "no-metric"


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


CURVE = LossCurve(16, ((20, 1.0), (40, 0.8), (300, 0.5)), 40, window=20, excess=0.15, versions={})
SILENT = replace(OUTCOME, curve=CURVE)
NAN = float("nan")


def stopped(losses: tuple[tuple[int, float], ...], **setting: object) -> RunRecord:
    known = {"examples": 2400, "batch_size": 16, "max_steps": 300, "num_labels": 3}
    training = Training(**{**known, **setting})  # type: ignore[arg-type]
    return RunRecord("stopped", training=training, losses=losses)


STALLED = ((20, 1.1), (40, 1.1))
LABELS = {"0": 800, "1": 800, "2": 800}


@pytest.mark.parametrize(
    ("record", "fault"),
    [
        (stopped(STALLED, learning_rate=1e-3), "learning-rate-too-high"),
        (stopped(STALLED, learning_rate=5e-5), None),
        (stopped(((20, 1.1), (40, 0.85)), learning_rate=1e-3), None),
        (stopped(((20, 1.1),), learning_rate=1e-3), None),
        (stopped(STALLED, from_logits=False, outputs="logits"), "stalling-loss"),
        (stopped(STALLED, from_logits=False, outputs="logits", learning_rate=1.0), "stalling-loss"),
        (stopped(STALLED, from_logits=False, outputs="probabilities"), None),
        (stopped(((20, NAN),), labels={**LABELS, "3": 1}), "nan-loss"),
        (stopped(((20, NAN),), labels=LABELS), None),
        (stopped(((20, NAN),), labels=LABELS, learning_rate=1e3), "learning-rate-too-high"),
    ],
)
def test_a_silent_fault_needs_its_effect_and_its_cause(
    record: RunRecord, fault: str | None
) -> None:
    assert should_stop(record, SILENT) is (fault is not None)
    verdict = judge(STEPS["healthy"], SILENT, record)
    assert (verdict.match.fault.id if verdict.match else None) == fault
    assert verdict.problem == ("other-fault" if fault else "stopped")


def test_the_figures_that_give_a_silent_fault_away_are_told() -> None:
    record = stopped(STALLED, learning_rate=1e-3, labels=LABELS)
    verdict = judge(STEPS["healthy"], SILENT, record)
    assert verdict.metrics["learning_rate"] == 1e-3
    assert verdict.metrics["judged_step"] == 40
    assert verdict.metrics["loss"] == pytest.approx(1.1)
    assert verdict.metrics["healthy_loss"] == pytest.approx(0.8)
    nan = stopped(((2, 1.0), (4, NAN), (6, NAN)), labels={**LABELS, "3": 1})
    assert judge(STEPS["healthy"], SILENT, nan).metrics["nan_step"] == 4


def test_a_lasting_nan_of_unknown_cause_ends_the_run_and_a_single_one_does_not() -> None:
    once = stopped(((2, NAN), (4, 1.0), (6, 1.0), (8, 1.0), (10, 1.0)), labels=LABELS)
    lasting = stopped(tuple((step, NAN) for step in range(2, 12, 2)), labels=LABELS)
    assert not should_stop(once, SILENT)
    assert should_stop(lasting, SILENT)
    verdict = judge(STEPS["healthy"], SILENT, lasting)
    assert verdict.problem == "not-finite"
    assert verdict.metrics["nan_step"] == 2
    assert "step 2" in describe_problem(verdict, SILENT)


@pytest.mark.parametrize(
    ("setting", "problem", "told"),
    [
        (Training(examples=2400, batch_size=1, max_steps=9), "batch-of-one", "one example"),
        (Training(labels={"0": 1, "1": 1}, max_steps=9), "fewer-labels", "2 of the 3 labels"),
        (Training(examples=8, max_steps=9), "fewer-examples", "8 of the 2400 examples"),
    ],
)
def test_what_goes_round_a_bug_is_known_and_told_before_the_first_step(
    setting: Training, problem: str, told: str
) -> None:
    record = RunRecord("stopped", training=setting)
    assert should_stop(record, OUTCOME)
    # Where it has come to its end, another may follow.
    assert not should_stop(replace(record, training=replace(setting, seconds=1.0)), OUTCOME)
    verdict = judge(STEPS["healthy"], OUTCOME, record)
    assert verdict.problem == problem
    assert told in describe_problem(verdict, OUTCOME)


@pytest.mark.parametrize(
    "problem", ["fewer-labels", "fewer-examples", "other-evaluation", "not-finite"]
)
def test_a_figure_that_was_not_measured_is_not_told_as_zero(problem: str) -> None:
    verdict = replace(judge(STEPS["healthy"], OUTCOME, TRAINED), problem=problem, metrics={})
    told = describe_problem(verdict, OUTCOME)
    assert "not measured" in told
    assert " 0 " not in told


@pytest.mark.parametrize("value", ["x", [], {"a": 1}, "nan", -1, 1e400, True, 0, "²"])
@pytest.mark.parametrize(
    "key",
    ["examples", "batch_size", "max_steps", "num_labels", "epochs", "learning_rate", "labels"],
)
def test_figures_that_a_script_made_up_can_be_judged_all_the_same(key: str, value: object) -> None:
    event = {"event": "train", "examples": 2400, "max_steps": 40, "labels": {"0": 1}, key: value}
    losses = [{"event": "loss", "step": step, "mean": "1.1"} for step in range(2, 62, 2)]
    start = {"event": "start", "format": 1, "versions": {}}
    end = {"event": "end", "seconds": 1.0, "exit": 0}
    record = parse([json.dumps(e) for e in (start, event, *losses, end)])
    verdict = judge(STEPS["healthy"], SILENT, record)
    assert verdict.problem is not None
    assert describe_problem(verdict, SILENT)
    should_stop(record, SILENT)


@pytest.mark.parametrize(("name", "told"), [("ch3-2", ["padding-to-maximum"]), ("ch3-3", [])])
def test_what_only_costs_time_is_a_fault_where_the_lesson_is_about_it(
    name: str, told: list[str]
) -> None:
    figures: dict[str, float] = {"padding_factor": 3.0, "width_follows": 0.0, "width": 80.0}
    record = RunRecord(status="finished", figures=figures)
    outcome = lesson.load(name).parts["pt"].outcome
    assert [match.fault.id for match in shown(record, outcome)] == told
