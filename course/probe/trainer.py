"""Listening to the Trainer of `transformers`."""

import time
from types import ModuleType
from typing import Any

from course_probe.hooks import POINTS, Failed, figures, labels, length, overheard
from course_probe.journal import Journal


def listen(module: ModuleType, journal: Journal, failed: Failed) -> None:
    """Add a callback to the Trainer's own list of default callbacks.

    See https://huggingface.co/docs/transformers/main_classes/callback.
    """
    from transformers import TrainerCallback

    class Reporter(TrainerCallback):
        """Reports how the training is set up and how it goes."""

        began = cpu = 0.0

        def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
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

        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            mean = self.loss.at(state.global_step)
            if mean is not None:
                journal.write("loss", step=state.global_step, mean=mean)
            journal.write_seldom(
                "step",
                0.2,
                step=state.global_step,
                of=state.max_steps,
                epoch=float(state.epoch or 0),
            )
            journal.check_stop()

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
            cpu = time.process_time() - self.cpu
            journal.write(
                "trained", step=state.global_step, seconds=round(seconds, 3), cpu=round(cpu, 3)
            )

    module.DEFAULT_CALLBACKS.append(Reporter)
    for name in ("train", "evaluate", "predict"):
        setattr(module.Trainer, name, overheard(getattr(module.Trainer, name), failed))


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
