"""The lesson's looks at what the cells have left: one after the other, or by their numbers."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from course.lesson.lesson import Look
    from course_probe.events import LookOutput

TakeLook = Callable[[str, dict[str, Any]], "LookOutput"]
"""Evaluates code with names, which it may add to."""


class CellLooks:
    """The looks for what a cell showed; they see the learner's names and leave none behind.

    `number` is that of the last look that was asked for, 0 before the first.
    """

    def __init__(self, looks: "tuple[Look, ...]", take: TakeLook) -> None:
        self.looks = looks
        self.number = 0
        self._take = take
        self._names: dict[str, Any] | None = None
        self._through = 0

    @property
    def following(self) -> int:
        """The number of the look that comes next; after the last one it begins anew."""
        return self.number % len(self.looks) + 1

    def forget(self) -> None:
        """Look at the learner's names anew from now on: a cell may have changed them."""
        self._names, self._through = None, 0

    def take(self, number: int, namespace: dict[str, Any]) -> "LookOutput | None":
        """Return the output of a look, from 1 on; None for one that changes its object.

        A look may use the names of those before it, so these are taken first.
        """
        self.number = number
        wanted = self.looks[number - 1]
        if wanted.changes:
            return None
        if self._names is None:
            self._names = dict(namespace)
        for look in self.looks[self._through : number - 1]:
            if not look.changes:
                self._take(look.code, self._names)
        self._through = max(self._through, number)
        return self._take(wanted.code, self._names)

    def cell(self, number: int) -> str:
        """Return the text of a cell that takes a look, after those whose names it may use."""
        return "\n\n".join(look.code for look in self.looks[:number])
