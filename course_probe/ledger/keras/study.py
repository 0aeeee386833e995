"""What a step of Keras is asked: its loss with other labels, at other outputs, by other weights.

A step is compiled, so that nothing within it can be heard. It is taken once more, uncompiled, with
rows of the training and with the weights that it had before. All variables of the model are set
back to the last bit afterwards, those of chance among them.
"""

import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from course_probe.hooks.keras.answers import chance_unmoved, classes_of
from course_probe.ledger.keras.loss_kinds import (
    BINARY,
    CLASSES,
    MADE_BY,
    RANGES,
    REGRESSION,
    ROOM,
    SQUARES,
    guess_of,
)

ROWS = 64
"""Rows of the training that a step is asked about."""
SCALES = (0.0, 0.01, 1.0, 10.0, 100.0, 1000.0)
"""Lengths of a step, beside its own, by which the loss is asked for."""
ROLLS = 4
"""Other orders of the labels."""
TRIES = 8
"""Directions in which it is looked how a loss bends."""
SLOW = 1.0
"""Seconds of the first pass, from which on few more are taken."""
EVERY = (-math.inf, math.inf)
TINY = 1e-9
SCALING = "Normalization"
NUMBERS, TEXT = "iufb", (str, bytes)
MOST = 64
"""Classes that are counted."""
OPERATIONS = {
    (BINARY, True): ("BinaryCrossEntropyWithLogits",),
    (BINARY, False): ("BinaryCrossEntropy",),
    **{(name, True): ("Gather", "LogSoftmax") for name in CLASSES},
    **{(name, False): ("Gather", "Log") for name in CLASSES},
    (SQUARES, False): ("MseLoss",),
}
"""What the losses of Keras are made of, by their name and whether they take raw outputs."""
ACTIVATIONS = {"softmax": "Softmax", "sigmoid": "Sigmoid", "relu": "Relu", "tanh": "Tanh"}


@dataclass(frozen=True)
class FittedRows:
    """Rows of a training: the arrays of its inputs, how the script gives them, and labels."""

    inputs: list[Any]
    labels: Any
    given: Any = None

    def spread_out(self) -> "FittedRows":
        """Return a few of them, from the first to the last: they may lie in an order."""
        count = len(self.inputs[0])
        part = slice(0, None, max(1, count // ROWS))
        labels = None if self.labels is None else self.labels[part][:ROWS]
        return FittedRows([each[part][:ROWS] for each in self.inputs], labels, self.given)

    def like_given(self, arrays: Sequence[Any]) -> Any:
        """Return arrays in the way in which the script has given its inputs."""
        if isinstance(self.given, dict):
            return dict(zip(self.given, arrays, strict=True))
        is_several = isinstance(self.given, list | tuple)
        return list(arrays) if is_several or len(arrays) > 1 else arrays[0]


@dataclass(frozen=True)
class LossKind:
    """A loss: how it is computed of labels and outputs, its name, and if it takes raw outputs."""

    compute: Callable[[Any, Any], Any]
    name: str
    takes_logits: bool


class KeptWeights:
    """All variables of a model as they are now, to be set back."""

    def __init__(self, model: Any) -> None:
        self._all = [(each, each.numpy().copy()) for each in model.variables]
        self._learning = {id(each) for each in model.trainable_variables}

    @property
    def learning(self) -> list[tuple[Any, Any]]:
        """Return the variables that learn, and what they were."""
        return [each for each in self._all if id(each[0]) in self._learning]

    def set_back(self) -> None:
        """Give all variables the values that they had."""
        for variable, value in self._all:
            variable.assign(value)

    def moved(self) -> tuple[float | None, float]:
        """Measure how far those that learn are from what they were, and their length then."""
        change = size = 0.0
        for variable, before in self.learning:
            change += float(((variable.numpy() - before).astype("float64") ** 2).sum())
            size += float((before.astype("float64") ** 2).sum())
        return (change**0.5 if math.isfinite(change) else None), size**0.5


class StepStudy:
    """The questions to one step of a model, with rows of its training."""

    def __init__(
        self, model: Any, rows: FittedRows, loss: LossKind | None, before: KeptWeights
    ) -> None:
        self._model = model
        self._rows = rows.spread_out()
        self._all_labels = rows.labels
        self._loss = loss
        self._before = before
        self._limits: list[str] = []
        self._layers: list[tuple[str, Any]] | None = None

    def found(self) -> dict[str, Any]:
        """Return all that is known of it."""
        after = KeptWeights(self._model)
        found: dict[str, Any] = {}
        try:
            with chance_unmoved():
                found |= self._of_inputs()
                self._before.set_back()
                began = time.process_time()
                self._layers = []
                outputs = self._pass(training=True)
                layers, self._layers = self._layers, None
                found |= self._of_layers(layers)
                found |= self._of_outputs(outputs)
                if time.process_time() - began > SLOW:
                    self._limits.append("passes: slow")
                else:
                    found["columns"] = self._columns(found)
                    if "known" in found:
                        found["along"] = self._along(after)
        finally:
            after.set_back()
        found["held_at_zero"] = self._held_at_zero()
        found["norms_unset"] = _norms_unset(self._model)
        known = {name: value for name, value in found.items() if value is not None}
        return {**known, "limits": self._limits}

    def note_layer(self, layer: Any, made: Any) -> None:
        """Note what a layer gives in the pass that is looked into."""
        activation = getattr(getattr(layer, "activation", None), "__name__", "")
        kind = type(layer).__name__.lower()
        name = kind if kind in ("relu", "softmax") else activation
        if self._layers is not None and name in ("relu", "softmax") and hasattr(made, "numpy"):
            self._layers.append((name, made))

    # What goes in.

    def _of_inputs(self) -> dict[str, Any]:
        numpy = sys.modules["numpy"]
        measures = [each for each in self._rows.inputs if each.dtype.kind == "f"]
        found: dict[str, Any] = {
            "inputs_finite": float(all(bool(numpy.isfinite(each).all()) for each in measures))
        }
        sizes = [
            float(abs(each).reshape(-1, each.shape[-1]).mean(0).max())
            for each in measures
            if each.ndim > 1 and each.size
        ]
        scales = any(_scales(each) for each in self._model._flatten_layers())
        if sizes and all(map(math.isfinite, sizes)) and not scales:
            found |= {"inputs_measured": len(sizes), "inputs_largest": max(sizes)}
        labels = self._rows.labels
        if labels is not None and labels.dtype.kind == "f":
            found["targets_finite"] = float(bool(numpy.isfinite(labels).all()))
        classes = classes_of(labels)
        if classes is not None:
            found["labels"] = counted(classes)
            known = classes_of(self._all_labels)
            if known is not None:
                found["classes"] = sorted({*map(int, known)})[:MOST]
        return found

    def _pass(self, arrays: Sequence[Any] | None = None, *, training: bool = False) -> Any:
        columns = self._rows.inputs if arrays is None else arrays
        given = self._rows.like_given([_as_given(each) for each in columns])
        return self._model(given, training=training)

    def _columns(self, found: dict[str, Any]) -> list[Any] | None:
        """Measure how far outputs move if the rows of an input change places, for each."""
        numpy = sys.modules["numpy"]
        if not found["inputs_finite"]:
            return None
        before = self._pass().numpy()
        moves = []
        for at, one in enumerate(self._rows.inputs):
            turned = numpy.roll(one, 1, 0)
            if len(one) < 2 or bool((turned == one).all()):
                continue
            arrays = [turned if at == place else each for place, each in enumerate(self._inputs())]
            moved = float(abs(self._pass(arrays).numpy() - before).max())
            moves.append(([*one.shape], moved))
        return moves if all(math.isfinite(moved) for _shape, moved in moves) else None

    def _inputs(self) -> Iterable[Any]:
        return self._rows.inputs

    # What is made of it.

    def _of_layers(self, layers: list[tuple[str, Any]]) -> dict[str, Any]:
        given = [made.numpy() for name, made in layers if name == "relu"]
        dead = sum(not bool((each > 0).any()) and bool((each == 0).all()) for each in given)
        of_one = sum(name == "softmax" and made.shape[-1] == 1 for name, made in layers)
        return {"dead_layers": dead, "softmax_of_one": of_one}

    def _held_at_zero(self) -> int:
        """Count the tables of weights that are all 0 before the step and behind it."""
        return sum(
            before.ndim > 1 and not before.any() and not variable.numpy().any()
            for variable, before in self._before.learning
        )

    # The loss.

    def _of_outputs(self, outputs: Any) -> dict[str, Any]:
        labels, loss = self._rows.labels, self._loss
        is_one = hasattr(outputs, "numpy") and labels is not None
        if loss is None or not is_one or labels.dtype.kind not in "iufb" or len(labels) < 2:
            self._limits.append("loss: not known")
            return {}
        last = getattr(outputs, MADE_BY, None) or ""
        made = outputs.numpy()
        found: dict[str, Any] = {
            "targets": [[*labels.shape]],
            "met_by": [[*made.shape]],
            "graph": _graph(loss, last),
        }
        if loss.name in CLASSES:
            found["class_axis"] = {"found": [made.ndim - 1], "fitting": [made.ndim - 1]}
        if loss.name == CLASSES[1]:
            found["labels_of_a_row"] = _labels_of_a_row(labels)
        is_of_classes = loss.name in (*CLASSES, BINARY)
        # A single number that is made a share of itself is none.
        is_single = loss.name in CLASSES and made.shape[-1] == 1
        takes_chances = is_of_classes and not loss.takes_logits and not is_single
        beyond = float(((made < 0) | (made > 1 + ROOM)).mean()) if takes_chances else 0.0
        found["of_classes"] = int(is_of_classes)
        if takes_chances:
            found["beyond_chances"] = beyond
        low, high = RANGES["sigmoid"] if loss.name == BINARY else RANGES.get(last, EVERY)
        if loss.name in (BINARY, *REGRESSION):
            outside = (labels < low - ROOM) | (labels > high + ROOM)
            found["targets_beyond"] = float(outside.mean())
        if bool((labels == labels[:1]).all()):
            self._limits.append("loss: labels that do not vary")
            return found
        own = self._loss_of(labels, made)
        if not math.isfinite(own):
            return found
        others = [self._loss_of(_rolled(labels, by), made) for by in _rolls(len(labels))]
        found["known"] = [own, sum(others) / len(others)]
        if not beyond and not found.get("targets_beyond"):
            found["target_moves"] = [self._moves(labels, made)]
            bend = self._bend(labels, made)
            found["curvature"] = None if bend is None else [bend, bend]
        whole = self._all_labels if not self._model.losses else None
        found["constant"] = _constant(loss.name, whole, made.shape[-1])
        if loss.name in REGRESSION:
            found |= self._of_measures(labels, made, last, found["constant"])
        return found

    def _of_measures(
        self, labels: Any, made: Any, last: str, constant: float | None
    ) -> dict[str, Any]:
        """How far outputs come, and could come, to targets that are measures."""
        found: dict[str, Any] = {"spread": [float(abs(made).mean()), float(abs(labels).mean())]}
        wanted = labels.reshape(made.shape) if labels.size == made.size else None
        if last in RANGES and wanted is not None and constant:
            reached = wanted.clip(*RANGES[last]).astype(made.dtype)
            found["lowest"] = [self._loss_of(labels, reached), 0.0]
        return found

    def _loss_of(self, labels: Any, outputs: Any) -> float:
        assert self._loss is not None
        tensor = sys.modules["tensorflow"].convert_to_tensor
        found = self._loss.compute(tensor(labels), tensor(outputs))
        return float(found.numpy().mean())

    def _moves(self, labels: Any, made: Any) -> float:
        """Measure how far, of its size, the loss moves at most with the labels of other rows."""
        farthest = 0.0
        size = float(abs(labels).max()) if labels.dtype.kind == "f" else 1.0
        for start in (made, _noisy(made), _noisy(made, size)):
            own = self._loss_of(labels, start)
            for by in _rolls(len(labels)):
                other = self._loss_of(_rolled(labels, by), start)
                farthest = max(farthest, abs(other - own) / (abs(own) + TINY))
        return farthest

    def _bend(self, labels: Any, made: Any) -> float | None:
        """Return how the loss bends: 1 always up, -1 always down, 0 not."""
        numpy = sys.modules["numpy"]
        start, chance = _noisy(made), numpy.random.default_rng(1)
        middle = self._loss_of(labels, start)
        signs = []
        for _try in range(TRIES):
            step = chance.standard_normal(start.shape)
            if bool(((start >= 0) & (start <= 1)).all()):
                step = step.clip(-0.9, 0.9) * numpy.minimum(start, 1 - start)
            else:
                step = step * (float(start.std()) + 0.1)
            step = step.astype(start.dtype)
            there, back = (self._loss_of(labels, start + each) for each in (step, -step))
            bend = (there + back - 2 * middle) / (abs(middle) + abs(there) + abs(back) + TINY)
            if math.isfinite(bend):
                signs.append((bend > 1e-5) - (bend < -1e-5))
        return sum(signs) / len(signs) if signs else None

    def _along(self, after: KeptWeights) -> list[list[float]] | None:
        """Compute the loss behind this very step, and behind shorter and longer ones."""
        steps = [
            (variable, before, value - before)
            for (variable, before), (_variable, value) in zip(
                self._before.learning, after.learning, strict=True
            )
        ]
        found = []
        for scale in SCALES:
            self._before.set_back()
            for variable, before, step in steps:
                variable.assign(before + step * before.dtype.type(scale))
            loss = self._loss_of(self._rows.labels, self._pass(training=True).numpy())
            found.append([scale, loss])
        return found if all(math.isfinite(loss) for _scale, loss in found[:2]) else None


def is_asked(array: Any) -> bool:
    """Return whether rows of an input can be handed on: numbers, or texts."""
    return array.dtype.kind in NUMBERS or bool(array.size and isinstance(array.flat[0], TEXT))


def _as_given(array: Any) -> Any:
    """Return numbers as they are; of texts, Keras takes tensors alone."""
    is_of_numbers = array.dtype.kind in NUMBERS
    return array if is_of_numbers else sys.modules["tensorflow"].convert_to_tensor(array)


def _norms_unset(model: Any) -> int:
    """Count the layers that scale inputs, and have neither been given nor taken what by."""
    layers = [each for each in model._flatten_layers() if type(each).__name__ == SCALING]
    return sum(map(_is_unset, layers))


def _is_unset(layer: Any) -> bool:
    """Return whether a layer that scales inputs knows nothing of them."""
    is_as_made = not layer.adapt_mean.numpy().any() and bool(
        (layer.adapt_variance.numpy() == 1).all()
    )
    return layer.input_mean is None and is_as_made


def _scales(layer: Any) -> bool:
    """Return whether a layer changes how large inputs are, before others see them."""
    kind = type(layer).__name__
    return kind == "Rescaling" or (kind == SCALING and not _is_unset(layer))


def counted(classes: Any) -> list[list[int]]:
    """Count the rows of each class."""
    return [[int(one), n] for one, n in sorted(Counter(classes.tolist()).items())][:MOST]


def _constant(name: str, labels: Any, width: int) -> float | None:
    """Compute the lowest loss of one and the same answer for all rows, where that is known."""
    classes = classes_of(labels) if name in CLASSES else None
    if classes is None or not len(classes):
        found = guess_of(name, labels, width)
    else:
        shares = [n / len(classes) for n in Counter(classes.tolist()).values()]
        found = -sum(share * math.log(share) for share in shares)
    return found if found is not None and math.isfinite(found) else None


def _graph(loss: LossKind, last: str) -> list[dict[str, Any]]:
    """Return the operations of a loss from its end back, each with what comes behind it."""
    ops = [*OPERATIONS.get((loss.name, loss.takes_logits), ())]
    if not ops:
        return []
    ops += [ACTIVATIONS[last]] if last in ACTIVATIONS else []
    return [{"op": op, "before": [at - 1] if at else [], "shape": []} for at, op in enumerate(ops)]


def _labels_of_a_row(labels: Any) -> int:
    """Count the labels of a row that is to hold one class: ones among zeros."""
    is_hot = labels.ndim > 1 and bool(((labels == 0) | (labels == 1)).all())
    return int(labels.sum(-1).max()) if is_hot else 1


def _rolls(count: int) -> list[int]:
    return sorted({max(1, count * number // (ROLLS + 1)) for number in range(1, ROLLS + 1)})


def _rolled(labels: Any, by: int) -> Any:
    return sys.modules["numpy"].roll(labels, by, 0)


def _noisy(made: Any, least: float = 0.1) -> Any:
    """Add noise of about the outputs' own size, for outputs that are all alike; chances stay so."""
    numpy = sys.modules["numpy"]
    noise = numpy.random.default_rng(0).standard_normal(made.shape) * max(float(made.std()), least)
    found = (made + noise).astype(made.dtype)
    is_chance = bool(((made >= 0) & (made <= 1)).all())
    return found.clip(0.01, 0.99).astype(made.dtype) if is_chance else found
