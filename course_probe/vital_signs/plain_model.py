"""What a loop by hand trains where no model of `transformers` is heard: the tensors themselves.

They are those that its losses reach, by the graph: https://docs.pytorch.org/docs/stable/notes/autograd.html
"""

import sys
import weakref
from collections.abc import Iterable, Iterator
from typing import Any

from course_probe.vital_signs.series import Recent

GRAPHS = 4
"""Losses whose graphs are walked: several networks may take turns."""
NODES = 50_000
"""Nodes of a graph that are looked at."""


class PlainModel:
    """The parameters of a training, as a model has them; `losses` are the last ones.

    Those are numbers on the processor, and tensors without gradients elsewhere: to read them would
    hold up a GPU.
    """

    def __init__(self) -> None:
        self._walked = 0
        # All by weak references: what the script lets go of is to go.
        self._reached: dict[int, weakref.ref[Any]] = {}
        self._named: dict[str, weakref.ref[Any]] = {}
        # By identity: a module of somebody's own need not be hashable.
        self._called: dict[int, weakref.ref[Any]] = {}
        self.losses = Recent()

    def note_module(self, module: Any) -> None:
        """Take in a module that the script has called itself: it may lie in a function's names."""
        self._called[id(module)] = weakref.ref(module)

    def note_pass(self, loss: Any) -> None:
        """Take in a loss, or several, that go backward."""
        if self._walked == GRAPHS and not isinstance(loss, list | tuple):
            if getattr(loss, "ndim", 1) == 0:
                self.losses.append(kept(loss))
            return
        losses = loss if isinstance(loss, list | tuple) else (loss,)
        if self._walked < GRAPHS:
            self._walked += 1
            for each in losses:
                for leaf in leaves(getattr(each, "grad_fn", None)):
                    known = self._reached.get(id(leaf))
                    if known is None or known() is not leaf:
                        self._reached[id(leaf)] = weakref.ref(leaf)
        for each in losses:
            if getattr(each, "ndim", 1) == 0:
                self.losses.append(kept(each))

    def begin(self, optimizers: Iterable[Any]) -> None:
        """The first step is about to be made: what learns is what has been reached by now.

        Where nothing was sent backward it is what the optimizers hold.
        """
        held = [p for o in optimizers for group in o.param_groups for p in group["params"]]
        names = {
            id(p): f"{name}.{inner}"
            for name, module in self.modules()
            for inner, p in module.named_parameters()
        }
        torch, ids = sys.modules["torch"], {id(p) for p in held}
        # What wants gradients, and is neither a parameter nor held, may be an input.
        reached = [
            p
            for p in self._alive().values()
            if isinstance(p, torch.nn.Parameter) or id(p) in ids or id(p) in names
        ]
        found = reached or held or list(self._alive().values())
        self._named = {names.get(id(p), f"tensor {i}"): weakref.ref(p) for i, p in enumerate(found)}

    def _alive(self) -> dict[int, Any]:
        """What losses have reached and is still there, by identity."""
        found = {key: reference() for key, reference in self._reached.items()}
        return {key: leaf for key, leaf in found.items() if leaf is not None}

    def figures(self, optimizers: Iterable[Any]) -> dict[str, float]:
        """How many of the parameters that are reached lie in modules that nobody registered."""
        held = {id(p) for o in optimizers for group in o.param_groups for p in group["params"]}
        modules = [module for _name, module in self.modules()]
        hidden = {id(p) for p in _unregistered(modules)} & self._alive().keys() - held
        return {"unregistered_parameters": float(len(hidden))}

    def modules(self) -> Iterator[tuple[str, Any]]:
        """The modules that the script keeps under global names, and those that it has called."""
        torch = sys.modules["torch"]
        kept_so = set()
        for name, value in list(vars(sys.modules["__main__"]).items()):
            if isinstance(value, torch.nn.Module):
                kept_so.add(id(value))
                yield name, value
        for key, called in list(self._called.items()):
            module = called()
            if module is not None and key not in kept_so:
                yield type(module).__name__, module

    def named_parameters(self) -> Iterator[tuple[str, Any]]:
        """The parameters with their names, as far as the script's own names tell."""
        found = {name: reference() for name, reference in self._named.items()}
        return iter([(name, p) for name, p in found.items() if p is not None])

    def parameters(self) -> Iterator[Any]:
        """The parameters."""
        return iter([p for _name, p in self.named_parameters()])


def kept(loss: Any) -> Any:
    """A loss as it is kept: a number, or a tensor without gradients."""
    torch = sys.modules["torch"]
    if type(loss) is torch.Tensor and loss.is_cpu and loss.ndim == 0:
        return _unscaled(torch, loss).item()
    return _unscaled(torch, loss)


def _unscaled(torch: Any, loss: Any) -> Any:
    """A loss as it was before a gradient scaler multiplied it, on the same device.

    Any factor that is a float32 tensor without gradients is taken for a scaler's; a number that a
    script writes is none.
    """
    node = loss.grad_fn
    if node is None or node.name() != "MulBackward0":
        return loss.detach()
    factor = node._saved_other
    if factor is None or factor.dtype is not torch.float32 or factor.ndim or factor.requires_grad:
        return loss.detach()
    return loss.detach() / factor


def leaves(node: Any) -> Iterator[Any]:
    """The tensors that gradients are gathered in, by walking a graph."""
    waiting, seen = [node], set[Any]()
    while waiting and len(seen) < NODES:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        variable = getattr(node, "variable", None)
        if variable is not None:
            yield variable
        waiting += [each for each, _index in node.next_functions]


def _unregistered(modules: Iterable[Any]) -> Iterator[Any]:
    """Parameters of modules that lie in a plain list or dictionary of another."""
    torch = sys.modules["torch"]
    for module in modules:
        own = {id(p) for p in module.parameters()}
        for each in module.modules():
            for value in list(each.__dict__.values()):
                inner = value.values() if isinstance(value, dict) else value
                if not isinstance(value, dict | list | tuple):
                    continue
                for kept in inner:
                    if isinstance(kept, torch.nn.Module) and type(value) in (dict, list, tuple):
                        yield from (p for p in kept.parameters() if id(p) not in own)
