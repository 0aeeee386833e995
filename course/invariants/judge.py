"""What the ledger of a run has been measured to break, as sentences."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from string import Formatter
from typing import Any

from course.base.i18n import N_, _, at_line, numbers
from course.facts import record
from course.facts.facts import FactSet, facts_of
from course.facts.record import LedgerRecord
from course.invariants.rule import Invariant
from course.invariants.rules import INVARIANTS

WHOLE = frozenset(
    {"adapted", "alike", "answers", "at", "best_scale", "calls", "compared_spread", "count"}
    | {"cut", "cut_off", "cut_to", "dead_ends", "distinct", "earlier", "evaluation_mode"}
    | {"evaluations", "fresh", "graphs", "held_at_zero", "idle", "inputs", "inputs_unread"}
    | {"known", "label_rows", "labels", "labels_of_a_row", "layers", "leaves", "length", "looks"}
    | {"loose", "norms_unset", "not_finite", "not_finite_first", "places_ahead", "reached"}
    | {"renewed", "rows", "rows_a_pass", "rows_asked", "shared", "steps", "tensors", "times"}
    | {"trained_rows", "unseen", "workers"}
)
"""Facts that a sentence has as whole numbers."""
PERCENT = frozenset(
    {"agree", "agree_others", "best_left", "beyond_chances", "cleared_share", "counted", "decay"}
    | {"drawn_share", "dropping_share", "ends_left_out", "frozen_share", "gain_of_all"}
    | {"ignored_counted", "ignored_real", "labels_untrained", "left_by_hand", "left_part"}
    | {"momentum", "most_dropped", "norming_share", "out_of_reach", "own_wins", "padded_apart"}
    | {"padding_in_loss", "padding_moves", "places_move", "rate_usual_part", "renumbered"}
    | {"repeated", "right"}
    | {"rows_apart", "rows_move", "targets_beyond", "told", "told_without", "unmasked"}
    | {"unseen_behind", "unsent", "without_share", "zeros_for_signs"}
)
"""Facts that it has as percent; all others by three digits."""
PLACE = N_("This fault becomes visible in line {line}.")
"""What stands below the title of a fault where a rule has that title for its sentence."""


@dataclass(frozen=True)
class BrokenInvariant:
    """A broken invariant, by its id: what was measured, in a sentence, and the facts it is by.

    `rule` is its name with the way in which it is broken. Below the title of its fault, `told` is
    said instead. One that is `settled` stays broken, whatever a run that is not over does yet.
    """

    invariant: str
    rule: str
    line: int
    evidence: str
    told: str
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
            known = (invariant.id, invariant.name, each.line, *_said(invariant, each), figures)
            yield BrokenInvariant(*known, settled=invariant.is_settled(each))


def _said(invariant: Invariant, facts: FactSet) -> tuple[str, str]:
    asked = {name for _text, name, _spec, _how in Formatter().parse(invariant.sentence) if name}
    known = {name: _shown(name, facts.values[name]) for name in asked & facts.values.keys()}
    if (first := invariant.broken[0][0].fact) in facts.values:
        known["measured"] = _shown(first, facts.values[first])
    words = {"line": facts.line or "?", **known, **facts.words}
    said = _(invariant.sentence).format(**words)
    if asked or not facts.line:
        return said, said if asked else ""
    return at_line(said, words["line"]), _(PLACE).format(**words)


def _shown(name: str, value: float) -> str:
    if name in WHOLE:
        return numbers.whole(round(value))
    return numbers.percent(value) if name in PERCENT else numbers.significant(value, 3)
