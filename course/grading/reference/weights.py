"""The weights of a model, as a process wrote them that may wish us ill (safetensors)."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from course.grading.collect import folder
from course.grading.collect.found_file import FileRefused

Array = NDArray[np.float32]
HEADER = 1 << 20
"""Bytes that the header may take; that of a model of 400 tensors takes 50,000."""
TENSORS = 2_000
NAME = 300
"""Characters that the name of a tensor may have."""
RANK = 4
KINDS: dict[str, str] = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}
"""How the numbers of each kind lie in the file; of BF16 numpy knows no more than the bits."""


class BadWeights(Exception):
    """The weights can't be what they should be: in what way, and in which tensor."""


def read(path: Path, cap: int) -> dict[str, Array]:
    """All tensors of a safetensors file of at most `cap` bytes, by name, as 32-bit numbers.

    Raises:
        BadWeights: it is no such file, or a number in it is infinite or none at all.

    """
    try:
        # Read once: whatever happens to the file later, this is judged.
        data = folder.read(path, cap)
    except FileRefused as refused:
        raise BadWeights(refused.reason) from refused
    return parse(data)


def parse(data: bytes) -> dict[str, Array]:
    """All tensors of the contents of a safetensors file, by name, as 32-bit numbers.

    Raises:
        BadWeights: as `read`.

    """
    from safetensors import SafetensorError, deserialize

    _look_at_header(data)
    take_apart: Callable[[bytes], list[tuple[str, dict[str, Any]]]] = deserialize
    try:
        found = take_apart(data)
    except SafetensorError as error:
        raise BadWeights("damaged") from error
    return {name: _array(name, tensor) for name, tensor in found}


def _look_at_header(data: bytes) -> None:
    """Refuse, before any library takes it apart, a header that no model has."""
    size = int.from_bytes(data[:8], "little")
    if len(data) < 8 or size > min(HEADER, len(data) - 8):
        raise BadWeights("damaged")
    try:
        entries = json.loads(data[8 : 8 + size].decode(), object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise BadWeights("damaged") from error
    if not isinstance(entries, dict):
        raise BadWeights("damaged")
    if len(entries) > TENSORS:
        raise BadWeights("too-many")
    for name, entry in entries.items():
        if name == "__metadata__":
            continue
        if len(name) > NAME or not isinstance(entry, dict):
            raise BadWeights("damaged", name)
        if entry.get("dtype") not in list(KINDS):
            raise BadWeights("dtype", name)
        shape = entry.get("shape")
        if not isinstance(shape, list) or not 1 <= len(shape) <= RANK or 0 in shape:
            raise BadWeights("shape", name)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make a dict, unless a key comes twice: two readers may differ on which of them counts."""
    if len(dict(pairs)) < len(pairs):
        raise BadWeights("doubled")
    return dict(pairs)


def _array(name: str, tensor: dict[str, Any]) -> Array:
    raw = np.frombuffer(tensor["data"], dtype=KINDS[tensor["dtype"]])
    with np.errstate(over="ignore"):
        numbers = (
            (raw.astype("<u4") << 16).view("<f4")
            if tensor["dtype"] == "BF16"
            else raw.astype(np.float32)
        )
    if not np.isfinite(numbers).all():
        raise BadWeights("not-finite", name)
    return np.asarray(numbers, np.float32).reshape(tensor["shape"])
