"""Hook the schedules of the learning rate: how often they step, and how far they reach.

Those of `torch.optim.lr_scheduler` step once a pass over the data or once a batch, as they are made
for: https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate
"""

import ast
import builtins
import copy
import dis
import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

from course_probe.guard import noted
from course_probe.reading.script_text import parsed
from course_probe.vital_signs.weak import weakly

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
ROUNDS = 2
"""How many times as many steps as it was made for tell that a schedule is told of other steps."""
MOVED = 0.05
"""The share of its first rate by which a schedule without an end moves, where it goes by passes."""
SPENT = 1e-4
"""The share of all the rates together up to which the last steps of a training have none."""
CLIPPED = 1e-9
"""The share of its highest rate that a rate has at the least before it is set to zero: one that
falls by a factor comes to zero, too, once the computer has no smaller numbers."""
SAME = 0.02
"""The share by which the steps that a schedule was made for may differ from those of a training."""
GONE, THERE = 1e-3, 5e-3
"""Shares of its highest rate: what a schedule has at its end, and shortly before that. What falls
by a factor to the first has less than the second by then."""
LATE = 0.3
"""The share of a training after which a last milestone lies, if it was made for the training."""
CLIMBED = 0.9
"""The share of its rate that a warm-up comes to, where it is over by the end of the training."""
NUMBERS = ("abs", "float", "int", "max", "min", "pow", "round")
"""Builtins that a function may call that nobody notices being called."""
NOTICED = (
    "STORE_GLOBAL",
    "STORE_ATTR",
    "STORE_SUBSCR",
    "STORE_DEREF",
    "DELETE_",
    "IMPORT_",
    "YIELD",
)
"""Instructions of a function that leave something behind."""
HALF = 0.5
"""The share of its steps of which a schedule that is told of fewer is far behind."""
BUCKETS = 1024
"""Sums of rates that are kept of one training."""


class _Rates:
    """The rates of one training, step by step: sums of some neighbours where there are many."""

    def __init__(self) -> None:
        self.highest = self.last = 0.0
        self.before_zero = 0.0
        self.steps = self.changes = self.zero_steps = 0
        self.has_fallen = False
        self._width, self._open = 1, 0
        self._sums: list[float] = []

    def add(self, rate: float) -> None:
        """Take in the rate of one step."""
        self.changes += self.steps > 0 and rate != self.last
        self.has_fallen = self.has_fallen or rate < self.last
        self.zero_steps = self.zero_steps + 1 if rate <= 0 else 0
        self.before_zero = rate if rate > 0 else self.before_zero
        self.steps += 1
        self.last, self.highest = rate, max(self.highest, rate)
        if not self._open:
            self._sums.append(0.0)
        self._sums[-1] += rate
        self._open = (self._open + 1) % self._width
        if len(self._sums) >= BUCKETS and not self._open:
            self._sums = [a + b for a, b in zip(self._sums[::2], self._sums[1::2], strict=True)]
            self._width *= 2

    @property
    def idle_share(self) -> float:
        """Return the share of steps, the last ones, that together have next to no rate."""
        left, idle = SPENT * sum(self._sums), 0
        for each in reversed(self._sums):
            left -= each
            if left < 0:
                break
            idle += 1
        return min(1.0, idle * self._width / self.steps) if self.steps else 0.0


@dataclass(slots=True)
class _Heard:
    """A schedule, and its steps in the training: none is a part of making it."""

    reference: Callable[[], Any]
    steps: int = 0

    @property
    def schedule(self) -> Any:
        """Return the schedule; None once it is gone."""
        return self.reference()


class LrScheduleHooks:
    """The schedules of one script."""

    def __init__(self) -> None:
        self._heard: list[_Heard] = []
        self._depth = 0
        self._rates = _Rates()
        self.at_step: list[Callable[[], None]] = []

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
        """Wrap the method to call `then` with its object, unless a schedule calls it itself."""

        @functools.wraps(original)
        def observed(schedule: Any, *arguments: Any, **named: Any) -> Any:
            self._depth += 1
            try:
                result = original(schedule, *arguments, **named)
            finally:
                self._depth -= 1
            if not self._depth:
                noted(then, schedule)
            return result

        return observed

    def begin_training(self) -> None:
        """Reset the counts of steps to 0."""
        for each in self._heard:
            each.steps = 0
        self._rates = _Rates()

    def note_rate(self, rate: float) -> None:
        """Take in the rate that an optimizer is about to step with."""
        self._rates.add(rate)

    def _add(self, schedule: Any) -> None:
        # What a schedule of several steps by turns is no schedule by itself.
        parts = getattr(schedule, "_schedulers", ())
        kept = [each for each in self._heard if all(each.schedule is not part for part in parts)]
        self._heard = [*kept, _Heard(weakly(schedule))][-MOST:]

    def _count_step(self, schedule: Any) -> None:
        found = next((each for each in self._heard if each.schedule is schedule), None)
        if found is None:
            self._add(schedule)
            found = self._heard[-1]
        found.steps += 1
        if found is not self._heard[-1]:
            self._heard = [*(each for each in self._heard if each is not found), found]
        for call in self.at_step:
            call()

    def _followed(self, optimizer: Any = None) -> _Heard | None:
        """Return the schedule that the training goes by: of those of its optimizer the last one.

        One that is made for steps comes before one that is not: a metric may lower the rate beside.
        """
        heard = [each for each in self._heard if each.schedule is not None]
        found = [e for e in heard if optimizer is None or _optimizer(e.schedule) is optimizer]
        made_for_steps = [each for each in found if _planned(each.schedule) is not None]
        return next(reversed(made_for_steps or found), None)

    def end_figures(self, steps: int, optimizer: Any = None) -> dict[str, float]:
        """Return how the schedule stands beside the whole training, once that is over.

        The rates that the steps had say most of it: the same rates are judged alike, whatever
        class of schedule they are from.
        """
        found = self._followed(optimizer)
        if found is None or not steps or getattr(found.schedule, "optimizer", None) is None:
            return {}
        values = {"schedule_told": found.steps / steps}
        made_for = _made_for(found.schedule, found.steps, steps)
        if made_for:
            values["schedule_to_training"] = made_for / steps
            values["schedule_through"] = found.steps / made_for
        length = _length(found.schedule)
        is_in_rounds = length and found.steps >= ROUNDS * length and not _planned(found.schedule)
        if length and is_in_rounds and _counts_passes(found.schedule):
            values["schedule_rounds"] = found.steps / length
        first = _first_rate(found.schedule)
        if 0 < first < MULTIPLIER and self._rates.highest:
            values["rate_to_base"] = self._rates.highest / first
        is_behind = values.get("schedule_through", 1.0) < HALF
        return values | self._shape(found.schedule, steps, is_behind=is_behind)

    def _shape(self, schedule: Any, steps: int, *, is_behind: bool) -> dict[str, float]:
        """Compute figures of the learning rates that a schedule of the training has set.

        One that `is_behind` was told too seldom: what it has not come to is not too long.
        """
        rates, values = self._rates, dict[str, float]()
        if _goes_by_metric(schedule) or not rates.highest:
            return values
        values["rate_idle_share"] = rates.idle_share
        is_clipped = rates.zero_steps and rates.before_zero > CLIPPED * rates.highest
        values["rate_zero_after"] = float(steps - rates.zero_steps) if is_clipped else 0.0
        last = _last_change(schedule)
        if not rates.changes and last is not None and LATE * steps <= last <= steps:
            values["schedule_last_change"] = float(last)
        base = _top(schedule)
        is_climbing = rates.changes and not rates.has_fallen and not is_behind
        if is_climbing and base and rates.highest < CLIMBED * base:
            values["rate_climbed"] = rates.highest / base
            values["rate_to_climb"] = base
        return values

    @property
    def planned(self) -> int | None:
        """Return the steps of the optimizer that it was made for; None if unknown."""
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
        """Compare a rate with what the schedule has for this step of the optimizer.

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
        if planned is None:
            planned = _length(found.schedule)
        if planned and batches:
            values["schedule_steps"] = float(planned)
            values["schedule_done"] = found.steps / planned
            values["schedule_passes"] = planned / batches
        if planned and batches and _planned(found.schedule):
            values["schedule_overrun"] = float(max(0, steps - planned))
        return values

    def _by_hand(self, steps: int, passes: float | None) -> dict[str, float]:
        """Return how often a script has set the rate itself, where it has no schedule for that."""
        rates = self._rates
        if not rates.changes:
            return {}
        values = {"schedule_pace": rates.changes / steps, "rate_seen": rates.last}
        keeps_pace = passes is not None and rates.changes >= int(passes) - 1
        if keeps_pace and rates.highest - rates.last > MOVED * rates.highest:
            values |= {"rate_expected": rates.last, "rate_off": 0.0}
        return values

    def _expected(
        self, found: _Heard, rate: float, steps: int, passes: float | None
    ) -> float | None:
        """Return the rate for this step of the optimizer; None where it is unknown."""
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
        if _length(schedule) is None or steps - found.steps > MOST_AHEAD:
            return None
        return self._ahead(schedule, steps - found.steps)

    def _ahead(self, schedule: Any, steps: int) -> float | None:
        """Compute the rate of a schedule so many steps from now, by a copy of it."""
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


def _function(schedule: Any) -> Any:
    """Return the function that gives the rate's factor for a step; None where there is none."""
    return (getattr(schedule, "lr_lambdas", None) or [None])[0]


def _rule(schedule: Any) -> Any:
    """Return the same function; None where a script could notice that it is called."""
    function = _function(schedule)
    return function if _goes_unnoticed(function) else None


def _goes_unnoticed(rule: Any) -> bool:
    """Return whether a function only computes: one of transformers, or of a few operations."""
    inner = getattr(rule, "func", rule)
    if str(getattr(inner, "__module__", "")).startswith(("transformers.", "diffusers.")):
        return True
    if not isinstance(inner, FunctionType):
        return False
    steps = list(dis.get_instructions(inner.__code__))
    if any(each.opname.startswith(NOTICED) for each in steps):
        return False
    known = {**vars(builtins), **inner.__globals__}
    named = {each.argval: known.get(each.argval) for each in steps if "GLOBAL" in each.opname}
    held = [cell.cell_contents for cell in inner.__closure__ or ()]
    return all(
        isinstance(value, int | float) or value is math
        for value in (*held, *named.values())
        if not any(value is getattr(builtins, name) for name in NUMBERS)
    )


def _planned(schedule: Any) -> int | None:
    """Return the steps of the optimizer that a schedule says it is made for."""
    planned = getattr(_function(schedule), "keywords", {}).get("num_training_steps")
    planned = planned or getattr(schedule, "total_steps", None)
    return int(planned) if planned else None


def _made_for(schedule: Any, told: int, steps: int) -> int | None:
    """Return the steps that a schedule is made for: as it says, or as many as the training has.

    The latter of one that goes through them once, or whose function comes to its end with them.
    """
    planned, length = _planned(schedule), _length(schedule)
    if planned is not None or told > HALF * steps:
        return planned
    goes_once = any(getattr(_last_part(schedule), name, None) for name in LENGTHS)
    if goes_once and length and abs(length - steps) <= max(1.0, SAME * steps):
        return length
    rule = _rule(schedule)
    if rule is None:
        return None
    try:
        end, before, first = (float(rule(n)) for n in (steps, int((1 - LATE / 3) * steps), told))
    except Exception:  # noqa: BLE001 - a function that fails so far on has no end there
        return None
    is_at_end = abs(end) <= GONE * abs(first) and abs(before) >= THERE * abs(first)
    return steps if is_at_end else None


def _last_part(schedule: Any) -> Any:
    """Return the last of the schedules that one is made of, or itself."""
    parts = getattr(schedule, "_schedulers", None)
    return parts[-1] if parts else schedule


def _last_change(schedule: Any) -> int | None:
    """Return a schedule's last milestone, or the step at which the first of equal parts ends."""
    milestones = getattr(schedule, "milestones", None) or getattr(schedule, "_milestones", None)
    if milestones:
        return int(max(milestones))
    step_size = getattr(schedule, "step_size", None)
    return int(step_size) if isinstance(step_size, int) else None


def _top(schedule: Any) -> float | None:
    """Return the rate that a schedule climbs to: its optimizer's, or a `max_lr`; None if unknown.

    A function may give more than a factor, or leave all to an optimizer's rate of 1.
    """
    parts = getattr(schedule, "_schedulers", None) or [schedule]
    groups = schedule.optimizer.param_groups
    top = max(float(g.get("max_lr", g.get("initial_lr", 0.0))) for g in groups)
    if any(map(_function, parts)) and top >= MULTIPLIER:
        return None
    return top or None


def _length(schedule: Any) -> int | None:
    """Return the steps until a PyTorch schedule ends or begins anew; None for one that goes on."""
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
    """Return the base rate that a schedule's factors multiply; 0 where it has no factors."""
    rates = getattr(schedule, "base_lrs", None) if _function(schedule) is not None else None
    return float(rates[0]) if rates else 0.0


def _counts_passes(schedule: Any) -> bool:
    """Return whether the script gives a schedule the same number that its loop over passes has.

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
    """Return a value as a script writes it, in a method or outside."""
    return ast.unparse(value).removeprefix("self.")


def _base(schedule: Any, rate: float, expected: float) -> float:
    """Return the rate that others are shares of."""
    if _function(schedule) is not None:
        return float(schedule.base_lrs[0]) or 1.0
    bases = [float(each) for each in getattr(schedule, "base_lrs", ())[:1]]
    return max([rate, expected, *bases]) or 1.0


def _last_rate(schedule: Any, rate: float) -> float:
    """Return the rate that a schedule has set last."""
    rates = getattr(schedule, "_last_lr", None)
    return float(rates[0]) if rates else rate


def _optimizer(schedule: Any) -> Any:
    """Return the optimizer of a schedule itself, where `accelerate` has put another around it."""
    found = getattr(schedule, "optimizer", None)
    return getattr(found, "optimizer", found)


def _goes_by_metric(schedule: Any) -> bool:
    """Return whether a schedule lowers the rate when a metric no longer improves."""
    return hasattr(schedule, "num_bad_epochs")


def _has_moved(schedule: Any, rate: float) -> bool:
    """Return whether a schedule has changed the rate: one for batches hardly does by passes."""
    base = _base(schedule, rate, rate)
    return abs(_last_rate(schedule, rate) - base) > MOVED * base


def _copied(schedule: Any, optimizer: Any = None) -> Any:
    """Copy a schedule, and those that it is made of, so that it moves no rate but its own."""
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
    """Do nothing, in place of an optimizer's step."""


_nothing._wrapped_by_lr_sched = True  # type: ignore[attr-defined]
