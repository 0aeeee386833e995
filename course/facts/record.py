"""The event `ledger`, read with care: a script can write such lines, too.

What is missing or of another kind than it should be makes the whole of it unreadable.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass
from typing import Any, TypeVar

UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)
Series = tuple[tuple[int, float | None], ...]
"""Values with the number of the backward that they were heard at; None is no number."""
Each = TypeVar("Each")


@dataclass(frozen=True, kw_only=True)
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
    drawn: int = 0
    still: bool = False
    stale: int = 0
    fresh: int = 0
    rows: int
    passed: int
    distinct: int
    pairs: int
    twins: int
    unfrozen: int = 0
    momentum: float = 0.0
    recurrent: int = 0
    shared: int = 0
    rarest: float = 0.0
    carried: int = 0
    followed: int = 0
    followed_alike: int = 0


@dataclass(frozen=True, kw_only=True)
class Seen:
    """Rows that were only asked about: how many of them were trained on before, by batches too.

    Of the others, `adapted` are those from which a layer has taken a mean and a variance.
    """

    rows: int
    known: int
    again: int
    last_rows: int
    last_known: int
    distinct: int
    all: int
    mixed: int
    mixed_known: int
    mixed_rows: int
    earlier: int = 0
    adapted: int = 0


@dataclass(frozen=True, kw_only=True)
class Passes:
    """Passes of a network at one line, in one mode: some a loss reached, others were `aside`.

    What it was `given` are the kind of each input, and the shape of its rows. `graphs` are those
    aside that had all that gradients need, where the script asks for no gradients itself. What is
    made of the answers is `told` by the library, whatever the script does with it.
    """

    network: int
    line: int
    training: bool
    grad: bool
    reached: int
    reached_rows: int
    aside: int
    aside_rows: int
    graphs: int = 0
    told: bool = False
    stretches: int
    first: int
    last: int
    modes: int
    dropping: int
    norming: int
    sizes: int = 1
    names: tuple[str, ...]
    given: tuple[str, ...]
    seen: Seen | None

    @property
    def beside(self) -> float:
        """The share of steps from first to last of these passes that one stood beside."""
        return (self.stretches - 1) / (self.last - self.first + 1)


@dataclass(frozen=True, kw_only=True)
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
    leaves: int
    loose: int
    unregistered: int
    unstepped: int
    drawn: int = 0
    others: int = 0
    ahead: int = 0
    loose_names: tuple[str, ...] = ()
    graphs: float | None
    begin: tuple[float, ...]
    series: Series


@dataclass(frozen=True, kw_only=True)
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
    renewed: int = 0
    resumed: int = 0
    loose: int = 0
    climbs: int = 0
    looks: int
    rates: Series
    base: float = 0.0
    decay: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """A schedule of a rate: how often it was called, for how many calls it is made (0: unknown)."""

    kind: str
    line: int
    calls: int
    steps: int
    length: int
    ends: bool


@dataclass(frozen=True, kw_only=True)
class Load:
    """Weights that were loaded at one line: how often they were its own, or none of them fit."""

    line: int
    kind: str
    times: int
    own: int
    unfit: int = 0


@dataclass(frozen=True, kw_only=True)
class Gradient:
    """What one step was taken with, of the parameters that were looked at."""

    step: int
    optimizer: int
    parameters: int
    absent: int
    norm: float | None
    left: float | None
    added: float | None
    between: float | None
    moved: float | None
    size: float | None


@dataclass(frozen=True, kw_only=True)
class Kin:
    """A network that was only asked, beside a trained one of its kind: how alike they are.

    It was asked about so many different `rows`, of which the other was trained on those `known`.
    It is `unset` where its batch norm has gathered nothing, and the other's has.
    """

    asked: int
    trained: int
    alike: float | None
    numbers: int
    rows: int = 0
    known: int = 0
    unset: bool = False


@dataclass(frozen=True, kw_only=True)
class ChosenBy:
    """A figure of evaluations by which weights are chosen: the `highest`, or the lowest."""

    name: str
    highest: bool
    values: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class SaidScore:
    """An accuracy as an evaluation says it, and the shares of right answers that were `counted`."""

    name: str
    said: float | None
    counted: tuple[float, ...]
    answers: int


@dataclass(frozen=True, kw_only=True)
class GivenFact:
    """A fact of what a library was called with, and the line that was the first to do so."""

    name: str
    line: int
    value: float


@dataclass(frozen=True, kw_only=True)
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
    workers: int = 0
    choices: tuple[ChosenBy, ...] = ()
    said: tuple[SaidScore, ...] = ()
    calls: tuple[GivenFact, ...] = ()


def read(event: Mapping[str, Any]) -> LedgerRecord:
    """Read the record of an event; raise one of `UNREADABLE` where it is not of the format."""
    return LedgerRecord(
        over=_flag(event["over"]),
        backwards=_count(event["backwards"]),
        steps=_count(event["steps"]),
        networks=_all(event["networks"], _made(Network)),
        passes=_all(event["passes"], _passes),
        losses=_all(event["losses"], _made(Loss)),
        optimizers=_all(event["optimizers"], _made(Optimizer)),
        schedules=_all(event["schedules"], _made(Schedule)),
        loads=_all(event["loads"], _made(Load)),
        gradients=_all(event["gradients"], _made(Gradient)),
        kin=_all(event["kin"], _made(Kin)),
        studies=tuple(dict(each) for each in event["studies"]),
        workers=_count(event.get("workers", 0)),
        choices=_all(event.get("choices", ()), _made(ChosenBy)),
        said=_all(event.get("said", ()), _made(SaidScore)),
        calls=_all(event.get("calls", ()), _made(GivenFact)),
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


def _numbers(values: Any) -> tuple[float, ...]:
    return tuple(found for each in values if (found := _number(each)) is not None)


def _series(values: Any) -> Series:
    return tuple((_count(at), _number(value)) for at, value in values)


READ: dict[Any, Callable[[Any], Any]] = {
    **{int: _count, bool: _flag, str: str, float: lambda value: _number(value) or 0.0},
    **{float | None: _number, tuple[float, ...]: _numbers, Series: _series},
    tuple[str, ...]: lambda values: tuple(map(str, values)),
    Seen | None: lambda value: None if value is None else _made(Seen)(value),
}
"""How a value is read, by what it is to be."""


def _made(kind: Callable[..., Each]) -> Callable[[Mapping[str, Any]], Each]:
    """How one of a kind is made; what has a default was not always written."""
    known: dict[str, Field[Any]] = kind.__dataclass_fields__  # type: ignore[attr-defined]
    names = {name: "class" if name == "kind" else name for name in known}

    def make(each: Mapping[str, Any]) -> Each:
        asked = [name for name in known if known[name].default is MISSING or names[name] in each]
        return kind(**{name: READ[known[name].type](each[names[name]]) for name in asked})

    return make


def _passes(each: Mapping[str, Any]) -> Passes:
    given = (
        f"{kind} {list(map(_count, shape))[1:]}"
        for kind, shape in zip(each["kinds"], each["shapes"], strict=True)
    )
    return _made(Passes)({**each, "given": tuple(given)})
