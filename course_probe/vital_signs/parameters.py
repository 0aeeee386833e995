"""The parameters of a model: which learn, which an optimizer holds, how far they have moved."""

import sys
import weakref
from collections.abc import Callable, Iterable
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

    @property
    def named(self) -> dict[str, Any]:
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
        self._rows = [self._row(name, p, ids) for name, p in self.named.items()]

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
            for parameter, own in zip(other.parameters(), self.named.values(), strict=False)
        )

    def is_equal(self, other: Any) -> bool:
        """Whether another model has the parameters that this one has now."""
        torch = sys.modules["torch"]
        theirs, own = dict(other.named_parameters()), self.named
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
        device = next(iter(self.named.values())).device
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

    def _has_moved(self) -> bool:
        torch = sys.modules["torch"]
        return any(
            not torch.equal(self._read(parameter), self._before[name])
            for name, parameter in self.named.items()
            if parameter.requires_grad
        )

    def signs(self, held: Iterable[Any] | None) -> dict[str, Any]:
        """Return the signs of the model.

        Args:
            held: the parameters that the optimizers hold; None where there is no optimizer.

        """
        self.read(held)
        _numbers, dtype, device = next(iter(self._about.values()), (0, "", None))
        found: dict[str, Any] = {
            "parameters": len(self._about),
            "numbers": sum(numbers for numbers, _dtype, _device in self._about.values()),
            "dtype": dtype.removeprefix("torch.") or None,
            "device": device,
        }
        if self._rows:
            # Else they were gone before anything was read.
            found["first_moved"] = self.first_moved
            found |= signs_of(self._rows, _parts, tells_held=self._has_held)
        return found

    def _row(self, name: str, parameter: Any, held: set[int] | None) -> dict[str, Any]:
        before = self._before[name]
        is_held = held is not None and id(parameter) in held
        change, norm = _norm(self._read(parameter) - before), _norm(before)
        return row(name, change, norm, learning=bool(parameter.requires_grad), held=is_held)


def _norm(numbers: Any) -> float:
    """Compute the norm of a tensor of any kind of numbers; half precision would not hold it."""
    return float((numbers if numbers.is_complex() else numbers.float()).norm())


def _parts(names: list[str], *, layers: bool) -> list[str]:
    """Return the part of a model that each parameter belongs to, as `bert.encoder.layer.0`."""
    found = []
    for name in names:
        words = name.split(".")[:-1] or [name]
        number = next((i for i, word in enumerate(words) if word.isdigit()), None)
        found.append(".".join(words[: 2 if number is None else number + layers]))
    return found


def row(name: str, change: float, norm: float, *, learning: bool, held: bool) -> dict[str, Any]:
    """Return what is known of one tensor: how far it has moved, of which length it was."""
    return {
        "name": name,
        "learning": learning,
        "held": held,
        # A weight that is no number any more has moved, but nobody can say how far.
        "moved": change != 0.0,
        "change": change if change - change == 0 else None,
        "norm": norm,
    }


def signs_of(
    rows: list[dict[str, Any]], parts_of: Callable[..., list[str]], *, tells_held: bool
) -> dict[str, Any]:
    """Compute the signs of all tensors, and of the parts of the model that their names tell."""
    found = _sums(rows, tells_held=tells_held)
    found["frozen_moved"] = sum(each["moved"] for each in rows if not each["learning"])
    if found["learning"]:
        found["moved_share"] = found["moved"] / found["learning"]
        if tells_held:
            found["held_share"] = found["held"] / found["learning"]
    for layers in (True, False):
        parts: dict[str, list[dict[str, Any]]] = {}
        names = parts_of([each["name"] for each in rows], layers=layers)
        for name, each in zip(names, rows, strict=True):
            parts.setdefault(name, []).append(each)
        if len(parts) <= MAX_GROUPS:
            break
    found["groups"] = [
        {"name": name, "parameters": len(members), **_sums(members, tells_held=tells_held)}
        for name, members in list(parts.items())[: 4 * MAX_GROUPS]
    ]
    return found


def _sums(rows: list[dict[str, Any]], *, tells_held: bool) -> dict[str, Any]:
    learning = [each for each in rows if each["learning"]]
    found = {
        "learning": len(learning),
        "moved": sum(each["moved"] for each in learning),
        "moved_by": ratio(learning),
    }
    return found | ({"held": sum(each["held"] for each in learning)} if tells_held else {})


def ratio(rows: list[dict[str, Any]]) -> float | None:
    """Compute the norm of all these tensors' change, divided by the norm of what they were."""
    if not rows or any(each["change"] is None for each in rows):
        return None
    change, norm = (sum(each[name] ** 2 for each in rows) ** 0.5 for name in ("change", "norm"))
    found = float(change / norm) if norm else None
    return found if found is not None and found - found == 0 else None
