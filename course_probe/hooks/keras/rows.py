"""The rows of what Keras is given: arrays, tables, and `tf.data.Dataset`s that can be read anew.

A dataset is read only where that changes nothing: the rows that lie before it is shuffled.
"""

import sys
from collections.abc import Iterator, Mapping
from typing import Any

ROWS = 512
"""Rows of a dataset that are looked at, and of the labels."""
LARGEST = 2**24
"""Numbers of an array whose rows are looked at."""
DISTINCT = 0.9
"""The share of rows that differ, in data in which one that is met again is the same example."""
IN_ORDER = frozenset(
    {"Batch", "Map", "Options", "PaddedBatch", "ParallelBatch", "ParallelMap", "Prefetch"}
    | {"Range", "Skip", "Take", "Tensor", "TensorSlice", "Zip"}
)
"""Kinds of datasets that can be read once more, and give the rows as they lie."""
BESIDE = frozenset({"Batch", "Options", "Prefetch", "ParallelBatch", "Cache", "Repeat"})
"""Kinds of datasets that a shuffled one can be wrapped in, and give the same rows."""


def kind_of(dataset: Any) -> str:
    """What a `tf.data.Dataset` does: `Batch`, `Shuffle` …"""
    return type(dataset).__name__.strip("_").removesuffix("V2").removesuffix("Dataset")


def is_dataset(value: Any) -> bool:
    """Whether something is a `tf.data.Dataset`."""
    return hasattr(value, "element_spec") and hasattr(value, "_inputs")


def is_text(x: Any) -> bool:
    """Whether arrays, or the inputs of a dataset, are texts."""
    if is_dataset(x):
        spec = x.element_spec
        first = spec[0] if isinstance(spec, tuple) and spec else spec
        return getattr(getattr(first, "dtype", None), "name", "") == "string"
    values = getattr(x, "values", x)
    kind = getattr(getattr(values, "dtype", None), "kind", "")
    is_of_words = kind == "O" and len(values) > 0 and type(values.ravel()[0]) is str
    return kind in ("U", "S") or is_of_words


def made_of(dataset: Any) -> Iterator[Any]:
    """A dataset, and all those that it is made of."""
    waiting = [dataset]
    while waiting:
        each = waiting.pop()
        yield each
        waiting += each._inputs()


def kinds(dataset: Any) -> set[str]:
    """The kinds of all datasets that one is made of."""
    return {kind_of(each) for each in made_of(dataset)}


def is_repeatable(data: Any) -> bool:
    """Whether a dataset can be read once more, moves nothing, and gives the same."""
    return is_dataset(data) and kinds(data) <= IN_ORDER


def before_shuffle(data: Any) -> Any:
    """The dataset that a shuffled one is made of, or the dataset itself; None if it is neither."""
    while is_dataset(data):
        if is_repeatable(data):
            return data
        inner = data._inputs()
        if len(inner) != 1 or kind_of(data) not in {*BESIDE, "Shuffle"}:
            return None
        data = inner[0]
    return None


def as_array(value: Any) -> Any:
    """An array as it is, a table or a tensor as one; None for anything else."""
    numpy = sys.modules["numpy"]
    if isinstance(value, numpy.ndarray):
        return value
    if type(value).__name__ in ("DataFrame", "Series", "EagerTensor"):
        return numpy.asarray(value)
    return None


def columns(value: Any) -> list[Any]:
    """The arrays of one input or of several; none where one of them is something else."""
    arrays = [as_array(each) for each in _parts(value)]
    if any(each is None or not each.ndim for each in arrays):
        return []
    return arrays if len({len(each) for each in arrays}) == 1 else []


def prints(value: Any) -> list[int]:
    """A number for each row of arrays; none where they hold no numbers, or too many."""
    arrays = columns(value)
    if not arrays or sum(each.size for each in arrays) > LARGEST:
        return []
    if any(each.dtype.kind not in "iufb" for each in arrays):
        return []
    whole = [sys.modules["numpy"].ascontiguousarray(each) for each in arrays]
    return [hash(tuple(row.tobytes() for row in rows)) for rows in zip(*whole, strict=True)]


def are_distinct(found: list[int]) -> bool:
    """Whether rows are so different that one which is met twice is the same example."""
    return len(set(found)) > DISTINCT * len(found)


def first_rows(x: Any, y: Any) -> tuple[list[Any], Any]:
    """The first rows as `columns`, and the labels that can be read; nothing where they can't."""
    arrays = columns(x)
    if arrays:
        return [each[:ROWS] for each in arrays], as_array(y)
    data = before_shuffle(x)
    if data is None:
        return [], None
    is_batched = kind_of(data) in ("Batch", "ParallelBatch", "PaddedBatch")
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


def _parts(value: Any) -> list[Any]:
    """One input or several, each by itself."""
    if isinstance(value, Mapping):
        return [*value.values()]
    return [*value] if isinstance(value, list | tuple) else [value]
