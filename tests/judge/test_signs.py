"""The vital signs of a training by its ledger."""

import pytest

from course.judge.broken_rules import with_signs
from course.runs.record import RunRecord
from course.runs.vital_signs import VitalSigns
from tests.ledgers import PASSES, event


def signs(**changes: dict[str, object]) -> VitalSigns:
    found = with_signs(RunRecord("finished", ledger=event(**changes))).vitals
    assert found is not None
    return found


def test_what_the_ledger_knows_is_told_and_nothing_else() -> None:
    found = signs()
    assert (found.data.rows, found.data.examples, found.data.repeats) == (3200, 320, 10)
    assert found.data.batch_size == 16
    assert (found.outcome.rows, found.outcome.examples, found.outcome.overlap) == (100, 100, 0)
    assert (found.model.steps, found.model.optimizer, found.model.optimizers) == (200, "Adam", 1)
    assert (found.model.train_mode_share, found.model.evaluate_mode_share) == (1, 0)
    assert found.model.evaluated_is_trained == 1
    assert (found.rate.highest, found.rate.last, found.rate.zero_share) == (0.01, 0.01 / 200, 0)
    assert (found.loss.guess, found.loss.finite) == (0.69, 1)
    assert found.loss.first is not None
    assert found.loss.last is not None
    assert found.loss.last < found.loss.first
    unknown = (found.outcome.accuracy, found.data.order, found.model.moved_by, found.data.split)
    assert unknown == (None,) * 4


def test_losses_are_those_of_the_line_that_sends_most() -> None:
    losses = with_signs(RunRecord("finished", ledger=event())).losses
    assert len(losses) == 200
    assert losses[0] == (0, 0.7)
    told = with_signs(RunRecord("finished", ledger=event(), losses=((1, 2.0),)))
    assert told.losses == ((1, 2.0),)


def test_of_what_no_loss_reached_there_are_no_signs() -> None:
    ledger = event()
    ledger["passes"][0] = {**PASSES, "reached": 0}
    assert with_signs(RunRecord("finished", ledger=ledger)).vitals is None
    assert with_signs(RunRecord("finished")).vitals is None


@pytest.mark.parametrize("ledger", [{}, {"event": "ledger", "networks": 3}])
def test_what_cannot_be_read_has_no_signs(ledger: dict[str, object]) -> None:
    assert with_signs(RunRecord("finished", ledger=ledger)).vitals is None
