"""A step that was looked at goes on as if nobody had."""

import random
import signal
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 (as everybody does)

from course_probe import forked
from tests.live.probe.replay import healthy
from tests.live.probe.replay.steps import broken


def state(network: torch.nn.Module) -> list[Any]:
    return [
        torch.get_rng_state().tolist(),
        random.getstate(),
        np.random.get_state()[1].tolist(),  # type: ignore[index]
        [each.training for each in network.modules()],
        {name: value.tolist() for name, value in network.state_dict().items()},
        [None if p.grad is None else p.grad.tolist() for p in network.parameters()],
        torch.is_grad_enabled(),
        torch.get_num_threads(),
    ]


def test_nothing_of_the_script_is_changed_by_a_look() -> None:
    step = healthy.STEPS["pictures_with_batch_statistics"]()
    calls = []
    step.network.register_forward_hook(lambda *_given: calls.append(1))
    random.seed(1)
    np.random.seed(1)
    torch.manual_seed(1)
    before = state(step.network)
    bare = step.loss(step.network(*step.args))
    after = state(step.network)
    step.network.load_state_dict(step.network.state_dict())
    random.setstate(before[1])
    torch.set_rng_state(torch.tensor(before[0], dtype=torch.uint8))
    for name, value in step.network.state_dict().items():
        value.copy_(torch.tensor(before[4][name]))
    step.look()
    assert state(step.network) == after
    assert len(calls) == 2
    assert bare.isfinite()


def test_the_outputs_are_the_same_to_the_bit() -> None:
    step = healthy.STEPS["variational_autoencoder"]()
    torch.manual_seed(3)
    bare = step.loss(step.network(*step.args))
    torch.manual_seed(3)
    made = []
    loss = step.loss
    step.loss = lambda outputs: made.append(loss(outputs)) or made[-1]
    step.look()
    assert torch.equal(made[0], bare)


def test_without_a_child_all_but_the_graph_is_not_measured(monkeypatch: Any) -> None:
    monkeypatch.setattr(forked, "can_fork", lambda: False)
    found = healthy.STEPS["classifier"]().look()
    assert found["limits"] == ["no child"]
    assert [each["op"] for each in found["graph"]] == ["NllLoss", "LogSoftmax"]
    assert broken(found) == set()


def test_a_loss_changed_in_place_is_replayed() -> None:
    step = healthy.STEPS["two_tasks"]()
    assert "target_moves" in step.look()


def test_labels_changed_behind_the_tape_are_not_measured() -> None:
    y = healthy.classes()

    def loss(made: Any) -> Any:
        found = F.cross_entropy(made, y)
        y.fill_(0)
        return found

    step = healthy.Step(healthy.mlp(3), loss, (healthy.rows(),))
    found = step.look()
    assert "target_moves" not in found
    assert [each for each in found["limits"] if each.startswith("replay")]


def test_rows_chosen_of_all_data_within_the_step_are_the_targets() -> None:
    all_labels, chosen = torch.randint(0, 3, (100,)), torch.randperm(100)[: healthy.N]

    def loss(made: Any) -> Any:
        return F.cross_entropy(made, all_labels[chosen])

    found = healthy.Step(healthy.mlp(3), loss, (healthy.rows(),)).look()
    assert found["targets"] == [[healthy.N]]
    assert found["class_axis"]["found"] == [1]
    assert broken(found) == set()


def test_rows_put_together_within_the_step_are_the_targets() -> None:
    each = [*torch.randn(healthy.N, 2)]

    def loss(made: Any) -> Any:
        return F.mse_loss(made, torch.stack(each))

    found = healthy.Step(healthy.mlp(2), loss, (healthy.rows(),)).look()
    assert found["targets"] == [[healthy.N, 2]]
    assert broken(found) == set()


def test_half_precision_is_replayed() -> None:
    y = healthy.classes()

    class Half(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = healthy.mlp(3)

        def forward(self, x: Any) -> Any:
            with torch.autocast("cpu", dtype=torch.bfloat16):
                return self.body(x)

    found = healthy.Step(Half(), lambda made: F.cross_entropy(made, y), (healthy.rows(),)).look()
    assert found["target_moves"][0] > 0
    assert broken(found) == set()


def test_beside_the_workers_of_a_loader_a_child_is_had() -> None:
    rows = torch.utils.data.TensorDataset(healthy.rows(), healthy.classes())
    loader = torch.utils.data.DataLoader(rows, 2, num_workers=1)
    batches = iter(loader)
    next(batches)
    # PyTorch has set what it does when a worker ends, and feeds the workers in a thread.
    assert forked.found_aside(lambda: 3) == 3
    assert len([*batches]) == len(loader) - 1
    assert forked.can_fork()
    before = signal.getsignal(signal.SIGCHLD)
    signal.signal(signal.SIGCHLD, lambda *_given: None)
    try:
        assert not forked.can_fork()
    finally:
        signal.signal(signal.SIGCHLD, before)
