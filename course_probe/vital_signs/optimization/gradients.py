"""The gradients of a training: whether they are there when an optimizer steps."""

import sys
import weakref
from collections.abc import Callable, Iterable
from typing import Any

from course_probe.vital_signs.series import Spread

CLOSELY = 8
"""Steps that are looked at each; of the later ones every eighth."""
LONG, SELDOM = 512, 32
"""Steps after which only one of so many is looked at."""
NEXT_TO_NONE = 1e-7
"""The share of its highest rate with which a step changes nothing: float32 has seven digits."""
OFTEN = CLOSELY + 1
"""Calls of `zero_grad` of one optimizer that make it one that takes part; no more are counted."""


def _nothing() -> Any:
    """Return None, as a weak reference does whose object is gone."""


def rate_of(optimizer: Any, *, first: bool = False) -> float | None:
    """Return the highest rate of an optimizer's groups, or that of the `first` one.

    None for one that knows no rate, or none that is a number.
    """
    found = []
    for group in optimizer.param_groups[:1] if first else optimizer.param_groups:
        try:
            found.append(float(group["lr"]))
        except (KeyError, TypeError, ValueError, RuntimeError):
            continue
    return max(found, default=None)


class _Norm:
    """The norms of one parameter's gradients: their sum, and how many there are."""

    __slots__ = ("count", "is_matrix", "sum")

    def __init__(self, *, is_matrix: bool) -> None:
        self.sum = 0.0
        self.count = 0
        self.is_matrix = is_matrix


class GradientWatch:
    """What the optimizers of one training do: steps, rates, gradients."""

    def __init__(self) -> None:
        self.backwards = self.clears = self.steps = 0
        self.rates = Spread()
        self.optimizer: str | None = None
        self._stepped: weakref.WeakSet[Any] = weakref.WeakSet()
        self._last_stepped: Callable[[], Any] = _nothing
        self._last_cleared: Callable[[], Any] = _nothing
        self._in_a_row = 0
        self._cleared_by: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._cleared = self._sent = False
        self._looked = self._empty = self._cleared_before = self._infinite = 0
        self._first_total: float | None = None
        self._largest_total = 0.0
        self._norms: dict[int, _Norm] = {}

    def note_backward(self) -> None:
        """Note that a loss is sent backward."""
        self.backwards += 1
        self._sent, self._cleared = True, False

    def note_clear(self, owner: Any) -> None:
        """Gradients are set back, by an optimizer or a module."""
        self.clears += 1
        self._cleared = True
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
        """Note that an optimizer is about to step; return whether it is its first step."""
        self.steps += 1
        is_first = False
        if self._last_stepped() is not optimizer:
            is_first = optimizer not in self._stepped
            self._last_stepped = weakref.ref(optimizer)
            self._stepped.add(optimizer)
            self.optimizer = type(optimizer).__name__
        rate = rate_of(optimizer)
        if rate is not None:
            self.rates.append(rate)
        if self.steps <= CLOSELY or self.steps % (CLOSELY if self.steps < LONG else SELDOM) == 0:
            self._look(optimizer)
        self._sent = self._cleared = False
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
                known = self._norms.get(id(parameter))
                if known is None:
                    known = self._norms[id(parameter)] = _Norm(is_matrix=parameter.ndim > 1)
                known.sum += norm
                known.count += 1
            self._infinite += not all(norm - norm == 0 for norm in values)
            total = sum(norm**2 for norm in values) ** 0.5
            if total - total == 0:
                self._first_total = total if self._first_total is None else self._first_total
                self._largest_total = max(self._largest_total, total)
        if norms is None or not bool(norms.any()):
            self._empty += 1
            self._cleared_before += self._sent and self._cleared

    @property
    def optimizers(self) -> list[Any]:
        """Those that have stepped and still exist."""
        return list(self._stepped)

    def norms(self) -> dict[int, float]:
        """Return the mean norm of each parameter's gradient at a step, by the parameter's `id`."""
        return {
            key: found.sum / found.count
            for key, found in self._norms.items()
            if found.sum - found.sum == 0
        }

    def signs(self) -> dict[str, Any]:
        """Return the signs of the model that are about its gradients."""
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
            if self._first_total is not None:
                found["gradient_begin"] = self._first_total
                found["gradient_largest"] = self._largest_total
            matrices = [norm for key, norm in norms.items() if self._norms[key].is_matrix]
            if len(matrices) > 1 and max(matrices) > 0:
                found["gradient_reach"] = min(matrices) / max(matrices)
            if norms:
                found["gradient"] = sum(norm**2 for norm in norms.values()) ** 0.5
        return found

    def rate_signs(self, *, pretrained: bool) -> dict[str, Any]:
        """Return the signs of the learning rate.

        What is usual for fine-tuning a pre-trained Transformer with a relative of Adam: the
        appendix of https://arxiv.org/abs/1810.04805 has 2e-5 to 5e-5, later work 1e-5 to 1e-4.
        """
        if not len(self.rates):
            return {}
        none = NEXT_TO_NONE * max(self.rates)
        found = {
            "highest": max(self.rates),
            "lowest": min(self.rates),
            "mean": sum(self.rates) / len(self.rates),
            "last": self.rates.last,
            "zero_share": sum(rate <= none for rate in self.rates) / len(self.rates),
        }
        if pretrained and self.is_adam:
            found |= {"usual_low": 1e-5, "usual_high": 1e-4}
        return found

    @property
    def is_adam(self) -> bool:
        """Whether the optimizer moves each weight by about its rate, whatever the gradient."""
        return (self.optimizer or "").startswith(("Adam", "NAdam", "RAdam"))
