"""Examine what a model of `tf_keras` is about to be fitted on."""

import functools
import inspect
import itertools
import math
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from course_probe.events import ClaimsEvent
from course_probe.exam.examination import Examination, PartMissing
from course_probe.hooks.measure import count_examples, count_labels
from course_probe.hooks.tfdata import MARK, BatchSource

NAMES = ("input_ids", "attention_mask")


def hook(module: ModuleType, examination: Examination) -> None:
    """Have each model of `tf_keras.src.engine.training` examined when it is to be fitted."""
    fit = module.Model.fit
    signature = inspect.signature(fit)

    @functools.wraps(fit)
    def examined(model: Any, *arguments: Any, **named: Any) -> Any:
        bound = signature.bind(model, *arguments, **named)
        return examination.examine(_KerasCandidate(model, bound, fit))

    compiled = module.Model.compile

    @functools.wraps(compiled)
    def noted(model: Any, *arguments: Any, **named: Any) -> Any:
        result = compiled(model, *arguments, **named)
        examination.remember(lambda: _KerasCandidate(model, None, fit))
        return result

    module.Model.fit, module.Model.compile = examined, noted


class _KerasCandidate:
    """A compiled model, and what it is to be fitted on."""

    def __init__(self, model: Any, bound: inspect.BoundArguments | None, fit: Any) -> None:
        self._model = model
        self._bound = bound
        self._fit = fit

    def _data(self, which: str) -> Any:
        given = self._bound.arguments if self._bound is not None else {}
        found = given.get("x" if which == "train" else "validation_data")
        if found is None:
            raise PartMissing(which)
        return found

    def answer(self, question: dict[str, Any]) -> Any:
        """What the part that a question is about makes of it."""
        return getattr(self, "_" + question["kind"])(question)

    def _pairs(self, question: dict[str, Any]) -> Any:
        """Batches of both datasets, taken apart into inputs and labels as `fit` does it."""
        keras = sys.modules["tf_keras"]
        made: dict[str, Any] = {}
        for which in ("train", "evaluation"):
            made[which] = []
            for batch in itertools.islice(iter(self._data(which)), question["batches"]):
                x, y, _weights = keras.utils.unpack_x_y_sample_weight(batch)
                made[which].append({"inputs": _as_json(x), "labels": _as_json(y)})
        return made

    def _outputs(self, question: dict[str, Any]) -> Any:
        """Logits of the model for drawn token ids, padded to the length that it was built for."""
        import numpy

        padded = {}
        for name in NAMES:
            rows = numpy.array(question[name], dtype="int64")
            wanted = _length(self._model)
            room = max(0, (wanted or rows.shape[1]) - rows.shape[1])
            padded[name] = numpy.pad(rows, ((0, 0), (0, room)))
        outputs = self._model(padded, training=False)
        return {"logits": _as_json(getattr(outputs, "logits", outputs))}

    def logits(self, question: dict[str, Any]) -> Any:
        """What the model answers for many texts."""
        return self._outputs(question)["logits"]

    def _rate(self, question: dict[str, Any]) -> Any:
        """What the first step of a fresh copy of the optimizer does to a drawn variable."""
        tensorflow = sys.modules["tensorflow"]
        optimizer = getattr(self._model, "optimizer", None)
        if optimizer is None:
            raise PartMissing("optimizer")
        copy = type(optimizer).from_config(optimizer.get_config())
        variable = tensorflow.Variable(question["values"], dtype="float32")
        gradient = tensorflow.constant(question["gradients"], dtype="float32")
        copy.build([variable])
        copy.apply_gradients([(gradient, variable)])
        return {"values": _as_json(variable)}

    def _loss(self, question: dict[str, Any]) -> Any:
        """What the loss makes of drawn logits and labels."""
        tensorflow = sys.modules["tensorflow"]
        if getattr(self._model, "compiled_loss", None) is None:
            raise PartMissing("loss")
        logits = tensorflow.constant(question["logits"], dtype="float32")
        answers = tensorflow.constant(question["labels"], dtype="int64")
        return {"loss": float(self._model.compiled_loss(answers, logits))}

    def claims(self) -> ClaimsEvent:
        """How many examples there are, with which labels, in batches of what size."""
        source: BatchSource | None = getattr(self._data("train"), MARK, None)
        given = self._bound.arguments if self._bound is not None else {}
        return ClaimsEvent(
            event="claims",
            examples=count_examples(source.dataset) if source else None,
            labels=count_labels(source.dataset) if source else {},
            batch_size=source.batch_size if source else given.get("batch_size"),
            epochs=float(given.get("epochs", 1)),
        )

    def weights(self) -> bytes:
        """The model's weights, by the names that the framework gives them."""
        from safetensors.numpy import save

        found: bytes = save({w.name: w.numpy() for w in self._model.weights})
        return found

    def state(self) -> Any:
        """Copy the model's weights, for `restore`."""
        return self._model.get_weights()

    def restore(self, state: Any) -> None:
        """Load the weights that `state` returned."""
        self._model.set_weights(state)

    def repair(self, kinds: list[str], data: dict[str, Any]) -> None:
        """Nothing can be put in the place of what was compiled already."""
        if kinds:
            raise PartMissing

    def train(self, epochs: float, evaluate: bool) -> Any:
        """Train for so many epochs; the script's own validation data are evaluated on the way."""
        if self._bound is None:
            raise PartMissing("fit")
        if not epochs:
            return None  # `fit` takes none for a mistake.
        self._bound.arguments["epochs"] = math.ceil(epochs)
        self._bound.arguments.pop("steps_per_epoch", None)
        return self._fit(*self._bound.args, **self._bound.kwargs)


def _length(model: Any) -> int | None:
    """The number of tokens that a model of fixed length takes."""
    shape = getattr(model, "input_shape", None)
    if isinstance(shape, Mapping):
        shape = next(iter(shape.values()))
    while isinstance(shape, list):
        shape = shape[0]
    return shape[1] if isinstance(shape, tuple) and len(shape) > 1 else None


def _as_json(value: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, Mapping):
        return {str(n): _as_json(v) for n, v in value.items()}
    if isinstance(value, list | tuple):
        return [_as_json(v) for v in value]
    return value.numpy().tolist() if hasattr(value, "numpy") else value
