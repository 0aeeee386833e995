"""Rows that a script of Keras trains and evaluates on, and what its losses are given: on arrays."""

import sys
from types import ModuleType
from typing import Any

import numpy
import pytest

from course_probe.hooks.keras import fits, rows
from course_probe.hooks.keras.evaluations import KerasEvaluations
from course_probe.hooks.keras.losses import MADE_BY, KerasLosses, facts
from course_probe.reading.held_out_values import is_kept


class Data:
    """As much of a `tf.data.Dataset` as is looked at."""

    element_spec = None

    def __init__(self, *inputs: Any, anew: bool = False) -> None:
        self._made_of = inputs
        self._reshuffle_each_iteration = anew

    def _inputs(self) -> list[Any]:
        return list(self._made_of)


class TensorSliceDataset(Data):
    """Rows as they lie."""


class ShuffleDataset(Data):
    """In another order."""


class TakeDataset(Data):
    """The first rows."""


class SkipDataset(Data):
    """The others."""


class CacheDataset(Data):
    """As they came the first time."""


class Model:
    """Something that is trained."""


class Tensor:
    """What a layer has given; it may bear the name of an activation."""

    def __init__(self, values: Any, made_by: str | None = None) -> None:
        self._values = numpy.asarray(values)
        self.shape, self.dtype = self._values.shape, self._values.dtype
        if made_by is not None:
            setattr(self, MADE_BY, made_by)

    def numpy(self) -> Any:
        return self._values


@pytest.fixture
def x() -> Any:
    return numpy.random.default_rng(0).normal(0, 1, (200, 3)).astype("float32")


def test_a_row_of_several_inputs_is_one_row(x: Any) -> None:
    ids = numpy.arange(200)
    both = rows.prints({"table": x, "ids": ids})
    assert len(both) == len(set(both)) == 200
    assert rows.prints([x, ids]) == both
    assert rows.prints([x, ids[:100]]) == []
    assert rows.prints(x.astype(str)) == []


def test_only_datasets_that_change_nothing_are_read() -> None:
    lies = TensorSliceDataset()
    shuffled = ShuffleDataset(lies)
    assert rows.is_repeatable(TakeDataset(lies))
    assert not rows.is_repeatable(shuffled)
    assert rows.before_shuffle(shuffled) is lies
    assert rows.before_shuffle(TakeDataset(shuffled)) is None


def test_held_out_rows_that_were_trained_on_are_known_by_their_name(
    x: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", script)
    model, evaluations = Model(), KerasEvaluations()
    x_test, x_new = x[150:], x[150:] + 1
    vars(script).update(x_test=x_test, x_new=x_new, x_train=x)
    evaluations.train(model, x)
    evaluations.evaluate(model, x_new)
    evaluations.evaluate(model, x[:50])
    assert "held_out_trained" not in evaluations.last_figures(0)
    evaluations.evaluate(model, x_test)
    assert evaluations.last_figures(0)["held_out_trained"] == 1.0
    evaluations.evaluate(model, x)
    assert "held_out_is_training" not in evaluations.last_figures(0)
    vars(script)["xvalid"] = x
    assert is_kept(x)
    evaluations.evaluate(model, x)
    assert evaluations.last_figures(0)["held_out_is_training"] == 1.0


def test_the_rows_of_one_fold_are_none_of_another_model(x: Any) -> None:
    evaluations = KerasEvaluations()
    first, second = Model(), Model()
    evaluations.train(first, x[:100])
    evaluations.evaluate(first, (x[100:], None))
    evaluations.train(second, x[100:])
    evaluations.evaluate(second, (x[:100], None))
    assert evaluations.figures()["validation_overlap"] == 0.0


def test_rows_that_are_alike_by_nature_tell_nothing() -> None:
    x = numpy.random.default_rng(0).integers(0, 2, (400, 4)).astype("float32")
    model, evaluations = Model(), KerasEvaluations()
    evaluations.train(model, x[:300])
    evaluations.evaluate(model, (x[300:], None))
    assert evaluations.figures() == {}


def test_a_split_of_what_is_shuffled_anew_is_no_split() -> None:
    def split(anew: bool, cached: bool = False) -> dict[str, float]:
        shuffled: Any = ShuffleDataset(TensorSliceDataset(), anew=anew)
        whole = CacheDataset(shuffled) if cached else shuffled
        model, evaluations = Model(), KerasEvaluations()
        evaluations.train(model, TakeDataset(whole))
        evaluations.evaluate(model, SkipDataset(whole))
        return evaluations.figures()

    assert split(anew=True) == {"split_anew": 1.0}
    assert split(anew=False) == split(anew=True, cached=True) == {}


def test_mean_and_spread_of_held_out_rows_are_noticed(x: Any) -> None:
    model, evaluations = Model(), KerasEvaluations()
    evaluations.adapt(x)
    evaluations.train(model, x[:150])
    evaluations.evaluate(model, x[150:])
    assert evaluations.last_figures(0)["adapted_together"] == 1.0
    both = (x - x.mean(0)) / x.std(0, ddof=1)
    scaled = KerasEvaluations()
    scaled.train(model, both[:120])
    scaled.evaluate(model, both[120:])
    assert scaled.last_figures(0)["scaled_together"] == 1.0
    alone = (x - x[:120].mean(0)) / x[:120].std(0, ddof=1)
    apart = KerasEvaluations()
    apart.train(model, alone[:120])
    apart.evaluate(model, alone[120:])
    assert apart.last_figures(0)["scaled_together"] == 0.0


def test_squares_of_a_sigmoid_are_for_no_classes() -> None:
    outputs = Tensor(numpy.full((4, 1), 0.5), "sigmoid")
    found = dict(facts("mean_squared_error", False, outputs, numpy.array([0, 1, 1, 0])))
    assert found["classes_by_squares"] is True
    found = dict(facts("mean_squared_error", False, outputs, numpy.array([0.2, 1, 1, 0])))
    assert found["classes_by_squares"] is False
    wide = Tensor(numpy.full((4, 3), 0.3), "softmax")
    hot = numpy.eye(3)[[0, 1, 2, 0]]
    assert dict(facts("mean_squared_error", False, wide, hot))["classes_by_squares"] is True


def test_labels_in_the_place_of_outputs_are_noticed() -> None:
    class Log:
        looking = False

        def __init__(self) -> None:
            self.figures: dict[str, float] = {}

        def measure(self, _source: str, _every: float, values: dict[str, float]) -> None:
            self.figures |= values

    log = Log()
    losses = KerasLosses(log)  # type: ignore[arg-type]
    made, labels = Tensor(numpy.full((4, 1), 0.3), "sigmoid"), Tensor(numpy.array([0, 1, 1, 0]))
    soft = Tensor(numpy.full((4, 1), 0.6), "sigmoid")
    for wanted in (labels, soft):
        assert not losses._note_places("binary_crossentropy", wanted, made)
    assert log.figures == {}
    assert losses._note_places("MeanMetricWrapper", made, labels)
    assert log.figures == {"labels_and_outputs_swapped": 1.0}


def test_a_callback_that_goes_by_nothing_is_counted() -> None:
    class EarlyStopping:
        monitor = "val_loss"

    class ModelCheckpoint:
        monitor, save_best_only = "val_loss", False

    class History:
        history = {"loss": [1.0]}  # noqa: RUF012

    class Trained:
        history = History()

    given = {"callbacks": [EarlyStopping(), ModelCheckpoint()]}
    assert fits._monitors_missing(Trained(), given) == 1
    assert fits._monitors_missing(Trained(), given | {"validation_freq": 2}) == 0
    assert fits._monitors_missing(Trained(), {"callbacks": EarlyStopping()}) == 1
    assert fits._monitors_missing(Model(), given) == 0


def test_sorted_labels_leave_a_validation_of_one_class() -> None:
    y = numpy.repeat([0, 1, 2], 100)
    split = fits._label_figures({"y": y, "validation_split": 0.3})
    assert split == {"labels_unseen": 0.0, "validation_labels": 1.0}
    unseen = fits._label_figures({"y": y[:200], "validation_data": (None, y[200:])})
    assert unseen == {"labels_unseen": 1.0, "validation_labels": 1.0}
    assert fits._label_figures({"y": y}) == {}
    assert fits._label_figures({"y": y / 7, "validation_split": 0.3}) == {}


def test_rows_that_validate_are_not_trained_on(x: Any) -> None:
    assert rows.prints(fits._without_split(x, 0.25)) == rows.prints(x[:150])
    assert fits._without_split(x, 0.0) is x
