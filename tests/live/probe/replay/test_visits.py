"""Rows of a dataset that change each time they are read."""

import random
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.utils.data import DataLoader, Dataset

from course_probe.replay.visits import changed_by_visits


class Kept(Dataset[Any]):
    """Reads a row by a function of the script."""

    def __init__(self, x: Any, read: Callable[[Any, int], Any]) -> None:
        self.x = x
        self.read = read
        self.copies: list[Any] = [None] * len(x)
        self.own = torch.Generator().manual_seed(0)

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, i: int) -> Any:
        return self.read(self, i)


def _noisy(kept: Any, i: int) -> Any:
    row = kept.x[i]
    row += torch.randn(4)
    return row


def _dropped(kept: Any, i: int) -> Any:
    for place in range(len(kept.x[i])):
        if random.random() < 0.1:
            kept.x[i][place] = -1
    return {"ids": torch.tensor(kept.x[i])}


def _centered(kept: Any, i: int) -> Any:
    kept.x[i] -= kept.x[i].mean()
    return kept.x[i]


def _kept_copy(kept: Any, i: int) -> Any:
    kept.copies[i] = kept.x[i] + torch.randn(4)
    return kept.copies[i]


def _by_its_own_chance(kept: Any, i: int) -> Any:
    return kept.x[i] + torch.randn(4, generator=kept.own)


@pytest.mark.parametrize(
    ("x", "read", "found"),
    [
        (torch.randn(5, 4), _noisy, ["x"]),
        (torch.randn(5, 4).numpy(), lambda kept, i: kept.x[i].__imul__(2), ["x"]),
        ([[*range(20)] for _ in range(5)], _dropped, ["x"]),
        # What comes to the same at each visit, a copy that is kept, another chance.
        (torch.randn(5, 4), _centered, []),
        (torch.randn(5, 4), _kept_copy, []),
        (torch.randn(5, 4), _by_its_own_chance, []),
    ],
)
def test_rows_that_change_at_each_visit(x: Any, read: Any, found: list[str]) -> None:
    loader = DataLoader(Kept(x, read))
    assert changed_by_visits() == [["Kept", each, 5] for each in found]
    del loader
    # What a worker changes is gone with it.
    others = DataLoader(Kept(x, read), num_workers=1)
    assert changed_by_visits() == []
    del others
