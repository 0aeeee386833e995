"""Rows that a script of Keras trains and evaluates on, and what its losses are given: on arrays."""

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from course_probe.hooks.keras import rows
from course_probe.ledger.keras import fits
from course_probe.ledger.keras.loss_kinds import MADE_BY
from course_probe.ledger.keras.losses import KerasLosses


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


def test_labels_in_the_place_of_outputs_are_noticed() -> None:
    noted: dict[str, float] = {}
    log, listener = SimpleNamespace(), SimpleNamespace(note_call=noted.__setitem__)
    losses = KerasLosses(log, listener)  # type: ignore[arg-type]
    made, labels = Tensor(numpy.full((4, 1), 0.3), "sigmoid"), Tensor(numpy.array([0, 1, 1, 0]))
    soft = Tensor(numpy.full((4, 1), 0.6), "sigmoid")
    for wanted in (labels, soft):
        assert not losses._note_places("binary_crossentropy", wanted, made)
    assert noted == {}
    assert losses._note_places("MeanMetricWrapper", made, labels)
    assert noted == {"swapped_share": 1.0}


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
    assert fits._monitors_missing(Trained(), given) == ["val_loss"]
    assert fits._monitors_missing(Trained(), given | {"validation_freq": 2}) == []
    assert fits._monitors_missing(Trained(), {"callbacks": EarlyStopping()}) == ["val_loss"]
    assert fits._monitors_missing(Model(), given) == []


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


@pytest.mark.parametrize(
    ("x", "y", "told"),
    [
        (numpy.zeros((2, 2)), numpy.array(["a", "b"]), (1, 0, 0, None)),
        ([[1], [1, 2]], numpy.zeros(2), (0, 1, 0, None)),
        (numpy.array([1, "a"], dtype=object), [[0], [0, 1]], (0, 0, 1, "str")),
        (numpy.array([1, 2.5], dtype=object), None, (0, 0, 0, "")),
    ],
)
def test_what_is_given_is_told_where_it_may_not_fit(x: Any, y: Any, told: Any) -> None:
    found = rows.facts_of(x, y)
    names = ("labels.are_text", "inputs.ragged", "labels.ragged", "objects.kind")
    assert tuple(map(found.get, names)) == told
