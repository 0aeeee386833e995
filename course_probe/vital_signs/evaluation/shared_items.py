"""Data sets of loaders that share their very items: what is evaluated on, and was trained on.

Items are told by what they are, not by what they hold: two that are equal by chance are two. So
this knows of lists, of parts of a data set, and of tables whose rows lie in the same memory.
"""

import sys
from collections.abc import Callable, Iterator
from typing import Any

from course_probe.lengths import length
from course_probe.vital_signs.weak import nothing, weakly

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
        self._trained: list[tuple[Callable[[], Any], set[Any]]] = []
        self._shares: dict[str, list[float]] = {}
        self._left = SETS
        self._last: tuple[Callable[[], Any], int, str] | None = None

    def begin(self) -> None:
        """Another training begins, of a network that knows none of this."""
        self._trained, self._last = [], None

    def note_training(self, data: Any, loader: Any = None) -> None:
        """A loss goes backward of a batch of these data, which a `loader` has given."""
        # Of what is gone, others may have the place in memory.
        self._trained = [each for each in self._trained if each[0]() is not None]
        kept = weakly(data)
        kept = weakly(loader) if kept is nothing else kept
        owner = kept()
        if owner is not None and not any(each() is owner for each, _items in self._trained):
            self._trained.append((kept, _items(data) or set()))
            del self._trained[:-SETS]

    def is_trained(self, data: Any) -> bool:
        """Whether a data set is one of those that losses have gone backward of."""
        return any(_owned(kept()) is data for kept, _items in self._trained if kept() is not None)

    def note_evaluation(self, data: Any, name: str) -> None:
        """A network is evaluated on what a loader gives of data that have a name, ours."""
        known = self._last
        is_known = known is not None and known[0]() is data and data is not None
        if known is not None and is_known and known[1:] == (len(self._trained), name):
            return
        self._last = (weakly(data), len(self._trained), name)
        trained = set[Any]().union(*(own for kept, own in self._trained if kept() is not None))
        if not trained or self._left <= 0:
            return
        self._left -= 1
        items = _items(data)
        if items is not None and len(items) >= FEWEST:
            self._shares.setdefault(name, []).append(len(items & trained) / len(items))

    def figures(self) -> dict[str, float]:
        """The share of the items that were trained on, of the data with the fewest of them.

        Whoever evaluates on other data, too, knows what a network does with these.
        """
        if not self._shares:
            return {}
        return {"held_out_items_trained": min(min(shares) for shares in self._shares.values())}


def _owned(owner: Any) -> Any:
    """The data of a loader that is remembered in their place, or what is remembered itself."""
    loader = sys.modules["torch"].utils.data.DataLoader
    return owner.dataset if isinstance(owner, loader) else owner


def _items(data: Any) -> set[Any] | None:
    """What tells the items of a data set from all others; None where that is not known."""
    try:
        rows = length(data)
        if rows is None or rows > MOST:
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
    elif type(data) in (list, tuple):
        if any(isinstance(each, ATOMS) and not _is_long(each) for each in data):
            raise TypeError
        yield from (("item", id(each)) for each in data)
    elif (inner := _inner(data)) is not None:
        yield from _keys(inner)
    else:
        # It is one whole: its parts are told by their places.
        yield from (("place", id(data), number) for number in range(length(data) or 0))


def _is_long(item: Any) -> bool:
    return isinstance(item, str) and len(item) >= LONG


def _inner(data: Any) -> Any:
    """What a data set of the script's own has its items from, one for each."""
    utils = sys.modules["torch"].utils.data
    kinds = (list, tuple, utils.Subset, utils.TensorDataset, utils.ConcatDataset)
    rows = length(data) or 0
    for each in getattr(data, "__dict__", {}).values():
        is_one_each = isinstance(each, kinds) and length(each) == rows > 0
        if is_one_each and not (isinstance(each, list | tuple) and isinstance(each[0], ATOMS[:3])):
            return each
    return None
