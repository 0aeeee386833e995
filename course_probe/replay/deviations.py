"""Noise that is multiplied by a variance: a loss takes the same numbers for its logarithm."""

from collections.abc import Iterator
from typing import Any

from course_probe.replay.contracts import NODES
from course_probe.replay.graph import FACTORS, LAYOUT, factor_of, op_of, source
from course_probe.replay.nodes import nodes

FEWEST = 16
"""Numbers from which on it is seen that they are noise."""
SURE = 4.0
"""Standard errors that the mean of noise may be from 0."""
ROOM = 1e-6
"""How far, of their size, two factors may be apart and be the same."""
PASSING = LAYOUT | {"Clamp", "ClampMin", "ClampMax"}
SIGNS = {
    **{"Add": (1.0, 1.0), "Sub": (1.0, -1.0), "Rsub": (-1.0,), "Neg": (-1.0,)},
    **{"Sum": (1.0,), "Mean": (1.0,)},
}
"""Operations that put terms together, with the sign of each."""
PARTS = ("Slice", "Split", "SplitWithSizes", "Select", "Narrow")
"""Operations that take a part of a tensor."""


def variances_as_deviations(loss: Any) -> int:
    """Count the tensors whose exponentials scale noise, though the loss has them as variances.

    A divergence from a normal distribution has the logarithm of a variance and, with the other
    sign and the same factor, the variance.
    """
    noisy = {
        _known(powers.next_functions[0])
        for node in nodes(loss, NODES)
        for powers in _scaling_noise(node)
    }
    shares = _shares(loss) if noisy else {}
    found = 0
    for (node, _index), share in shares.items():
        logarithm = _known(node.next_functions[0]) if op_of(node) == "Exp" else None
        rest = shares.get(logarithm, 0.0) + share
        found += bool(share) and logarithm in noisy and abs(rest) < ROOM * abs(share)
    return found


def _known(edge: tuple[Any, int]) -> tuple[Any, Any]:
    """Return what stands for a tensor, however it is laid out and wherever it is taken apart."""
    node, index = source(edge, PASSING)
    if op_of(node) not in PARTS:
        return node, index
    places = (getattr(node, f"_saved_{name}", None) for name in ("dim", "start", "end", "index"))
    return None, (_known(node.next_functions[0]), index, *places)


def _scaling_noise(node: Any) -> Iterator[Any]:
    """Yield the exponentials that a node multiplies by noise."""
    sides = node.next_functions if op_of(node) == "Mul" else ()
    for side, other, name in zip(sides, reversed(sides), ("other", "self"), strict=False):
        powers = source(side)[0]
        is_alone = op_of(powers) == "Exp" and other[0] is None
        if is_alone and _is_noise(getattr(node, f"_saved_{name}", None)):
            yield powers


def _is_noise(value: Any) -> bool:
    if getattr(value, "ndim", 0) < 1 or value.numel() < FEWEST:
        return False
    numbers = value.detach().double()
    room = SURE * float(numbers.std()) / numbers.numel() ** 0.5
    return bool(numbers.min() < 0 < numbers.max()) and abs(float(numbers.mean())) < room


def _shares(loss: Any) -> dict[Any, float]:
    """Find by which factor each tensor is added to a loss, means taken for sums."""
    shares: dict[Any, float] = {}
    waiting = [((loss.grad_fn, 0), 1.0)]
    for _time in range(NODES):
        if not waiting:
            break
        edge, share = waiting.pop()
        shares[_known(edge)] = shares.get(_known(edge), 0.0) + share
        node = source(edge, PASSING)[0]
        signs = SIGNS.get(op_of(node), ())
        if op_of(node) in FACTORS and (factor := factor_of(node)) is not None:
            # A term that is to come in later has a factor of 0 at first.
            signs = ((factor or 1.0) ** (1 if op_of(node) == "Mul" else -1),)
        for sign, following in zip(signs, node.next_functions if signs else (), strict=False):
            waiting += [] if following[0] is None else [(following, share * sign)]
    return shares
