"""Gradients that functions of the script's own return, beside those of the operations in them."""

import sys
from collections.abc import Sequence
from typing import Any

from course_probe.replay.nodes import nodes
from course_probe.replay.replay import perform, same
from course_probe.replay.tape import Operation, OperationTape, Slot

NODES = 20_000
"""Operations of a graph that are walked through."""
MOST = 32
"""Operations of one function: of many, as of a search, gradients may be others on purpose."""
CALLS = 2
"""Calls of one function that are looked at."""
FLAT = 0.1
"""The share of places with a slope up to which an operation is a step, whose slope is made up."""
ALIKE = 0.9
"""The cosine from which on two gradients are one, but for a factor."""

Edge = tuple[Any, int]


def own_slopes(tape: OperationTape, loss: Any) -> int:
    """Count the script's own functions that return other gradients than those of what they compute.

    Gradients that are turned round or scaled are meant, and so are those of steps. What a function
    does is on the tape.
    """
    kind = sys.modules["torch"].autograd.function.BackwardCFunction
    calls: dict[Any, list[Any]] = {}
    for node in nodes(loss, NODES):
        # What PyTorch makes itself, as a checkpoint, may send gradients by another way.
        if isinstance(node, kind) and not type(node)._forward_cls.__module__.startswith("torch."):
            calls.setdefault(type(node), []).append(node)
    if not calls:
        return 0
    slots = {
        (value.grad_fn, value.output_nr): slot
        for slot, value in tape.values.items()
        if value.grad_fn is not None
    }
    made = {slot: each for each in tape.operations for slot in each.made}
    found = [
        [_is_other(tape, made, slots, each, loss) for each in some[:CALLS]]
        for some in calls.values()
    ]
    return sum(all(each) for each in found)


def _is_other(
    tape: OperationTape,
    made: dict[Slot, Operation],
    slots: dict[Edge, Slot],
    node: Any,
    loss: Any,
) -> bool:
    """Return whether a call returns a gradient that points elsewhere; not where that is unsure."""
    torch = sys.modules["torch"]
    edges = [edge for edge in node.next_functions if edge[0] is not None]
    given = [
        tape.slot(edge[0].variable) if hasattr(edge[0], "variable") else slots.get(edge)
        for edge in edges
    ]
    end = slots.get((node, 0))
    inputs = [slot for slot in given if slot is not None]
    if end is None or len(inputs) < len(edges) or len(node._input_metadata) > 1:
        return False
    operations, waiting = set[Operation](), [end]
    while waiting:
        operation = made.get(slot := waiting.pop())
        if slot not in inputs and operation is not None and operation not in operations:
            operations.add(operation)
            waiting += operation.given
    come = torch.autograd.grad(
        loss, [torch.autograd.graph.GradientEdge(node, 0)], retain_graph=True, allow_unused=True
    )[0]
    if come is None or not bool(come.any()) or not 0 < len(operations) <= MOST:
        return False
    in_order = sorted(operations, key=lambda each: each.number)
    slopes = _slopes(tape, in_order, inputs, end, come)
    with torch.no_grad():
        returned = node.apply(come)
    returned = returned if isinstance(returned, tuple) else (returned,)
    ours = [one for one, is_asked in zip(returned, node.needs_input_grad, strict=True) if is_asked]
    return len(slopes) == len(ours) and any(
        one is not None and one.shape == other.shape and _cosine(one, other) < ALIKE
        for one, other in zip(ours, slopes, strict=True)
    )


def _slopes(
    tape: OperationTape,
    operations: Sequence[Operation],
    inputs: Sequence[Slot],
    end: Slot,
    come: Any,
) -> Sequence[Any]:
    """Compute the gradients of inputs by these operations; none where any of them is a step."""
    torch = sys.modules["torch"]
    values = {slot: tape.values[slot].detach() for each in operations for slot in each.given}
    with torch.enable_grad():
        start = {slot: values[slot].clone().requires_grad_() for slot in inputs if slot in values}
        values |= start
        for each in operations:
            for slot, value in zip(each.made, perform(each, values), strict=False):
                values[slot] = value
            ours = [values[slot] for slot in each.given if values[slot].requires_grad]
            if ours and not _is_smooth(each, values):
                return []
        if len(start) < len(inputs) or not same(values[end].detach(), tape.values[end].detach()):
            return []
        found: Sequence[Any] = torch.autograd.grad(values[end], [*start.values()], come)
    return found if all(bool(each.isfinite().all()) for each in found) else []


def _is_smooth(operation: Operation, values: dict[Slot, Any]) -> bool:
    """Return whether most of what an operation is given moves what it makes."""
    torch = sys.modules["torch"]
    given = {
        slot: values[slot].detach().requires_grad_()
        for slot in operation.given
        if values[slot].requires_grad
    }
    made = [each for each in perform(operation, values | given) if each.requires_grad]
    if not made:
        return False
    seeds = [torch.rand_like(each) + 0.5 for each in made]
    slopes = torch.autograd.grad(made, [*given.values()], seeds, allow_unused=True)
    return all(each is not None and float((each != 0).double().mean()) > FLAT for each in slopes)


def _cosine(one: Any, other: Any) -> float:
    one, other = one.flatten().double(), other.flatten().double()
    return abs(float(one @ other)) / max(float(one.norm() * other.norm()), 1e-30)
