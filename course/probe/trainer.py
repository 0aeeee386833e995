"""Listening to the Trainer of `transformers`."""

import functools
import time
import weakref
from collections.abc import Callable
from types import ModuleType
from typing import Any

from course_probe.hooks import POINTS, Failed, figures, head, labels, length, overheard
from course_probe.journal import Journal

START = 3
"""Points of the loss that tell where a training starts from."""


def listen(module: ModuleType, journal: Journal, failed: Failed) -> None:
    """Add a callback to the Trainer's own list of default callbacks.

    See https://huggingface.co/docs/transformers/main_classes/callback.
    """
    from transformers import TrainerCallback

    steps_of: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
    start_of: weakref.WeakKeyDictionary[Any, float] = weakref.WeakKeyDictionary()

    class Reporter(TrainerCallback):
        """Reports how the training is set up and how it goes."""

        began = cpu = 0.0

        def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            passes = journal.ears.get("passes")
            if passes is not None:
                passes.begin()
            self.began, self.cpu = time.perf_counter(), time.process_time()
            dataset = getattr(kwargs.get("train_dataloader"), "dataset", None)
            model = kwargs.get("model")
            journal.write(
                "train",
                examples=length(dataset),
                batch_size=args.train_batch_size,
                epochs=float(args.num_train_epochs),
                max_steps=state.max_steps,
                learning_rate=float(args.learning_rate),
                num_labels=getattr(getattr(model, "config", None), "num_labels", None),
                labels=labels(dataset),
                device=args.device.type,
            )
            self.loss = LossMeter(model, every=-(-state.max_steps // POINTS))
            self.first: list[float] = []
            self.model = model
            figures_of = head(model, labels(dataset))
            journal.write("figures", values={"steps_before": steps_of.get(model, 0), **figures_of})

        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            mean = self.loss.at(state.global_step)
            if mean is not None:
                journal.write("loss", step=state.global_step, mean=mean)
                self._tell_start(float(mean))
            journal.write_seldom(
                "step",
                0.2,
                step=state.global_step,
                of=state.max_steps,
                epoch=float(state.epoch or 0),
            )
            journal.check_stop()

        def _tell_start(self, mean: float) -> None:
            if len(self.first) < START:
                self.first.append(mean)
                if len(self.first) == START:
                    loss = sum(self.first) / START
                    ahead = start_of.setdefault(self.model, loss) - loss
                    journal.write("figures", values={"start_loss": loss, "start_ahead": ahead})

        def on_log(
            self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any
        ) -> None:
            journal.write("log", step=state.global_step, values=figures(logs))

        def on_evaluate(
            self, args: Any, state: Any, control: Any, metrics: Any = None, **kwargs: Any
        ) -> None:
            dataset = getattr(kwargs.get("eval_dataloader"), "dataset", None)
            journal.write(
                "evaluate",
                step=state.global_step,
                values=figures(metrics),
                examples=length(dataset) or 0,
                labels=labels(dataset),
            )

        def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            seconds = time.perf_counter() - self.began
            self.loss.remove()
            steps_of[self.model] = steps_of.get(self.model, 0) + state.global_step
            cpu = time.process_time() - self.cpu
            journal.write(
                "trained", step=state.global_step, seconds=round(seconds, 3), cpu=round(cpu, 3)
            )

    module.DEFAULT_CALLBACKS.append(Reporter)
    for name in ("train", "evaluate", "predict"):
        method = _at_work(getattr(module.Trainer, name), journal)
        setattr(module.Trainer, name, overheard(method, failed))


def _at_work(method: Callable[..., Any], journal: Journal) -> Callable[..., Any]:
    """The same method, known to be at work for as long as it is."""

    @functools.wraps(method)
    def working(*arguments: Any, **named: Any) -> Any:
        journal.trainer += 1
        try:
            return method(*arguments, **named)
        finally:
            journal.trainer -= 1

    return working


class LossMeter:
    """The mean of the model's own loss over each stretch of `every` training steps.

    The Trainer logs seldom, and a NaN as 0 (its `logging_nan_inf_filter`); so the losses are taken
    where they arise, with a hook on the model, see
    https://pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_forward_hook.
    """

    def __init__(self, model: Any, every: int) -> None:
        self._every = max(1, every)
        self._sum: Any = 0.0
        self._count = 0
        register = getattr(model, "register_forward_hook", None)
        self._handle = register(self._add) if register is not None else None

    def _add(self, model: Any, inputs: Any, outputs: Any) -> None:
        loss = getattr(outputs, "loss", None)
        if model.training and loss is not None:
            self._sum = self._sum + loss.detach()
            self._count += 1

    def at(self, step: int) -> str | None:
        """The mean, if a stretch ends at this step: as text, since JSON knows no NaN."""
        if step % self._every or not self._count:
            return None
        mean = float(self._sum) / self._count
        self._sum, self._count = 0.0, 0
        return f"{mean:.6g}"

    def remove(self) -> None:
        """Take the hook off the model."""
        if self._handle is not None:
            self._handle.remove()
