"""Listening to the loaders of a script: which one it walks through, and which were prepared."""

import contextlib
import functools
import weakref
from collections.abc import Callable
from types import ModuleType
from typing import Any

from course_probe.hooks import Failed
from course_probe.journal import Journal


class Loaders:
    """The loaders that one script walks through; `at_pass` are called before each such walk."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._prepared: weakref.WeakSet[Any] = weakref.WeakSet()
        self.walked: Any = None
        self.at_pass: list[Callable[[], None]] = []

    def iterating(self, loader: Any) -> None:
        """A pass over a loader begins."""
        if self._journal.looking:
            return
        for tell in self.at_pass:
            tell()
        self.walked = loader

    def prepare(self, shard: Any) -> None:
        """One that `accelerate` has made is walked through: it does so by way of another one."""
        self._prepared.add(getattr(shard, "base_dataloader", shard))

    def is_prepared(self, loader: Any) -> bool:
        """Whether `accelerate` gives each process its share of it."""
        return loader in self._prepared


def of(journal: Journal) -> Loaders:
    """The loaders of the script that reports to this journal."""
    loaders: Loaders = journal.ears.setdefault("loaders", Loaders(journal))
    return loaders


def batches(loader: Any) -> int | None:
    """How many batches a loader has; None where it cannot tell."""
    with contextlib.suppress(TypeError):
        return len(loader)
    return None


def listen(module: ModuleType, journal: Journal, failed: Failed) -> None:
    """Hear of each pass over the batches of a loader that begins."""
    _before_iteration(module.DataLoader, of(journal).iterating)


def listen_prepared(module: ModuleType, journal: Journal, failed: Failed) -> None:
    """Know the loaders that `accelerate` has prepared."""
    for name in ("DataLoaderShard", "DataLoaderDispatcher"):
        _before_iteration(getattr(module, name), of(journal).prepare)


def _before_iteration(kind: Any, tell: Callable[[Any], None]) -> None:
    plain = kind.__iter__

    @functools.wraps(plain)
    def iterate(loader: Any) -> Any:
        tell(loader)
        return plain(loader)

    kind.__iter__ = iterate
