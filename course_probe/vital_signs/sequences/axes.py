"""Along which axis a layer for sequences runs: along time, or from example to example.

A recurrent layer without `batch_first` takes (time, batch, features), and so does attention. Which
axis is that of the examples, is told by others: by the loader that has laid examples beside each
other, by targets that are the tokens of the next place, and by an answer for each example that
comes from one place of the layer's time alone.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from course_probe.forked import found_aside
from course_probe.vital_signs.weak import WeakTensors

CALLS = 400
"""Calls of such layers that are looked at, and losses behind them."""
LOOKS = 8
MOST_ASKED = 12
"""Losses that a child of the process is asked about."""
ENOUGH = 3
"""Losses that have to tell the same."""
SURE = 0.95
"""The share of the places at which a target is the token of the next one."""
LARGEST = 2**20
"""Numbers of an output that are differentiated."""


@dataclass(frozen=True)
class _Call:
    """What a layer gave: with its axis of time, of its first two. `places` are both sizes."""

    made: Any
    time: int

    @property
    def places(self) -> tuple[int, int]:
        """How many places the two axes have."""
        return int(self.made.shape[0]), int(self.made.shape[1])


class SequenceAxes:
    """The layers for sequences of one script, so many `calls`, and the losses behind them."""

    def __init__(self) -> None:
        self.calls = 0
        self._last: _Call | None = None
        self._alone: Any = None
        self._looks = self._exchanged = self._asked = 0

    @property
    def is_full(self) -> bool:
        """Whether no more is looked at."""
        return self.calls >= CALLS or self._looks >= LOOKS

    def note_layer(self, layer: Any, given: tuple[Any, ...], outputs: Any) -> None:
        """Take in what a recurrent layer, or one of attention, has given."""
        made = outputs[0] if isinstance(outputs, tuple) and outputs else outputs
        torch = sys.modules["torch"]
        self.calls += 1
        self._last = self._alone = None
        if self.is_full or type(made) is not torch.Tensor or not made.requires_grad:
            return
        first = given[0] if given else None
        if made.ndim == 3 and type(first) is torch.Tensor:
            self._last = _Call(made, 1 if getattr(layer, "batch_first", False) else 0)
        elif made.ndim == 2 and type(first) is torch.Tensor and len(made) > 1:
            # One sequence, without an axis for the batch.
            self._alone = made

    def note_loss(
        self,
        outputs: Any,
        target: Any,
        loaded: tuple[int, ...] | None,
        ids: WeakTensors,
    ) -> None:
        """Take in a loss of what came behind the last layer.

        Args:
            outputs: what the loss is given for the answers.
            target: what it is given for the truth.
            loaded: the first sizes of what a loader has laid together, one or two: the first axis
                is that of the examples, which were drawn; None where that is unknown.
            ids: token ids that networks were given last, by their shapes.

        """
        call, self._last = self._last, None
        alone, self._alone = self._alone, None
        told: bool | None = None
        if alone is not None and loaded is not None and target.ndim:
            told = loaded[0] == len(alone) == len(target) or None
        elif call is not None:
            told = _by_loader(call, loaded)
            if told is None:
                told = _by_next_token(call, target, ids)
            if told is None:
                told = _by_rows(call, outputs, target, loaded[0] if loaded else None, self._ask)
        if told is not None:
            self._looks += 1
            self._exchanged += told

    def _ask(self, find_out: Callable[[], bool | None]) -> bool | None:
        """Have a child of the process find something out, as long as that is no burden."""
        self._asked += 1
        found = found_aside(find_out) if self._asked <= MOST_ASKED else None
        return None if found is None else bool(found)

    def figures(self) -> dict[str, float]:
        """The share of the losses that tell of exchanged axes; nothing where too few tell."""
        if self._looks < ENOUGH:
            return {}
        return {"examples_as_time": self._exchanged / self._looks}


def _by_loader(call: _Call, loaded: tuple[int, ...] | None) -> bool | None:
    """Whether time is the axis of the examples that a loader has laid together."""
    if loaded is None or len(loaded) < 2 or loaded[0] == loaded[1]:
        return None
    if call.places == loaded:
        return call.time == 0
    if call.places == (loaded[1], loaded[0]):
        return call.time == 1
    return None


def _by_next_token(call: _Call, target: Any, ids: WeakTensors) -> bool | None:
    """Whether targets are the next tokens along the other axis than the layer's time."""
    rows, columns = call.places
    known = ids.get((rows, columns))
    if known is None or rows == columns or target.numel() != known.numel():
        return None
    if target.is_floating_point() or min(rows, columns) < 2:
        return None
    following = target.reshape(known.shape)
    along = [
        float((known[1:] == following[:-1]).float().mean()),
        float((known[:, 1:] == following[:, :-1]).float().mean()),
    ]
    if max(along) < SURE or min(along) >= SURE:
        return None
    return along[call.time] < SURE


def _by_rows(
    call: _Call,
    outputs: Any,
    target: Any,
    drawn: int | None,
    ask: Callable[[Callable[[], bool | None]], bool | None],
) -> bool | None:
    """Whether the answer for an example comes from a single place of the layer's time.

    Of so many examples that a loader has `drawn` it is known that they are no steps in time.
    """
    torch = sys.modules["torch"]
    sizes = call.places
    steps, examples = sizes[call.time], sizes[1 - call.time]
    rows = len(target) if target.ndim else 0
    if not outputs.ndim or len(outputs) != rows or rows < 2 or steps == examples:
        return None
    if rows == examples:
        return False
    is_one_each = examples > 1 and target.numel() % (steps * examples) != 0
    if rows != steps or not (is_one_each or drawn == rows) or outputs.numel() > LARGEST:
        return None
    place = rows // 2

    def is_alone() -> bool | None:
        (gradient,) = torch.autograd.grad(
            outputs[place].float().sum(), call.made, retain_graph=True, allow_unused=True
        )
        if gradient is None:
            return None
        reached = gradient.movedim(call.time, 0).reshape(steps, -1).abs().sum(1) > 0
        return bool(reached[place]) and int(reached.sum()) == 1

    # A backward pass calls the hooks of the script.
    return ask(is_alone)
