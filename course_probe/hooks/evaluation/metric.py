"""Hook the metrics of `evaluate`, where a script evaluates by its own hand."""

import functools
from collections import Counter
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
        self._predictions: list[Any] = []

    def hook(self, module: ModuleType) -> None:
        """Observe each metric of `evaluate.module` that is computed."""
        kind = module.EvaluationModule
        finalize = kind._finalize

        @functools.wraps(finalize)
        def finalized(metric: Any) -> Any:
            result = finalize(metric)
            noted(self._note_given, metric)
            noted(self._await, metric)
            return result

        kind._finalize = finalized

    def _note_given(self, metric: Any) -> None:
        """Take in what a metric has been given, once that is all."""
        self._references, self._predictions = [], []
        data = getattr(metric, "data", None)
        if data is not None and "references" in (data.column_names or ()):
            self._references = data["references"][:]
            if "predictions" in data.column_names and not self._log.looking:
                self._predictions = data["predictions"][:]
                self._vitals.note_given(self._predictions, self._references)

    def _await(self, metric: Any) -> None:
        """Hear what a metric computes next, and that alone: it is its own again by then.

        Each class of metrics computes in its own way, and each metric has a copy of `compute`.
        """
        if metric.process_id or "_compute" in vars(metric):
            # Another process computes it, or the script does so itself.
            return
        compute = metric._compute

        @functools.wraps(compute)
        def computed(*arguments: Any, **named: Any) -> Any:
            vars(metric).pop("_compute", None)
            result = compute(*arguments, **named)
            if result is not None and not self._trainer.is_active:
                noted(self._write, result)
            return result

        metric._compute = computed

    def _write(self, result: Any) -> None:
        self._gathering.compare(self._references, self._predictions)
        self._gathering.forget()
        values = {f"eval_{name}": value for name, value in numbers(result).items()}
        dataset = self._dataloader.dataset
        self._writer.write(values, Counter(map(str, self._references)), dataset)
        self._vitals.note_said(numbers(result))
