"""The ledger of Keras: what it writes of arrays, and which rules that breaks."""

import io
import json
import sys
from collections.abc import Iterator
from types import FrameType, SimpleNamespace
from typing import Any

import numpy
import pytest

from course.facts.facts import FactSet, facts_of
from course.invariants import judge
from course_probe.event_log import EventLog
from course_probe.ledger.keras.ledger import KerasLedger
from course_probe.ledger.keras.loss_kinds import MADE_BY
from course_probe.ledger.keras.study import FittedRows, KeptWeights, LossKind, StepStudy

CROSS_ENTROPY = "sparse_categorical_crossentropy"


class Array(numpy.ndarray[Any, Any]):
    """Numbers as Keras gives them: they may bear the name of what made them."""

    def numpy(self) -> Any:
        """Return the numbers alone."""
        return numpy.asarray(self)


class Variable:
    """One variable of a model."""

    def __init__(self, values: Any) -> None:
        self.values = numpy.asarray(values, "float32")
        self.shape = self.values.shape

    def numpy(self) -> Any:
        """Return its numbers."""
        return self.values

    def assign(self, values: Any) -> None:
        """Give it other numbers."""
        self.values = numpy.asarray(values, "float32")


class Model:
    """A linear layer and an activation, of as much of Keras as is looked at."""

    built = True
    losses = ()

    def __init__(self, width: int = 3, last: str = "linear", frozen: bool = False) -> None:
        self.kernel = Variable(numpy.random.default_rng(1).normal(0, 1, (4, width)))
        self.weights = self.variables = [self.kernel]
        self.trainable_variables = [] if frozen else [self.kernel]
        self.optimizer = SimpleNamespace(iterations=0, learning_rate=0.1)
        self._trainable_variables = [self.kernel]
        self.last = last

    def _flatten_layers(self) -> Iterator[Any]:
        yield self

    def __call__(self, given: Any, training: bool = False) -> Any:
        """Answer rows."""
        found = given @ self.kernel.values
        if self.last == "softmax":
            found = numpy.exp(found - found.max(-1, keepdims=True))
            found = found / found.sum(-1, keepdims=True)
        made = found.view(Array)
        setattr(made, MADE_BY, self.last)
        return made


class OwnScript:
    """A script that all of this is of."""

    def has(self, _frame: FrameType) -> bool:
        """Whether a frame is of the script."""
        return True

    def name(self, _frame: FrameType | None) -> str:
        """Return the name of the script."""
        return "train.py"


@pytest.fixture
def x() -> Any:
    return numpy.random.default_rng(0).normal(0, 1, (200, 4)).astype("float32")


@pytest.fixture
def y(x: Any) -> Any:
    return numpy.abs(x[:, :3]).argmax(1)


class Script:
    """What one script does, and the facts of it."""

    def __init__(self) -> None:
        self.stream = io.StringIO()
        log = EventLog(self.stream, stop="")
        self.ledger = KerasLedger(log, OwnScript(), lambda _frame: 7)

    def fit(
        self,
        model: Model,
        x: Any,
        y: Any,
        steps: int = 30,
        loss: float = 1.0,
        factor: float = 0.99,
        **given: Any,
    ) -> None:
        """Train, as a call of `fit` is told of: each step gives the loss, and scales weights."""
        part = given.get("validation_split")
        trained = x[: int(len(x) * (1 - part))] if part else x
        self.ledger.begin_fit({"self": model, "x": x, "y": y, **given}, [], None, trained)
        for step in range(steps):
            self.ledger.before_step(model)
            model.optimizer.iterations += bool(model.trainable_variables)
            model.kernel.assign(model.kernel.values * factor)
            self.ledger.after_step(model, lambda: loss, is_told=step % 5 == 0)
        self.ledger.end_epoch(model)
        self.ledger.note_validated(model)
        self.ledger.end_fit(given.get("missing", ()))

    def facts(self) -> tuple[FactSet, ...]:
        """Return the facts of the last event that was written."""
        self.ledger.write(over=True)
        known = judge.read(json.loads(self.stream.getvalue().splitlines()[-1]))
        assert known is not None
        return facts_of(known)

    def broken(self) -> set[str]:
        """Return the rules that are broken."""
        facts = [FactSet(e.kind, e.line, {"used": 1.0, **e.values}, e.words) for e in self.facts()]
        return {each.rule for each in judge.broken(facts)}


def test_rows_that_are_validated_and_were_trained_on(x: Any, y: Any) -> None:
    script, model = Script(), Model()
    script.fit(model, x, y, validation_data=(x[:100], y[:100]))
    assert "held-out-is-held-out/all" in script.broken()
    apart = Script()
    apart.fit(model, x[:150], y[:150], validation_data=(x[150:], y[150:]))
    assert "held-out-is-held-out/all" not in apart.broken()


def test_rows_that_fit_keeps_back_are_not_trained_on(x: Any, y: Any) -> None:
    script, model = Script(), Model()
    script.fit(model, x, y, validation_split=0.25)
    (network,) = (each.values for each in script.facts() if each.kind == "network")
    assert network["distinct"] == 150
    assert network["unseen"] == 50
    assert "held-out-is-held-out/all" not in script.broken()


def test_the_rows_of_one_fold_are_none_of_another_model(x: Any, y: Any) -> None:
    script = Script()
    for part, rest in ((slice(0, 100), slice(100, 200)), (slice(100, 200), slice(0, 100))):
        model = Model()
        script.fit(model, x[part], y[part])
        script.ledger.note_asked({"self": model, "x": x[rest], "y": y[rest]})
    assert "held-out-is-held-out/all" not in script.broken()


def test_rows_that_are_alike_by_nature_tell_nothing() -> None:
    x = numpy.random.default_rng(0).integers(0, 2, (400, 4)).astype("float32")
    script = Script()
    script.fit(Model(), x[:300], x[:300, 0], validation_data=(x[300:], x[300:, 0]))
    assert "held-out-is-held-out/all" not in script.broken()


def test_classes_that_no_row_of_the_training_has(x: Any, y: Any) -> None:
    known = y < 2
    script = Script()
    script.fit(Model(), x[known], y[known], validation_data=(x[~known], y[~known]))
    assert "evaluation-has-labels/untrained" in script.broken()
    mixed = Script()
    mixed.fit(Model(), x, y, validation_split=0.2)
    assert "evaluation-has-labels/untrained" not in mixed.broken()


def test_classes_that_are_trained_on_later(x: Any, y: Any) -> None:
    script, model = Script(), Model()
    known = y < 2
    script.fit(model, x[known], y[known])
    script.ledger.note_asked({"self": model, "x": x, "y": y})
    assert "evaluation-has-labels/untrained" in script.broken()
    script.fit(model, x, y)
    assert "evaluation-has-labels/untrained" not in script.broken()


def test_a_mean_that_is_taken_from_evaluated_rows(x: Any, y: Any) -> None:
    for data, is_broken in ((x, True), (x[:150], False)):
        script, model = Script(), Model()
        script.ledger.note_adapted(data)
        script.fit(model, x[:150], y[:150])
        script.ledger.note_asked({"self": model, "x": x[150:], "y": y[150:]})
        assert ("figures-are-of-training/adapted" in script.broken()) == is_broken


def test_a_model_that_is_frozen_as_a_whole(x: Any, y: Any) -> None:
    script = Script()
    script.fit(Model(frozen=True), x, y)
    assert "parameters-are-held/none" in script.broken()
    script = Script()
    script.fit(Model(), x, y)
    assert "parameters-are-held/none" not in script.broken()


def test_a_callback_that_goes_by_nothing(x: Any, y: Any) -> None:
    script = Script()
    script.fit(Model(), x, y, missing=["val_acc"])
    (found,) = (each for each in judge.broken(script.facts()) if each.invariant == "best-is-kept")
    assert "val_acc" in found.evidence


@pytest.mark.parametrize(
    ("rule", "name", "value", "well"),
    [
        ("loss-pairs-rows/call", "pairs", 1.0, 0.0),
        ("score-knows-labels/call", "swapped_share", 1.0, 0.5),
        ("rows-keep-labels/padded", "padded_apart", 1.0, 0.2),
        ("all-data-is-seen/none", "empty", 1.0, 0.0),
        ("batches-are-mixed/order", "order", 0.02, 0.9),
        ("evaluated-is-trained/call", "untrained", 1.0, 0.0),
    ],
)
def test_what_a_call_is_given(
    rule: str, name: str, value: float, well: float, x: Any, y: Any
) -> None:
    script = Script()
    script.fit(Model(), x, y)
    script.ledger.note_call(name, well)
    assert rule not in script.broken()
    script.ledger.note_call(name, value)
    assert rule in script.broken()
    (found,) = (each for each in judge.broken(script.facts()) if each.rule == rule)
    assert (found.line, "{" in found.evidence) == (7, False)


def test_inputs_that_are_shuffled_apart_matter_where_nothing_is_learned(x: Any, y: Any) -> None:
    rule, chances = "rows-keep-labels/shuffled", entropy(from_logits=True)
    for loss, is_broken in ((1.1, True), (0.2, False)):
        script = Script()
        script.ledger.note_loss(chances.compute, chances.name, chances.takes_logits)
        script.ledger.note_call("shuffled_apart", 1.0)
        script.fit(Model(), x, y, steps=60, loss=loss)
        assert (rule in script.broken()) == is_broken


def test_steps_that_hardly_move_anything(x: Any, y: Any) -> None:
    for factor, is_broken in ((1 - 1e-6, True), (0.99, False)):
        script = Script()
        script.fit(Model(), x, y, factor=factor)
        assert ("steps-move-parameters" in script.broken()) == is_broken


def test_a_training_that_makes_no_step_is_known_by_the_optimizer(x: Any, y: Any) -> None:
    script, model = Script(), Model()
    script.ledger.begin_loop(model, [x], y, None)
    script.ledger.note_optimizer(model, model.optimizer)
    for _step in range(30):
        script.ledger.before_step(model)
        script.ledger.note_trained(model, x[:20], training=True)
        script.ledger.after_step(model, lambda: 1.0, is_told=True)
    assert "step-follows-backward/no-step" in script.broken()


def test_a_loop_that_trains_and_answers_in_the_wrong_modes(x: Any, y: Any) -> None:
    script, model = Script(), Model()
    model.rate = 0.1  # type: ignore[attr-defined]
    type(model).__name__ = "Dropout"
    try:
        script.ledger.begin_loop(model, [x], y, None)
        script.ledger.note_optimizer(model, model.optimizer)
        for _step in range(30):
            script.ledger.note_trained(model, x[:100], training=False)
            model.optimizer.iterations += 1
            script.ledger.after_step(model, lambda: 1.0, is_told=True)
        script.ledger.note_passed(model, x[100:], training=True)
        assert {"training-mode", "evaluation-mode/dropout"} <= script.broken()
    finally:
        type(model).__name__ = "Model"


# Studies.


@pytest.fixture(autouse=True)
def tensorflow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have as much of TensorFlow as a loss is asked with."""
    found = SimpleNamespace(convert_to_tensor=lambda values: numpy.asarray(values).view(Array))
    monkeypatch.setitem(sys.modules, "tensorflow", found)


def cross_entropy(labels: Any, outputs: Any, *, from_logits: bool) -> Any:
    """Compute the loss of classes by number."""
    made = numpy.asarray(outputs, "float64")
    if from_logits:
        made = numpy.exp(made - made.max(-1, keepdims=True))
        made = made / made.sum(-1, keepdims=True)
    rows = numpy.arange(len(labels))
    return -numpy.log(made[rows, numpy.asarray(labels)].clip(1e-7, 1)).view(Array)


def squares(labels: Any, outputs: Any) -> Any:
    """Compute the mean squared error."""
    return ((numpy.asarray(labels) - numpy.asarray(outputs)) ** 2).mean(-1).view(Array)


def study(model: Model, x: Any, y: Any, loss: LossKind) -> dict[str, Any]:
    """Ask one step, and prove that it leaves the weights as they are."""
    before = KeptWeights(model)
    model.kernel.assign(model.kernel.values + 0.01)
    now = model.kernel.values.copy()
    found = StepStudy(model, FittedRows([x], y), loss, before).found()
    assert (model.kernel.values == now).all()
    assert found["limits"] == []
    return found


def entropy(*, from_logits: bool) -> LossKind:
    """Make the loss of classes by number."""

    def compute(labels: Any, outputs: Any) -> Any:
        return cross_entropy(labels, outputs, from_logits=from_logits)

    return LossKind(compute, CROSS_ENTROPY, from_logits)


def test_a_loss_of_probabilities_that_is_given_none(x: Any, y: Any) -> None:
    raw = study(Model(), x, y, entropy(from_logits=False))
    assert raw["beyond_chances"] > 0.2
    assert study(Model(last="softmax"), x, y, entropy(from_logits=False))["beyond_chances"] == 0
    assert "beyond_chances" not in study(Model(), x, y, entropy(from_logits=True))


def test_a_softmax_before_a_loss_that_has_its_own(x: Any, y: Any) -> None:
    twice = study(Model(last="softmax"), x, y, entropy(from_logits=True))
    assert [each["op"] for each in twice["graph"]] == ["Gather", "LogSoftmax", "Softmax"]
    once = study(Model(), x, y, entropy(from_logits=True))
    assert [each["op"] for each in once["graph"]] == ["Gather", "LogSoftmax"]


def test_the_loss_is_asked_with_the_labels_of_other_rows(x: Any, y: Any) -> None:
    model = Model()
    model.kernel.assign(numpy.eye(4)[:, :3] * 4)
    own, others = study(model, x, x[:, :3].argmax(1), entropy(from_logits=True))["known"]
    assert own < others / 2
    # Labels that are all alike have no other rows' labels.
    before = KeptWeights(model)
    alike = StepStudy(model, FittedRows([x], y * 0), entropy(from_logits=True), before).found()
    assert "known" not in alike


def test_a_step_is_taken_shorter_and_longer(x: Any, y: Any) -> None:
    along = dict(study(Model(), x, y, entropy(from_logits=True))["along"])
    assert along[0.0] != along[1.0] != along[100.0]


def test_targets_that_an_activation_cannot_give(x: Any) -> None:
    model = Model(width=1, last="relu")
    found = study(model, x, x[:, :1], LossKind(squares, "mean_squared_error", False))
    assert 0.3 < found["targets_beyond"] < 0.7
    lowest, nothing = found["lowest"]
    assert nothing == 0 < lowest < found["constant"]


def test_an_input_that_holds_nothing_to_compute_with(x: Any, y: Any) -> None:
    x[3, 1] = numpy.nan
    found = study(Model(), x, y, entropy(from_logits=True))
    assert found["inputs_finite"] == 0
    assert "columns" not in found


def test_what_a_loss_is_given_breaks_a_rule(x: Any, y: Any) -> None:
    rule, chances = "loss-leads-to-labels/no-chances", entropy(from_logits=False)
    for last, is_broken in (("linear", True), ("softmax", False)):
        script = Script()
        script.ledger.note_loss(chances.compute, chances.name, chances.takes_logits)
        script.fit(Model(last=last), x, y)
        assert (rule in script.broken()) == is_broken


def test_labels_beyond_the_last_activation_break_a_rule(x: Any) -> None:
    rule = "loss-leads-to-labels/beyond"
    for last, is_broken in (("relu", True), ("linear", False)):
        script = Script()
        script.ledger.note_loss(squares, "mean_squared_error", takes_logits=False)
        script.fit(Model(width=1, last=last), x, x[:, :1])
        assert (rule in script.broken()) == is_broken
