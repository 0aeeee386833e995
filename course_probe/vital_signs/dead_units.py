"""Units that give nothing, whatever comes in."""

from collections import deque
from typing import Any

from course_probe.vital_signs.graphs import is_plainly_saved, nodes

EVERY_STEP = 13
"""Steps of which one is looked at."""
NODES = 500
"""Nodes of a graph that are looked at."""
LAST = 8
"""Looks that count, the last ones."""
LARGEST = 2**22
FEWEST_ROWS = 8


class DeadUnits:
    """The share of units without any output in a batch, at the last looks."""

    def __init__(self) -> None:
        self._shares: deque[float] = deque(maxlen=LAST)

    def note_graph(self, loss: Any) -> None:
        """A loss goes backward: what have the ReLUs before it given?"""
        for node in nodes(loss, NODES):
            if node.name().startswith("ReluBackward") and is_plainly_saved(node, "result"):
                self.note(node._saved_result)

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
