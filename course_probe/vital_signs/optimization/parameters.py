"""The parameters of a model: which learn, which an optimizer holds, how far they have moved."""

import sys
import weakref
from collections.abc import Iterable
from typing import Any

COPY_LIMIT = 2**30
"""Bytes of a model that are copied whole; of a larger one each tensor is sampled."""
SAMPLE = 65_536
"""Numbers of a tensor that are kept of a model too large to be copied."""
MAX_GROUPS = 12
"""Parts of a model that are told apart; of more, the layers count as one."""


class ParameterWatch:
    """The parameters of one model beside what they were when this was made.

    The model is the script's own, and goes when that lets go of it: of one that is gone, what was
    `read` last is known.
    """

    def __init__(self, model: Any) -> None:
        self._model = weakref.ref(model)
        named = dict(model.named_parameters())
        self._references = {name: weakref.ref(p) for name, p in named.items()}
        self._all = set(named)
        self._about = {name: (p.numel(), str(p.dtype), p.device.type) for name, p in named.items()}
        size = sum(p.numel() * p.element_size() for p in named.values())
        self._is_whole = size <= COPY_LIMIT
        # In the processor's memory: a training may need all that a GPU has.
        self._before = {name: self._read(p, copy=True) for name, p in named.items()}
        self._rows: list[dict[str, Any]] = []
        self._has_held = False
        self.first_moved: int | None = None
        self.first_move: float | None = None

    @property
    def _named(self) -> dict[str, Any]:
        """The parameters that are still there, by name."""
        found = {name: reference() for name, reference in self._references.items()}
        return {name: p for name, p in found.items() if p is not None}

    @property
    def is_gone(self) -> bool:
        """Whether a parameter is gone: with it what it has become."""
        gone = any(reference() is None for reference in self._references.values())
        if gone:
            self._before.clear()
        return gone

    def read(self, held: Iterable[Any] | None) -> None:
        """Look how far all have moved by now; `held` is as for `signs`."""
        if self.is_gone:
            return
        ids = {id(parameter) for parameter in held} if held is not None else None
        self._has_held = ids is not None
        self._rows = [self._row(name, p, ids) for name, p in self._named.items()]

    def _read(self, parameter: Any, *, copy: bool = False) -> Any:
        values = parameter.detach()
        if not self._is_whole:
            values = values.flatten()[:: max(1, parameter.numel() // SAMPLE)]
        return values.to("cpu", copy=copy)

    @property
    def model(self) -> Any:
        """The model; None once it is gone."""
        return self._model()

    def is_held(self, other: Any) -> bool:
        """Whether this is the model that is watched, or one that shares its parameters."""
        return other is self.model or any(
            parameter is own
            for parameter, own in zip(other.parameters(), self._named.values(), strict=False)
        )

    def is_equal(self, other: Any) -> bool:
        """Whether another model has the parameters that this one has now."""
        torch = sys.modules["torch"]
        theirs, own = dict(other.named_parameters()), self._named
        return theirs.keys() == own.keys() == self._all and all(
            parameter.shape == theirs[name].shape
            and torch.equal(parameter.detach().cpu(), theirs[name].detach().cpu())
            for name, parameter in own.items()
        )

    def before(self) -> dict[str, Any] | None:
        """Return the parameters as they were, on the model's device; None if there is no room."""
        torch = sys.modules["torch"]
        if not self._is_whole or self.is_gone or not self._references:
            return None
        device = next(iter(self._named.values())).device
        if device.type == "cuda":
            size = sum(each.numel() * each.element_size() for each in self._before.values())
            if size * 4 > torch.cuda.mem_get_info(device)[0]:
                return None
        return {name: values.to(device) for name, values in self._before.items()}

    def note_step(self, step: int) -> None:
        """Look whether anything has moved by this step, until it has; seldom, later on."""
        if step.bit_count() != 1 or self.is_gone:
            return
        if self.first_moved is None and self._has_moved():
            self.first_moved = step
            rows = (self._row(n, p, None) for n, p in self._named.items() if p.requires_grad)
            self.first_move = _ratio(list(rows))

    def _has_moved(self) -> bool:
        torch = sys.modules["torch"]
        return any(
            not torch.equal(self._read(parameter), self._before[name])
            for name, parameter in self._named.items()
            if parameter.requires_grad
        )

    def signs(self, held: Iterable[Any] | None) -> dict[str, Any]:
        """Return the signs of the model.

        Args:
            held: the parameters that the optimizers hold; None where there is no optimizer.

        """
        self.read(held)
        rows = self._rows
        learning = [row for row in rows if row["learning"]]
        _numbers, dtype, device = next(iter(self._about.values()), (0, "", None))
        found: dict[str, Any] = {
            "parameters": len(self._about),
            "numbers": sum(numbers for numbers, _dtype, _device in self._about.values()),
            "learning": len(learning),
            "moved": sum(row["moved"] for row in learning),
            "moved_by": _ratio(learning),
            "first_moved": self.first_moved,
            "first_move": self.first_move,
            "frozen_moved": sum(row["moved"] for row in rows if not row["learning"]),
            "dtype": dtype.removeprefix("torch.") or None,
            "device": device,
            "groups": _groups(rows),
        }
        if not rows:
            # They were gone before anything was read.
            return {name: found[name] for name in ("parameters", "numbers", "dtype", "device")}
        if self._has_held:
            found["held"] = sum(row["held"] for row in learning)
        if learning:
            found["moved_share"] = found["moved"] / len(learning)
            if self._has_held:
                found["held_share"] = found["held"] / len(learning)
        return found

    def _row(self, name: str, parameter: Any, held: set[int] | None) -> dict[str, Any]:
        before = self._before[name]
        change = _norm(self._read(parameter) - before)
        return {
            "name": name,
            "learning": bool(parameter.requires_grad),
            "held": held is not None and id(parameter) in held,
            # A weight that is no number any more has moved, but nobody can say how far.
            "moved": change != 0.0,
            "change": change if change - change == 0 else None,
            "norm": _norm(before),
        }


def _norm(numbers: Any) -> float:
    """Compute the norm of a tensor of any kind of numbers; half precision would not hold it."""
    return float((numbers if numbers.is_complex() else numbers.float()).norm())


def _ratio(rows: list[dict[str, Any]]) -> float | None:
    """Compute the norm of all these parameters' change, divided by the norm of what they were."""
    if not rows or any(row["change"] is None for row in rows):
        return None
    change = sum(row["change"] ** 2 for row in rows) ** 0.5
    norm = sum(row["norm"] ** 2 for row in rows) ** 0.5
    ratio = float(change / norm) if norm else None
    return ratio if ratio is not None and ratio - ratio == 0 else None


def _groups(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Group the parameters by parts of the model, in their order."""
    for layers in (True, False):
        parts: dict[str, list[dict[str, Any]]] = {}
        for row in rows:
            parts.setdefault(_part(row["name"], layers=layers), []).append(row)
        if len(parts) <= MAX_GROUPS:
            break
    return [_group(name, members) for name, members in list(parts.items())[: 4 * MAX_GROUPS]]


def _group(name: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    learning = [row for row in rows if row["learning"]]
    return {
        "name": name,
        "parameters": len(rows),
        "learning": len(learning),
        "held": sum(row["held"] for row in learning),
        "moved": sum(row["moved"] for row in learning),
        "moved_by": _ratio(learning),
    }


def _part(name: str, *, layers: bool) -> str:
    """Return the part of a model that a parameter belongs to, as `bert.encoder.layer.0`."""
    words = name.split(".")[:-1] or [name]
    number = next((i for i, word in enumerate(words) if word.isdigit()), None)
    if number is not None:
        return ".".join(words[: number + layers])
    return ".".join(words[:2])
