"""Whether frozen layers are as chance has made them: nothing was loaded there, and nothing learned.

A layer that has learned has biases that are not 0, or weights beyond the bounds that PyTorch draws
its own from: https://docs.pytorch.org/docs/stable/generated/torch.nn.Linear.html
"""

import sys
from collections.abc import Iterator
from typing import Any

ALIKE = 0.9
"""The cosine from which on two weights are copies: it is next to 0 where they were drawn apart."""
FEWEST = 200
"""Numbers of a table from which on their mean and deviation tell anything."""
ROOM = 1e-5
"""How far beyond its bound, of its size, rounding may put a weight."""


def frozen_as_drawn(network: Any) -> int:
    """How many numbers frozen linear and convolutional layers hold that are as they were drawn."""
    return as_drawn(network, only_frozen=True)


def as_drawn(network: Any, *, only_frozen: bool = False) -> int:
    """How many numbers such layers hold that are as they were drawn by chance."""
    return sum(
        layer.weight.numel() + layer.bias.numel()
        for layer in drawn_layers(network)
        if not (only_frozen and layer.weight.requires_grad)
    )


def drawn_among(network: Any, loose: set[int], held: list[Any]) -> int:
    """How many of the `loose` parameters are weights of layers that are as they were drawn.

    A copy of what is `held`, as the target of an agent, is to be copied again.
    """
    drawn = [
        layer.weight
        for layer in drawn_layers(network)
        if id(layer.weight) in loose and not _is_loaded(layer.weight)
    ]
    return sum(not any(_is_copy(each, other) for other in held) for each in drawn)


def frozen_copies(network: Any) -> Iterator[Any]:
    """Yield of each part of a network that is a frozen copy of a trained one its largest weight.

    Both parts are as chance has made them: a copy of what was loaded is to stay as it is.
    """
    for parent in network.modules():
        parts = [(each, [*each.parameters()]) for each in parent.children()]
        frozen = [part for part in parts if not any(p.requires_grad for p in part[1])]
        trained = [part for part in parts if all(p.requires_grad for p in part[1])]
        for one, mine in frozen:
            weight = max((p for p in mine if p.ndim > 1), key=lambda p: p.numel(), default=None)
            if weight is None or 2 * as_drawn(one) < sum(p.numel() for p in mine):
                continue
            others = (theirs for _other, theirs in trained if len(theirs) == len(mine))
            place = next(at for at, p in enumerate(mine) if p is weight)
            if any(_is_copy(weight, theirs[place]) for theirs in others):
                yield weight


def _is_copy(one: Any, other: Any) -> bool:
    if one.shape != other.shape or not other.is_cpu:
        return False
    a, b = one.detach().flatten().double(), other.detach().flatten().double()
    return bool(a @ b > ALIKE * a.norm() * b.norm())


def drawn_layers(network: Any) -> Iterator[Any]:
    """Yield the linear and convolutional layers whose numbers are as they were drawn by chance."""
    torch = sys.modules["torch"]
    kinds = (torch.nn.Linear, torch.nn.Conv1d, torch.nn.Conv2d, torch.nn.Conv3d)
    # To read each layer of a GPU's would hold it up.
    yield from (
        layer
        for layer in network.modules()
        if isinstance(layer, kinds)
        and layer.bias is not None
        and layer.weight.is_cpu
        and _is_drawn(layer)
    )


def is_drawn_table(table: Any) -> bool:
    """Return whether a table of embeddings is as it was drawn: mean 0, deviation 1.

    Within five times the error that so many numbers leave.
    """
    rows = table.weight.detach()
    rows = rows[[at for at in range(len(rows)) if at != table.padding_idx]] if rows.is_cpu else None
    if rows is None or rows.numel() < FEWEST:
        return False
    error = 5 * rows.numel() ** -0.5
    return bool(abs(rows.mean()) < error and abs(rows.std() - 1) < error)


def new_head(network: Any) -> int:
    """How many numbers a checkpoint's network has, outside of its base, that were not loaded.

    Transformers mark each parameter that comes from a checkpoint.
    """
    base = getattr(network, "base_model", network)
    if base is network or not any(map(_is_loaded, network.parameters())):
        return 0
    inside = set(base.modules())
    heads = (each for each in network.modules() if each not in inside)
    kind = sys.modules["torch"].nn.Linear
    new = (each for each in heads if isinstance(each, kind) and not _is_loaded(each.weight))
    return sum(map(as_drawn, new))


def _is_loaded(parameter: Any) -> bool:
    return "_is_hf_initialized" in vars(parameter)


def _is_drawn(layer: Any) -> bool:
    if not bool(layer.bias.any()):
        return bool(layer.weight.any())
    bound = (1 + ROOM) * layer.weight[0].numel() ** -0.5
    return all(float(each.detach().abs().max()) <= bound for each in (layer.weight, layer.bias))
