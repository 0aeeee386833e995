"""Losses that tell by similarities which rows belong together, as contrastive ones do.

It is read from the graph what goes into their softmax, however that is written.
"""

import math
import sys
from collections.abc import Iterator
from typing import Any

from course_probe.replay.graph import FACTORS, GATHERS, LAYOUT, factor_of, op_of, source
from course_probe.replay.nodes import nodes

NODES = 400
"""Operations that are walked through, those next to the loss."""
FEWEST = 8
"""Rows of which there are few enough that each may be most like itself by chance."""
LARGEST = 2**22
"""Numbers of one table that are compared."""
SAME = 1e-3
"""How far, of their size, numbers may be off that are to be the same."""
ENDS = {"Div", "Sub", "Add"}
"""Operations that set a row's partner off against a sum over all rows."""
LOGARITHMS = {"Log", "Logsumexp"}
OWN = {"Diagonal", "Exp"}
"""What is set off there in other sums: each row with itself, and all pairs."""
PASSING = LAYOUT | {"Add"}
PRODUCTS = {
    **{"Mm": (("self", -1), ("mat2", -2)), "Bmm": (("self", -1), ("mat2", -2))},
    "Mul": (("self", -1), ("other", -1)),
}
"""Operations that multiply rows, by the names of both sides and the axis that is summed up."""


def similarities(loss: Any) -> dict[str, float]:
    """Measure tables of similarities, those of the worst term of a loss.

    Returns:
        `own_wins`: the share of rows for which the greatest of all is a row's similarity with
        itself, though never the one that is meant; `bound`: how large the similarities of
        directions can be at most; `best_left`: the share of the loss of a guess that is left then
        by the best answers of all.

    """
    behind = [*nodes(loss, NODES)]
    found = {"own_wins": 0.0, "shifted": 0.0}
    for softmax, classes in _softmaxes(behind):
        bound = _bound(softmax.next_functions[0])
        if bound is not None and classes > 1:
            left = math.log1p((classes - 1) * math.exp(-2 * bound)) / math.log(classes)
            found = max(found, {**found, "bound": bound, "best_left": left}, key=_left)
    softmaxes = [(e._saved_result, e) for e in behind if op_of(e) == "LogSoftmax"]
    for table, node in (*softmaxes, *_summed(behind)):
        slopes = _slopes(table, node, loss)
        found["own_wins"] = max(found["own_wins"], _own_wins(table, slopes))
        found["shifted"] = max(found["shifted"], _shifted(slopes))
    return found


def _softmaxes(behind: list[Any]) -> Iterator[tuple[Any, int]]:
    """Yield what makes chances of the similarities of a row, and how many there are.

    By hand, exponentials are summed up, and one is divided by the sum.
    """
    for node in behind:
        if op_of(node) == "NllLoss" and op_of(node.next_functions[0][0]) == "LogSoftmax":
            softmax = node.next_functions[0][0]
            yield softmax, softmax._saved_result.shape[-1]
        for edge in node.next_functions if op_of(node) in {"Div", "Log"} else ():
            summed = source(edge, PASSING)[0]
            if op_of(summed) == "Sum" and hasattr(summed, "_saved_self_sym_sizes"):
                rows = math.prod(summed._input_metadata[0].shape)
                powers = _unmasked(summed.next_functions[0])
                if op_of(powers) == "Exp" and rows >= FEWEST:
                    yield powers, math.prod(summed._saved_self_sym_sizes) // rows


def _unmasked(edge: tuple[Any, int]) -> Any:
    """Return what gives these numbers, but for a mask of zeros and ones."""
    node = source(edge, LAYOUT | {"MaskedSelect"})[0]
    mask = getattr(node, "_saved_other", None) if op_of(node) == "Mul" else None
    if isinstance(mask, sys.modules["torch"].Tensor) and bool(((mask == 0) | (mask == 1)).all()):
        return source(node.next_functions[0])[0]
    return node


def _left(found: dict[str, float]) -> float:
    return found.get("best_left", 0.0)


def _slopes(table: Any, node: Any, loss: Any) -> Any:
    """Return what a loss sends to the pairs of a node; None without one, or for too many pairs."""
    torch = sys.modules["torch"]
    if node is None or table.ndim != 2 or table.numel() > LARGEST or len(table) < FEWEST:
        return None
    edge = torch.autograd.graph.GradientEdge(node, 0)
    return torch.autograd.grad(loss, [edge], retain_graph=True)[0]


def _shifted(slopes: Any) -> float:
    """Return by how many places the partners that a loss asks for lie beside the rows of a table.

    0 where that is meant: a row, or the other half, has the partner, so that each row is also the
    partner of its partner.
    """
    torch = sys.modules["torch"]
    if slopes is None or slopes.ndim != 2 or len(slopes) != slopes.shape[1]:
        return 0.0
    rows = len(slopes)
    shift = (slopes.argmin(1) - torch.arange(rows, device=slopes.device)) % rows
    is_one = bool((shift == shift[0]).all()) and bool((slopes.amin(1) < 0).all())
    return float(shift[0]) if is_one and 2 * int(shift[0]) % rows else 0.0


def _own_wins(table: Any, slopes: Any) -> float:
    """Return for which share of rows the highest is what each has in common with itself.

    0 where that is what is meant, as what the loss sends to the pairs of a node tells, or where no
    part of the table has the pairs of its rows: from one to the other they are as similar as back,
    but for a number that belongs to the row.
    """
    torch = sys.modules["torch"]
    if table.ndim != 2 or table.numel() > LARGEST or not FEWEST <= len(table) <= table.shape[1]:
        return 0.0
    table = table.detach().float()
    own = torch.arange(len(table), device=table.device)
    first = int((table.argmax(1) - own).mode().values)
    pairs = table[:, max(first, 0) : first + len(table)]
    if first < 0 or pairs.shape[1] < len(table):
        return 0.0
    if slopes is not None and bool(slopes[own, own + first].any()):
        return 0.0
    turned = pairs - pairs.T
    room = SAME * (1 + float(pairs.abs().max()))
    if not bool(((turned - turned[:, :1] + turned[:, :1].T).abs() < room).all()):
        return 0.0
    return float((pairs.diagonal() >= table.amax(1) - room).float().mean())


def _summed(behind: list[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield the tables whose exponentials are summed up, row by row, as a softmax by hand does.

    Where any of them is taken away again, or left out before, it is another sum; and so it is where
    nothing is set off against it, or what each row has in common with itself. With a number for
    each pair, several may be meant: then with the node that makes these.
    """
    for node in behind:
        sides = [source(edge, PASSING) for edge in node.next_functions]
        if op_of(node) not in ENDS:
            continue
        size = math.prod(node._input_metadata[0].shape)
        sums = [_sum_of(side[0], is_log=op_of(node) != "Div") for side in sides]
        for table, other in zip(sums, reversed(sides), strict=False):
            is_alone = other[0] is None or op_of(other[0]) in LOGARITHMS
            if table is not None and size == table.numel():
                yield table, node
            elif table is not None and not is_alone and op_of(other[0]) not in OWN:
                yield from [(table, None)] * (size == len(table))


def _sum_of(node: Any, *, is_log: bool) -> Any:
    """Return the table of which a node is the sum of exponentials, or its logarithm."""
    if op_of(node) == "Logsumexp" and is_log:
        return node._saved_self
    if is_log:
        node = source(node.next_functions[0], PASSING)[0] if op_of(node) == "Log" else None
    if op_of(node) != "Sum" or not hasattr(node, "_saved_dim"):
        return None
    powers = source(node.next_functions[0])[0]
    return powers._saved_result.log() if op_of(powers) == "Exp" else None


def _bound(edge: tuple[Any, int]) -> float | None:
    """Return how large products of directions can get, which have no size but a plain factor."""
    scale = 1.0
    node = edge[0]
    while (factor := factor_of(node) if op_of(node) in FACTORS else None) or op_of(node) in LAYOUT:
        scale *= abs((factor or 1.0) ** (-1 if op_of(node) == "Div" else 1))
        node = node.next_functions[0][0]
    if op_of(node) == "Sum":
        node = source(node.next_functions[0])[0]
    for (name, axis), side in zip(PRODUCTS.get(op_of(node), ()), node.next_functions, strict=False):
        size = _size(getattr(node, f"_saved_{name}", None), axis, source(side)[0])
        if size is None:
            return None
        scale *= size
    return scale if op_of(node) in PRODUCTS else None


def _size(value: Any, axis: int, made_by: Any) -> float | None:
    """Return the one length of all rows; None where they differ, or belong to no direction."""
    if op_of(made_by).endswith(GATHERS):
        return None
    if value is None and op_of(made_by) == "Div":
        value, axis = made_by._saved_self / made_by._saved_other, -1
    if value is None or value.ndim < 2:
        return None
    sizes = value.detach().float().norm(dim=axis)
    largest = float(sizes.max())
    return largest if float(sizes.min()) > (1 - SAME) * largest else None
