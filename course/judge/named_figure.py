"""By which name a script says a figure such as its accuracy: students call it as they like."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MOST = 12
"""Figures that a metric may say under other names: among many, one is right by chance."""
EFFORT = ("_runtime", "_per_second", "epoch")
"""How the names end of what a Trainer says of an evaluation beside its metrics."""
SCALES = (1.0, 100.0)
"""What a share of 1 may be called: in per cent it is 100."""
PREFIX = "eval_"
"""What a Trainer puts before the names of its evaluation's figures."""


@dataclass(frozen=True)
class NamedFigure:
    """The `name` of a figure, without `eval_`, and what a share of 1 is there: its `scale`."""

    name: str
    scale: float = 1.0

    def of(self, said: Mapping[str, Any]) -> float | None:
        """Return the value that is said by this name, as a share; None where it is no number."""
        for name, value in said.items():
            if name.removeprefix(PREFIX) == self.name:
                return value / self.scale if isinstance(value, int | float) else None
        return None

    def agrees(
        self, said: Sequence[Mapping[str, Any]], true: Sequence[float], close: float
    ) -> bool:
        """Whether what is said by this name is the `true` figure each time, nearer than `close`."""
        if len(said) != len(true):
            return False
        pairs = zip(map(self.of, said), true, strict=True)
        return all(found is not None and abs(found - wanted) < close for found, wanted in pairs)


def find(
    said: Sequence[Mapping[str, Any]], metric: str, true: Sequence[float], close: float
) -> NamedFigure | None:
    """Find the figure that stands for the `metric` in a script's output of one or more times.

    It is the one of that name wherever there is one. Else it is one and the same that agrees with
    the `true` figures each time; None where there is no such.
    """
    first = said[0] if said else {}
    names = [name.removeprefix(PREFIX) for name in first if not name.endswith(EFFORT)]
    is_own = metric in names
    if not is_own and len(names) > MOST:
        return None
    candidates = [metric] if is_own else names
    for figure in (NamedFigure(name, scale) for scale in SCALES for name in candidates):
        if figure.agrees(said, true, close):
            return figure
    return NamedFigure(metric) if is_own else None
