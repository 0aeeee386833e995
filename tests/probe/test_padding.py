"""Padding is judged by the batches that are padded worst, wherever in a training they come."""

import random

import pytest

from course_probe.vital_signs.padding import PaddingWatch

NEEDS = random.Random(9).choices(range(20, 70), k=200)


def figures(widths: list[int]) -> tuple[float, float]:
    padding = PaddingWatch()
    for width, needed in zip(widths, NEEDS, strict=True):
        padding.add(width, needed)
    found = padding.figures()
    return found["padding_factor"], found["width_follows"]


def test_a_batch_as_wide_as_its_longest_example_follows_it() -> None:
    assert figures(NEEDS) == pytest.approx((1.0, 1.0))
    factor, follows = figures([-(-each // 8) * 8 for each in NEEDS])
    assert factor < 1.2
    assert follows > 0.9


def test_one_width_for_all_shows_at_the_end_as_at_the_beginning() -> None:
    for widths in ([128] * 200, [*NEEDS[:160], *[128] * 40], [*[128] * 40, *NEEDS[40:]]):
        factor, follows = figures(widths)
        assert factor > 2
        assert follows == 0


def test_widths_that_come_by_chance_do_not_follow() -> None:
    chance = random.Random(1)
    factor, follows = figures([chance.choice((100, 128)) for _ in NEEDS])
    assert factor > 1.4
    assert follows < 0.5


def test_few_batches_tell_nothing() -> None:
    assert PaddingWatch().figures() == {}
