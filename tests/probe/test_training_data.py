"""What is read of a batch, however a loop of one's own makes it."""

import pytest

from course_probe.exam.training_data import as_mapping

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
