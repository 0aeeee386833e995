"""Hook training loops by hand with `tf.GradientTape`, and what a script evaluates beside them.

A pass in a tape trains, one outside of each tape evaluates, once a training has begun. Where the
script has compiled its step, it is heard once, without numbers; the variables, the optimizer's own
count and the loss, if the step returns it, tell the rest. See https://www.tensorflow.org/guide/autodiff.
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
from course_probe.hooks.keras import rows as row_of
from course_probe.hooks.keras.evaluations import kept_figure
from course_probe.hooks.keras.losses import MADE_BY, KerasLosses, guess_of
from course_probe.hooks.keras.rows import IN_ORDER, as_array, is_dataset, kinds, made_of, prints
from course_probe.hooks.keras.schedules import ended, so_far
from course_probe.hooks.keras.vitals import current_rate
from course_probe.hooks.vitals import finite
from course_probe.reading.held_out_values import is_kept
from course_probe.vital_signs.data.examples import LabelOrder
from course_probe.vital_signs.evaluation.metric_resets import MetricResets

EARLY = (20, 60, 200)
"""Gradients after which signs are written."""
FEW = 5
EVERY = 8
"""Of so many gradients, one loss is read and told."""
RARELY = 64
"""The same of compiled steps, which take less time, once there were many."""
APART = 8
"""Steps after which passes without a tape are an evaluation within the training."""
MANY = 2**20
"""Rows of a training that are remembered."""
PAIRED = ("sub", "squared_difference")
"""Operations that set outputs beside targets, in a loss by hand."""


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
        self._target: Any = None
        self._returns: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._compiled = 0
        self._latest: deque[Any] = deque(maxlen=FEW * 4)
        self._begin: float | None = None
        self._first_move: float | None = None
        self._seen: set[int] = set()
        self._applied = self._broadcasts = 0
        self._evaluated: dict[int, set[bool]] = {}
        self._evaluated_rows: set[int] = set()
        self._dropout = 0.0
        self._batch_norm = False
        self._trainable = 0
        self._iterated: list[Any] = []
        self._current: Any = None
        self._asked: list[Any] = []
        self._trained_on: list[Any] = []
        self._order = LabelOrder()
        self._resets = MetricResets()
        self._has_told = False
        self._sized: Any = None
        self._batch: int | None = None

    @property
    def gradients(self) -> int:
        """Return how often a tape was asked for gradients."""
        return self._gradients

    def fitting(self, step: int) -> None:
        """Note that a call of `fit`, `evaluate` or `predict` begins (1) or ends (-1)."""
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

    def hook_functions(self, module: ModuleType) -> None:
        """Observe what compiled steps return.

        By `tensorflow.python.eager.polymorphic_function.polymorphic_function`.
        """
        kind = module.Function
        original = kind.__call__

        @functools.wraps(original)
        def called(function: Any, *arguments: Any, **named: Any) -> Any:
            made = original(function, *arguments, **named)
            if self._traced and not self._is_fitting and not self._log.looking:
                self._guard(self._note_returned, function, made)
            return made

        kind.__call__ = called

    def hook_optimizers(self, module: ModuleType) -> None:
        """Hear of each optimizer of `keras.src.optimizers.base_optimizer` that is made."""
        kind = module.BaseOptimizer
        original, apply = kind.__init__, kind.apply

        @functools.wraps(original)
        def made(optimizer: Any, *arguments: Any, **named: Any) -> None:
            original(optimizer, *arguments, **named)
            self._optimizers.add(optimizer)

        @functools.wraps(apply)
        def applied(optimizer: Any, *arguments: Any, **named: Any) -> Any:
            found = apply(optimizer, *arguments, **named)
            if not self._is_fitting and not self._log.looking:
                self._guard(self._note_step, optimizer)
            return found

        kind.__init__, kind.apply = made, applied

    def hook_math(self, module: ModuleType) -> None:
        """Observe what a loss by hand is made with, once `tensorflow` has been imported whole.

        While it is, its functions are known by what they are.
        """
        operations = sys.modules["tensorflow.python.ops.gen_math_ops"]
        for name in PAIRED:
            observed = self._paired(getattr(operations, name))
            setattr(operations, name, observed)
            if hasattr(module.math, name):
                setattr(module.math, name, observed)

    def _paired(self, original: Any) -> Any:
        @functools.wraps(original)
        def computed(x: Any, y: Any, *arguments: Any, **named: Any) -> Any:
            if self._tapes and not self._is_fitting and not self._log.looking:
                self._broadcasts += _is_of_pairs(x, y)
            return original(x, y, *arguments, **named)

        return computed

    def hook_data(self, module: ModuleType) -> None:
        """Hear which datasets of `tensorflow.python.data.ops.dataset_ops` are gone through."""
        kind = module.DatasetV2
        original = kind.__iter__

        @functools.wraps(original)
        def begun(dataset: Any) -> Any:
            if not any(dataset is each for each in self._iterated[-64:]):
                self._iterated.append(dataset)
            self._current = dataset
            self._resets.begin_pass()
            return original(dataset)

        kind.__iter__ = begun

    def hook_metrics(self, module: ModuleType) -> None:
        """Hear when means are set back and read: `keras.src.metrics.reduction_metrics`."""
        kind = module.Mean
        kind.reset_state = self._heard(kind.reset_state, self._resets.reset)
        kind.result = self._heard(kind.result, self._resets.read)

    def _heard(self, original: Any, note: Any) -> Any:
        @functools.wraps(original)
        def called(metric: Any) -> Any:
            if not self._is_fitting and not self._log.looking and self._current is not None:
                self._guard(self._note_metric, metric, note)
            return original(metric)

        return called

    def _note_metric(self, metric: Any, note: Any) -> None:
        if not sys.modules["tensorflow"].executing_eagerly():
            return
        if self._sized is not self._current:
            self._sized, self._batch = self._current, row_of.size_of_batches(self._current)
        if self._batch is not None:
            note(metric, float(metric.count.numpy()), self._batch)

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
        known = {id(each): at for at, each in enumerate(self._sources)}
        for each in (each for each in listed if hasattr(each, "assign")):
            at = known.get(id(each))
            if at is None:
                self._before.append(_values(each))
                self._sources.append(each)
            elif not self._is_kept(at):
                # It was only being made when a step was compiled for the first time.
                self._before[at] = _values(each)

    def _is_kept(self, at: int) -> bool:
        return bool(self._before[at].shape == tuple(self._sources[at].shape))

    def _note_gradient(self, target: Any, found: Any) -> None:
        if not hasattr(target, "numpy") or type(target).__name__ == "SymbolicTensor":
            self._traced, self._target = True, target
            return
        self._tell_evaluation()
        self._gradients += 1
        if self._gradients == 2:
            self._first_move = self._moved()[1]
        mean = float(target.numpy().mean())
        self._begin = mean if self._begin is None else self._begin
        self._recent.append(mean)
        if self._gradients <= FEW or self._gradients % EVERY == 0:
            self._tell(self._gradients, mean)
            tensors = [each for each in found if each is not None] if found else []
            self._zero += not any(_is_moving(each) for each in tensors)
        self._add_labels()
        if self._gradients in EARLY:
            self._write(is_over=False)

    def _tell(self, step: int, mean: float) -> None:
        self._means.append((step, mean))
        self._log.write(LossEvent(event="loss", step=step, mean=f"{mean:.6g}"))

    def _note_returned(self, function: Any, made: Any) -> None:
        """Read the loss of a compiled function that has returned, if it trains and gives it."""
        tensorflow = sys.modules["tensorflow"]
        if function not in self._returns:
            if self._target is None or not tensorflow.executing_eagerly():
                return
            place = _place_of(self._target, tensorflow.nest)
            self._target = None
            if place is None or place >= len(tensorflow.nest.flatten(made)):
                return
            self._returns[function] = place
        # It may have been compiled once more, for a batch of another size.
        self._target = None
        self._tell_evaluation()
        self._compiled += 1
        loss = made
        if not hasattr(made, "numpy"):
            loss = tensorflow.nest.flatten(made)[self._returns[function]]
        self._latest.append(loss)
        every = EVERY if self._compiled <= EARLY[-1] else RARELY
        if self._compiled <= FEW or self._compiled % every == 0:
            mean = float(loss.numpy().mean())
            self._begin = mean if self._begin is None else self._begin
            self._tell(self._compiled, mean)
        if self._compiled in EARLY:
            self._write(is_over=False)

    def _note_step(self, optimizer: Any) -> None:
        """Note that an optimizer has moved its variables; in a step that is compiled, only once."""
        if not sys.modules["tensorflow"].executing_eagerly():
            return
        self._applied += 1
        if self._applied <= FEW or self._applied % EVERY == 0:
            rate = current_rate(optimizer)
            self._rates += [rate] if rate is not None else []

    def _add_labels(self) -> None:
        """Count how often neighbours differ, in labels that a dataset gives as they lie."""
        labels = self._losses.labels
        if self._current is None or labels is None:
            return
        if not kinds(self._current) <= {*IN_ORDER, "Cache"}:
            return
        is_of_classes = labels.dtype.kind in "iu" and labels.ndim == 1
        if is_of_classes and self._order.wants_more and self._order.add(labels):
            self._log.measure("order", 0.1, self._order.figures())

    def _note_pass(self, layer: Any, given: Any, training: bool, made: Any) -> None:
        """Note an outermost pass of a model outside `fit`: it trains or evaluates."""
        if self._is_fitting or not hasattr(layer, "trainable_variables"):
            return
        if not hasattr(layer, "layers"):
            return
        if self._tapes:
            self._passes += 1
            self._in_training += training
            self._look_at(layer)
            if not any(self._current is each for each in self._trained_on):
                self._trained_on.append(self._current)
            if len(self._seen) < MANY:
                self._seen |= set(prints(given))
        elif (self._gradients or self._traced) and as_array(given) is not None:
            found = prints(given)
            if found:
                self._evaluated.setdefault(found[0], set()).add(training)
                self._evaluated_rows |= set(found)
                if not any(self._current is each for each in self._asked):
                    self._asked.append(self._current)

    def _look_at(self, model: Any) -> None:
        if self._passes > 1:
            return
        inner = list(model._flatten_layers())
        self._dropout = max((float(getattr(each, "rate", 0) or 0) for each in inner), default=0.0)
        self._batch_norm = any(type(each).__name__ == "BatchNormalization" for each in inner)
        self._trainable = len(model.trainable_variables)

    def _moved(self) -> tuple[int, float | None]:
        """Count the variables that have changed, and measure how far all of them have."""
        moved, change, norm = 0, 0.0, 0.0
        for at, (variable, before) in enumerate(zip(self._sources, self._before, strict=True)):
            if not self._is_kept(at):
                continue
            now = _values(variable)
            moved += bool((now != before).any())
            change += float(((now - before).astype("float64") ** 2).sum())
            norm += float((before.astype("float64") ** 2).sum())
        return moved, (change / norm) ** 0.5 if norm and math.isfinite(change) else None

    def finish(self) -> None:
        """Write all figures at the script's end."""
        if self._gradients or self._traced:
            self._guard(self._write_all)

    def _write_all(self) -> None:
        self._guard(self._write)
        if self._dropout and self._passes:
            share = self._in_training / self._passes
            self._log.write_figures({"train_mode_share": share, "dropout": self._dropout})
        self._log.write_figures(self._made_so())
        self._guard(self._write_last)
        if self._evaluated:
            figures = self._evaluation_figures()
            if self._seen:
                figures["held_out_unused"] = float(self.unused())
            self._log.write_figures(figures)

    def _made_so(self) -> dict[str, float]:
        """Return figures of how the script makes its losses and its steps."""
        found = {"loss_broadcast": 1.0} if self._broadcasts else {}
        return found | ({"compiled_gradients": 1.0} if self._traced else {})

    def _tell_evaluation(self) -> None:
        """Write what the first evaluation has shown: training that goes on does not undo it."""
        if self._evaluated and not self._has_told and max(self._gradients, self._compiled) >= APART:
            self._has_told = True
            self._write(is_over=False)
            self._log.write_figures(self._evaluation_figures())

    def _evaluation_figures(self) -> dict[str, float]:
        # Several answers for the same rows are asked for on purpose.
        only = sum(modes == {True} for modes in self._evaluated.values())
        share = only / len(self._evaluated)
        figures = {
            "evaluation_in_training_mode": share,
            "evaluation_dropout": share if self._dropout else 0.0,
            "evaluation_batch_norm": share if self._batch_norm else 0.0,
            "evaluation_repeats": 1.0,
        }
        same = [each for each in self._asked if any(each is t for t in self._trained_on)]
        if any(each is not None and is_kept(each) for each in same):
            figures["held_out_is_training"] = 1.0
        if self._seen:
            rows = self._evaluated_rows
            figures["evaluation_overlap"] = len(rows & self._seen) / len(rows)
            if any(map(is_kept, self._asked)):
                overlap = figures["evaluation_overlap"]
                figures |= kept_figure(overlap, len(rows), len(self._seen))
        return figures

    def _write_last(self) -> None:
        figures = self._resets.figures()
        at_zero = [
            not before.any() and not _values(variable).any()
            for variable, before in zip(self._sources, self._before, strict=True)
            if before.ndim > 1 and before.shape == tuple(variable.shape)
        ]
        figures["weights_left_zero"] = float(sum(at_zero))
        if any(map(row_of.are_shuffled_apart, self._trained_on)):
            figures["pairs_shuffled_apart"] = 1.0
        highest = max(self._rates, default=0.0)
        if len(self._optimizers) == 1:
            figures |= ended(next(iter(self._optimizers)), highest)
        self._log.write_figures(figures)

    def unused(self) -> int:
        """Count the datasets that the script keeps under a name and has taken nothing from."""
        used = {id(part) for each in self._iterated for part in made_of(each)}
        kept = list(vars(sys.modules["__main__"]).values())
        return sum(is_dataset(value) and id(value) not in used for value in kept)

    def _write(self, *, is_over: bool = True) -> None:
        if not is_over:
            losses = [mean for _step, mean in self._means]
            figures = so_far(list(self._optimizers), self._known_rates(), losses, self._begin)
            self._log.write_figures(finite(figures) | self._made_so())
        moved, moved_by = self._moved()
        # One that is made anew for each batch is gone; its step was heard.
        counted = [self._applied // max(1, len(self._optimizers)), *map(_steps, self._optimizers)]
        steps = max(counted)
        learning = sum(map(self._is_kept, range(len(self._sources))))
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
        self._log.write(
            VitalsEvent(
                event="vitals",
                model=finite(model),
                loss=finite(self._loss()),
                rate=finite(self._rate()),
            )
        )

    def _loss(self) -> dict[str, Any]:
        means = [mean for _step, mean in self._means]
        if not means:
            return {}
        finite = [mean for mean in means if math.isfinite(mean)]
        found: dict[str, Any] = {"begin": self._begin, "finite": len(finite) / len(means)}
        if len(finite) == len(means):
            found["first"] = sum(means[:FEW]) / len(means[:FEW])
            recent = self._recent or [float(each.numpy().mean()) for each in self._latest]
            found["last"] = sum(recent) / len(recent)
            found["highest"] = max(means)
            guess = guess_of(self._losses.kind, self._losses.labels, self._losses.classes)
            if guess:
                found |= {"guess": guess, "last_to_guess": found["last"] / guess}
        return found

    def _known_rates(self) -> list[float]:
        """Return the rates that were heard, or where steps are compiled those of now."""
        now = (current_rate(each) for each in self._optimizers)
        return self._rates or [rate for rate in now if rate is not None]

    def _rate(self) -> dict[str, Any]:
        rates = self._known_rates()
        if not rates:
            return {}
        mean = sum(rates) / len(rates)
        return {"highest": max(rates), "lowest": min(rates), "mean": mean, "last": rates[-1]}


def _place_of(target: Any, nest: Any) -> int | None:
    """Find the place, in what a step returns, of what it was asked the gradients of."""
    returned = nest.flatten(target.graph.structured_outputs)
    for place, output in enumerate(returned):
        operation: Any = getattr(output, "op", None)
        # What a compiled function returns goes through one operation more.
        is_passed_on = getattr(operation, "type", "") == "Identity"
        if output is target or (is_passed_on and operation.inputs[0] is target):
            return place
    return None


def _values(variable: Any) -> Any:
    # A step that is being compiled has no numbers; what lies outside of it has.
    with sys.modules["tensorflow"].init_scope():
        return variable.numpy().copy()


def _steps(optimizer: Any) -> int:
    return int(optimizer.iterations)


def _is_moving(gradient: Any) -> bool:
    values = getattr(gradient, "values", gradient)
    return bool((values.numpy() != 0).any())


def _is_of_pairs(x: Any, y: Any) -> bool:
    """Return whether outputs of the shape (n, 1) meet targets of the shape (n,): each with each."""
    shapes = [getattr(each, "shape", None) for each in (x, y)]
    if not any(getattr(each, MADE_BY, None) is not None for each in (x, y)) or None in shapes:
        return False
    column, row = sorted((tuple(shape) for shape in shapes if shape is not None), key=len)[::-1]
    return len(column) == 2 and len(row) == 1 and column[1] == 1 and column[0] == row[0] != 1
