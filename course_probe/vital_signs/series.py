"""Numbers of each step of a training, in bounded room."""

from collections.abc import Iterable, Iterator
from typing import Any

MOST = 20_000
"""Values that are kept at most."""


class Recent(list[Any]):
    """The last values of a list that only grows; so many before them were `dropped`."""

    def __init__(self, values: Iterable[Any] = ()) -> None:
        super().__init__(values)
        self.dropped = 0

    def append(self, value: Any) -> None:
        """Add a value, in the place of the oldest ones where there is no more room."""
        super().append(value)
        if len(self) > MOST:
            half = len(self) // 2
            del self[:half]
            self.dropped += half


def total(values: list[Any]) -> int:
    """How many values there have been so far, dropped ones too."""
    return len(values) + int(getattr(values, "dropped", 0))


def is_told(number: int, first: int) -> bool:
    """Whether what was seen up to here is told: at the first such number, at twice as many …"""
    times, rest = divmod(number, first)
    return not rest and times.bit_count() == 1


def since(values: list[Any], place: int) -> list[Any]:
    """Return the values from a place on, as far as they are kept."""
    return list(values[max(0, place - int(getattr(values, "dropped", 0))) :])


class Spread:
    """Values at even distances: all of them, then every second, every fourth and so on."""

    def __init__(self, most: int = MOST) -> None:
        self._values: list[Any] = []
        self._most = most
        self._every = 1
        self._seen = 0
        self._last: Any = None

    def append(self, value: Any) -> None:
        """Take in the next value."""
        if self._seen % self._every == 0:
            self._values.append(value)
            if len(self._values) > self._most:
                self._values = self._values[::2]
                self._every *= 2
        self._seen += 1
        self._last = value

    def __len__(self) -> int:
        """How many are kept."""
        return len(self._values)

    def __iter__(self) -> Iterator[Any]:
        """Those that are kept, in their order."""
        return iter(self._values)

    def __getitem__(self, place: Any) -> Any:
        """One of those that are kept, or several."""
        return self._values[place]

    @property
    def last(self) -> Any:
        """The last one of all; None before any."""
        return self._last
