"""What single operations of a step were given: shapes and values that hardly anybody means.

The operations are those of the whole step, of the network as well, in whatever pass they were made.
"""

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

from course_probe.replay.graph import MOST, saved_number
from course_probe.replay.nodes import nodes
from course_probe.replay.questions import table_of
from course_probe.replay.tape import LEAVE, Operation, OperationTape, Slot, tensors
from course_probe.replay.whatif import are_ids, at_ends, is_binary, is_padding

FEWEST = 4
"""Rows of which there are few enough for a shape to be so by chance."""
SOFTMAX = {"softmax", "log_softmax", "_softmax", "_log_softmax"}
LOGARITHMS = {"kl_div": "kl_log_sum", "ctc_loss": "ctc_log_sum"}
"""Losses that are given logarithms of probabilities first, and how it is told what these sum to."""
DISTANCES = {"sub", "__sub__", "pairwise_distance", "cosine_similarity", "triplet_margin_loss"}
BY_NUMBER = {"nll_loss", "cross_entropy"}
"""Losses that look for the classes of each place along axis 1."""
BY_PLACES = {"log", "clamp", "clamp_min", "clip", "contiguous", "float", "add", "__add__"}
"""Operations that leave each number at its place."""
FILLS = {"masked_fill", "masked_fill_"}
SUMS = {"add", "add_", "__add__", "__radd__", "__iadd__", "sub", "sub_", "__sub__", "__rsub__"}
FACTORS = {"mul", "__mul__", "__rmul__", "div", "true_divide", "__truediv__", "neg", "__neg__"}
"""Operations by which terms of a loss are put together."""
REDUCED = {"sum", "mean"}
JOINED = {"stack", "hstack", "cat", "concat"}
"""Operations by which a list of terms is added up."""
PRODUCTS = {"matmul", "__matmul__", "bmm"}
DIFFERENCES = {"sub", "__sub__", "__rsub__", "rsub"}
POWERS = {"pow", "__pow__", "square"}
OF_ERRORS = {"mse_loss", "smooth_l1_loss", "huber_loss", "l1_loss"}
SHAPED = {
    *("view", "reshape", "squeeze", "unsqueeze", "flatten", "stack", "cat", "float"),
    *("transpose", "permute", "swapaxes"),
}
"""Operations that change no number."""
SCALED = FACTORS | {"sub", "__sub__"}
"""Operations that leave an error one, where the other side is a number."""
LARGEST = 10_000_000
"""Numbers that are compared at most."""
NODES = 20_000
"""Operations of a graph that are walked through."""
EXACTLY = 1e-9
"""How far a factor that somebody has written may be off by rounding."""
ROUNDED = 1e-4
"""How far a sum of chances may be from 1."""
HIDDEN = -1e3
"""What a softmax makes nothing of."""
WEIGHTS = {"binary_cross_entropy_with_logits": "pos_weight", "cross_entropy": "weight"}
"""Losses that may be given weights of classes, and by which name."""
SURE = 3.0
"""Standard errors by which it is known which class is frequent."""
NEAR = 2.0
"""By which factor weights upside down may differ from the numbers of rows of a batch."""
CLEARLY = 1.5
"""By which factor weights, and numbers of rows, differ clearly."""
CLASSES = {"cross_entropy"}
"""Losses that are given numbers of classes, or probabilities that sum to 1."""
VIEWS = {"view", "reshape", "_unsafe_view"}
RELU = {"relu", "relu_", "threshold"}
SIGNS = {
    **{"cosine_embedding_loss": 2, "margin_ranking_loss": 2},
    **{"hinge_embedding_loss": 1, "soft_margin_loss": 1},
}
"""Losses whose labels are 1 or -1, with the place at which these are given."""


def lost_terms(tape: OperationTape, loss: Any) -> int:
    """Count the terms of a loss that come of a network or its parameters, and send no gradient."""
    made_by = {slot: each for each in tape.operations for slot in each.made}
    waiting, lost, seen = [tape.slot(loss)], 0, set[Slot | None]()
    while waiting:
        slot = waiting.pop()
        operation = None if slot is None or slot in seen else made_by.get(slot)
        seen.add(slot)
        if operation is None:
            continue
        joined = made_by.get(operation.given[0]) if operation.name in REDUCED else None
        is_sum = operation.name in SUMS or (joined is not None and joined.name in JOINED)
        if operation.name in SUMS:
            numbers = (each for each in operation.arguments if isinstance(each, float) and each)
            lost += sum(
                any(_has_learned(tape, made_by, e) for e in _left_as(tape, n)) for n in numbers
            )
        elif operation.name not in FACTORS and not is_sum:
            continue
        for each in operation.given if joined is None else joined.given:
            value = tape.values.get(each)
            if value is None or value.numel() != 1:
                continue
            if value.requires_grad:
                waiting.append(each)
            elif is_sum:
                lost += _has_learned(tape, made_by, each)
    return lost


def dead_ends(tape: OperationTape, loss: Any, network: Any, outputs: Any) -> int:
    """Count the layers of a network whose results it neither gives nor has in the loss.

    They learn nothing of this loss, though they are to, and were computed. The last of several
    blocks may have a layer that only the others need; and what a library's network within gives
    beside what is taken from it, as a pooler, is no mistake of the script's.
    """
    reached = {id(each.variable) for each in nodes(loss, NODES) if hasattr(each, "variable")}
    names = {
        id(one): name.rpartition(".")[0]
        for name, one in network.named_parameters()
        if one.requires_grad and one.grad is None and id(one) not in reached
        if _package_of(network, name) == type(network).__module__.partition(".")[0]
    }
    ends = {tape.slot(each) for each in (loss, *tensors(outputs))}
    # What is changed in place, as a list of results, may be any of them.
    used, layers, reaching = set(ends), set[str](), set[str]()
    for operation in reversed(tape.operations) if names else ():
        is_used = not used.isdisjoint((*operation.made, operation.changed))
        used.update(operation.given if is_used else ())
        mine = {names.get(id(tape.values.get(each)), "") for each in operation.given}
        (reaching if is_used else layers).update(mine)
    trained = {
        _pattern(name.rpartition(".")[0])
        for name, one in network.named_parameters()
        if id(one) in reached
    }
    return sum(_pattern(each) not in trained for each in layers - reaching - {""})


def _package_of(network: Any, name: str) -> str:
    """Return the package whose class calls the layer that a parameter belongs to."""
    inner = holder = network
    for part in name.split(".")[:-2]:
        inner = getattr(inner, part)
        # Lists and rows of layers call what they hold for the class that they are in.
        if not type(inner).__module__.startswith("torch."):
            holder = inner
    return type(holder).__module__.partition(".")[0]


def _pattern(name: str) -> str:
    """Return what the layers of several blocks are called alike: `blocks.N.key`."""
    return re.sub(r"(?<![^.])\d+(?=\.)", "N", name)


def weighted_by_error(tape: OperationTape, loss: Any) -> bool:
    """Return whether a loss has an error both squared, to be learned, and as another's weight.

    `log_prob * (reward - value)` beside `(reward - value) ** 2`: gradients of the first term reach
    the value, too, and not to make it right.
    """
    made_by = {slot: each for each in tape.operations for slot in each.made}
    behind, waiting = list[Operation](), [tape.slot(loss)]
    seen = set[Slot | None]()
    while waiting:
        slot = waiting.pop()
        operation = None if slot is None or slot in seen else made_by.get(slot)
        seen.add(slot)
        if operation is not None:
            behind.append(operation)
            waiting += operation.given

    def first(slot: Slot) -> Slot:
        """Return the same numbers before their axes were changed."""
        while (made := made_by.get(slot)) is not None and made.name in SHAPED:
            slot = made.given[0]
        return slot

    def has_slope(slot: Slot) -> bool:
        return bool(getattr(tape.values.get(slot), "requires_grad", False))

    def is_by_number(made: Operation) -> bool:
        others = [tape.values.get(each) for each in made.given[1:]]
        return made.name in SCALED and all(e is not None and e.numel() == 1 for e in others)

    def error(slot: Slot) -> frozenset[Slot]:
        """Return the two numbers that are apart by this, one of them with a gradient."""
        made = made_by.get(first(slot))
        while made is not None and is_by_number(made):
            made = made_by.get(first(made.given[0]))
        is_one = made is not None and made.name in DIFFERENCES and len(made.given) == 2
        pair = [*map(first, made.given)] if made is not None and is_one else []
        return frozenset(pair if sum(map(has_slope, pair)) == 1 else ())

    squared = {error(each.given[0]) for each in behind if each.name in POWERS and each.given}
    # A loss of errors may be given an error, and zeros.
    squared |= {
        error(each.given[0])
        if _are_zeros(tape, each.given[1:2])
        else frozenset(map(first, each.given[:2]))
        for each in behind
        if each.name in OF_ERRORS
    }
    for each in behind:
        if each.name in FACTORS and len(each.given) == 2 and all(map(has_slope, each.given)):
            one, other = map(error, each.given)
            if one != other and (squared - {frozenset()}) & {one, other}:
                return True
    return False


def _are_zeros(tape: OperationTape, slots: Sequence[Slot]) -> bool:
    return all(each in tape.values and not bool(tape.values[each].any()) for each in slots)


def _has_learned(tape: OperationTape, made_by: dict[Slot, Operation], slot: Slot) -> bool:
    """Return whether numbers are learned, or were computed from what is, with gradient or not."""
    waiting, seen = [slot], set[Slot]()
    while waiting:
        if (one := waiting.pop()) in seen:
            continue
        seen.add(one)
        value, operation = tape.values.get(one), made_by.get(one)
        if getattr(value, "requires_grad", False):
            return True
        if operation is not None:
            waiting += operation.given
        elif value is not None and value.numel() == 1:
            # What has left PyTorch, and has come back, is made of nothing that is known.
            waiting += _left_as(tape, float(value.detach()))
        else:
            left = (each.given[0] for each in tape.operations if each.name in LEAVE)
            waiting += (each for each in left if _are_rows_of(tape, one, each))
    return False


def _left_as(tape: OperationTape, number: float) -> Iterator[Slot]:
    """Yield the numbers that have left PyTorch, and of which a plain number is one, or a multiple.

    Times what somebody has written: it has two digits.
    """
    for each in (one for one in tape.operations if one.name in LEAVE):
        value = tape.values.get(each.given[0])
        if value is None or value.numel() != 1 or not value.is_floating_point() or not bool(value):
            continue
        factor = number / float(value.detach())
        if factor and math.isclose(factor, float(f"{factor:.2g}"), rel_tol=EXACTLY):
            yield each.given[0]


def _are_rows_of(tape: OperationTape, slot: Slot, other: Slot) -> bool:
    """Return whether all rows of numbers, of which there are several, are among other rows."""
    ours, theirs = tape.values.get(slot), tape.values.get(other)
    if ours is None or theirs is None or ours.shape[1:] != theirs.shape[1:] or ours.ndim < 2:
        return False
    if ours.dtype != theirs.dtype or len(ours) * theirs.numel() > LARGEST or not len(ours):
        return False
    same = (ours.detach()[:, None] == theirs.detach()[None]).flatten(2).all(2)
    return bool(same.any(1).all())


def broken_contracts(
    tape: OperationTape, given: Sequence[Any] = (), masks: Sequence[Any] = ()
) -> dict[str, Any]:
    """Find what was given that can't be meant; a network's own `masks` are no labels.

    Args:
        tape: the operations of the step.
        given: what the networks were given.
        masks: those of its padding.

    Returns:
        `rows_by_rows`: rows that were spread over all pairs of rows, as a column met a plain list
        of as many numbers; `softmax_of_one`: how often a softmax has only one number to choose
        from, and `pooled_by_one`: for how many of these it is to give places their weights;
        `kl_log_sum`, `ctc_log_sum`: how far what a divergence, or a loss of alignments, takes for
        logarithms is from such; `kl_below`: how far below 0 lies what it takes for probabilities;
        `words_hidden`: how often a mask hides all ids of texts and leaves the padding alone;
        `labels_of_a_row`: how many labels, each with a 1, a row has that is to hold one class;
        `zeros_for_signs`: the share of labels that are 0, where 1 and -1 are meant;
        `weights_turned`: how often a loss gives more weight to a class that has more rows;
        `dead_layers`: how often a ReLU gives nothing but 0; `axes_renamed`: how often the axes of a
        tensor change places, and its numbers do not; `chances_given`: whether outputs are chances
        already that a loss makes chances of; `set_off_apart`: whether a softmax runs along another
        axis than the classes of labels; `met_itself`: whether an output is compared with itself.

    """
    pairs, single, hidden, several, dead, turned, renamed = 0, 0, 0, 0, 0, 0, 0
    logs = dict.fromkeys(LOGARITHMS.values(), 0.0)
    below, zeros, chances, pooled = 0.0, 0.0, False, 0
    texts = [one for one in given if are_ids(one)]
    for operation in tape.operations:
        pairs = max(pairs, _pairs(tape, operation))
        if operation.name in SOFTMAX and _is_of_one(tape, operation):
            single, pooled = single + 1, pooled + _weights_places(tape, operation)
        if operation.name in LOGARITHMS:
            name = LOGARITHMS[operation.name]
            logs[name] = max(logs[name], *_log_sums(tape, operation))
        if operation.name == "kl_div":
            below = max(below, _below_zero(tape, operation))
        renamed += operation.name in VIEWS and _renames_axes(tape, operation)
        dead += operation.name in RELU and _is_dead(tape, operation)
        hidden += operation.name in FILLS and _hides_words(tape, operation, texts)
        turned += _is_weighted_wrongly(tape, operation)
        if operation.name in CLASSES:
            chances |= _are_chances(tape, operation)
            several = max(several, _labels(_argument(tape, operation, 1)))
        if operation.name in SIGNS:
            signs = _argument(tape, operation, SIGNS[operation.name])
            zeros = max(zeros, _zeros(signs, masks))
    return {
        **{"rows_by_rows": pairs, "softmax_of_one": single, **logs},
        **{"words_hidden": hidden, "labels_of_a_row": several, "zeros_for_signs": zeros},
        **{"dead_layers": dead, "kl_below": below, "weights_turned": turned},
        **{"axes_renamed": renamed, "chances_given": chances, "pooled_by_one": pooled},
        "set_off_apart": any(
            _is_set_off_apart(tape, one) for one in tape.operations if one.name in SOFTMAX
        ),
        "met_itself": any(_meets_itself(tape, each) for each in tape.operations),
    }


def ignored(loss: Any) -> float | None:
    """Compute the share of class labels that a loss leaves out by a number; None for others."""
    left_out, count = 0, 0
    for node in nodes(loss, MOST):
        mark = saved_number(node, "ignore_index")
        if mark is not None:
            count += node._saved_target.numel()
            left_out += int((node._saved_target == mark).sum())
    return left_out / count if count else None


def without_ends(places: Any, empty: Any, rows: int) -> Any:
    """Return those of the places that are not at the ends of rows of a text; of others, all.

    A text ends where only places follow that are `empty`, too.
    """
    table, nothing = (
        table_of(each, rows) if rows and places.ndim < 3 else None for each in (places, empty)
    )
    if table is None or nothing is None or table.shape[1] < 2:
        return places
    either = table | nothing
    ends = at_ends(either) | at_ends(either.flip(1)).flip(1)
    # The last word of a text has nothing after it to be asked for.
    return table & ~ends & ~ends.roll(-1, 1)


def _pairs(tape: OperationTape, operation: Operation) -> int:
    if len(operation.given) != 2 or len(operation.made) != 1:
        return 0
    one, other, made = (tape.values.get(slot) for slot in (*operation.given, *operation.made))
    if one is None or other is None or made is None:
        return 0
    if one.ndim < other.ndim:
        one, other = other, one
    rows = len(other) if other.ndim == 1 else 0
    # Of one and the same numbers, all pairs may well be wanted.
    is_spread = (*one.shape,) == (rows, 1) and (*made.shape,) == (rows, rows)
    is_other = is_spread and rows >= FEWEST and not bool((one.flatten() == other).all())
    return rows if is_other else 0


def _argument(tape: OperationTape, operation: Operation, place: int) -> Any:
    """Return the labels that a loss is given, by their name or at this place."""
    given = operation.arguments[place] if len(operation.arguments) > place else None
    slot = operation.named.get("target", given)
    return tape.values.get(slot) if isinstance(slot, Slot) else None


def _renames_axes(tape: OperationTape, operation: Operation) -> bool:
    """Return whether one of a tensor's axes gets another place, without moving a number.

    An axis is known by its size, and by how often it is gone through.
    """
    slots = (*operation.given[:1], *operation.made[:1])
    shapes = [[n for n in tape.values[e].shape if n > 1] for e in slots if e in tape.values]
    if len(shapes) < 2 or not tape.values[slots[0]].is_floating_point():
        return False
    before, after = ([(n, math.prod(axes[:at])) for at, n in enumerate(axes)] for axes in shapes)
    moved = {size for size, _times in {*before} - {*after}}
    # Neighbours that are made one axis may together be as long as another axis.
    ends = {1, *(size * times for size, times in before)}
    cut = {(n, times) for n, times in {*after} - {*before} if {times, n * times} - ends}
    return len(before) > 2 and len(after) > 2 and any(size in moved for size, _times in cut)


def _are_chances(tape: OperationTape, operation: Operation) -> bool:
    """Return whether what is to become chances is chances: the classes of each row sum to 1."""
    outputs = tape.values.get(operation.given[0]) if operation.given else None
    if outputs is None or outputs.ndim < 2 or outputs.shape[1] < 2 or not outputs.requires_grad:
        return False
    sums = outputs.detach().double().sum(1)
    is_one = bool(((sums - 1).abs() < ROUNDED).all())
    return is_one and sums.numel() >= FEWEST and not bool((outputs < 0).any())


def _is_dead(tape: OperationTape, operation: Operation) -> bool:
    value = tape.values.get(operation.made[0]) if operation.made else None
    return value is not None and value.numel() >= FEWEST and not bool(value.any())


def _labels(targets: Any) -> int:
    """Count the labels that a row has at most, where each class has a 0 or a 1.

    Among rows that are compared with each other several may be of one kind.
    """
    if targets is None or targets.ndim < 2 or targets.shape[0] == targets.shape[1]:
        return 0
    if not targets.is_floating_point() or bool(((targets != 0) & (targets != 1)).any()):
        return 0
    return int(targets.sum(1).max()) if targets.numel() else 0


def _zeros(signs: Any, masks: Sequence[Any]) -> float:
    """Compute the share of labels that are 0 where all are 0 or 1."""
    if signs is None or not is_binary(signs):
        return 0.0
    same = (each for each in masks if each.numel() == signs.numel())
    if any(bool((each.flatten() == signs.flatten()).all()) for each in same):
        return 0.0
    return float((signs == 0).double().mean())


def _is_weighted_wrongly(tape: OperationTape, operation: Operation) -> bool:
    """Return whether a loss weights two classes by about how frequent they are, not how rare.

    The weights are the fraction that is meant, upside down: others may be so on purpose.
    """
    name = WEIGHTS.get(operation.name)
    place = 2 if name == "weight" and len(operation.arguments) > 2 else None
    slot = operation.arguments[place] if place else operation.named.get(name or "")
    targets = _argument(tape, operation, 1)
    weights = tape.values.get(slot) if isinstance(slot, Slot) else None
    if weights is None or targets is None or not targets.ndim:
        return False
    weights, targets = weights.detach().double().flatten(), targets.detach().flatten()
    if name == "pos_weight":
        if weights.numel() != 1 or targets.unique().numel() != 2:
            return False
        counts = (targets > 0).long().bincount(minlength=2).double()
        weights = weights.new_tensor([1.0, float(weights[0])])
    elif targets.is_floating_point():
        return False
    else:
        counts = targets[targets >= 0].bincount(minlength=len(weights)).double()
    few, many = int(counts.argmin()), int(counts.argmax())
    if len(counts) != len(weights) or not bool(counts[few] > 0 and weights.min() > 0):
        return False
    is_known = counts[many] - counts[few] > SURE * (counts[many] + counts[few]) ** 0.5
    # So many rows of the rare class would fit the weights; of few rows, a batch has more or less.
    awaited = float(counts[many] * weights[few] / weights[many])
    is_near = abs(float(counts[few]) - awaited) < SURE * awaited**0.5
    is_near |= 1 / NEAR < float(counts[few]) / awaited < NEAR
    return bool(is_known and weights[few] * CLEARLY < weights[many] and is_near)


def _set_off(tape: OperationTape, operation: Operation) -> tuple[Any, int]:
    """Return what a softmax gives, and along which axis it runs; None for too few numbers."""
    value: Any = tape.values.get(operation.made[0]) if operation.made else None
    given = [*operation.arguments, *operation.named.values()]
    axis = next((each for each in given[1:] if type(each) is int), None)
    if value is None or axis is None or not value.ndim or value.numel() < FEWEST:
        return None, 0
    return value, axis % value.ndim


def _is_of_one(tape: OperationTape, operation: Operation) -> bool:
    value, axis = _set_off(tape, operation)
    return value is not None and bool(value.shape[axis] == 1)


def _is_set_off_apart(tape: OperationTape, operation: Operation) -> bool:
    """Return whether labels have their classes along another axis than a softmax runs along.

    By number they lie along the second one; else each place has a single 1 along theirs.
    """
    value, axis = _set_off(tape, operation)
    ours = {*operation.made} if value is not None and value.requires_grad else set[Slot]()
    for each in (one for one in tape.operations if ours.intersection(one.given)):
        if each.name in BY_NUMBER and each.given[0] in ours:
            return value.ndim > 1 and axis != 1
        if each.name in BY_PLACES:
            ours.update(each.made)
        for other in (tape.values.get(slot) for slot in each.given if slot not in ours):
            if other is None or other.shape != value.shape or not is_binary(other):
                continue
            along = [at for at in range(other.ndim) if bool((other.sum(at) == 1).all())]
            if along:
                return axis not in along
    return False


def _meets_itself(tape: OperationTape, operation: Operation) -> bool:
    """Return whether two outputs that are set beside each other are the same, row by row.

    Rows that differ among themselves, and both with a gradient: a copy without one is meant so.
    """
    slots = [e for e in operation.arguments[:2] if isinstance(e, Slot) and e in tape.values]
    if operation.name not in DISTANCES or len(slots) < 2:
        return False
    one, other = (tape.values[each] for each in slots)
    is_learned = one.requires_grad and other.requires_grad and one.ndim and len(one) >= FEWEST
    is_same = is_learned and one.shape == other.shape and bool((one == other).all())
    return is_same and bool((one[1:] != one[:1]).any())


def _weights_places(tape: OperationTape, operation: Operation) -> bool:
    """Return whether what an operation makes are weights of places, which are then summed up."""
    weights, products = {*operation.made}, dict[Slot, Any]()
    for each in (one for one in tape.operations if one.number > operation.number):
        mine = weights.intersection(each.given)
        value = tape.values.get(next(iter(mine), each.given[0]))
        if mine and each.name in SHAPED:
            weights.update(each.made)
        elif mine and each.name in FACTORS:
            products |= dict.fromkeys(each.made, value)
        elif each.name in PRODUCTS and each.given[0] in mine:
            return value is not None and value.ndim > 2 and value.shape[-1] > 1
        elif each.name == "sum" and (by := products.get(each.given[0])) is not None:
            numbers = (*each.arguments[1:2], *each.named.values())
            axis = next((one for one in numbers if type(one) is int), None)
            if axis is not None and value is not None and by.ndim == value.ndim:
                return bool(axis % by.ndim and by.shape[axis] > 1)
    return False


def _log_sums(tape: OperationTape, operation: Operation) -> Iterator[float]:
    yield 0.0
    value = tape.values.get(operation.given[0]) if operation.given else None
    if value is not None and value.ndim and value.shape[-1] > 1:
        yield float(value.detach().logsumexp(-1).abs().max())


def _below_zero(tape: OperationTape, operation: Operation) -> float:
    target = _argument(tape, operation, 1)
    is_log = operation.named.get("log_target", (*operation.arguments, *[False] * 6)[5])
    if target is None or not target.numel() or is_log:
        return 0.0
    return max(0.0, -float(target.detach().min()))


def _hides_words(tape: OperationTape, operation: Operation, texts: Sequence[Any]) -> bool:
    numbers = [*operation.arguments, *operation.named.values()]
    fill = next((each for each in numbers if type(each) in (int, float)), 0)
    mask = tape.values.get(operation.given[1]) if len(operation.given) == 2 else None
    if mask is None or fill > HIDDEN or mask.ndim < 2:
        return False
    # The same for all heads and queries.
    if mask.numel() != len(mask) * mask.shape[-1]:
        return False
    table = mask.reshape(len(mask), -1)
    # Places may come first in the texts, and rows in the mask.
    both = (each for ids in texts for each in (ids, ids.T))
    return any(ids.shape == table.shape and is_padding(ids, table == 0) for ids in both)
