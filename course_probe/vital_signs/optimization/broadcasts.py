"""Differences of outputs and targets that a script takes by its own hand, over all their pairs.

Outputs of the shape (n, 1) less targets of the shape (n,) are n × n numbers. Who wants all pairs
gives both the shapes for it; here the target has the shape that the loader gave it.
"""

from collections.abc import Iterable, Mapping
from typing import Any

NODES = 60
"""Nodes of a graph, those next to the loss, that are looked at."""
LOOKED, ENOUGH = 12, 5
"""Losses that are looked at, the first ones, and those that tell something."""
FEWEST = 3
"""Rows of a batch: of two rows and two columns nobody knows which is which."""


class PairDifferences:
    """How many of the losses of a script are taken over all pairs of outputs and targets."""

    def __init__(self) -> None:
        self._looked = self._found = 0

    @property
    def is_full(self) -> bool:
        """Whether no more losses are looked at."""
        return self._looked >= LOOKED

    def note(self, loss: Any, batch: Any, labels: Iterable[Any] = ()) -> None:
        """Take in a loss that goes backward, and what a loader gave last.

        Or tensors under names of labels, where the batches are made by hand.
        """
        columns: Any = batch.values() if isinstance(batch, Mapping) else batch
        columns = labels if batch is None else columns
        if type(columns) not in (tuple, list) and not isinstance(batch, Mapping):
            return
        shapes = {
            tuple(each.shape)
            for each in columns
            if hasattr(each, "is_floating_point") and each.is_floating_point()
        }
        self._looked += 1
        self._found += _is_of_pairs(getattr(loss, "grad_fn", None), shapes)

    def figures(self) -> dict[str, float]:
        """The share of the losses; nothing where there are too few."""
        if self._looked < ENOUGH:
            return {}
        return {"difference_of_pairs": self._found / self._looked}


def _is_of_pairs(node: Any, shapes: Iterable[tuple[int, ...]]) -> bool:
    """Whether a graph has a difference of n × n numbers, of n outputs and a column as it came."""
    waiting, looked = [node], 0
    while waiting and looked < NODES:
        node = waiting.pop(0)
        looked += 1
        if node is None:
            continue
        if node.name().startswith(("SubBackward", "RsubBackward")):
            parts = [each for each in node.next_functions if each[0] is not None]
            found = _shape(node, 0)
            if len(parts) == 1 and len(found) == 2 and found[0] == found[1] >= FEWEST:
                rows, given = found[0], _shape(*parts[0])
                other = {(rows,): (rows, 1), (rows, 1): (rows,)}.get(given)
                if other is not None and other in shapes:
                    return True
        waiting += [each for each, _index in node.next_functions]
    return False


def _shape(node: Any, number: int) -> tuple[int, ...]:
    """The shape of one of the results of a node; none where PyTorch does not say."""
    found = getattr(node, "_input_metadata", ())
    try:
        return tuple(found[number].shape) if len(found) > number else ()
    except RuntimeError:
        return ()  # Tensors in tensors have no shape of their own.
