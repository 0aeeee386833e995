"""The rows of an evaluation beside those that were trained on."""

from collections.abc import Set

FEWEST = 20
"""Rows of an evaluation that count: of a few anybody may take what is at hand."""
MOSTLY_NEW = 0.5
"""Up to this share of rows that were trained on, an evaluation is one of new rows."""


def overlap(evaluated: list[int], trained: Set[int]) -> float | None:
    """Return the share of an evaluation's rows that are among others; None for too few to tell."""
    if len(evaluated) < FEWEST:
        return None
    return sum(each in trained for each in evaluated) / len(evaluated)
