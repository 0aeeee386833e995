"""Repairs of calls of Keras and of datasets, so that a diagnosis comes past them."""

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from course_probe.diagnosis import bridges
from course_probe.diagnosis.bridges import FailedCall

ERROR = ValueError("Could not find label column(s) in input dict")


def test_rows_are_padded_to_the_longest_of_their_batch() -> None:
    rows = [{"ids": np.array([1, 2, 3]), "label": 1}, {"ids": np.array([4]), "label": 0}]
    (((padded,), named),) = bridges._padded_arrays(FailedCall(ERROR, (rows,), {}))
    assert [row["ids"].tolist() for row in padded] == [[1, 2, 3], [4, 0, 0]]
    assert [row["label"] for row in padded] == [1, 0]
    assert named == {}


def test_padding_of_ours_is_looked_at_by_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = SimpleNamespace(Tensor=np.matrix)
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "transformers", SimpleNamespace())
    rows = [{"input_ids": [5, 6, 7], "labels": [0, 1, 2]}, {"input_ids": [8], "labels": [1]}]
    padded = bridges._rectangular(rows)
    assert [row["input_ids"] for row in padded] == [[5, 6, 7], [8, 0, 0]]
    assert [row["attention_mask"] for row in padded] == [[1, 1, 1], [1, 0, 0]]
    assert [row["labels"] for row in padded] == [[0, 1, 2], [1, -100, -100]]


def test_columns_are_those_that_there_are() -> None:
    data = SimpleNamespace(column_names=["input_ids", "label"])
    named = {"columns": ["input_ids", "labels", "extra"], "label_cols": "labels", "shuffle": True}
    ((given, changed),) = bridges._with_columns_there(FailedCall(ERROR, (data,), named))
    assert given == (data,)
    assert changed == {"columns": ["input_ids", "label"], "label_cols": ["label"], "shuffle": True}
    known = FailedCall(ERROR, (data,), {"columns": ["label"]})
    assert list(bridges._with_columns_there(known)) == []


class Batches:
    """Data of Keras, of one batch."""

    def __init__(self, batch: Any, spec: object) -> None:
        self.batch, self.element_spec = batch, spec

    def map(self, function: Any) -> "Batches":
        """Change each batch."""
        return Batches(function(self.batch), None)


def test_labels_are_put_beside_the_inputs() -> None:
    model = SimpleNamespace(train_function=print)
    data = Batches({"input_ids": [1], "label": [0]}, {"input_ids": None, "label": None})
    failed = FailedCall(ERROR, (model,), {"x": data, "epochs": 2})
    ((given, named),) = bridges._with_labels_apart(failed)
    assert given[1].batch == ({"input_ids": [1]}, [0])
    assert named == {"epochs": 2}
    assert model.train_function is None
    for error, batches in ((ValueError("other"), data), (ERROR, Batches([1], None))):
        assert list(bridges._with_labels_apart(FailedCall(error, (model, batches), {}))) == []
