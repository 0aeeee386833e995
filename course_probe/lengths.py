"""How long data and loaders are, without a call that the script could count.

What PyTorch and the libraries for data measure by themselves is asked right away. What a class of
the script's own measures, a child of the process is asked for.
"""

import sys
import weakref
from typing import Any

from course_probe.forked import found_aside

LIBRARIES = frozenset({"builtins", "torch", "datasets", "transformers", "accelerate", "numpy"})
"""Packages whose objects tell their length by code of their own."""
INNER = ("dataset", "datasets", "data_source", "sampler", "batch_sampler", "base_dataloader")
"""Where those keep what they ask for its length in turn."""
DEEP = 6
PLAIN = (list, tuple, dict, str, range, set)

_KNOWN: "weakref.WeakKeyDictionary[Any, int]" = weakref.WeakKeyDictionary()


def length(value: Any) -> int | None:
    """How many items something has; None where it does not say, or only the script's code does."""
    if value is None or _is_stream(value):
        return None
    try:
        if _is_of_libraries(value, 0):
            return len(value)
        known = _known(value)
        if known is None and hasattr(type(value), "__len__"):
            found = found_aside(lambda: len(value))
            known = found if isinstance(found, int) else -1
            _keep(value, known)
    except Exception:  # noqa: BLE001 - what says no length may say so by any exception
        return None
    return known if known is not None and known >= 0 else None


def _known(value: Any) -> int | None:
    try:
        return _KNOWN.get(value)
    except TypeError:
        return None


def _keep(value: Any, found: int) -> None:
    try:
        _KNOWN[value] = found
    except TypeError:
        return


def _is_stream(value: Any) -> bool:
    """Whether this is a stream, or a loader of one: to ask that leaves a mark in the loader."""
    torch = sys.modules.get("torch")
    utils = getattr(getattr(torch, "utils", None), "data", None)
    kind = getattr(utils, "IterableDataset", None)
    if kind is None:
        return False
    return isinstance(value, kind) or isinstance(_kept(value).get("dataset"), kind)


def _kept(value: Any) -> dict[str, Any]:
    found = getattr(value, "__dict__", None)
    return found if isinstance(found, dict) else {}


def _is_of_libraries(value: Any, level: int) -> bool:
    """Whether no code of the script's own is asked for the length of something."""
    if type(value) in PLAIN:
        return True
    if type(value).__module__.partition(".")[0] not in LIBRARIES or level > DEEP:
        return False
    for name in INNER:
        inner = _kept(value).get(name)
        if inner is None:
            continue
        parts = inner if type(inner) in (list, tuple) else (inner,)
        if name == "datasets" and not all(_is_of_libraries(each, level + 1) for each in parts):
            return False
        if name != "datasets" and not _is_of_libraries(inner, level + 1):
            return False
    return True
