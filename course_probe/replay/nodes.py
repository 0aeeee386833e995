"""The graph behind a loss: its nodes, and what they have saved for their gradients.

See https://docs.pytorch.org/docs/stable/notes/autograd.html#saved-tensors.
"""

from collections.abc import Iterator
from typing import Any


def nodes(loss: Any, most: int) -> Iterator[Any]:
    """Yield at `most` so many nodes behind a loss, or behind several, those next to it first.

    In place of a loss there may be a node, which is then the first of them.
    """
    several = loss if isinstance(loss, list | tuple) else (loss,)
    first = (getattr(each, "grad_fn", each) for each in several)
    waiting = [each for each in first if hasattr(each, "next_functions")]
    seen = set[Any]()
    for node in waiting:
        if node is None or node in seen:
            continue
        seen.add(node)
        yield node
        if len(seen) >= most:
            return
        waiting += [each for each, _index in node.next_functions]
