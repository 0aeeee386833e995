"""Examine what a model of `tf_keras` is about to be fitted on."""

import functools
import importlib
import inspect
import itertools
import math
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from course_probe import lengths
from course_probe.events import ClaimsEvent
from course_probe.exam.examination import Examination, PartMissing
from course_probe.exam.training_data import tokenized
from course_probe.hooks.keras.tfdata import MARK, BatchSource
from course_probe.hooks.measure import count_labels

NAMES = ("input_ids", "attention_mask")
ROUNDING = 1e-3
"""How far off a sum of shares may be from 1."""
USUAL = 32
"""Examples of a batch, where `fit` is not told."""
LENGTH, BATCH, RATE = 48, 16, 5e-5
"""Of a healthy training, where a script does not say its own."""


def hook(module: ModuleType, examination: Examination) -> None:
    """Have each model of `tf_keras.src.engine.training` examined when it is to be fitted."""
    fit = module.Model.fit
    signature = inspect.signature(fit)

    @functools.wraps(fit)
    def examined(model: Any, *arguments: Any, **named: Any) -> Any:
        bound = signature.bind(model, *arguments, **named)
        return examination.examine(KerasCandidate(model, bound, fit))

    compiled = module.Model.compile

    @functools.wraps(compiled)
    def noted(model: Any, *arguments: Any, **named: Any) -> Any:
        result = compiled(model, *arguments, **named)
        examination.remember(lambda: KerasCandidate(model, None, fit))
        return result

    module.Model.fit, module.Model.compile = examined, noted


class KerasCandidate:
    """A compiled model, and what it is to be fitted on."""

    def __init__(self, model: Any, bound: inspect.BoundArguments | None, fit: Any) -> None:
        self._model = model
        self._bound = bound
        self._fit = fit

    def _data(self, which: str) -> Any:
        given = self._bound.arguments if self._bound is not None else {}
        found = given.get("x" if which == "train" else "validation_data")
        if found is None and self._held_out() and which != "train":
            # It is the last part of the arrays themselves.
            return given["x"], given.get("y")
        if found is None:
            raise PartMissing(which)
        return found

    def _held_out(self) -> float:
        """Return the share of whole arrays that `fit` is to hold out for the validation."""
        given = self._bound.arguments if self._bound is not None else {}
        is_told = given.get("validation_data") is None and _is_whole(given.get("x"))
        return float(given.get("validation_split") or 0.0) if is_told else 0.0

    def _batches(self, which: str) -> Any:
        """Return the data in batches: `fit` makes them by itself of whole arrays."""
        data, given = self._data(which), self._bound.arguments if self._bound is not None else {}
        if which == "train":
            data = (data, given.get("y")) if _is_whole(data) else data
        elif not isinstance(data, tuple | list):
            data = (data, None) if _is_whole(data) else data
        if not isinstance(data, tuple | list):
            return data
        x, y = data[:2]
        arrays = dict(x) if isinstance(x, Mapping) else x
        rows = sys.modules["tensorflow"].data.Dataset.from_tensor_slices(
            arrays if y is None else (arrays, y)
        )
        if self._held_out():
            kept = math.floor(len(rows) * (1 - self._held_out()))
            rows = rows.take(kept) if which == "train" else rows.skip(kept)
        if which == "train" and given.get("shuffle", True):
            rows = rows.shuffle(len(rows))
        return rows.batch(given.get("batch_size") or USUAL)

    def answer(self, question: dict[str, Any]) -> Any:
        """Answer a question with the part of the training that it is about."""
        return getattr(self, "_" + question["kind"])(question)

    def _pairs(self, question: dict[str, Any]) -> Any:
        """Batches of both datasets, taken apart into inputs and labels as `fit` does it."""
        keras = sys.modules["tf_keras"]
        made: dict[str, Any] = {}
        for which in ("train", "evaluation"):
            made[which] = []
            for batch in itertools.islice(iter(self._batches(which)), question["batches"]):
                x, y, _weights = keras.utils.unpack_x_y_sample_weight(batch)
                if y is None and isinstance(x, Mapping) and self._finds_labels_in_inputs():
                    y = x.get("labels")
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
        """Return the logits for many texts."""
        return self._outputs(question)["logits"]

    def _rate(self, question: dict[str, Any]) -> Any:
        """Take the first step of a fresh copy of the optimizer on a drawn variable."""
        tensorflow = sys.modules["tensorflow"]
        copy = _copy(self._optimizer())
        variable = tensorflow.Variable(question["values"], dtype="float32")
        gradient = tensorflow.constant(question["gradients"], dtype="float32")
        if hasattr(copy, "build"):
            # The legacy ones make what they need as they go.
            copy.build([variable])
        copy.apply_gradients([(gradient, variable)])
        return {"values": _as_json(variable)}

    def _optimizer(self) -> Any:
        optimizer = getattr(self._model, "optimizer", None)
        if optimizer is None:
            raise PartMissing("optimizer")
        return optimizer

    def _loss(self, question: dict[str, Any]) -> Any:
        """Compute the loss of drawn logits and labels."""
        tensorflow = sys.modules["tensorflow"]
        loss = self._model.hf_compute_loss if self._has_own_loss() else self._compiled_loss()
        outputs = tensorflow.constant(question["logits"], dtype="float32")
        if self._gives_shares():
            outputs = tensorflow.nn.softmax(outputs)
        answers = tensorflow.constant(question["labels"], dtype="int64")
        if self._labels_by_shares(len(question["logits"][0])):
            answers = tensorflow.one_hot(answers, len(question["logits"][0]))
        # A model's own loss is one number for each example.
        return {"loss": float(tensorflow.reduce_mean(loss(answers, outputs)))}

    def _has_own_loss(self) -> bool:
        """Whether a model of `transformers` was compiled without a loss, and brings its own.

        It then takes the labels from among its inputs, too.
        """
        return getattr(self._model, "_using_dummy_loss", False) is True

    def _finds_labels_in_inputs(self) -> bool:
        """Whether labels count that lie among the inputs of a batch."""
        return self._has_own_loss()

    def _labels_by_shares(self, classes: int) -> bool:
        """Whether each label of the training data is a row with a 1 in its place."""
        try:
            batch = next(iter(self._batches("train")))
            _x, y, _weights = sys.modules["tf_keras"].utils.unpack_x_y_sample_weight(batch)
            shape = tuple(y.shape)
        except Exception:  # noqa: BLE001 - what is wrong with the data is another question's answer
            return False
        return len(shape) == 2 and shape[1] == classes

    def _compiled_loss(self) -> Any:
        """Return the loss, which is called with labels and outputs."""
        loss = getattr(self._model, "compiled_loss", None)
        if loss is None:
            raise PartMissing("loss")
        return loss

    def _gives_shares(self) -> bool:
        """Whether the model ends in a softmax, by what it gives for a text."""
        text = {"input_ids": [[5, 6, 7, 8]], "attention_mask": [[1, 1, 1, 1]]}
        try:
            (shares,) = self._outputs(text)["logits"]
            return bool(min(shares) >= 0 and abs(sum(shares) - 1) < ROUNDING)
        except Exception:  # noqa: BLE001 - what is wrong with the model is another question's answer
            return False

    def claims(self) -> ClaimsEvent:
        """How many examples there are, with which labels, in batches of what size."""
        source: BatchSource | None = getattr(self._data("train"), MARK, None)
        given = self._bound.arguments if self._bound is not None else {}
        return ClaimsEvent(
            event="claims",
            examples=lengths.length(source.dataset) if source else None,
            labels=count_labels(source.dataset) if source else {},
            batch_size=source.batch_size if source else given.get("batch_size"),
            epochs=float(given.get("epochs", 1)),
        )

    def weights(self) -> bytes:
        """Return the model's weights, by the names that the framework gives them."""
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
        """Replace the parts that answered wrongly with healthy ones: do the others train?"""
        if not kinds:
            return
        if self._bound is None:
            raise PartMissing("fit")
        keras, old = sys.modules["tf_keras"], self._model
        length = _length(old) or LENGTH
        if "outputs" in kinds:
            self._model = self._bound.arguments["self"] = _healthy_model(data, length)
        if {"outputs", "rate", "loss"} & {*kinds}:
            optimizer, loss = old.optimizer, old.loss
            # An optimizer belongs to the weights of one model.
            healthy = keras.optimizers.Adam(RATE)
            optimizer = healthy if "rate" in kinds else _copy(optimizer)
            if "loss" in kinds:
                loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
            self._model.compile(optimizer=optimizer, loss=loss, metrics=["accuracy"])
        if "pairs" in kinds:
            for which, name in (("train", "x"), ("evaluation", "validation_data")):
                source: BatchSource | None = getattr(self._data(which), MARK, None)
                if source is None:
                    raise PartMissing(which)
                self._bound.arguments[name] = _healthy_batches(source, data, length)

    def train(self, epochs: float, evaluate: bool) -> Any:
        """Train for so many epochs; the script's own validation data are evaluated on the way."""
        if self._bound is None:
            raise PartMissing("fit")
        if not epochs:
            return None  # `fit` takes none for a mistake.
        given = self._bound.arguments
        given["epochs"] = math.ceil(epochs)
        steps = self._count_batches()
        if steps is not None:
            given.pop("steps_per_epoch", None)
        steps = steps or given.get("steps_per_epoch")
        if steps and epochs < given["epochs"]:
            callbacks = given.get("callbacks") or []
            listed = callbacks if isinstance(callbacks, list | tuple) else [callbacks]
            given["callbacks"] = [*listed, _end_after(math.ceil(steps * epochs))]
        return self._fit(*self._bound.args, **self._bound.kwargs)

    def _count_batches(self) -> int | None:
        """Count the batches of an epoch; return None where they have no end, or none is known."""
        try:
            return len(self._batches("train")) or None
        except Exception:  # noqa: BLE001 - what is wrong with the data, `fit` itself is to raise
            return None


def _end_after(steps: int) -> Any:
    """Make a callback that ends a training after so many steps: `fit` takes no part of an epoch."""

    class PartOfEpoch(sys.modules["tf_keras"].callbacks.Callback):  # type: ignore[misc]
        """The evaluation that follows an epoch follows its part, too."""

        left = steps

        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            self.left -= 1
            if self.left <= 0:
                self.model.stop_training = True

    return PartOfEpoch()


def _is_whole(data: Any) -> bool:
    """Whether these are arrays of all examples, and no batches."""
    return isinstance(data, Mapping) or hasattr(data, "shape")


def _copy(optimizer: Any) -> Any:
    """Make a fresh optimizer of the same settings."""
    return type(optimizer).from_config(optimizer.get_config())


def _healthy_model(data: dict[str, Any], length: int) -> Any:
    """Make a model for the lesson's data, of texts of so many tokens."""
    keras, transformers = sys.modules["tf_keras"], importlib.import_module("transformers")
    classifier = transformers.TFAutoModelForSequenceClassification.from_pretrained(
        data["checkpoint"], num_labels=data["labels"]
    )
    inputs = {name: keras.Input((length,), dtype="int64", name=name) for name in NAMES}
    return keras.Model(inputs, classifier(inputs).logits)


def _healthy_batches(source: BatchSource, data: dict[str, Any], length: int) -> Any:
    """Make batches, inputs and labels apart, of the examples that a script has made batches of."""
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(data["checkpoint"])
    rows: Any = source.dataset
    if "input_ids" not in rows.column_names:
        rows = tokenized(rows, tokenizer, data["texts"], length)
    pad = transformers.DataCollatorWithPadding(
        tokenizer, padding="max_length", max_length=length, return_tensors="np"
    )
    return rows.to_tf_dataset(
        columns=list(NAMES),
        label_cols="labels",
        batch_size=source.batch_size or BATCH,
        shuffle=True,
        collate_fn=pad,
        drop_remainder=True,
    )


def _length(model: Any) -> int | None:
    """Return the number of tokens that a model of fixed length takes; None for another."""
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
