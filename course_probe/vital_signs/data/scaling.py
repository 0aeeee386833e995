"""Whether mean and spread of the inputs were taken from all data, the held-out rows too."""

from typing import Any

FEWEST = 50
"""Rows to train on that count; by chance a few may have any mean."""
FEWEST_HELD = 20
EXACT = 1e-4
"""How near to 0 a mean is that was subtracted, in spreads."""
FAR = 10
"""How many times farther the mean of the training rows alone has to be."""
NEAR = 2e-3
"""How near to 1 a spread is that was divided by; n or n - 1 makes a little difference."""


def share_scaled(alone: Any, together: Any) -> float | None:
    """Return the share of columns that are scaled over all rows, and not over those trained on.

    Args:
        alone: the rows trained on, an array of rows × columns.
        together: these with the others; no row is in one of the two twice.

    Returns:
        From 0 to 1, of the columns that are not constant; None where there is too little to tell.

    """
    if len(alone) < FEWEST or len(together) < len(alone) + FEWEST_HELD:
        return None
    spread = together.std(0, ddof=1)
    mean, mean_alone = abs(together.mean(0)), abs(alone.mean(0))
    fits = (mean < EXACT) & (abs(spread - 1) < NEAR) & (mean_alone > FAR * EXACT)
    varying = int((spread > EXACT).sum())
    return int(fits.sum()) / varying if varying else None
