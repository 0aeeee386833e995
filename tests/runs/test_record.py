import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.runs.record import parse

START = {"event": "start", "format": 1, "versions": {"python": "3.11"}, "device": None}
END = {"event": "end", "seconds": 1.5, "exit": 0}


def lines(*events: object) -> list[str]:
    return [json.dumps(e) for e in events]


def test_a_run_that_ended_is_finished() -> None:
    record = parse(lines(START, END))
    assert (record.status, record.seconds, record.versions) == ("finished", 1.5, {"python": "3.11"})


def test_a_run_without_an_end_died() -> None:
    assert parse(lines(START)).status == "died"
    assert parse([]).status == "died"


def test_what_the_starting_process_saw_wins() -> None:
    assert parse(lines(START, END), "time-limit").status == "time-limit"
    assert parse(["broken"], "time-limit").status == "time-limit"


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        "3",
        "{}",
        '{"event": "applause"}',
        '{"event": "start", "format": 99}',
        '{"event": "train", "colour": 1}',
        '{"event": "evaluate", "step": "x", "values": {}, "examples": 1, "labels": {}}',
        '{"event": "exception", "type": "E"}',
    ],
)
def test_an_account_that_cannot_be_read_is_never_a_good_one(line: str) -> None:
    assert parse([*lines(START), line, *lines(END)]).status == "unreadable"


@given(st.lists(st.text()))
def test_no_line_makes_the_reader_fail(garbage: list[str]) -> None:
    assert parse(garbage).status in ("died", "unreadable")


def test_vital_signs_are_those_of_the_last_training() -> None:
    signs = {"event": "vitals", "model": {"moved": 3}}
    known = parse(lines(START, {"event": "train"}, signs, END))
    assert known.vitals is not None
    assert known.figures == {"model.moved": 3.0}
    again = parse(lines(START, {"event": "train"}, signs, {"event": "train"}, END))
    assert again.vitals is None
    assert again.figures == {}


def test_a_training_whose_model_was_evaluated_is_kept_beside_the_last_one() -> None:
    own = {"model": {"evaluated_is_trained": 1}, "outcome": {"accuracy": 0.9, "rows": 300}}
    other = {"model": {"evaluated_is_trained": 0}, "outcome": {"accuracy": 0.3, "rows": 300}}
    train = {"event": "train", "examples": 8}
    events = [train, {"event": "vitals", **own}, {"event": "vitals", **other}]
    # The next model is scored before its training: that is none of the first one's.
    record = parse(lines(START, *events, {**train, "examples": 9}, END))
    (earlier,) = record.earlier
    assert earlier.vitals is not None
    assert earlier.vitals.outcome.accuracy == earlier.figures["outcome.accuracy"] == 0.9
    assert earlier.training is not None
    assert earlier.training.examples == 8
    assert (record.vitals, record.figures) == (None, {})
    assert parse(lines(START, train, {"event": "vitals", **other}, train, END)).earlier == ()


def test_what_a_trained_model_was_measured_on_is_known_of_each_set_of_rows() -> None:
    def signs(steps: int, split: str, same: int = 1) -> dict[str, Any]:
        model = {"evaluated_is_trained": same, "steps": steps}
        outcome = {"accuracy": 0.9, "rows": 300, "split": split}
        return {"event": "vitals", "model": model, "outcome": outcome}

    train, epoch = {"event": "train"}, signs(4, "validation")
    ends = [signs(8, "validation"), signs(8, "test"), signs(8, "test"), signs(8, "other", 0)]
    found = parse(lines(START, train, epoch, *ends, END)).measured
    assert [(each.model.steps, each.outcome.split) for each in found] == [
        (8, "validation"),
        (8, "test"),
    ]
    # What is trained further is no longer what was measured.
    assert parse(lines(START, train, epoch, signs(8, "validation", 0), END)).measured == ()


def test_weights_that_are_put_back_for_another_training_are_not_what_the_first_came_to() -> None:
    def signs(moved: int, accuracy: float) -> dict[str, Any]:
        model = {"evaluated_is_trained": 1, "moved": moved, "learning": 41}
        return {"event": "vitals", "model": model, "outcome": {"accuracy": accuracy, "rows": 300}}

    train = {"event": "train", "examples": 8}
    (earlier,) = parse(lines(START, train, signs(41, 0.9), signs(0, 0.3), train, END)).earlier
    assert earlier.vitals is not None
    assert (earlier.vitals.model.moved, earlier.vitals.outcome.accuracy) == (41, 0.9)
    # What never moved did not; and the last training is what it comes to.
    (earlier,) = parse(lines(START, train, signs(0, 0.3), signs(0, 0.3), train, END)).earlier
    assert earlier.vitals is not None
    assert earlier.vitals.model.moved == 0
    last = parse(lines(START, train, signs(41, 0.9), signs(0, 0.3), END)).vitals
    assert last is not None
    assert last.model.moved == 0


def test_training_and_evaluations_are_gathered() -> None:
    record = parse(
        lines(
            START,
            {"event": "train", "examples": 8, "max_steps": 3, "device": "cpu"},
            {"event": "step", "step": 1, "of": 3, "epoch": 0.3},
            {
                "event": "evaluate",
                "step": 3,
                "values": {"eval_accuracy": 1},
                "examples": 2,
                "labels": {"0": 1, "1": 1},
            },
            {"event": "trained", "step": 3, "seconds": 0.5},
            END,
        )
    )
    assert record.training is not None
    assert (record.training.examples, record.training.steps) == (8, 3)
    assert record.evaluations[0].baseline == 0.5
    assert record.device == "cpu"
