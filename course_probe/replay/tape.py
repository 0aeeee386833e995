"""The operations of one step as records that can be replayed.

It is open from a pass on (or from the end of an evaluation's pass, whose layers keep their fast
path), and is read at a backward. Nothing is copied: a value is the script's own tensor, and the
count of its changes tells whether it still is what the operation was given.
"""

import sys
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from course_probe.replay.hearing import Tape

LEAVE = {"numpy", "tolist", "item", "__array__", "__float__"}
"""By which numbers leave PyTorch: they make no tensor, and are told."""
MOST = 4_000
"""Operations that are kept, the last ones."""


@dataclass(frozen=True)
class Slot:
    """The place of a tensor in a record: a tensor that is changed in place has one for each."""

    number: int


@dataclass(frozen=True, eq=False)
class Operation:
    """One call: what it was given, with slots for tensors, and the slots of what it gave.

    `changed` is the slot, of those given, whose tensor it changed in place.
    """

    number: int
    function: Any
    arguments: tuple[Any, ...]
    named: dict[str, Any]
    given: tuple[Slot, ...]
    made: tuple[Slot, ...]
    has_parameter: bool
    changed: Slot | None = None

    @property
    def name(self) -> str:
        """Return what the function is called in PyTorch."""
        return str(getattr(self.function, "__name__", ""))


class OperationTape(Tape):
    """Records the operations of one script, one step or batch at a time."""

    def __init__(self, log: Any) -> None:
        super().__init__(log, self._take)
        self._is_resting = False
        self.forget()

    def open(self) -> None:
        """Hear what comes; what is heard already is heard on."""
        self._is_resting = False
        super().open()

    def close(self) -> None:
        """Hear no more. Within a backward, which has put the mode aside, nothing more is kept."""
        self._is_resting = True
        super().close()

    def forget(self) -> None:
        """Keep nothing: another step begins."""
        self.operations: deque[Operation] = deque()
        self.values: dict[Slot, Any] = {}
        self._slots: dict[int, Slot] = {}
        self._versions: dict[Slot, int] = {}
        self._tables = set[Slot]()
        self._next = self._count = 0

    def slot(self, tensor: Any) -> Slot | None:
        """Return the slot of a tensor as it is now; None for one that was never heard of."""
        return self._slots.get(id(tensor))

    def is_as_it_was(self, slot: Slot) -> bool:
        """Return whether a tensor has not been changed in place since."""
        return self._versions.get(slot) == _version(self.values.get(slot))

    def _take(self, function: Any, arguments: Any, named: Any, found: Any) -> None:
        if self._is_resting:
            return
        given_tensors = [*tensors((arguments, named))]
        made_tensors = [*tensors(found)]
        if not given_tensors:
            # What is made of no tensor is a constant wherever it is used, and is not kept alive.
            return
        given = tuple(map(self._known, given_tensors))
        changed = {
            slot: tensor
            for slot, tensor in zip(given, given_tensors, strict=True)
            if self._versions[slot] != _version(tensor)
        }
        if not made_tensors and not changed and function.__name__ not in LEAVE:
            return
        plain, plain_named = self._slotted(arguments), self._slotted(named)
        for tensor in changed.values():
            self._add(tensor)
        # What is handed back as it came, a tensor changed in place too, keeps its one slot.
        made = tuple(
            self._known(each) if any(each is one for one in given_tensors) else self._add(each)
            for each in made_tensors
        )
        if changed and not made:
            made = tuple(map(self._known, changed.values()))[:1]
        if made and not set(made) - set(given):
            return
        self._count += 1
        # A table that is made of parameters alone, as `self.table.T`, is one as well.
        own = [
            slot in self._tables or is_parameter(tensor)
            for slot, tensor in zip(given, given_tensors, strict=True)
        ]
        has_parameter = any(own)
        if has_parameter and all(own):
            self._tables.update(each for each in made if self.values[each].ndim > 1)
        if len(self.operations) >= MOST:
            self._drop(self.operations.popleft())
        self.operations.append(
            Operation(
                self._count,
                function,
                plain,
                plain_named,
                given,
                made,
                has_parameter,
                next(iter(changed), None),
            )
        )

    def _known(self, tensor: Any) -> Slot:
        slot = self._slots.get(id(tensor))
        return self._add(tensor) if slot is None else slot

    def _add(self, tensor: Any) -> Slot:
        slot = Slot(self._next)
        self._next += 1
        self._slots[id(tensor)] = slot
        self.values[slot] = tensor
        self._versions[slot] = _version(tensor)
        return slot

    def _drop(self, operation: Operation) -> None:
        for slot in operation.made:
            tensor = self.values.pop(slot, None)
            self._versions.pop(slot, None)
            if tensor is not None and self._slots.get(id(tensor)) == slot:
                del self._slots[id(tensor)]

    def _slotted(self, value: Any) -> Any:
        return replaced(value, self._known)


def is_parameter(tensor: Any) -> bool:
    """Return whether a tensor is learned, or could be: a frozen one is the network's as well."""
    torch = sys.modules["torch"]
    is_learned = tensor.requires_grad and tensor.is_leaf
    return bool(is_learned or isinstance(tensor, torch.nn.Parameter))


def tensors(value: Any) -> Iterator[Any]:
    """Yield the tensors in tuples, lists and mappings, and in outputs that are any of these."""
    torch = sys.modules["torch"]
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for each in value:
            yield from tensors(each)
    elif isinstance(value, dict):
        for each in value.values():
            yield from tensors(each)


def laid_out(value: Any) -> Iterator[Any]:
    """Yield the tensors in a value of which all numbers are laid out: not those that are sparse."""
    strided = sys.modules["torch"].strided
    return (each for each in tensors(value) if each.layout is strided)


def replaced(value: Any, by: Callable[[Any], Any], kind: Any = None) -> Any:
    """Copy tuples, lists and mappings with other things in place of the tensors in them."""
    kind = sys.modules["torch"].Tensor if kind is None else kind
    if isinstance(value, kind):
        return by(value)
    if isinstance(value, slice):
        parts = (replaced(each, by, kind) for each in (value.start, value.stop, value.step))
        return slice(*parts)
    if isinstance(value, tuple):
        made = [replaced(each, by, kind) for each in value]
        return type(value)(*made) if hasattr(value, "_fields") else tuple(made)
    if isinstance(value, list):
        return [replaced(each, by, kind) for each in value]
    if isinstance(value, dict):
        same = {name: replaced(each, by, kind) for name, each in value.items()}
        return type(value)(**same) if hasattr(value, "to_tuple") else same
    return value


def _version(tensor: Any) -> int:
    # Those of inference count no changes.
    return -1 if tensor is None or tensor.is_inference() else int(tensor._version)
