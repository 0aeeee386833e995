"""Bridges over calls that fail: the failure is reported, the call repaired, and the script goes on.

So one run shows what else is wrong behind a layer of the wrong size or a label out of range. The
numbers behind a bridge are not the script's own any more; what they are is of no concern.
"""

import contextlib
import copy
import functools
import math
import re
import sys
import weakref
from collections.abc import Callable, Iterator
from types import FrameType, ModuleType, TracebackType
from typing import Any, ClassVar, NamedTuple

from course_probe.after_import import call_after_import
from course_probe.diagnosis.handlers import is_handled
from course_probe.exception_report import Own
from course_probe.packages import LABELS
from course_probe.vital_signs.examples import IGNORED

Call = tuple[tuple[Any, ...], dict[str, Any]]
REGRESSION = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
BINARY = ("binary_cross_entropy", "binary_cross_entropy_with_logits")
MORE = 3
"""Failures of one call that are repaired one behind the other."""
HEADS = (
    *("num_attention_heads", "n_head", "num_heads"),
    *("encoder_attention_heads", "decoder_attention_heads"),
)
POSITIONS = ("max_position_embeddings", "n_positions")
MASK = "attention_mask"
NO_LABELS = "label column"
"""What a model of `transformers` says in Keras that was given a loss, and no labels for it."""
UNEXPECTED = re.compile(r".*unexpected keyword argument[^']*'([^']*)'", re.DOTALL)
NO_SCALAR, NO_GRAPH = "for scalar outputs", "does not require grad"
"""What `backward` says of a loss that is no single number, and of one without any weight in it."""


class FailedCall(NamedTuple):
    """A call that has failed: what was raised, and what the call was given."""

    error: BaseException
    given: tuple[Any, ...]
    named: dict[str, Any]


Repairs = Callable[[FailedCall], Iterator[Call]]


class Bridges:
    """Hooks the calls that can be bridged; each kind of failure is reported once.

    What the script catches is left to it. `has_failed` is true once anything was reported.
    """

    def __init__(self, own: Own, report: Callable[[BaseException], None]) -> None:
        self._own = own
        self._write = report
        self.has_failed = False
        self._told: set[tuple[type, str]] = set()
        self._optimizers: weakref.WeakSet[Any] = weakref.WeakSet()

    def report(self, error: BaseException) -> None:
        """Report a failure, of a call or of a whole statement."""
        self.has_failed = True
        self._write(error)

    def install(self) -> None:
        """Install the bridges in each module once it is imported."""
        call_after_import("torch.nn.functional", self._hook_functional)
        call_after_import("torch.nn.modules.module", self._hook_modules)
        call_after_import("torch._tensor", self._hook_tensors)
        call_after_import("torch.optim.optimizer", self._hook_optimizers)
        call_after_import("torch.utils.data.dataloader", self._hook_loaders)
        call_after_import("transformers.training_args", self._hook_arguments)
        call_after_import("transformers.trainer", self._hook_trainer)
        call_after_import("transformers.modeling_utils", self._hook_models)
        call_after_import("evaluate.module", self._hook_metrics)
        call_after_import("datasets.arrow_dataset", self._hook_datasets)
        call_after_import("tf_keras.src.engine.training", self._hook_keras_models)

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
        kind.__call__ = self._bridged(kind.__call__, _as_the_model_takes)

    def _hook_models(self, module: ModuleType) -> None:
        """Models of `transformers` are made, whatever their configuration says of heads."""
        kind = module.PreTrainedModel
        original = kind.__init_subclass__.__func__

        def begun(made: type, /, **named: Any) -> None:
            original(made, **named)
            if "__init__" in vars(made):
                made.__init__ = self._bridged(made.__init__, _with_one_head)  # type: ignore[misc]

        kind.__init_subclass__ = classmethod(begun)

    def _hook_tensors(self, module: ModuleType) -> None:
        kind = module.Tensor
        backward, item = kind.backward, kind.item

        @functools.wraps(backward)
        def gone_back(tensor: Any, *arguments: Any, **named: Any) -> None:
            try:
                backward(tensor, *arguments, **named)
            except Exception as error:
                if is_handled(self._own):
                    raise
                self._tell(error, sys._getframe(1))
                if NO_GRAPH in str(error):
                    self._unfreeze()
                elif NO_SCALAR in str(error):
                    with contextlib.suppress(Exception):
                        backward(tensor.mean())

        @functools.wraps(item)
        def as_number(tensor: Any) -> Any:
            try:
                return item(tensor)
            except RuntimeError as error:
                caller = sys._getframe(1)
                if is_handled(self._own) or not self._own.has(caller):
                    raise
                # Where `backward` has told of it, what is printed only follows.
                if not any(NO_SCALAR in words for _kind, words in self._told):
                    self._tell(error, caller)
                return item(tensor.mean())

        kind.backward, kind.item = gone_back, as_number

    def _unfreeze(self) -> None:
        """Have the next step find gradients, where none of the weights takes any."""
        for optimizer in list(self._optimizers):
            for group in optimizer.param_groups:
                for weight in group["params"]:
                    weight.requires_grad_(requires_grad=True)

    def _hook_optimizers(self, module: ModuleType) -> None:
        made = self._bridged(module.Optimizer.__init__, self._of_all_models)

        @functools.wraps(made)
        def remembered(optimizer: Any, *arguments: Any, **named: Any) -> None:
            made(optimizer, *arguments, **named)
            self._optimizers.add(optimizer)

        module.Optimizer.__init__ = remembered
        original = module.Optimizer.profile_hook_step

        def hooked(step: Callable[..., Any]) -> Callable[..., Any]:
            return self._given_up(original(step), None)

        module.Optimizer.profile_hook_step = staticmethod(hooked)

    def _of_all_models(self, failed: FailedCall) -> Iterator[Call]:
        """Yield the call with the parameters of all models of the script, instead of none."""
        parameters = failed.given[1] if len(failed.given) > 1 else failed.named.get("params")
        if not isinstance(parameters, list | tuple) or parameters:
            return
        kind = sys.modules["torch.nn"].Module
        frame: FrameType | None = sys._getframe()
        models: dict[int, Any] = {}
        while frame is not None:
            if self._own.has(frame):
                values = (*frame.f_locals.values(), *frame.f_globals.values())
                models |= {id(each): each for each in values if isinstance(each, kind)}
            frame = frame.f_back
        weights = {id(w): w for model in models.values() for w in model.parameters()}
        rest = failed.given[2:]
        yield (
            (failed.given[0], [*weights.values()], *rest),
            {k: v for k, v in failed.named.items() if k != "params"},
        )

    def _hook_loaders(self, module: ModuleType) -> None:
        original = module.DataLoader.__init__

        @functools.wraps(original)
        def made(loader: Any, *arguments: Any, **named: Any) -> None:
            original(loader, *arguments, **named)
            object.__setattr__(loader, "collate_fn", self._bridged(loader.collate_fn, _padded))

        module.DataLoader.__init__ = made

    def _hook_arguments(self, module: ModuleType) -> None:
        kind = module.TrainingArguments
        kind.__init__ = self._bridged(kind.__init__, _with_fewer)

    def _hook_trainer(self, module: ModuleType) -> None:
        kind = module.Trainer
        original = self._bridged(kind.__init__, _without_evaluation)

        @functools.wraps(kind.__init__)
        def made(trainer: Any, *arguments: Any, **named: Any) -> None:
            original(trainer, *arguments, **named)
            if trainer.compute_metrics is not None:
                trainer.compute_metrics = self._given_up(trainer.compute_metrics, Nothing())

        kind.__init__ = made
        for name in ("evaluate", "predict"):
            setattr(kind, name, self._lenient(self._given_up(getattr(kind, name), Nothing())))

    def _lenient(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap a call: once something has failed, the table of figures it gives has any figure."""

        @functools.wraps(original)
        def called(*arguments: Any, **named: Any) -> Any:
            found = original(*arguments, **named)
            return Nothing(found) if self.has_failed and type(found) is dict else found

        return called

    def _hook_datasets(self, module: ModuleType) -> None:
        kind = module.Dataset
        kind.to_tf_dataset = self._bridged(kind.to_tf_dataset, _with_columns_there)
        # What `to_tf_dataset` makes batches with, unless it is given something else.
        stacked = getattr(module, "minimal_tf_collate_fn", None)
        if stacked is not None:
            setattr(module, "minimal_tf_collate_fn", self._bridged(stacked, _padded_arrays))  # noqa: B010

    def _hook_keras_models(self, module: ModuleType) -> None:
        kind = module.Model
        kind.fit = self._bridged(kind.fit, _with_labels_apart)

    def _hook_metrics(self, module: ModuleType) -> None:
        # Each metric has a copy of `compute` of its own, made from its code.
        original = module.EvaluationModule.__init__

        @functools.wraps(original)
        def made(metric: Any, *arguments: Any, **named: Any) -> None:
            original(metric, *arguments, **named)
            metric.compute = self._given_up(metric.compute, Nothing())

        module.EvaluationModule.__init__ = made

    def _bridged(self, original: Callable[..., Any], repairs: Repairs) -> Callable[..., Any]:
        """Wrap a call so that it is tried again with other arguments where it fails."""

        @functools.wraps(original)
        def called(*arguments: Any, **named: Any) -> Any:
            try:
                return original(*arguments, **named)
            except Exception as error:
                if is_handled(self._own):
                    raise
                bridged = _repaired(original, repairs, error, (arguments, named), MORE)
                if bridged is None:
                    raise
                found, errors = bridged
                for each in errors:
                    self._tell(each, sys._getframe(1))
                return found

        return called

    def _given_up(self, original: Callable[..., Any], instead: Any) -> Callable[..., Any]:
        """Wrap a call so that its failure is reported, and `instead` is returned then."""

        @functools.wraps(original)
        def called(*arguments: Any, **named: Any) -> Any:
            try:
                return original(*arguments, **named)
            except Exception as error:
                if is_handled(self._own):
                    raise
                self._tell(error, sys._getframe(1))
                return instead

        return called

    def _tell(self, error: BaseException, caller: FrameType) -> None:
        """Report a failure of a call once, with the frames that it would have had."""
        trace = error.__traceback__
        inner = trace.tb_next if trace is not None else None
        walked: FrameType | None = caller
        while walked is not None:
            inner = TracebackType(inner, walked, walked.f_lasti, walked.f_lineno)
            walked = walked.f_back
        key = (type(error), _words(str(error)))
        if key in self._told:
            return
        self._told.add(key)
        self.report(error.with_traceback(inner))


def _repaired(
    original: Callable[..., Any], repairs: Repairs, error: BaseException, call: Call, left: int
) -> tuple[Any, list[BaseException]] | None:
    """Repair a failed call; return its result and its errors, or None where no repair does.

    Where a repaired call fails of something else, that is repaired, too, so many times (`left`).
    """
    for other, names in repairs(FailedCall(error, *call)):
        try:
            return original(*other, **names), [error]
        except Exception as another:  # noqa: BLE001 - the next repair may do
            is_same = (type(another), str(another)) == (type(error), str(error))
            deeper = None
            if not is_same and left:
                deeper = _repaired(original, repairs, another, (other, names), left - 1)
        if deeper is not None:
            return deeper[0], [error, *deeper[1]]
    return None


class Nothing(dict[str, float]):
    """What a metric gives that has failed: no number for any name that it has no figure of."""

    metrics: ClassVar[dict[str, float]] = {}

    def __missing__(self, _name: str) -> float:
        return math.nan


def _words(message: str) -> str:
    """Return a message without its numbers: the next batch fails with others."""
    return "".join(c for c in message if not c.isdigit())


def _linear(failed: FailedCall) -> Iterator[Call]:
    """Yield the call with inputs of the weight's type and width."""
    torch = sys.modules["torch"]
    inputs, weight, *rest = failed.given
    inputs = inputs.to(weight.dtype)
    yield (inputs, weight, *rest), failed.named
    width = weight.shape[1]
    if inputs.dim() > 2 and math.prod(inputs.shape[1:]) == width:
        yield (inputs.flatten(1), weight, *rest), failed.named
    missing = width - inputs.shape[-1]
    yield (torch.nn.functional.pad(inputs, (0, missing)), weight, *rest), failed.named


def _embedding(failed: FailedCall) -> Iterator[Call]:
    """Ids that the table has."""
    ids, weight, *rest = failed.given
    yield (ids.long().clamp(0, weight.shape[0] - 1), weight, *rest), failed.named


def _channels(failed: FailedCall) -> Iterator[Call]:
    """Yield the call with inputs of the weight's type and with as many channels."""
    inputs, weight, *rest = failed.given
    inputs = inputs.to(weight.dtype)
    yield (inputs, weight, *rest), failed.named
    wanted = weight.shape[1]
    dim = inputs.dim() - weight.dim() + 1
    if dim in (0, 1):
        repeats = [1] * inputs.dim()
        repeats[dim] = math.ceil(wanted / inputs.shape[dim])
        yield (inputs.repeat(repeats).narrow(dim, 0, wanted), weight, *rest), failed.named


def _classes(failed: FailedCall) -> Iterator[Call]:
    """Yield the call with outputs as rows of classes, and one label that there is for each."""
    outputs, target, names = _both(failed)
    classes = outputs.shape[-1]
    flat = outputs.reshape(-1, classes)
    for labels in (target, target.argmax(-1) if target.dim() > 1 else target):
        row = labels.reshape(-1).long()
        ignored = row == -100
        row = row.clamp(0, classes - 1)
        row[ignored] = -100
        n = min(len(row), len(flat))
        yield (flat[:n], row[:n]), names


def _same_shape(failed: FailedCall) -> Iterator[Call]:
    """Targets of the type and shape of the outputs."""
    outputs, target, names = _both(failed)
    target = target.to(outputs.dtype)
    yield (outputs, target), names
    if target.numel() == outputs.numel():
        yield (outputs, target.reshape(outputs.shape)), names
    n = min(target.numel(), outputs.numel())
    yield (outputs.reshape(-1)[:n], target.reshape(-1)[:n]), names


def _binary(failed: FailedCall) -> Iterator[Call]:
    """Probabilities, and targets of their type and shape."""
    yield from _same_shape(failed)
    outputs, target, names = _both(failed)
    n = min(target.numel(), outputs.numel())
    outputs, target = outputs.reshape(-1)[:n], target.reshape(-1)[:n].to(outputs.dtype)
    yield (outputs.clamp(0, 1), target.clamp(0, 1)), names


def _both(failed: FailedCall) -> tuple[Any, Any, dict[str, Any]]:
    """Return the outputs and the target of a loss, and its settings, however they are given."""
    names = dict(failed.named)
    values = list(failed.given)
    if not values:
        values.append(names.pop("input"))
    if len(values) < 2:
        values.append(names.pop("target"))
    # Weights of classes may have the wrong number themselves.
    names.pop("weight", None)
    return values[0], values[1], names


def _without_unexpected(failed: FailedCall) -> Iterator[Call]:
    """Without the argument that the function does not know."""
    found = UNEXPECTED.search(str(failed.error))
    if isinstance(failed.error, TypeError) and found and found[1] in failed.named:
        yield failed.given, {k: v for k, v in failed.named.items() if k != found[1]}


def _with_fewer(failed: FailedCall) -> Iterator[Call]:
    """Without one of the arguments, those that the error speaks of first."""
    yield from _without_unexpected(failed)
    if isinstance(failed.error, ValueError):
        for name in sorted(failed.named, key=lambda name: name not in str(failed.error)):
            if name != "output_dir":
                yield failed.given, {k: v for k, v in failed.named.items() if k != name}


def _without_evaluation(failed: FailedCall) -> Iterator[Call]:
    """Yield the call with arguments that a Trainer knows, and no evaluations it has no data for."""
    yield from _without_unexpected(failed)
    args = failed.named.get("args")
    strategy = getattr(args, "eval_strategy", None)
    if strategy is not None and failed.named.get("eval_dataset") is None:
        other: Any = copy.copy(args)
        other.eval_strategy = type(strategy)("no")
        other.load_best_model_at_end = False
        yield failed.given, {**failed.named, "args": other}


def _with_columns_there(failed: FailedCall) -> Iterator[Call]:
    """Columns that the dataset has: `label` for `labels`, and without others that it lacks."""
    there = getattr(failed.given[0], "column_names", ())
    renamed = {"labels": "label", "label": "labels"}
    changed = dict(failed.named)
    for name in ("columns", "label_cols"):
        wanted = failed.named.get(name)
        columns = [wanted] if isinstance(wanted, str) else list(wanted or ())
        known = [c if c in there else renamed.get(c, c) for c in columns]
        if columns:
            changed[name] = [c for c in known if c in there]
    if changed != failed.named:
        yield failed.given, changed


def _with_labels_apart(failed: FailedCall) -> Iterator[Call]:
    """Yield the call with labels apart from the inputs, where Keras looks for them."""
    data: Any = failed.given[1] if len(failed.given) > 1 else failed.named.get("x")
    spec = getattr(data, "element_spec", None)
    label = next((name for name in LABELS if isinstance(spec, dict) and name in spec), None)
    if NO_LABELS not in str(failed.error) or label is None:
        return

    def parted(row: dict[str, Any]) -> tuple[dict[str, Any], Any]:
        return {name: value for name, value in row.items() if name != label}, row[label]

    model, rest = failed.given[0], {k: v for k, v in failed.named.items() if k != "x"}
    # It was compiled for the data as they were.
    model.train_function = None
    yield (model, data.map(parted), *failed.given[2:]), rest


def _with_one_head(failed: FailedCall) -> Iterator[Call]:
    """Yield the call with a single attention head, which any width can be divided by."""
    config = failed.given[1] if len(failed.given) > 1 else failed.named.get("config")
    heads = [name for name in HEADS if isinstance(getattr(config, name, None), int)]
    if isinstance(failed.error, ValueError | AssertionError) and heads:
        other = copy.deepcopy(config)
        for name in heads:
            setattr(other, name, 1)
        rest = {k: v for k, v in failed.named.items() if k != "config"}
        yield (failed.given[0], other, *failed.given[2:]), rest


def _as_the_model_takes(failed: FailedCall) -> Iterator[Call]:
    """Without arguments that it does not know, and no longer than its positions."""
    yield from _without_unexpected(failed)
    config = getattr(failed.given[0], "config", None)
    most = next((m for m in (getattr(config, n, None) for n in POSITIONS) if m), None)
    ids = failed.named.get("input_ids")
    torch = sys.modules["torch"]
    if not isinstance(most, int) or not isinstance(ids, torch.Tensor) or _is_inside_model():
        return
    width = ids.shape[-1]
    if width > most:
        yield (
            failed.given,
            {
                name: value[:, :most]
                if isinstance(value, torch.Tensor) and value.dim() > 1 and value.shape[1] == width
                else value
                for name, value in failed.named.items()
            },
        )


def _is_inside_model() -> bool:
    """Whether the call that failed was made by a model with a configuration of its own."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        owner = frame.f_locals.get("self") if frame.f_code.co_name == "forward" else None
        if getattr(owner, "config", None) is not None:
            return True
        frame = frame.f_back
    return False


def _padded(failed: FailedCall) -> Iterator[Call]:
    """Rows that are as long as the longest of the batch; texts are left out."""
    rows = failed.given[0]
    yield ([_numbers(row) for row in rows], *failed.given[1:]), failed.named
    yield (_rectangular([_numbers(row) for row in rows]), *failed.given[1:]), failed.named


def _padded_arrays(failed: FailedCall) -> Iterator[Call]:
    """Rows of arrays that are as long as the longest of the batch; the new places hold zeros."""
    numpy, rows = sys.modules["numpy"], failed.given[0]
    longest: dict[str, int] = {}
    for name, value in (column for row in rows for column in row.items()):
        if getattr(value, "ndim", 0) == 1:
            longest[name] = max(longest.get(name, 0), len(value))
    padded = [
        {
            name: numpy.pad(value, (0, longest[name] - len(value))) if name in longest else value
            for name, value in row.items()
        }
        for row in rows
    ]
    yield (padded, *failed.given[1:]), failed.named


def _numbers(row: Any) -> Any:
    """Return a row without its texts."""
    if not isinstance(row, dict):
        return row
    return {k: v for k, v in row.items() if not isinstance(v, str)}


def _rectangular(rows: list[Any]) -> list[Any]:
    torch = sys.modules["torch"]
    first = rows[0]
    if isinstance(first, dict):
        columns = {k: _level(torch, [row[k] for row in rows], _filler(k)) for k in first}
        ids = "input_ids"
        if ids in first and MASK not in first and "transformers" in sys.modules:
            # The padding is ours: no model is to look at it.
            is_list = isinstance(first[ids], list)
            ones = (lambda made: [1] * len(made)) if is_list else torch.ones_like
            columns[MASK] = _level(torch, [ones(row[ids]) for row in rows])
        return [{k: v[n] for k, v in columns.items()} for n in range(len(rows))]
    if isinstance(first, tuple | list):
        parts = [_level(torch, [row[n] for row in rows]) for n in range(len(first))]
        return [type(first)(part[n] for part in parts) for n in range(len(rows))]
    return _level(torch, rows)


def _filler(column: str) -> int:
    """Return the value of a padding place: a label there is left out of the loss."""
    return IGNORED if column in LABELS else 0


def _level(torch: Any, values: list[Any], filler: int = 0) -> list[Any]:
    """Values of one column, each padded at its end."""
    if isinstance(values[0], list):
        longest = max(map(len, values))
        return [[*value, *([filler] * (longest - len(value)))] for value in values]
    if isinstance(values[0], torch.Tensor) and values[0].dim() == 1:
        longest = max(len(value) for value in values)
        return [torch.nn.functional.pad(v, (0, longest - len(v)), value=filler) for v in values]
    return values
