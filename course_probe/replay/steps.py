"""The step that an optimizer is about to make: what a loss sends, and what steps do to its batch.

All of it is done in a child of the process: the script's own optimizer takes its step there.
"""

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from course_probe.replay.drawn import drawn_layers
from course_probe.replay.nodes import nodes
from course_probe.replay.places import places
from course_probe.replay.replay import LossPart, NotReplayed
from course_probe.replay.tape import tensors
from course_probe.replay.whatif import WhatIf

SCALES = (0.0, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
"""How long the steps are that are tried, of the optimizer's own."""
NODES = 20_000
"""Operations of a graph that are walked through."""
TABLES = 6
"""Tables of zeros that are tried."""
EQUAL = 1e-3
"""How far units that are all the same may differ by rounding, of the largest number there is."""
ALIKE = 0.5
"""How far, of its value, the loss may be off where other numbers are dropped than in the script."""


@dataclass(frozen=True)
class ComingStep:
    """The one `optimizer` that is about to step with what one backward sends.

    The script may shorten the gradients before: those of the parameters `watched`, or of places of
    them, were not longer than `longest` then.
    """

    optimizer: Any
    watched: tuple[Any, ...] = ()
    longest: float = math.inf

    def take(self, torch: Any, loss: Any) -> list[Any]:
        """Give its parameters the gradients of a loss, as the script would; which these are."""
        groups = self.optimizer.param_groups
        held = [p for group in groups for p in group["params"] if p.requires_grad]
        slopes = torch.autograd.grad(loss, held, allow_unused=True)
        for each, slope in zip(held, slopes, strict=True):
            each.grad = slope
        known = [places(p.grad) for p in self.watched if p.grad is not None]
        length = float(sum(float(each.norm()) ** 2 for each in known)) ** 0.5
        if length > self.longest:
            for each in held:
                if each.grad is not None:
                    each.grad *= self.longest / length
        return held


def sent(loss: Any) -> dict[str, Any]:
    """Measure what a loss sends to the parameters that it reaches.

    Returns:
        `cut`: how long those are that get nothing, though a function of the script's own leads to
        them, which is to tell whether anything changes them; `reach`: the length of the weakest
        gradient of a table of weights, of that of the strongest, each by as many numbers as it has,
        at each place where it is used;
        `alike`: how many tables have the same numbers, and gradients, for each of their units.

    """
    torch = sys.modules["torch"]
    way, lost = [*nodes(loss, NODES)], list[Any]()

    def note(node: Any, sent: Sequence[Any], come: Sequence[Any]) -> None:
        if any(each is not None and bool(each.any()) for each in come):
            edges = zip(node.next_functions, sent, strict=True)
            lost.extend(edge[0] for edge, each in edges if each is None and edge[0] is not None)

    for each in way:
        if isinstance(each, torch.autograd.function.BackwardCFunction):
            each.register_hook(partial(note, each))
    leaves = [each.variable for each in way if hasattr(each, "variable")]
    lengths: list[float] = []
    for node in way:
        ends = [at for at, one in enumerate(node.next_functions) if hasattr(one[0], "variable")]
        if ends:
            node.register_hook(partial(_note_lengths, lengths, ends))
    slopes = torch.autograd.grad(loss, leaves, retain_graph=True, allow_unused=True)
    # Another function of its own takes what does not come for zeros, and sends these on.
    behind = {id(each.variable) for each in nodes(lost, NODES) if hasattr(each, "variable")}
    pairs = [*zip(leaves, slopes, strict=True)]
    silent = [leaf for leaf, slope in pairs if slope is None or not bool(slope.any())]
    cut = [each for each in silent if id(each) in behind]
    reach = min(lengths) / max(lengths) if len(lengths) > 1 else None
    alike = sum(all(map(_is_of_equals, pair)) for pair in pairs if pair[1] is not None)
    return {"cut": [float(e.detach().norm()) for e in cut], "reach": reach, "alike": alike}


def _note_lengths(lengths: list[float], ends: Sequence[int], slopes: Any, _given: Any) -> None:
    """Note what one operation sends to the tables of weights that it uses."""
    for slope in (slopes[at] for at in ends):
        if slope is not None and slope.ndim > 1 and not slope.is_sparse and bool(slope.any()):
            lengths.append(float(slope.norm()) / int((slope != 0).sum()) ** 0.5)


def _is_of_equals(table: Any) -> bool:
    """Return whether all rows of a table are the same: units that begin alike, and stay so."""
    if table.is_sparse or table.ndim < 2 or len(table) < 2 or not table.numel():
        return False
    return bool((table - table[:1]).abs().max() <= EQUAL * table.abs().max())


def once_more(
    whatif: WhatIf, outputs: Any, loss: Any, part: LossPart | None
) -> Callable[[], float]:
    """Return the loss as a function of what the parameters hold.

    Args:
        whatif: the batch of the one pass that the loss is made of.
        outputs: what that pass gave.
        loss: what is about to be sent backward.
        part: the operations from the pass to the loss; None where the pass gives the loss itself.

    Raises:
        NotReplayed: the loss does not come out once more.

    """

    def again() -> float:
        made = [*zip(tensors(outputs), tensors(whatif.passed({}, training=None)), strict=True)]
        for before, after in made:
            if before is loss:
                return float(after.detach())
        slots = {part.slot(before): after.detach() for before, after in made} if part else {}
        known = {slot: value for slot, value in slots.items() if slot is not None}
        if part is None or not known:
            raise NotReplayed("the pass does not lead to the loss")
        return float(part(known))

    value, first = float(loss.detach()), again()
    if not math.isclose(first, value, rel_tol=ALIKE, abs_tol=ALIKE) or again() != first:
        raise NotReplayed("comes out otherwise")
    return again


def held_at_zero(again: Callable[[], float], coming: ComingStep) -> int:
    """Count the tables of zeros that hold each other at 0: one alone moves nothing, but all do.

    Each is then multiplied by another, and gets no gradient as long as that is 0.
    """
    torch = sys.modules["torch"]
    held = [each for group in coming.optimizer.param_groups for each in group["params"]]
    zeros = [each for each in held if each.ndim > 1 and not bool(each.detach().any())]
    if not 1 < len(zeros) <= TABLES:
        return 0
    before = again()

    def moves(tables: Sequence[Any]) -> bool:
        # The graph of the loss is still needed, and is to notice nothing.
        for each in tables:
            each.data.copy_(torch.randn_like(each))
        after = again()
        for each in tables:
            each.data.zero_()
        return after != before

    still = [each for each in zeros if not moves([each])]
    return len(still) if len(still) > 1 and moves(still) else 0


def cut_off(again: Callable[[], float], loss: Any, network: Any, coming: ComingStep) -> int:
    """Count the layers of chance that the loss depends on, and that get no gradient.

    The optimizer is to train them: they were detached, or asked without gradients.
    """
    held = {id(each) for group in coming.optimizer.param_groups for each in group["params"]}
    reached = {id(each.variable) for each in nodes(loss, NODES) if hasattr(each, "variable")}
    cut = [
        each.weight
        for each in drawn_layers(network)
        if each.weight.requires_grad
        and each.weight.grad is None
        and id(each.weight) in held - reached
    ]
    before = again() if cut else 0.0
    return sum(_moves(again, each, before) for each in cut[:TABLES])


def _moves(again: Callable[[], float], weight: Any, before: float) -> bool:
    kept = weight.detach().clone()
    # The graph of the loss is still needed, and is to notice nothing.
    weight.data.neg_()
    after = again()
    weight.data.copy_(kept)
    return after != before


def along_step(again: Callable[[], float], loss: Any, coming: ComingStep) -> list[list[float]]:
    """Compute the loss of the batch behind the optimizer's own step, and longer and shorter ones.

    Args:
        again: the loss, as `once_more` has it.
        loss: what is about to be sent backward.
        coming: the step.

    Returns:
        A scale and the loss for each of `SCALES`; one that is no number is left out.

    """
    torch = sys.modules["torch"]
    held = coming.take(torch, loss)
    before = [each.detach().clone() for each in held]
    coming.optimizer.step()
    moves = [each.detach() - was for each, was in zip(held, before, strict=True)]
    found = []
    for scale in SCALES:
        with torch.no_grad():
            for each, was, move in zip(held, before, moves, strict=True):
                each.copy_(was + scale * move)
        made = again()
        if math.isfinite(made):
            found.append([scale, made])
    return found
