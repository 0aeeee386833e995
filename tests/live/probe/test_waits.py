"""How often the ledger makes a device wait: never in an ordinary step, seldom in one looked at."""

import functools
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from course_probe.ledger.ledger import FIRST
from tests.live.probe.observing import observed

OURS = "course_probe"
READING = ("item", "tolist", "__float__", "__bool__", "__int__", "__index__", "__len__", "cpu")
READING_TOO = ("numpy", "__array__", "__contains__", "nonzero", "masked_select", "unique")
FUNCTIONS = ("equal", "allclose", "nonzero", "masked_select", "unique", "isin", "bincount")
IN_A_STEP, IN_A_LOOK = 0, 12
STEPS = 330


class Waits:
    """Counts what would make a GPU wait, of calls that any frame of ours stands behind."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.step = 0
        self.by_step: Counter[int] = Counter()
        self.places: Counter[str] = Counter()
        for name in {*READING, *READING_TOO} - {"__len__"}:
            if hasattr(torch.Tensor, name):
                self._count(patch, torch.Tensor, name, lambda _arguments: True)
        for name in FUNCTIONS:
            self._count(patch, torch, name, lambda _arguments: True)
        for name in ("__getitem__", "__setitem__"):
            self._count(patch, torch.Tensor, name, _is_by_mask)
        self._count(patch, torch.Tensor, "to", _is_to_the_cpu)

    def _count(
        self, patch: pytest.MonkeyPatch, owner: Any, name: str, waits: Callable[[Any], bool]
    ) -> None:
        original = getattr(owner, name)

        @functools.wraps(original)
        def counted(*arguments: Any, **named: Any) -> Any:
            if waits((*arguments, *named.values())):
                self._note(name)
            return original(*arguments, **named)

        patch.setattr(owner, name, counted)

    def _note(self, name: str) -> None:
        frame: Any = sys._getframe(2)
        while frame is not None:
            if OURS in Path(frame.f_code.co_filename).parts:
                self.by_step[self.step] += 1
                self.places[f"{frame.f_code.co_filename}:{frame.f_lineno} {name}"] += 1
                return
            frame = frame.f_back


def _is_by_mask(arguments: Any) -> bool:
    keys = arguments[1] if isinstance(arguments[1], tuple) else (arguments[1],)
    return any(isinstance(key, torch.Tensor) for key in keys)


def _is_to_the_cpu(arguments: Any) -> bool:
    return any(each == "cpu" or getattr(each, "type", None) == "cpu" for each in arguments[1:])


@pytest.mark.parametrize("kind", ["plain", "by hand"])
def test_an_ordinary_step_asks_the_device_for_nothing(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = torch.randn(256, 20)
    y = (x[:, 0] > 0).long()
    net = nn.Sequential(nn.Linear(20, 16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 2))
    optimizer, loss = torch.optim.Adam(net.parameters()), nn.CrossEntropyLoss()
    looked: set[int] = set()
    with observed(__file__) as ledger:
        waits = Waits(monkeypatch)
        for step in range(1, STEPS + 1):
            waits.step = step
            looked |= {step} if ledger.looking else set()
            rows = slice(step * 16 % 240, step * 16 % 240 + 16)
            loss(net(x[rows]), y[rows]).backward()
            # A look that begins with this loss may end within the step.
            looked |= {step} if ledger.looking else set()
            if kind == "plain":
                optimizer.step()
                optimizer.zero_grad()
            else:
                with torch.no_grad():
                    for parameter in net.parameters():
                        parameter -= 0.01 * parameter.grad
                net.zero_grad()
            if step % 200 == 0:
                with torch.no_grad():
                    for at in range(0, 256, 32):
                        net(x[at : at + 32])
            looked |= {step} if ledger.looking else set()
        # Before the ledger is finished, which reads what it has kept.
        assert waits.by_step, "nothing was counted, so the counting is wrong"
        ordinary = {step: n for step, n in waits.by_step.items() if step not in looked}
        assert sum(ordinary.values()) == IN_A_STEP, waits.places
        assert max(waits.by_step.values()) <= IN_A_LOOK, waits.places
        late = [step for step in waits.by_step if step > 200]
        # What is looked at from the 200th step on may be read in the one after it.
        assert len(late) <= 1 + (STEPS - 200) / 100, late
        assert {each for each in FIRST if each <= STEPS} <= looked


@pytest.mark.parametrize("changed", [0, 3])
def test_a_loss_that_is_not_copied_is_read_unless_the_script_has_changed_it(
    changed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As on a GPU, where a copy is one more launch.
    monkeypatch.setattr("course_probe.ledger.ledger._lasts", lambda _root: True)
    torch.manual_seed(0)
    net = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(net.parameters(), 0.01)
    losses = []
    with observed(__file__) as ledger:
        for step in range(12):
            loss = net(torch.randn(8, 4)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            is_changed = changed and not step % changed
            # A step that is looked at is read at its end.
            losses += [] if is_changed and step + 1 not in FIRST else [loss.item()]
            if is_changed:
                with torch.no_grad():
                    loss.mul_(100)
    (known,) = ledger.losses.values()
    assert [value for _at, value in known.series] == pytest.approx(losses)
