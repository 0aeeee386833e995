"""Rows that a script of Keras trains and evaluates on, and what its losses are given: on arrays."""

import sys
from types import ModuleType
from typing import Any

import numpy
import pytest

from course_probe.hooks.keras import fits, rows
from course_probe.hooks.keras.classes import KerasClasses
from course_probe.hooks.keras.evaluations import KerasEvaluations
from course_probe.hooks.keras.losses import MADE_BY, KerasLosses, facts
from course_probe.reading.held_out_values import is_kept


class Spec:
    """What is known of the rows of a dataset."""

    def __init__(self, shape: Any) -> None:
        self.shape = tuple(shape)


class Data:
    """As much of a `tf.data.Dataset` as is looked at."""

    def __init__(self, *inputs: Any, anew: bool = False) -> None:
        self._made_of = inputs
        self.element_spec: Any = inputs[0].element_spec if len(inputs) == 1 else None
        self._reshuffle_each_iteration = anew

    def _inputs(self) -> list[Any]:
        return list(self._made_of)


class TensorSliceDataset(Data):
    """Rows as they lie."""

    def __init__(self, *tensors: Any) -> None:
        super().__init__()
        self._tensors = list(tensors)
        spec = tuple(Spec(each.shape[1:]) for each in tensors)
        self.element_spec: Any = spec if len(spec) > 1 else spec[0] if spec else None


class ShuffleDataset(Data):
    """In another order."""


class TakeDataset(Data):
    """The first rows."""

    _count = 120


class SkipDataset(TakeDataset):
    """The others."""


class BatchDataset(Data):
    """Rows together."""

    _batch_size = 64

    def cardinality(self) -> int:
        return 4


class MapDataset(Data):
    """Each row made into another."""


class FilterDataset(Data):
    """Some of the rows."""


class ZipDataset(Data):
    """Side by side."""


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

    def figures(**given: Any) -> dict[str, float]:
        return KerasClasses().fit({"self": Model(), **given})

    split = figures(y=y, validation_split=0.3)
    assert split == {"labels_unseen": 0.0, "validation_labels": 1.0}
    unseen = figures(y=y[:200], validation_data=(None, y[200:]))
    assert unseen == {"labels_unseen": 1.0, "validation_labels": 1.0}
    assert figures(y=y) == {}
    assert figures(y=y / 7, validation_split=0.3) == {}
    # Of two classes with a point.
    halves = figures(y=(y[100:] == 2).astype("float32"), validation_split=0.3)
    assert halves["validation_labels"] == 1.0


def test_classes_that_are_evaluated_and_never_trained_on() -> None:
    y = numpy.repeat([0, 1, 2], 100)
    model, classes = Model(), KerasClasses()
    classes.fit({"self": model, "y": y[:200]})
    classes.evaluate({"self": model, "y": y[150:]})
    assert classes.last_figures()["evaluated_unseen"] == pytest.approx(2 / 3)
    # One class of the validation is a part of it.
    assert classes.last_figures()["validation_labels"] is None
    # It is trained on them later; or there is an evaluation of what it knows.
    classes.fit({"self": model, "y": y[200:]})
    assert classes.last_figures() == {"evaluated_unseen": 0.0}
    classes = KerasClasses()
    classes.fit({"self": model, "y": y[:200]})
    classes.evaluate({"self": model, "y": y[150:]})
    classes.evaluate({"self": model, "y": y[:200]})
    assert classes.last_figures() == {"evaluated_unseen": 0.0}
    classes.fit({"self": model, "y": None})
    assert classes.last_figures() == {}


def test_rows_that_validate_are_not_trained_on(x: Any) -> None:
    assert rows.prints(fits._without_split(x, 0.25)) == rows.prints(x[:150])
    assert fits._without_split(x, 0.0) is x


def test_the_rows_of_a_dataset_are_those_of_its_arrays(x: Any) -> None:
    y = numpy.arange(200)
    slices = TensorSliceDataset(x, y)
    batches = MapDataset(BatchDataset(ShuffleDataset(slices)))
    assert rows.prints(batches) == rows.prints(x)
    assert rows.prints(BatchDataset(TakeDataset(slices))) == rows.prints(x[:120])
    assert rows.prints(BatchDataset(MapDataset(SkipDataset(slices)))) == rows.prints(x[120:])
    assert rows.prints(ZipDataset(TensorSliceDataset(x), TensorSliceDataset(y))) == rows.prints(x)
    for unknown in (FilterDataset(slices), TakeDataset(ShuffleDataset(slices)), Data(slices)):
        assert rows.prints(unknown) == []
    texts = numpy.array(["a", "b", "a"], dtype=object)
    found = rows.prints(TensorSliceDataset(texts, y[:3]))
    assert len(found) == 3
    assert found[0] == found[2] != found[1]


def test_a_dataset_of_held_out_rows_that_are_those_of_the_training(
    x: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", script)
    y = numpy.arange(200)
    model, evaluations = Model(), KerasEvaluations()
    train = BatchDataset(ShuffleDataset(TensorSliceDataset(x[:150], y[:150])))
    test = BatchDataset(TensorSliceDataset(x[150:], y[150:]))
    same = BatchDataset(TensorSliceDataset(x[:150], y[:150]))
    vars(script).update(train=train, test_ds=test, other=same)
    evaluations.train(model, train)
    evaluations.evaluate(model, test)
    evaluations.evaluate(model, same)
    assert evaluations.last_figures(0) == {
        **{"evaluation_overlap": 0.0, "held_out_unused": 0.0},
        **{"held_out_trained": 0.0, "adapted_together": 0.0},
    }
    vars(script)["test_data"] = same
    evaluations.evaluate(model, same)
    assert evaluations.last_figures(0)["held_out_is_training"] == 1.0


def test_held_out_rows_that_fit_was_given_too(x: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    script = ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", script)
    x_test = x[100:]
    vars(script).update(x_test=x_test)
    model, evaluations = Model(), KerasEvaluations()
    evaluations.train(model, fits._without_split(x, 0.25), x)
    evaluations.answer(model, x_test)
    assert evaluations.last_figures(0)["held_out_trained"] == 1.0
    # What the script keeps may be the very rows that `fit` keeps.
    x_test = x[150:]
    vars(script).update(x_test=x_test)
    evaluations = KerasEvaluations()
    evaluations.train(model, fits._without_split(x, 0.25), x)
    evaluations.answer(model, x_test)
    assert evaluations.last_figures(0)["held_out_trained"] == 0.0


def test_inputs_and_labels_that_are_shuffled_by_themselves(x: Any) -> None:
    inputs, labels = TensorSliceDataset(x), TensorSliceDataset(numpy.arange(200))

    def apart(one: Any, other: Any) -> bool:
        return rows.are_shuffled_apart(BatchDataset(ZipDataset(one, other)))

    def by(seed: int, of: Any) -> Any:
        shuffled: Any = ShuffleDataset(of)
        shuffled._seed, shuffled._seed2 = seed, seed
        return shuffled

    assert apart(ShuffleDataset(inputs), ShuffleDataset(labels))
    assert apart(ShuffleDataset(inputs), labels)
    assert apart(by(3, inputs), by(4, labels))
    assert not apart(by(3, inputs), by(3, labels))
    assert not apart(inputs, labels)
    # Pictures of two kinds.
    assert not apart(ShuffleDataset(inputs), ShuffleDataset(TensorSliceDataset(x)))
    assert not rows.are_shuffled_apart(ShuffleDataset(ZipDataset(inputs, labels)))
    assert not rows.are_shuffled_apart(x)


def test_lists_of_different_lengths() -> None:
    assert rows.is_ragged([[1], [1, 2]])
    assert not rows.is_ragged([[1, 2], [1, 2]])
    assert not rows.is_ragged([1, 2])
    assert not rows.is_ragged(numpy.zeros((2, 2)))
