"""Items that a loader evaluates on, and another has trained on."""

from typing import Any

import pytest
import torch
from torch.utils.data import ConcatDataset, Dataset, Subset, TensorDataset, random_split

from course_probe.vital_signs.evaluation.shared_items import SharedItems

ROWS: list[Any] = [(f"a text of its own, the {n}th", n % 2) for n in range(100)]
TABLE = torch.randn(100, 3)


class Reviews(Dataset[Any]):
    """A data set of a script's own."""

    def __init__(self, rows: list[Any]) -> None:
        self.labels = [0] * len(rows)
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, number: int) -> Any:
        return self.rows[number]


class Owner:
    """A loader, for data that can't be remembered by themselves."""


def shared(trained: Any, evaluated: Any) -> float | None:
    items = SharedItems()
    owner = Owner()
    items.note_training(trained, owner)
    items.note_evaluation(evaluated, "loader 0")
    return items.figures().get("held_out_items_trained")


@pytest.mark.parametrize(
    ("trained", "evaluated", "share"),
    [
        (ROWS, ROWS[50:], 1.0),
        (ROWS[:50], ROWS[50:], 0.0),
        (Reviews(ROWS), Reviews(ROWS[20:]), 1.0),
        (Reviews(ROWS[:60]), Reviews(ROWS[40:]), 1 / 3),
        (Reviews([t for t, _ in ROWS]), Reviews([t for t, _ in ROWS[:50]]), 1.0),
        (TensorDataset(TABLE), TensorDataset(TABLE[40:]), 1.0),
        (TensorDataset(TABLE[:40]), TensorDataset(TABLE[40:]), 0.0),
        (TensorDataset(TABLE), TensorDataset(TABLE[40:].clone()), 0.0),
        (ConcatDataset([Reviews(ROWS[:50]), Reviews(ROWS[50:])]), Reviews(ROWS[10:40]), 1.0),
        # Where one object stands for many items, nothing is known; nor of so few.
        (ROWS, [ROWS[0]] * 50, None),
        (ROWS, ROWS[:10], None),
        ([1, 2, 3] * 20, [1, 2, 3] * 20, None),
    ],
)
def test_the_very_items_that_were_trained_on(
    trained: Any, evaluated: Any, share: float | None
) -> None:
    found = shared(trained, evaluated)
    assert found == share if share is None else found == pytest.approx(share)


def test_parts_of_one_data_set_are_told_by_their_numbers() -> None:
    data = TensorDataset(TABLE)
    train, test = random_split(data, [70, 30])
    assert shared(train, test) == 0.0
    assert shared(data, test) == 1.0
    again, _rest = random_split(data, [70, 30])
    assert 0.0 < (shared(again, Subset(data, range(100))) or 0.0) < 1.0


def test_the_training_under_way_counts_and_the_least_of_all_evaluations() -> None:
    items, half, whole = SharedItems(), Owner(), Owner()
    items.note_training(ROWS[:50], half)
    items.note_evaluation(ROWS[50:], "loader 0")
    items.note_training(ROWS, whole)  # In the end it is trained on all there is.
    items.note_evaluation(ROWS[50:], "loader 0")
    assert items.figures() == {"held_out_items_trained": 0.0}
    items = SharedItems()
    items.note_training(ROWS, whole)
    items.begin()
    items.note_training(ROWS[:50], half)
    items.note_evaluation(ROWS[50:], "loader 0")
    assert items.figures() == {"held_out_items_trained": 0.0}
