"""The labels in the batches of a loader: those of the training, and those of the evaluations."""

import sys
from collections.abc import Iterator, Mapping
from typing import Any

MOST_ROWS = 5_000
"""Rows of evaluations whose labels are looked at."""
MOST_LABELS = 4_096
"""Different labels of a training that are kept: who numbers rows has no end of them."""
FEWEST = 30
"""Rows that tell something."""


class LoadedLabels:
    """Which labels a script trains on, and which it evaluates on, as far as loaders give them."""

    def __init__(self) -> None:
        self._key: Any = None
        self._trained: set[float] = set()
        self._evaluated: set[float] = set()
        self._rows = 0

    def note_target(self, batch: Any, target: Any) -> None:
        """Take in the target of a loss: which column of the batch is it?"""
        torch = sys.modules["torch"]
        if target.ndim != 1 or target.is_floating_point():
            return
        if len(self._trained) < MOST_LABELS:
            self._trained.update(target.detach().unique()[:MOST_LABELS].tolist())
        if self._key is None:
            wanted = target.detach().cpu()
            for key, column in _columns(batch):
                if torch.is_tensor(column) and torch.equal(column.detach().cpu(), wanted):
                    self._key = key
                    return

    def note_batch(self, batch: Any) -> None:
        """Take in a batch that a loader gives while no gradients are wanted."""
        if self._key is None or self._rows >= MOST_ROWS:
            return
        column: Any = next((each for key, each in _columns(batch) if key == self._key), None)
        if sys.modules["torch"].is_tensor(column) and column.ndim == 1:
            self._rows += len(column)
            self._evaluated.update(column.detach().unique().tolist())

    def figures(self) -> dict[str, float]:
        """How many labels of either kind there are; nothing where too little was seen.

        Whoever has no labels to evaluate on may fill up with 0 or -1: one such label tells nothing.
        """
        if self._rows < FEWEST or not self._trained or max(self._evaluated) <= 0:
            return {}
        return {
            "labels_trained": float(len(self._trained)),
            "labels_evaluated": float(len(self._evaluated)),
        }


def _columns(batch: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(batch, Mapping):
        yield from batch.items()
    elif isinstance(batch, list | tuple):
        yield from enumerate(batch)
