"""The steps of a training's optimizers; what the gradients were like, the ledger tells."""

import weakref
from collections.abc import Callable
from typing import Any

from course_probe.vital_signs.weak import nothing

USUAL = {"usual_low": 1e-5, "usual_high": 1e-4}
"""What rates are usual for fine-tuning a pre-trained Transformer with a relative of Adam: the
appendix of https://arxiv.org/abs/1810.04805 has 2e-5 to 5e-5, later work 1e-5 to 1e-4."""


def rate_of(optimizer: Any, name: str = "lr") -> float | None:
    """Return the rate of an optimizer's first group; None where it is unknown, or no number."""
    for group in optimizer.param_groups[:1]:
        try:
            return float(group[name])
        except (KeyError, TypeError, ValueError, RuntimeError):
            break
    return None


class StepWatch:
    """What the optimizers of one training do."""

    def __init__(self) -> None:
        self.backwards = self.steps = 0
        self.optimizer: str | None = None
        self._stepped: weakref.WeakSet[Any] = weakref.WeakSet()
        self._last: Callable[[], Any] = nothing

    def note_backward(self) -> None:
        """Note that a loss is sent backward."""
        self.backwards += 1

    def note_step(self, optimizer: Any) -> bool:
        """Note that an optimizer is about to step; return whether it is its first step."""
        self.steps += 1
        if self._last() is optimizer:
            return False
        is_first = optimizer not in self._stepped
        self._last = weakref.ref(optimizer)
        self._stepped.add(optimizer)
        self.optimizer = type(optimizer).__name__
        return is_first

    @property
    def optimizers(self) -> list[Any]:
        """Those that have stepped and still exist."""
        return list(self._stepped)

    def signs(self) -> dict[str, Any]:
        """Return the signs of the model that are about its steps."""
        return {"backwards": self.backwards, "steps": self.steps, "optimizer": self.optimizer}

    def usual_rates(self, *, pretrained: bool) -> dict[str, float]:
        """Return what rates are usual, if any are: Adam moves each weight by about its rate."""
        is_adam = (self.optimizer or "").startswith(("Adam", "NAdam", "RAdam"))
        return dict(USUAL) if pretrained and is_adam else {}
