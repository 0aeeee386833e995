"""The parameters of a model: which learn, which an optimizer holds, how far they have moved."""

import sys
import weakref
from collections.abc import Iterable, Mapping
from typing import Any

COPY_LIMIT = 2**30
"""Bytes of a model that are copied whole; of a larger one each tensor is sampled."""
SAMPLE = 65_536
"""Numbers of a tensor that are kept of a model too large to be copied."""
MAX_GROUPS = 12
"""Parts of a model that are told apart; of more, the layers count as one."""


class ParameterWatch:
    """The parameters of one model beside what they were when this was made."""

    def __init__(self, model: Any) -> None:
        self._model = weakref.ref(model)
        self._named = dict(model.named_parameters())
        size = sum(p.numel() * p.element_size() for p in self._named.values())
        self._is_whole = size <= COPY_LIMIT
        # In the processor's memory: a training may need all that a GPU has.
        self._before = {name: self._read(p, copy=True) for name, p in self._named.items()}
        self.first_moved: int | None = None
        self.first_move: float | None = None

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
        theirs = dict(other.named_parameters())
        return theirs.keys() == self._named.keys() and all(
            parameter.shape == theirs[name].shape
            and torch.equal(parameter.detach().cpu(), theirs[name].detach().cpu())
            for name, parameter in self._named.items()
        )

    def before(self) -> dict[str, Any] | None:
        """The parameters as they were, on the model's device; None where there is no room."""
        torch = sys.modules["torch"]
        device = next(iter(self._named.values())).device
        if not self._is_whole:
            return None
        if device.type == "cuda":
            size = sum(each.numel() * each.element_size() for each in self._before.values())
            if size * 4 > torch.cuda.mem_get_info(device)[0]:
                return None
        return {name: values.to(device) for name, values in self._before.items()}

    def note_step(self, step: int) -> None:
        """Look whether anything has moved by this step, until it has; seldom, later on."""
        if self.first_moved is None and step.bit_count() == 1 and self._has_moved():
            self.first_moved = step
            rows = (self._row(n, p, None, {}) for n, p in self._named.items() if p.requires_grad)
            self.first_move = _ratio(list(rows))

    def _has_moved(self) -> bool:
        torch = sys.modules["torch"]
        return any(
            not torch.equal(self._read(parameter), self._before[name])
            for name, parameter in self._named.items()
            if parameter.requires_grad
        )

    def signs(self, held: Iterable[Any] | None, gradients: Mapping[int, float]) -> dict[str, Any]:
        """The signs of the model.

        Args:
            held: the parameters that the optimizers hold; None where there is no optimizer.
            gradients: mean norms of gradients, by the identity of the parameter.

        """
        ids = {id(parameter) for parameter in held} if held is not None else None
        rows = [self._row(name, p, ids, gradients) for name, p in self._named.items()]
        learning = [row for row in rows if row["learning"]]
        first = next(iter(self._named.values()), None)
        found: dict[str, Any] = {
            "parameters": len(rows),
            "numbers": sum(parameter.numel() for parameter in self._named.values()),
            "learning": len(learning),
            "moved": sum(row["moved"] for row in learning),
            "moved_by": _ratio(learning),
            "first_moved": self.first_moved,
            "first_move": self.first_move,
            "frozen_moved": sum(row["moved"] for row in rows if not row["learning"]),
            "dtype": str(getattr(first, "dtype", "")).removeprefix("torch.") or None,
            "device": getattr(getattr(first, "device", None), "type", None),
            "groups": _groups(rows),
        }
        if ids is not None:
            found["held"] = sum(row["held"] for row in learning)
        if learning:
            found["moved_share"] = found["moved"] / len(learning)
            if ids is not None:
                found["held_share"] = found["held"] / len(learning)
        return found

    def left_zero(self, held: Iterable[Any] | None, gradients: Mapping[int, float]) -> int:
        """How many tables of weights began with zeros only, and never got another gradient.

        They are those that the optimizers hold; the arguments are those of `signs`.
        """
        ids = {id(parameter) for parameter in held or ()}
        return sum(
            p.ndim > 1
            and id(p) in ids
            and gradients.get(id(p)) == 0.0
            and not self._before[name].any()
            and not self._read(p).any()
            for name, p in self._named.items()
        )

    def _row(
        self, name: str, parameter: Any, held: set[int] | None, gradients: Mapping[int, float]
    ) -> dict[str, Any]:
        before = self._before[name]
        change = float((self._read(parameter) - before).float().norm())
        return {
            "name": name,
            "learning": bool(parameter.requires_grad),
            "held": held is not None and id(parameter) in held,
            # A weight that is no number any more has moved, but nobody can say how far.
            "moved": change != 0.0,
            "change": change if change - change == 0 else None,
            "norm": float(before.float().norm()),
            "gradient": gradients.get(id(parameter)),
        }


def _ratio(rows: list[dict[str, Any]]) -> float | None:
    """The norm of the change of all these parameters beside the norm of what they were."""
    if not rows or any(row["change"] is None for row in rows):
        return None
    change = sum(row["change"] ** 2 for row in rows) ** 0.5
    norm = sum(row["norm"] ** 2 for row in rows) ** 0.5
    ratio = float(change / norm) if norm else None
    return ratio if ratio is not None and ratio - ratio == 0 else None


def _groups(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The parts of the model by name, in their order."""
    for layers in (True, False):
        parts: dict[str, list[dict[str, Any]]] = {}
        for row in rows:
            parts.setdefault(_part(row["name"], layers=layers), []).append(row)
        if len(parts) <= MAX_GROUPS:
            break
    return [_group(name, members) for name, members in list(parts.items())[: 4 * MAX_GROUPS]]


def _group(name: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    learning = [row for row in rows if row["learning"]]
    gradients = [row["gradient"] for row in learning if row["gradient"] is not None]
    return {
        "name": name,
        "parameters": len(rows),
        "learning": len(learning),
        "held": sum(row["held"] for row in learning),
        "moved": sum(row["moved"] for row in learning),
        "moved_by": _ratio(learning),
        "gradient": sum(each**2 for each in gradients) ** 0.5 if gradients else None,
    }


def _part(name: str, *, layers: bool) -> str:
    """The part of a model that a parameter belongs to, as `bert.encoder.layer.0`."""
    words = name.split(".")[:-1] or [name]
    number = next((i for i, word in enumerate(words) if word.isdigit()), None)
    if number is not None:
        return ".".join(words[: number + layers])
    return ".".join(words[:2])
