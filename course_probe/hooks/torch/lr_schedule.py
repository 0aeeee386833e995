"""Hook the schedules of the learning rate: how often they step, and how far they reach.

Those of `torch.optim.lr_scheduler` step once a pass over the data or once a batch, as they are made
for: https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate
"""

import ast
import copy
import functools
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType, SimpleNamespace
from typing import Any

from course_probe.reading.script_text import parsed

ENDS = ("total_steps", "total_iters", "T_max", "total_size", "T_0", "step_size")
"""What the schedules of PyTorch call the number of their steps until they end, or begin anew."""
MOST = 4
"""Schedules that are kept, the last ones."""
MOST_AHEAD = 5000
"""Steps that a copy of a schedule is led ahead, to see what its rate would be."""
LENGTHS = ("T_max", "total_iters")
"""Those of which a schedule that goes through them several times was not made for its steps. One
that begins anew may be told of parts of a pass, as its documentation has it."""
MULTIPLIER = 0.1
"""An optimizer's own rate that is at least this is no rate: the schedule's function gives that,
as in https://arxiv.org/abs/1706.03762, section 5.3."""
LOWERING = (
    *("StepLR", "MultiStepLR", "ConstantLR", "LinearLR", "PolynomialLR", "OneCycleLR"),
    *("CosineAnnealingLR", "CosineAnnealingWarmRestarts", "ReduceLROnPlateau"),
)
"""Schedules that never let the rate above that of the optimizer, or the `max_lr` they are given."""
ROUNDS = 2
"""How many times as many steps as it was made for tell that a schedule is told of other steps."""
MOVED = 0.05
"""The share of its first rate by which a schedule without an end moves, where it goes by passes."""


@dataclass(slots=True)
class _Heard:
    """A schedule, and its steps in the training: none is a part of making it."""

    schedule: Any
    steps: int = 0


class LrScheduleHooks:
    """The schedules of one script.

    In a script of somebody's `own` only those have a length that are made for steps of the
    optimizer: nobody knows what others count.
    """

    def __init__(self, *, own: bool = False) -> None:
        self._is_own = own
        self._heard: list[_Heard] = []
        self._depth = 0
        self._changes = 0
        self._rate = self._highest = 0.0

    def hook(self, module: ModuleType) -> None:
        """Observe the schedules of `torch.optim.lr_scheduler`: each that is made, and its steps."""
        for kind in list(vars(module).values()):
            if not (isinstance(kind, type) and issubclass(kind, module.LRScheduler)):
                continue
            for name, then in (("__init__", self._add), ("step", self._count_step)):
                if name in vars(kind):
                    setattr(kind, name, self._outermost(vars(kind)[name], then))

    def _outermost(
        self, original: Callable[..., Any], then: Callable[[Any], None]
    ) -> Callable[..., Any]:
        """The same method, that calls `then` with its object, unless a schedule calls it itself."""

        @functools.wraps(original)
        def observed(schedule: Any, *arguments: Any, **named: Any) -> Any:
            self._depth += 1
            try:
                result = original(schedule, *arguments, **named)
            finally:
                self._depth -= 1
            if not self._depth:
                then(schedule)
            return result

        return observed

    def begin_training(self) -> None:
        """Reset the counts of steps to 0."""
        for each in self._heard:
            each.steps = 0
        self._changes, self._rate, self._highest = 0, 0.0, 0.0

    def note_rate(self, rate: float) -> None:
        """Take in the rate that an optimizer is about to step with."""
        self._changes += rate != self._rate and self._highest > 0
        self._rate, self._highest = rate, max(self._highest, rate)

    def _add(self, schedule: Any) -> None:
        # What a schedule of several steps by turns is no schedule by itself.
        parts = getattr(schedule, "_schedulers", ())
        kept = [each for each in self._heard if all(each.schedule is not part for part in parts)]
        self._heard = [*kept, _Heard(schedule)][-MOST:]

    def _count_step(self, schedule: Any) -> None:
        found = next((each for each in self._heard if each.schedule is schedule), None)
        if found is None:
            self._add(schedule)
            found = self._heard[-1]
        found.steps += 1
        if found is not self._heard[-1]:
            self._heard = [*(each for each in self._heard if each is not found), found]

    def _followed(self, optimizer: Any = None) -> _Heard | None:
        """The schedule that the training goes by: that of its optimizer, and the last one.

        One that is made for steps comes before one that is not: a metric may lower the rate beside.
        """
        those = [e for e in self._heard if optimizer is None or _optimizer(e.schedule) is optimizer]
        candidates = those or self._heard[-1:]
        made_for_steps = [each for each in candidates if _planned(each.schedule) is not None]
        return next(reversed(made_for_steps or candidates), None)

    def end_figures(self, steps: int, optimizer: Any = None) -> dict[str, float]:
        """How the schedule stands beside the whole training, once that is over."""
        found = self._followed(optimizer)
        if found is None or not steps or getattr(found.schedule, "optimizer", None) is None:
            return {}
        values = {"schedule_told": found.steps / steps}
        length, planned = _length(found.schedule), _planned(found.schedule)
        if planned:
            values["schedule_to_training"] = planned / steps
            values["schedule_through"] = found.steps / planned
        elif length is None and not _goes_by_metric(found.schedule):
            values["schedule_endless"] = 1.0
        elif length and found.steps >= ROUNDS * length and _counts_passes(found.schedule):
            values["schedule_rounds"] = found.steps / length
        first = _first_rate(found.schedule)
        if 0 < first < MULTIPLIER and self._highest:
            values["rate_to_base"] = self._highest / first
        return values

    def ceiling(self, optimizer: Any, *, steady: bool) -> float | None:
        """The highest rate that its schedules let an optimizer have; None where that is unknown.

        Without any it is the rate of now, if that was `steady` so far: whoever moves it by hand is
        not heard here.
        """
        groups = optimizer.param_groups
        found = max(float(group["lr"]) for group in groups)
        if not self._heard and not steady:
            return None
        for each in self._heard:
            if _optimizer(each.schedule) is not optimizer or not _only_lowers(each.schedule):
                return None
            tops = (group.get("max_lr", group.get("initial_lr", 0.0)) for group in groups)
            found = max(found, *map(float, tops))
        return found

    @property
    def planned(self) -> int | None:
        """The steps of the optimizer that it was made for; None if unknown."""
        found = self._followed()
        return _planned(found.schedule) if found is not None else None

    def figures(
        self,
        rate: float,
        steps: int,
        batches: int | None,
        passes: float | None = None,
        optimizer: Any = None,
    ) -> dict[str, float]:
        """How a rate stands beside what the schedule has for this step of the optimizer.

        `batches` are those of one pass over the data, `passes` how many there were, if known.
        """
        found = self._followed(optimizer)
        if found is None:
            return self._by_hand(steps, passes)
        if getattr(found.schedule, "optimizer", None) is None:
            return {}
        values = {"schedule_pace": found.steps / steps, "rate_seen": rate}
        expected = self._expected(found, rate, steps, passes)
        if expected is not None:
            base = _base(found.schedule, rate, expected)
            values["rate_expected"] = expected
            values["rate_off"] = abs(expected - rate) / base
        planned = _planned(found.schedule)
        if planned is None and not self._is_own:
            planned = _length(found.schedule)
        if planned and batches:
            values["schedule_steps"] = float(planned)
            values["schedule_done"] = found.steps / planned
            values["schedule_passes"] = planned / batches
        if planned and batches and _planned(found.schedule):
            values["schedule_overrun"] = float(max(0, steps - planned))
        return values

    def _by_hand(self, steps: int, passes: float | None) -> dict[str, float]:
        """How often a script has set the rate itself, where it has no schedule for that."""
        if self._is_own or not self._changes:
            return {}
        values = {"schedule_pace": self._changes / steps, "rate_seen": self._rate}
        keeps_pace = passes is not None and self._changes >= int(passes) - 1
        if keeps_pace and self._highest - self._rate > MOVED * self._highest:
            values |= {"rate_expected": self._rate, "rate_off": 0.0}
        return values

    def _expected(
        self, found: _Heard, rate: float, steps: int, passes: float | None
    ) -> float | None:
        """The rate for this step of the optimizer; None where it is unknown."""
        schedule, rule = found.schedule, _rule(found.schedule)
        # Without a rule to ask it has its own rate, as long as it keeps step.
        if rule is None and abs(found.steps - steps) <= 1:
            return _last_rate(schedule, rate)
        if _planned(schedule) is None and _length(schedule) is None:
            # What has no end may go by the passes, and be told of each of them.
            keeps_pace = passes is not None and 0 < found.steps >= int(passes) - 1
            if keeps_pace and (_goes_by_metric(schedule) or _has_moved(schedule, rate)):
                return _last_rate(schedule, rate)
        if rule is not None:
            return (float(schedule.base_lrs[0]) or 1.0) * float(rule(steps))
        if self._is_own or _length(schedule) is None or steps - found.steps > MOST_AHEAD:
            return None
        return self._ahead(schedule, steps - found.steps)

    def _ahead(self, schedule: Any, steps: int) -> float | None:
        """The rate of a schedule so many steps from now, by a copy of it."""
        if steps < 0:
            return None
        self._depth += 1
        try:
            twin = _copied(schedule)
            for _ in range(steps):
                twin.step()
            return float(twin.get_last_lr()[0])
        except Exception:  # noqa: BLE001 - a schedule that cannot go on has no rate
            return None
        finally:
            self._depth -= 1


def _rule(schedule: Any) -> Any:
    """What gives the factor of the rate for a step, where the schedule has such a function."""
    return (getattr(schedule, "lr_lambdas", None) or [None])[0]


def _only_lowers(schedule: Any) -> bool:
    """Whether a schedule never lets the rate above that of the optimizer, or one that it names.

    Those of transformers are functions that give a factor up to 1.
    """
    parts = getattr(schedule, "_schedulers", None)
    if parts:
        return all(map(_only_lowers, parts))
    kind = type(schedule)
    if kind.__name__ == "LambdaLR":
        return "num_training_steps" in getattr(_rule(schedule), "keywords", {})
    return kind.__module__ == "torch.optim.lr_scheduler" and kind.__name__ in LOWERING


def _planned(schedule: Any) -> int | None:
    """The steps of the optimizer that a schedule says it is made for."""
    planned = getattr(_rule(schedule), "keywords", {}).get("num_training_steps")
    planned = planned or getattr(schedule, "total_steps", None)
    return int(planned) if planned else None


def _length(schedule: Any) -> int | None:
    """The steps until a schedule of PyTorch ends or begins anew; None for one that goes on."""
    parts = getattr(schedule, "_schedulers", None)
    if parts:
        lengths = [_length(part) for part in parts]
        turns = getattr(schedule, "_milestones", None)
        if turns is None:
            return max((length for length in lengths if length is not None), default=None)
        return int(turns[-1]) + (lengths[-1] or 0) if turns else lengths[-1]
    milestones = getattr(schedule, "milestones", None)
    found = max(milestones) if milestones else None
    for name in ENDS:
        found = found or getattr(schedule, name, None)
    return int(found) if found else None


def _first_rate(schedule: Any) -> float:
    """The rate that a schedule has factors for, where it is one of such; 0 else."""
    rates = getattr(schedule, "base_lrs", None) if _rule(schedule) is not None else None
    return float(rates[0]) if rates else 0.0


def _counts_passes(schedule: Any) -> bool:
    """Whether the script gives a schedule the same number that its loop over passes has.

    As `T_max=epochs` beside `for epoch in range(epochs)`: such a loop has another one within.
    """
    tree = parsed()
    if tree is None:
        return False
    kind = type(schedule).__name__
    lengths = [
        _said(each.value)
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and ast.unparse(call.func).rpartition(".")[2] == kind
        for each in [*call.keywords, *(ast.keyword("T_max", a) for a in call.args[1:2])]
        if each.arg in LENGTHS and not isinstance(each.value, ast.Constant)
    ]
    return any(
        isinstance(loop, ast.For)
        and isinstance(loop.iter, ast.Call)
        and ast.unparse(loop.iter.func) in ("range", "tqdm", "trange", "tqdm.trange")
        and any(
            _said(part) in lengths for part in ast.walk(loop.iter) if isinstance(part, ast.expr)
        )
        for loop in ast.walk(tree)
    )


def _said(value: ast.expr) -> str:
    """A value as a script writes it, in a method or outside."""
    return ast.unparse(value).removeprefix("self.")


def _base(schedule: Any, rate: float, expected: float) -> float:
    """The rate that others are shares of."""
    if _rule(schedule) is not None:
        return float(schedule.base_lrs[0]) or 1.0
    bases = [float(each) for each in getattr(schedule, "base_lrs", ())[:1]]
    return max([rate, expected, *bases]) or 1.0


def _last_rate(schedule: Any, rate: float) -> float:
    """The rate that a schedule has set last."""
    rates = getattr(schedule, "_last_lr", None)
    return float(rates[0]) if rates else rate


def _optimizer(schedule: Any) -> Any:
    """The optimizer of a schedule itself, where `accelerate` has put another around it."""
    found = getattr(schedule, "optimizer", None)
    return getattr(found, "optimizer", found)


def _goes_by_metric(schedule: Any) -> bool:
    """Whether a schedule lowers the rate when a metric no longer improves."""
    return hasattr(schedule, "num_bad_epochs")


def _has_moved(schedule: Any, rate: float) -> bool:
    """Whether a schedule has changed the rate: one made for batches hardly does by passes."""
    base = _base(schedule, rate, rate)
    return abs(_last_rate(schedule, rate) - base) > MOVED * base


def _copied(schedule: Any, optimizer: Any = None) -> Any:
    """A copy of a schedule, and of those that it is made of, that moves no rate but its own."""
    twin = copy.copy(schedule)
    if optimizer is None:
        groups = [
            {name: value for name, value in group.items() if name != "params"}
            for group in schedule.optimizer.param_groups
        ]
        optimizer = SimpleNamespace(param_groups=groups, step=_nothing, _opt_called=True)
    twin.optimizer = optimizer
    for name, value in list(vars(twin).items()):
        if name == "_schedulers":
            twin._schedulers = [_copied(part, optimizer) for part in value]
        elif isinstance(value, list | dict):
            setattr(twin, name, copy.copy(value))
    return twin


def _nothing() -> None:
    """The step of an optimizer that is none."""


_nothing._wrapped_by_lr_sched = True  # type: ignore[attr-defined]
