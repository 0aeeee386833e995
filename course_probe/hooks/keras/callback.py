"""Have the models of `tf_keras` take a callback that reports on their training."""

import functools
import inspect
import math
import sys
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any, Literal

from course_probe.event_log import EventLog
from course_probe.events import (
    EvaluateEvent,
    LossEvent,
    TrainedEvent,
    TrainEvent,
)
from course_probe.hooks.keras.answers import EvaluationData
from course_probe.hooks.keras.vitals import KerasVitals
from course_probe.hooks.measure import POINTS, numbers
from course_probe.hooks.wrap import ReportFailure, report_exceptions

NORMALISED = ("softmax", "sigmoid")
"""Activations whose results are probabilities."""
PROBES = 5
"""Points at which a schedule of the learning rate is asked for its value."""


def hook(
    kind: type,
    report: ReportFailure,
    make: Callable[[type], type],
    note: Callable[..., None] | None = None,
) -> None:
    """Have each `fit`, `evaluate`, `predict` of a kind of models take a callback of ours.

    That is the `Model` of `tf_keras`, or what trains the models of Keras 3; `make` makes the
    callback's class from its base. `note` is told of each call: the name of the method, the
    arguments, and 1 as it begins or -1 as it ends, with what it has made.
    See https://keras.io/guides/writing_your_own_callbacks/.
    """
    library = kind.__module__.partition(".")[0]
    callbacks = sys.modules[f"{library}.src.callbacks"]
    reporter = make(callbacks.Callback)
    for name in ("fit", "evaluate", "predict"):
        method = _with_callback(getattr(kind, name), callbacks, reporter, note)
        setattr(kind, name, report_exceptions(method, report))


def _with_callback(
    method: Callable[..., Any],
    callbacks: ModuleType,
    reporter: type,
    note: Callable[..., None] | None,
) -> Callable[..., Any]:
    """Wrap the method so that our callback comes after those of the script."""
    signature = inspect.signature(method)

    @functools.wraps(method)
    def called(model: Any, *arguments: Any, **named: Any) -> Any:
        try:
            bound = signature.bind(model, *arguments, **named)
        except TypeError:
            # The method itself says what is wrong with its arguments.
            return method(model, *arguments, **named)
        given = bound.arguments.get("callbacks")
        if not isinstance(given, callbacks.CallbackList):
            own = reporter(bound.arguments)
            listed = list(given) if isinstance(given, list | tuple) else [given] if given else []
            bound.arguments["callbacks"] = [*listed, own]
        elif not any(isinstance(each, reporter) for each in given.callbacks):
            # A list of the script's own making; the one that `fit` hands on has us in it already.
            own = reporter(bound.arguments)
            own.set_model(model)
            own.set_params(getattr(given, "params", {}))
            given.append(own)
        if note is None:
            return method(*bound.args, **bound.kwargs)
        note(method.__name__, bound.arguments, 1)
        made = None
        try:
            made = method(*bound.args, **bound.kwargs)
            return made
        finally:
            note(method.__name__, bound.arguments, -1, made)

    return called


def make_reporter(  # noqa: C901 - the branches are those of the class's short methods
    log: EventLog, vitals: KerasVitals, base: type
) -> type:
    """Make the class of our callback: late, since its base is the framework's."""

    class Reporter(base):  # type: ignore[misc]
        """Reports how the training is set up and how it goes; its steps the ledger tells."""

        # The figures of a batch stay where they are until we look at them.
        _supports_tf_logs = True

        def __init__(self, called_with: dict[str, Any]) -> None:
            super().__init__()
            self._trained_on = self._evaluated_on = self._measured = EvaluationData(called_with)
            validation = called_with.get("validation_data")
            if "validation_data" in called_with or "epochs" in called_with:
                steps = called_with.get("validation_steps")
                self._measured = EvaluationData({"x": validation, "steps": steps})
            if validation is not None:
                self._evaluated_on = self._measured
            # Keras calls us of an evaluation within `fit` too.
            self._is_training = False
            self._said: dict[str, float] = {}
            self._step = 0
            self._every = 1
            self._batches = 0

        def on_train_begin(self, logs: Any = None) -> None:
            self._began = time.perf_counter()
            epochs, steps = self.params.get("epochs"), self.params.get("steps")
            planned = epochs * steps if epochs and steps else None
            self._every = max(1, -(-(planned or 0) // POINTS))
            self._is_training = True
            examples = self._trained_on.examples
            if steps and self._trained_on.batch_size:
                examples = min(steps * self._trained_on.batch_size, examples or sys.maxsize)
            optimizer, loss = self.model.optimizer, getattr(self.model, "loss", None)
            log.write(
                TrainEvent(
                    event="train",
                    examples=examples,
                    batch_size=self._trained_on.batch_size,
                    epochs=float(epochs or 1),
                    max_steps=planned,
                    labels=self._trained_on.labels(),
                    device=_device(),
                    num_labels=_count_classes(self.model),
                    optimizer=type(optimizer).__name__,
                    learning_rate=_rate(optimizer, planned or 0),
                    loss=_name_of_loss(loss),
                    from_logits=_takes_logits(loss),
                    outputs=_kind_of_outputs(self.model),
                )
            )
            vitals.begin_training(
                self.model,
                self._trained_on,
                _count_classes(self.model),
                normalised=_kind_of_outputs(self.model) == "probabilities",
            )

        def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
            self._epoch_began = self._step
            self._reported = (0, 0.0)

        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            self._step = self._epoch_began + batch + 1
            vitals.note_step(self.model, self._step)
            if logs and "loss" in logs:
                mean = float(logs["loss"])
                last = batch + 1 == self.params.get("steps")
                is_told = last or self._step % self._every == 0
                # The step at which it is no number any more is told, whichever it is.
                broken = not math.isfinite(mean) and math.isfinite(self._reported[1])
                if broken or is_told:
                    self._write_loss(batch + 1, mean)

        def _write_loss(self, batches: int, mean: float) -> None:
            """Report the loss since the last report: Keras gives a mean over the epoch so far."""
            before, known = self._reported
            self._reported = (batches, mean)
            since = (mean * batches - known * before) / (batches - before)
            log.write(LossEvent(event="loss", step=self._step, mean=f"{since:.6g}"))

        def on_test_begin(self, logs: Any = None) -> None:
            vitals.stop_listening()
            self._batches = 0

        def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
            self._batches = batch + 1

        def on_test_end(self, logs: Any = None) -> None:
            seen = self._batches * (self._measured.batch_size or 0)
            log.write(
                EvaluateEvent(
                    event="evaluate",
                    step=self._step,
                    values={f"eval_{k}": v for k, v in _floats(logs).items()},
                    examples=min(seen, self._measured.examples or seen),
                    labels=self._measured.labels(),
                )
            )
            self._said = _floats(logs)
            if self._is_training:
                vitals.listen()
            else:
                vitals.note_evaluation(self.model, self._evaluated_on, self._said)

        def on_predict_end(self, logs: Any = None) -> None:
            if not vitals.has_outcome:
                vitals.note_evaluation(self.model, self._evaluated_on, {})

        def on_train_end(self, logs: Any = None) -> None:
            seconds = time.perf_counter() - self._began
            log.write(TrainedEvent(event="trained", step=self._step, seconds=round(seconds, 3)))
            self._is_training = False
            vitals.stop_listening()
            if self._said:
                vitals.note_evaluation(self.model, self._evaluated_on, self._said)
            else:
                vitals.write()

    return Reporter


def _name_of_loss(loss: Any) -> str | None:
    return loss if isinstance(loss, str) else str(getattr(loss, "name", "") or "") or None


def _rate(optimizer: Any, steps: int) -> float | None:
    """Return the learning rate; of a schedule the highest value it comes to."""
    try:
        schedule = getattr(optimizer, "_learning_rate", None)
        if callable(schedule):
            at = [steps * i // PROBES for i in range(PROBES)]
            return max(float(schedule(step)) for step in at)
        return float(optimizer.learning_rate)
    except (TypeError, ValueError, AttributeError):
        return None


def _takes_logits(loss: Any) -> bool | None:
    """Return whether a loss takes the outputs for logits; None where it is no such loss."""
    if isinstance(loss, str):
        loss = _loss_named(loss)
    if hasattr(loss, "get_config"):
        found = loss.get_config().get("from_logits")
    elif callable(loss):
        parameter = inspect.signature(loss).parameters.get("from_logits")
        found = parameter.default if parameter is not None else None
    else:
        return None
    return bool(found) if found is not None else None


def _loss_named(name: str) -> Any:
    for library in ("tf_keras", "keras"):
        losses = sys.modules.get(f"{library}.src.losses")
        try:
            if losses is not None:
                return losses.get(name)
        except ValueError:
            continue
    return None


def _count_classes(model: Any) -> int | None:
    """Count the classes that a model has outputs for; None if unknown."""
    shape = getattr(model, "output_shape", None) if hasattr(model, "outputs") else None
    if isinstance(shape, tuple) and shape and isinstance(shape[-1], int):
        return shape[-1]
    found = getattr(getattr(model, "config", None), "num_labels", None)
    return found if isinstance(found, int) else None


def _kind_of_outputs(model: Any) -> Literal["logits", "probabilities"] | None:
    """Tell by its last layer whether a model gives `logits` or `probabilities`; None if unknown."""
    outputs = getattr(model, "outputs", None)
    if not outputs:
        # Only models of `transformers` promise something without having been built of layers.
        return "logits" if hasattr(getattr(model, "config", None), "num_labels") else None
    history = outputs[0]._keras_history
    layer = getattr(history, "layer", None) or history.operation
    names = (
        getattr(getattr(layer, "activation", None), "__name__", ""),
        getattr(getattr(layer, "function", None), "__name__", ""),
        type(layer).__name__.lower(),
    )
    return "probabilities" if any(n in NORMALISED for n in names) else "logits"


def _device() -> str:
    tensorflow = sys.modules["tensorflow"]
    return "cuda" if tensorflow.config.list_physical_devices("GPU") else "cpu"


def _floats(logs: Any) -> dict[str, float]:
    return numbers({k: float(v) for k, v in (logs or {}).items()})
