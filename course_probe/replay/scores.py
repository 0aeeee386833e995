"""What an evaluation takes of a network's outputs: along which axis, of how many rows.

A score is no function of its own here, it is the operations between outputs and what is counted.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from course_probe.replay.questions import are_labels, counts_of, yes_or_no
from course_probe.replay.tape import LEAVE, Operation, OperationTape, Slot, replaced, tensors
from course_probe.replay.whatif import is_binary

CHOOSE = {"argmax", "argmin", "max", "min", "topk", "sort", "argsort", "softmax", "log_softmax"}
"""Operations along one axis, by which an answer is chosen."""
COMPARE = {"eq", "__eq__", "ne", "__ne__"}
APART = {
    *("sub", "__sub__", "rsub", "__rsub__"),
    *("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"),
}
"""Operations that measure how far each answer is from its label."""
LEFT_OUT = {"__getitem__", "masked_select", "where"}
MASKING = {"__and__", "__rand__", "logical_and", *LEFT_OUT, *LEAVE}
FACTORS = {"mul", "__mul__", "__rmul__"}
"""Operations by which some places are left out."""
BOTH = {"__and__", "__rand__", "logical_and", "bitwise_and"}
LIMITS = {"gt", "ge", "lt", "le", "__gt__", "__ge__", "__lt__", "__le__"}
"""Operations that compare with a limit."""
CUT = {*LIMITS, "round", "sign"}
"""Operations that make a yes or a no of one number."""
FEWEST = 8
"""Rows of which others can be had."""
MOSTLY = 0.5
"""The share of answers that are alike with labels, and not with just any numbers."""
ROLLS = 5
MOST = 12
"""Operations of a kind that are told."""


def score(tape: OperationTape, outputs: Any, labels: Sequence[Any] = ()) -> dict[str, Any]:
    """Find how answers are chosen, what they are compared with, and what is counted.

    The `labels` are those that the network was given itself.
    """
    reached = {slot for slot in map(tape.slot, tensors(outputs)) if slot is not None}
    met: list[Any] = []
    left: list[Any] = []
    leaving: list[Any] = []
    counted: list[Any] = []
    masks: list[Any] = []
    chosen: list[dict[str, Any]] = []
    compared: list[dict[str, Any]] = []
    losses: list[list[float]] = []
    singles = {one.numel() for one in tensors(outputs) if one.ndim and one.numel() == len(one)}
    is_cut = False
    for operation in tape.operations:
        ours = [slot for slot in operation.given if slot in reached]
        others = [tape.values.get(slot) for slot in operation.given if slot not in reached]
        name = operation.name
        masks += (each for each in others if each is not None and _are_masks(name, each))
        if name in (*COMPARE, *LEAVE):
            (met if ours else left).extend(each for each in others if each is not None)
        if not ours:
            continue
        reached.update(operation.made)
        value = tape.values.get(ours[0])
        if value is not None and name in LEAVE:
            leaving.append(value)
        if value is None:
            continue
        if name in (*FACTORS, *BOTH):
            compared += _masks_apart([*value.shape], others)
        if not value.is_floating_point():
            counted.extend(each for each in others if each is not None)
        is_cut |= name in CUT and value.numel() in singles
        if name in CHOOSE and value.ndim:
            told = {"shape": [*value.shape], "axis": _axis(operation, value)}
            chosen.append({"op": _taken(tape, operation), **told})
        elif name in COMPARE:
            compared += _compared(tape, operation, reached)
        elif value.ndim and value.is_floating_point():
            losses += _known(tape, operation, ours)
            compared += _spread(name, [value], others)
    shapes = [[*each.shape] for each in tensors(outputs)]
    # Answers of another network may be made of these outputs.
    is_chosen = is_cut or any(each["shape"] in shapes for each in chosen)
    return {
        "outputs": shapes[:MOST],
        "finite": all(bool(each.isfinite().any()) for each in tensors(outputs) if each.numel()),
        "chosen": chosen[:MOST],
        "compared": compared[:MOST],
        "losses": losses[:MOST],
        "counted": next(filter(None, (_counts(e, masks) for e in [*counted, *met, *left])), None),
        **_of_labels(outputs, [*labels, *(met if is_chosen else [])], left),
        **_of_two(outputs, met),
        "limits_of": _limits(tape, outputs)[:MOST],
        "columns_left": _are_columns(leaving, left),
    }


def _taken(tape: OperationTape, operation: Operation) -> str:
    """Return what chooses: `max` along an axis of which only the places are used is an `argmax`."""
    if operation.name in ("max", "min") and len(operation.made) == 2:
        used = {slot for each in tape.operations for slot in each.given}
        if operation.made[1] in used and operation.made[0] not in used:
            return f"arg{operation.name}"
    return operation.name


def _limits(tape: OperationTape, outputs: Any) -> list[tuple[float, ...]]:
    """List the plain numbers that one output of each place is compared with, to be an answer.

    With the least and the greatest of these, and whether they are the outputs themselves. An answer
    meets something else; what only leaves out some places is none.
    """
    found: list[tuple[float, ...]] = []
    answers: dict[Slot, tuple[float, ...]] = {}
    ones = [each for each in tensors(outputs) if each.ndim and each.is_floating_point()]
    ours = {tape.slot(each) for each in ones} if len(ones) == 1 else set()
    for operation in tape.operations:
        mine = [slot for slot in operation.given if slot in ours]
        if not mine:
            continue
        ours.update(operation.made)
        value, numbers = tape.values.get(mine[0]), operation.arguments[1:2]
        told = answers.get(mine[0])
        if operation.name in LIMITS and value is not None and 0 < value.numel() == ones[0].numel():
            is_number = {*map(type, numbers)} <= {int, float} and value.is_floating_point()
            if numbers and is_number and bool(value.isfinite().all()):
                is_raw = (value.flatten() == ones[0].flatten()).all()
                told = (numbers[0], *map(float, (value.min(), value.max(), is_raw)))
                answers |= dict.fromkeys(operation.made, told)
        elif told is not None and len(mine) == len(operation.given):
            answers |= dict.fromkeys(operation.made, told)
        elif told is not None and operation.name not in LEFT_OUT and told not in found:
            found.append(told)
    return found


def _are_columns(answers: Sequence[Any], labels: Sequence[Any]) -> bool:
    """Return whether all answers have left PyTorch as a column, and as many labels as a list."""
    rows = {len(each) for each in labels if each.ndim == 1}
    columns = [each for each in answers if each.ndim == 2 and each.shape[1] == 1]
    is_column = bool(columns) and len(columns) == sum(each.ndim > 0 for each in answers)
    return is_column and all(len(each) >= FEWEST and len(each) in rows for each in columns)


def _counts(labels: Any, masks: Sequence[Any]) -> list[list[int]] | None:
    """Count the labels of each class that answers meet, where masks leave any; None without."""
    for mask in masks:
        labels = labels[mask != 0] if mask.shape == labels.shape else labels
    labels = labels.flatten()
    known = labels if are_labels(labels) else yes_or_no(labels) if labels.numel() else None
    return counts_of(known) if known is not None and len(known.unique()) > 1 else None


def _are_masks(name: str, value: Any) -> bool:
    """Return whether an operation takes these to leave out some of the other numbers."""
    if name in FACTORS:
        return is_binary(value)
    return name in MASKING and str(value.dtype) == "torch.bool"


def _of_labels(outputs: Any, met: list[Any], left: list[Any]) -> dict[str, Any]:
    """Count the labels of the rows a network of classes has answered, and how many it has right.

    They are among what its answers have `met`. What has `left` beside them may be anything else,
    unless most of the answers are that.
    """
    tables = [each for each in tensors(outputs) if each.ndim and each.is_floating_point()]
    if len(tables) == 1 and tables[0].numel() == len(tables[0]):
        # Where the one number of a row is cut, it is not known: nor how many are right.
        cut = [yes_or_no(each) for each in met if each.numel() == len(tables[0])]
        return next(({"labels": counts_of(each)} for each in cut if each is not None), {})
    tables = [each for each in tables if each.ndim == 2]
    if len(tables) != 1:
        return {}
    answers, count = tables[0].argmax(1), tables[0].shape[1]
    for number, truth in enumerate([*met, *left]):
        is_one = are_labels(truth) and len(truth) == len(answers)
        if not is_one or int(truth.min()) < 0 or int(truth.max()) >= count:
            continue
        right = float((answers == truth).double().mean())
        if number >= len(met):
            if right > MOSTLY:
                return {"labels": counts_of(truth)}
            continue
        found: dict[str, Any] = {"labels": counts_of(truth), "right": right}
        pairs = (answers * count + truth).unique(return_counts=True)
        best = dict[int, tuple[int, int]]()
        for pair, rows in zip(*(each.tolist() for each in pairs), strict=True):
            best[pair // count] = max(best.get(pair // count, (0, 0)), (rows, pair % count))
        # Each answer stands for one class, and no two for the same.
        if len({named for _rows, named in best.values()}) == len(best):
            found["renumbered"] = sum(rows for rows, _named in best.values()) / len(truth)
        return found
    return {}


def _of_two(outputs: Any, met: list[Any]) -> dict[str, Any]:
    """Count the labels, each 0 or 1, of the rows to which a network has given one number."""
    ones = [each for each in tensors(outputs) if each.ndim and each.numel() == len(each)]
    found = (yes_or_no(each) for each in met if ones and each.shape[:1] == ones[0].shape[:1])
    labels = next((each for each in found if each is not None), None)
    return {} if labels is None or len(ones) > 1 else {"labels": counts_of(labels)}


def _known(tape: OperationTape, operation: Operation, ours: list[Slot]) -> Iterator[list[float]]:
    """Yield a loss with each row's own targets, and its mean with those of other rows."""
    given = [slot for slot in operation.given if slot not in ours]
    made = tape.values.get(operation.made[0]) if len(operation.made) == 1 else None
    if len(ours) != 1 or len(given) != 1 or made is None or made.numel() != 1:
        return
    outputs, targets = tape.values.get(ours[0]), tape.values.get(given[0])
    if outputs is None or targets is None or not targets.ndim or len(targets) != len(outputs):
        return
    is_as_it_was = tape.is_as_it_was(ours[0]) and tape.is_as_it_was(given[0])
    if len(targets) < FEWEST or not is_as_it_was:
        return

    def loss(other: Any) -> float:
        values = {ours[0]: outputs, given[0]: other}
        whole = (operation.arguments, operation.named)
        arguments, named = replaced(whole, values.__getitem__, Slot)
        return float(operation.function(*arguments, **named))

    try:
        others = [loss(targets.roll(step, 0)) for step in range(1, ROLLS + 1)]
        yield [loss(targets), sum(others) / len(others)]
    except (RuntimeError, ValueError, TypeError, KeyError, IndexError):
        # Whatever an operation raises once more: it is none of a loss.
        return


def _axis(operation: Operation, value: Any) -> int | None:
    """Return the axis along which an operation works, counted from the first; None for all."""
    named = operation.named
    given = [named[key] for key in ("dim", "axis") if key in named]
    given += [each for each in operation.arguments[1:] if type(each) is int]
    if operation.name == "topk" and len(operation.arguments) > 1 and "dim" not in named:
        # First comes how many.
        given = given[1:] or [-1]
    if not given and operation.name in ("sort", "argsort"):
        given = [-1]
    return given[0] % value.ndim if given and type(given[0]) is int else None


def _spread(name: str, ours: list[Any], others: list[Any]) -> Iterator[dict[str, Any]]:
    """Yield a column of answers that meets a label for each, and is set beside those of all."""
    shapes = [[*each.shape] for each in (*ours, *others) if each is not None]
    rows = shapes[0][0]
    if name in APART and rows >= FEWEST and sorted(shapes) == [[rows], [rows, 1]]:
        yield {"answers": shapes[0], "targets": shapes[1], "made": [rows, rows]}


def _masks_apart(ours: list[int], others: list[Any]) -> Iterator[dict[str, Any]]:
    """Yield masks of which each row meets that of every other: one has an axis of 1 to spare."""
    for other in (each for each in others if each is not None):
        long, short = sorted((ours, [*other.shape]), key=len, reverse=True)
        is_apart = len(long) == len(short) + 1 > 3 and long[:2] == [short[0], 1]
        if is_apart and short[0] > 1 and long[2:] == short[1:]:
            yield {"answers": ours, "targets": [*other.shape], "made": [short[0], *short]}


def _compared(tape: OperationTape, operation: Operation, reached: set[Slot]) -> Any:
    """Yield what answers are compared with, and how often they agree, with own and others' rows."""
    given = [slot for slot in operation.given if slot not in reached]
    if len(operation.given) != 2 or len(given) != 1:
        return
    (ours,) = (slot for slot in operation.given if slot in reached)
    answers, truth = tape.values.get(ours), tape.values.get(given[0])
    made = tape.values.get(operation.made[0]) if operation.made else None
    if answers is None or truth is None or made is None:
        return
    told: dict[str, Any] = {
        "answers": [*answers.shape],
        "targets": [*truth.shape],
        "made": [*made.shape],
    }
    is_as_it_was = tape.is_as_it_was(ours) and tape.is_as_it_was(given[0])
    if is_as_it_was and answers.shape == truth.shape and truth.ndim and len(truth) > 1:
        own = float((answers == truth).double().mean())
        others = [
            float((answers == truth.roll(step, 0)).double().mean())
            for step in range(1, min(len(truth), 9))
        ]
        told["agree"] = [own, sum(others) / len(others)]
    yield told
