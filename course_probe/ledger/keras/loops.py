"""Hook training loops by hand with `tf.GradientTape`, and what a script evaluates beside them.

A pass in a tape trains, one outside of each tape evaluates, once a training has begun. Where the
script has compiled its step, it is heard once, without numbers; the variables, the optimizer's own
count and the loss, if the step returns it, tell the rest. See https://www.tensorflow.org/guide/autodiff.
"""

import functools
import sys
import weakref
from types import ModuleType
from typing import Any

from course_probe.event_log import EventLog
from course_probe.guard import noted
from course_probe.hooks.keras import rows as row_of
from course_probe.hooks.keras.rows import IN_ORDER, as_array, kinds
from course_probe.ledger.keras.ledger import KerasLedger
from course_probe.ledger.keras.loss_kinds import MADE_BY
from course_probe.ledger.keras.losses import KerasLosses
from course_probe.vital_signs.examples import LabelOrder

FEW = 5
EVERY = 8
"""Of so many gradients, one loss is read and told."""
MANY = 200
"""Compiled steps, from which on fewer are told: they take less time."""
RARELY = 64
MOST_PASSED = 16
"""Passes on the way to a loss that are remembered."""
PAIRED = ("sub", "squared_difference")
"""Operations that set outputs beside targets, in a loss by hand."""


class KerasLoops:
    """The one training by hand of a script, and what it evaluates."""

    def __init__(self, log: EventLog, losses: KerasLosses, ledger: KerasLedger) -> None:
        self._log = log
        self._losses = losses
        self._ledger = ledger
        losses.at_pass.append(self._note_pass)
        self._tapes = self._is_fitting = self._gradients = 0
        self._model: Any = None
        self._passed: list[tuple[Any, Any, bool]] = []
        self._mode = True
        self._optimizer: Any = None
        self._pending: Any = None
        self._given: Any = None
        self._begun: weakref.WeakSet[Any] = weakref.WeakSet()
        self._traced = False
        self._target: Any = None
        self._returns: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._whose: weakref.WeakKeyDictionary[Any, tuple[Any, Any, bool, Any]] = (
            weakref.WeakKeyDictionary()
        )
        self._compiled = 0
        self._current: Any = None
        self._trained_on: Any = None
        self._order = LabelOrder()

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
                noted(self._choose, sources)
                noted(self._note_before)
            found = gradient(tape, target, sources, *arguments, **named)
            if not self._is_fitting and not self._log.looking:
                noted(self._note_gradient, target)
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
            is_heard = not (self._is_fitting or self._log.looking)
            if is_heard and function in self._returns:
                self._model, self._given, self._mode, self._optimizer = self._whose[function]
                noted(self._note_before)
            made = original(function, *arguments, **named)
            if is_heard and self._traced:
                noted(self._note_returned, function, made)
            return made

        kind.__call__ = called

    def hook_optimizers(self, module: ModuleType) -> None:
        """Hear of each step of an optimizer of `keras.src.optimizers.base_optimizer`."""
        kind = module.BaseOptimizer
        apply = kind.apply

        @functools.wraps(apply)
        def applied(optimizer: Any, *arguments: Any, **named: Any) -> Any:
            found = apply(optimizer, *arguments, **named)
            if not self._is_fitting and not self._log.looking:
                noted(self._note_step, optimizer)
            return found

        kind.apply = applied

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
            is_heard = self._tapes and not self._is_fitting and not self._log.looking
            if is_heard and _is_of_pairs(x, y):
                self._ledger.note_call("pairs", 1.0)
            return original(x, y, *arguments, **named)

        return computed

    def hook_data(self, module: ModuleType) -> None:
        """Hear which datasets of `tensorflow.python.data.ops.dataset_ops` are gone through."""
        kind = module.DatasetV2
        original = kind.__iter__

        @functools.wraps(original)
        def begun(dataset: Any) -> Any:
            self._current = dataset
            return original(dataset)

        kind.__iter__ = begun

    def _choose(self, sources: Any) -> None:
        """Choose, of the models that were passed, the one whose variables gradients are asked of.

        Others may be passed on the way to a loss: a judge, a teacher.
        """
        self._end_step()
        listed = sources if isinstance(sources, list | tuple) else [sources]
        asked = {id(each) for each in listed}
        passed, self._passed = self._passed, []
        self._model = None
        for model, given, training in passed:
            if asked.intersection(map(id, model.trainable_variables)):
                self._model, self._given, self._mode = model, given, training

    def _note_before(self) -> None:
        """Note that a step is about to be taken, and that the last one was not, if it is so."""
        self._end_step()
        if self._model is not None and self._model.built and _is_eager():
            self._begin()
            self._ledger.before_step(self._model)

    def _begin(self) -> None:
        """Tell of the rows that a model is trained on, once."""
        if self._model in self._begun:
            return
        self._begun.add(self._model)
        is_read = bool(row_of.columns(self._given))
        inputs, labels = row_of.first_rows(self._current, None)
        if not inputs:
            inputs, labels = row_of.columns(self._given), self._losses.labels
        # Of a compiled step the batches are not seen, but the data that they are from.
        data = None if is_read else self._current
        self._ledger.begin_loop(self._model, inputs, labels, data)

    def _note_gradient(self, target: Any) -> None:
        if not hasattr(target, "numpy") or type(target).__name__ == "SymbolicTensor":
            self._traced, self._target = True, target
            return
        self._gradients += 1
        self._pending = target
        self._add_labels()

    def _end_step(self) -> None:
        """Note the loss of a step that is not compiled, if one is under way."""
        if self._pending is not None:
            loss, self._pending = self._pending, None
            self._note_loss(self._gradients, loss)

    def _note_loss(self, step: int, loss: Any) -> None:
        """Tell the ledger of a step, and now and then of its loss."""
        every = EVERY if step <= MANY else RARELY
        is_told = step <= FEW or step % every == 0

        def mean() -> float:
            return float(loss.numpy().mean())

        if self._model is not None:
            self._begin()
            if self._optimizer is not None:
                self._ledger.note_optimizer(self._model, self._optimizer)
            self._ledger.note_trained(self._model, self._given, training=self._mode)
            self._ledger.after_step(self._model, mean, is_told=is_told)

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
        # Another function may train another model.
        self._whose[function] = (self._model, self._given, self._mode, self._optimizer)
        self._compiled += 1
        loss = made
        if not hasattr(made, "numpy"):
            loss = tensorflow.nest.flatten(made)[self._returns[function]]
        self._note_loss(self._compiled, loss)

    def _note_step(self, optimizer: Any) -> None:
        """Note that an optimizer moves variables; in a step that is compiled, only once."""
        self._optimizer = optimizer
        if _is_eager():
            self._end_step()

    def _add_labels(self) -> None:
        """Count how often neighbours differ, in labels that a dataset gives as they lie."""
        labels = self._losses.labels
        if self._current is None or labels is None:
            return
        if not kinds(self._current) <= {*IN_ORDER, "Cache"}:
            return
        is_of_classes = labels.dtype.kind in "iu" and labels.ndim == 1
        if is_of_classes and self._order.wants_more and self._order.add(labels):
            self._ledger.note_call("order", self._order.beside_chance)

    def _note_pass(self, layer: Any, given: Any, training: bool) -> None:
        """Note an outermost pass of a model outside `fit`: it trains or evaluates."""
        if self._is_fitting or not hasattr(layer, "trainable_variables"):
            return
        if not hasattr(layer, "layers"):
            return
        if self._tapes:
            self._passed.append((layer, given, training))
            del self._passed[:-MOST_PASSED]
            if self._current is not self._trained_on:
                self._trained_on = self._current
                if row_of.are_shuffled_apart(self._current):
                    self._ledger.note_call("shuffled_apart", 1.0)
        elif as_array(given) is not None:
            noted(self._ledger.note_passed, layer, given, training=training)

    def finish(self) -> None:
        """Tell what is known at the script's end."""
        noted(self._end_step)


def _is_eager() -> bool:
    return bool(sys.modules["tensorflow"].executing_eagerly())


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


def _is_of_pairs(x: Any, y: Any) -> bool:
    """Return whether outputs of the shape (n, 1) meet targets of the shape (n,): each with each."""
    shapes = [getattr(each, "shape", None) for each in (x, y)]
    if not any(getattr(each, MADE_BY, None) is not None for each in (x, y)) or None in shapes:
        return False
    column, row = sorted((tuple(shape) for shape in shapes if shape is not None), key=len)[::-1]
    return len(column) == 2 and len(row) == 1 and column[1] == 1 and column[0] == row[0] != 1
