"""What the steps of a training have done, read from the weights: what counts as set by others."""

import copy
from collections.abc import Callable

import pytest
import torch
from torch import nn

from course_probe.vital_signs.real_steps import RealSteps

RATE = 0.01


def decay(model: nn.Module, _first: dict[str, torch.Tensor]) -> None:
    """Make the weights a little smaller by hand."""
    with torch.no_grad():
        for each in model.parameters():
            each.mul_(1 - RATE * 0.01)


def load(model: nn.Module, others: dict[str, torch.Tensor]) -> None:
    """Give the model the weights of another one."""
    model.load_state_dict(others)


def train_on(model: nn.Module, optimizer: torch.optim.Optimizer, steps: RealSteps) -> None:
    """Take one step, and have it heard."""
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(torch.randn(8, 4)), torch.arange(8) % 3).backward()
    steps.begin(optimizer)
    optimizer.step()
    steps.end(optimizer)


def nothing(_model: nn.Module, _others: dict[str, torch.Tensor]) -> None:
    """Leave the weights as they are."""


@pytest.mark.parametrize(("between", "count"), [(nothing, 0), (decay, 0), (load, 1)])
def test_weights_that_others_set_count_and_a_decay_by_hand_does_not(
    between: Callable[[nn.Module, dict[str, torch.Tensor]], None], count: int
) -> None:
    torch.manual_seed(0)
    model, others = nn.Linear(4, 3), copy.deepcopy(nn.Linear(4, 3).state_dict())
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE)
    steps = RealSteps()
    for number in range(6):
        train_on(model, optimizer, steps)
        if between is not load or number == 3:
            between(model, others)
    assert steps.figures()["weights_set"] == count


def test_a_new_model_is_not_what_steps_have_led_to() -> None:
    torch.manual_seed(0)
    model = nn.Linear(4, 3)
    new, kept = copy.deepcopy(model), nn.Linear(4, 3)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE)
    steps = RealSteps()
    for _number in range(2):
        train_on(model, optimizer, steps)
    kept.load_state_dict(model.state_dict())
    named = dict(model.named_parameters())
    assert steps.led_to(named, dict(kept.named_parameters()))
    assert not steps.led_to(named, dict(new.named_parameters()))
