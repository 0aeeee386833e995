"""Hear what the processes of a training gather: answers and labels, where no metric is given them.

A script may count by its own hand what is right. With several processes none of them sees all the
answers in its own passes; they come together in `gather` and `gather_for_metrics`.
"""

import functools
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any

from course_probe.event_log import EventLog
from course_probe.hooks.evaluation.writer import EvaluationWriter
from course_probe.hooks.measure import count_labels
from course_probe.hooks.torch.dataloader import DataloaderHooks
from course_probe.hooks.torch.distributed import DistributedHooks
from course_probe.hooks.torch.trainer import TrainerHooks

METHODS = ("gather", "gather_for_metrics")


class GatheringHooks:
    """The evaluation of one script by what its processes have gathered since its last step."""

    def __init__(
        self,
        log: EventLog,
        trainer: TrainerHooks,
        dataloader: DataloaderHooks,
        distributed: DistributedHooks,
        writer: EvaluationWriter,
    ) -> None:
        self._log = log
        self._trainer = trainer
        self._dataloader = dataloader
        self._distributed = distributed
        self._distributed.at_step.append(self.end)
        self._distributed.at_end.insert(0, self.end)
        self._writer = writer
        self._first: list[int] = []
        self._second: list[int] = []
        self._half: list[int] | None = None
        self._loader: Any = None
        self._depth = 0

    def hook(self, module: ModuleType) -> None:
        """Hear what an accelerator of `accelerate.accelerator` gathers."""
        for name in METHODS:
            gather = getattr(module.Accelerator, name)
            setattr(module.Accelerator, name, self._heard(gather))

    def _heard(self, gather: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(gather)
        def heard(*arguments: Any, **named: Any) -> Any:
            # One of them calls the other.
            self._depth += 1
            try:
                found = gather(*arguments, **named)
            finally:
                self._depth -= 1
            if not (self._depth or self._log.looking or self._trainer.is_active):
                self._hear(list(_classes(found)))
            return found

        return heard

    def _hear(self, found: list[list[int]]) -> None:
        """Take answers and labels as pairs, gathered together or one after the other."""
        self._loader = self._dataloader.current
        if len(found) == 1 and self._half is None:
            (self._half,) = found
            return
        half, self._half = self._half, None
        pair = [half, *found] if half is not None else found
        if len(pair) == 2 and len(pair[0]) == len(pair[1]):
            self._first += pair[0]
            self._second += pair[1]

    def forget(self) -> None:
        """Forget what was gathered: a metric tells of it."""
        self._first, self._second, self._half = [], [], None

    def end(self) -> None:
        """Tell an evaluation of several processes that is over, if there was one."""
        if not self._first or self._distributed.processes < 2:
            return
        dataset = getattr(self._loader, "dataset", None)
        labels = self._labels(count_labels(dataset))
        right = sum(a == b for a, b in zip(self._first, self._second, strict=True))
        self._writer.write({"eval_accuracy": right / len(self._first)}, labels, dataset)
        self.forget()

    def _labels(self, known: Mapping[str, int]) -> dict[str, int]:
        """How often each label was gathered: of the two the one that is more like the data."""
        first, second = (Counter(map(str, each)) for each in (self._first, self._second))

        def distance(counted: Counter[str]) -> int:
            return sum(abs(counted[name] - known.get(name, 0)) for name in {*counted, *known})

        return dict(first if known and distance(first) < distance(second) else second)


def _classes(found: Any) -> Iterator[list[int]]:
    """The classes in what was gathered: whole numbers as they are, of logits the highest."""
    torch = sys.modules["torch"]
    if isinstance(found, Mapping):
        found = list(found.values())
    for each in found if isinstance(found, list | tuple) else [found]:
        if not isinstance(each, torch.Tensor):
            continue
        if each.ndim == 2 and each.is_floating_point():
            yield each.argmax(dim=-1).tolist()
        elif each.ndim == 1 and not each.is_floating_point():
            yield each.tolist()
