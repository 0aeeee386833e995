"""What belongs to the script and is remembered here: it goes when the script lets go of it."""

import sys
import weakref
from collections.abc import Callable, Mapping
from typing import Any

DEEP = 3
"""Levels of a batch that are looked through."""
MOST_NUMBERS = 65_536
"""Numbers of a plain list, or of a tensor, that are kept, as they stand."""


def nothing() -> Any:
    """Return None, as a weak reference does whose object is gone."""


def weakly(value: Any) -> Callable[[], Any]:
    """Make a reference that keeps nothing alive; of what can't have one, a reference to nothing."""
    if value is None:
        return nothing
    try:
        return weakref.ref(value)
    except TypeError:
        return nothing


def weak_batch(batch: Any) -> Callable[[], Any]:
    """Return what gives a batch once more: a large tensor that is gone by then is None in it.

    It has the shape of lists, tuples and dictionaries, whatever the batch's own class is. Whole
    numbers, in plain lists and in small tensors, are kept as they came: who takes the labels out of
    a batch may leave none of the tensors that they came in. Other things that are no tensors are
    not.
    """
    torch = sys.modules["torch"]

    def take(value: Any, level: int) -> Callable[[], Any]:
        if isinstance(value, torch.Tensor):
            if value.device.type != "cpu" or value.numel() > MOST_NUMBERS or _is_broken(value):
                return weakly(value)
            copy = value.detach().clone()
            return lambda: copy
        if level < DEEP and _is_mapping(value):
            parts = {key: take(each, level + 1) for key, each in dict(value).items()}
            return lambda: {key: each() for key, each in parts.items()}
        if type(value) in (list, tuple) or isinstance(value, tuple):
            if value and len(value) <= MOST_NUMBERS and all(type(each) is int for each in value):
                kept = list(value)
                return lambda: kept
            if level < DEEP and len(value) <= MOST_NUMBERS:
                inner = [take(each, level + 1) for each in value]
                if all(each is nothing for each in inner):
                    return nothing
                return lambda: [each() for each in inner]
        return nothing

    return take(batch, 0)


def _is_broken(value: Any) -> bool:
    """Whether a tensor holds numbers with a fraction, as images do and no ids or classes."""
    return bool(value.is_floating_point() or value.is_complex())


def _is_mapping(value: Any) -> bool:
    """Whether this is a dictionary, or one of a library: one of the script's own may count."""
    own = type(value).__module__ == "__main__"
    return isinstance(value, dict) or (isinstance(value, Mapping) and not own)
