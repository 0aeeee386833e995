"""Gradients that do not come through to parameters, and that are kept for nothing."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from course.facts.facts import facts_of
from course.invariants.judge import broken
from tests.live.probe.observing import observed, record_of

X = torch.randn(320, 12, generator=torch.Generator().manual_seed(0))
Y = (X[:, 0] * X[:, 1] > 0).long()


class Rounded(torch.autograd.Function):
    """Rounds, and hands the gradient on, or forgets it."""

    @staticmethod
    def forward(ctx: Any, x: Any, lost: bool) -> Any:
        ctx.lost = lost
        return torch.round(x * 4) / 4

    @staticmethod
    def backward(ctx: Any, slope: Any) -> Any:
        return (None, None) if ctx.lost else (slope, None)


class Nearest(torch.autograd.Function):
    """The nearest code; the codes themselves follow what is near them, without gradients."""

    @staticmethod
    def forward(ctx: Any, x: Any, codes: Any) -> Any:
        return codes[torch.cdist(x, codes).argmin(1)]

    @staticmethod
    def backward(ctx: Any, slope: Any) -> Any:
        return slope, None


class Shifting(nn.Module):
    def __init__(self, *, lost: bool) -> None:
        super().__init__()
        self.shift, self.last, self.lost = nn.Linear(12, 4), nn.Linear(16, 2), lost

    def forward(self, x: Any) -> Any:
        return self.last(torch.cat([x, Rounded.apply(self.shift(x), self.lost)], 1))


def of_own(forward: Callable[..., Any], backward: Callable[..., Any]) -> nn.Module:
    """Make a network that gates by a function of its own, with these gradients of both inputs."""

    class Gate(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, one: Any, other: Any) -> Any:
            ctx.save_for_backward(one, other)
            return forward(one, other)

        @staticmethod
        def backward(ctx: Any, slope: Any) -> Any:
            return backward(slope, *ctx.saved_tensors)

    class Gating(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.one, self.other, self.last = (nn.Linear(*n) for n in ((12, 8), (12, 8), (8, 2)))

        def forward(self, x: Any) -> Any:
            return self.last(Gate.apply(self.one(x), self.other(x)))

    return Gating()


def gate(one: Any, other: Any) -> Any:
    return one * torch.sigmoid(other)


def its_slopes(slope: Any, one: Any, other: Any) -> tuple[Any, Any]:
    share = torch.sigmoid(other)
    return slope * share, slope * one * share * (1 - share)


def in_signs(one: Any, other: Any) -> Any:
    return one.sign() * one.abs().mean() + other


class Coding(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(12, 8), nn.Linear(8, 2)
        self.codes = nn.Parameter(torch.randn(6, 8))

    def forward(self, x: Any) -> Any:
        made = self.first(x)
        found = self.last(Nearest.apply(made, self.codes))
        with torch.no_grad():
            self.codes.mul_(0.9).add_(0.1 * made.detach()[:6])
        return found


class Factors(nn.Module):
    """What two tables give, multiplied, beside a plain layer."""

    def __init__(self, first: float, second: float) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(12, 4, bias=False), nn.Linear(4, 2, bias=False)
        self.plain = nn.Linear(12, 2)
        for table, size in ((self.first, first), (self.second, second)):
            nn.init.normal_(table.weight, std=size)

    def forward(self, x: Any) -> Any:
        return self.plain(x) + self.second(self.first(x))


class Gated(nn.Module):
    """Blocks with gates of zeros, behind which the last layer is zero as well."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(12, 12) for _ in range(3))
        self.gates = nn.ModuleList(nn.Linear(12, 12) for _ in range(3))
        self.last = nn.Linear(12, 2)
        for each in (*self.gates, self.last):
            nn.init.zeros_(each.weight)

    def forward(self, x: Any) -> Any:
        made = x
        for block, gate in zip(self.blocks, self.gates, strict=True):
            made = made + gate(x) * torch.relu(block(made))
        return self.last(made)


def deep(between: Callable[[], nn.Module]) -> nn.Sequential:
    layers = [each for _ in range(10) for each in (nn.Linear(12, 12), between())]
    return nn.Sequential(*layers, nn.Linear(12, 2))


def rules(net: nn.Module, after: Callable[[], object] = int) -> set[str]:
    """Name what a training, and what comes after it, breaks."""
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    with observed(__file__, studied=True) as ledger:
        for _epoch in range(3):
            for batch in torch.randperm(320).split(16):
                optimizer.zero_grad()
                nn.functional.cross_entropy(net(X[batch]), Y[batch]).backward()
                optimizer.step()
        after()
    names = ("gradients-come-through", "memory-is-let-go")
    return {each.rule for each in broken(facts_of(record_of(ledger))) if each.invariant in names}


@pytest.mark.parametrize(
    ("make", "way"),
    [
        (lambda: Shifting(lost=True), "cut"),
        (lambda: Shifting(lost=False), None),
        (Coding, None),
        (lambda: Factors(0.0, 0.0), "zeros"),
        (lambda: Factors(1.0, 0.0), None),
        (Gated, None),
        (lambda: of_own(gate, its_slopes), None),
        (lambda: of_own(gate, lambda *given: its_slopes(*given)[::-1]), "own"),
        (lambda: of_own(gate, lambda s, *given: its_slopes(torch.ones_like(s), *given)), "own"),
        (lambda: of_own(gate, lambda s, *given: its_slopes(-0.1 * s, *given)), None),
        (
            lambda: of_own(lambda one, _other: one.clone(), lambda s, *_: (s.clamp(-1, 1), 0 * s)),
            None,
        ),
        (
            lambda: of_own(in_signs, lambda slope, one, _other: (slope * (one.abs() < 1), slope)),
            None,
        ),
        (lambda: deep(nn.Sigmoid), "reach"),
        (lambda: deep(nn.SiLU), None),
    ],
)
def test_what_comes_through(make: Callable[[], nn.Module], way: str | None) -> None:
    torch.manual_seed(0)
    found = rules(make())
    assert found == ({f"gradients-come-through/{way}"} if way else set())


def plainly(net: nn.Module, x: Any) -> None:
    net(x)


def for_slopes_of_the_input(net: nn.Module, x: Any) -> None:
    x = x.clone().requires_grad_()
    torch.autograd.grad(net(x).sum(), x)


def for_examples_that_mislead(net: nn.Module, x: Any) -> None:
    x = x.clone().requires_grad_()
    net(x).sum().backward()


def of_what_is_done(net: nn.Module, x: Any) -> None:
    net.requires_grad_(requires_grad=False)
    net(x)


@pytest.mark.parametrize(
    ("ask", "is_told"),
    [
        (plainly, True),
        (for_slopes_of_the_input, False),
        (for_examples_that_mislead, False),
        (of_what_is_done, False),
    ],
)
def test_an_evaluation_that_keeps_graphs(
    ask: Callable[[nn.Module, Any], None], *, is_told: bool
) -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 2))

    def after() -> None:
        net.eval()
        for batch in torch.randn(200, 12).split(16):
            ask(net, batch)

    assert rules(net, after) == ({"memory-is-let-go/evaluation"} if is_told else set())
