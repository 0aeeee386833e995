"""Hook the metrics of `evaluate`, where a script evaluates by its own hand."""

import functools
from collections import Counter
from collections.abc import Callable
from types import ModuleType
from typing import Any

from course_probe.event_log import EventLog
from course_probe.guard import noted
from course_probe.hooks.evaluation.gathering import GatheringHooks
from course_probe.hooks.evaluation.writer import EvaluationWriter
from course_probe.hooks.measure import numbers
from course_probe.hooks.torch.dataloader import DataloaderHooks
from course_probe.hooks.torch.trainer import TrainerHooks
from course_probe.hooks.vitals import VitalsHooks


class MetricHooks:
    """The metrics of one script; where a Trainer computes one, it reports that itself."""

    def __init__(
        self,
        log: EventLog,
        trainer: TrainerHooks,
        dataloader: DataloaderHooks,
        vitals: VitalsHooks,
        gathering: GatheringHooks,
        writer: EvaluationWriter,
    ) -> None:
        self._log = log
        self._trainer = trainer
        self._dataloader = dataloader
        self._vitals = vitals
        self._gathering = gathering
        self._writer = writer
        self._references: list[Any] = []

    def hook(self, module: ModuleType) -> None:
        """Observe each metric of `evaluate.module` that is computed."""
        kind = module.EvaluationModule
        make, finalize = kind.__init__, kind._finalize

        @functools.wraps(finalize)
        def finalized(metric: Any) -> Any:
            result = finalize(metric)
            noted(self._note_given, metric)
            return result

        @functools.wraps(make)
        def made(metric: Any, *arguments: Any, **named: Any) -> None:
            make(metric, *arguments, **named)
            # Every metric has its own `compute`, copied from the class to carry its description.
            metric.compute = self._observed(metric.compute)

        kind.__init__, kind._finalize = made, finalized

    def _note_given(self, metric: Any) -> None:
        """Take in what a metric has been given, once that is all."""
        data = getattr(metric, "data", None)
        if data is not None and "references" in (data.column_names or ()):
            self._references[:] = data["references"][:]
            if "predictions" in data.column_names and not self._log.looking:
                self._vitals.note_given(data["predictions"][:], self._references[:])

    def _observed(self, compute: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(compute)
        def computed(**named: Any) -> Any:
            self._references.clear()
            result = compute(**named)
            if result is not None and not self._trainer.is_active:
                noted(self._write, result)
            return result

        return computed

    def _write(self, result: Any) -> None:
        self._gathering.forget()
        values = {f"eval_{name}": value for name, value in numbers(result).items()}
        dataset = getattr(self._dataloader.current, "dataset", None)
        self._writer.write(values, Counter(map(str, self._references)), dataset)
        self._vitals.note_said(numbers(result))
