"""An effect and its cause: what a run recorded, without any exception."""

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.lesson.loss_curve import LossCurve
from course.lesson.silent_signature import SilentEffect, cause, shows
from course.runs.record import RunRecord, Training

CURVE = LossCurve(16, ((20, 1.0), (40, 0.8), (300, 0.5)), 40, window=20, excess=0.15, versions={})
STALLED = ((20, 1.1), (40, 1.1))
EFFECTS: tuple[SilentEffect, ...] = ("nan", "stall")
FINITE = st.floats(allow_nan=False, allow_infinity=False)


def run(losses: tuple[tuple[int, float], ...] = (), **setting: object) -> RunRecord:
    return RunRecord("finished", training=Training(**setting), losses=losses)  # type: ignore[arg-type]


def counted(*labels: str) -> dict[str, int]:
    return dict.fromkeys(labels, 8)


@pytest.mark.parametrize(
    ("labels", "outputs", "holds"),
    [
        (counted("0", "1", "2"), 2, True),
        (counted("0", "1", "2"), 3, False),
        (counted("2"), 2, True),
        (counted("0", "1"), 2, False),
        (counted("0.0", "1.0", "2.0"), 2, True),
        (counted("-100", "0", "1"), 2, False),
        (counted("0.5", "2.7"), 2, False),
        # One output is a regression, or a probability: its label need not point to anything.
        (counted("0", "1"), 1, False),
        (counted("0", "1", "2"), None, False),
        ({}, 2, False),
        (counted("entailment", "neutral", "contradiction"), 2, False),
        (counted("--3", "²", "٣", "1_0", "", "-", "inf", "nan", "9" * 5000), 2, False),
    ],
)
def test_a_label_beyond_the_last_output_is_a_cause(
    labels: dict[str, int], outputs: int | None, holds: bool
) -> None:
    for effect in EFFECTS:
        found = cause(run(labels=labels, num_labels=outputs), effect)
        assert found == ("label-without-output" if holds else None)


@given(st.dictionaries(st.text(), st.integers()), st.none() | st.integers())
def test_no_label_is_too_strange(labels: dict[str, int], outputs: int | None) -> None:
    assert cause(run(labels=labels, num_labels=outputs), "nan") in (None, "label-without-output")


@pytest.mark.parametrize(
    ("rate", "effect", "holds"),
    [
        (None, "stall", False),
        (0.0, "stall", False),
        (2e-5, "stall", False),
        (1e-4, "stall", False),
        (struct.unpack("f", struct.pack("f", 1e-4))[0], "stall", False),
        (2e-4, "stall", True),
        (1e-3, "stall", True),
        # Adam's default makes no numbers overflow; a rate of 1000 does.
        (1e-3, "nan", False),
        (1000.0, "nan", True),
        (math.inf, "nan", True),
        (math.nan, "nan", False),
        (-1.0, "stall", False),
    ],
)
def test_how_high_a_rate_must_be_depends_on_the_effect(
    rate: float | None, effect: SilentEffect, holds: bool
) -> None:
    assert cause(run(learning_rate=rate), effect) == ("rate" if holds else None)


@pytest.mark.parametrize(
    ("from_logits", "outputs", "holds"),
    [
        (False, "logits", True),
        (True, "logits", False),
        (False, "probabilities", False),
        (None, "logits", False),
        (False, None, False),
    ],
)
def test_a_loss_may_take_outputs_for_what_they_are_not(
    from_logits: bool | None, outputs: str | None, holds: bool
) -> None:
    found = cause(run(from_logits=from_logits, outputs=outputs), "stall")
    assert found == ("outputs-taken-for-probabilities" if holds else None)


def test_the_first_cause_hides_the_later_ones() -> None:
    everything = {"labels": counted("0", "1", "2"), "num_labels": 2, "learning_rate": 1.0}
    everything |= {"from_logits": False, "outputs": "logits"}
    assert cause(run(**everything), "nan") == "label-without-output"
    assert cause(run(**{**everything, "num_labels": 3}), "nan") == "outputs-taken-for-probabilities"
    right = {"num_labels": 3, "from_logits": True}
    assert cause(run(**{**everything, **right}), "nan") == "rate"
    assert cause(run(**{**everything, **right, "learning_rate": 5e-5}), "nan") is None


def test_without_a_training_there_is_neither_effect_nor_cause() -> None:
    untrained = RunRecord("finished")
    for effect in EFFECTS:
        assert cause(untrained, effect) is None
        assert not shows(effect, untrained, CURVE)


@given(st.lists(FINITE), st.lists(FINITE), st.sampled_from([math.nan, math.inf, -math.inf]))
def test_one_loss_that_is_no_number_shows(
    before: list[float], after: list[float], odd: float
) -> None:
    losses = tuple(enumerate([*before, odd, *after], start=1))
    assert shows("nan", run(losses), None)
    assert not shows("nan", run(tuple(enumerate([*before, *after], start=1))), None)


def test_a_stall_shows_beside_healthy_runs_only() -> None:
    assert shows("stall", run(STALLED, batch_size=16), CURVE)
    assert shows("stall", run(STALLED), CURVE)
    assert not shows("stall", run(STALLED, batch_size=16), None)
    assert not shows("stall", RunRecord("finished", losses=STALLED), CURVE)
    assert not shows("stall", run(STALLED, batch_size=4), CURVE)
    assert not shows("stall", run(((20, 1.1), (40, math.nan))), CURVE)
