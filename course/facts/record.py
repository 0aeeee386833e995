"""The event `ledger`, read with care: a script can write such lines, too.

What is missing or of another kind than it should be makes the whole of it unreadable.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)
Series = tuple[tuple[int, float | None], ...]
"""Values with the number of the backward that they were heard at; None is no number."""
Each = TypeVar("Each")


@dataclass(frozen=True)
class Network:
    """A network that was called, and the rows of it that a loss reached."""

    id: int
    kind: str
    tensors: int
    numbers: int
    dropouts: int
    norms: int
    held: bool
    frozen: int
    drawn: int
    fresh: int
    rows: int
    passed: int
    distinct: int
    pairs: int
    twins: int
    unfrozen: int
    momentum: float
    rarest: float


@dataclass(frozen=True)
class Seen:
    """Rows that were only asked about: how many of them were trained on before, by batches too."""

    rows: int
    known: int
    again: int
    last_rows: int
    last_known: int
    distinct: int
    all: int
    none: int
    mixed: int
    mixed_known: int
    mixed_rows: int


@dataclass(frozen=True)
class Passes:
    """Passes of a network at one line, in one mode: some a loss reached, others were `aside`.

    What it was `given` are the kind of each input, and the shape of its rows. `graphs` are those
    aside that had all that gradients need, where the script asks for no gradients itself.
    """

    network: int
    line: int
    training: bool
    grad: bool
    reached: int
    reached_rows: int
    aside: int
    aside_rows: int
    graphs: int
    stretches: int
    first: int
    last: int
    modes: int
    dropping: int
    norming: int
    names: tuple[str, ...]
    given: tuple[str, ...]
    seen: Seen | None


@dataclass(frozen=True)
class Loss:
    """What was sent backward at one line."""

    line: int
    count: int
    not_finite: int
    first_not_finite: int
    looks: int
    hand_looks: int
    hand_moved: int
    drifts: int
    constant: int
    leaves: int
    loose: int
    loose_numbers: int
    unregistered: int
    unstepped: int
    others: int
    ahead: int
    graphs: float | None
    begin: tuple[float, ...]
    series: Series


@dataclass(frozen=True)
class Optimizer:
    """An optimizer that has stepped."""

    id: int
    kind: str
    line: int
    steps: int
    idle: int
    closures: int
    tensors: int
    without: int
    loose: int
    looks: int
    rates: Series


@dataclass(frozen=True)
class Schedule:
    """A schedule of a rate: how often it was called, for how many calls it is made (0: unknown)."""

    kind: str
    line: int
    calls: int
    steps: int
    length: int
    ends: bool


@dataclass(frozen=True)
class Load:
    """Weights that were loaded at one line: how often they were its own, or none of them fit."""

    line: int
    kind: str
    times: int
    own: int
    unfit: int


@dataclass(frozen=True)
class Gradient:
    """What one step was taken with, of the parameters that were looked at."""

    step: int
    optimizer: int
    by_hand: bool
    parameters: int
    absent: int
    norm: float | None
    left: float | None
    added: float | None
    between: float | None
    moved: float | None
    size: float | None


@dataclass(frozen=True)
class Kin:
    """A network that was only asked, beside a trained one of its kind: how alike they are.

    It was asked about so many different `rows`, of which the other was trained on those `known`.
    It is `unset` where its batch norm has gathered nothing, and the other's has.
    """

    asked: int
    trained: int
    alike: float | None
    numbers: int
    rows: int
    known: int
    unset: bool


@dataclass(frozen=True)
class LedgerRecord:
    """All of it; `over` where the script has come to its end."""

    over: bool
    backwards: int
    steps: int
    networks: tuple[Network, ...]
    passes: tuple[Passes, ...]
    losses: tuple[Loss, ...]
    optimizers: tuple[Optimizer, ...]
    schedules: tuple[Schedule, ...]
    loads: tuple[Load, ...]
    gradients: tuple[Gradient, ...]
    kin: tuple[Kin, ...]
    studies: tuple[Mapping[str, Any], ...]
    limits: Mapping[str, int]


def read(event: Mapping[str, Any]) -> LedgerRecord:
    """The record of an event; raises one of `UNREADABLE` where it is not of the format."""
    return LedgerRecord(
        over=_flag(event["over"]),
        backwards=_count(event["backwards"]),
        steps=_count(event["steps"]),
        networks=_all(event["networks"], _network),
        passes=_all(event["passes"], _passes),
        losses=_all(event["losses"], _loss),
        optimizers=_all(event["optimizers"], _optimizer),
        schedules=_all(event["schedules"], _schedule),
        loads=_all(event["loads"], _load),
        gradients=_all(event["gradients"], _gradient),
        kin=_all(event["kin"], _kin),
        studies=tuple(dict(each) for each in event["studies"]),
        limits={str(name): _count(value) for name, value in event["limits"].items()},
    )


def _all(values: Any, make: Callable[[Mapping[str, Any]], Each]) -> tuple[Each, ...]:
    return tuple(make(each) for each in values)


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(value)
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(value)
    return value


def _number(value: Any) -> float | None:
    found = None if value is None else float(value)
    return found if found is not None and math.isfinite(found) else None


def _counts(each: Mapping[str, Any], *names: str) -> dict[str, int]:
    return {name: _count(each[name]) for name in names}


def _series(values: Any) -> Series:
    return tuple((_count(at), _number(value)) for at, value in values)


def _network(each: Mapping[str, Any]) -> Network:
    names = ("id", "tensors", "numbers", "dropouts", "norms", "frozen", "drawn")
    rows = ("rows", "passed", "distinct", "pairs", "twins")
    kind, held = str(each["class"]), _flag(each["held"])
    return Network(
        kind=kind,
        held=held,
        unfrozen=_count(each.get("unfrozen", 0)),
        fresh=_count(each.get("fresh", 0)),
        momentum=_number(each.get("momentum")) or 0.0,
        rarest=_number(each.get("rarest")) or 0.0,
        **_counts(each, *names, *rows),
    )


def _passes(each: Mapping[str, Any]) -> Passes:
    names = ("network", "line", "reached", "reached_rows", "aside", "aside_rows", "stretches")
    others = ("first", "last", "modes", "dropping", "norming")
    seen = each["seen"]
    return Passes(
        training=_flag(each["training"]),
        grad=_flag(each["grad"]),
        names=tuple(map(str, each["names"])),
        given=tuple(
            f"{kind} {list(map(_count, shape))[1:]}"
            for kind, shape in zip(each["kinds"], each["shapes"], strict=True)
        ),
        graphs=_count(each.get("graphs", 0)),
        seen=Seen(**_counts(seen, *Seen.__dataclass_fields__)) if seen is not None else None,
        **_counts(each, *names, *others),
    )


def _loss(each: Mapping[str, Any]) -> Loss:
    names = ("line", "count", "not_finite", "first_not_finite", "looks", "constant", "leaves")
    others = ("loose", "loose_numbers", "unregistered", "unstepped", "hand_looks", "hand_moved")
    begin = (_number(value) for value in each["begin"])
    return Loss(
        begin=tuple(value for value in begin if value is not None),
        series=_series(each["series"]),
        drifts=_count(each["drifts"]),
        graphs=_number(each["graphs"]),
        others=_count(each.get("others", 0)),
        ahead=_count(each.get("ahead", 0)),
        **_counts(each, *names, *others),
    )


def _optimizer(each: Mapping[str, Any]) -> Optimizer:
    names = ("id", "line", "steps", "idle", "closures", "tensors", "without", "looks")
    return Optimizer(
        kind=str(each["class"]),
        rates=_series(each["rates"]),
        loose=_count(each.get("loose", 0)),
        **_counts(each, *names),
    )


def _schedule(each: Mapping[str, Any]) -> Schedule:
    names = ("line", "calls", "steps", "length")
    return Schedule(kind=str(each["class"]), ends=_flag(each["ends"]), **_counts(each, *names))


def _load(each: Mapping[str, Any]) -> Load:
    unfit = _count(each.get("unfit", 0))
    return Load(kind=str(each["class"]), unfit=unfit, **_counts(each, "line", "times", "own"))


def _gradient(each: Mapping[str, Any]) -> Gradient:
    return Gradient(
        by_hand=_flag(each["by_hand"]),
        norm=_number(each["norm"]),
        left=_number(each["left"]),
        added=_number(each["added"]),
        between=_number(each["between"]),
        moved=_number(each["moved"]),
        size=_number(each["size"]),
        **_counts(each, "step", "optimizer", "parameters", "absent"),
    )


def _kin(each: Mapping[str, Any]) -> Kin:
    counts = {name: _count(each.get(name, 0)) for name in ("rows", "known")}
    return Kin(
        alike=_number(each["alike"]),
        unset=_flag(each.get("unset", False)),
        **counts,
        **_counts(each, "asked", "trained", "numbers"),
    )
