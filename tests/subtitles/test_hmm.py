"""The chain against plain enumeration of every path there is."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course.subtitles.alignment import hmm
from course.subtitles.alignment.similarity import Matrix


def paths(cues: int, states: int, shortest: int) -> list[tuple[int, ...]]:
    """Every path that never goes back and stays long enough where it has to."""
    found = []
    for path in itertools.product(range(states), repeat=cues):
        if any(b < a for a, b in itertools.pairwise(path)):
            continue
        runs = [(state, len(list(group))) for state, group in itertools.groupby(path)]
        # The last run may still be under way when the transcript ends.
        if all(n >= shortest or s in (0, states - 1) for s, n in runs[:-1]):
            found.append(path)
    return found


def weight(
    path: tuple[int, ...], evidence: Matrix, turning: Matrix, skip: float, shortest: int
) -> float:
    states = evidence.shape[1]
    starts = np.exp(-skip * np.arange(states))
    result = math.log(starts[path[0]] / starts.sum())
    stayed = 1
    for t, state in enumerate(path):
        result += evidence[t, state]
        if t == 0:
            continue
        before = path[t - 1]
        free = before in (0, states - 1) or stayed >= shortest
        if state == before:
            result += math.log(1 - turning[t]) if free and before < states - 1 else 0.0
            if before == states - 1:
                result += math.log(1 - turning[t])
            stayed += 1
        else:
            ahead = np.exp(-skip * np.arange(states - 1 - before))
            result += math.log(turning[t] * ahead[state - before - 1] / ahead.sum())
            stayed = 1
    return result - skip * (states - 1 - path[-1])


@pytest.mark.parametrize("shortest", [1, 2])
@given(st.data())
@settings(max_examples=30)
def test_probabilities_are_those_of_all_paths_together(shortest: int, data: st.DataObject) -> None:
    states = data.draw(st.integers(2, 4))
    cues = data.draw(st.integers(shortest * 2 * states, shortest * 2 * states + 1))
    if cues > 9:
        states, cues = 2, 8
    values = st.floats(-4, 4)
    evidence = np.array([[data.draw(values) for _ in range(states)] for _ in range(cues)])
    turning = np.array([data.draw(st.floats(0.05, 0.9)) for _ in range(cues)])
    skip = data.draw(st.floats(0.1, 3))
    everything = paths(cues, states, shortest)
    logs = np.array([weight(p, evidence, turning, skip, shortest) for p in everything])
    total = float(np.logaddexp.reduce(logs))
    expected = np.zeros((cues, states))
    for path, log in zip(everything, logs, strict=True):
        expected[np.arange(cues), path] += np.exp(log - total)
    found = hmm.posteriors(evidence, turning, skip, shortest)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    assert hmm.likelihood(evidence, turning, skip, shortest) == pytest.approx(total)


@given(st.data())
@settings(max_examples=50)
def test_the_best_path_gets_as_many_cues_right_as_any(data: st.DataObject) -> None:
    cues, states = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 4))
    values = st.floats(0, 1)
    table = np.array([[data.draw(values) for _ in range(states)] for _ in range(cues)])
    found = hmm.best(table)
    assert found == sorted(found)
    best = max(sum(table[t, s] for t, s in enumerate(p)) for p in paths(cues, states, 1))
    assert sum(table[t, s] for t, s in enumerate(found)) == pytest.approx(best)


@pytest.mark.live
def test_a_hundred_thousand_cues_that_speak_loudly_end_in_numbers() -> None:
    noise = np.random.default_rng(0).normal(size=(100_000, 5)) * 6
    found = hmm.posteriors(noise, np.full(100_000, 1e-5), 3.0, 5)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found.sum(axis=1), 1)
