"""Losses that are kept with what their gradients were computed from: memory that only grows."""

import weakref
from typing import Any

WATCHED = 60
"""Losses, the first ones, that are watched."""
CURRENT = 10
"""The last ones, which a script may well still have."""
BETWEEN = (25, 40)
"""Losses after which the older ones are counted, too: what is kept for one pass over the data."""


class _Mark:
    """Lives as long as the node of a graph that it is put into."""


class KeptGraphs:
    """The graphs of the losses that went backward."""

    def __init__(self) -> None:
        self._marks: list[weakref.ref[_Mark]] = []
        self._highest = 0.0

    def note(self, loss: Any) -> float | None:
        """Note that a loss goes backward; return the share of older graphs kept, if counted."""
        node: Any = getattr(loss, "grad_fn", None)
        if hasattr(node, "metadata"):
            mark = _Mark()
            node.metadata["course"] = mark
            self._marks.append(weakref.ref(mark))
            if len(self._marks) in BETWEEN:
                self._highest = max(self._highest, self._kept())
                return self._highest
        return None

    def share(self) -> float | None:
        """Return the share of the older graphs that are still there; None where there are too few.

        The highest that it was, as a sum may begin anew with each pass over the data.
        """
        if len(self._marks) < 2 * CURRENT:
            return None
        self._highest = max(self._highest, self._kept())
        return self._highest

    def _kept(self) -> float:
        older = self._marks[:-CURRENT]
        return sum(mark() is not None for mark in older) / len(older)
