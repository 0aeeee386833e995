"""Hear what the processes of a training gather: answers and labels, where no metric is given them.

A script may count by its own hand what is right. With several processes none of them sees all the
answers in its own passes; they come together in `gather` and `gather_for_metrics`, or as numbers
in `reduce`: what each process has counted, as it is for this one by our own count, and their sum.
"""

import functools
import inspect
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any

from course_probe.event_log import EventLog
from course_probe.guard import noted
from course_probe.hooks.evaluation.writer import EvaluationWriter
from course_probe.hooks.measure import count_labels
from course_probe.hooks.torch.dataloader import DataloaderHooks
from course_probe.hooks.torch.distributed import DistributedHooks
from course_probe.hooks.torch.trainer import TrainerHooks
from course_probe.hooks.vitals import VitalsHooks
from course_probe.lengths import length
from course_probe.vital_signs.weak import nothing

METHODS = ("gather", "gather_for_metrics")
ROUNDING = 1e-3
"""How far a number may be from our own count."""
MOST_GATHERED = 2**20
"""Answers of one evaluation that are looked at."""
MOST_NUMBERS, MOST_REDUCED = 6, 10_000
"""Numbers of one round of counts, and of all rounds, that are looked at."""


class GatheringHooks:
    """The evaluation of one script by what its processes have gathered since its last step."""

    def __init__(
        self,
        log: EventLog,
        trainer: TrainerHooks,
        dataloader: DataloaderHooks,
        distributed: DistributedHooks,
        vitals: VitalsHooks,
        writer: EvaluationWriter,
    ) -> None:
        self._log = log
        self._trainer = trainer
        self._dataloader = dataloader
        self._distributed = distributed
        self._distributed.at_step.append(self.end)
        self._distributed.at_end.insert(0, self.end)
        self._vitals = vitals
        self._writer = writer
        self._first: list[int] = []
        self._second: list[int] = []
        self._half: list[int] | None = None
        self._reduced: list[tuple[float, float]] = []
        self._dataset: Callable[[], Any] = nothing
        self._depth = 0

    def hook(self, module: ModuleType) -> None:
        """Hear what an accelerator of `accelerate.accelerator` gathers."""
        for name in METHODS:
            gather = getattr(module.Accelerator, name)
            setattr(module.Accelerator, name, self._heard(gather))
        module.Accelerator.reduce = self._heard_reduce(module.Accelerator.reduce)

    def _heard_reduce(self, reduce: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(reduce)

        @functools.wraps(reduce)
        def heard(*arguments: Any, **named: Any) -> Any:
            self._distributed.count_gather()
            found = reduce(*arguments, **named)
            if not (self._log.looking or self._trainer.is_active):
                noted(note, found, arguments, named)
            return found

        def note(found: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
            given = signature.bind(*arguments, **named).arguments
            is_mean = given.get("reduction") == "mean"
            parts = self._distributed.processes if is_mean else 1
            times = parts / (given.get("scale") or 1.0)
            own, together = _numbers(given.get("tensor")), _numbers(found)
            if len(own) == len(together) and len(self._reduced) < MOST_REDUCED:
                self._dataset = self._dataloader.reference
                self._reduced += zip(own, (times * each for each in together), strict=True)

        return heard

    def _heard(self, gather: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(gather)
        def heard(*arguments: Any, **named: Any) -> Any:
            self._distributed.count_gather()
            # One of them calls the other.
            self._depth += 1
            try:
                found = gather(*arguments, **named)
            finally:
                self._depth -= 1
            if not (self._depth or self._log.looking or self._trainer.is_active):
                noted(self._hear, found)
            return found

        return heard

    def _hear(self, gathered: Any) -> None:
        """Take answers and labels as pairs, gathered together or one after the other."""
        found = list(_classes(gathered))
        self._dataset = self._dataloader.reference
        if len(found) == 1 and self._half is None:
            (self._half,) = found
            return
        half, self._half = self._half, None
        pair = [half, *found] if half is not None else found
        is_room = len(self._first) < MOST_GATHERED
        if len(pair) == 2 and len(pair[0]) == len(pair[1]) and is_room:
            self._first += pair[0]
            self._second += pair[1]

    def compare(self, references: list[Any], predictions: list[Any]) -> None:
        """Compare what a metric was given with what was gathered, one after another."""
        if self._first and references:
            sides = (self._first, self._second)
            matches = [_matching(zip(references, each, strict=False)) for each in sides]
            same = max(matches)
            if same == 1 and len(predictions) == len(references):
                answers = sides[matches.index(same) - 1]
                rows = zip(predictions, answers, references, strict=False)
                # What is right on both sides tells nothing: those that are wrong may be left out.
                same = _matching((a, b) for a, b, label in rows if not a == b == label)
            self._distributed.gathered_match = same

    def forget(self) -> None:
        """Forget what was gathered: a metric tells of it."""
        self._first, self._second, self._half = [], [], None
        self._reduced = []

    def end(self) -> None:
        """Tell an evaluation of several processes that is over, if there was one."""
        if self._distributed.processes > 1 and self._first:
            dataset = self._dataset()
            right = sum(a == b for a, b in zip(self._first, self._second, strict=True))
            labels = self._labels(count_labels(dataset))
            self._writer.write({"eval_accuracy": right / len(self._first)}, labels, dataset)
        elif self._distributed.processes > 1 and self._reduced:
            self._end_reduced()
        if self._first or self._reduced:
            self.forget()

    def _end_reduced(self) -> None:
        """Tell an evaluation of which the processes have only put their counts together."""
        dataset = self._dataset()
        right, rows = self._vitals.count_answers()
        examples = length(dataset)
        if not rows or not examples:
            return
        for size in range(1, MOST_NUMBERS + 1):
            if len(self._reduced) % size:
                continue
            # The same numbers come in each round: those of a batch, or of all.
            sums = [_sum(self._reduced[place::size]) for place in range(size)]
            of_right = [together for own, together in sums if abs(own - right) < ROUNDING]
            shares = [together for own, together in sums if abs(own - right / rows) < ROUNDING]
            of_rows = [together for own, together in sums if abs(own - rows) < ROUNDING]
            # Who knows how many there are need not count them. Some come twice, to fill a batch.
            seen = of_rows[-1] if of_rows else max(examples, rows)
            if of_right and seen >= max(1, of_right[0]):
                accuracy, counted = of_right[0] / seen, min(examples, round(seen))
            elif shares and len(self._reduced) == size:
                accuracy, counted = shares[0] / self._distributed.processes, examples
            else:
                continue
            labels = count_labels(dataset)
            self._writer.write({"eval_accuracy": accuracy}, labels, dataset, rows=counted)
            return

    def _labels(self, known: Mapping[str, int]) -> dict[str, int]:
        """Count how often each label was gathered, on the side that is more like the data."""
        first, second = (Counter(map(str, each)) for each in (self._first, self._second))

        def distance(counted: Counter[str]) -> int:
            return sum(abs(counted[name] - known.get(name, 0)) for name in {*counted, *known})

        return dict(first if known and distance(first) < distance(second) else second)


def _matching(pairs: Iterable[tuple[Any, Any]]) -> float:
    """Return the share of pairs that are of one number twice; 1 where there are none."""
    found = [a == b for a, b in pairs]
    return sum(found) / len(found) if found else 1.0


def _classes(found: Any) -> Iterator[list[int]]:
    """Yield the classes in what was gathered: whole numbers as they are, the argmax of logits."""
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


def _numbers(found: Any) -> list[float]:
    """Return the few numbers that are put together, in their order."""
    torch = sys.modules["torch"]
    if isinstance(found, Mapping):
        found = list(found.values())
    if isinstance(found, list | tuple):
        return [number for each in found for number in _numbers(each)][: MOST_NUMBERS + 1]
    if not isinstance(found, torch.Tensor) or found.numel() > MOST_NUMBERS:
        return []
    return [float(number) for number in found.detach().flatten().tolist()]


def _sum(pairs: list[tuple[float, float]]) -> tuple[float, float]:
    return sum(own for own, _together in pairs), sum(together for _own, together in pairs)
