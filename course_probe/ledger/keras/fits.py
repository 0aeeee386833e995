"""What a script hands to `fit`, `evaluate` and `predict` of Keras 3, looked at as it does.

Arrays are read as they are; of a `tf.data.Dataset` the first rows, where reading them changes
nothing.
"""

from typing import Any

from course_probe.event_log import EventLog
from course_probe.guard import noted
from course_probe.hooks.keras import rows
from course_probe.hooks.keras.tfdata import MARK
from course_probe.ledger.keras.ledger import KerasLedger
from course_probe.ledger.keras.loops import KerasLoops
from course_probe.ledger.keras.losses import KerasLosses
from course_probe.made_layers import MADE
from course_probe.vital_signs.examples import LabelOrder
from course_probe.vital_signs.padding_sides import padded_apart

CHOOSING = ("EarlyStopping", "ReduceLROnPlateau", "ModelCheckpoint")
"""Callbacks that go by a figure of the training, and do nothing where there is none of its name."""


class KerasFits:
    """The calls of one script that train and evaluate models of Keras 3."""

    def __init__(
        self, log: EventLog, losses: KerasLosses, loops: KerasLoops, ledger: KerasLedger
    ) -> None:
        self._log = log
        self._ledger = ledger
        self._losses = losses
        self._loops = loops
        self._loaded = False
        self._fits = self._untrained = self._asked = self._depth = 0
        self._order = LabelOrder()

    def note(self, method: str, given: dict[str, Any], step: int, made: Any = None) -> None:
        """Note that a call begins (1), or ends (-1) with what it has `made`."""
        self._loops.fitting(step)
        self._depth += step
        # Keras evaluates by itself within `fit`.
        if self._log.looking or self._depth > max(step, 0):
            return
        # The script must go on, whatever it hands over.
        try:
            if step > 0:
                x, y = given.get("x"), given.get("y")
                MADE.note_model(given.get("self"), rows.facts_of(x, y), gives_text=rows.is_text(x))
            if method == "fit" and step > 0:
                self._begin_fit(given)
            elif method == "fit":
                self._end_fit(given, made)
            elif step < 0:
                self._note_evaluation(method, given, made)
        except Exception:  # noqa: BLE001
            return

    def hook_saving(self, module: Any) -> None:
        """Hear of weights that were trained elsewhere: `keras.src.models.model`."""
        kind = module.Model
        for name in ("load_weights", "set_weights"):
            original = getattr(kind, name)

            def loaded(model: Any, *arguments: Any, _original: Any = original, **named: Any) -> Any:
                self._loaded = True
                return _original(model, *arguments, **named)

            setattr(kind, name, loaded)

    def hook_scaling(self, module: Any) -> None:
        """Hear which rows a layer takes mean and spread from: `Normalization.adapt`."""
        kind = module.Normalization
        original = kind.adapt

        def adapted(layer: Any, data: Any, *arguments: Any, **named: Any) -> Any:
            if not self._log.looking:
                noted(self._ledger.note_adapted, data)
            return original(layer, data, *arguments, **named)

        kind.adapt = adapted

    def _begin_fit(self, given: dict[str, Any]) -> None:
        x, y = given.get("x"), given.get("y")
        self._fits += 1
        inputs, labels = rows.first_rows(x, y)
        if labels is not None:
            self._losses.labels = labels[: rows.ROWS]
        if not given.get("shuffle", True) or rows.is_dataset(x):
            self._look_at_order(x, labels)
        if rows.are_shuffled_apart(x):
            self._ledger.note_call("shuffled_apart", 1.0)
        elif labels is not None and len(inputs) == 1:
            share = padded_apart(inputs[0], labels[: len(inputs[0])])
            if share is not None:
                self._ledger.note_call("padded_apart", share)
        part = given.get("validation_split")
        noted(self._ledger.begin_fit, given, inputs, labels, _without_split(x, part))

    def _end_fit(self, given: dict[str, Any], made: Any) -> None:
        """Write what the model and its training were made of."""
        model = given.get("self")
        if model is None:
            return
        noted(self._ledger.end_fit, _monitors_missing(model, given))
        has_own_step = not type(model).train_step.__module__.startswith("keras.")
        if made is not None and made.epoch and not made.history and not has_own_step:
            self._ledger.note_call("empty", 1.0)

    def _look_at_order(self, x: Any, labels: Any) -> None:
        """Count how often neighbours differ, in labels that are given as they lie."""
        source = getattr(x, MARK, None)
        is_mixed = source.is_shuffled if source is not None else not rows.is_repeatable(x)
        if labels is None or (rows.is_dataset(x) and is_mixed):
            return
        if labels.ndim == 1 and labels.dtype.kind in "iu" and self._order.add(labels):
            self._ledger.note_call("order", self._order.beside_chance)

    def _note_evaluation(self, method: str, given: dict[str, Any], made: Any) -> None:
        self._asked += 1
        noted(self._ledger.note_asked, given)
        if method == "evaluate" and isinstance(made, list) and not made:
            self._ledger.note_call("empty", 1.0)
        model = given.get("self")
        optimizer: Any = getattr(model, "optimizer", None)
        if optimizer is not None and getattr(model, "loss", None) is not None:
            self._untrained += int(optimizer.iterations) == 0
            self._ledger.note_call("untrained", 0.0)

    def finish(self) -> None:
        """Tell what is known at the script's end."""
        is_untrained = self._asked and self._untrained == self._asked
        if is_untrained and not self._fits and not self._loaded and not self._loops.gradients:
            self._ledger.note_call("untrained", 1.0)


def _without_split(x: Any, part: Any) -> Any:
    """Return the rows that are trained on: Keras takes the last ones for the validation."""
    arrays = rows.columns(x) if part else []
    return [each[: int(len(each) * (1 - part))] for each in arrays] or x


def _monitors_missing(model: Any, given: dict[str, Any]) -> list[str]:
    """Return the figures that callbacks go by, and that no epoch of this training came to."""
    history = getattr(getattr(model, "history", None), "history", None)
    if not history or (given.get("validation_freq") or 1) != 1:
        return []
    callbacks = given.get("callbacks") or ()
    listed = callbacks if isinstance(callbacks, list | tuple) else (callbacks,)
    return [
        str(getattr(each, "monitor", None))
        for each in listed
        if type(each).__name__ in CHOOSING
        and getattr(each, "save_best_only", True)
        and getattr(each, "monitor", None) not in history
    ]
