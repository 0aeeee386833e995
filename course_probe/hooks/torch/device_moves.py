"""Remember which tensors a script has moved to a device.

On a machine with one device all tensors are in the same place, moved or not, and nothing fails.
What a script would do elsewhere is seen by whether it asks.
"""

import functools
import importlib
import weakref
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

METHODS = ("to", "cuda")
"""Methods of a tensor that move it."""
MAKERS = ("tensor", "as_tensor", "asarray", "zeros", "ones", "full", "empty", "arange")
"""Functions of `torch` that make a tensor in a place."""
KEEPERS = ("long", "int", "bool", "float", "clone", "contiguous", "masked_fill", "ne", "__ne__")
"""Methods of a tensor that make another one in its place."""
LIKE = ("zeros_like", "ones_like", "full_like")
"""Functions of `torch` that do the same."""
JOINERS = ("stack", "cat", "concat")
"""Functions of `torch` that make one tensor of several, which are all in its place."""
MANY = 4096
"""Tensors that are remembered before those that are gone are forgotten."""


class DeviceMoves:
    """The tensors of one script that were moved to a device, while they live."""

    def __init__(self) -> None:
        self._moved: dict[int, weakref.ref[Any]] = {}
        self._has_default = False

    def hook(self, module: ModuleType) -> None:
        """Observe what `torch` moves a tensor with."""
        kinds = (str, int, module.device, module.Tensor)
        for name in METHODS:
            setattr(module.Tensor, name, self._noted(getattr(module.Tensor, name), kinds))
        # `with torch.device(…)` knows the functions that make tensors by what they are, and looks
        # at them once: before they are others.
        importlib.import_module("torch.utils._device")._device_constructors()
        defaulting = self._defaulting(getattr(module, "set_default_device"))  # noqa: B009 (for mypy)
        setattr(module, "set_default_device", defaulting)  # noqa: B010
        for name in MAKERS:
            setattr(module, name, self._made(getattr(module, name)))
        for owner, names in ((module.Tensor, KEEPERS), (module, LIKE)):
            for name in names:
                setattr(owner, name, self._kept(getattr(owner, name)))
        for name in JOINERS:
            setattr(module, name, self._joined(getattr(module, name)))

    def hook_padding(self, module: ModuleType) -> None:
        """Observe `pad_sequence` of `torch.nn.utils.rnn`, which joins tensors as well."""
        setattr(module, "pad_sequence", self._joined(module.pad_sequence))  # noqa: B010 (for mypy)

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

    def _made(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Note what a call that names a device makes."""

        @functools.wraps(original)
        def made(*arguments: Any, **named: Any) -> Any:
            result = original(*arguments, **named)
            if self._has_default or named.get("device") is not None:
                self._remember(result)
            return result

        return made

    def _defaulting(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Note that all that is made from now on is made on a device."""

        @functools.wraps(original)
        def defaulting(device: Any) -> Any:
            result = original(device)
            self._has_default = device is not None
            return result

        return defaulting

    def _kept(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Note what is made of a tensor that was moved."""

        @functools.wraps(original)
        def kept(tensor: Any, *arguments: Any, **named: Any) -> Any:
            result = original(tensor, *arguments, **named)
            if self._moved and _is_tensor(result) and self.is_moved((tensor,)):
                self._remember(result)
            return result

        return kept

    def _joined(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Note what is made of tensors that were all moved."""

        @functools.wraps(original)
        def joined(*arguments: Any, **named: Any) -> Any:
            result = original(*arguments, **named)
            tensors = arguments[0] if arguments else ()
            if self._moved and isinstance(tensors, list | tuple) and self.is_moved(tensors):
                self._remember(result)
            return result

        return joined

    def _remember(self, tensor: Any) -> None:
        if len(self._moved) >= MANY:
            self._moved = {n: ref for n, ref in self._moved.items() if ref() is not None}
        self._moved[id(tensor)] = weakref.ref(tensor)

    def is_moved(self, values: Iterable[Any]) -> bool:
        """Return whether each of these that is a tensor was moved, or is a part of one that was."""
        return all(self._is_known(v) or self._is_known(v._base) for v in values if _is_tensor(v))

    def _is_known(self, tensor: Any) -> bool:
        found = self._moved.get(id(tensor))
        return found is not None and found() is tensor


def _first(arguments: tuple[Any, ...]) -> Any:
    """Return the first argument of a method, behind its object."""
    return arguments[1] if len(arguments) > 1 else None


def _is_tensor(value: Any) -> bool:
    return hasattr(value, "untyped_storage")
