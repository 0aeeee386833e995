"""A rule of a training: facts, bounds, and a sentence of what was measured."""

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from course.facts.facts import FactKind, FactSet

Basis = Literal["theory", "honest"]
Compare = Literal["<", "<=", "==", "!=", ">=", ">"]
COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    ">": operator.gt,
}


@dataclass(frozen=True)
class Threshold:
    """A fact and what it is compared with: a number, or another fact."""

    fact: str
    compare: Compare
    limit: float | str
    by: Basis = "theory"

    def holds(self, values: Mapping[str, float]) -> bool:
        """Whether it was measured that it does."""
        limit = values.get(self.limit) if isinstance(self.limit, str) else self.limit
        value = values.get(self.fact)
        return value is not None and limit is not None and COMPARE[self.compare](value, limit)


@dataclass(frozen=True)
class Invariant:
    """A rule: of what it is, by which bounds it is known to be broken, and when that counts.

    Where several break one invariant, `way` tells them apart; `either` are further sets of bounds,
    each of which says by itself that it is broken in this way. `shown` says how the numbers of the
    sentence are written: `whole`, `percent` or `digits`. `settled` are the bounds from which on the
    rest of a run can't mend it, so that it is told at once; None where it can. `settled_by` are
    further sets of such bounds, each of which is enough.
    """

    id: str
    of: FactKind
    broken: tuple[Threshold, ...]
    sentence: str
    given: tuple[Threshold, ...] = ()
    shown: Mapping[str, str] = field(default_factory=dict)
    way: str = ""
    settled: tuple[Threshold, ...] | None = None
    either: tuple[tuple[Threshold, ...], ...] = ()
    settled_by: tuple[tuple[Threshold, ...], ...] = ()

    @property
    def name(self) -> str:
        """The name by which a signature asks whether it is broken."""
        return f"{self.id}/{self.way}" if self.way else self.id

    def is_broken(self, facts: FactSet) -> bool:
        """Whether it was measured not to hold."""
        sets = ((*self.given, *bounds) for bounds in (self.broken, *self.either))
        return facts.kind == self.of and any(
            all(each.holds(facts.values) for each in bounds) for bounds in sets
        )

    def is_known(self, facts: FactSet) -> bool:
        """Whether it was measured if it holds: a rule that does not count there is not known."""
        return (
            facts.kind == self.of
            and all(each.holds(facts.values) for each in self.given)
            and all(each.fact in facts.values for each in self.broken)
        )

    def is_settled(self, facts: FactSet) -> bool:
        """Whether a rule that is broken stays so, whatever the script does yet."""
        sets = () if self.settled is None else (self.settled, *self.settled_by)
        return any(all(each.holds(facts.values) for each in bounds) for bounds in sets)
