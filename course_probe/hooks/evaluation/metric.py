"""Hook the metrics of `evaluate`, where a script evaluates by its own hand."""

import functools
from collections import Counter
from collections.abc import Callable
from types import ModuleType
from typing import Any

from course_probe.event_log import EventLog
from course_probe.events import EvaluateEvent
from course_probe.hooks.evaluation.gathering import GatheringHooks
from course_probe.hooks.measure import count_examples, numbers
from course_probe.hooks.torch.dataloader import DataloaderHooks
from course_probe.hooks.torch.distributed import DistributedHooks
from course_probe.hooks.torch.trainer import TrainerHooks
from course_probe.hooks.torch.training_loop import TrainingLoopHooks
from course_probe.hooks.vitals import VitalsHooks


class MetricHooks:
    """The metrics of one script; where a Trainer computes one, it reports that itself."""

    def __init__(
        self,
        log: EventLog,
        trainer: TrainerHooks,
        dataloader: DataloaderHooks,
        distributed: DistributedHooks,
        training_loop: TrainingLoopHooks,
        vitals: VitalsHooks,
        gathering: GatheringHooks,
    ) -> None:
        self._log = log
        self._trainer = trainer
        self._dataloader = dataloader
        self._distributed = distributed
        self._training_loop = training_loop
        self._vitals = vitals
        self._gathering = gathering
        self._references: list[Any] = []

    def hook(self, module: ModuleType) -> None:
        """Observe each metric of `evaluate.module` that is computed."""
        kind = module.EvaluationModule
        make, finalize = kind.__init__, kind._finalize

        @functools.wraps(finalize)
        def finalized(metric: Any) -> Any:
            result = finalize(metric)
            data = getattr(metric, "data", None)
            if data is not None and "references" in (data.column_names or ()):
                self._references[:] = data["references"][:]
                if "predictions" in data.column_names and not self._log.looking:
                    self._vitals.note_given(data["predictions"][:], self._references[:])
            return result

        @functools.wraps(make)
        def made(metric: Any, *arguments: Any, **named: Any) -> None:
            make(metric, *arguments, **named)
            # Every metric has its own `compute`, copied from the class to carry its description.
            metric.compute = self._observed(metric.compute)

        kind.__init__, kind._finalize = made, finalized

    def _observed(self, compute: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(compute)
        def computed(**named: Any) -> Any:
            self._references.clear()
            result = compute(**named)
            if result is not None and not self._trainer.is_active:
                self._write(result)
            return result

        return computed

    def _write(self, result: Any) -> None:
        self._gathering.forget()
        self._write_share()
        self._log.write(
            EvaluateEvent(
                event="evaluate",
                step=self._training_loop.steps,
                values={f"eval_{name}": value for name, value in numbers(result).items()},
                examples=len(self._references),
                labels=Counter(map(str, self._references)),
            )
        )
        self._vitals.note_said(numbers(result))

    def _write_share(self) -> None:
        """Of the examples that the current loader holds, the share that was scored."""
        examples = count_examples(getattr(self._dataloader.current, "dataset", None))
        if examples:
            share = len(self._references) / examples
            self._log.write_figures({"evaluated_share": share, **self._distributed.figures()})
