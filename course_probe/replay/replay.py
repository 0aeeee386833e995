"""A script's own loss as a function: the operations behind the last ones that hold a parameter.

What the network gives goes in as `outputs`, what the loss compares it with as `given`. Nothing here
knows a loss by its name: cross entropy, a formula by hand and a loss that a model computes within
its pass are the same to it. What an operation does not give once more, chance or what was changed
behind our back, is taken as it was.
"""

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from course_probe.replay.tape import Operation, OperationTape, Slot, replaced, tensors

MOST = 400
"""Operations of a loss that are replayed; a network without parameters would be many more."""
LARGEST = 2**22
"""Numbers of one tensor that are computed anew."""
OPAQUE = ("grad", "backward", "checkpoint")
"""Functions that reach into the graph itself, and can't be replayed on tensors of their own."""
SAME, SAME_HALF = 1e-4, 0.02
"""How far, of its own size, a value may be off and still be the same; one of half precision."""

Values = dict[Slot, Any]


class NotReplayed(Exception):
    """Says why a loss can't be asked again."""


class OutOfTime(Exception):
    """Says that what was asked so far took long enough."""


class LossPart:
    """The operations between what a network gives and a loss."""

    def __init__(self, tape: OperationTape, loss: Any) -> None:
        self._tape = tape
        found = tape.slot(loss)
        if found is None:
            raise NotReplayed("not heard")
        self.loss = found
        ours = (each for each in tape.operations if not _is_of_graph(tape, each))
        self.operations = _behind({slot: each for each in ours for slot in each.made}, self.loss)
        if len(self.operations) > MOST:
            raise NotReplayed("too many operations")
        self._settle()
        self.counts = self._begin_with_rows()
        entering = _entering(self.operations)
        for slot in entering:
            if tape.values[slot].numel() > LARGEST:
                raise NotReplayed("too large")
            if not tape.is_as_it_was(slot):
                raise NotReplayed("changed in place")
        self.values: Values = {slot: _plain(tape.values[slot]) for slot in entering}
        self.outputs = [slot for slot in entering if tape.values[slot].requires_grad]
        self.given = [slot for slot in entering if slot not in self.outputs]
        if not self.outputs:
            raise NotReplayed("nothing of a network")
        if tape.is_as_it_was(self.loss) and not same(self(), loss):
            raise NotReplayed("comes out otherwise")

    def __call__(self, changed: Mapping[Slot, Any] | None = None) -> Any:
        """Compute the loss, with other values of these slots."""
        return self.run(changed or {}, (self.loss,))[self.loss]

    def run(self, changed: Mapping[Slot, Any], wanted: Iterable[Slot]) -> Values:
        """Compute what these slots hold, with other values in some, which are not computed anew."""
        values = {**self.values, **changed}
        for operation in self.operations:
            if all(slot in changed for slot in operation.made):
                continue
            for slot, value in zip(operation.made, perform(operation, values), strict=False):
                if slot not in changed:
                    values[slot] = value
        return {slot: values[slot] for slot in wanted}

    def behind(self, slots: Iterable[Slot]) -> set[Slot]:
        """Return the slots whose values depend on these."""
        reached = set(slots)
        for operation in self.operations:
            if reached.intersection(operation.given):
                reached.update(operation.made)
        return reached

    def slot(self, tensor: Any) -> Slot | None:
        """Return the slot of a tensor, where it lies on the way from the network to the loss."""
        slot = self._tape.slot(tensor)
        made = {each for operation in self.operations for each in operation.made}
        return slot if slot in made or slot in self.values else None

    def touched(self, given: Iterable[Slot]) -> tuple[list[Slot], set[Slot]]:
        """Find what of the network first meets what is given, and which of the given meets it.

        Of a cross entropy these are its outputs and the labels; of `(made - y).abs()`, `made`.
        """
        from_network = self.behind(self.outputs)
        known: dict[Slot, set[Slot]] = {slot: {slot} for slot in given}
        meeting: list[Slot] = []
        met = set[Slot]()
        mixed = set[Slot]()
        for operation in self.operations:
            theirs = set[Slot]().union(*(known.get(slot, set()) for slot in operation.given))
            ours = [slot for slot in operation.given if slot in from_network]
            if ours:
                pure = [slot for slot in ours if slot not in mixed]
                side = [slot for slot in operation.given if slot in known]
                if side and pure:
                    meeting += [slot for slot in pure if slot not in meeting]
                    met |= theirs
                if side or any(slot in mixed for slot in ours):
                    mixed.update(operation.made)
            elif theirs:
                for slot in operation.made:
                    known[slot] = theirs
        return meeting, met

    def _settle(self) -> None:
        """Keep of the operations those that give once more what they gave; others' is taken."""
        tape = self._tape
        values: Values = {}
        kept: dict[Slot, Operation] = {}
        for operation in self.operations:
            for slot in operation.given:
                values.setdefault(slot, _plain(tape.values[slot]))
            # What is changed in place, and made nowhere here, is there only as it is now.
            is_leaf = operation.changed is not None and operation.changed not in kept
            made = None if is_leaf else _tried(operation, values)
            if made is not None and all(
                not tape.is_as_it_was(slot) or same(value, tape.values[slot])
                for slot, value in zip(operation.made, made, strict=False)
            ):
                kept.update(dict.fromkeys(operation.made, operation))
            else:
                made = [_plain(tape.values[slot]) for slot in operation.made]
            values.update(zip(operation.made, made, strict=False))
        self.operations = _behind(kept, self.loss)
        if not self.operations:
            raise NotReplayed("nothing behind the network")

    def _begin_with_rows(self) -> set[int]:
        """Take the rows of a batch as given, not what they were put together or chosen from.

        Returns how many rows there may be, by what comes of the network.
        """
        values = self._tape.values
        ours = [each for each in _entering(self.operations) if values[each].requires_grad]
        counts = {count for slot in ours for count in _counts(values[slot].shape)}
        from_network = self.behind(ours)
        largest = max(counts, default=0)
        for operation in [*self.operations]:
            lengths = [values[each].shape[:1] for each in operation.given]
            has_rows = any(len(each) and each[0] in counts for each in lengths)
            is_chosen = any(len(each) and each[0] > largest for each in lengths)
            # What is only laid out anew is no choice.
            sizes = {values[each].numel() for each in operation.given}
            is_whole = any(values[each].numel() in sizes for each in operation.made)
            if (
                not from_network.intersection(operation.given)
                and not is_whole
                and (is_chosen or not has_rows)
                and all(values[each].shape[:1] for each in operation.made)
                and all(values[each].shape[0] in counts for each in operation.made)
                and all(self._tape.is_as_it_was(each) for each in operation.made)
            ):
                self.operations.remove(operation)
        made = {slot: each for each in self.operations for slot in each.made}
        self.operations = _behind(made, self.loss)
        return counts


class Gradients:
    """The slopes of a part's loss in some slots, at other values of any."""

    def __init__(self, part: LossPart, slots: Sequence[Slot]) -> None:
        self._part = part
        self._slots = slots

    def at(self, values: Mapping[Slot, Any]) -> list[Any]:
        """Compute the gradient in each of the slots, which `values` has to hold."""
        torch = sys.modules["torch"]
        with torch.enable_grad():
            at = {slot: values[slot].detach().clone().requires_grad_() for slot in self._slots}
            loss = self._part({**values, **at})
            found = torch.autograd.grad(loss.sum(), [*at.values()], allow_unused=True)
        return [
            torch.zeros_like(each) if slope is None else slope
            for slope, each in zip(found, at.values(), strict=True)
        ]


def perform(operation: Operation, values: Values) -> list[Any]:
    """Run an operation on these values; return its results in the order of its slots."""
    values = {slot: values[slot] for slot in operation.given}
    if operation.changed is not None:
        values[operation.changed] = values[operation.changed].clone()
    arguments = replaced(operation.arguments, values.__getitem__, Slot)
    named = replaced(operation.named, values.__getitem__, Slot)
    made = [*tensors(operation.function(*arguments, **named))]
    return made if made or operation.changed is None else [values[operation.changed]]


def _is_of_graph(tape: OperationTape, operation: Operation) -> bool:
    """Return whether rows are mixed by a table of their pairs, as a graph's last layer does."""
    given = [tape.values.get(slot) for slot in operation.given]
    tables = [one for one in given if one is not None and one.ndim == 2 and not one.requires_grad]
    is_product = "matmul" in operation.name or "mm" in operation.name
    return is_product and len(given) > 1 and any(one.shape[0] == one.shape[1] for one in tables)


def _is_half(tensor: Any) -> bool:
    return bool(tensor.is_floating_point() and tensor.itemsize < 4)


def _plain(tensor: Any) -> Any:
    """Return the numbers of a tensor, half precision as float32: so losses are computed."""
    return tensor.detach().float() if _is_half(tensor) else tensor.detach()


def same(one: Any, heard: Any) -> bool:
    """Return whether a tensor holds what was heard, but for rounding."""
    if one.shape != heard.shape:
        return False
    other = _plain(heard)
    if not other.is_floating_point():
        return bool((one == other).all())
    torch = sys.modules["torch"]
    room = SAME_HALF if _is_half(heard) else SAME
    size = float(other.abs().amax()) if other.numel() else 0.0
    return bool(
        torch.allclose(
            one.to(other.dtype), other, rtol=room, atol=room * size + 1e-12, equal_nan=True
        )
    )


def _counts(shape: Sequence[int]) -> set[int]:
    """Return how many rows outputs of this shape may be, of examples or of places in them."""
    return {*shape[:1], math.prod(shape[:2])} if shape else set()


def _tried(operation: Operation, values: Values) -> list[Any] | None:
    try:
        return perform(operation, values)
    except Exception:  # noqa: BLE001 (what is not replayed is taken as it was)
        return None


def _behind(made: Mapping[Slot, Operation], loss: Slot) -> list[Operation]:
    """Return the operations that lead to a loss, in order, up to those that hold a parameter."""
    found = set[Operation]()
    waiting = [loss]
    while waiting:
        operation = made.get(waiting.pop())
        if operation is None or operation in found:
            continue
        # What is made of no tensor, labels of a list or places, is given as it is.
        is_ours = operation.given and not operation.has_parameter
        if is_ours and operation.name not in OPAQUE:
            found.add(operation)
            waiting += operation.given
    return sorted(found, key=lambda each: each.number)


def _entering(operations: Sequence[Operation]) -> list[Slot]:
    """Return the slots that the operations take and none of them makes."""
    made = set[Slot]()
    found: dict[Slot, None] = {}
    for operation in operations:
        found.update(dict.fromkeys(slot for slot in operation.given if slot not in made))
        made.update(operation.made)
    return [*found]
