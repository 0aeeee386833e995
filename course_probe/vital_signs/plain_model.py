"""What a loop by hand trains where no model of `transformers` is heard: the tensors themselves.

They are those that its losses reach, by the graph: https://docs.pytorch.org/docs/stable/notes/autograd.html
"""

import sys
import weakref
from collections.abc import Iterable, Iterator
from typing import Any

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
        self._reached: dict[int, Any] = {}
        self._named: dict[str, Any] = {}
        # By identity: a module of somebody's own need not be hashable.
        self._called: dict[int, weakref.ref[Any]] = {}
        self.losses: list[Any] = []

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
                    self._reached.setdefault(id(leaf), leaf)
        self.losses += [kept(each) for each in losses if getattr(each, "ndim", 1) == 0]

    def begin(self, optimizers: Iterable[Any]) -> None:
        """The first step is about to be made: what learns is what has been reached by now.

        Where nothing was sent backward it is what the optimizers hold.
        """
        held = [p for o in optimizers for group in o.param_groups for p in group["params"]]
        found = list(self._reached.values()) or held
        names = {
            id(p): f"{name}.{inner}"
            for name, module in self.modules()
            for inner, p in module.named_parameters()
        }
        self._named = {names.get(id(p), f"tensor {i}"): p for i, p in enumerate(found)}

    def figures(self, optimizers: Iterable[Any]) -> dict[str, float]:
        """How many of the parameters that are reached lie in modules that nobody registered."""
        held = {id(p) for o in optimizers for group in o.param_groups for p in group["params"]}
        modules = [module for _name, module in self.modules()]
        hidden = {id(p) for p in _unregistered(modules)} & self._reached.keys() - held
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
        return iter(self._named.items())

    def parameters(self) -> Iterator[Any]:
        """The parameters."""
        return iter(self._named.values())


def kept(loss: Any) -> Any:
    """A loss as it is kept: a number, or a tensor without gradients."""
    torch = sys.modules["torch"]
    if type(loss) is torch.Tensor and loss.is_cpu and loss.ndim == 0:
        return loss.item()
    return loss.detach()


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
