"""What is asked of a Keras training: its data, wherever they come from."""

import inspect
import itertools
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from course_probe.exam.examination import PartMissing
from course_probe.exam.keras import KerasCandidate
from course_probe.exam.tape_loop import _TapeCandidate


class Rows:
    """Rows as `tf.data` has them."""

    def __init__(self, rows: list[Any]) -> None:
        self.rows = rows

    @classmethod
    def from_tensor_slices(cls, arrays: Any) -> "Rows":
        x, y = arrays
        return cls([({n: v[i] for n, v in x.items()}, y[i]) for i in range(len(y))])

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.rows)

    def take(self, count: int) -> "Rows":
        return Rows(self.rows[:count])

    def skip(self, count: int) -> "Rows":
        return Rows(self.rows[count:])

    def shuffle(self, _size: int) -> "Rows":
        return Rows(self.rows[::-1])

    def batch(self, size: int) -> list[Any]:
        batches = []
        for start in range(0, len(self.rows), size):
            some = self.rows[start : start + size]
            ids = [each["input_ids"] for each, _label in some]
            batches.append(({"input_ids": ids}, [label for _each, label in some]))
        return batches


class Callback:
    """As Keras's own: it is given its model."""

    model: Any = None


def unpacked(batch: Any) -> tuple[Any, Any, None]:
    x, y = batch if isinstance(batch, tuple) else (batch, None)
    return x, y, None


@pytest.fixture(autouse=True)
def frameworks(monkeypatch: pytest.MonkeyPatch) -> None:
    utils = SimpleNamespace(unpack_x_y_sample_weight=unpacked)
    callbacks = SimpleNamespace(Callback=Callback)
    keras = SimpleNamespace(utils=utils, callbacks=callbacks)
    monkeypatch.setitem(sys.modules, "tf_keras", keras)
    data = SimpleNamespace(Dataset=Rows)
    monkeypatch.setitem(sys.modules, "tensorflow", SimpleNamespace(data=data))


def fit(
    self: Any,
    x: Any = None,
    y: Any = None,
    batch_size: int | None = None,
    validation_split: float = 0.0,
    validation_data: Any = None,
    shuffle: bool = True,
) -> None:
    """As that of Keras."""


ARRAYS = {"input_ids": [[n] for n in range(10)]}, list(range(10))


def asked(*given: Any, **named: Any) -> dict[str, list[int]]:
    """Return the labels that come with the batches of each dataset, where all is as it should."""
    bound = inspect.signature(fit).bind(SimpleNamespace(), *given, **named)
    made = KerasCandidate(SimpleNamespace(), bound, fit).answer({"kind": "pairs", "batches": 9})
    for batches in made.values():
        for each in batches:
            assert [row[0] for row in each["inputs"]["input_ids"]] == each["labels"]
    return {which: [n for each in made[which] for n in each["labels"]] for which in made}


def test_a_part_of_the_arrays_may_be_held_out_for_the_validation() -> None:
    found = asked(*ARRAYS, batch_size=2, validation_split=0.3)
    assert sorted(found["train"]) == list(range(7))
    assert found["evaluation"] == [7, 8, 9]


def test_validation_data_that_are_given_come_before_such_a_part() -> None:
    other = {"input_ids": [[20], [21]]}, [20, 21]
    found = asked(*ARRAYS, validation_split=0.3, validation_data=other)
    assert sorted(found["train"]) == list(range(10))
    assert found["evaluation"] == [20, 21]


def test_without_either_there_is_no_validation() -> None:
    for share in (0.0, None):
        with pytest.raises(PartMissing):
            asked(*ARRAYS, validation_split=share)


@pytest.mark.parametrize("loss", [None, "a loss"])
def test_a_loop_may_take_the_labels_out_of_its_batches(loss: Any) -> None:
    batches = Rows([{"input_ids": [[1], [2]], "labels": [1, 2]}])
    other = Rows([{"input_ids": [[3]], "labels": [3]}])
    loop: Any = SimpleNamespace(
        model=SimpleNamespace(),
        optimizer=None,
        loss=loss,
        steps=5,
        rounds=[(batches, 0), (other, 5)],
    )
    found = _TapeCandidate(loop).answer({"kind": "pairs", "batches": 1})
    labels = [each["labels"] for which in ("train", "evaluation") for each in found[which]]
    # Where no loss was given any labels, they are none.
    assert labels == ([[1, 2], [3]] if loss else [None, None])


def trained(wanted: float, x: Any, y: Any = None, **named: Any) -> tuple[int, int | None]:
    """Return the steps of a training of so many epochs, and the length that `fit` was told."""
    steps = 0

    def fit(
        self: Any,
        x: Any,
        y: Any = None,
        batch_size: int = 32,
        epochs: int = 1,
        callbacks: Any = None,
        steps_per_epoch: int | None = None,
    ) -> None:
        nonlocal steps
        told.append(steps_per_epoch)
        for each in callbacks or []:
            each.model = self
        for _epoch in range(epochs):
            for batch in range(steps_per_epoch or -(-10 // batch_size)):
                steps += 1
                for each in callbacks or []:
                    each.on_train_batch_end(batch)
                if self.stop_training:
                    return

    told: list[int | None] = []
    model = SimpleNamespace(stop_training=False)
    bound = inspect.signature(fit).bind(model, x, y, **named)
    KerasCandidate(model, bound, fit).train(wanted, evaluate=False)
    return steps, told[0]


def test_a_training_may_take_a_part_of_an_epoch() -> None:
    assert trained(1, *ARRAYS, batch_size=2) == (5, None)
    assert trained(0.5, *ARRAYS, batch_size=2) == (3, None)
    assert trained(1.5, *ARRAYS, batch_size=2, epochs=9) == (8, None)
    assert trained(2, *ARRAYS, batch_size=2, steps_per_epoch=3) == (10, None)
    own = Callback()
    own.on_train_batch_end = lambda batch: None  # type: ignore[attr-defined]
    assert trained(0.3, *ARRAYS, batch_size=2, callbacks=[own]) == (2, None)


def test_an_epoch_of_data_without_an_end_is_as_long_as_the_script_says() -> None:
    endless = itertools.repeat(({"input_ids": [[1]]}, [0]))
    assert trained(1, endless, steps_per_epoch=6) == (6, 6)
    assert trained(0.5, endless, steps_per_epoch=6) == (3, 6)
