"""The rows of what Keras is given: arrays, tables, and `tf.data.Dataset`s that can be read anew.

A dataset is read only where that changes nothing: the rows that lie before it is shuffled.
"""

import math
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from course_probe.hooks.keras.tfdata import MARK
from course_probe.packages import LABELS

ROWS = 512
"""Rows of a dataset that are looked at, and of the labels."""
LARGEST = 2**24
"""Numbers of an array whose rows are looked at."""
IN_ORDER = frozenset(
    {"Batch", "Map", "Options", "PaddedBatch", "ParallelBatch", "ParallelMap", "Prefetch"}
    | {"Range", "Skip", "Take", "Tensor", "TensorSlice", "Zip"}
)
"""Kinds of datasets that can be read once more, and give the rows as they lie."""
BESIDE = frozenset({"Batch", "Options", "Prefetch", "ParallelBatch", "Cache", "Repeat"})
"""Kinds of datasets that a shuffled one can be wrapped in, and give the same rows."""
OF_ALL = BESIDE | {"Shuffle", "Map", "ParallelMap", "PaddedBatch"}
"""Kinds of datasets that make something of each row of the one below, and leave none out."""
BATCHING = ("Batch", "ParallelBatch", "PaddedBatch")
SPLITTING = ("Take", "Skip")
"""Kinds of datasets that are a part of the one below."""


def kind_of(dataset: Any) -> str:
    """Return what a `tf.data.Dataset` does: `Batch`, `Shuffle` …"""
    return type(dataset).__name__.strip("_").removesuffix("V2").removesuffix("Dataset")


def is_dataset(value: Any) -> bool:
    """Return whether something is a `tf.data.Dataset`."""
    return hasattr(value, "element_spec") and hasattr(value, "_inputs")


def is_text(x: Any) -> bool:
    """Return whether arrays, or the inputs of a dataset, are texts."""
    if is_dataset(x):
        spec = x.element_spec
        first = spec[0] if isinstance(spec, tuple) and spec else spec
        return getattr(getattr(first, "dtype", None), "name", "") == "string"
    values = getattr(x, "values", x)
    if getattr(getattr(values, "dtype", None), "name", "") == "string":
        # A tensor of TensorFlow.
        return True
    kind = getattr(getattr(values, "dtype", None), "kind", "")
    is_of_words = kind == "O" and len(values) > 0 and type(values.ravel()[0]) is str
    return kind in ("U", "S") or is_of_words


def is_ragged(value: Any) -> bool:
    """Return whether this is a list of lists of different lengths."""
    if not isinstance(value, list):
        return False
    lists = [each for each in value[:ROWS] if isinstance(each, list | tuple)]
    return len({len(each) for each in lists}) > 1


def facts_of(x: Any, y: Any) -> dict[str, float | str]:
    """Return what is told of inputs and labels where they are the reason for an error."""
    found: dict[str, float | str] = {
        "labels.are_text": int(is_text(y)),
        "inputs.ragged": int(is_ragged(x)),
        "labels.ragged": int(is_ragged(y)),
    }
    values = getattr(x, "values", x)
    if getattr(getattr(values, "dtype", None), "kind", "") == "O":
        odd = (each for each in values.ravel()[:ROWS].tolist() if not isinstance(each, int | float))
        found["objects.kind"] = next((type(each).__name__ for each in odd), "")
    return found


def made_of(dataset: Any) -> Iterator[Any]:
    """Yield a dataset, and all those that it is made of."""
    waiting = [dataset]
    while waiting:
        each = waiting.pop()
        yield each
        waiting += each._inputs()


def chain(data: Any) -> Iterator[Any]:
    """Yield a dataset, and those below it as long as each is made of one."""
    while is_dataset(data):
        yield data
        inner = data._inputs()
        data = inner[0] if len(inner) == 1 else None


def kinds(dataset: Any) -> set[str]:
    """Return the kinds of all datasets that one is made of."""
    return {kind_of(each) for each in made_of(dataset)}


def is_repeatable(data: Any) -> bool:
    """Return whether a dataset can be read once more, moves nothing, and gives the same."""
    return is_dataset(data) and kinds(data) <= IN_ORDER


def before_shuffle(data: Any) -> Any:
    """Return the dataset that a shuffled one is made of, or itself; None if it is neither."""
    while is_dataset(data):
        if is_repeatable(data):
            return data
        inner = data._inputs()
        if len(inner) != 1 or kind_of(data) not in {*BESIDE, "Shuffle"}:
            return None
        data = inner[0]
    return None


def sliced(data: Any) -> Any:
    """Return the inputs of the arrays that a dataset gives all rows of, whatever it makes of each.

    None where they can't be known: of a dataset that filters, say, or that a function yields.
    """
    cuts: list[tuple[str, int]] = []
    while is_dataset(data) and kind_of(data) != "TensorSlice":
        kind, inner = kind_of(data), data._inputs()
        if kind in SPLITTING:
            count = getattr(data, "_count", None)
            if count is None:
                return None
            cuts.append((kind, int(count)))
        elif kind == "Zip":
            # The first of a pair: what the others are is not asked.
            inner = inner[:1]
        elif kind not in OF_ALL or (cuts and kind not in ("Map", "ParallelMap", "Options")):
            # A part of batches, or of rows in another order, is not the same as of these.
            return None
        if len(inner) != 1:
            return None
        data = inner[0]
    tensors = getattr(data, "_tensors", None) if is_dataset(data) else None
    if not tensors:
        return None
    spec = data.element_spec
    has_labels = isinstance(spec, tuple) and len(spec) > 1
    inputs = tensors[: _count_leaves(spec[0])] if has_labels else tensors
    if sum(math.prod(each.shape) for each in inputs) > LARGEST:
        # They would be copied.
        return None
    arrays = [as_array(each) for each in inputs]
    if any(each is None for each in arrays):
        return None
    for kind, count in reversed(cuts):
        part = slice(None, count if count >= 0 else None) if kind == "Take" else slice(count, None)
        arrays = [each[part] for each in arrays]
    return arrays


def _count_leaves(spec: Any) -> int:
    if isinstance(spec, Mapping):
        return sum(map(_count_leaves, spec.values()))
    return sum(map(_count_leaves, spec)) if isinstance(spec, list | tuple) else 1


def are_shuffled_apart(data: Any) -> bool:
    """Return whether a dataset pairs inputs with something that is shuffled otherwise.

    Inputs and labels: what pairs pictures of two kinds gives pictures in both places.
    """
    inner = next((each._inputs() for each in chain(data) if kind_of(each) == "Zip"), ())
    if len(inner) != 2:
        return False
    first, second = (each.element_spec for each in inner)
    is_pair = not isinstance(first, tuple | list) and hasattr(second, "shape")
    orders = [_shuffles(each) for each in inner]
    is_known = is_pair and getattr(first, "shape", None) != second.shape
    return is_known and None not in orders and orders[0] != orders[1]


def _shuffles(data: Any) -> list[Any] | None:
    """Return the seeds a dataset is shuffled by; one without a seed is like no other."""
    found: list[Any] = []
    for each in chain(data):
        kind, inner = kind_of(each), each._inputs()
        if inner and (len(inner) != 1 or kind not in {*OF_ALL, *SPLITTING}):
            return None
        if kind == "Shuffle":
            seeds = int(getattr(each, "_seed", 0)), int(getattr(each, "_seed2", 0))
            found.append(seeds if any(seeds) else id(each))
    return found


def size_of_batches(data: Any) -> int | None:
    """Return a dataset's batch size; None where it has one batch at most, or it is not known."""
    count = data.cardinality() if is_dataset(data) else 0
    if int(count) < 2:
        return None
    return next((int(each._batch_size) for each in chain(data) if kind_of(each) in BATCHING), None)


def as_array(value: Any) -> Any:
    """Return an array as it is, a table or a tensor as an array; None for anything else."""
    numpy = sys.modules["numpy"]
    if isinstance(value, numpy.ndarray):
        return value
    if type(value).__name__ in ("DataFrame", "Series", "EagerTensor"):
        return numpy.asarray(value)
    return None


def columns(value: Any) -> list[Any]:
    """Return the arrays of one input or of several; none where one of them is something else."""
    arrays = [as_array(each) for each in _parts(value)]
    if any(each is None or not each.ndim for each in arrays):
        return []
    return arrays if len({len(each) for each in arrays}) == 1 else []


def prints(value: Any) -> list[int]:
    """Hash each row of arrays, or of a dataset made of some; return none where that is too much.

    A row is one of numbers, or a text.
    """
    source = getattr(value, MARK, None)
    if source is not None:
        return _of_source(source.dataset)
    arrays = (sliced(value) or []) if is_dataset(value) else columns(value)
    if not arrays or sum(each.size for each in arrays) > LARGEST:
        return []
    if len(arrays) == 1 and arrays[0].dtype.kind in "OSU" and arrays[0].size == len(arrays[0]):
        return [hash(each) for each in arrays[0].ravel().tolist() if isinstance(each, str | bytes)]
    if any(each.dtype.kind not in "iufb" for each in arrays):
        return []
    whole = [sys.modules["numpy"].ascontiguousarray(each) for each in arrays]
    return [hash(tuple(row.tobytes() for row in rows)) for rows in zip(*whole, strict=True)]


def _of_source(dataset: Any) -> list[int]:
    """Hash the token ids of each row that batches are made of; without any, nothing is known."""
    if "input_ids" not in (dataset.column_names or ()) or len(dataset) > LARGEST // 64:
        return []
    rows = dataset.select_columns(["input_ids"]).with_format(None)[:]["input_ids"]
    return [hash(tuple(row)) for row in rows]


def labels_of(data: Any) -> Any:
    """Return the labels of the rows that batches are made of, in their order; None if unknown."""
    source = getattr(data, MARK, None)
    names = (source.dataset.column_names or ()) if source is not None else ()
    name = next((each for each in LABELS if each in names), None)
    if source is None or name is None or len(source.dataset) > LARGEST:
        return None
    labels = source.dataset.select_columns([name]).with_format(None)[:][name]
    return sys.modules["numpy"].asarray(labels)


def first_rows(x: Any, y: Any) -> tuple[list[Any], Any]:
    """Return the first rows as `columns`, and labels that can be read; nothing where they can't."""
    arrays = columns(x)
    if arrays:
        return [each[:ROWS] for each in arrays], as_array(y)
    if hasattr(x, MARK):
        # To read it would call functions of the script.
        return [], labels_of(x)
    data = before_shuffle(x)
    if data is None:
        return _of_two(x)
    is_batched = any(kind_of(each) in BATCHING for each in chain(data))
    read: list[list[Any]] = []
    for element in data.take(ROWS).as_numpy_iterator():
        if not isinstance(element, tuple) or len(element) < 2:
            return [], None
        read.append([*_parts(element[0]), element[1]])
        if is_batched and sum(len(each[-1]) for each in read) >= ROWS:
            break
    numpy = sys.modules["numpy"]
    together = numpy.concatenate if is_batched else numpy.stack
    try:
        *inputs, labels = [together(column) for column in zip(*read, strict=True)]
    except (ValueError, TypeError):
        return [], None
    return [each[:ROWS] for each in inputs], labels


def _of_two(data: Any) -> tuple[list[Any], Any]:
    """Return the same for two datasets side by side, each read before it is shuffled."""
    last = next((each for each in chain(data) if kind_of(each) not in BESIDE), None)
    if last is None or kind_of(last) != "Zip" or len(last._inputs()) != 2:
        return [], None
    inputs, labels = map(sliced, last._inputs())
    if inputs is None or labels is None or len(labels) != 1:
        return [], None
    return [each[:ROWS] for each in inputs], labels[0][:ROWS]


def _parts(value: Any) -> list[Any]:
    """List one input or several, each by itself."""
    if isinstance(value, Mapping):
        return [*value.values()]
    return [*value] if isinstance(value, list | tuple) else [value]
