"""Schedules of a rate: how often each was called, and for how many calls it is made.

See https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate. The first call is
that of its own beginning.
"""

import functools
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from course_probe.forked import found_aside

ENDING = ("T_max", "total_steps")
"""Where schedules of PyTorch keep after how many calls they are over."""
OF_TRANSFORMERS = "num_training_steps"
"""What the functions of transformers are given for the same."""
LONGEST = 20_000
"""Calls for which a function of the script's own is asked."""
NOTHING = 1e-3
"""What of its highest value is next to nothing of a rate."""


@dataclass
class KnownSchedule:
    """A schedule of an optimizer: calls without the first, and steps since that one.

    After its length it either `ends`, as a rate is next to nothing or turns, or it stays as it is.
    """

    kind: str
    itself: Callable[[], Any]
    optimizer: Callable[[], Any]
    length: int
    ends: bool
    calls: int = -1
    begun_at: int = 0
    steps: int = 0


def known_schedule(schedule: Any) -> KnownSchedule:
    """Return what is known of a schedule when it is called for the first time."""
    optimizer = weakref.ref(schedule.optimizer)
    kind = type(schedule).__name__
    return KnownSchedule(kind, weakref.ref(schedule), optimizer, *_length(schedule))


def _length(schedule: Any) -> tuple[int, bool]:
    """For how many calls a schedule is made, 0 where nobody says that, and whether it ends then."""
    values = vars(schedule)
    ending = [values[name] for name in ENDING if name in values]
    if "total_iters" in values:
        # A warm-up goes up, and is followed by the rate itself.
        falls = values.get("end_factor", 0.0) < values.get("start_factor", 1.0)
        if "factor" in values or not falls:
            return _whole([values["total_iters"]]), False
        ending.append(values["total_iters"])
    for each in values.get("lr_lambdas", ()):
        if isinstance(each, functools.partial) and OF_TRANSFORMERS in each.keywords:
            ending.append(each.keywords[OF_TRANSFORMERS])
        elif callable(each):
            ending.append(found_aside(functools.partial(_end_of, each)))
    milestones = values.get("milestones")
    if isinstance(milestones, Mapping) and not ending:
        return _whole([max(milestones, default=0)]), False
    return _whole(ending), True


def _whole(values: list[Any]) -> int:
    return max((each for each in values if type(each) is int), default=0)


def _end_of(factor: Callable[[int], float]) -> int:
    """After how many calls a factor is next to nothing for good; 0 where it never is."""
    values = [float(factor(call)) for call in range(LONGEST)]
    least = NOTHING * max(values)
    last = next((at for at in reversed(range(LONGEST)) if values[at] > least), LONGEST)
    return last + 1 if last < LONGEST - 1 else 0
