"""Losses that are kept with what their gradients were computed from: memory that only grows."""

import weakref
from typing import Any

WATCHED = 60
"""Losses, the first ones, that are watched."""
CURRENT = 10
"""The last ones, which a script may well still have."""
BETWEEN = (25, 40)
"""Losses after which the older ones are counted, too: what is kept for one pass over the data."""
ARITHMETIC = {f"{name}Backward0" for name in ("Add", "Sub", "Mul", "Div", "Neg")}
"""What puts a loss together of its terms, and scales it."""
TERMS = 100
"""Operations of this kind that are followed."""


class _Mark:
    """Lives as long as the node of a graph that it is put into."""


def _terms(loss: Any) -> list[Any]:
    """Return the terms that a loss is put together of, by their nodes: any of them may be kept.

    A scaled loss has one; a parameter among them lasts by itself.
    """
    waiting: list[Any] = [getattr(loss, "grad_fn", None)]
    terms, left = list[Any](), TERMS
    while waiting and left:
        node, left = waiting.pop(), left - 1
        if type(node).__name__ in ARITHMETIC:
            waiting += [before for before, _output in node.next_functions]
        elif hasattr(node, "metadata") and not hasattr(node, "variable"):
            terms.append(node)
    return terms


class KeptGraphs:
    """The graphs of the losses that went backward."""

    def __init__(self) -> None:
        self._marks: list[weakref.ref[_Mark]] = []
        self._highest = 0.0

    def note(self, loss: Any) -> float | None:
        """Note that a loss goes backward; return the share of older graphs kept, if counted."""
        if terms := _terms(loss):
            mark = _Mark()
            for each in terms:
                each.metadata["course"] = mark
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
