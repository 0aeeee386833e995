"""What a script hands to `fit`, `evaluate` and `predict` of Keras 3, looked at as it does.

Arrays are read as they are; of a `tf.data.Dataset` the first rows, where reading them changes
nothing: those that lie before it is shuffled. A pass of our own over the first rows shows how large
the numbers are that reach the first layer, and which units give nothing.
"""

import sys
from typing import Any

from course_probe.event_log import EventLog
from course_probe.hooks.keras.answers import REPEATABLE, chance_unmoved
from course_probe.hooks.keras.loops import KerasLoops, kind_of
from course_probe.hooks.keras.losses import KerasLosses
from course_probe.vital_signs.examples import LabelOrder

ROWS = 512
"""Rows of a dataset that are looked at, and of the labels."""
PASSED = 32
"""Rows of a pass of our own."""
LARGEST = 2**24
"""Numbers of an array whose rows are looked at."""
WEIGHING = ("Dense", "Conv1D", "Conv2D", "Conv3D", "LSTM", "GRU", "SimpleRNN", "EinsumDense")
BESIDE = frozenset({"Batch", "Options", "Prefetch", "ParallelBatch", "Cache", "Repeat"})
"""Kinds of datasets that a shuffled one can be wrapped in, and give the same rows."""


class KerasFits:
    """The calls of one script that train and evaluate models of Keras 3."""

    def __init__(self, log: EventLog, losses: KerasLosses, loops: KerasLoops) -> None:
        self._log = log
        self._losses = losses
        self._loops = loops
        losses.at_layer.append(self._note_layer)
        self._sizes: list[float] | None = None
        self._dead: list[float] | None = None
        self._trained: set[int] = set()
        self._is_known = True
        self._loaded = False
        self._fits = self._untrained = self._asked = 0
        self._validated_on_training: list[float] = []
        self._order = LabelOrder()
        self._figures: dict[str, float] = {}

    @property
    def fits(self) -> int:
        """Calls of `fit` so far."""
        return self._fits

    def note(self, method: str, given: dict[str, Any], step: int) -> None:
        """A call begins (1) or ends (-1)."""
        self._loops.fitting(step)
        if self._log.looking:
            return
        # The script must go on, whatever it hands over.
        try:
            if method == "fit" and step > 0:
                self._begin_fit(given)
            elif method == "fit":
                self._end_fit(given)
            elif step < 0:
                self._note_evaluation(given)
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

    def _begin_fit(self, given: dict[str, Any]) -> None:
        x, y = given.get("x"), given.get("y")
        self._fits += 1
        rows, labels = _first_rows(x, y)
        if labels is not None:
            self._losses.labels = labels[:ROWS]
        if not given.get("shuffle", True) or hasattr(x, "element_spec"):
            self._look_at_order(x, labels)
        figures: dict[str, float] = {}
        if rows is not None and rows.dtype.kind == "f":
            figures["inputs_not_finite"] = 1.0 - float(_numpy().isfinite(rows).mean())
        self._is_known = self._is_known and _is_array(x)
        if _is_array(x):
            self._trained |= set(_prints(x))
            validation = given.get("validation_data")
            if isinstance(validation, list | tuple) and _is_array(validation[0]):
                share = self._overlap(validation[0])
                if share is not None:
                    self._validated_on_training.append(share)
        if self._validated_on_training:
            figures["validation_overlap"] = min(self._validated_on_training)
        self._figures = figures
        if figures:
            self._log.write_figures(figures)

    def _end_fit(self, given: dict[str, Any]) -> None:
        """Have a pass of our own show the size of the numbers, and units that give nothing."""
        model = given.get("self")
        if model is not None and model.weights and not model.trainable_variables:
            self._figures["all_frozen"] = 1.0
        if self._figures:
            # Once more: what is known of the loss only now is judged beside these.
            self._log.write_figures(self._figures)
        rows, _labels = _first_rows(given.get("x"), given.get("y"))
        if model is None or rows is None or not model.built or rows.dtype.kind not in "iuf":
            return
        if not _numpy().isfinite(rows[:PASSED]).all():
            # Behind these every unit gives NaN, or 0.
            return
        self._sizes, self._dead = [], []
        try:
            with chance_unmoved():
                model(rows[:PASSED], training=False)
            figures = {"input_size": self._sizes[0]} if self._sizes else {}
            if self._dead:
                figures["dead_units"] = max(self._dead)
        finally:
            self._sizes = self._dead = None
        self._log.write_figures(figures)

    def _note_layer(self, layer: Any, given: Any, made: Any) -> None:
        """A layer has answered in a pass of our own."""
        if self._sizes is None or self._dead is None or not hasattr(made, "numpy"):
            return
        if type(layer).__name__ in WEIGHING and not self._sizes and hasattr(given, "numpy"):
            self._sizes.append(float(abs(given.numpy()).mean()))
        activation = getattr(getattr(layer, "activation", None), "__name__", "")
        if activation == "relu" and hasattr(layer, "kernel"):
            values = made.numpy()
            alive = (values.reshape(-1, values.shape[-1]) > 0).any(0)
            self._dead.append(1.0 - float(alive.mean()))

    def _look_at_order(self, x: Any, labels: Any) -> None:
        """Count how often neighbours differ, in labels that are given as they lie."""
        if labels is None or (hasattr(x, "element_spec") and not _lies(x)):
            return
        if labels.ndim == 1 and labels.dtype.kind in "iu" and self._order.add(labels):
            self._log.write_figures(self._order.figures())

    def _overlap(self, x: Any) -> float | None:
        prints = _prints(x)
        if not prints or not self._is_known or not self._trained:
            return None
        return sum(each in self._trained for each in prints) / len(prints)

    def _note_evaluation(self, given: dict[str, Any]) -> None:
        self._asked += 1
        model = given.get("self")
        optimizer: Any = getattr(model, "optimizer", None)
        if optimizer is not None and getattr(model, "loss", None) is not None:
            self._untrained += int(optimizer.iterations) == 0

    def finish(self) -> None:
        """The script has come to its end."""
        is_untrained = self._asked and self._untrained == self._asked
        if is_untrained and not self._fits and not self._loaded and not self._loops.gradients:
            self._log.write_figures({"steps_trained": 0.0, "evaluated_untrained": 1.0})


def _numpy() -> Any:
    return sys.modules["numpy"]


def _is_array(x: Any) -> bool:
    return isinstance(x, _numpy().ndarray)


def _prints(x: Any) -> list[int]:
    """A number for each row."""
    if x.ndim < 2 or x.size > LARGEST:
        return []
    return [hash(row.tobytes()) for row in _numpy().ascontiguousarray(x)]


def _first_rows(x: Any, y: Any) -> tuple[Any, Any]:
    """Inputs and labels of the first rows, as arrays; None where they can't be read."""
    if _is_array(x):
        labels = y if _is_array(y) else None
        return x[:ROWS], labels
    data = _before_shuffle(x)
    if data is None:
        return None, None
    inputs, labels = [], []
    for element in data.take(ROWS).as_numpy_iterator():
        if not isinstance(element, tuple) or len(element) < 2:
            return None, None
        inputs.append(element[0])
        labels.append(element[1])
    if not inputs:
        return None, None
    first = _numpy().concatenate if kind_of(data) in ("Batch", "ParallelBatch") else _numpy().stack
    try:
        return first(inputs), first(labels)
    except (ValueError, TypeError):
        return None, None


def _before_shuffle(x: Any) -> Any:
    """The dataset that a shuffled one is made of, or the dataset itself; None if it is neither."""
    while hasattr(x, "element_spec") and hasattr(x, "_inputs"):
        if _lies(x):
            return x
        inner = x._inputs()
        if len(inner) != 1 or kind_of(x) not in {*BESIDE, "Shuffle"}:
            return None
        x = inner[0]
    return None


def _lies(data: Any) -> bool:
    """Whether a dataset gives the same rows in the same order, whenever it is read."""
    return kind_of(data) in REPEATABLE and all(map(_lies, data._inputs()))
