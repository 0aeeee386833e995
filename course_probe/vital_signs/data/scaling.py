"""Whether mean and spread of the inputs were taken from all data, the held-out rows too."""

import sys
from typing import Any

from course_probe.vital_signs.data.examples import fingerprints

FEWEST = 50
"""Rows to train on that count; by chance a few may have any mean."""
FEWEST_HELD = 20
FLOAT = 4
"""Bytes of a number that was a float; what was whole has more."""
EXACT = 1e-4
"""How near to 0 a mean is that was subtracted, in spreads."""
FAR = 10
"""How many times farther the mean of the training rows alone has to be."""
NEAR = 2e-3
"""How near to 1 a spread is that was divided by; n or n - 1 makes a little difference."""


def scaled_together(trained: list[Any], held: list[Any]) -> float | None:
    """The share of columns that are scaled over all rows, and not over those trained on.

    Args:
        trained: batches of rows × columns, 32-bit floats viewed as whole numbers.
        held: the same of those that were evaluated on, whether they were trained on or not.

    Returns:
        From 0 to 1, of the columns that are not constant; None where there is too little to tell.

    """
    if not trained or not held:
        return None
    shapes = {(rows.element_size(), rows.shape[1]) for rows in (*trained, *held)}
    size, columns = shapes.pop()
    if shapes or size != FLOAT or columns < 2:
        return None
    return share_scaled(_distinct(trained).numpy(), _distinct([*trained, *held]).numpy())


def share_scaled(alone: Any, together: Any) -> float | None:
    """The same of arrays of numbers, rows × columns: those trained on, and these with the others.

    No row is in one of them twice.
    """
    if len(alone) < FEWEST or len(together) < len(alone) + FEWEST_HELD:
        return None
    spread = together.std(0, ddof=1)
    mean, mean_alone = abs(together.mean(0)), abs(alone.mean(0))
    fits = (mean < EXACT) & (abs(spread - 1) < NEAR) & (mean_alone > FAR * EXACT)
    varying = int((spread > EXACT).sum())
    return int(fits.sum()) / varying if varying else None


def _distinct(batches: list[Any]) -> Any:
    """The rows of some batches as numbers, each once: rows × columns, 64 bits."""
    torch = sys.modules["torch"]
    rows = torch.cat(batches)
    _prints, places = fingerprints(rows, None).unique(return_inverse=True)
    first = torch.zeros(len(_prints), dtype=torch.int64)
    first[places] = torch.arange(len(rows))
    return rows[first].view(torch.float32).double()
