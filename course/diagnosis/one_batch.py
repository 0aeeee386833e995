"""One batch, learned by heart: what a model that can learn at all does within some dozen steps."""

import math
from statistics import fmean

from course.base.i18n import _, numbers
from course.diagnosis import checklist
from course.runs.record import RunRecord

FEW = 10
"""Steps from which on a fall of the loss tells anything."""
REPEATED = "batch_repeated"
"""The figure that tells that it was one batch: not every script takes its batches from a loader."""
FALL = 0.5
"""The share of the first loss that the last one has come down to, where a batch is learned."""


def why_not_learned(record: RunRecord) -> str:
    """Say why a run on one batch has not learned it; empty where it has."""
    losses = [loss for _step, loss in record.losses]
    if len(losses) < FEW or not record.figures.get(REPEATED):
        return checklist.NO_TIME if record.status == "time-limit" else checklist.NO_LOADER
    first, last = losses[0], fmean(losses[-3:])
    if not (math.isfinite(first) and math.isfinite(last)):
        return checklist.NOT_FINITE
    told = {"first": numbers.significant(first, 3), "last": numbers.significant(last, 3)}
    sentence = _(checklist.NOT_LEARNED).format(**told, steps=record.losses[-1][0])
    return "" if last <= FALL * first else sentence
