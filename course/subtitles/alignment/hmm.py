"""Steps one after the other: the probability that each cue is in each of them.

A hidden Markov model whose states are the steps in their order (Rabiner 1989): from a cue to the
next it stays, or goes on to a later step; steps that are passed over cost something each.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from course.subtitles.alignment.similarity import Matrix

LEAST = 1e-140
"""No probability falls below this, lest forward and backward ones lose touch with each other."""


@dataclass(frozen=True)
class Phases:
    """The states, each as a row of phases: one cue in each but the last, which can be left.

    `state` names the state of each phase; `first` has the place of each state's first phase;
    `last` is 1.0 at the last ones. `within` and `jump` hold the probabilities to go from phase to
    phase, of shape (phases, phases): inside a state, and when a later one begins.
    """

    state: NDArray[np.int64]
    first: NDArray[np.int64]
    last: Matrix
    within: Matrix
    jump: Matrix


def posteriors(evidence: Matrix, boundary: Matrix, skip: float, shortest: int) -> Matrix:
    """Forward-backward: the probability of each state at each cue.

    Takes log-likelihoods of shape (cues, states), the probability that a new state begins at each
    cue of shape (cues,), the cost in nats of passing over a state, and how many cues a state lasts
    at least, the first and the last one excepted. Gives probabilities of shape (cues, states), each
    row adding up to one.
    """
    cues, states = evidence.shape
    phases = _phases(cues, states, skip, shortest)
    likely = _likely(evidence)[:, phases.state]
    forward, _total = _forward(likely, boundary, phases, skip)
    backward = np.maximum(_end(phases, states, skip), LEAST)
    result = np.empty((cues, states))
    for t in range(cues - 1, -1, -1):
        both = np.add.reduceat(forward[t] * backward, phases.first)
        result[t] = both / both.sum()
        ahead = likely[t] * backward
        leave = phases.last * boundary[t]
        backward = (1 - leave) * (phases.within @ ahead) + leave * (phases.jump @ ahead)
        backward = np.maximum(backward / backward.max(), LEAST)
    return result


def likelihood(evidence: Matrix, boundary: Matrix, skip: float, shortest: int) -> float:
    """Compute the log-likelihood of all cues together; takes the arguments of `posteriors`."""
    cues, states = evidence.shape
    phases = _phases(cues, states, skip, shortest)
    forward, total = _forward(_likely(evidence)[:, phases.state], boundary, phases, skip)
    end = float(forward[-1] @ _end(phases, states, skip))
    return total + float(evidence.max(axis=1).sum()) + float(np.log(end))


def _likely(evidence: Matrix) -> Matrix:
    """Likelihoods, the greatest of each cue being one."""
    return np.asarray(np.exp(evidence - evidence.max(axis=1, keepdims=True)))


def _forward(likely: Matrix, boundary: Matrix, phases: Phases, skip: float) -> tuple[Matrix, float]:
    """Compute the probability of each phase given the cues so far, and their log-likelihood."""
    forward = np.empty(likely.shape)
    total = 0.0
    # The intro may be lacking, and the first steps.
    current = np.zeros(likely.shape[1])
    current[phases.first] = np.exp(-skip * np.arange(len(phases.first)))
    current /= current.sum()
    for t in range(len(likely)):
        if t:
            leaving = current * phases.last * boundary[t]
            current = (current - leaving) @ phases.within + leaving @ phases.jump
        current = current * likely[t]
        norm = float(current.sum())
        current = np.maximum(current / norm, LEAST)
        total += np.log(norm)
        forward[t] = current
    return forward, total


def _end(phases: Phases, states: int, skip: float) -> Matrix:
    """Return the cost of ending in each phase: the last steps may be lacking, and the outro."""
    return np.asarray(np.exp(-skip * (states - 1.0 - phases.state)))


def _phases(cues: int, states: int, skip: float, shortest: int) -> Phases:
    lengths = np.full(states, max(1, min(shortest, cues // (2 * states))))
    lengths[[0, -1]] = 1
    state = np.repeat(np.arange(states), lengths)
    end = np.cumsum(lengths) - 1
    first = end - lengths + 1
    last = np.zeros(len(state))
    last[end] = 1
    within = np.diag(last) + np.diag(1 - last[:-1], 1)
    jump = np.zeros((len(state), len(state)))
    jump[np.ix_(end, first)] = _jumps(states, skip)
    return Phases(state, first, last, within, jump)


def _jumps(states: int, skip: float) -> Matrix:
    """Return the probability of going from each state to each later one: (states, states)."""
    ahead = np.arange(states)[None, :] - np.arange(states)[:, None]
    jump = np.where(ahead > 0, np.exp(-skip * np.maximum(ahead - 1.0, 0.0)), 0.0)
    totals = jump.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(jump, totals, out=jump, where=totals > 0))


def best(probabilities: Matrix) -> list[int]:
    """Find the states, never going back, that get the most cues right as far as is expected.

    Takes probabilities of shape (cues, states).
    """
    cues, states = probabilities.shape
    origin = np.empty((cues, states), dtype=np.int32)
    total = np.zeros(states)
    numbers = np.arange(states, dtype=np.int32)
    for t in range(cues):
        reached = np.maximum.accumulate(total)
        # Where a later state is no better than an earlier one, the path comes from that one.
        improved = np.concatenate([[True], total[1:] > reached[:-1]])
        origin[t] = np.maximum.accumulate(np.where(improved, numbers, 0))
        total = reached + probabilities[t]
    state = int(total.argmax())
    path = [state]
    for t in range(cues - 1, 0, -1):
        state = int(origin[t, state])
        path.append(state)
    return path[::-1]
