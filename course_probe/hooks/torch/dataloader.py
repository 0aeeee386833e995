"""Hook the loaders of a script: which one it iterates over, and which ones were prepared."""

import weakref
from collections.abc import Callable
from types import ModuleType
from typing import Any

from course_probe.event_log import EventLog
from course_probe.guard import noted
from course_probe.hooks.wrap import observe
from course_probe.lengths import length
from course_probe.vital_signs.weak import nothing, weakly


class DataloaderHooks:
    """The loaders of one script.

    `current` is iterated over, None once it is gone; `at_pass` is called with a loader before that
    begins.
    """

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._prepared: weakref.WeakSet[Any] = weakref.WeakSet()
        self._current: Callable[[], Any] = nothing
        self.at_pass: list[Callable[[Any], None]] = []

    @property
    def current(self) -> Any:
        """Return the loader that is iterated over, or was last."""
        return self._current()

    def hook_torch(self, module: ModuleType) -> None:
        """Observe each pass over a loader of `torch.utils.data.dataloader`."""
        observe(module.DataLoader, "__iter__", before=self._begin_pass)

    def hook_accelerate(self, module: ModuleType) -> None:
        """Observe the loaders that `accelerate.data_loader` has prepared."""
        for name in ("DataLoaderShard", "DataLoaderDispatcher"):
            observe(getattr(module, name), "__iter__", before=self._remember_prepared)

    def _begin_pass(self, loader: Any) -> None:
        if self._log.looking:
            return
        for call in self.at_pass:
            noted(call, loader)
        self._current = weakly(loader)

    def _remember_prepared(self, shard: Any) -> None:
        # It iterates by way of another loader.
        self._prepared.add(getattr(shard, "base_dataloader", shard))

    def is_prepared(self, loader: Any) -> bool:
        """Return whether `accelerate` gives each process its share of the loader."""
        return loader in self._prepared


def count_batches(loader: Any) -> int | None:
    """Return the number of a loader's batches; None where it has no length."""
    return length(loader)
