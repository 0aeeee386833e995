"""The gradients of a few parameters around the script's own backward, at steps that are looked at.

What a backward adds to `p.grad` is the gradient of its loss. So what a step is taken with is told
apart: gradients of the losses since the step before, of older ones, or of none. A second backward
would call the script's hooks twice.
"""

import sys
import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from course_probe.replay.places import places

PARAMETERS = 6
"""Parameters that are looked at, of those that a loss reaches: the first, the last, others."""
MOST_WATCHED = 24
MOST_NODES = 20_000
"""Operations of a graph that are walked through."""


@dataclass
class Graph:
    """What a loss is made of: passes by their sequence numbers, and the parameters it reaches.

    Other tensors that it sends gradients to, such as inputs, are `others`.
    """

    passes: set[int] = field(default_factory=set)
    leaves: list[Any] = field(default_factory=list)
    others: list[Any] = field(default_factory=list)
    whole: bool = True


def walk(root: Any, wanted: Iterable[int]) -> Graph:
    """Go through the graph of a loss, for the operations `wanted` and the leaves."""
    numbers, found = set(wanted), Graph()
    first = getattr(root, "grad_fn", None)
    if first is None:
        return found
    parameter = sys.modules["torch"].nn.Parameter
    seen, waiting = {first}, [first]
    while waiting:
        node = waiting.pop()
        number = node._sequence_nr()
        if number in numbers:
            found.passes.add(number)
        for other, _place in node.next_functions:
            if other is None or other in seen:
                continue
            if len(seen) >= MOST_NODES:
                found.whole = False
                return found
            seen.add(other)
            leaf = getattr(other, "variable", None)
            if leaf is None:
                waiting.append(other)
            else:
                (found.leaves if isinstance(leaf, parameter) else found.others).append(leaf)
    return found


class _WatchedParameter:
    """One parameter: its gradient around each backward since the last step."""

    def __init__(self, parameter: Any) -> None:
        self.parameter: Callable[[], Any] = weakref.ref(parameter)
        self.before: list[Any] = []
        self.after: list[Any] = []
        self.values: Any = None


@dataclass
class AuditedStep:
    """Numbers of one step, still on their device; one by hand belongs to a `loss`."""

    kind: dict[str, Any]
    numbers: list[Any] = field(default_factory=list)
    shapes: list[int] = field(default_factory=list)
    absent: int = 0
    loss: Any = None


class Audit:
    """The parameters that are looked at until the next step."""

    def __init__(self) -> None:
        self._watched: dict[int, _WatchedParameter] = {}

    def begin_backward(self, leaves: list[Any]) -> None:
        """Copy gradients of these parameters, before a loss is sent backward to them."""
        plain = [p for p in leaves if p.is_floating_point() and p.layout is _strided()]
        for parameter in _spread(plain, PARAMETERS):
            if id(parameter) not in self._watched and len(self._watched) < MOST_WATCHED:
                self._watched[id(parameter)] = _WatchedParameter(parameter)
        for each in self._watched.values():
            # Of a backward that failed there is no end.
            del each.before[len(each.after) :]
            each.before.append(_gradient(each.parameter()))

    def end_backward(self) -> None:
        """Copy the gradients after a backward, and the values as they are before any step."""
        for each in self._watched.values():
            parameter = each.parameter()
            each.after.append(_gradient(parameter))
            each.values = places(parameter) if parameter is not None else None

    def watched(self) -> tuple[Any, ...]:
        """Return the parameters that are looked at, as far as they are there."""
        found = (each.parameter() for each in self._watched.values())
        return tuple(each for each in found if each is not None)

    def at_step(self, held: set[int] | None, kind: dict[str, Any]) -> AuditedStep:
        """Record a step about to be taken, by an optimizer that holds these, or by hand."""
        step = AuditedStep(kind)
        for key, each in self._watched.items():
            if (held is not None and key not in held) or not each.after:
                continue
            now = _gradient(each.parameter())
            numbers = _chain(each, now)
            step.absent += now is None
            step.numbers += numbers
            step.shapes.append(len(each.after))
        return step

    def moved(self, held: set[int] | None) -> list[Any]:
        """How far the parameters have gone since the last backward, and how long they are."""
        found: list[Any] = []
        for key, each in self._watched.items():
            parameter = each.parameter()
            if each.values is None or parameter is None or (held is not None and key not in held):
                continue
            now = places(parameter)
            found += [(now - each.values).norm(), each.values.norm()]
        return found

    def forget(self) -> None:
        """Forget the parameters that were watched: the step is taken."""
        self._watched.clear()


def _chain(each: _WatchedParameter, now: Any) -> list[Any]:
    """For each backward: what was there, what it added, what was changed before it; then the step.

    All of them are lengths of a gradient.
    """
    zero = next((g for g in [*each.after, *each.before] if g is not None), None)
    zero = zero.new_zeros(()) if zero is not None else sys.modules["torch"].zeros(())
    numbers: list[Any] = []
    last: Any = None
    for before, after in zip(each.before, each.after, strict=False):
        was = before if before is not None else zero
        added = (after if after is not None else zero) - was
        gap = was - last if last is not None else zero
        last = after if after is not None else zero
        numbers += [was.norm(), added.norm(), gap.norm()]
    then = now if now is not None else zero
    return [*numbers, then.norm()]


def _spread(values: list[Any], most: int) -> list[Any]:
    if len(values) <= most:
        return values
    return [values[round(place * (len(values) - 1) / (most - 1))] for place in range(most)]


def _strided() -> Any:
    return sys.modules["torch"].strided


def _gradient(parameter: Any) -> Any:
    """Copy places of a parameter's gradient; return None where it has none, or a sparse one."""
    gradient = parameter.grad if parameter is not None else None
    if gradient is None or gradient.layout is not _strided():
        return None
    return places(gradient)


def told(step: AuditedStep, values: list[float]) -> dict[str, Any]:
    """Compute the lengths of a step's gradient from the numbers of the step, once they are read.

    `left` was there before the first backward since the last step, `between` is what was changed
    between two of them.
    """
    squares = {"left": 0.0, "added": 0.0, "norm": 0.0, "between": 0.0}
    place = 0
    for backwards in step.shapes:
        part = values[place : place + 3 * backwards + 1]
        place += len(part)
        squares["left"] += part[0] ** 2
        squares["added"] += sum(part[3 * n + 1] ** 2 for n in range(backwards))
        squares["between"] += sum(part[3 * n + 2] ** 2 for n in range(1, backwards))
        squares["norm"] += part[-1] ** 2
    moves, sizes = values[place::2], values[place + 1 :: 2]
    size = sum(each**2 for each in sizes) ** 0.5
    return {
        **step.kind,
        "parameters": len(step.shapes),
        "absent": step.absent,
        **{name: value**0.5 for name, value in squares.items()},
        "moved": sum(each**2 for each in moves) ** 0.5 if moves else None,
        "size": size if sizes else None,
    }
