"""Hook the Trainer of `transformers`."""

import functools
import time
import weakref
from collections.abc import Callable
from types import ModuleType
from typing import Any

from course_probe.event_log import EventLog
from course_probe.events import (
    EvaluateEvent,
    LossEvent,
    StepEvent,
    TrainedEvent,
    TrainEvent,
)
from course_probe.guard import noted
from course_probe.hooks.measure import POINTS, count_labels, count_outputs, numbers
from course_probe.hooks.wrap import ReportFailure, report_exceptions
from course_probe.lengths import length
from course_probe.vital_signs.series import since, total
from course_probe.vital_signs.weak import nothing, weakly

GIVEN = ("model", "train_dataloader", "eval_dataloader")
"""What callbacks are given of what a Trainer has."""
START = 3
"""Points of the loss that show where a training starts from."""


class TrainerHooks:
    """The Trainers of one script.

    `at_begin` and `at_end` are called when one begins and ends to train, `at_evaluation` with the
    figures of each evaluation. `losses` are those of the training passes. So many were `made`, and
    took so many `steps` in all.
    """

    def __init__(self, log: EventLog, report: ReportFailure) -> None:
        self._log = log
        self._report = report
        self._depth = 0
        self._reports: weakref.WeakKeyDictionary[Any, _Report] = weakref.WeakKeyDictionary()
        self.made = self.steps = 0
        self.at_begin: list[Callable[[], None]] = []
        self.at_end: list[Callable[[], None]] = []
        self.at_evaluation: list[Callable[[dict[str, float]], None]] = []
        self.losses: Callable[[], list[Any]] = list
        self.steps_of: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self.start_of: weakref.WeakKeyDictionary[Any, float] = weakref.WeakKeyDictionary()

    @property
    def is_active(self) -> bool:
        """Return whether a method of a Trainer is at work, which reports its training itself."""
        return self._depth > 0

    def hook(self, module: ModuleType) -> None:
        """Hear of each event that a callback of `transformers.trainer` is called with.

        See https://huggingface.co/docs/transformers/main_classes/callback. One of ours would stand
        in the list that a script may look at.
        """
        original = module.CallbackHandler.call_event

        @functools.wraps(original)
        def called(each: Any, event: str, *arguments: Any, **named: Any) -> Any:
            if hasattr(_Report, event):
                noted(self._tell, each, event, arguments, named)
            return original(each, event, *arguments, **named)

        module.CallbackHandler.call_event = called
        for name in ("train", "evaluate", "predict"):
            method = self._counted(getattr(module.Trainer, name))
            setattr(module.Trainer, name, report_exceptions(method, self._report))

    def _tell(
        self, handler: Any, event: str, arguments: tuple[Any, ...], named: dict[str, Any]
    ) -> None:
        """Tell ours of an event, with what the callbacks of a handler are given."""
        report = self._reports.get(handler)
        if report is None:
            report = self._reports[handler] = _Report(self._log, self)
        given = {name: getattr(handler, name, None) for name in GIVEN}
        getattr(report, event)(*arguments, **{**given, **named})

    def _counted(self, method: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap the method so that it counts as active for as long as it runs."""

        @functools.wraps(method)
        def working(*arguments: Any, **named: Any) -> Any:
            self._depth += 1
            try:
                return method(*arguments, **named)
            finally:
                self._depth -= 1

        return working


class _Report:
    """Reports how the training of one Trainer is set up and how it goes, as its callbacks would."""

    def __init__(self, log: EventLog, hooks: TrainerHooks) -> None:
        self._log = log
        self._hooks = hooks
        self._began = self._cpu = 0.0
        self._every, self._told = 1, 0
        self._first: list[float] = []
        self._model: Callable[[], Any] = nothing

    def on_init_end(self, args: Any, state: Any, control: Any, **_given: Any) -> None:
        self._hooks.made += 1

    def on_train_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        _call_each(self._hooks.at_begin)
        self._began, self._cpu = time.perf_counter(), time.process_time()
        dataset = getattr(given.get("train_dataloader"), "dataset", None)
        labels = count_labels(dataset)
        model = given.get("model")
        self._log.write(
            TrainEvent(
                event="train",
                examples=length(dataset),
                batch_size=args.train_batch_size,
                epochs=float(args.num_train_epochs),
                max_steps=state.max_steps,
                learning_rate=float(args.learning_rate),
                num_labels=getattr(getattr(model, "config", None), "num_labels", None),
                labels=labels,
                device=args.device.type,
            )
        )
        self._every = max(1, -(-state.max_steps // POINTS))
        self._told, self._first = total(self._hooks.losses()), []
        self._model = weakly(model)
        before = {"steps_before": self._hooks.steps_of.get(model, 0)}
        self._log.write_figures({**before, **count_outputs(model, labels, length(dataset))})

    def on_step_end(self, args: Any, state: Any, control: Any, **_given: Any) -> None:
        self._hooks.steps += 1
        if state.global_step % self._every == 0:
            self._write_loss(state.global_step)
        step = StepEvent(
            event="step",
            step=state.global_step,
            of=state.max_steps,
            epoch=float(state.epoch or 0),
        )
        self._log.write_seldom(step, every=0.2)
        self._log.check_stop()

    def _write_loss(self, at: int) -> None:
        """Write the mean of the model's own losses: a Trainer logs seldom, and a NaN as 0."""
        losses = self._hooks.losses()
        found, self._told = since(losses, self._told), total(losses)
        if found:
            mean = sum(map(float, found)) / len(found)
            self._log.write(LossEvent(event="loss", step=at, mean=f"{mean:.6g}"))
            self._first.append(mean)
            if len(self._first) == START:
                self._write_start(sum(self._first) / START)

    def _write_start(self, loss: float) -> None:
        """Write how far a training begins ahead of the model's first one."""
        model = self._model()
        first = self._hooks.start_of.setdefault(model, loss) if model is not None else loss
        self._log.write_figures({"start_loss": loss, "start_ahead": first - loss})

    def on_evaluate(
        self, args: Any, state: Any, control: Any, metrics: Any = None, **given: Any
    ) -> None:
        dataset = getattr(given.get("eval_dataloader"), "dataset", None)
        self._log.write(
            EvaluateEvent(
                event="evaluate",
                step=state.global_step,
                values=numbers(metrics),
                examples=length(dataset) or 0,
                labels=count_labels(dataset),
            )
        )
        _call_each(self._hooks.at_evaluation, numbers(metrics))

    def on_train_end(self, args: Any, state: Any, control: Any, **_given: Any) -> None:
        model = self._model()
        if model is not None:
            known = self._hooks.steps_of
            known[model] = known.get(model, 0) + state.global_step
        self._log.write(
            TrainedEvent(
                event="trained",
                step=state.global_step,
                seconds=round(time.perf_counter() - self._began, 3),
                cpu=round(time.process_time() - self._cpu, 3),
            )
        )
        _call_each(self._hooks.at_end)


def _call_each(calls: list[Callable[..., None]], *arguments: Any) -> None:
    for call in calls:
        noted(call, *arguments)
