"""What holds in any training that goes well, and was measured not to hold: its cause is not known.

A loss is a number at each step; a network that was trained answers better than one that guesses.
What breaks such a rule may have any cause, and may be meant so: it is told as it was measured.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from course.facts.facts import FactSet, facts_of
from course.facts.text import of_text, with_uses
from course.invariants import judge, rules
from course.invariants.judge import BrokenInvariant
from course.judge.signs import losses_of, signs_of
from course.lesson.signature import BROKEN
from course.runs.record import RunRecord
from course.runs.vital_signs import VitalSigns

SETTLED = 2.0
"""The figure of a rule that is broken, and stays so whatever the rest of a run does."""
OF_LEDGER = (
    *("without_gradient", "cleared_before_step", "infinite_gradient", "left_over", "gradient"),
    "first_move",
    *("train_mode_share", "evaluate_mode_share"),
)
"""Signs of the model in a lesson that its ledger tells."""


def broken(record: RunRecord, text: str = "") -> tuple[BrokenInvariant, ...]:
    """Return the rules that the training of a run, of a script of this text, has broken."""
    if record.raised is not None:
        return ()
    return judge.first_of_each(judge.broken(facts_in(record, text)))


def facts_in(record: RunRecord, text: str = "") -> tuple[FactSet, ...]:
    """Return the facts of a run's ledger and of its script's text; none without a ledger."""
    known = judge.read(record.ledger) if record.ledger is not None else None
    if known is None:
        return ()
    facts = facts_of(known)
    try:
        used = with_uses(text, facts)
        facts = (*used, *of_text(text, known, used))
    except Exception:  # noqa: BLE001 - what was measured counts, whatever the text is like
        from course.base import log

        log.logger("judge").exception("the text of a script could not be read")
    return tuple(_placed(each, record.places) for each in facts)


def _placed(facts: FactSet, places: Mapping[int, str]) -> FactSet:
    """Return the facts with their line as a person finds it."""
    if facts.line not in places:
        return facts
    return replace(facts, words={**facts.words, "line": places[facts.line]})


def with_rules(record: RunRecord, text: str = "") -> RunRecord:
    """Return the record with a figure for each rule that was looked at, and the facts there.

    It is 0 where the rule holds, 1 where it is broken, and `SETTLED` where it stays so.
    """
    if record.ledger is None:
        return record
    return replace(record, figures={**record.figures, **_REMEMBERED.of(record, text)[0]})


def with_ledger(record: RunRecord) -> RunRecord:
    """Return the record of a lesson with what its ledger tells: rules, facts and signs.

    What the hooks of lessons have measured themselves counts before it.
    """
    if record.ledger is None:
        return record
    told, signs = _REMEMBERED.of(record, "")
    vitals = _filled(record.vitals, signs) if record.vitals is not None else None
    measured = dict(vitals.figures()) if vitals is not None else {}
    return replace(record, figures={**told, **record.figures, **measured}, vitals=vitals)


def _filled(signs: VitalSigns, of_ledger: VitalSigns | None) -> VitalSigns:
    """Return the signs, with those that only the ledger has measured."""
    if of_ledger is None:
        return signs
    found = {n: getattr(of_ledger.model, n) for n in OF_LEDGER if getattr(signs.model, n) is None}
    usual, guess, last = signs.rate, signs.loss.guess, of_ledger.loss.last
    share = last / guess if last is not None and guess else None
    loss = replace(of_ledger.loss, guess=guess, last_to_guess=share)
    rate = replace(of_ledger.rate, usual_low=usual.usual_low, usual_high=usual.usual_high)
    return replace(
        signs,
        model=replace(signs.model, **found),
        loss=loss if signs.loss.last is None else signs.loss,
        rate=rate if usual.highest is None else usual,
    )


class _Remembered:
    """What the last ledger tells: a run under way is judged often, and written seldom."""

    def __init__(self) -> None:
        self._of: tuple[Mapping[str, Any] | None, str] = (None, "")
        self._known: tuple[dict[str, float], VitalSigns | None] = ({}, None)

    def of(self, record: RunRecord, text: str) -> tuple[dict[str, float], VitalSigns | None]:
        """Return the figures of rules and facts, and the signs."""
        if self._of[0] is not record.ledger or self._of[1] != text:
            facts = facts_in(record, text)
            found = judge.only_facts(facts) | {BROKEN + rule: 0.0 for rule in judge.kept(facts)}
            for each in reversed(judge.broken(facts)):
                found |= {**each.figures, BROKEN + each.rule: SETTLED if each.settled else 1.0}
            known = judge.read(record.ledger) if record.ledger is not None else None
            signs = signs_of(known, facts) if known is not None else None
            self._of, self._known = (record.ledger, text), (found, signs)
        return self._known


_REMEMBERED = _Remembered()


def with_signs(record: RunRecord) -> RunRecord:
    """Return the record with the vital signs and losses of its ledger, where it has none yet."""
    known = judge.read(record.ledger) if record.ledger is not None else None
    if known is None or record.vitals is not None:
        return record
    losses = record.losses or losses_of(known)
    return replace(record, vitals=signs_of(known, facts_of(known)), losses=losses)


def bounds_of(rule: str) -> dict[str, tuple[str, float]]:
    """Return how the facts are compared by which a rule is broken, by their names."""
    return {
        f"{each.of}.{bound.fact}": (bound.compare, bound.limit)
        for each in rules.INVARIANTS
        if each.name == rule
        for bound in each.broken[0]
        if not isinstance(bound.limit, str)
    }


def place_of(record: RunRecord, rule: str, text: str = "") -> BrokenInvariant | None:
    """Where a rule is broken, and what was measured there."""
    return next((each for each in judge.broken(facts_in(record, text)) if each.rule == rule), None)


def is_loss_finite(signs: VitalSigns) -> bool:
    """Whether the loss was a number at each step that was looked at."""
    return signs.loss.finite is not None and signs.loss.finite >= 1
