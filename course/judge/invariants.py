"""What holds in any training that goes well, and was measured not to hold: its cause is not known.

A loss is a number at each step; a network that was trained answers better than one that guesses.
What breaks such a rule may have any cause, and may be meant so: it is told as it was measured.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from course.base.i18n import N_, _, in_a_row, numbers
from course.facts.facts import FactSet, facts_of
from course.facts.text import of_text, with_uses
from course.invariants import judge, rules
from course.invariants.judge import BrokenInvariant
from course.judge.signs import losses_of, signs_of
from course.lesson.signature import BROKEN
from course.runs.record import RunRecord
from course.runs.vital_signs import VitalSigns

STEPS = 100
"""Optimizer steps after which a network has left guessing behind, if it ever does."""
ROWS = 50
"""Rows of an evaluation that may well have all one answer where there are fewer."""
SETTLED = 2.0
"""The figure of a rule that is broken, and stays so whatever the rest of a run does."""
OF_LEDGER = (
    *("without_gradient", "cleared_before_step", "infinite_gradient", "left_over", "gradient"),
    *("train_mode_share", "evaluate_mode_share"),
)
"""Signs of the model in a lesson that its ledger tells."""
GUESSING = 0.97
"""The share of the loss of guessing from which on a loss is that of guessing."""
NOT_A_NUMBER = N_("The loss is not a number (`nan` or `inf`) at {n} of {of} steps.")
FLAT = N_(
    "After {steps} optimizer steps, the loss is {loss}. This is not better than guessing, which "
    "gives {guess}."
)
ONE_ANSWER = N_(
    "All {rows} answers of the evaluation are the same. They are right in {accuracy}, and so is "
    "the most frequent label alone."
)


@dataclass(frozen=True)
class Broken:
    """A rule that a run has broken, by its id: what was measured, in a sentence and in figures."""

    invariant: str
    evidence: str
    figures: Mapping[str, float] = field(default_factory=dict)


def broken(record: RunRecord, text: str = "") -> tuple[Broken, ...]:
    """Return the rules that the training of a run, of a script of this text, has broken."""
    if record.ledger is not None and record.raised is None:
        found = judge.first_of_each(judge.broken(facts_in(record, text)))
        return tuple(Broken(each.invariant, each.evidence, each.figures) for each in found)
    signs = record.vitals
    if signs is None or record.raised is not None:
        return ()
    return tuple(found for rule in RULES for found in rule(signs))


def facts_in(record: RunRecord, text: str = "") -> tuple[FactSet, ...]:
    """Return the facts of a run's ledger and of its script's text; none without a ledger."""
    known = judge.read(record.ledger) if record.ledger is not None else None
    if known is None:
        return ()
    facts = with_uses(text, facts_of(known))
    return tuple(_placed(each, record.places) for each in (*facts, *of_text(text, known, facts)))


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


def _not_a_number(signs: VitalSigns) -> Iterator[Broken]:
    share, model = signs.loss.finite, signs.model
    of = model.backwards or model.steps or model.passes
    if share is None or share >= 1 or not of:
        return
    n = max(1, round((1 - share) * of))
    sentence = _(NOT_A_NUMBER).format(n=numbers.whole(n), of=numbers.whole(of))
    yield Broken("loss-is-a-number", sentence, {"loss.finite": share, "model.steps": float(of)})


def _no_better_than_guessing(signs: VitalSigns) -> Iterator[Broken]:
    """Several networks that train against each other may all be best at guessing."""
    loss, model, found = signs.loss, signs.model, signs.outcome
    steps = model.steps or 0
    is_lost = not is_loss_finite(signs) and loss.finite is not None
    if is_lost or steps < STEPS or (model.optimizers or 0) > 1:
        return
    sentences, figures = [], {"model.steps": float(steps)}
    if loss.last is not None and loss.guess is not None and loss.last >= GUESSING * loss.guess > 0:
        three = (numbers.significant(each, 3) for each in (loss.last, loss.guess))
        words = dict(zip(("loss", "guess"), three, strict=True))
        sentences.append(_(FLAT).format(steps=numbers.whole(steps), **words))
        figures |= {"loss.last": loss.last, "loss.guess": loss.guess}
    one = len([n for n in found.answers.values() if n]) == 1 and (found.classes or 0) > 1
    if one and (found.rows or 0) >= ROWS and found.margin is not None and found.margin <= 0:
        accuracy = numbers.percent(found.accuracy or 0.0)
        sentence = _(ONE_ANSWER)
        sentences.append(sentence.format(rows=numbers.whole(found.rows or 0), accuracy=accuracy))
        figures |= {"outcome.margin": found.margin, "outcome.accuracy": found.accuracy or 0.0}
    if sentences and all(map(math.isfinite, figures.values())):
        yield Broken("better-than-guessing", in_a_row(*sentences), figures)


RULES: tuple[Callable[[VitalSigns], Iterator[Broken]], ...] = (
    _not_a_number,
    _no_better_than_guessing,
)
"""What vital signs alone tell, of a training that no ledger has heard."""
