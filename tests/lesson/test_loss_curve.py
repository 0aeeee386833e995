"""How far a run is above healthy ones: at which step, over which window, for which batches."""

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.lesson import lesson, loss_curve
from course.lesson.loss_curve import LossCurve

LESSON = lesson.load("ch8-4").parts["tf"].outcome.curve
CURVE = LossCurve(16, ((20, 1.0), (40, 0.8), (300, 0.5)), 40, window=20, excess=0.15, versions={})
LOSSES = st.floats(0.01, 10)


def falling(values: Sequence[float]) -> LossCurve:
    """A curve with a point at each step, judged at half of it."""
    steps = tuple(enumerate(values, start=1))
    half = len(values) // 2
    return LossCurve(16, steps, half, window=max(1, half // 2), excess=0.1, versions={})


CURVES = st.lists(LOSSES, min_size=4, max_size=60).map(falling)


@given(CURVES)
def test_healthy_runs_are_not_above_themselves(healthy: LossCurve) -> None:
    step, theirs, ours = healthy.above(healthy.losses, 16) or (0, 0.0, 1.0)
    assert step == healthy.last
    assert theirs == pytest.approx(ours)
    assert not healthy.stalled(healthy.losses, 16)


@given(CURVES, st.integers(0, 60), st.floats(0.11, 5), st.sampled_from([0.09, 0.0, -0.5, -5]))
def test_at_every_step_from_the_judged_one_on_only_what_is_too_high_has_stalled(
    healthy: LossCurve, more: int, high: float, low: float
) -> None:
    end = min(healthy.judged_at + more, healthy.last)
    shifted = [(step, loss + high) for step, loss in healthy.losses[:end]]
    assert healthy.stalled(shifted, 16)
    found = healthy.above(shifted, 16)
    assert found is not None
    assert found[0] == end
    assert found[1] - found[2] == pytest.approx(high)
    assert not healthy.stalled([(s, loss - high + low) for s, loss in shifted], 16)


@given(CURVES, st.floats(0, 5))
def test_a_run_is_not_judged_before_its_time(healthy: LossCurve, high: float) -> None:
    short = [(step, loss + high) for step, loss in healthy.losses[: healthy.judged_at - 1]]
    assert healthy.above(short, 16) is None
    assert not healthy.stalled(short, 16)
    assert healthy.above([], 16) is None


@given(CURVES, st.integers(1, 50))
def test_what_comes_after_the_last_healthy_step_does_not_count(
    healthy: LossCurve, more: int
) -> None:
    longer = [*healthy.losses, *((healthy.last + step, 100.0) for step in range(1, more + 1))]
    assert healthy.above(longer, 16) == healthy.above(healthy.losses, 16)


@given(CURVES, st.sampled_from([1, 2, 4, 8]))
def test_smaller_batches_take_as_many_examples(healthy: LossCurve, size: int) -> None:
    parts = 16 // size
    finer = [
        ((step - 1) * parts + part, loss)
        for step, loss in healthy.losses
        for part in range(1, parts + 1)
    ]
    found = healthy.above(finer, size)
    assert found is not None
    assert found[0] == healthy.last * parts
    assert found[1] == pytest.approx(found[2])
    early = [(step, loss) for step, loss in finer if step < healthy.judged_at * parts]
    assert healthy.above(early, size) is None


def test_larger_batches_take_fewer_steps() -> None:
    assert CURVE.above([(10, 1.1), (20, 1.1)], 32) == (20, pytest.approx(1.1), pytest.approx(0.8))
    assert CURVE.above([(10, 1.1), (19, 1.1)], 32) is None
    # One step of it is more than all that the healthy runs have seen.
    assert CURVE.above([(1, 1.1), (2, 1.1)], 16 * 301) is None


@pytest.mark.parametrize("size", [None, 0, 16])
def test_an_unknown_batch_size_is_taken_for_the_usual_one(size: int | None) -> None:
    assert CURVE.stalled([(20, 1.1), (40, 1.1)], size)


@pytest.mark.parametrize(
    ("losses", "judged"),
    [
        (((20, 1.1), (40, math.nan)), False),
        (((20, 1.1), (40, math.inf)), False),
        (((20, 1.1), (40, -math.inf)), False),
        # Long before the window it has no say.
        (((5, math.nan), (20, 1.1), (40, 1.1)), True),
        (((20, math.nan), (40, 1.1)), True),
        # The two points of the window together: one is no number.
        (((20, 1.1), (30, math.nan), (40, 1.1)), False),
        # A single point that stands for all the steps so far.
        (((40, 1.1),), True),
        # Between two points of the healthy curve.
        (((37, 1.1), (51, 1.1)), True),
    ],
)
def test_a_loss_that_is_no_number_is_not_judged_by_its_height(
    losses: tuple[tuple[int, float], ...], judged: bool
) -> None:
    assert (CURVE.above(losses, 16) is not None) is judged
    assert CURVE.stalled(losses, 16) is judged


def test_the_mean_is_over_the_window_by_steps_not_by_points() -> None:
    # Of the steps 31 to 50, ten have 2.0 and ten have 1.0; of the healthy ones 0.8 and 0.5.
    found = CURVE.above([(30, 9.0), (40, 2.0), (45, 1.0), (50, 1.0)], 16)
    assert found == (50, pytest.approx(1.5), pytest.approx(0.65))


def test_exactly_the_excess_is_not_yet_a_stall() -> None:
    exact = replace(CURVE, losses=((40, 1.0),), excess=0.5)
    assert not exact.stalled([(40, 1.5)], 16)
    assert exact.stalled([(40, 1.5000001)], 16)


def test_the_lesson_comes_with_a_curve_that_falls() -> None:
    assert LESSON is not None
    steps = [step for step, _loss in LESSON.losses]
    assert steps == sorted(set(steps))
    assert 0 < LESSON.window <= LESSON.judged_at < LESSON.last
    assert LESSON.excess > 0
    guess = math.log(3)
    assert LESSON.losses[-1][1] + LESSON.excess < guess
    # The threshold at the judged step lies below the loss of guessing: a stall can be told there.
    stalled = [(step, guess) for step in range(1, LESSON.judged_at + 1)]
    assert LESSON.stalled(stalled, LESSON.batch_size)


GOOD = {
    "format": 1,
    "batch_size": 16,
    "judged_at": 40,
    "window": 20,
    "excess": 0.15,
    "versions": {"tf_keras": "2.21.0"},
    "losses": [[20, 1.0], [40, 0.8]],
}


def test_a_curve_is_read_from_a_file(tmp_path: Path) -> None:
    source = tmp_path / "healthy.json"
    source.write_text(json.dumps(GOOD))
    read = loss_curve.read(source)
    assert read.losses == ((20, 1.0), (40, 0.8))
    assert (read.batch_size, read.judged_at, read.window, read.excess) == (16, 40, 20, 0.15)
    assert read.versions == {"tf_keras": "2.21.0"}


@pytest.mark.parametrize(
    "broken",
    [
        *({k: v for k, v in GOOD.items() if k != key} for key in GOOD),
        GOOD | {"format": 2},
        GOOD | {"losses": []},
        GOOD | {"losses": [[20]]},
        GOOD | {"losses": None},
        GOOD | {"judged_at": "soon"},
        GOOD | {"versions": 5},
    ],
)
def test_a_broken_file_is_refused(tmp_path: Path, broken: dict[str, object]) -> None:
    source = tmp_path / "healthy.json"
    source.write_text(json.dumps(broken))
    with pytest.raises((ValueError, KeyError, TypeError)):
        loss_curve.read(source)
