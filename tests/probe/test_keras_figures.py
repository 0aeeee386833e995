"""What is measured of a script of Keras beside its rows: on objects that are as much of Keras."""

from typing import Any

import numpy

from course_probe.ledger.keras.ledger import steps_with_rate
from course_probe.vital_signs.padding_sides import padded_apart


class Rate:
    """A schedule that comes to nothing after so many steps."""

    def __init__(self, steps: int, floor: float = 0.0) -> None:
        self._steps, self._floor = steps, floor

    def __call__(self, step: int) -> float:
        return max(0.1 * (1 - step / self._steps), self._floor)

    def get_config(self) -> dict[str, Any]:
        return {}


class Optimizer:
    """One that has taken some steps."""

    def __init__(self, rate: Any, iterations: int) -> None:
        self._learning_rate, self.iterations = rate, iterations


def test_a_schedule_that_is_over_long_before_the_training() -> None:
    assert steps_with_rate(Optimizer(Rate(25), 1250), 0.1) == 25
    for rate, steps, highest in (
        # As long as it should be, or nearly; or it goes on at a low rate.
        *((Rate(1250), 1250, 0.1), (Rate(1220), 1250, 0.1), (Rate(25, floor=0.001), 1250, 0.1)),
        # A number, a rate that was 0 all the time, no step.
        *((0.0, 100, 0.1), (Rate(25), 100, 0.0), (Rate(25), 0, 0.1)),
    ):
        assert steps_with_rate(Optimizer(rate, steps), highest) is None


def test_labels_that_are_padded_at_the_other_end() -> None:
    chance = numpy.random.default_rng(0)
    sizes = chance.integers(1, 9, 100)
    ids, tags = (numpy.zeros((100, 8), dtype="int32") for _ in range(2))
    in_front = tags.copy()
    for row, size in enumerate(sizes):
        ids[row, :size] = chance.integers(1, 50, size)
        tags[row, :size] = chance.integers(1, 4, size)
        in_front[row, 8 - size :] = tags[row, :size]
    assert padded_apart(ids, in_front) == 1.0
    assert padded_apart(ids, in_front[..., None]) == 1.0
    assert padded_apart(in_front * 9, tags) == 1.0
    assert padded_apart(ids, tags) == 0.0
    # To give the row backwards is a task; and a 0 may be a tag.
    assert padded_apart(ids, ids[:, ::-1]) == 0.0
    assert padded_apart(ids, tags - (tags > 0)) == 0.0
    assert padded_apart(ids, tags[:, 0]) is padded_apart(ids / 2, tags) is None
