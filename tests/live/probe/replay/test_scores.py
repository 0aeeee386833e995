"""What an evaluation takes of outputs is told as it is."""

import weakref
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from course_probe.replay.study import study_evaluation
from course_probe.replay.tape import OperationTape
from tests.live.probe.replay.healthy import N, Recurrent, T, V, classes, mlp, rows


def score(network: torch.nn.Module, given: Any, count: Callable[[Any], object]) -> dict[str, Any]:
    tape = OperationTape(SimpleNamespace(looking=False))
    with torch.no_grad():
        outputs = network(given)
        tape.open()
        count(outputs)
        tape.close()
    pass_ = SimpleNamespace(
        network=weakref.ref(network), args=(given,), kwargs={}, outputs=outputs, training=False
    )
    return study_evaluation(pass_, tape)


def test_a_share_of_right_answers() -> None:
    y = classes()
    found = score(mlp(3), rows(), lambda made: (made.argmax(-1) == y).sum().item())
    assert found["chosen"] == [{"op": "argmax", "shape": [N, 3], "axis": 1}]
    (compared,) = found["compared"]
    assert (compared["answers"], compared["targets"], compared["made"]) == ([N], [N], [N])


@pytest.mark.parametrize(
    ("choose", "axis"),
    [
        (lambda made: made.argmax(0), 0),
        (lambda made: made.max(1)[1], 1),
        (lambda made: torch.max(made, dim=0).indices, 0),
        (lambda made: made.softmax(1).argmax(dim=1), 1),
        (lambda made: made.topk(2).indices[:, 0], 1),
        (lambda made: made.sort(descending=True).indices[:, 0], 1),
        (lambda made: made.argmax(), None),
    ],
)
def test_along_which_axis_answers_are_chosen(choose: Any, axis: int | None) -> None:
    found = score(mlp(3), rows(), choose)
    assert found["chosen"][-1]["axis"] == axis


def test_answers_for_places_along_the_wrong_axis() -> None:
    found = score(Recurrent(4), torch.randint(1, V, (N, T)), lambda made: made.argmax(1).numpy())
    assert found["chosen"] == [{"op": "argmax", "shape": [N, T, 4], "axis": 1}]


def test_a_column_compared_with_a_row() -> None:
    y = classes(2)
    found = score(mlp(1), rows(), lambda made: ((made > 0).long() == y).float().mean().item())
    assert found["compared"] == [{"answers": [N, 1], "targets": [N], "made": [N, N]}]


@pytest.mark.parametrize(
    "apart",
    [
        lambda made, y: (made - y).abs().mean(),
        lambda made, y: ((y - made) ** 2).mean(),
        torch.nn.functional.mse_loss,
    ],
)
def test_how_far_a_column_is_from_a_row(apart: Any) -> None:
    y = torch.randn(N)
    spread = {"answers": [N, 1], "targets": [N], "made": [N, N]}
    assert score(mlp(1), rows(), lambda made: apart(made, y))["compared"] == [spread]
    assert score(mlp(1), rows(), lambda made: apart(made[:, 0], y))["compared"] == []


@pytest.mark.parametrize(
    "overlap",
    [
        lambda made, y: (2 * ((made > 0).float() * y).sum() / (y.sum() + 1)).item(),
        lambda made, y: ((made.sigmoid() > 0.5) & y.bool()).sum().item(),
    ],
)
def test_masks_of_which_one_has_an_axis_to_spare(overlap: Any) -> None:
    masks = (torch.rand(N, 4, 4) > 0.5).float()
    pictures = torch.randn(N, 3, 4, 4)
    (found,) = score(torch.nn.Conv2d(3, 1, 1), pictures, lambda m: overlap(m, masks))["compared"]
    assert found == {"answers": [N, 1, 4, 4], "targets": [N, 4, 4], "made": [N, N, 4, 4]}
    same = score(torch.nn.Conv2d(3, 1, 1), pictures, lambda m: overlap(m.squeeze(1), masks))
    assert same["compared"] == []


def test_how_much_is_known_of_each_rows_own_answer() -> None:
    y = classes()
    network = torch.nn.Embedding.from_pretrained(torch.eye(3))
    found = score(network, y, lambda made: (made.argmax(-1) == y).sum().item())
    own, others = found["compared"][0]["agree"]
    assert own == 1
    assert others < 0.7


def test_labels_that_are_numbered_otherwise() -> None:
    y = torch.arange(N) % 3
    network = torch.nn.Embedding.from_pretrained(torch.eye(3)[[1, 2, 0]])
    found = score(network, y, lambda made: (made.argmax(-1) == y).sum().item())
    assert (found["right"], found["renumbered"]) == (0.0, 1.0)
    assert [one for one, _rows in found["labels"]] == [0, 1, 2]
    # Several answers for one class.
    found = score(network, y, lambda made: (made.argmax(-1) == y * 0).sum().item())
    assert "renumbered" not in found


def test_labels_that_leave_beside_the_answers() -> None:
    y = torch.arange(N) % 3
    network = torch.nn.Embedding.from_pretrained(torch.eye(3))
    found = score(network, y, lambda made: (made.argmax(-1).tolist(), y.tolist()))
    assert [one for one, _rows in found["labels"]] == [0, 1, 2]
    # No labels: places of rows, or numbers that hardly any answer is.
    for other in (torch.arange(N) + 3, (y + 1) % 3):
        found = score(network, y, lambda made, other=other: (made.tolist(), other.tolist()))
        assert "labels" not in found


def test_labels_of_another_networks_answers() -> None:
    y = torch.arange(N) % 3
    head = mlp(3, narrow=4)
    found = score(torch.nn.Embedding(3, 4), y, lambda made: head(made).argmax(1) == y)
    assert "labels" not in found


def test_without_a_tape_nothing_is_told() -> None:
    assert study_evaluation(SimpleNamespace(network=lambda: None), None) == {
        "limits": ["score: no tape"]
    }


@pytest.mark.parametrize(
    ("count", "classes_left"),
    [
        (lambda answers, y: (answers == y).sum(), {0, 1, 2}),
        (lambda answers, y: (answers == y)[y != 0].sum(), {1, 2}),
        (lambda answers, y: ((answers == y) & (y > 0)).sum(), {1, 2}),
        (lambda answers, y: ((answers == y).float() * (y > 1).float()).sum(), None),
        (lambda answers, y: (3 * y + answers).bincount(), {0, 3, 6}),
        (lambda answers, y: (answers.numpy() == y.numpy()).mean(), {0, 1, 2}),
    ],
)
def test_which_labels_answers_meet(count: Any, classes_left: set[int] | None) -> None:
    y = torch.arange(N) % 3
    found = score(mlp(3), rows(), lambda made: count(made.argmax(1), y))
    counted = found["counted"]
    assert (None if counted is None else {each for each, _rows in counted}) == classes_left
