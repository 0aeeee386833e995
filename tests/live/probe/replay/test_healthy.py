"""Nothing is told of trainings with which nothing is wrong."""

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 (as everybody does)

from tests.live.probe.replay import healthy
from tests.live.probe.replay.steps import Step, broken


@pytest.mark.parametrize("times", [0, pytest.param(30, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("name", healthy.STEPS)
def test_nothing_is_wrong_with_a_healthy_step(name: str, times: int) -> None:
    torch.manual_seed(7)
    step = healthy.STEPS[name]()
    step.train(times)
    found = step.look()
    assert found["limits"] != ["no child"]
    assert broken(found) == set(), found


@pytest.mark.parametrize("count", [healthy.N, 4 * healthy.N])
def test_nodes_that_know_each_other_are_no_labels(count: int) -> None:
    torch.manual_seed(7)
    y, nodes = torch.randint(0, 3, (4 * healthy.N,)), torch.randn(4 * healthy.N, 10)
    seen = torch.arange(4 * healthy.N) < count
    found = Step(
        healthy.Graph(), lambda made: F.cross_entropy(made[seen], y[seen]), (nodes,)
    ).look()
    assert broken(found) <= {"rows mixed", "places mixed"}, found
