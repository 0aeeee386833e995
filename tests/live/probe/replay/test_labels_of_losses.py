"""Labels that a loss does not expect, and honest losses beside."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 (as everybody does)

from course.facts.studies import of_steps
from tests.live.probe.replay.healthy import N, mlp, rows
from tests.live.probe.replay.steps import Step


def to_classes(made: Any, several: Any) -> Any:
    return F.cross_entropy(made, several)


def of_counts(made: Any, several: Any) -> Any:
    return -(F.log_softmax(made, 1) * several).sum(1).mean()


def weighted_by_count(made: Any, several: Any) -> Any:
    return -((F.log_softmax(made, 1) * several).sum(1) / several.sum(1)).mean()


def shared_out(made: Any, several: Any) -> Any:
    return F.cross_entropy(made, several / several.sum(1, keepdim=True))


def each_by_itself_and_one_of_three(made: Any, several: Any) -> Any:
    one = F.cross_entropy(made[:, 5:], several[:, :3].sum(1).long() - 1)
    return F.binary_cross_entropy_with_logits(made[:, :5], several) + one


def pairs_by_zeros(made: Any, several: Any) -> Any:
    return F.cosine_embedding_loss(made, made.roll(1, 0).detach(), target=several[:, 1])


def ranks_by_signs(made: Any, several: Any) -> Any:
    return F.margin_ranking_loss(made[:, 0], made[:, 1], several[:, 1] * 2 - 1)


@pytest.mark.parametrize(
    ("loss", "wide", "fact"),
    [
        (to_classes, 5, "labels_of_a_row"),
        (of_counts, 5, None),
        (weighted_by_count, 5, None),
        (shared_out, 5, None),
        (each_by_itself_and_one_of_three, 8, None),
        (pairs_by_zeros, 5, "zeros_for_signs"),
        (ranks_by_signs, 5, None),
    ],
)
def test_labels_that_a_loss_expects(loss: Callable[..., Any], wide: int, fact: str | None) -> None:
    torch.manual_seed(0)
    several = torch.randint(0, 2, (N, 5)).float()
    several[:, 0] = 1
    step = Step(mlp(wide), lambda made: loss(made, several), (rows(),))
    step.train(1)
    found = step.look()
    ((_key, facts),) = of_steps([{"kind": "step", "at": 2, "network": 1, "found": found}])
    told = {
        "labels_of_a_row": facts["labels_of_a_row"] > 1,
        "zeros_for_signs": facts["zeros_for_signs"] > 0,
    }
    assert told == {name: name == fact for name in told}, found


@pytest.mark.parametrize("is_chosen", [False, True])
def test_classes_of_the_rows(*, is_chosen: bool) -> None:
    torch.manual_seed(0)
    y = torch.arange(4 * N) % 3
    at = torch.randperm(4 * N)[:N]
    counts = [[one, int((y[at] == one).sum())] for one in range(3)]
    chosen = y[at]
    step = Step(
        mlp(3), lambda made: F.cross_entropy(made, y[at] if is_chosen else chosen), (rows(),)
    )
    step.train(1)
    assert step.look()["labels"] == counts


def test_the_only_class_of_the_rows() -> None:
    step = Step(mlp(3), lambda made: F.cross_entropy(made, torch.full((N,), 2)), (rows(),))
    step.train(1)
    found = step.look()
    assert (found["only_class"], found["labels"]) == (2, [[2, N]])
