"""Units that give nothing, whatever comes in."""

from collections import deque
from typing import Any

EVERY_CALL = 41
"""Calls of which one is looked at: no multiple of a usual number of layers."""
LAST = 8
"""Looks that count, the last ones."""
LARGEST = 2**22
FEWEST_ROWS = 8


class DeadUnits:
    """The share of units without any output in a batch, at the last looks.

    `calls` are those of any ReLU so far: one in `EVERY_CALL` is to be looked at.
    """

    def __init__(self) -> None:
        self.calls = 0
        self._shares: deque[float] = deque(maxlen=LAST)

    def note(self, outputs: Any) -> None:
        """What a ReLU gives: rows × units, or rows × channels × height × width."""
        if not outputs.requires_grad or outputs.numel() > LARGEST:
            return
        if outputs.ndim < 2 or len(outputs) < FEWEST_ROWS:
            return
        units = outputs.detach().movedim(1 if outputs.ndim > 3 else -1, 0)
        alive = (units.reshape(len(units), -1) > 0).any(1)
        self._shares.append(1.0 - float(alive.float().mean()))

    def figures(self) -> dict[str, float]:
        """The mean share; nothing where there were too few looks."""
        if len(self._shares) < LAST // 2:
            return {}
        return {"dead_units": sum(self._shares) / len(self._shares)}
