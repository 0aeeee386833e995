"""Hear the loaders of a script: each pass over one, and each batch that it gives."""

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

from course_probe.event_log import EventLog
from course_probe.guard import noted
from course_probe.lengths import length
from course_probe.vital_signs.weak import nothing, weakly


class DataloaderHooks:
    """The loaders of one script.

    `at_pass` is called when a pass over one begins, and `at_batch` with each batch and the data
    that it is of. The last pass is over what the `reference` gives, in so many `batches`; None
    where these have no number. It `is_prepared` where accelerate gives each process its share.
    """

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self.reference: Callable[[], Any] = nothing
        self.batches: int | None = None
        self.is_prepared = False
        self.at_pass: list[Callable[[], None]] = []
        self.at_batch: list[Callable[[Any, Any], None]] = []

    @property
    def dataset(self) -> Any:
        """Return the data of the pass that was begun last; None once they are gone."""
        return self.reference()

    def hook(self, module: ModuleType) -> None:
        """Hear what each iterator of `torch.utils.data.dataloader` gives."""
        kind = module._BaseDataLoaderIter
        following = kind.__next__

        @functools.wraps(following)
        def given(iterator: Any) -> Any:
            if not self._log.looking and not iterator._num_yielded:
                noted(self._begin_pass, iterator)
            batch = following(iterator)
            for call in self.at_batch:
                noted(call, batch, iterator._dataset)
            return batch

        kind.__next__ = given

    def _begin_pass(self, iterator: Any) -> None:
        for call in self.at_pass:
            noted(call)
        sampler = getattr(iterator, "_index_sampler", None)
        self.reference = _weakly(iterator._dataset, sampler)
        self.batches = length(sampler)
        kinds = {type(each).__module__.partition(".")[0] for each in (iterator._dataset, sampler)}
        self.is_prepared = "accelerate" in kinds


def _weakly(dataset: Any, sampler: Any) -> Callable[[], Any]:
    """Make a reference that keeps no data alive; a list has none, but its loader's sampler has."""
    found = weakly(dataset)
    of = weakly(sampler) if found is nothing else nothing
    return (
        found
        if of is nothing
        else lambda: getattr(getattr(of(), "sampler", None), "data_source", None)
    )
