"""The operations of a loss by its graph, which is there whether anything was taped or not.

See https://docs.pytorch.org/docs/stable/notes/autograd.html#saved-tensors. Only what is no tensor
is read: an axis, a way to put rows together. A name is that of the operation, without its version.
"""

import re
import sys
from collections.abc import Set
from typing import Any

from course_probe.replay.nodes import nodes

MOST = 24
"""Operations that are told, those next to the loss."""
SAVED = ("dim", "reduction", "ignore_index", "keepdim")
FACTORS = ("Div", "Mul")
GATHERS = "AccumulateGrad"
"""Where a parameter begins."""
LAYOUT = {
    *("View", "UnsafeView", "ReshapeAlias", "Alias", "Transpose", "T", "Permute", "Squeeze"),
    *("Unsqueeze", "Clone", "ToCopy", "Expand"),
}
"""Operations that lay out the same numbers another way."""
UNSET = 2**63
"""Whole numbers from here on are negative ones, saved without a sign."""


def walked(loss: Any) -> list[dict[str, Any]]:
    """List the operations behind a loss, up to those that hold a parameter, next ones first.

    Each with the places in this list of those that it comes `before`.
    """
    found: list[dict[str, Any]] = []
    behind = set[Any]()
    before: dict[Any, list[int]] = {}
    for node in nodes(loss, 4 * MOST):
        if node in behind or len(found) >= MOST:
            behind.update(each for each, _index in node.next_functions)
            continue
        following = [each for each, _index in node.next_functions if each is not None]
        if any(each.name().endswith(GATHERS) for each in following) or not following:
            behind.update(following)
            continue
        told = _told(node)
        told["before"] = before.setdefault(node, [])
        for each in following:
            before.setdefault(each, []).append(len(found))
        found.append(told)
    return found


def saved_number(node: Any, name: str) -> int | None:
    """Return a whole number that a node has saved; None where there is none."""
    value = getattr(node, f"_saved_{name}", None)
    if not isinstance(value, int):
        return None
    return value - 2 * UNSET if value >= UNSET else value


def op_of(node: Any) -> str:
    """Return the name of an operation without its version; none where there is no node."""
    return "" if node is None else re.sub(r"Backward\d*$", "", node.name().rpartition("::")[2])


def source(edge: tuple[Any, int], passing: Set[str] = LAYOUT) -> tuple[Any, int]:
    """Return the node, and which of its results, that gives the numbers before such operations."""
    while op_of(edge[0]) in passing:
        edge = edge[0].next_functions[0]
    return edge


def factor_of(node: Any) -> float | None:
    """Return the plain number that a node multiplies by, or divides by."""
    other: Any = getattr(node, "_saved_other", None)
    if isinstance(other, int | float):
        return float(other)
    # A class of tensors of the script's own would see that it is asked.
    if type(other) is not sys.modules["torch"].Tensor:
        return None
    if other.ndim or other.device.type != "cpu" or other.requires_grad:
        return None
    return float(other)


def _told(node: Any) -> dict[str, Any]:
    name = op_of(node)
    told: dict[str, Any] = {"op": name}
    for each in SAVED:
        value = saved_number(node, each)
        if value is not None:
            told[each] = value
    factor = factor_of(node) if name in FACTORS else None
    if factor is not None:
        told["factor"] = factor
    metadata = getattr(node, "_input_metadata", None)
    if metadata:
        told["shape"] = [*metadata[0].shape]
    return told
