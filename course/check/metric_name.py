"""What a script calls its accuracy: students name it as they like."""

from collections.abc import Mapping, Sequence
from typing import Any

MOST = 12
"""Figures that a metric may say under other names: among many, one is right by chance."""


def find(
    said: Sequence[Mapping[str, Any]], metric: str, true: Sequence[float], close: float
) -> str | None:
    """The name under which a script says a figure, `eval_` before it or not.

    That is the figure's own name wherever the script uses it. Else it is one whose value was the
    `true` one each time, to less than `close`; None where there is no such name.
    """
    if not said:
        return None
    names = list(said[0])
    own = next((name for name in names if name.removeprefix("eval_") == metric), None)
    if own is not None or len(names) > MOST:
        return own
    return next((name for name in names if _is_right(name, said, true, close)), None)


def _is_right(
    name: str, said: Sequence[Mapping[str, Any]], true: Sequence[float], close: float
) -> bool:
    if len(said) != len(true):
        return False
    pairs = [(each.get(name), wanted) for each, wanted in zip(said, true, strict=True)]
    return all(
        isinstance(found, int | float) and abs(found - wanted) < close for found, wanted in pairs
    )
