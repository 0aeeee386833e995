"""Bridges over calls that fail: the failure is reported, the call repaired, and the script goes on.

So one run shows what else is wrong behind a layer of the wrong size or a label out of range. The
numbers behind a bridge are not the script's own any more; what they are is of no concern.
"""

import functools
import math
import sys
from collections.abc import Callable, Iterator
from types import ModuleType, TracebackType
from typing import Any, ClassVar

from course_probe.after_import import call_after_import
from course_probe.diagnosis.handlers import is_handled
from course_probe.exception_report import Own

Call = tuple[tuple[Any, ...], dict[str, Any]]
Repairs = Callable[[BaseException, tuple[Any, ...], dict[str, Any]], Iterator[Call]]
REGRESSION = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
BINARY = ("binary_cross_entropy", "binary_cross_entropy_with_logits")


class Bridges:
    """Hooks the calls that can be bridged; `report` is called once for each kind of failure.

    What the script catches by itself is left to it.
    """

    def __init__(self, own: Own, report: Callable[[BaseException], None]) -> None:
        self._own = own
        self._report = report
        self._told: set[tuple[type, str]] = set()

    def install(self) -> None:
        """Hook each module once it is imported."""
        call_after_import("torch.nn.functional", self._hook_functional)
        call_after_import("torch.nn.modules.module", self._hook_modules)
        call_after_import("torch._tensor", self._hook_tensors)
        call_after_import("torch.optim.optimizer", self._hook_optimizers)
        call_after_import("torch.utils.data.dataloader", self._hook_loaders)
        call_after_import("transformers.training_args", self._hook_arguments)
        call_after_import("transformers.trainer", self._hook_trainer)
        call_after_import("evaluate.module", self._hook_metrics)

    def _hook_functional(self, module: ModuleType) -> None:
        repairs: dict[str, Repairs] = {
            "linear": _linear,
            "embedding": _embedding,
            "cross_entropy": _classes,
            "nll_loss": _classes,
            **dict.fromkeys(REGRESSION, _same_shape),
            **dict.fromkeys(BINARY, _binary),
            "conv1d": _channels,
            "conv2d": _channels,
        }
        for name, repair in repairs.items():
            setattr(module, name, self._bridged(getattr(module, name), repair))

    def _hook_modules(self, module: ModuleType) -> None:
        kind = module.Module
        kind.__call__ = self._bridged(kind.__call__, _without_unexpected)

    def _hook_tensors(self, module: ModuleType) -> None:
        module.Tensor.backward = self._given_up(module.Tensor.backward, None)

    def _hook_optimizers(self, module: ModuleType) -> None:
        original = module.Optimizer.profile_hook_step

        def hooked(step: Callable[..., Any]) -> Callable[..., Any]:
            return self._given_up(original(step), None)

        module.Optimizer.profile_hook_step = staticmethod(hooked)

    def _hook_loaders(self, module: ModuleType) -> None:
        original = module.DataLoader.__init__

        @functools.wraps(original)
        def made(loader: Any, *arguments: Any, **named: Any) -> None:
            original(loader, *arguments, **named)
            object.__setattr__(loader, "collate_fn", self._bridged(loader.collate_fn, _padded))

        module.DataLoader.__init__ = made

    def _hook_arguments(self, module: ModuleType) -> None:
        kind = module.TrainingArguments
        kind.__init__ = self._bridged(kind.__init__, _without_unexpected)

    def _hook_trainer(self, module: ModuleType) -> None:
        kind = module.Trainer
        original = self._bridged(kind.__init__, _without_unexpected)

        @functools.wraps(kind.__init__)
        def made(trainer: Any, *arguments: Any, **named: Any) -> None:
            original(trainer, *arguments, **named)
            if trainer.compute_metrics is not None:
                trainer.compute_metrics = self._given_up(trainer.compute_metrics, Nothing())

        kind.__init__ = made
        for name in ("evaluate", "predict"):
            setattr(kind, name, self._given_up(getattr(kind, name), Nothing()))

    def _hook_metrics(self, module: ModuleType) -> None:
        # Each metric has a copy of `compute` of its own, made from its code.
        original = module.EvaluationModule.__init__

        @functools.wraps(original)
        def made(metric: Any, *arguments: Any, **named: Any) -> None:
            original(metric, *arguments, **named)
            metric.compute = self._given_up(metric.compute, Nothing())

        module.EvaluationModule.__init__ = made

    def _bridged(self, original: Callable[..., Any], repairs: Repairs) -> Callable[..., Any]:
        """A call that is tried again with other arguments where it fails."""

        @functools.wraps(original)
        def called(*arguments: Any, **named: Any) -> Any:
            try:
                return original(*arguments, **named)
            except Exception as error:
                if is_handled(self._own):
                    raise
                for other, names in repairs(error, arguments, named):
                    try:
                        found = original(*other, **names)
                    except Exception:  # noqa: BLE001 - the next repair may do
                        continue
                    self._tell(error)
                    return found
                raise

        return called

    def _given_up(self, original: Callable[..., Any], instead: Any) -> Callable[..., Any]:
        """A call whose failure is told, and that gives something else then."""

        @functools.wraps(original)
        def called(*arguments: Any, **named: Any) -> Any:
            try:
                return original(*arguments, **named)
            except Exception as error:
                if is_handled(self._own):
                    raise
                self._tell(error)
                return instead

        return called

    def _tell(self, error: BaseException) -> None:
        """Report a failure with the frames that it would have had, once for each place."""
        trace = error.__traceback__
        frame = sys._getframe(2)
        inner = trace.tb_next if trace is not None else None
        place = None
        walked: Any = frame
        while walked is not None:
            inner = TracebackType(inner, walked, walked.f_lasti, walked.f_lineno)
            place = place or f"{walked.f_code.co_filename}:{walked.f_lineno}"
            walked = walked.f_back
        key = (type(error), _words(str(error)))
        if key in self._told:
            return
        self._told.add(key)
        self._report(error.with_traceback(inner))


class Nothing(dict[str, float]):
    """What a metric gives that has failed: no number, by whatever name it is asked for."""

    metrics: ClassVar[dict[str, float]] = {}

    def __missing__(self, _name: str) -> float:
        return math.nan


def _words(message: str) -> str:
    """A message without its numbers: the next batch fails with others."""
    return "".join(c for c in message if not c.isdigit())


def _linear(_error: BaseException, given: tuple[Any, ...], named: dict[str, Any]) -> Iterator[Call]:
    """Inputs of the weight's type and width."""
    torch = sys.modules["torch"]
    inputs, weight, *rest = given
    inputs = inputs.to(weight.dtype)
    yield (inputs, weight, *rest), named
    width = weight.shape[1]
    if inputs.dim() > 2 and math.prod(inputs.shape[1:]) == width:
        yield (inputs.flatten(1), weight, *rest), named
    missing = width - inputs.shape[-1]
    yield (torch.nn.functional.pad(inputs, (0, missing)), weight, *rest), named


def _embedding(
    _error: BaseException, given: tuple[Any, ...], named: dict[str, Any]
) -> Iterator[Call]:
    """Ids that the table has."""
    ids, weight, *rest = given
    yield (ids.long().clamp(0, weight.shape[0] - 1), weight, *rest), named


def _channels(
    _error: BaseException, given: tuple[Any, ...], named: dict[str, Any]
) -> Iterator[Call]:
    """Inputs of the weight's type and with as many channels."""
    inputs, weight, *rest = given
    inputs = inputs.to(weight.dtype)
    yield (inputs, weight, *rest), named
    wanted = weight.shape[1]
    dim = inputs.dim() - weight.dim() + 1
    if dim in (0, 1):
        repeats = [1] * inputs.dim()
        repeats[dim] = math.ceil(wanted / inputs.shape[dim])
        yield (inputs.repeat(repeats).narrow(dim, 0, wanted), weight, *rest), named


def _classes(
    _error: BaseException, given: tuple[Any, ...], named: dict[str, Any]
) -> Iterator[Call]:
    """Outputs as rows of classes, and one label that there is for each."""
    outputs, target, rest, names = _both(given, named)
    classes = outputs.shape[-1]
    flat = outputs.reshape(-1, classes)
    for labels in (target, target.argmax(-1) if target.dim() > 1 else target):
        row = labels.reshape(-1).long()
        ignored = row == -100
        row = row.clamp(0, classes - 1)
        row[ignored] = -100
        n = min(len(row), len(flat))
        yield (flat[:n], row[:n], *rest), names


def _same_shape(
    _error: BaseException, given: tuple[Any, ...], named: dict[str, Any]
) -> Iterator[Call]:
    """Targets of the type and shape of the outputs."""
    outputs, target, rest, names = _both(given, named)
    target = target.to(outputs.dtype)
    yield (outputs, target, *rest), names
    if target.numel() == outputs.numel():
        yield (outputs, target.reshape(outputs.shape), *rest), names
    n = min(target.numel(), outputs.numel())
    yield (outputs.reshape(-1)[:n], target.reshape(-1)[:n], *rest), names


def _binary(error: BaseException, given: tuple[Any, ...], named: dict[str, Any]) -> Iterator[Call]:
    """Probabilities, and targets of their type and shape."""
    yield from _same_shape(error, given, named)
    outputs, target, rest, names = _both(given, named)
    n = min(target.numel(), outputs.numel())
    outputs, target = outputs.reshape(-1)[:n], target.reshape(-1)[:n].to(outputs.dtype)
    yield (outputs.clamp(0, 1), target.clamp(0, 1), *rest), names


def _both(
    given: tuple[Any, ...], named: dict[str, Any]
) -> tuple[Any, Any, tuple[Any, ...], dict[str, Any]]:
    """The outputs and the target of a loss, however they are handed over, and the rest."""
    names = dict(named)
    values = list(given)
    if not values:
        values.append(names.pop("input"))
    if len(values) < 2:
        values.append(names.pop("target"))
    # Weights of classes may have the wrong number themselves.
    names.pop("weight", None)
    return values[0], values[1], (), names


def _without_unexpected(
    error: BaseException, given: tuple[Any, ...], named: dict[str, Any]
) -> Iterator[Call]:
    """Without the argument that the function does not know, one after the other."""
    left = dict(named)
    while isinstance(error, TypeError) and "unexpected keyword argument" in str(error):
        name = str(error).rpartition("unexpected keyword argument")[2].split("'")[1:2]
        if not name or name[0] not in left:
            return
        del left[name[0]]
        yield given, dict(left)
        return


def _padded(_error: BaseException, given: tuple[Any, ...], named: dict[str, Any]) -> Iterator[Call]:
    """Rows that are as long as the longest of the batch; texts are left out."""
    rows = given[0]
    yield ([_numbers(row) for row in rows], *given[1:]), named
    yield (_rectangular([_numbers(row) for row in rows]), *given[1:]), named


def _numbers(row: Any) -> Any:
    """A row without its texts."""
    if not isinstance(row, dict):
        return row
    return {k: v for k, v in row.items() if not isinstance(v, str)}


def _rectangular(rows: list[Any]) -> list[Any]:
    torch = sys.modules["torch"]
    first = rows[0]
    if isinstance(first, dict):
        columns = {k: _level(torch, [row[k] for row in rows]) for k in first}
        return [{k: v[n] for k, v in columns.items()} for n in range(len(rows))]
    if isinstance(first, tuple | list):
        parts = [_level(torch, [row[n] for row in rows]) for n in range(len(first))]
        return [type(first)(part[n] for part in parts) for n in range(len(rows))]
    return _level(torch, rows)


def _level(torch: Any, values: list[Any]) -> list[Any]:
    """Values of one column, each padded with zeros at its end."""
    if isinstance(values[0], list):
        longest = max(map(len, values))
        return [[*value, *([0] * (longest - len(value)))] for value in values]
    if isinstance(values[0], torch.Tensor) and values[0].dim() == 1:
        longest = max(len(value) for value in values)
        return [torch.nn.functional.pad(v, (0, longest - len(v))) for v in values]
    return values
