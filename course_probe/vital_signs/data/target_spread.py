"""What guessing would give: the loss of the best answer that is the same for every row."""

import math
from collections import deque
from typing import Any

SQUARES = "mse_loss"
ENTROPIES = ("binary_cross_entropy", "binary_cross_entropy_with_logits")
FEWEST = 5
"""Losses, and numbers, that have to be seen before they tell of others."""
MATCHING = 0.9
"""The share of the losses looked at that go backward as they are."""


class TargetSpread:
    """The targets of a script's losses of one kind, as long as there is no other."""

    def __init__(self) -> None:
        self._name: str | None = None
        self._is_mixed = False
        self._numbers = 0
        self._sum = self._squares = 0.0
        self._looked = self._sent = 0
        self._held_out: deque[Any] = deque(maxlen=FEWEST)

    def note(self, name: str, target: Any, named: dict[str, Any]) -> None:
        """Take in the target of a call of a loss, with the arguments that have names."""
        if self._name not in (None, name) or name not in (SQUARES, *ENTROPIES):
            self._is_mixed = True
        self._name = name
        if any(named.get(each) is not None for each in ("weight", "pos_weight")):
            self._is_mixed = True
        if named.get("reduction", "mean") != "mean" or self._is_mixed:
            self._is_mixed = True
            return
        values = target.detach().double()
        self._numbers += values.numel()
        self._sum += float(values.sum())
        self._squares += float((values**2).sum())
        self._looked += 1

    def note_sent(self) -> None:
        """A loss that was looked at goes backward as it is, with nothing added to it."""
        self._sent += 1

    def note_held_out(self, name: str, loss: Any, named: dict[str, Any]) -> None:
        """Take in a loss without gradients, of an evaluation."""
        if name == self._name and named.get("reduction", "mean") == "mean":
            self._held_out.append(loss.detach())

    def figures(self) -> dict[str, float]:
        """The last losses of evaluations beside that of guessing; nothing where unknown."""
        guess = self.guess()
        if guess is None or not self._held_out:
            return {}
        last = sum(map(float, self._held_out)) / len(self._held_out)
        return {"held_out_to_guess": last / guess} if last - last == 0 else {}

    def guess(self) -> float | None:
        """The loss of the best constant; None where it is not known."""
        if self._is_mixed or self._looked < FEWEST or self._sent < MATCHING * self._looked:
            return None
        mean = self._sum / self._numbers
        if self._name == SQUARES:
            return max(0.0, self._squares / self._numbers - mean**2) or None
        if not 0 < mean < 1:
            return None
        return -mean * math.log(mean) - (1 - mean) * math.log(1 - mean)
