"""The gradients of a training: whether they are there when an optimizer steps."""

import sys
import weakref
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

CLOSELY = 8
"""Steps that are looked at each; of the later ones every eighth."""
LONG, SELDOM = 512, 32
"""Steps after which only one of so many is looked at."""
NEXT_TO_NONE = 1e-7
"""The share of its highest rate with which a step changes nothing: float32 has seven digits."""
OFTEN = CLOSELY + 1
"""Calls of `zero_grad` of one optimizer that make it one that takes part; no more are counted."""


def _nothing() -> Any:
    """What a weak reference gives whose object is gone."""


class GradientWatch:
    """What the optimizers of one training do: steps, rates, gradients."""

    def __init__(self) -> None:
        self.backwards = self.clears = self.steps = 0
        self.rates: list[float] = []
        self.optimizer: str | None = None
        self._stepped: weakref.WeakSet[Any] = weakref.WeakSet()
        self._last_stepped: Callable[[], Any] = _nothing
        self._last_cleared: Callable[[], Any] = _nothing
        self._in_a_row = 0
        self._cleared_by: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._cleared = self._sent = False
        self._waiting = self._unused = 0
        self._looked = self._empty = self._cleared_before = self._infinite = 0
        self._totals: list[float] = []
        self._matrices: set[int] = set()
        self._norms: dict[int, list[float]] = defaultdict(list)

    def note_backward(self) -> None:
        """A loss is sent backward."""
        self.backwards += 1
        self._waiting += 1
        self._sent, self._cleared = True, False

    def note_clear(self, owner: Any) -> None:
        """Gradients are set back, by an optimizer or a module."""
        self.clears += 1
        self._cleared = True
        self._unused += self._waiting
        self._waiting = 0
        if self._last_cleared() is not owner:
            self._last_cleared, self._in_a_row = weakref.ref(owner), 0
        self._in_a_row += 1
        if self._in_a_row <= OFTEN:
            self._cleared_by[owner] = self._cleared_by.get(owner, 0) + 1

    def idle(self, made: Iterable[Any]) -> list[Any]:
        """Optimizers that clear gradients and never step, while another one does.

        Parameters of theirs get gradients, and no optimizer that steps holds them.
        """
        stepped = self.optimizers
        held = {id(p) for o in stepped for group in o.param_groups for p in group["params"]}
        return [
            each
            for each in made
            if stepped
            and each not in stepped
            and self._cleared_by.get(each, 0) >= OFTEN
            and any(
                p.grad is not None and id(p) not in held
                for group in each.param_groups
                for p in group["params"]
            )
        ]

    def note_step(self, optimizer: Any) -> bool:
        """An optimizer is about to step; returns whether it is its first step."""
        self.steps += 1
        is_first = False
        if self._last_stepped() is not optimizer:
            is_first = optimizer not in self._stepped
            self._last_stepped = weakref.ref(optimizer)
            self._stepped.add(optimizer)
            self.optimizer = type(optimizer).__name__
        groups = optimizer.param_groups
        rate = float(groups[0]["lr"])
        self.rates.append(rate if len(groups) == 1 else max(float(group["lr"]) for group in groups))
        if self.steps <= CLOSELY or self.steps % (CLOSELY if self.steps < LONG else SELDOM) == 0:
            self._look(optimizer)
        self._sent = self._cleared = False
        self._waiting = 0
        return is_first

    def _look(self, optimizer: Any) -> None:
        torch = sys.modules["torch"]
        held = [p for group in optimizer.param_groups for p in group["params"]]
        having = [p for p in held if p.grad is not None and not p.grad.is_sparse]
        self._looked += 1
        norms = torch.stack(torch._foreach_norm([p.grad for p in having])) if having else None
        if norms is not None:
            values = norms.float().tolist()
            for parameter, norm in zip(having, values, strict=True):
                self._norms[id(parameter)].append(norm)
                if parameter.ndim > 1:
                    self._matrices.add(id(parameter))
            self._infinite += not all(norm - norm == 0 for norm in values)
            total = sum(norm**2 for norm in values) ** 0.5
            if total - total == 0:
                self._totals.append(total)
        if norms is None or not bool(norms.any()):
            self._empty += 1
            self._cleared_before += self._sent and self._cleared

    @property
    def optimizers(self) -> list[Any]:
        """Those that have stepped and still exist."""
        return list(self._stepped)

    def norms(self) -> dict[int, float]:
        """The mean norm of each parameter's gradient at a step, by the parameter's identity."""
        return {
            key: sum(found) / len(found)
            for key, found in self._norms.items()
            if all(norm - norm == 0 for norm in found)
        }

    def signs(self) -> dict[str, Any]:
        """The signs of the model that are about its gradients."""
        found: dict[str, Any] = {
            "backwards": self.backwards,
            "steps": self.steps,
            "clears": self.clears,
            "optimizer": self.optimizer,
        }
        if self._looked:
            norms = self.norms()
            found |= {
                "without_gradient": self._empty / self._looked,
                "cleared_before_step": self._cleared_before / self._looked,
                "infinite_gradient": self._infinite / self._looked,
            }
            if self._totals:
                found["gradient_begin"] = self._totals[0]
                found["gradient_largest"] = max(self._totals)
            matrices = [norm for key, norm in norms.items() if key in self._matrices]
            if len(matrices) > 1 and max(matrices) > 0:
                found["gradient_reach"] = min(matrices) / max(matrices)
            if norms:
                found["gradient"] = sum(norm**2 for norm in norms.values()) ** 0.5
        return found

    @property
    def unused_share(self) -> float | None:
        """The share of the losses sent backward whose gradients were cleared before any step."""
        return self._unused / self.backwards if self.backwards else None

    def rate_signs(self, *, pretrained: bool) -> dict[str, Any]:
        """The signs of the learning rate.

        What is usual for fine-tuning a pre-trained Transformer with a relative of Adam: the
        appendix of https://arxiv.org/abs/1810.04805 has 2e-5 to 5e-5, later work 1e-5 to 1e-4.
        """
        if not self.rates:
            return {}
        none = NEXT_TO_NONE * max(self.rates)
        found = {
            "highest": max(self.rates),
            "lowest": min(self.rates),
            "mean": sum(self.rates) / len(self.rates),
            "last": self.rates[-1],
            "zero_share": sum(rate <= none for rate in self.rates) / len(self.rates),
        }
        if pretrained and self.is_adam:
            found |= {"usual_low": 1e-5, "usual_high": 1e-4}
        return found

    @property
    def is_adam(self) -> bool:
        """Whether the optimizer moves each weight by about its rate, whatever the gradient."""
        return (self.optimizer or "").startswith(("Adam", "NAdam", "RAdam"))
