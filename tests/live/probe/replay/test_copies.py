"""Frozen copies within a network, and labels that are filled up places of a text."""

import copy
from typing import Any

import pytest
import torch
from torch import nn

from course_probe.replay.drawn import frozen_copies
from course_probe.replay.whatif import filled_labels

TEXTS = torch.tensor([[1, 7, 5, 6, 2], [1, 8, 2, 0, 0], [1, 4, 2, 0, 0], [1, 2, 0, 0, 0]])
"""With a mark before and behind each."""


def wrapped(*, is_frozen: bool = True, is_copy: bool = True, has_learned: bool = False) -> Any:
    torch.manual_seed(0)
    encoder: Any = nn.Sequential(nn.Linear(20, 16), nn.ReLU(), nn.Linear(16, 4))
    if has_learned:
        nn.init.constant_(encoder[0].bias, 3.0)
        nn.init.constant_(encoder[2].bias, 3.0)
    target = copy.deepcopy(encoder)
    if not is_copy:
        nn.init.normal_(target[0].weight)
        nn.init.zeros_(target[0].bias)
    for each in target.parameters():
        each.requires_grad = not is_frozen
    return nn.ModuleDict({"online": encoder, "target": target})


@pytest.mark.parametrize(
    ("changes", "count"),
    [
        ({}, 1),
        ({"is_frozen": False}, 0),
        ({"is_copy": False}, 0),
        # What has learned before is to stay as it is, as a teacher.
        ({"has_learned": True}, 0),
    ],
)
def test_a_part_is_a_frozen_copy_of_another_one(changes: dict[str, bool], count: int) -> None:
    assert len([*frozen_copies(wrapped(**changes))]) == count


@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize("ahead", [0, 1])
def test_labels_that_are_padding_of_a_text(ahead: int, *, is_turned: bool) -> None:
    """The first place behind a text may be its end, and is left out."""
    given, labels = TEXTS, TEXTS[:, ahead:]
    places = torch.zeros_like(TEXTS, dtype=torch.bool)
    places[1:, 4] = places[3, 3] = True
    places = places[:, ahead:]
    if is_turned:
        given, labels, places = given.T, labels.T, places.T
    found = filled_labels([given], labels.reshape(-1))
    assert found is not None
    assert found.tolist() == places.reshape(-1).tolist()
    assert filled_labels([given], labels.reshape(-1).flip(0)) is None
