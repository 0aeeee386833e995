"""Sequences whose labels are padded at the other end than their inputs."""

import sys
from typing import Any

FEWEST = 20
"""Rows with padding that tell something."""


def padded_apart(inputs: Any, labels: Any) -> float | None:
    """Compare whole numbers, rows × places, in which 0 is taken for padding.

    Of the rows with padding, the share whose label has as many places of it as its input, at the
    other end. None where that is not so by chance alone: labels that are the inputs backwards.
    """
    numpy = sys.modules["numpy"]
    if labels.ndim == 3 and labels.shape[-1] == 1:
        labels = labels[..., 0]
    if inputs.ndim != 2 or inputs.shape != labels.shape or inputs.shape[1] < 2:
        return None
    if any(each.dtype.kind not in "iu" for each in (inputs, labels)):
        return None
    given, wanted = inputs != 0, labels != 0
    padded = ~given.all(1) & given.any(1)
    if int(padded.sum()) < FEWEST:
        return None
    sizes = given.sum(1)
    at_ends = [_at_one_end(numpy, each[padded], sizes[padded]) for each in (given, wanted)]
    (front, back), (label_front, label_back) = at_ends
    is_apart = (front & label_back & ~label_front) | (back & label_front & ~label_back)
    is_backwards = (inputs[padded] == labels[padded][:, ::-1]).all(1)
    return float((is_apart & ~is_backwards).mean())


def _at_one_end(numpy: Any, filled: Any, sizes: Any) -> tuple[Any, Any]:
    """Of each row, whether what is filled are the first so many places, and the last so many."""
    places = numpy.arange(filled.shape[1])
    first = (filled == (places < sizes[:, None])).all(1)
    last = (filled == (places >= filled.shape[1] - sizes[:, None])).all(1)
    return first, last
