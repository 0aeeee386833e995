"""The learning rates of Keras: what they have been, and schedules that are over too soon."""

from typing import Any

NOTHING = 1e-6
"""What is left of a rate, beside its highest, that is none."""
EARLY = 0.1
"""The last share of the steps that may have no rate: half a batch that was not counted in."""


def _has_schedule(optimizer: Any) -> bool:
    schedule = getattr(optimizer, "_learning_rate", None)
    return callable(schedule) and hasattr(schedule, "get_config")


def ended(optimizer: Any, highest: float) -> dict[str, float]:
    """Return figures of a schedule whose last steps had no rate; nothing where most had one.

    To ask a schedule for the rate of a step changes nothing.
    """
    if not _has_schedule(optimizer) or not highest > 0:
        return {}
    schedule = optimizer._learning_rate
    done = int(optimizer.iterations)
    if done < 2 or _rate(schedule, done - 1) > NOTHING * highest:
        return {}
    # What is over remains so: the first step of all those behind it.
    begin, end = 0, done - 1
    while begin < end:
        middle = (begin + end) // 2
        if _rate(schedule, middle) > NOTHING * highest:
            begin = middle + 1
        else:
            end = middle
    without = done - begin
    if begin == 0 or without <= EARLY * done:
        return {}
    return {
        "zero_rate_steps": float(without),
        "zero_rate_share": without / done,
        "schedule_steps": float(begin),
    }


def _rate(schedule: Any, step: int) -> float:
    return float(schedule(step))
