"""Facts follow from a record alone, and what is not known is absent."""

from typing import Any

import pytest

from course.facts import record
from course.facts.facts import FactSet, facts_of
from tests.ledgers import event


def only(kind: str, **changes: Any) -> FactSet:
    (found,) = [each for each in facts_of(record.read(event(**changes))) if each.kind == kind]
    return found


def test_what_is_missing_makes_a_record_unreadable() -> None:
    for name in ("losses", "optimizers", "kin"):
        broken = event()
        del broken[name]
        with pytest.raises(record.UNREADABLE):
            record.read(broken)
    for wrong in ({"steps": "many"}, {"losses": [{"line": 1}]}, {"networks": 3}):
        with pytest.raises(record.UNREADABLE):
            record.read({**event(), **wrong})


def test_a_healthy_training() -> None:
    loss = only("loss").values
    assert loss["fall_share"] == pytest.approx(0.5, abs=0.1)
    assert "not_finite_first" not in loss
    optimizer = only("optimizer").values
    assert (optimizer["idle_share"], optimizer["cleared_share"], optimizer["left_part"]) == (
        0,
        0,
        0,
    )
    evaluation = only("evaluation").values
    assert evaluation["known_share"] == 0
    assert evaluation["beside"] == 0
    assert "alike" not in evaluation


def test_a_short_series_tells_nothing_of_a_fall() -> None:
    loss = only("loss", losses={"begin": [1.0] * 5, "series": [[at, 1.0] for at in range(5)]})
    assert not {"begin", "end", "fall", "fall_share", "noise"} & loss.values.keys()


def test_what_was_cleared_between_two_losses_is_not_left() -> None:
    gradients = {"left": 2.0, "between": 2.0}
    assert only("optimizer", gradients=gradients).values["left_part"] == 0
    gradients = {"left": 2.0, "between": 0.0}
    assert only("optimizer", gradients=gradients).values["left_part"] == 1


def test_rows_that_are_equal_by_chance_are_expected() -> None:
    networks = {"twins": 200, "pairs": 2000}
    assert only("evaluation", networks=networks).values["chance"] == 1.0
    assert only("evaluation").values["chance"] == 0


def test_a_first_gradient_is_long_only_where_the_loss_hangs_on_the_weights() -> None:
    long = {"norm": 6000.0, "size": 2.0}
    assert only("optimizer", gradients=long).values["first_pull"] == 3000
    begin = {"begin": [1e9] * 20}
    assert only("optimizer", gradients=long, losses=begin).values["first_pull"] == 0


def test_what_a_copy_is_asked_belongs_to_the_network_that_was_trained() -> None:
    asked = event()
    asked["studies"][2]["network"] = 2
    alike = {"asked": 2, "trained": 1, "alike": 0.9, "numbers": 9000, "unset": False}
    for kin, is_known in (([], False), ([alike], True), ([{**alike, "alike": 0.1}], False)):
        facts = facts_of(record.read({**asked, "kin": kin}))
        (found,) = [each for each in facts if each.kind == "answers"]
        assert ("axis_wrong" in found.values) is is_known
