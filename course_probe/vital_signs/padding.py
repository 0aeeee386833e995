"""How the batches of a training are padded: to their own longest example, or to one width."""

from collections import deque

WINDOW = 20
"""Batches that are looked at together: a training may pad in another way later on."""


class PaddingWatch:
    """The widths of batches beside those that their longest examples need.

    Its figures are of the batches, one after the other, whose widths follow their examples least.
    """

    def __init__(self) -> None:
        self._last: deque[tuple[int, int]] = deque(maxlen=WINDOW)
        self._count = 0
        self._widest = 0
        self._worst: tuple[float, float] | None = None

    def add(self, width: int, needed: int) -> None:
        """Take in a batch of this width, whose longest example needs so many tokens."""
        self._last.append((width, max(1, needed)))
        self._count += 1
        self._widest = max(self._widest, width)
        if self._count % WINDOW == 0:
            widths, needs = zip(*self._last, strict=True)
            found = (sum(widths) / sum(needs), _follows(widths, needs))
            if self._worst is None or found[0] - found[1] > self._worst[0] - self._worst[1]:
                self._worst = found

    def figures(self) -> dict[str, float]:
        """Return what is known so far; nothing before there are enough batches."""
        if self._worst is None:
            return {}
        factor, follows = self._worst
        return {"padding_factor": factor, "width_follows": follows, "width": self._widest}


def _follows(widths: tuple[int, ...], needs: tuple[int, ...]) -> float:
    """Compute how widths go with what is needed, from -1 to 1; 1 where both stay as they are."""
    mean, usual = sum(widths) / len(widths), sum(needs) / len(needs)
    both = sum((w - mean) * (n - usual) for w, n in zip(widths, needs, strict=True))
    of = sum((w - mean) ** 2 for w in widths) * sum((n - usual) ** 2 for n in needs)
    if of:
        return float(both / of**0.5)
    return 1.0 if widths == needs else 0.0
