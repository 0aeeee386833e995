"""Shorter passes over the data, or one batch again and again, whatever loop asks for them."""

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

REPEATS = 40
"""Steps on one batch in all, unless the script makes fewer."""


class Shortening:
    """Ends each pass over a loader that shuffles after `batches`, or repeats its first batch.

    A loader of PyTorch is taken for one of a training where it shuffles. `tell` is called once a
    batch is repeated: a script that takes its batches otherwise is trained as it is.
    """

    def __init__(
        self, batches: int | None, *, one_batch: bool, tell: Callable[[], None] = lambda: None
    ) -> None:
        self._batches = batches
        self._one_batch = one_batch
        self._tell = tell
        self._first: dict[int, Any] = {}
        self._left = REPEATS

    def hook(self, module: ModuleType) -> None:
        """Replace the iteration of `torch.utils.data.dataloader.DataLoader`."""
        original = module.DataLoader.__iter__

        def iterated(loader: Any) -> Iterator[Any]:
            if self._one_batch:
                return self._repeated(loader, original(loader))
            return self._cut(original(loader))

        module.DataLoader.__iter__ = iterated

    def _cut(self, batches: Iterator[Any]) -> Iterator[Any]:
        for number, batch in enumerate(batches):
            if self._batches is not None and number >= self._batches:
                return
            yield batch

    def _repeated(self, loader: Any, batches: Iterator[Any]) -> Iterator[Any]:
        if not _shuffles(loader):
            yield from self._cut(batches)
            return
        if id(loader) not in self._first:
            for batch in batches:
                self._first[id(loader)] = batch
                self._tell()
                break
            else:
                return
        for _number in range(max(1, min(self._left, len(loader)))):
            self._left -= 1
            yield self._first[id(loader)]


def _shuffles(loader: Any) -> bool:
    sampler = type(getattr(loader, "sampler", None)).__name__
    return "Random" in sampler or "Distributed" in sampler
