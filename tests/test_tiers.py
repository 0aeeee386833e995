"""Which cases of a long list the fast tier takes."""

import pytest

from tests.tiers import CASES_IN_THE_FAST_TIER, spread


@pytest.mark.parametrize("number", [0, 1, CASES_IN_THE_FAST_TIER])
def test_a_short_list_is_taken_whole(number: int) -> None:
    assert spread(range(number)) == list(range(number))


@pytest.mark.parametrize("number", [CASES_IN_THE_FAST_TIER + 1, 100, 899])
def test_of_a_long_list_some_are_taken_from_the_first_to_the_last(number: int) -> None:
    chosen = spread(range(number))
    assert len(set(chosen)) == CASES_IN_THE_FAST_TIER
    assert (chosen[0], chosen[-1]) == (0, number - 1)
