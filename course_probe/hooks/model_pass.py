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


def by_name(
    model: Any, arguments: tuple[Any, ...], named: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    """Return the arguments of a pass by their names; None where one of them has none."""
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
    """Find the logits in a network's outputs, whatever they are called; None if there are none.

    A single output for each row tells two classes apart: it becomes the logits of both.
    """
    found = _found(outputs)
    return _of_two_classes(found.reshape(-1)) if is_single(outputs) else found


def is_single(outputs: Any) -> bool:
    """Return whether a network puts out a single number for each row."""
    found = _found(outputs)
    if not isinstance(found, sys.modules["torch"].Tensor) or not found.is_floating_point():
        return False
    return bool(found.ndim == 1 or (found.ndim == 2 and found.shape[1] == 1))


def _found(outputs: Any) -> Any:
    if sys.modules["torch"].is_tensor(outputs):
        return outputs
    if isinstance(outputs, Mapping):
        return outputs.get("logits")
    found = getattr(outputs, "logits", None)
    if found is None and isinstance(outputs, tuple | list):
        tables = [each for each in outputs if getattr(each, "ndim", 0) == 2]
        found = tables[0] if len(tables) == 1 else None
    return found


def _of_two_classes(outputs: Any) -> Any:
    """Make the logits of two classes from one output for each row, which may be a probability."""
    torch = sys.modules["torch"]
    if bool(((outputs >= 0) & (outputs <= 1)).all()):
        outputs = torch.logit(outputs, eps=1e-6)
    return torch.stack([torch.zeros_like(outputs), outputs], dim=1)


def as_tensor(column: Any) -> Any:
    """Return a column of a batch as a tensor; None for one that is no column of numbers."""
    torch = sys.modules["torch"]
    if isinstance(column, list | tuple) and all(type(each) is int for each in column):
        return torch.tensor(column)
    return column if torch.is_tensor(column) and column.ndim else None


def as_classes(column: Any) -> Any:
    """Return the classes that a column of a batch holds, one a row; None for any other column."""
    found = as_tensor(column)
    if found is None or found.ndim > 2 or (found.ndim == 2 and found.shape[1] != 1):
        return None
    if not found.is_floating_point():
        return found.flatten()
    # A loss for one output wants its two classes as 0.0 and 1.0.
    return found.flatten().long() if bool(((found == 0) | (found == 1)).all()) else None


def loss_of(outputs: Any) -> Any:
    """Find the loss in the outputs of a network of somebody's own; None where they have none."""
    if isinstance(outputs, Mapping):
        return outputs.get("loss")
    found = outputs if getattr(outputs, "ndim", 1) == 0 else getattr(outputs, "loss", None)
    if found is None and isinstance(outputs, tuple | list):
        numbers = [each for each in outputs if getattr(each, "ndim", 1) == 0]
        found = numbers[0] if len(numbers) == 1 else None
    return found
