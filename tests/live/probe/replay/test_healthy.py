"""Nothing is told of trainings with which nothing is wrong."""

import pytest
import torch

from tests.live.probe.replay import healthy
from tests.live.probe.replay.steps import broken


@pytest.mark.parametrize("times", [0, pytest.param(30, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("name", healthy.STEPS)
def test_nothing_is_wrong_with_a_healthy_step(name: str, times: int) -> None:
    torch.manual_seed(7)
    step = healthy.STEPS[name]()
    step.train(times)
    found = step.look()
    assert found["limits"] != ["no child"]
    assert broken(found) == set(), found
