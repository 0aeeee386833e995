"""Data sets of loaders that share their very items: what is evaluated on, and was trained on.

Items are told by what they are, not by what they hold: two that are equal by chance are two. So
this knows of lists, of parts of a data set, and of tables whose rows lie in the same memory.
"""

import sys
from collections.abc import Iterator
from typing import Any

FEWEST = 20
"""Items of an evaluation that count."""
MOST = 200_000
"""Items of a data set that are looked at."""
SETS = 64
"""Evaluations that are looked at."""
LONG = 16
"""Letters of a text that a program has one of, unless it is handed on."""
ATOMS = (int, float, bool, str, bytes, type(None))
"""What a program may have one of, for many equal ones."""


class SharedItems:
    """The data sets that one script trains and evaluates on, by way of loaders."""

    def __init__(self) -> None:
        self._trained: list[Any] = []
        self._items: set[Any] = set()
        self._shares: dict[str, list[float]] = {}
        self._left = SETS
        self._last: tuple[Any, int, str] | None = None

    def begin(self) -> None:
        """Another training begins, of a network that knows none of this."""
        self._trained, self._items, self._last = [], set(), None

    def note_training(self, data: Any) -> None:
        """A loss goes backward in a loop over a loader of these data."""
        if not any(each is data for each in self._trained):
            self._trained.append(data)
            self._items |= _items(data) or set()

    def note_evaluation(self, data: Any, name: str) -> None:
        """A loop without gradients begins over a loader that has a name of held-out data."""
        asked = (data, len(self._trained), name)
        known = self._last
        if known is not None and known[0] is data and known[1:] == asked[1:]:
            return
        self._last = asked
        if not self._items or self._left <= 0:
            return
        self._left -= 1
        items = _items(data)
        if items is not None and len(items) >= FEWEST:
            self._shares.setdefault(name, []).append(len(items & self._items) / len(items))

    def figures(self) -> dict[str, float]:
        """The share of the items that were trained on, of the name with the most of them.

        Of a name the evaluation with the least counts.
        """
        if not self._shares:
            return {}
        return {"held_out_items_trained": max(min(shares) for shares in self._shares.values())}


def _items(data: Any) -> set[Any] | None:
    """What tells the items of a data set from all others; None where that is not known."""
    try:
        if len(data) > MOST:
            return None
        found = list(_keys(data))
    except (TypeError, AttributeError, ValueError, RuntimeError, IndexError, KeyError):
        return None
    items = set(found)
    # Where one object stands for many items, being it tells nothing.
    return items if len(items) == len(found) else None


def _keys(data: Any) -> Iterator[Any]:
    torch = sys.modules["torch"]
    utils = torch.utils.data
    if isinstance(data, utils.Subset):
        base = list(_keys(data.dataset))
        yield from (base[int(each)] for each in data.indices)
    elif isinstance(data, utils.ConcatDataset):
        for each in data.datasets:
            yield from _keys(each)
    elif isinstance(data, utils.TensorDataset):
        first = data.tensors[0]
        # A view of a table has its memory; what was copied has its own.
        begin, step = first.data_ptr(), first.stride(0) * first.element_size()
        yield from (("row", begin + step * number) for number in range(len(first)))
    elif isinstance(data, list | tuple):
        if any(isinstance(each, ATOMS) and not _is_long(each) for each in data):
            raise TypeError
        yield from (("item", id(each)) for each in data)
    elif (inner := _inner(data)) is not None:
        yield from _keys(inner)
    else:
        # It is one whole: its parts are told by their places.
        yield from (("place", id(data), number) for number in range(len(data)))


def _is_long(item: Any) -> bool:
    return isinstance(item, str) and len(item) >= LONG


def _inner(data: Any) -> Any:
    """What a data set of the script's own has its items from, one for each."""
    utils = sys.modules["torch"].utils.data
    kinds = (list, tuple, utils.Subset, utils.TensorDataset, utils.ConcatDataset)
    for each in getattr(data, "__dict__", {}).values():
        is_one_each = isinstance(each, kinds) and len(each) == len(data) > 0
        if is_one_each and not (isinstance(each, list | tuple) and isinstance(each[0], ATOMS[:3])):
            return each
    return None
