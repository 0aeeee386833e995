"""The examples that pass by: which ones, how often, in what order, and how full of padding."""

import itertools
import sys
from collections import Counter
from functools import cache
from typing import Any

IGNORED = -100
"""The label that the losses of PyTorch and of `transformers` leave out."""
WIDEST = 16_384
"""Tokens of a row that tell it from others; the rest of a longer one is not looked at."""

LOOKED = 64
"""Batches whose labels are looked at each; of the later ones every such."""
ENOUGH = 100
"""Pairs of neighbours that tell of an order."""


@cache
def _multipliers() -> Any:
    torch = sys.modules["torch"]
    # A generator of its own: the script's numbers must come as they would without us.
    chance = torch.Generator().manual_seed(0)
    return torch.randint(-(2**62), 2**62, (WIDEST,), generator=chance, dtype=torch.int64)


def fingerprints(ids: Any, mask: Any) -> Any:
    """A number for each row of token ids, the same whatever padding follows it.

    Args:
        ids: token ids, rows × columns.
        mask: the attention mask of the same shape, or None.

    Returns:
        64-bit integers, one a row, on the processor.

    """
    ids = ids.detach()[:, :WIDEST].to("cpu")
    if mask is not None and getattr(mask, "shape", None) is not None and mask.ndim == 2:
        ids = ids * mask.detach()[:, :WIDEST].to("cpu", ids.dtype)
    return (ids.long() * _multipliers()[: ids.shape[1]]).sum(-1)


class ExampleCount:
    """The rows of one training."""

    def __init__(self) -> None:
        self._prints: list[Any] = []
        self._labels: list[Any] = []
        self._unknown: list[Any] = []
        self._tokens: list[Any] = []
        self._cells = self._needed = 0
        self.batch_size = 0
        self.split: str | None = None

    def add(self, ids: Any, mask: Any, labels: Any, unknown: int | None) -> None:
        """Count a batch of token ids; `unknown` is the id of the unknown word, if there is one."""
        self._prints.append(fingerprints(ids, mask))
        self.batch_size = max(self.batch_size, len(ids))
        if labels is not None:
            self._labels.append(labels.detach().to("cpu", copy=True))
        real = mask.detach() if mask is not None and mask.ndim == 2 else None
        lengths = real.sum(-1) if real is not None else None
        self._cells += ids.numel()
        if lengths is not None:
            self._tokens.append(lengths.sum())
            self._needed += int(lengths.max()) * len(ids)
        if unknown is not None:
            self._unknown.append((ids.detach() == unknown).sum())

    def prints(self) -> set[int]:
        """The fingerprints of all rows."""
        torch = sys.modules["torch"]
        return set(torch.cat(self._prints).tolist()) if self._prints else set()

    def is_class_labels(self) -> bool:
        """Whether there is one whole number a row."""
        return bool(self._labels) and all(
            each.ndim == 1 and not each.is_floating_point() for each in self._labels
        )

    def variance(self) -> float | None:
        """The variance of labels that are one number a row, not a class; None for others."""
        torch = sys.modules["torch"]
        if not self._labels or not all(
            each.is_floating_point() and each.ndim == 1 for each in self._labels
        ):
            return None
        return float(torch.cat(self._labels).float().var(unbiased=False))

    def signs(self) -> dict[str, Any]:
        """The signs of the data."""
        torch = sys.modules["torch"]
        rows = sum(len(each) for each in self._prints)
        if not rows:
            return {}
        examples = len(self.prints())
        found: dict[str, Any] = {
            "rows": rows,
            "examples": examples,
            "repeats": rows / examples,
            "batch_size": self.batch_size,
            "split": self.split,
        }
        tokens = int(sum(map(int, self._tokens)))
        if self._needed:
            found["padding"] = self._cells / self._needed
        if self._unknown and tokens:
            found["unknown"] = sum(map(int, self._unknown)) / tokens
        if self._labels:
            ignored = sum(int((each == IGNORED).sum()) for each in self._labels)
            found["ignored"] = ignored / max(1, sum(each.numel() for each in self._labels))
        if self.is_class_labels():
            labels = torch.cat(self._labels).tolist()
            counts = Counter(labels)
            found["labels"] = {str(label): n for label, n in sorted(counts.items())}
            found["classes"] = len(counts)
            chance = 1 - sum((n / len(labels)) ** 2 for n in counts.values())
            if chance > 0 and len(labels) > 1:
                changes = sum(a != b for a, b in itertools.pairwise(labels))
                found["order"] = changes / (len(labels) - 1) / chance
        return found


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

    def figures(self) -> dict[str, float]:
        """How often neighbours differ beside what chance would give, and the labels there are."""
        rows = sum(self._counts.values())
        chance = 1 - sum((n / rows) ** 2 for n in self._counts.values())
        return {
            "label_order": self._changes / self._pairs / chance,
            "labels_in_order": float(len(self._counts)),
        }
