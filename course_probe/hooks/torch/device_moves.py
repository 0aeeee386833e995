"""Remember which tensors a script has moved to a device.

On a machine with one device all tensors are in the same place, moved or not, and nothing fails.
What a script would do elsewhere is seen by whether it asks.
"""

import functools
import weakref
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

METHODS = ("to", "cuda")
"""Methods of a tensor that move it. (Functions that make one are left alone: a library that loads
weights knows them by what they are.)"""
MANY = 4096
"""Tensors that are remembered before those that are gone are forgotten."""


class DeviceMoves:
    """The tensors of one script that were moved to a device, while they live."""

    def __init__(self) -> None:
        self._moved: dict[int, weakref.ref[Any]] = {}

    def hook(self, module: ModuleType) -> None:
        """Observe what `torch` moves a tensor with."""
        kinds = (str, int, module.device, module.Tensor)
        for name in METHODS:
            setattr(module.Tensor, name, self._noted(getattr(module.Tensor, name), kinds))

    def _noted(self, original: Callable[..., Any], kinds: tuple[type, ...]) -> Callable[..., Any]:
        """Note the result of a call that names a device, by a first argument of these `kinds`."""
        to_device = original.__name__ == "cuda"

        @functools.wraps(original)
        def noted(*arguments: Any, **named: Any) -> Any:
            result = original(*arguments, **named)
            by_name = named.get("device") is not None or named.get("other") is not None
            if to_device or by_name or isinstance(_first(arguments), kinds):
                self._remember(result)
            return result

        return noted

    def _remember(self, tensor: Any) -> None:
        if len(self._moved) >= MANY:
            self._moved = {n: ref for n, ref in self._moved.items() if ref() is not None}
        self._moved[id(tensor)] = weakref.ref(tensor)

    def is_moved(self, values: Iterable[Any]) -> bool:
        """Whether each of these values that is a tensor was moved, or is a part of one that was."""
        return all(self._is_known(v) or self._is_known(v._base) for v in values if _is_tensor(v))

    def _is_known(self, tensor: Any) -> bool:
        found = self._moved.get(id(tensor))
        return found is not None and found() is tensor


def _first(arguments: tuple[Any, ...]) -> Any:
    """The first argument of a method, behind its object."""
    return arguments[1] if len(arguments) > 1 else None


def _is_tensor(value: Any) -> bool:
    return hasattr(value, "untyped_storage")
