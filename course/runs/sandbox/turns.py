"""Whose turn it is to compute: so many jobs at once, and one that only waits gives its turn away.

A submission that sleeps, or waits for a lock that nobody opens, takes nothing from the others: it
waits for its limit beside them, and not in their place.
"""

import threading

AHEAD = 2
"""How many jobs may be under way for each that computes: those that wait hold memory, too."""


class Closed(Exception):
    """There are no more turns."""


class Turns:
    """So many turns; a job under way has one, or has given it away while it waits.

    Who computes again takes its turn back without being held up: what runs cannot be stopped, and
    its limits count seconds of the processor.
    """

    def __init__(self, count: int | None = None) -> None:
        self._free = count
        self._changed = threading.Condition()
        self._closed = False

    def take(self) -> "Turn":
        """Wait for a turn.

        Raises:
            Closed: there will be none.

        """
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._free is None or self._free > 0)
            if self._closed:
                raise Closed
            self._add(-1)
        return Turn(self)

    def close(self) -> None:
        """Let nobody begin any more."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def give(self, number: int) -> None:
        """Give turns away, or take them back where the number is negative."""
        with self._changed:
            self._add(number)
            self._changed.notify_all()

    def _add(self, number: int) -> None:
        if self._free is not None:
            self._free += number


class Turn:
    """A turn that was taken, until its job is over."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self._held = True

    def hold(self, held: bool) -> None:
        """Give it away while the job only waits, and take it back."""
        if held is not self._held:
            self._held = held
            self._turns.give(-1 if held else 1)

    def __enter__(self) -> "Turn":
        return self

    def __exit__(self, *_: object) -> None:
        self.hold(False)
