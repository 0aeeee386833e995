"""Hook the losses of Keras 3: what they are given, beside what they are made for.

A step of `fit` is compiled, and its losses are heard once, while it is traced: there are no numbers
then. What a layer gives bears the name of its last activation, and labels are looked at where the
script hands them over. See https://keras.io/api/losses/.
"""

import functools
from collections import defaultdict
from collections.abc import Callable
from types import ModuleType
from typing import Any

from course_probe.event_log import EventLog
from course_probe.ledger.keras.ledger import KerasLedger
from course_probe.ledger.keras.loss_kinds import (
    BINARY,
    CLASSES,
    MADE_BY,
    is_from_logits,
    name_of,
)

SHAPING = ("Reshape", "Flatten", "Permute", "RepeatVector")
"""Layers that change no number."""
LOOKS = 24
"""Calls of a loss, and of a metric, that are looked at."""
FUNCTIONS = (*CLASSES, BINARY)
"""What `keras.losses` has as functions as well, by the names of the operations behind them."""
COMPARING = ("AUC", "FBetaScore", "MeanMetricWrapper", "Precision", "Recall")
"""Metrics that are given labels, and then outputs."""


class KerasLosses:
    """What the losses and metrics of one script were given so far."""

    def __init__(self, log: EventLog, ledger: KerasLedger) -> None:
        self._log = log
        self._ledger = ledger
        self._looked = 0
        self._depth = 0
        self.labels: Any = None
        self._is_inside = False
        self._swapped: dict[str, list[bool]] = defaultdict(list)
        self.at_pass: list[Callable[[Any, Any, bool], None]] = []

    def hook_layers(self, module: ModuleType) -> None:
        """Name what each layer of `keras.src.layers.layer` gives, by its activation."""
        kind = module.Layer
        original = kind.__call__

        @functools.wraps(original)
        def called(layer: Any, *arguments: Any, **named: Any) -> Any:
            self._depth += 1
            try:
                made = original(layer, *arguments, **named)
            finally:
                self._depth -= 1
            first = arguments[0] if arguments else None
            if getattr(made, MADE_BY, None) is None:
                _mark(made, _activation_of(layer, first))
            if not self._log.looking:
                self._ledger.note_layer(layer, made)
                if not self._depth and not self._ledger.asks_itself:
                    for note in self.at_pass:
                        note(layer, first, bool(named.get("training")))
            return made

        kind.__call__ = called

    def hook(self, module: ModuleType) -> None:
        """Observe each call of a loss of `keras.src.losses.loss`."""
        kind = module.Loss
        original = kind.__call__

        @functools.wraps(original)
        def called(loss: Any, y_true: Any, y_pred: Any, *arguments: Any, **named: Any) -> Any:
            if self._looked < LOOKS and not (self._log.looking or self._ledger.asks_itself):
                compute = functools.partial(original, loss)
                self._look(lambda: (name_of(loss), is_from_logits(loss)), y_true, y_pred, compute)
            before, self._is_inside = self._is_inside, True
            try:
                return original(loss, y_true, y_pred, *arguments, **named)
            finally:
                self._is_inside = before

        kind.__call__ = called

    def hook_functions(self, module: ModuleType) -> None:
        """Observe losses that are called as functions: `keras.src.backend.tensorflow.nn`."""
        for name in FUNCTIONS:
            setattr(module, name, self._observed(name, getattr(module, name)))

    def _observed(self, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def called(
            target: Any, output: Any, from_logits: bool = False, *arguments: Any, **named: Any
        ) -> Any:
            is_asked = self._log.looking or self._ledger.asks_itself
            if not self._is_inside and self._looked < LOOKS and not is_asked:
                compute = functools.partial(original, from_logits=from_logits)
                self._look(lambda: (name, from_logits), target, output, compute)
            return original(target, output, from_logits, *arguments, **named)

        return called

    def hook_metrics(self, module: ModuleType) -> None:
        """Observe what metrics are given, of a module of `keras.src.metrics`."""
        for name in COMPARING:
            kind = getattr(module, name, None)
            if kind is not None and "update_state" in vars(kind):
                kind.update_state = self._compared(kind.update_state)

    def _compared(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def updated(metric: Any, y_true: Any, y_pred: Any, *arguments: Any, **named: Any) -> Any:
            kind = type(metric).__name__
            if len(self._swapped[kind]) < LOOKS and not self._log.looking:
                self._note_places(kind, y_true, y_pred)
            return original(metric, y_true, y_pred, *arguments, **named)

        return updated

    def _look(
        self,
        told: Callable[[], tuple[str, bool]],
        wanted: Any,
        outputs: Any,
        compute: Callable[[Any, Any], Any],
    ) -> None:
        """Look at one call of a loss, whose name and whether it takes raw outputs is `told`.

        The script must go on, whatever is odd about what its loss is given.
        """
        try:
            name, takes_logits = told()
            self._ledger.note_loss(compute, name, takes_logits)
            if name and hasattr(outputs, "shape"):
                self._note_call(name, wanted, outputs)
        except Exception:  # noqa: BLE001
            self._looked += 1

    def _note_call(self, name: str, wanted: Any, outputs: Any) -> None:
        self._looked += 1
        if name in FUNCTIONS and self._note_places(name, wanted, outputs):
            return
        if hasattr(wanted, "numpy") and not _is_symbolic(wanted):
            self.labels = wanted.numpy()

    def _note_places(self, kind: str, wanted: Any, outputs: Any) -> bool:
        """Return whether labels and outputs have changed places, in a call of this kind."""
        is_swapped = getattr(wanted, MADE_BY, None) is not None and _are_labels(outputs)
        self._swapped[kind].append(is_swapped)
        if is_swapped:
            shares = [sum(each) / len(each) for each in self._swapped.values()]
            self._ledger.note_call("swapped_share", max(shares))
        return is_swapped


def _are_labels(given: Any) -> bool:
    """Return whether this is whole numbers that no layer has given."""
    if getattr(given, MADE_BY, None) is not None:
        return False
    if "int" in str(getattr(given, "dtype", "")):
        return True
    values = given.numpy() if hasattr(given, "numpy") and not _is_symbolic(given) else given
    return getattr(getattr(values, "dtype", None), "kind", "") == "f" and bool(
        (values == values.round()).all()
    )


def _is_symbolic(tensor: Any) -> bool:
    return type(tensor).__name__ in ("SymbolicTensor", "KerasTensor", "Tensor")


def _activation_of(layer: Any, given: Any) -> str:
    """Return the name of a layer's activation; an empty text where that can't be known."""
    kind = type(layer).__name__
    if kind in SHAPING:
        return getattr(given, MADE_BY, None) or ""
    activation = getattr(layer, "activation", None)
    if callable(activation):
        # That of TensorFlow is called `softmax_v2` by itself.
        return str(getattr(activation, "__name__", "")).removesuffix("_v2")
    return kind.lower() if kind in ("Softmax", "ReLU") else ""


def _mark(tensor: Any, name: str) -> None:
    try:
        setattr(tensor, MADE_BY, name)
    except (AttributeError, TypeError):
        # A list of tensors, or a kind that holds no names.
        return
