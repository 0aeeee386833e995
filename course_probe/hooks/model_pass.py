"""A pass of a network, as it is told to those who count: what went in, and what came out."""

import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ModelPass:
    """One pass of the network that a script trains or asks, by names.

    `model` is the outermost one, which was `given` its arguments and has computed `logits` (rows ×
    classes; None if unknown). `encoder` is the model of `transformers` in it, mostly itself, which
    had the token `ids` and the other inputs `named`.
    """

    compute: Callable[..., Any]
    model: Any
    given: Mapping[str, Any]
    encoder: Any
    ids: Any
    named: Mapping[str, Any]
    logits: Any

    def again(self) -> Any:
        """Compute the logits once more."""
        return logits_of(self.compute(self.model, **self.given))


def by_name(
    model: Any, arguments: tuple[Any, ...], named: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    """The arguments of a pass by their names; None where one of them has none."""
    if not arguments:
        return named
    try:
        bound = inspect.signature(model.forward).bind(*arguments, **named)
    except (TypeError, ValueError):
        return None
    found = dict(bound.arguments)
    for each in bound.signature.parameters.values():
        if each.kind is each.VAR_POSITIONAL and found.pop(each.name, ()):
            return None
        if each.kind is each.VAR_KEYWORD:
            found |= found.pop(each.name, {})
    return found


def logits_of(outputs: Any) -> Any:
    """The logits in what a network puts out, whatever it calls them; None if they are not found."""
    torch = sys.modules["torch"]
    if isinstance(outputs, torch.Tensor):
        return outputs
    if isinstance(outputs, Mapping):
        return outputs.get("logits")
    found = getattr(outputs, "logits", None)
    if found is None and isinstance(outputs, tuple | list):
        tables = [each for each in outputs if getattr(each, "ndim", 0) == 2]
        found = tables[0] if len(tables) == 1 else None
    return found


def loss_of(outputs: Any) -> Any:
    """The loss in what a network of somebody's own puts out; None where it has none."""
    if isinstance(outputs, Mapping):
        return outputs.get("loss")
    found = getattr(outputs, "loss", None)
    if found is None and isinstance(outputs, tuple | list):
        numbers = [each for each in outputs if getattr(each, "ndim", 1) == 0]
        found = numbers[0] if len(numbers) == 1 else None
    return found
