"""Listening to the schedule of the learning rate: how often it steps, and how far it reaches."""

import functools
from types import ModuleType
from typing import Any

from course_probe.hooks import Failed
from course_probe.journal import Journal


class Schedule:
    """The schedule that a script made last."""

    def __init__(self) -> None:
        self._own: Any = None
        self._steps = 0

    def begin(self) -> None:
        """A training begins."""
        self._steps = 0

    def stepped(self, schedule: Any) -> None:
        """A schedule has stepped; the first time is a part of its making."""
        if schedule is self._own:
            self._steps += 1
        else:
            self._own, self._steps = schedule, 0

    @property
    def planned(self) -> int | None:
        """The steps of the optimizer that it was made for; None where it does not tell."""
        planned = getattr(self._rule, "keywords", {}).get("num_training_steps")
        return int(planned) if planned else None

    def figures(self, rate: float, steps: int, batches: int | None) -> dict[str, float]:
        """How a rate stands beside what the schedule has for this step of the optimizer.

        `batches` are those of one pass over the data, None where nobody knows.
        """
        rule = self._rule
        if rule is None or getattr(self._own, "optimizer", None) is None:
            return {}
        base = float(self._own.base_lrs[0]) or 1.0
        expected = base * float(rule(steps))
        values = {
            "schedule_pace": self._steps / steps,
            "rate_seen": rate,
            "rate_expected": expected,
            "rate_off": abs(expected - rate) / base,
        }
        if self.planned and batches:
            values["schedule_steps"] = float(self.planned)
            values["schedule_passes"] = self.planned / batches
            values["schedule_overrun"] = float(max(0, steps - self.planned))
        return values

    @property
    def _rule(self) -> Any:
        """What gives the factor of the rate for a step, where the schedule has such a function."""
        return (getattr(self._own, "lr_lambdas", None) or [None])[0]


def of(journal: Journal) -> Schedule:
    """The schedule of the script that reports to this journal."""
    schedule: Schedule = journal.ears.setdefault("schedule", Schedule())
    return schedule


def listen(module: ModuleType, journal: Journal, failed: Failed) -> None:
    """Hear of each step of a schedule."""
    heard = of(journal)
    plain = module.LRScheduler.step

    @functools.wraps(plain)
    def step(schedule: Any, *arguments: Any, **named: Any) -> Any:
        result = plain(schedule, *arguments, **named)
        heard.stepped(schedule)
        return result

    module.LRScheduler.step = step
