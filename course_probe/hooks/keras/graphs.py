"""The graphs of functional models of Keras 3: inputs from which nothing leads to an output."""

import functools
import weakref
from types import ModuleType
from typing import Any

MOST = 64
"""Models that are remembered."""


class KerasGraphs:
    """The functional models that a script has made."""

    def __init__(self) -> None:
        self._made: list[weakref.ref[Any]] = []

    def hook(self, module: ModuleType) -> None:
        """Hear of each model that is made: `keras.src.models.functional`."""
        kind = module.Functional
        original = kind.__init__
        made = self._made

        @functools.wraps(original)
        def created(model: Any, *arguments: Any, **named: Any) -> None:
            original(model, *arguments, **named)
            if len(made) < MOST:
                made.append(weakref.ref(model))

        kind.__init__ = created

    def left_out(self, model: Any) -> int:
        """Count a model's inputs that reach none of its outputs, though layers were built on them.

        What these layers make is given to nothing. Where another model of the script reads as many
        inputs, it is left out on purpose, to compare the two.
        """
        if not getattr(model, "_nodes_by_depth", None) or len(self._made) >= MOST:
            return 0
        known = [each for each in (made() for made in self._made) if each is not None]
        used = {id(node) for each in known for node in _nodes(each)}
        unread = _unread(model)
        if any(len(each.inputs) >= len(model.inputs) and not _unread(each) for each in known):
            return 0
        return sum(_leads_nowhere(tensor, used) for tensor in unread)


def _nodes(model: Any) -> list[Any]:
    """Return the calls of layers that lead to a model's outputs."""
    return [node for nodes in model._nodes_by_depth.values() for node in nodes]


def _unread(model: Any) -> list[Any]:
    """Find the inputs of a model that nothing in it reads."""
    read = {id(tensor) for node in _nodes(model) for tensor in node.arguments.keras_tensors}
    read |= {id(tensor) for tensor in model.outputs}
    return [tensor for tensor in model.inputs if id(tensor) not in read]


def _leads_nowhere(tensor: Any, used: set[int]) -> bool:
    """Return whether layers were called with an input, and what they make comes into no model."""
    waiting, seen = [tensor], set[int]()
    while waiting:
        given = waiting.pop()
        for node in given._keras_history.operation._outbound_nodes:
            is_given = any(each is given for each in node.arguments.keras_tensors)
            if is_given and id(node) not in seen:
                seen.add(id(node))
                waiting += node.outputs
    return bool(seen) and seen.isdisjoint(used)
