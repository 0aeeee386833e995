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
from course_probe.vital_signs.weak import weakly

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
        self.made = self.steps = 0
        self.at_begin: list[Callable[[], None]] = []
        self.at_end: list[Callable[[], None]] = []
        self.at_evaluation: list[Callable[[dict[str, float]], None]] = []
        self.losses: Callable[[], list[Any]] = list

    @property
    def is_active(self) -> bool:
        """Return whether a method of a Trainer is at work, which reports its training itself."""
        return self._depth > 0

    def hook(self, module: ModuleType) -> None:
        """Hear of each event that a callback of `transformers.trainer` is called with.

        See https://huggingface.co/docs/transformers/main_classes/callback. One of ours would stand
        in the list that a script may look at.
        """
        handler, reporter = module.CallbackHandler, _make_reporter(self._log, self)
        original = handler.call_event
        reporters: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()

        @functools.wraps(original)
        def called(each: Any, event: str, *arguments: Any, **named: Any) -> Any:
            told = getattr(reporter, event, None)
            if told is not None:
                noted(_tell, told, reporters.setdefault(each, reporter()), each, arguments, named)
            return original(each, event, *arguments, **named)

        handler.call_event = called
        for name in ("train", "evaluate", "predict"):
            method = self._counted(getattr(module.Trainer, name))
            setattr(module.Trainer, name, report_exceptions(method, self._report))

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


def _tell(
    told: Callable[..., None],
    reporter: Any,
    handler: Any,
    arguments: tuple[Any, ...],
    named: dict[str, Any],
) -> None:
    """Tell ours of an event, with what the callbacks of a handler are given."""
    given = {name: getattr(handler, name, None) for name in GIVEN}
    told(reporter, *arguments, **{**given, **named})


def _make_reporter(log: EventLog, hooks: TrainerHooks) -> type:
    """Make the class of the callback that hears the events of a Trainer."""
    steps_of: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
    start_of: weakref.WeakKeyDictionary[Any, float] = weakref.WeakKeyDictionary()

    class Reporter:
        """Reports how the training is set up and how it goes."""

        began = cpu = 0.0

        def on_init_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            hooks.made += 1

        def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            _call_each(hooks.at_begin)
            self.began, self.cpu = time.perf_counter(), time.process_time()
            dataset = getattr(kwargs.get("train_dataloader"), "dataset", None)
            labels = count_labels(dataset)
            model = kwargs.get("model")
            log.write(
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
            self.every, self.told = max(1, -(-state.max_steps // POINTS)), total(hooks.losses())
            self.first: list[float] = []
            self.model = weakly(model)
            steps_before = steps_of.get(model, 0)
            log.write_figures(
                {
                    "steps_before": steps_before,
                    **count_outputs(model, labels, length(dataset)),
                }
            )

        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            hooks.steps += 1
            if state.global_step % self.every == 0:
                self._write_loss(state.global_step)
            step = StepEvent(
                event="step",
                step=state.global_step,
                of=state.max_steps,
                epoch=float(state.epoch or 0),
            )
            log.write_seldom(step, every=0.2)
            log.check_stop()

        def _write_loss(self, at: int) -> None:
            """Write the mean of the model's own losses: a Trainer logs seldom, and a NaN as 0."""
            losses = hooks.losses()
            found, self.told = since(losses, self.told), total(losses)
            if found:
                mean = sum(map(float, found)) / len(found)
                log.write(LossEvent(event="loss", step=at, mean=f"{mean:.6g}"))
                self.first.append(mean)
                _note_start(log, self.first, start_of, self.model())

        def on_evaluate(
            self, args: Any, state: Any, control: Any, metrics: Any = None, **kwargs: Any
        ) -> None:
            dataset = getattr(kwargs.get("eval_dataloader"), "dataset", None)
            log.write(
                EvaluateEvent(
                    event="evaluate",
                    step=state.global_step,
                    values=numbers(metrics),
                    examples=length(dataset) or 0,
                    labels=count_labels(dataset),
                )
            )
            _call_each(hooks.at_evaluation, numbers(metrics))

        def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            seconds = time.perf_counter() - self.began
            cpu = time.process_time() - self.cpu
            before = _remembered(steps_of, self.model(), 0)
            steps_of[self.model()] = before + state.global_step
            log.write(
                TrainedEvent(
                    event="trained",
                    step=state.global_step,
                    seconds=round(seconds, 3),
                    cpu=round(cpu, 3),
                )
            )
            _call_each(hooks.at_end)

    return Reporter


def _note_start(log: EventLog, first: list[float], known: Any, model: Any) -> None:
    """Write how far a training begins ahead of the model's first one, once that shows."""
    if len(first) == START:
        loss = sum(first) / START
        ahead = _remembered(known, model, loss) - loss
        log.write_figures({"start_loss": loss, "start_ahead": ahead})


def _remembered(known: Any, model: Any, value: Any) -> Any:
    """Return what is known of a model, as long as it is there; the value if nothing is yet."""
    return known.setdefault(model, value) if model is not None else value


def _call_each(calls: list[Callable[..., None]], *arguments: Any) -> None:
    for call in calls:
        noted(call, *arguments)
