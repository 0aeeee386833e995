"""Silent faults: nothing is raised, and only what the run recorded gives them away.

A silent fault needs both, an effect and its cause: a loss that stalls has many causes, and a cause
without the effect does no harm. Either is one of a few that are known by name, or conditions on
figures that the probe has measured: then it needs no code.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from course.lesson.loss_curve import LossCurve
from course.runs.record import RunRecord, Training

SilentEffect = Literal["nan", "stall"]
Cause = Literal["label-without-output", "outputs-taken-for-probabilities", "rate"]


@dataclass(frozen=True)
class Condition:
    """A measured figure that lies above or below a bound, or between two; unmeasured, it fails."""

    figure: str
    above: float | None = None
    below: float | None = None

    def holds(self, figures: Mapping[str, float]) -> bool:
        """Return whether the figure is there and lies within the bounds, which are left out."""
        value = figures.get(self.figure)
        return (
            value is not None
            and (self.above is None or value > self.above)
            and (self.below is None or value < self.below)
        )


Conditions = tuple[Condition, ...]
"""Conditions that must all hold."""

HIGHEST_RATE: dict[SilentEffect, float] = {"stall": 1e-4, "nan": 0.1}
"""The highest rate that is not to blame for an effect.

Above 1e-4 a Transformer may stall (the course: 1e-5 to 1e-4), but it takes far more for numbers to
overflow: with a rate of, say, 1e-3 a loss that is no number comes from somewhere else.
"""
ROUNDING = 1.001
"""Rates come as 32-bit numbers."""
_WHOLE = re.compile(r"-?\d{1,9}(?:\.0)?", re.ASCII)
"""A label that is a class; names are labels too, and a script can report anything for one."""


def shows(effect: SilentEffect, record: RunRecord, curve: LossCurve | None) -> bool:
    """Whether a run shows an effect; a stall can only be told beside healthy runs."""
    if effect == "nan":
        return any(not math.isfinite(loss) for _step, loss in record.losses)
    training = record.training
    return (
        curve is not None
        and training is not None
        and curve.stalled(record.losses, training.batch_size)
    )


def cause(record: RunRecord, effect: SilentEffect) -> Cause | None:
    """Return the first cause of an effect in a run's setup, as far as its record tells.

    In this order, since a later one can't do its work while an earlier one is there.
    """
    training = record.training
    if training is None:
        return None
    return next((name for name, holds in _CAUSES.items() if holds(training, effect)), None)


def _label_without_output(training: Training, _effect: SilentEffect) -> bool:
    known = [float(label) for label in training.labels if _WHOLE.fullmatch(label)]
    return training.num_labels is not None and max(known, default=-1) >= training.num_labels > 1


def _outputs_taken_for_probabilities(training: Training, _effect: SilentEffect) -> bool:
    return training.from_logits is False and training.outputs == "logits"


def _rate(training: Training, effect: SilentEffect) -> bool:
    return (training.learning_rate or 0.0) > HIGHEST_RATE[effect] * ROUNDING


_CAUSES: dict[Cause, Callable[[Training, SilentEffect], bool]] = {
    "label-without-output": _label_without_output,
    "outputs-taken-for-probabilities": _outputs_taken_for_probabilities,
    "rate": _rate,
}
