"""What a script hands to `fit`, `evaluate` and `predict` of Keras 3, looked at as it does.

Arrays are read as they are; of a `tf.data.Dataset` the first rows, where reading them changes
nothing. A pass of our own over the first rows shows how large the numbers are that reach the first
layer, and which units give nothing.
"""

import sys
from typing import Any

from course_probe.event_log import EventLog
from course_probe.hooks.keras import rows
from course_probe.hooks.keras.answers import chance_unmoved
from course_probe.hooks.keras.classes import KerasClasses
from course_probe.hooks.keras.evaluations import KerasEvaluations
from course_probe.hooks.keras.graphs import KerasGraphs
from course_probe.hooks.keras.loops import KerasLoops
from course_probe.hooks.keras.losses import FUNCTIONS, KerasLosses
from course_probe.hooks.keras.predictions import PredictedColumns
from course_probe.made_layers import MADE
from course_probe.vital_signs.data.examples import LabelOrder
from course_probe.vital_signs.sequences.padding_sides import padded_apart

PASSED = 32
"""Rows of a pass of our own."""
WEIGHING = ("Dense", "Conv1D", "Conv2D", "Conv3D", "LSTM", "GRU", "SimpleRNN", "EinsumDense")
CHOOSING = ("EarlyStopping", "ReduceLROnPlateau", "ModelCheckpoint")
"""Callbacks that go by a figure of the training, and do nothing where there is none of its name."""


class KerasFits:
    """The calls of one script that train and evaluate models of Keras 3."""

    def __init__(self, log: EventLog, losses: KerasLosses, loops: KerasLoops) -> None:
        self._log = log
        self._losses = losses
        self._loops = loops
        losses.at_layer.append(self._note_layer)
        self._sizes: list[float] | None = None
        self._dead: list[float] | None = None
        self._evaluations = KerasEvaluations()
        self._loaded = False
        self._fits = self._untrained = self._asked = self._depth = 0
        self._order = LabelOrder()
        self._graphs = KerasGraphs()
        self._columns = PredictedColumns()
        self._classes = KerasClasses()
        self._figures: dict[str, float] = {}

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
                MADE.note_model(
                    given.get("self"),
                    gives_text=rows.is_text(x),
                    asks_text=rows.is_text(y),
                    ragged=(rows.is_ragged(x), rows.is_ragged(y)),
                )
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

    def hook_graphs(self, module: Any) -> None:
        """Hear of functional models: `keras.src.models.functional`."""
        self._graphs.hook(module)

    def hook_scaling(self, module: Any) -> None:
        """Hear which rows a layer takes mean and spread from: `Normalization.adapt`."""
        kind = module.Normalization
        original = kind.adapt

        def adapted(layer: Any, data: Any, *arguments: Any, **named: Any) -> Any:
            if not self._log.looking:
                self._evaluations.adapt(data)
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
        figures: dict[str, float] = {}
        if rows.are_shuffled_apart(x):
            figures["pairs_shuffled_apart"] = 1.0
        elif labels is not None and len(inputs) == 1:
            figures |= padded_apart(inputs[0], labels[: len(inputs[0])])
        looked = {"inputs_not_finite": inputs, "labels_not_finite": [labels]}
        for name, arrays in looked.items():
            shares = [_not_finite(each) for each in arrays if each is not None]
            known = [share for share in shares if share is not None]
            if known:
                figures[name] = max(known)
        part = given.get("validation_split")
        self._evaluations.train(given.get("self"), _without_split(x, part), x if part else None)
        self._evaluations.evaluate(given.get("self"), given.get("validation_data"))
        self._figures = figures | self._evaluations.figures()
        model = given.get("self")
        if model is not None and getattr(model, "built", False):
            if _is_frozen(model):
                self._figures["all_frozen"] = 1.0
            if not self._loaded:
                # No layer takes a mean any more once a training has begun.
                self._figures["layers_not_adapted"] = float(_not_adapted(model))
        self._log.write_figures(self._figures)
        if self._figures.get("layers_not_adapted"):
            self._pass_some(model, given, is_over=False)

    def _end_fit(self, given: dict[str, Any], made: Any) -> None:
        """Write what the model and its training were made of."""
        model = given.get("self")
        if model is None:
            return
        if _is_frozen(model):
            self._figures["all_frozen"] = 1.0
        has_own_step = not type(model).train_step.__module__.startswith("keras.")
        if has_own_step:
            self._figures["compiled_gradients"] = 1.0
        self._figures["monitors_missing"] = float(_monitors_missing(model, given))
        if self._losses.kind in FUNCTIONS:
            self._figures |= self._classes.fit(given)
        if made is not None and made.epoch and not made.history and not has_own_step:
            self._figures["data_empty"] = 1.0
        self._figures["inputs_unread"] = float(self._graphs.left_out(model))
        if not self._loaded:
            self._figures["layers_not_adapted"] = float(_not_adapted(model))
        # Once more: what is known of the loss only now is judged beside these.
        self._log.write_figures(self._figures)
        self._pass_some(model, given, is_over=True)

    def _pass_some(self, model: Any, given: dict[str, Any], *, is_over: bool) -> None:
        """Have a pass of our own show the size of the numbers, and at the end units without use."""
        inputs, _labels = rows.first_rows(given.get("x"), given.get("y"))
        few = [each[:PASSED] for each in inputs]
        if not few or not model.built or any(each.dtype.kind not in "iufb" for each in few):
            return
        if any(_not_finite(each) for each in few):
            # Behind these every unit gives NaN, or 0.
            return
        self._sizes, self._dead = [], []
        try:
            with chance_unmoved():
                model(few[0] if len(few) == 1 else _like(given.get("x"), few), training=False)
            figures = {"input_size": self._sizes[0]} if self._sizes else {}
            if self._dead and is_over:
                figures["dead_units"] = max(self._dead)
        finally:
            self._sizes = self._dead = None
        self._log.write_figures(figures)

    def _note_layer(self, layer: Any, given: Any, made: Any) -> None:
        """Note what a layer has answered in a forward pass of our own."""
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
        if labels is None or (rows.is_dataset(x) and not rows.is_repeatable(x)):
            return
        if labels.ndim == 1 and labels.dtype.kind in "iu" and self._order.add(labels):
            self._log.write_figures(self._order.figures())

    def _note_evaluation(self, method: str, given: dict[str, Any], made: Any) -> None:
        self._asked += 1
        if method == "evaluate" and isinstance(made, list) and not made:
            self._log.write_figures({"data_empty": 1.0})
        model = given.get("self")
        optimizer: Any = getattr(model, "optimizer", None)
        if optimizer is not None and getattr(model, "loss", None) is not None:
            self._untrained += int(optimizer.iterations) == 0
        if method == "predict":
            shape = getattr(made, "shape", None)
            if shape:
                beside = self._columns.note(made)
                if beside:
                    self._log.write_figures(beside)
            self._evaluations.answer(model, given.get("x"))
        else:
            self._evaluations.evaluate(model, given.get("x"))
            self._classes.evaluate(given)

    def finish(self) -> None:
        """Write the last figures at the script's end."""
        is_untrained = self._asked and self._untrained == self._asked
        if is_untrained and not self._fits and not self._loaded and not self._loops.gradients:
            self._log.write_figures({"steps_trained": 0.0, "evaluated_untrained": 1.0})
        figures = self._evaluations.figures() | self._evaluations.last_figures(self._loops.unused())
        last = {**figures, **self._classes.last_figures()}
        if self._fits and last:
            self._log.write_figures(last)


def _not_finite(array: Any) -> float | None:
    """Compute the share of the numbers that are NaN or infinite; None for what can't be."""
    if array.dtype.kind == "O":
        try:
            array = array.astype("float64")
        except (TypeError, ValueError):
            return None
    if array.dtype.kind != "f" or not array.size:
        return None
    return 1.0 - float(sys.modules["numpy"].isfinite(array).mean())


def _without_split(x: Any, part: Any) -> Any:
    """Return the rows that are trained on: Keras takes the last ones for the validation."""
    arrays = rows.columns(x) if part else []
    return [each[: int(len(each) * (1 - part))] for each in arrays] or x


def _is_frozen(model: Any) -> bool:
    return bool(model.weights) and not model.trainable_variables


def _not_adapted(model: Any) -> int:
    """Count the normalising layers that were neither given a mean and spread, nor took one."""
    layers = [each for each in model._flatten_layers() if type(each).__name__ == "Normalization"]
    return sum(
        each.input_mean is None
        and not each.adapt_mean.numpy().any()
        and bool((each.adapt_variance.numpy() == 1).all())
        for each in layers
    )


def _like(x: Any, arrays: list[Any]) -> Any:
    """Return several inputs in the way in which the script has given them."""
    return dict(zip(x, arrays, strict=True)) if isinstance(x, dict) else arrays


def _monitors_missing(model: Any, given: dict[str, Any]) -> int:
    """Count the callbacks that go by a figure that no epoch of this training came to."""
    history = getattr(getattr(model, "history", None), "history", None)
    if not history or (given.get("validation_freq") or 1) != 1:
        return 0
    callbacks = given.get("callbacks") or ()
    listed = callbacks if isinstance(callbacks, list | tuple) else (callbacks,)
    return sum(
        type(each).__name__ in CHOOSING
        and getattr(each, "save_best_only", True)
        and getattr(each, "monitor", None) not in history
        for each in listed
    )
