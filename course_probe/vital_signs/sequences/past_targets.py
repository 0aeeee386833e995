"""Series whose targets are what a network was given one step before: nothing is to be predicted."""

from typing import Any

LOOKS = 12
"""Losses that are looked at."""
ENOUGH = 3
LONG = 3
"""Places that an axis of time has, at least."""
LARGEST = 2**20


class PastTargets:
    """The losses of one script whose targets are the inputs, moved by a step."""

    def __init__(self) -> None:
        self._input: Any = None
        self._looks = self._past = 0

    def note_input(self, values: Any) -> None:
        """A network is given numbers with a fraction."""
        is_series = self._looks < LOOKS and 2 <= values.ndim <= 3 and values.numel() <= LARGEST
        self._input = values.detach() if is_series else None

    def note_target(self, target: Any) -> None:
        """A loss is computed; what the network was given last is forgotten."""
        given, self._input = self._input, None
        is_alike = given is not None and target.is_floating_point()
        if not is_alike or given.numel() != target.numel() or given.device != target.device:
            return
        wanted = target.detach().reshape(given.shape)
        if bool((wanted == given).all()):
            return  # What comes in is to come out again.
        told = [_direction(given.movedim(a, 0), wanted.movedim(a, 0)) for a in (0, 1)]
        if any(told):
            self._looks += 1
            self._past += -1 in told

    def figures(self) -> dict[str, float]:
        """The share of the losses that ask for the step before, of those that ask for one."""
        if self._looks < ENOUGH:
            return {}
        return {"targets_from_past": self._past / self._looks}


def _direction(given: Any, wanted: Any) -> int:
    """1 if each target is the input of the next step, -1 if it is that of the step before."""
    if len(given) < LONG:
        return 0
    following = bool((wanted[:-1] == given[1:]).all())
    before = bool((wanted[1:] == given[:-1]).all())
    return int(following) - int(before)
