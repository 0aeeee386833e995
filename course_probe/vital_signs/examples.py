"""The examples that pass by: which ones, how often, in what order, and how full of padding."""

import sys
from collections import Counter
from functools import cache
from typing import Any

IGNORED = -100
"""The label that the losses of PyTorch and of `transformers` leave out."""
WIDEST = 16_384
"""Tokens of a row that tell it from others; the rest of a longer one is not looked at."""

GATHERED, MOST_ROWS = 2**16, 2**20
"""Fingerprints before equal ones are dropped, and different ones that are kept."""
MOST_LABELS = 4096
"""Different labels up to which they are classes."""
LOOKED = 64
"""Batches whose labels are looked at each; of the later ones every such."""
ENOUGH = 100
"""Pairs of neighbours that tell of an order."""


@cache
def _multipliers() -> Any:
    # A generator of its own: the script's numbers must come as they would without us.
    return sys.modules["numpy"].random.default_rng(0).integers(-(2**62), 2**62, WIDEST)


def fingerprints(ids: Any, mask: Any) -> Any:
    """Compute a number for each row of token ids, the same whatever padding follows it.

    Args:
        ids: token ids, rows × columns, an array.
        mask: the attention mask of the same shape, or None.

    Returns:
        64-bit integers, one a row.

    """
    ids = ids[:, :WIDEST].astype("int64")
    if mask is not None:
        ids = ids * mask[:, :WIDEST].astype("int64")
    return (ids * _multipliers()[: ids.shape[1]]).sum(-1)


class RowCount:
    """The rows of one training, by figures that take no more room the longer it goes on."""

    def __init__(self) -> None:
        self._new: list[Any] = []
        self._waiting = 0
        self._distinct: Any = None
        self._is_cut = False
        self._rows = 0
        self._labels = _Labels()
        self._unknown: int | None = None
        self._tokens = self._cells = self._needed = 0
        self.batch_size = 0
        self.split: str | None = None

    def add(self, ids: Any, mask: Any, labels: Any, unknown: int | None) -> None:
        """Count a batch of token ids, all of it arrays; None for a mask or labels if not known.

        The id of the unknown word is `unknown`, if there is one.
        """
        self._rows += len(ids)
        self.batch_size = max(self.batch_size, len(ids))
        if not self._is_cut:
            self._new.append(fingerprints(ids, mask))
            self._waiting += len(ids)
            if self._waiting > GATHERED:
                self._gather()
        if labels is not None:
            self._labels.add(labels)
        self._cells += ids.size
        if mask is not None:
            lengths = mask.sum(-1)
            self._tokens += int(lengths.sum())
            self._needed += int(lengths.max()) * len(ids)
        if unknown is not None:
            self._unknown = (self._unknown or 0) + int((ids == unknown).sum())

    def _gather(self) -> None:
        """Keep of the fingerprints one each."""
        numpy = sys.modules["numpy"]
        if self._new:
            known = [] if self._distinct is None else [self._distinct]
            self._distinct = numpy.unique(numpy.concatenate([*known, *self._new]))
            self._new, self._waiting = [], 0
        if self._distinct is not None and len(self._distinct) > MOST_ROWS:
            # Which rows there were is not known any more.
            self._is_cut, self._distinct = True, None

    def prints(self) -> set[int] | None:
        """Return the fingerprints of all rows; None where there were too many to keep."""
        self._gather()
        if self._is_cut:
            return None
        return set(self._distinct.tolist()) if self._distinct is not None else set()

    def variance(self) -> float | None:
        """Return the variance of labels that are one number a row, not a class; None for others."""
        return self._labels.variance()

    def signs(self) -> dict[str, Any]:
        """Return the signs of the data."""
        if not self._rows:
            return {}
        prints = self.prints()
        found: dict[str, Any] = {
            "rows": self._rows,
            "batch_size": self.batch_size,
            "split": self.split,
        }
        if prints is not None:
            found |= {"examples": len(prints), "repeats": self._rows / len(prints)}
        if self._needed:
            found["padding"] = self._cells / self._needed
        if self._unknown is not None and self._tokens:
            found["unknown"] = self._unknown / self._tokens
        return found | self._labels.signs()


class _Labels:
    """The labels of a training; `counts` of those that are one class a row, None of all others."""

    def __init__(self) -> None:
        self.counts: Counter[int] | None = None
        self._ignored = self._numbers = self._changes = 0
        self._last: int | None = None
        self._is_of_numbers = True
        self._sum = self._squares = 0.0

    def add(self, labels: Any) -> None:
        """Take in those of a batch."""
        is_first = not self._numbers
        self._ignored += int((labels == IGNORED).sum())
        self._numbers += labels.size
        is_of_rows, is_float = labels.ndim == 1, labels.dtype.kind == "f"
        if not is_of_rows or is_float:
            self.counts = None
        elif is_first or self.counts is not None:
            self._count(labels)
        self._is_of_numbers &= is_of_rows and is_float
        if self._is_of_numbers:
            values = labels.astype("float64")
            self._sum += float(values.sum())
            self._squares += float((values**2).sum())

    def _count(self, labels: Any) -> None:
        classes = labels.tolist()
        counts = Counter[int]() if self.counts is None else self.counts
        if classes:
            self._changes += int((labels[1:] != labels[:-1]).sum())
            self._changes += self._last is not None and classes[0] != self._last
            self._last = classes[-1]
        counts.update(classes)
        self.counts = counts if len(counts) <= MOST_LABELS else None

    def variance(self) -> float | None:
        """Return the variance of numbers, one a row; None for others."""
        if not self._is_of_numbers or not self._numbers:
            return None
        mean = self._sum / self._numbers
        return max(0.0, self._squares / self._numbers - mean**2)

    def signs(self) -> dict[str, Any]:
        """Return what is known of the labels."""
        found: dict[str, Any] = {}
        if self._numbers:
            found["ignored"] = self._ignored / self._numbers
        if self.counts is not None:
            found |= _spread_of_labels(self.counts, self._changes)
        return found


def _spread_of_labels(counts: Counter[int], changes: int) -> dict[str, Any]:
    """Return the signs of labels, one a row, of which so many differ from the one before."""
    found: dict[str, Any] = {
        "labels": {str(label): n for label, n in sorted(counts.items())},
        "classes": len(counts),
    }
    if len(counts) > 1:
        found["order"] = changes / (counts.total() - 1) / _chance(counts)
    return found


def _chance(counts: Counter[Any]) -> float:
    """Return how often two rows in any order have different labels."""
    rows = counts.total()
    return 1 - sum((n / rows) ** 2 for n in counts.values())


class LabelOrder:
    """How often neighbours have different labels, in the batches of a loader that does not shuffle.

    The first batches are looked at, and seldom a later one: so do the classes of sorted data show.
    """

    def __init__(self) -> None:
        self._calls = self._changes = self._pairs = 0
        self._counts: Counter[float] = Counter()

    @property
    def wants_more(self) -> bool:
        """Whether the next batch is to be looked at."""
        self._calls += 1
        return self._calls <= LOOKED or self._calls % LOOKED == 0

    def add(self, labels: Any) -> bool:
        """Take in the labels of a batch, one a row; whether there is enough to tell."""
        if len(labels) > 1:
            self._changes += int((labels[1:] != labels[:-1]).sum())
            self._pairs += len(labels) - 1
            self._counts.update(labels.tolist())
        return self._pairs >= ENOUGH and len(self._counts) > 1

    @property
    def beside_chance(self) -> float:
        """How often neighbours differ, beside what chance would give."""
        return self._changes / self._pairs / _chance(self._counts)
