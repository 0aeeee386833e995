"""Metrics that a loop by hand sets back for each batch, so that what is read is of the last one."""

import weakref
from dataclasses import dataclass
from typing import Any


@dataclass
class _Pass:
    """What became of one metric in one pass over some data, by the `number` of the pass."""

    number: int
    lost: int = 0
    read: int = 0
    lost_before: int = 0
    over: bool = False


class MetricResets:
    """How many batches were taken away from a metric before it was read, at the end of a pass."""

    def __init__(self) -> None:
        self._passes = 0
        self._metrics: weakref.WeakKeyDictionary[Any, _Pass] = weakref.WeakKeyDictionary()
        self._lost = 0

    def begin_pass(self) -> None:
        """Note that a dataset is gone through from its beginning."""
        self._passes += 1

    def _of(self, metric: Any) -> _Pass:
        known = self._metrics.get(metric)
        if known is None or known.number != self._passes:
            if known is not None:
                self._count(known)
            known = self._metrics[metric] = _Pass(self._passes)
        return known

    def reset(self, metric: Any, count: float, batch: int) -> None:
        """Note the reset of a metric of so many rows; `batch` are those of one batch of several."""
        known = self._of(metric)
        if known.read:
            # It is read on the way, and not only in the end.
            known.over = True
        if count == batch:
            known.lost += 1

    def read(self, metric: Any, count: float, batch: int) -> None:
        """Note that a metric of so many rows is read."""
        known = self._of(metric)
        known.read += 1
        if 0 < count <= batch:
            known.lost_before = known.lost

    def _count(self, known: _Pass) -> None:
        if known.read == 1 and not known.over:
            self._lost = max(self._lost, known.lost_before)

    def count(self) -> int:
        """Count the batches that are lost, at the script's end."""
        for known in self._metrics.values():
            self._count(known)
        return self._lost
