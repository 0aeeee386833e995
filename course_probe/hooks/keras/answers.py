"""The answers of a Keras model, counted by us: passes of our own over what it was evaluated on.

Keras compiles its evaluation, so that nothing of it can be heard. A pass of ours leaves all as it
was: the states of random numbers, the metrics of the model, and the order of the script's data.
"""

import bisect
import contextlib
import copy
import itertools
import math
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from course_probe.hooks.keras.rows import is_repeatable
from course_probe.hooks.keras.tfdata import MARK, BatchSource
from course_probe.hooks.measure import count_labels
from course_probe.lengths import length
from course_probe.packages import LABELS
from course_probe.vital_signs.answers import MAX_CLASSES
from course_probe.vital_signs.examples import fingerprints
from course_probe.vital_signs.scores import scores

DEFAULT_BATCH = 32
"""The size of the batches that Keras makes of arrays by default."""
CELLS = 16_384
"""Token ids of a batch of our own: 32 rows of 512 tokens, say."""
BATCH = 32
"""Rows of a batch of our own that is made of arrays."""
IDS = "input_ids"


class EvaluationData:
    """What a model is trained or evaluated on: a `tf.data.Dataset`, marked or not, or arrays."""

    def __init__(self, called_with: Mapping[str, Any]) -> None:
        x, y = called_with.get("x"), called_with.get("y")
        if isinstance(x, tuple) and len(x) > 1:
            # `validation_data=(x, y)`.
            x, y = x[0], x[1]
        self.x: Any = x
        self._y: Any = y
        self.source: BatchSource | None = getattr(x, MARK, None)
        self.examples: int | None = None
        self.batch_size: int | None = None
        if self.source is not None:
            self.examples = length(self.source.dataset)
            self.batch_size = self.source.batch_size
        elif (spec := getattr(x, "element_spec", None)) is not None:
            self.batch_size = _first_size(spec)
        elif y is not None:
            self.examples = length(y)
            self.batch_size = called_with.get("batch_size") or DEFAULT_BATCH
        self._steps = called_with.get("validation_steps") or called_with.get("steps")

    def labels(self) -> dict[str, int]:
        """Count how often each label stands in it; nothing where that is unknown."""
        if self.source is not None:
            return count_labels(self.source.dataset)
        values: Any = self._y.numpy() if hasattr(self._y, "numpy") else self._y
        if getattr(values, "ndim", None) != 1 or values.dtype.kind not in "iu":
            return {}
        return {str(k): n for k, n in Counter(values.tolist()).items()}

    @property
    def split(self) -> str | None:
        """Return the name of the split that it is, where the data say so."""
        split = getattr(getattr(self.source, "dataset", None), "split", None)
        return str(split) if split is not None else None

    @property
    def has_known_rows(self) -> bool:
        """Return whether the first rows of ours are the first ones of the script's."""
        return self.source is None or not self.source.is_shuffled

    def batches(self) -> Iterator[tuple[Any, Any]]:
        """Yield inputs and labels, batch by batch; nothing where they can't be read once more."""
        if self._y is not None:
            yield from self._slices()
            return
        data: Any = self.x
        if self.source is not None and self.source.is_shuffled:
            data = self.source.make_unshuffled()
        elif self.source is None and not is_repeatable(data):
            return
        for number, batch in enumerate(data):
            if self._steps and number >= self._steps:
                return
            pair = batch if isinstance(batch, tuple) else (batch, None)
            labels = pair[1]
            if labels is None and isinstance(pair[0], dict):
                labels = next((pair[0][name] for name in LABELS if name in pair[0]), None)
            yield pair[0], labels

    def _slices(self) -> Iterator[tuple[Any, Any]]:
        try:
            rows = len(self._y)
            for start in range(0, rows, BATCH):
                part = slice(start, start + BATCH)
                x = self.x
                taken = {k: v[part] for k, v in x.items()} if isinstance(x, dict) else x[part]
                yield taken, self._y[part]
        except (TypeError, AttributeError, KeyError):
            return


def _first_size(spec: Any) -> int | None:
    """Return the size of the first axis of what a dataset yields, if it is always the same."""
    while isinstance(spec, dict | tuple | list) and spec:
        spec = next(iter(spec.values())) if isinstance(spec, dict) else spec[0]
    shape = getattr(spec, "shape", None)
    return int(shape[0]) if shape is not None and shape.rank and shape[0] else None


@contextlib.contextmanager
def chance_unmoved() -> Iterator[None]:
    """Leave the states of random numbers as they are, of Python, NumPy and TensorFlow."""
    numpy = sys.modules["numpy"].random
    context = getattr(sys.modules.get("tensorflow.python.eager.context"), "context", None)
    seeds = getattr(context(), "_rng", None) if context is not None else None
    before = random.getstate(), numpy.get_state(), seeds.getstate() if seeds is not None else None
    try:
        yield
    finally:
        random.setstate(before[0])
        numpy.set_state(before[1])
        if seeds is not None:
            seeds.setstate(before[2])


class Answers:
    """Outputs of a model (rows × classes) and the labels that came with the rows."""

    def __init__(self, model: Any, data: EvaluationData, limit: int) -> None:
        """Ask the model for `limit` rows, or some more that are in the same batch."""
        self._inputs: list[Any] = []
        self._wanted: list[Any] = []
        self.prints: list[int] = []
        self.is_all = True
        self.rows = 0
        for x, y in data.batches():
            wanted = classes_of(y)
            if wanted is None or self.rows >= limit:
                self.is_all = False
                break
            self._inputs.append(x)
            self._wanted.append(wanted)
            rows = rows_of(x)
            self.prints += fingerprints(*rows).tolist() if rows is not None else []
            self.rows += len(wanted)
        self._ask(model)

    def ask_again(self, model: Any, limit: int) -> "Answers":
        """Compute the answers to the first `limit` of these rows anew: no data are read for it."""
        again = copy.copy(self)
        rows = list(itertools.accumulate(map(len, self._wanted)))
        # With those of the batch in which the last of them is.
        batches = bisect.bisect_left(rows, limit) + 1
        again._inputs, again._wanted = self._inputs[:batches], self._wanted[:batches]
        again.rows = sum(map(len, again._wanted))
        again.prints = self.prints[: again.rows]
        again.is_all = self.is_all and again.rows == self.rows
        again._ask(model)
        return again

    def _ask(self, model: Any) -> None:
        """Have the model answer; no rows are left where it has no answer for each."""
        numpy = sys.modules["numpy"]
        outputs = [_outputs(model, x) for x in _joined(self._inputs)]
        if not outputs or any(each is None for each in outputs):
            self.rows = 0
            return
        self.outputs, self.labels = numpy.concatenate(outputs), numpy.concatenate(self._wanted)
        if len(self.outputs) != self.rows:
            self.rows = 0

    def signs(self, seen: set[int], *, normalised: bool) -> dict[str, Any]:
        """Compute scores of all rows; `seen` are fingerprints of the rows that the training saw."""
        found = scores(self.outputs, self.labels, normalised=normalised)
        if self.is_all:
            # Of a part of them it is not known how many there are.
            found["rows"] = self.rows
            if self.prints:
                found["examples"] = len(set(self.prints))
        if self.prints and seen:
            found["overlap"] = sum(each in seen for each in self.prints) / self.rows
        return found


def _joined(batches: list[Any]) -> Iterator[Any]:
    """Yield the same rows in fewer batches: most of a small model's time goes into calling it."""
    waiting: list[Any] = []
    cells = 0
    for batch in batches:
        size = _cells(batch)
        if waiting and (size is None or cells + size > CELLS or not _are_alike(waiting[0], batch)):
            yield _join(waiting)
            waiting, cells = [], 0
        waiting.append(batch)
        cells += CELLS if size is None else size
    if waiting:
        yield _join(waiting)


def _cells(batch: Any) -> int | None:
    """Count the numbers in a batch's first column; None where it has no columns."""
    if not isinstance(batch, dict) or not batch:
        return None
    return int(math.prod(next(iter(batch.values())).shape))


def _are_alike(one: Any, other: Any) -> bool:
    """Return whether two batches can be one: of one shape, or padded further behind a mask."""
    if not isinstance(one, dict) or not isinstance(other, dict) or one.keys() != other.keys():
        return False
    is_masked = "attention_mask" in one
    pairs = [(one[name].shape, other[name].shape) for name in one]
    return all(a[1:] == b[1:] or (is_masked and len(a) == len(b) == 2) for a, b in pairs)


def _join(batches: list[Any]) -> Any:
    if len(batches) == 1:
        return batches[0]
    return {name: _stack([each[name] for each in batches]) for name in batches[0]}


def _stack(columns: list[Any]) -> Any:
    """Stack columns, rows × as many columns as the widest has; further ones are 0."""
    numpy = sys.modules["numpy"]
    arrays = [numpy.asarray(each) for each in columns]
    if arrays[0].ndim == 2:
        width = max(each.shape[1] for each in arrays)
        arrays = [numpy.pad(each, ((0, 0), (0, width - each.shape[1]))) for each in arrays]
    return numpy.concatenate(arrays)


def _outputs(model: Any, x: Any) -> Any:
    """Compute a model's outputs for a batch, rows × classes; None where they are something else."""
    if isinstance(x, dict):
        x = {name: value for name, value in x.items() if name not in LABELS}
    made = model(x, training=False)
    if isinstance(made, Mapping) or hasattr(made, "logits"):
        made = made.get("logits") if isinstance(made, Mapping) else made.logits
    shape = getattr(made, "shape", None)
    if shape is None or len(shape) != 2 or not 1 < int(shape[1]) <= MAX_CLASSES:
        return None
    return made.numpy().astype("float32")


def classes_of(labels: Any) -> Any:
    """Return one class a row, as an array of whole numbers; None where the labels are none."""
    numpy = sys.modules["numpy"]
    if labels is None or isinstance(labels, dict):
        return None
    values = numpy.asarray(labels)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim == 2 and values.shape[1] > 1 and bool((values.sum(-1) == 1).all()):
        return values.argmax(-1)
    return values.astype("int64") if values.ndim == 1 and values.dtype.kind in "iu" else None


def rows_of(batch: Any) -> tuple[Any, Any] | None:
    """Return the token ids of a batch and their mask, if there is one; None without ids."""
    numpy = sys.modules["numpy"]
    ids = numpy.asarray(batch["input_ids"]) if isinstance(batch, Mapping) and IDS in batch else None
    if ids is None or ids.ndim != 2:
        return None
    mask = numpy.asarray(batch["attention_mask"]) if "attention_mask" in batch else None
    return ids, mask if mask is not None and mask.ndim == 2 else None
