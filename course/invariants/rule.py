"""A rule of a training: facts, bounds, and a sentence of what was measured."""

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from course.facts.facts import FactKind, FactSet

Basis = Literal["theory", "honest"]
COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    ">": operator.gt,
}
Bounds = str | tuple[str, ...]
"""Bounds as `steps >= 20, ended > 0.9* or steps == 0`; honest scripts have set one with a star."""


@dataclass(frozen=True)
class Threshold:
    """A fact and what it is compared with: a number, or another fact."""

    fact: str
    compare: str
    limit: float | str
    by: Basis = "theory"

    def holds(self, values: Mapping[str, float]) -> bool:
        """Whether it was measured that it does."""
        limit = values.get(self.limit) if isinstance(self.limit, str) else self.limit
        value = values.get(self.fact)
        return value is not None and limit is not None and COMPARE[self.compare](value, limit)


BoundSets = tuple[tuple[Threshold, ...], ...]
"""Sets of bounds, each of which is enough."""


@dataclass(frozen=True)
class Invariant:
    """A rule: of what it is, by which bounds it is known to be broken, and when that counts.

    Its `sentence` is what was measured, `{measured}` the first fact of its bounds, or the title of
    its fault. Where several break one invariant, `way` tells them apart. `settled` are the bounds
    from which on the rest of a run can't mend it, so that it is told at once; None where it can.
    """

    id: str
    way: str
    of: FactKind
    broken: BoundSets
    sentence: str
    given: tuple[Threshold, ...]
    settled: BoundSets | None

    @property
    def name(self) -> str:
        """The name by which a signature asks whether it is broken."""
        return f"{self.id}/{self.way}" if self.way else self.id

    def is_broken(self, facts: FactSet) -> bool:
        """Whether it was measured not to hold."""
        return self._counts(facts) and _holds(self.broken, facts)

    def is_known(self, facts: FactSet) -> bool:
        """Whether it was measured if it holds: a rule that does not count there is not known."""
        return self._counts(facts) and all(each.fact in facts.values for each in self.broken[0])

    def is_settled(self, facts: FactSet) -> bool:
        """Whether a rule that is broken stays so, whatever the script does yet."""
        return self.settled is not None and _holds(self.settled, facts)

    def _counts(self, facts: FactSet) -> bool:
        return facts.kind == self.of and _holds((self.given,), facts)


def _holds(sets: BoundSets, facts: FactSet) -> bool:
    return any(all(each.holds(facts.values) for each in bounds) for bounds in sets)


def rule(
    name: str,
    of: FactKind,
    broken: Bounds,
    sentence: str,
    *,
    given: Bounds = (),
    settled: Bounds | None = None,
) -> Invariant:
    """Make a rule, as `id` or `id/way`, of bounds as they are written."""
    invariant, _slash, way = name.partition("/")
    (counts,) = _read(given)
    known = None if settled is None else _read(settled)
    return Invariant(invariant, way, of, _read(broken), sentence, counts, known)


def _read(bounds: Bounds) -> BoundSets:
    written = bounds if isinstance(bounds, str) else ", ".join(bounds)
    return tuple(
        tuple(_threshold(*each.split()) for each in either.split(",") if each.strip())
        for either in re.split(r"\bor\b", written)
    )


def _threshold(fact: str, compare: str, limit: str) -> Threshold:
    value = limit.rstrip("*")
    is_whole, is_fact = re.fullmatch(r"-?\d+", value), value[0].isalpha()
    made = value if is_fact else int(value) if is_whole else float(value)
    return Threshold(fact, compare, made, "honest" if limit.endswith("*") else "theory")
