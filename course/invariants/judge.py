"""What the ledger of a run has been measured to break, as sentences."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from course.base.i18n import _, numbers
from course.facts import record
from course.facts.facts import FactSet, facts_of
from course.facts.record import LedgerRecord
from course.invariants.rule import Invariant
from course.invariants.rules import INVARIANTS


@dataclass(frozen=True)
class BrokenInvariant:
    """A broken invariant, by its id: what was measured, in a sentence, and the facts it is by.

    `rule` is its name with the way in which it is broken. One that is `settled` stays broken,
    whatever a run that is not over does yet.
    """

    invariant: str
    rule: str
    line: int
    evidence: str
    figures: Mapping[str, float] = field(default_factory=dict)
    settled: bool = False


def read(event: Mapping[str, Any]) -> LedgerRecord | None:
    """Read the event `ledger` of a run; None where it can't be read."""
    try:
        return record.read(event)
    except record.UNREADABLE:
        return None


def broken_in(event: Mapping[str, Any]) -> tuple[BrokenInvariant, ...]:
    """Return the rules that are broken according to the event `ledger` of a run."""
    known = read(event)
    return broken(facts_of(known)) if known is not None else ()


def only_facts(known: Sequence[FactSet]) -> dict[str, float]:
    """Return the facts of each kind of which there is one set only: one loss, one optimizer."""
    return {
        f"{each.kind}.{name}": value
        for each in known
        if sum(other.kind == each.kind for other in known) == 1
        for name, value in each.values.items()
    }


def broken(facts: Iterable[FactSet]) -> tuple[BrokenInvariant, ...]:
    """Return the rules that do not hold, in the table's order; of each the first place only."""
    known = tuple(facts)
    found: dict[str, BrokenInvariant] = {}
    for invariant in INVARIANTS:
        for each in _places(invariant, known):
            found.setdefault(each.rule, each)
    return tuple(found.values())


def kept(facts: Iterable[FactSet]) -> frozenset[str]:
    """Return the rules by name that were looked at somewhere: what they are known by is known."""
    known = tuple(facts)
    return frozenset(i.name for i in INVARIANTS if any(i.is_known(each) for each in known))


def first_of_each(found: Iterable[BrokenInvariant]) -> tuple[BrokenInvariant, ...]:
    """Of each invariant that is broken in several ways the first one."""
    return tuple({each.invariant: each for each in reversed(tuple(found))}.values())[::-1]


def _places(invariant: Invariant, facts: Iterable[FactSet]) -> Iterator[BrokenInvariant]:
    for each in facts:
        if invariant.is_broken(each):
            figures = {f"{each.kind}.{name}": value for name, value in sorted(each.values.items())}
            known = (invariant.id, invariant.name, each.line, _said(invariant, each), figures)
            yield BrokenInvariant(*known, settled=invariant.is_settled(each))


def _said(invariant: Invariant, facts: FactSet) -> str:
    words = {name: _shown(how, facts.values[name]) for name, how in invariant.shown.items()}
    return _(invariant.sentence).format(**{"line": facts.line or "?", **facts.words, **words})


def _shown(how: str, value: float) -> str:
    if how == "whole":
        return numbers.whole(round(value))
    if how == "percent":
        return numbers.percent(value)
    return numbers.significant(value, 3)
