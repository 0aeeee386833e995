"""One batch, learned by heart: what a model that can learn at all does within some dozen steps."""

import math
from dataclasses import dataclass
from statistics import fmean

from course.runs.record import RunRecord

FEW = 10
"""Steps from which on a fall of the loss tells anything."""
REPEATED = "batch_repeated"
"""The figure that tells that it was one batch: not every script takes its batches from a loader."""
FALL = 0.5
"""The share of the first loss that the last one has come down to, where a batch is learned."""


@dataclass(frozen=True)
class ByHeart:
    """The loss of one batch: at the first of so many steps, and at the end of them."""

    first: float
    last: float
    steps: int

    @property
    def is_finite(self) -> bool:
        """Whether the loss was a number at both ends."""
        return math.isfinite(self.first) and math.isfinite(self.last)

    @property
    def is_learned(self) -> bool:
        """Whether it has fallen as it should."""
        return self.last <= FALL * self.first


def learned(record: RunRecord) -> ByHeart | None:
    """Return the result of a run on one batch; None where it was no training, or too short."""
    losses = [loss for _step, loss in record.losses]
    if len(losses) < FEW or not record.figures.get(REPEATED):
        return None
    return ByHeart(losses[0], fmean(losses[-3:]), record.losses[-1][0])
