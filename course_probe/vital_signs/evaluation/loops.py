"""The loops of a script that go over the batches of a loader without gradients."""

import ast
import sys
from collections.abc import Callable
from typing import Any

from course_probe.reading.loops import last_batches, left_early, unasked

MOST = 200
"""Loops that are looked at, the first ones."""
SEVERAL = 2


class EvaluationLoops:
    """Where the script's loops begin that evaluate: those of several batches, and empty ones.

    `several` are the lines of loops in which networks were given several batches, `asked` and
    `unasked` of those in or behind which any was called, or none. `begun` are those of all loops,
    of a training too, over a loader that has several batches.
    """

    def __init__(self) -> None:
        self.begun = set[int]()
        self.several = set[int]()
        self.asked = set[int]()
        self.unasked = set[int]()
        self._line: int | None = None
        self._evaluates = False
        self._batches = 0
        self._last = -1
        self._seen = 0

    def begin(self, *, evaluates: bool, is_long: bool) -> None:
        """A loop over a loader begins, without gradients if it `evaluates` from the beginning.

        The loader `is_long` if it has several batches.
        """
        self.end()
        self._seen += 1
        if self._seen <= MOST:
            self._line, self._evaluates = _line(), evaluates
            if self._line is not None and is_long:
                self.begun.add(self._line)
            self._batches, self._last = 0, -1

    def note_pass(self, batches: Callable[[], int], *, evaluates: bool) -> None:
        """A network is called, when loaders have given so many `batches`; or it may train."""
        if self._line is not None and evaluates:
            now = batches()
            if now != self._last:
                self._batches, self._last = self._batches + 1, now

    def end(self) -> None:
        """What follows is another loop, or no part of any."""
        if self._line is not None:
            if self._batches >= SEVERAL:
                self.several.add(self._line)
            if self._batches:
                self.asked.add(self._line)
            elif self._evaluates:
                self.unasked.add(self._line)
        self._line, self._last = None, -1

    def figures(self, tree: ast.Module) -> dict[str, float]:
        """What the text of the script makes of these loops; the first line of each kind."""
        left = last_batches(tree, self.several)
        found = {"last_batch_only": float(len(left))}
        if left:
            found["last_batch_line"] = float(left[0])
        early = left_early(tree, self.begun)
        found["loops_left_early"] = float(len(early))
        if early:
            found["left_early_line"] = float(early[0])
        empty = unasked(tree, self.unasked - self.asked)
        if empty:
            found["evaluated_without_network"] = float(len(empty))
            found["without_network_line"] = float(empty[0])
        return found


def _line() -> int | None:
    """The line of the script that is at work; None where it is not the script's own."""
    frame: Any = sys._getframe()
    while frame is not None and frame.f_globals.get("__name__") != "__main__":
        frame = frame.f_back
    if frame is None or frame.f_code.co_filename != getattr(
        sys.modules["__main__"], "__file__", None
    ):
        return None
    return int(frame.f_lineno)
