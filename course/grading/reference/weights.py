"""The weights of a model, as a process wrote them that may wish us ill (safetensors)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from course.grading.collect import folder
from course.grading.collect.found_file import FileRefused

Array = NDArray[np.float32]
HEADER = 1 << 20
"""Bytes that the header may take: each entry becomes objects of ours. 400 tensors take 50,000."""
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

    take_apart: Callable[[bytes], list[tuple[str, dict[str, Any]]]] = deserialize
    if int.from_bytes(data[:8], "little") > HEADER:
        raise BadWeights("damaged")
    try:
        found = take_apart(data)
    except SafetensorError as error:
        raise BadWeights("damaged") from error
    return {name: _array(name, tensor) for name, tensor in found}


def _array(name: str, tensor: dict[str, Any]) -> Array:
    kind = tensor["dtype"]
    if kind not in KINDS:
        raise BadWeights("dtype", name)
    raw = np.frombuffer(tensor["data"], dtype=KINDS[kind])
    with np.errstate(over="ignore"):
        wide = (raw.astype("<u4") << 16).view("<f4") if kind == "BF16" else raw.astype(np.float32)
    if not np.isfinite(wide).all():
        raise BadWeights("not-finite", name)
    try:
        return np.asarray(wide, np.float32).reshape(tensor["shape"])
    except (ValueError, OverflowError) as error:
        raise BadWeights("shape", name) from error
