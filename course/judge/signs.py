"""The vital signs of a training by its ledger: of the network that was trained the most."""

import math
from collections.abc import Sequence
from statistics import fmean

from course.facts.facts import FactSet, is_heard
from course.facts.record import LedgerRecord, Loss, Network, Optimizer, Passes
from course.runs.vital_signs import (
    DataSigns,
    LossSigns,
    ModelSigns,
    OutcomeSigns,
    RateSigns,
    VitalSigns,
)

FEW = 10
"""Losses that are the first ones; the last ones are as many, or a tenth."""
NOTHING = 1e-7
"""A rate of less than this share of the highest is none."""


def signs_of(record: LedgerRecord, facts: Sequence[FactSet]) -> VitalSigns | None:
    """Return the signs of the last of the longest trainings; None if there was no training.

    What the ledger does not know is None.
    """
    reached = {network.id: _reached(network, record) for network in record.networks}
    network = max(reversed(record.networks), key=lambda each: reached[each.id], default=None)
    if network is None or not reached[network.id]:
        return None
    mine = [each for each in record.passes if each.network == network.id]
    loss = max(reversed(record.losses), key=lambda each: each.count, default=None)
    optimizer = max(reversed(record.optimizers), key=lambda each: each.steps, default=None)
    return VitalSigns(
        model=_model(network, mine, optimizer, record, facts),
        loss=_loss(loss, facts) if loss is not None else LossSigns(),
        rate=_rate(optimizer) if optimizer is not None else RateSigns(),
        data=_data(network, mine),
        outcome=_outcome(mine),
    )


def losses_of(record: LedgerRecord) -> tuple[tuple[int, float], ...]:
    """Return the losses of the line with the most backward passes, by the number of the pass."""
    loss = max(record.losses, key=lambda each: each.count, default=None)
    if loss is None:
        return ()
    return tuple((at, math.nan if value is None else value) for at, value in loss.series)


def _reached(network: Network, record: LedgerRecord) -> int:
    return sum(each.reached for each in record.passes if each.network == network.id)


def _model(
    network: Network,
    passes: Sequence[Passes],
    optimizer: Optimizer | None,
    record: LedgerRecord,
    facts: Sequence[FactSet],
) -> ModelSigns:
    of_optimizer = _first(facts, "optimizer", optimizer.line) if optimizer is not None else {}
    reached = [each for each in passes if each.reached]
    aside = [each for each in passes if each.aside and each.last]
    asked = {each.network for each in record.passes if each.aside and each.last}
    trained = {each.network for each in record.passes if each.reached}
    count = sum(each.reached for each in reached)
    looks = [
        each
        for each in record.gradients
        if optimizer is not None and each.optimizer == optimizer.id and is_heard(each)
    ]
    norms = [each.norm for each in looks if each.norm is not None]
    return ModelSigns(
        name=network.kind,
        optimizer=optimizer.kind if optimizer is not None else None,
        optimizers=len(record.optimizers),
        parameters=network.tensors,
        numbers=network.numbers,
        passes=count,
        backwards=record.backwards,
        steps=record.steps,
        without_gradient=of_optimizer.get("empty_share"),
        cleared_before_step=of_optimizer.get("cleared_share"),
        left_over=of_optimizer.get("left_part"),
        infinite_gradient=_share(sum(each.norm is None for each in looks), len(looks)),
        gradient=fmean(norms) if norms else None,
        first_move=of_optimizer.get("first_move"),
        train_mode_share=sum(each.reached for each in reached if each.training) / count,
        evaluate_mode_share=_share(
            sum(each.aside for each in aside if each.training), sum(each.aside for each in aside)
        ),
        evaluated_is_trained=int(bool(asked & trained)) if asked else None,
    )


def _loss(loss: Loss, facts: Sequence[FactSet]) -> LossSigns:
    known = [value for _at, value in loss.series if value is not None]
    is_whole = bool(known) and not loss.not_finite
    last = fmean(known[-max(FEW, len(known) // 10) :]) if is_whole else None
    guess = _first(facts, "step", loss.line).get("guess")
    return LossSigns(
        first=fmean(loss.begin[:FEW]) if loss.begin else None,
        last=last,
        guess=guess,
        last_to_guess=last / guess if last is not None and guess else None,
        finite=1 - loss.not_finite / loss.count if known or loss.not_finite else None,
        begin=loss.begin[0] if loss.begin else None,
        highest=max((*known, *loss.begin), default=None),
    )


def _rate(optimizer: Optimizer) -> RateSigns:
    rates = [rate for _at, rate in optimizer.rates if rate is not None]
    if not rates:
        return RateSigns()
    highest = max(rates)
    return RateSigns(
        highest=highest,
        lowest=min(rates),
        mean=fmean(rates),
        last=rates[-1],
        zero_share=fmean(rate <= NOTHING * highest for rate in rates),
    )


def _data(network: Network, passes: Sequence[Passes]) -> DataSigns:
    rows = sum(each.reached_rows for each in passes)
    reached = sum(each.reached for each in passes)
    return DataSigns(
        rows=network.passed or None,
        examples=network.distinct or None,
        repeats=network.passed / network.distinct if network.distinct else None,
        batch_size=round(rows / reached) if reached else None,
    )


def _outcome(passes: Sequence[Passes]) -> OutcomeSigns:
    """Return the signs of the network's last evaluation, outside of a training."""
    asked = [each for each in passes if each.aside and each.last and each.seen is not None]
    if not asked:
        return OutcomeSigns()
    seen = max(asked, key=lambda each: each.last).seen
    assert seen is not None
    return OutcomeSigns(
        rows=seen.rows or None,
        examples=seen.distinct or None,
        overlap=seen.known / seen.rows if seen.rows else None,
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _first(facts: Sequence[FactSet], kind: str, line: int) -> dict[str, float]:
    return next((each.values for each in facts if (each.kind, each.line) == (kind, line)), {})
