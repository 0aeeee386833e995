"""Hook the schedule of the learning rate: how often it steps, and how far it reaches."""

from types import ModuleType
from typing import Any

from course_probe.hooks.wrap import observe


class LrScheduleHooks:
    """The schedule that a script made last."""

    def __init__(self) -> None:
        self._schedule: Any = None
        self._steps = 0

    def hook(self, module: ModuleType) -> None:
        """Observe each step of a schedule of `torch.optim.lr_scheduler`."""
        observe(module.LRScheduler, "step", after=self._count_step)

    def begin_training(self) -> None:
        """Reset the count of steps to 0."""
        self._steps = 0

    def _count_step(self, schedule: Any) -> None:
        # The first step is a part of making a schedule.
        if schedule is self._schedule:
            self._steps += 1
        else:
            self._schedule, self._steps = schedule, 0

    @property
    def planned(self) -> int | None:
        """The steps of the optimizer that it was made for; None if unknown."""
        planned = getattr(self._rule, "keywords", {}).get("num_training_steps")
        planned = planned or getattr(self._schedule, "total_steps", None)
        return int(planned) if planned else None

    def figures(self, rate: float, steps: int, batches: int | None) -> dict[str, float]:
        """How a rate stands beside what the schedule has for this step of the optimizer.

        `batches` are those of one pass over the data, None if unknown.
        """
        if getattr(self._schedule, "optimizer", None) is None:
            return {}
        base, expected = self._expected(rate, steps)
        if expected is None:
            return {}
        values = {
            "schedule_pace": self._steps / steps,
            "rate_seen": rate,
            "rate_expected": expected,
            "rate_off": abs(expected - rate) / base,
        }
        if self.planned and batches:
            values["schedule_steps"] = float(self.planned)
            values["schedule_done"] = self._steps / self.planned
            values["schedule_passes"] = self.planned / batches
            values["schedule_overrun"] = float(max(0, steps - self.planned))
        return values

    def _expected(self, rate: float, steps: int) -> tuple[float, float | None]:
        """The rate that others are shares of, and the one for this step; None where unknown."""
        if self._rule is not None:
            base = float(self._schedule.base_lrs[0]) or 1.0
            return base, base * float(self._rule(steps))
        if getattr(self._schedule, "total_steps", None) is None:
            return 1.0, None
        # It has no function to ask. As long as it keeps step, its own rate is the one.
        keeps_step = abs(self._steps - steps) <= 1
        return rate or 1.0, float(self._schedule.get_last_lr()[0]) if keeps_step else None

    @property
    def _rule(self) -> Any:
        """What gives the factor of the rate for a step, where the schedule has such a function."""
        return (getattr(self._schedule, "lr_lambdas", None) or [None])[0]
