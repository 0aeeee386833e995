"""Texts of which a network is given the first few words: the script has cut them by itself."""

import sys
from collections import Counter
from collections.abc import Iterable
from typing import Any

TEXTS = 500
"""Texts of a data set that are looked at, the first ones."""
FEWEST = 50
"""Texts whose words tell something."""
ENOUGH = 20
"""Batches that are looked at until something is known."""
ALIKE = 0.95
"""The share of the batches that have to be of one width: what is only filtered has many."""


class CutWords:
    """The words of the texts in a loader's data, beside the width of the token ids made of them."""

    def __init__(self) -> None:
        self._lengths: list[int] | None = None
        self._widths: Counter[int] = Counter()

    @property
    def is_wanted(self) -> bool:
        """Whether another batch is to be looked at."""
        return self._lengths != [] and self._widths.total() < ENOUGH

    def note(self, data: Any, ids: Any) -> None:
        """Take in a batch of token ids, rows × places, that a loader of these data has led to."""
        if self._lengths is None:
            lengths = [len(each.split()) for each in _texts(data)]
            self._lengths = lengths if len(lengths) >= FEWEST else []
        if self._lengths:
            self._widths[ids.shape[1]] += 1

    def figures(self) -> dict[str, float]:
        """The share of the words behind the last place, and how many places there are.

        Nothing where the batches have several widths, or too few were seen.
        """
        if not self._lengths or self._widths.total() < ENOUGH:
            return {}
        width, times = self._widths.most_common(1)[0]
        if times < ALIKE * ENOUGH or width != max(self._widths):
            return {}
        behind = sum(max(0, each - width) for each in self._lengths)
        return {"words_cut": behind / max(1, sum(self._lengths)), "words_left": float(width)}


def _texts(data: Any) -> Iterable[str]:
    """The texts of a data set, one for each item, if that is a list or keeps such a list."""
    if isinstance(data, sys.modules["torch"].utils.data.Subset):
        data = data.dataset
    if type(data) in (list, tuple):
        return [text for item in data[:TEXTS] if (text := _text(item)) is not None]
    kept = getattr(data, "__dict__", {})
    columns = [each for each in kept.values() if type(each) is list and each]
    columns = [each for each in columns if (_text(each[0]) or "").count(" ")]
    # Of two columns of texts nobody knows which one the ids are made of, or whether of both.
    column = columns[0][:TEXTS] if len(columns) == 1 else []
    return [text for item in column if (text := _text(item)) is not None]


def _text(item: Any) -> str | None:
    """The one text of an item; None where there is none, or more than one."""
    parts = item.values() if isinstance(item, dict) else item
    if isinstance(item, str):
        return item
    if not isinstance(item, dict | tuple | list):
        return None
    found = [each for each in parts if isinstance(each, str) and " " in each.strip()]
    return found[0] if len(found) == 1 else None
