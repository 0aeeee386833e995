"""Whose gradients an optimizer steps with, in loops as scripts have them."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from course_probe.vital_signs.optimization.optimizers import OptimizerWatch

Networks = dict[str, nn.Module]
Train = Callable[["Script"], None]


class Script:
    """A script's networks and optimizers, and what is heard of its losses and steps."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.networks: Networks = {}
        self.made: list[torch.optim.Optimizer] = []
        self.watch = OptimizerWatch(lambda: self.networks.items(), self.made)
        self.found: dict[str, float] = {}

    def network(self, name: str, *sizes: int) -> nn.Sequential:
        layers = [nn.Linear(a, b) for a, b in itertools.pairwise(sizes)]
        made = self.networks[name] = nn.Sequential(*layers)
        return made

    def optimizer(self, *modules: nn.Module) -> torch.optim.Optimizer:
        held = [p for module in modules for p in module.parameters()]
        self.made.append(torch.optim.SGD(held, lr=0.01))
        return self.made[-1]

    def backward(self, loss: torch.Tensor) -> None:
        self.watch.note_backward(loss)
        loss.backward()  # type: ignore[no-untyped-call]

    def step(self, optimizer: torch.optim.Optimizer) -> None:
        self.found |= self.watch.note_step(optimizer)
        optimizer.step()

    def figures(self, *, is_fresh: bool = True) -> dict[str, float]:
        return self.watch.figures(is_fresh=is_fresh)


def rows(width: int) -> torch.Tensor:
    return torch.randn(16, width)


def rivals(wrong: bool, clears: bool = True, way: str = "whole") -> Script:
    """Two networks in turns: one makes, the other tells apart."""
    script = Script()
    maker, judge = script.network("maker", 4, 8, 2), script.network("judge", 2, 8, 1)
    of_judge, of_maker = script.optimizer(judge), script.optimizer(judge if wrong else maker)
    for _step in range(40):
        made = maker(rows(4))
        of_judge.zero_grad()
        script.backward((judge(made.detach()) ** 2).mean())
        script.step(of_judge)
        if clears:
            of_maker.zero_grad()
        script.watch.is_computed = True
        if way != "missing":
            script.backward(judge(made.detach() if way == "cut" else made).mean())
        script.step(of_maker)
    return script


def taught(wrong: bool) -> Script:
    """A network that is trained, and another that learns from it."""
    script = Script()
    teacher, student = script.network("teacher", 4, 8, 2), script.network("student", 4, 4, 2)
    optimizer = script.optimizer(teacher)
    for _step in range(30):
        optimizer.zero_grad()
        script.backward((teacher(rows(4)) ** 2).mean())
        script.step(optimizer)
    second = script.optimizer(teacher if wrong else student)
    for _step in range(30):
        inputs = rows(4)
        with torch.no_grad():
            soft = teacher(inputs)
        second.zero_grad()
        script.backward(((student(inputs) - soft) ** 2).mean())
        script.step(second)
    return script


def headed(replaced: bool, held: str = "all") -> Script:
    """A network whose last layer is made anew, before or after its optimizer was made."""
    script = Script()
    network = script.network("network", 4, 8, 2)
    if not replaced:
        network[1] = nn.Linear(8, 3)
    parts = {"all": network, "head": network[1], "body": network[0]}
    optimizer = script.optimizer(parts[held])
    if replaced:
        network[1] = nn.Linear(8, 3)
    for _step in range(40):
        optimizer.zero_grad()
        script.backward((network(rows(4)) ** 2).mean())
        script.step(optimizer)
    return script


@pytest.mark.parametrize("wrong", [True, False])
def test_a_network_that_no_optimizer_holds(wrong: bool) -> None:
    assert rivals(wrong).figures() == ({"networks_without_optimizer": 1.0} if wrong else {})
    assert rivals(wrong).figures(is_fresh=False) == {}


def test_a_network_that_its_loss_does_not_reach() -> None:
    assert rivals(wrong=False, way="cut").figures() == {"optimizers_cut_off": 1.0}
    assert rivals(wrong=False, way="missing").figures() == {"optimizers_waiting": 1.0}


@pytest.mark.parametrize("wrong", [True, False])
def test_an_optimizer_beside_the_network_that_learns(wrong: bool) -> None:
    script = taught(wrong)
    assert script.found == ({"optimizers_beside": 1.0} if wrong else {})
    assert script.figures(is_fresh=False) == script.found


def test_a_layer_that_came_after_the_optimizer() -> None:
    assert headed(replaced=True).found == {"parameters_replaced": 2.0}
    assert headed(replaced=False).found == {}


@pytest.mark.parametrize(("held", "share"), [("head", 40 / 67), ("body", 27 / 67)])
def test_a_part_that_no_optimizer_holds(held: str, share: float) -> None:
    figures = headed(replaced=False, held=held).figures()
    assert figures == {"left_out_share": pytest.approx(share)}
    # What was loaded may be left as it is.
    assert headed(replaced=False, held=held).figures(is_fresh=False) == {}


@pytest.mark.parametrize("wrong", [True, False])
def test_a_network_that_is_made_anew_for_each_pass(wrong: bool) -> None:
    script = Script()
    optimizer = script.optimizer(script.network("network", 4, 2))
    for number in range(160):
        if number % 20 == 0 and number:
            network = script.network("network", 4, 2)
            optimizer = optimizer if wrong else script.optimizer(network)
        optimizer.zero_grad()
        script.backward((script.networks["network"](rows(4)) ** 2).mean())
        script.step(optimizer)
    assert script.found == ({"parameters_replaced": 2.0} if wrong else {})


@pytest.mark.parametrize("frozen", [True, False])
def test_an_optimizer_of_frozen_weights_alone(frozen: bool) -> None:
    script = Script()
    teacher, student = script.network("teacher", 4, 2), script.network("student", 4, 2)
    teacher.requires_grad_(not frozen)
    optimizer = script.optimizer(teacher if frozen else student)
    for _step in range(30):
        optimizer.zero_grad()
        script.backward(((student(rows(4)) - teacher(rows(4)).detach()) ** 2).mean())
        script.step(optimizer)
    assert script.found == ({"optimizers_beside": 1.0} if frozen else {})


class Nothing(torch.autograd.Function):
    """A function whose gradient was forgotten."""

    @staticmethod
    def forward(_context: Any, values: torch.Tensor) -> torch.Tensor:
        return values * 2

    @staticmethod
    def backward(_context: Any, *_gradients: Any) -> None:
        return None


def test_a_gradient_that_is_none_ends_nothing() -> None:
    script = Script()
    first, second = script.network("first", 2, 2), script.network("second", 2, 4)
    optimizer = script.optimizer(first, second)
    for _step in range(30):
        optimizer.zero_grad()
        loss = second(Nothing.apply(first(rows(2)))).sum() + first[0].bias.sum() * 0
        script.backward(loss)
        script.step(optimizer)
    assert "gradients_uncleared" not in script.figures()


def test_gradients_of_the_one_are_cleared_and_never_those_of_the_other() -> None:
    assert rivals(wrong=False).figures() == {}
    assert rivals(wrong=False, clears=False).figures() == {"gradients_uncleared": 1.0}


def test_an_optimizer_that_never_steps() -> None:
    script = Script()
    first, second = script.network("first", 4, 8), script.network("second", 8, 2)
    steps, _waits = script.optimizer(first), script.optimizer(second)
    for _step in range(40):
        script.networks["first"].zero_grad()
        script.networks["second"].zero_grad()
        script.backward((second(first(rows(4))) ** 2).mean())
        script.step(steps)
    assert script.figures() == {"optimizers_unstepped": 1.0}


@pytest.mark.parametrize("gathered", [1, 4])
def test_gathered_gradients_are_cleared_ones(gathered: int) -> None:
    script = Script()
    network = script.network("network", 4, 2)
    optimizer = script.optimizer(network)
    for number in range(80):
        script.backward((network(rows(4)) ** 2).mean())
        if number % gathered == gathered - 1:
            script.step(optimizer)
            optimizer.zero_grad()
    assert script.figures() == {}


def test_a_network_that_is_moved_by_hand_needs_no_optimizer() -> None:
    script = Script()
    by_hand, other = script.network("by hand", 4, 4), script.network("other", 4, 2)
    optimizer = script.optimizer(other)
    for _step in range(40):
        optimizer.zero_grad()
        by_hand.zero_grad()
        script.backward((other(by_hand(rows(4))) ** 2).mean())
        script.step(optimizer)
        with torch.no_grad():
            for parameter in by_hand.parameters():
                parameter -= 0.01 * parameter.grad
    assert script.figures() == {}
