"""Hook training loops by hand with `tf.GradientTape`, and what a script evaluates beside them.

A pass in a tape trains, one outside of each tape evaluates, once a training has begun. Where the
script has compiled its step, it is heard once, without numbers; the variables and the optimizer's
own count tell the rest. See https://www.tensorflow.org/guide/autodiff.
"""

import functools
import math
import sys
import weakref
from collections import deque
from types import ModuleType
from typing import Any

from course_probe.event_log import EventLog
from course_probe.events import LossEvent, VitalsEvent
from course_probe.hooks.keras.losses import KerasLosses, guess_of
from course_probe.hooks.keras.vitals import current_rate
from course_probe.vital_signs.examples import LabelOrder

EARLY = (20, 60, 200)
"""Gradients after which signs are written."""
FEW = 5
EVERY = 8
"""Of so many gradients, one loss is read and told."""
LARGEST = 2**22
"""Numbers of a batch whose rows are looked at."""
PLAIN = frozenset(
    {"Batch", "Options", "Prefetch", "Range", "Skip", "Take", "Tensor", "TensorSlice", "Zip"}
    | {"ParallelBatch", "PaddedBatch", "Map", "ParallelMap", "Cache"}
)
"""Kinds of `tf.data.Dataset` that give the rows in the order in which they lie."""


class KerasLoops:
    """The one training by hand of a script, and what it evaluates."""

    def __init__(self, log: EventLog, losses: KerasLosses) -> None:
        self._log = log
        self._losses = losses
        losses.at_pass.append(self._note_pass)
        self._tapes = 0
        self._is_fitting = 0
        self._sources: list[Any] = []
        self._before: list[Any] = []
        self._optimizers: weakref.WeakSet[Any] = weakref.WeakSet()
        self._means: list[tuple[int, float]] = []
        self._recent: deque[float] = deque(maxlen=FEW * 4)
        self._rates: list[float] = []
        self._gradients = self._zero = self._passes = self._in_training = 0
        self._traced = False
        self._begin: float | None = None
        self._first_move: float | None = None
        self._seen: set[int] = set()
        self._evaluated: dict[int, set[bool]] = {}
        self._evaluated_rows: set[int] = set()
        self._dropout = 0.0
        self._batch_norm = False
        self._trainable = 0
        self._iterated: list[Any] = []
        self._order = LabelOrder()

    @property
    def gradients(self) -> int:
        """How often a tape was asked for gradients."""
        return self._gradients

    def fitting(self, step: int) -> None:
        """A call of `fit`, `evaluate` or `predict` begins (1) or ends (-1)."""
        self._is_fitting += step

    def hook_tapes(self, module: ModuleType) -> None:
        """Observe each tape of `tensorflow.python.eager.backprop`."""
        kind = module.GradientTape
        enter, leave, gradient = kind.__enter__, kind.__exit__, kind.gradient

        @functools.wraps(enter)
        def entered(tape: Any) -> Any:
            self._tapes += 1
            return enter(tape)

        @functools.wraps(leave)
        def left(tape: Any, *arguments: Any) -> Any:
            self._tapes -= 1
            return leave(tape, *arguments)

        @functools.wraps(gradient)
        def asked(tape: Any, target: Any, sources: Any, *arguments: Any, **named: Any) -> Any:
            if not self._is_fitting and not self._log.looking:
                self._guard(self._note_before, sources)
            found = gradient(tape, target, sources, *arguments, **named)
            if not self._is_fitting and not self._log.looking:
                self._guard(self._note_gradient, target, found)
            return found

        kind.__enter__, kind.__exit__, kind.gradient = entered, left, asked

    def hook_optimizers(self, module: ModuleType) -> None:
        """Hear of each optimizer of `keras.src.optimizers.base_optimizer` that is made."""
        kind = module.BaseOptimizer
        original = kind.__init__

        @functools.wraps(original)
        def made(optimizer: Any, *arguments: Any, **named: Any) -> None:
            original(optimizer, *arguments, **named)
            self._optimizers.add(optimizer)

        kind.__init__ = made

    def hook_data(self, module: ModuleType) -> None:
        """Hear which datasets of `tensorflow.python.data.ops.dataset_ops` are gone through."""
        kind = module.DatasetV2
        original = kind.__iter__

        @functools.wraps(original)
        def begun(dataset: Any) -> Any:
            if not any(dataset is each for each in self._iterated[-64:]):
                self._iterated.append(dataset)
            return original(dataset)

        kind.__iter__ = begun

    @staticmethod
    def _guard(note: Any, *arguments: Any) -> None:
        # The script must go on, whatever is odd about what it does.
        try:
            note(*arguments)
        except Exception:  # noqa: BLE001
            return

    def _note_before(self, sources: Any) -> None:
        """Keep what the variables are before the first step."""
        listed = list(sources) if isinstance(sources, list | tuple) else [sources]
        known = {id(each) for each in self._sources}
        for each in listed:
            if hasattr(each, "assign") and id(each) not in known:
                self._before.append(_values(each))
                self._sources.append(each)

    def _note_gradient(self, target: Any, found: Any) -> None:
        if not hasattr(target, "numpy") or type(target).__name__ == "SymbolicTensor":
            self._traced = True
            return
        self._gradients += 1
        if self._gradients == 2:
            self._first_move = self._moved()[1]
        mean = float(target.numpy().mean())
        self._begin = mean if self._begin is None else self._begin
        self._recent.append(mean)
        if self._gradients <= FEW or self._gradients % EVERY == 0:
            self._means.append((self._gradients, mean))
            self._log.write(LossEvent(event="loss", step=self._gradients, mean=f"{mean:.6g}"))
            tensors = [each for each in found if each is not None] if found else []
            self._zero += not any(_is_moving(each) for each in tensors)
            rates = [current_rate(each) for each in self._optimizers if _steps(each)]
            self._rates += [rate for rate in rates[:1] if rate is not None]
        self._add_labels()
        if self._gradients in EARLY:
            self._write()

    def _add_labels(self) -> None:
        """Count how often neighbours differ, in labels that a dataset gives as they lie."""
        labels = self._losses.labels
        if not self._iterated or not _kinds(self._iterated[-1]) <= PLAIN or labels is None:
            return
        is_of_classes = labels.dtype.kind in "iu" and labels.ndim == 1
        if is_of_classes and self._order.wants_more and self._order.add(labels):
            self._log.measure("order", 0.1, self._order.figures())

    def _note_pass(self, layer: Any, given: Any, training: bool) -> None:
        """An outermost pass of a layer: it trains or evaluates, or is a part of `fit`."""
        if self._is_fitting or not hasattr(layer, "trainable_variables"):
            return
        if not hasattr(layer, "layers"):
            return
        if self._tapes:
            self._passes += 1
            self._in_training += training
            self._look_at(layer)
            if _is_eager(given) and len(self._seen) < LARGEST:
                self._seen |= set(_prints(given))
        elif (self._gradients or self._traced) and _is_eager(given):
            prints = _prints(given)
            if prints:
                self._evaluated.setdefault(prints[0], set()).add(training)
                self._evaluated_rows |= set(prints)

    def _look_at(self, model: Any) -> None:
        if self._passes > 1:
            return
        inner = list(model._flatten_layers())
        self._dropout = max((float(getattr(each, "rate", 0) or 0) for each in inner), default=0.0)
        self._batch_norm = any(type(each).__name__ == "BatchNormalization" for each in inner)
        self._trainable = len(model.trainable_variables)

    def _moved(self) -> tuple[int, float | None]:
        """How many variables are not what they were, and how far all of them are from it."""
        moved, change, norm = 0, 0.0, 0.0
        for variable, before in zip(self._sources, self._before, strict=True):
            now = _values(variable)
            moved += bool((now != before).any())
            change += float(((now - before).astype("float64") ** 2).sum())
            norm += float((before.astype("float64") ** 2).sum())
        return moved, (change / norm) ** 0.5 if norm and math.isfinite(change) else None

    def finish(self) -> None:
        """The script has come to its end."""
        if self._gradients or self._traced:
            self._guard(self._write_all)

    def _write_all(self) -> None:
        self._guard(self._write)
        if self._dropout and self._passes:
            share = self._in_training / self._passes
            self._log.write_figures({"train_mode_share": share, "dropout": self._dropout})
        if not self._evaluated:
            return
        if self._traced:
            self._log.write_figures({"compiled_gradients": 1.0})
        # Several answers for the same rows are asked for on purpose.
        only = sum(modes == {True} for modes in self._evaluated.values())
        share = only / len(self._evaluated)
        figures = {
            "evaluation_in_training_mode": share,
            "evaluation_dropout": share if self._dropout else 0.0,
            "evaluation_batch_norm": share if self._batch_norm else 0.0,
            "evaluation_repeats": 1.0,
        }
        if self._seen:
            rows = self._evaluated_rows
            figures["evaluation_overlap"] = len(rows & self._seen) / len(rows)
            figures["held_out_unused"] = float(self._unused())
        self._log.write_figures(figures)

    def _unused(self) -> int:
        """How many datasets the script keeps under a name that nothing has been taken from."""
        used: set[int] = set()
        waiting = list(self._iterated)
        while waiting:
            each = waiting.pop()
            if id(each) not in used:
                used.add(id(each))
                waiting += each._inputs()
        kept = list(vars(sys.modules["__main__"]).values())
        return sum(
            hasattr(v, "element_spec") and hasattr(v, "_inputs") and id(v) not in used for v in kept
        )

    def _write(self) -> None:
        moved, moved_by = self._moved()
        steps = max((_steps(each) for each in self._optimizers), default=0)
        learning = len(self._sources)
        model: dict[str, Any] = {
            "parameters": max(self._trainable, learning),
            "learning": learning,
            "moved": moved,
            "moved_by": moved_by,
            "steps": steps,
            "optimizers": len(self._optimizers),
            "first_move": self._first_move,
        }
        if learning:
            model["moved_share"] = moved / learning
        if self._gradients:
            model |= {"backwards": self._gradients, "passes": self._passes}
            model["without_gradient"] = self._zero / max(1, len(self._means))
        elif moved:
            model["without_gradient"] = 0.0
        signs = VitalsEvent(event="vitals", model=model, loss=self._loss(), rate=self._rate())
        self._log.write(signs)

    def _loss(self) -> dict[str, Any]:
        means = [mean for _step, mean in self._means]
        if not means:
            return {}
        finite = [mean for mean in means if math.isfinite(mean)]
        found: dict[str, Any] = {"begin": self._begin, "finite": len(finite) / len(means)}
        if len(finite) == len(means):
            found["first"] = sum(means[:FEW]) / len(means[:FEW])
            found["last"] = sum(self._recent) / len(self._recent)
            found["highest"] = max(means)
            guess = guess_of(self._losses.kind, self._losses.labels, self._losses.classes)
            if guess:
                found |= {"guess": guess, "last_to_guess": found["last"] / guess}
        return found

    def _rate(self) -> dict[str, Any]:
        rates = self._rates
        if not rates:
            rates = [r for r in (current_rate(each) for each in self._optimizers) if r is not None]
        if not rates:
            return {}
        mean = sum(rates) / len(rates)
        return {"highest": max(rates), "lowest": min(rates), "mean": mean, "last": rates[-1]}


def _values(variable: Any) -> Any:
    # A step that is being compiled has no numbers; what lies outside of it has.
    with sys.modules["tensorflow"].init_scope():
        return variable.numpy().copy()


def _steps(optimizer: Any) -> int:
    return int(optimizer.iterations)


def _is_moving(gradient: Any) -> bool:
    values = getattr(gradient, "values", gradient)
    return bool((values.numpy() != 0).any())


def _is_eager(tensor: Any) -> bool:
    return hasattr(tensor, "shape") and (
        hasattr(tensor, "numpy") and type(tensor).__name__ == "EagerTensor"
    )


def _prints(given: Any) -> list[int]:
    """A number for each row of a batch."""
    values = given.numpy()
    if values.ndim < 2 or values.size > LARGEST:
        return []
    return [hash(row.tobytes()) for row in values]


def kind_of(dataset: Any) -> str:
    """What a `tf.data.Dataset` does: `Batch`, `Shuffle` …"""
    return type(dataset).__name__.strip("_").removesuffix("V2").removesuffix("Dataset")


def _kinds(dataset: Any) -> set[str]:
    """The kinds of all datasets that one is made of."""
    found: set[str] = set()
    waiting = [dataset]
    while waiting:
        each = waiting.pop()
        found.add(kind_of(each))
        waiting += each._inputs()
    return found
