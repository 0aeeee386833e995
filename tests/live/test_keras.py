"""The other half of chapter 8/4: most of its faults raise nothing, and are told all the same.

Its runtime is installed where it is missing, as a learner's would be.
"""

import ast
import json
import math
import os
import subprocess
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from course.exercise.walk import Taken, take
from course.judge.broken_rules import with_ledger, with_signs
from course.judge.script_verdict import judge_script
from course.judge.verdict import should_stop
from course.lesson import lesson
from course.lesson.catalogue import naming
from course.runs import hub
from course.runs.environment import runtime
from course.runs.process import InPlace, Job
from course.runs.record import RunRecord, parse
from course.runs.run_context import RunContext
from course.runs.warm_pool import Warm
from tests import provoking
from tests.command import CLEAN, ROOT, course
from tests.live.test_loop import document, stripped
from tests.tiers import sample, selected

PART = lesson.load("ch8-4").parts["tf"]
STEPS = ["no-gradients", "nan-loss", "learning-rate-too-high", "healthy"]


@pytest.fixture(scope="module")
def place() -> Iterator[RunContext]:
    """Where the runs of the test process itself take place: as those of the command line."""
    done = course("runtime", "install", "tf", "--yes", timeout=1500)
    assert done.returncode == 0, done.stdout + done.stderr
    before = dict(os.environ)
    os.environ |= {k: CLEAN[k] for k in ("COURSE_CACHE", "COURSE_TESTS")}
    found = runtime.find("tf", PART.requires)
    yield RunContext(found, hub.embedded(found), warm=Warm(found, PART.imports))
    os.environ.clear()
    os.environ |= before


@pytest.fixture(scope="module")
def faulty(place: RunContext) -> dict[str, Taken]:
    """Take the steps whose script has a bug; the whole walk is of the exhaustive tier."""
    return {step.id: take(PART, step, place) for step in PART.steps if step.fault}


def outputs(taken: Taken) -> list[str]:
    """Return what the looks of a step gave."""
    assert [result.error for _look, result in taken.looks] == [None] * len(taken.looks)
    return [result.output for _look, result in taken.looks]


def test_every_fault_is_live_and_as_expected(faulty: dict[str, Taken]) -> None:
    assert list(faulty) == STEPS[:-1]
    assert all(t.verdict.matched and t.verdict.evidence == "live" for t in faulty.values())


def test_labels_that_never_arrive_are_told_in_the_words_of_today(faulty: dict[str, Taken]) -> None:
    match, raised = faulty["no-gradients"].verdict.match, faulty["no-gradients"].record.raised
    assert match is not None
    assert raised is not None
    assert (match.fault.id, match.signature.wording) == ("no-gradients", "later")
    assert raised.name == "ValueError"
    assert "Target data is missing" in raised.message


def test_silent_faults_raise_nothing_and_have_figures(faulty: dict[str, Taken]) -> None:
    nan, rate = faulty["nan-loss"].verdict, faulty["learning-rate-too-high"].verdict
    for verdict in (nan, rate):
        assert verdict.match is not None
        assert verdict.match.fault.id == verdict.step
        assert verdict.match.signature.wording == "course"
        assert verdict.raised is None
    assert (nan.metrics["num_labels"], nan.metrics["train_labels"]) == (2, 3)
    # The very first batch holds a label that has no output.
    assert nan.metrics["nan_step"] == 1
    assert rate.metrics["learning_rate"] == pytest.approx(1e-3)
    assert rate.metrics["loss"] > rate.metrics["healthy_loss"] + 0.1
    assert rate.metrics["loss"] == pytest.approx(math.log(3), abs=0.1)


def test_the_looks_find_where_nan_begins(faulty: dict[str, Taken]) -> None:
    labels, logits, spoilt, losses, bad, good, outputs_, names = outputs(faulty["nan-loss"])
    assert {*"012"} <= set(labels)
    assert set(logits.replace("array(", "").split("nan")) != {logits}
    assert "0." not in logits
    some, of = ast.literal_eval(spoilt)
    assert 0 < some <= of
    assert some > of / 2
    values = losses.removeprefix("array(").split("]")[0].strip("[").replace("\n", "").split(",")
    of_each = [v.strip() == "nan" for v in values]
    expected = [v.strip() == "2" for v in labels.split("[")[1].split("]")[0].split(",")]
    assert of_each == expected
    assert set(bad.split("[")[1].split("]")[0].replace(" ", "").split(",")) == {"2"}
    assert good.startswith("array([0, 1]")
    assert outputs_ == "2"
    assert len(ast.literal_eval(names)) == 3


@pytest.mark.exhaustive
def test_the_walk_ends_with_a_model_that_has_learned(place: RunContext) -> None:
    done = course(*("run", "ch8-4", "--fw", "tf", "--lang", "ru", "--yes", "--json"), timeout=1500)
    assert done.returncode == 0, done.stdout + done.stderr
    walk = json.loads(done.stdout)
    assert walk["completed"] is True
    assert (walk["lesson"], walk["framework"], walk["lang"]) == ("ch8-4", "tf", "ru")
    assert [s["step"] for s in walk["steps"]] == STEPS
    assert all(s["matched"] and s["evidence"] == "live" for s in walk["steps"])
    assert {"python", "tensorflow", "tf_keras", "transformers", "datasets"} <= set(walk["runtime"])
    healthy = walk["steps"][-1]
    metrics = healthy["metrics"]
    assert metrics["accuracy"] - metrics["baseline"] >= 0.20
    assert abs(metrics["baseline"] - 1 / 3) < 0.01
    assert metrics["train_steps"] == 302
    # One batch is learned by heart.
    assert [look["error"] for look in healthy["looks"]] == [None] * len(healthy["looks"])
    said = [look["output"] for look in healthy["looks"]]
    plot = next(i for i, look in enumerate(PART.looks_at("healthy")) if look.plot)
    losses = ast.literal_eval(said[plot])
    assert losses[0] == pytest.approx(math.log(3), abs=0.3)
    assert losses[-1] < 0.2
    assert int(said[-1]) <= len(losses) <= 200
    initial, guess = ast.literal_eval(said[3])
    assert initial == pytest.approx(guess, abs=0.3)


@pytest.mark.exhaustive
def test_every_subset_and_the_variant_bite_with_their_own_fault(place: RunContext) -> None:
    done = course("dev", "check", "ch8-4", "--fw", "tf", "--json", timeout=1200)
    found = json.loads(done.stdout)
    assert done.returncode == 0, found
    assert found["holds"] is True
    assert len(found["runs"]) == 9
    for run in found["runs"]:
        first = next((n for n in (*STEPS[:-1], "stalling-loss") if n in run["bugs"]), None)
        assert (run["observed"], run["problem"]) == (first, None)
    assert ["stalling-loss"] in [run["bugs"] for run in found["runs"]]


@pytest.mark.exhaustive
def test_the_variant_is_told_by_its_cause_and_mended(place: RunContext, tmp_path: Path) -> None:
    made = course("start", "ch8-4", str(tmp_path), "--fw", "tf", "--bugs", "stalling-loss")
    assert made.returncode == 0, made.stderr
    path = tmp_path / "ch8-4-tf.py"
    found = document("run", str(path), status=1)
    assert found["steps"][0]["observed"]["fault"] == "stalling-loss"
    assert found["exercise"]["new"] is False
    hints = [document("hint", str(path), status=0)["texts"] for _rung in range(3)]
    assert not any("from_logits" in text for texts in hints[:2] for text in texts)
    assert any("from_logits" in text for text in hints[2])
    assert course("fix", str(path), "--apply", "--yes").returncode == 0
    assert "from_logits=True" in path.read_text()
    assert 'loss="' not in path.read_text()


@pytest.fixture(scope="module")
def slow(place: RunContext) -> RunRecord:
    """Record a slow but honest run of one epoch, at a fifth of the rate."""
    text = PART.text(()).replace("Adam(5e-5)", "Adam(1e-5)").replace("epochs=2", "epochs=1")
    assert text != PART.text(())
    done = place.run(Job(text), enough=lambda record: should_stop(record, PART.outcome))
    return done.record


@pytest.mark.exhaustive
def test_a_slow_but_honest_run_is_not_accused(slow: RunRecord) -> None:
    assert slow.status == "finished"
    assert not should_stop(slow, PART.outcome)
    assert len(slow.losses) > 100


@pytest.mark.exhaustive
def test_the_vital_signs_of_a_training_are_measured(slow: RunRecord) -> None:
    told = with_ledger(slow).vitals
    assert told is not None
    model, loss, rate, data, outcome = told.model, told.loss, told.rate, told.data, told.outcome
    assert (model.name, model.dtype, model.optimizer) == (
        "distilbert-base-uncased",
        "float32",
        "Adam",
    )
    assert model.parameters == model.learning == model.held == model.moved
    assert (model.passes, model.steps, model.first_moved, model.frozen_moved) == (151, 151, 1, 0)
    assert {"classifier", "distilbert/transformer/layer_._0"} <= {g.name for g in model.groups}
    assert all(g.moved == g.held == g.parameters and g.moved_by for g in model.groups)
    assert loss.guess == pytest.approx(math.log(3))
    assert (loss.finite, loss.first) == (1.0, pytest.approx(math.log(3), abs=0.3))
    assert rate.highest == rate.last == pytest.approx(1e-5)
    assert (rate.usual_low, rate.usual_high, rate.zero_share) == (1e-5, 1e-4, 0.0)
    assert (data.rows, data.examples, data.batch_size, data.split) == (2416, 2416, 16, "train")
    assert sum(data.labels.values()) == 2416
    assert data.order == pytest.approx(1, abs=0.1)
    assert (outcome.rows, outcome.split, outcome.overlap) == (304, "validation_matched", 0.0)
    assert outcome.said_accuracy == slow.evaluations[-1].values["eval_accuracy"]
    assert outcome.said_off == pytest.approx(0, abs=1e-6)
    assert outcome.loss == pytest.approx(outcome.said["loss"], abs=1e-4)
    assert outcome.gain is not None
    assert outcome.loss_gain is not None
    assert outcome.gain > 0.05
    assert outcome.loss_gain > 0.05


@pytest.mark.exhaustive
def test_watching_changes_nothing_and_a_rate_of_zero_is_seen(place: RunContext) -> None:
    """Three trainings of one process, with one seed: unwatched, watched, and with no rate."""
    found = with_ledger(place.run(Job(three_trainings(), ("results",))).record)
    assert found.status == "finished"
    unwatched, watched, _still = ast.literal_eval(found.looks[0].output)
    assert unwatched == watched
    assert found.vitals is not None
    model, rate, outcome = found.vitals.model, found.vitals.rate, found.vitals.outcome
    assert (model.steps, model.held_share, rate.zero_share) == (20, 1.0, 1.0)
    assert (model.moved, model.moved_by, model.first_moved) == (0, 0.0, None)
    assert (outcome.gain, outcome.loss_gain, outcome.compared) == (0.0, 0.0, 96)
    assert found.vitals.data.labels == {"0": 160, "1": 160}


FEWER = """
import inspect
import random

import numpy

for name, count in (("train", 160), ("validation_matched", 48)):
    labels = raw[name]["label"][:]
    chosen = [[at for at, label in enumerate(labels) if label == n][:count] for n in (0, 1)]
    raw[name] = raw[name].select(chosen[0] + chosen[1])
tokenized = raw.map("""
AGAIN = """

METHODS = {name: getattr(tf_keras.Model, name) for name in ("fit", "evaluate")}
results = []
for rate, is_watched in ((5e-5, False), (5e-5, True), (0.0, True)):
    for name, method in METHODS.items():
        setattr(tf_keras.Model, name, method if is_watched else inspect.unwrap(method))
    results.append(train(rate))
"""
TRAIN = """

def train(rate):
    tf_keras.utils.set_random_seed(42)
    losses = []
    note = tf_keras.callbacks.LambdaCallback(
        on_train_batch_end=lambda batch, logs: losses.append(float(logs["loss"]))
    )
"""


def three_trainings() -> str:
    """Train the model of the healthy script three times anew, on 320 examples of two labels."""
    data, begin, model = PART.text(()).partition("train_dataset = ")
    body = (
        (begin + model).replace("Adam(5e-5)", "Adam(rate)").replace("epochs=2", "callbacks=[note]")
    )
    end = "return losses, numpy.random.rand(), random.random()"
    train = TRAIN + textwrap.indent(f"{body}\n{end}", "    ")
    return data.replace("tokenized = raw.map(", FEWER) + train + AGAIN


def test_a_label_left_out_is_told_before_the_training_is_over(place: RunContext) -> None:
    text = PART.text(()).replace(
        'raw = load_dataset("glue", "mnli")',
        'raw = load_dataset("glue", "mnli").filter(lambda pair: pair["label"] != 2)',
    )
    done = place.run(Job(text), enough=lambda record: should_stop(record, PART.outcome))
    assert done.record.status == "stopped"
    assert done.record.training is not None
    assert len(done.record.training.labels) == 2


def test_cold_and_warm_runs_give_the_same_record(place: RunContext) -> None:
    text = PART.text(PART.bugs)
    looks = tuple(look.code for look in PART.looks_at("no-gradients"))
    warm = place.run(Job(text, looks))
    cold = replace(place, warm=None).run(Job(text, looks))
    assert (warm.warm, cold.warm) == (True, False)
    assert stripped_of_places(warm.record) == stripped_of_places(cold.record)


def stripped_of_places(record: Any) -> Any:
    """Strip a record of its times, and of where objects and generated files lie."""
    plain = stripped(record)
    assert plain.raised is not None
    return replace(
        plain,
        raised=replace(plain.raised, message=plain.raised.message.split("=<")[0], frames=()),
    )


KERAS = [name for name in provoking.names() if name.endswith(provoking.KERAS)]
Records = Callable[[str], RunRecord]


@pytest.fixture(scope="module")
def provoked(
    place: RunContext, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Records:
    """Give the record of a script of Keras 3; all that are asked for were run by one process."""
    folder = tmp_path_factory.mktemp("provoked")
    command = [str(place.runtime.python), "-m", "tests.provoking", "--to", str(folder)]
    names = selected(request, "name")
    subprocess.run([*command, *names], cwd=ROOT, check=True, timeout=900)
    return lambda name: parse((folder / f"{name}.jsonl").read_text("utf-8").splitlines())


@pytest.mark.parametrize("name", sample(KERAS, lambda number, _name: number % 16 == 0))
def test_what_a_script_of_keras_ends_with_is_named(name: str, provoked: Records) -> None:
    record = provoked(name)
    found = [match.fault.id for match in naming(record)]
    assert record.status == "exception", record
    assert found[:1] == [name.partition(".")[0]], found


LOOP = """
import numpy as np
import tensorflow as tf

x = np.random.default_rng(0).normal(0, 1, (400, 4)).astype("float32")
data = tf.data.Dataset.from_tensor_slices((x, x.sum(1))).shuffle(400).batch(32)
model = tf.keras.Sequential([tf.keras.layers.Dense(16), tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.Adam(1e-2)


@tf.function
def step(rows, targets):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(rows, training=True) - targets) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


for epoch in range(4):
    for rows, targets in data:
        loss = step(rows, targets)
"""


def test_a_cold_script_of_keras_is_listened_to_as_it_imports(
    place: RunContext, tmp_path: Path
) -> None:
    """What is hooked while TensorFlow is being imported must not disturb that."""
    path = tmp_path / "train.py"
    path.write_text(LOOP, "utf-8")
    job = Job("", name=path.name, in_place=InPlace(tmp_path, path.name, path=path))
    done = replace(place, warm=None).run(job)
    names = [each.fault.id for each in judge_script(done.record).namings if each.certain]
    assert names == ["broadcast-in-loss"]
    signs = with_signs(done.record).vitals
    assert signs is not None
    assert (signs.model.steps, signs.model.passes) == (52, 52)


@pytest.mark.parametrize(
    ("returned", "is_told"),
    [
        ("loss", True),
        pytest.param("{'share': rows[0, 0], 'loss': loss}", True, marks=pytest.mark.exhaustive),
        pytest.param("rows[0, 0], 2 * loss", False, marks=pytest.mark.exhaustive),
    ],
)
def test_the_losses_of_a_compiled_step_are_those_that_it_returns(
    place: RunContext, tmp_path: Path, returned: str, is_told: bool
) -> None:
    """What else a step returns is never taken for its loss. Warm, `tf.keras` would be Keras 2."""
    healthy = LOOP.replace("x.sum(1)", "x.sum(1, keepdims=True)")
    path = tmp_path / "train.py"
    path.write_text(healthy.replace("return loss", f"return {returned}"), "utf-8")
    job = Job("", name=path.name, in_place=InPlace(tmp_path, path.name, path=path))
    record = replace(place, warm=None).run(job).record
    assert not [each for each in judge_script(record).namings if each.certain]
    losses = [loss for _step, loss in with_signs(record).losses]
    assert bool(losses) == is_told
    if is_told:
        assert losses[-1] < losses[0] / 2
        signs = with_signs(record).vitals
        assert signs is not None
        assert signs.loss.last is not None
