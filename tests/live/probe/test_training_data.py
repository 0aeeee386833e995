"""What is read of a batch, however a loop of one's own makes it."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from course_probe.exam.training_data import (
    as_mapping,
    by_number,
    collated_row,
    count_shared,
    is_tokenized,
)

np = pytest.importorskip("numpy")
IDS = np.array([[2, 7, 3, 0], [2, 8, 9, 3]])
MASK = np.array([[1, 1, 1, 0], [1, 1, 1, 1]])
LABELS = np.array([0, 2])


@pytest.mark.parametrize(
    "batch",
    [
        (IDS, MASK, LABELS),
        [LABELS, MASK, IDS],
        ({"input_ids": IDS, "attention_mask": MASK}, LABELS),
    ],
)
def test_the_parts_of_a_tuple_are_told_by_what_is_in_them(batch: object) -> None:
    found = as_mapping(batch)
    assert set(found) == {"input_ids", "attention_mask", "labels"}
    assert (found["input_ids"] is IDS, found["labels"] is LABELS) == (True, True)


@pytest.mark.parametrize(
    "batch", [{"a": 1}, (IDS, IDS, LABELS), (MASK, MASK, IDS), ("text", LABELS), 3]
)
def test_what_remains_unclear_stays_as_it_is(batch: object) -> None:
    assert as_mapping(batch) is batch


class Stream(torch.utils.data.IterableDataset[dict[str, Any]]):
    """Rows that can only be gone through."""

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter([{"input_ids": [2, n], "label": n} for n in range(10)])


def test_rows_that_are_only_gone_through_are_asked_for_by_their_numbers_all_the_same() -> None:
    stream = Stream()
    assert len(by_number(stream)) == 10
    assert is_tokenized(stream)
    loader = SimpleNamespace(dataset=stream, collate_fn=lambda rows: {**as_columns(rows)})
    assert collated_row(loader, 0.5) == {"input_ids": [2, 5], "label": 5}
    rows = [{"input_ids": [1]}]
    assert by_number(rows) is rows


def as_columns(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {name: [row[name] for row in rows] for name in rows[0]}


def test_what_two_datasets_share_is_counted_where_it_can_be() -> None:
    datasets = pytest.importorskip("datasets")
    data = datasets.Dataset.from_dict({"input_ids": [[2, n] for n in range(10)], "label": [0] * 10})
    assert count_shared(data, [{"input_ids": [2, 3]}, {"input_ids": [2, 30]}]) == 1
    assert count_shared(data.with_format("torch"), [{"input_ids": [2, 3]}]) == 1
    assert count_shared([{"input_ids": [2, 3]}], [{"input_ids": [2, 3]}]) is None
