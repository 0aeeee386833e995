"""What the frameworks offer for listening in, put in place the moment a framework is imported."""

import functools
import importlib.abc
import importlib.machinery
import sys
import time
from collections import Counter
from collections.abc import Callable
from types import ModuleType
from typing import Any

from course_probe.journal import Journal

POINTS = 200
"""How many points of a training's loss are kept, about."""


class AfterImport(importlib.abc.MetaPathFinder):
    """Calls `then(module)` once the module `name` has been imported.

    A hook at the import costs nothing where the script never imports the framework, and importing
    it beforehand would change the order of imports, which is itself a source of faults.
    """

    def __init__(self, name: str, then: Callable[[ModuleType], None]) -> None:
        self._name = name
        self._then = then

    def find_spec(
        self, fullname: str, path: Any, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Find the module as Python would, and have its loader call us afterwards."""
        if fullname != self._name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is None or spec.loader is None:
            return None
        loader, then = spec.loader, self._then
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            then(module)

        loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def install(journal: Journal, failed: Callable[[BaseException], None]) -> None:
    """Listen to each framework that the script imports, or that is imported already.

    `failed` is called with each exception that leaves a method of the Trainer: a script may catch
    it and go on as if nothing had happened.
    """
    last: BaseException | None = None

    def failed_once(error: BaseException) -> None:
        # `train` calls `evaluate`: the same exception leaves both.
        nonlocal last
        if error is not last:
            last = error
            failed(error)

    def listen(module: ModuleType) -> None:
        _trainer(module, journal, failed_once)

    if "transformers.trainer" in sys.modules:
        listen(sys.modules["transformers.trainer"])
    else:
        sys.meta_path.insert(0, AfterImport("transformers.trainer", listen))


def _trainer(module: ModuleType, journal: Journal, failed: Callable[[BaseException], None]) -> None:
    """Add a callback to the Trainer's own list of default callbacks.

    See https://huggingface.co/docs/transformers/main_classes/callback.
    """
    from transformers import TrainerCallback

    class Reporter(TrainerCallback):
        """Reports how the training is set up and how it goes."""

        began = 0.0

        def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            self.began = time.perf_counter()
            dataset = getattr(kwargs.get("train_dataloader"), "dataset", None)
            model = kwargs.get("model")
            journal.write(
                "train",
                examples=_length(dataset),
                batch_size=args.train_batch_size,
                epochs=float(args.num_train_epochs),
                max_steps=state.max_steps,
                learning_rate=float(args.learning_rate),
                num_labels=getattr(getattr(model, "config", None), "num_labels", None),
                labels=_labels(dataset),
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

        def on_log(
            self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any
        ) -> None:
            journal.write("log", step=state.global_step, values=_figures(logs))

        def on_evaluate(
            self, args: Any, state: Any, control: Any, metrics: Any = None, **kwargs: Any
        ) -> None:
            dataset = getattr(kwargs.get("eval_dataloader"), "dataset", None)
            journal.write(
                "evaluate",
                step=state.global_step,
                values=_figures(metrics),
                examples=_length(dataset) or 0,
                labels=_labels(dataset),
            )

        def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            seconds = time.perf_counter() - self.began
            self.loss.remove()
            journal.write("trained", step=state.global_step, seconds=round(seconds, 3))

    module.DEFAULT_CALLBACKS.append(Reporter)
    for name in ("train", "evaluate", "predict"):
        setattr(module.Trainer, name, _overheard(getattr(module.Trainer, name), failed))


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


def _overheard(
    method: Callable[..., Any], failed: Callable[[BaseException], None]
) -> Callable[..., Any]:
    """The same method, whose exceptions are reported on their way out."""

    @functools.wraps(method)
    def overheard(*arguments: Any, **named: Any) -> Any:
        try:
            return method(*arguments, **named)
        except Exception as error:
            failed(error)
            raise

    return overheard


def _length(dataset: Any) -> int | None:
    try:
        return len(dataset)
    except TypeError:
        return None


def _labels(dataset: Any) -> dict[str, int]:
    """How often each label stands in a dataset; nothing where there is no column of labels."""
    for name in ("labels", "label"):
        if name in (getattr(dataset, "column_names", None) or ()):
            # One column as a list at once: row by row it takes a tenth of a short run.
            values = dataset.select_columns([name]).with_format(None)[:][name]
            return {str(k): n for k, n in Counter(map(_scalar, values)).items()}
    return {}


def _scalar(value: Any) -> Any:
    return value if isinstance(value, int | float | str) else str(value)


def _figures(values: Any) -> dict[str, float]:
    return {str(k): float(v) for k, v in (values or {}).items() if isinstance(v, int | float)}
