"""What an examined script reads of the time."""

import time

import pytest

from course_probe.exam import clock
from course_probe.exam.clock import ScriptClock


@pytest.fixture
def ours(monkeypatch: pytest.MonkeyPatch) -> ScriptClock:
    """Set the clocks of a script; what `time` has itself comes back afterwards."""
    for name in clock.NAMES:
        for suffix in ("", "_ns"):
            # Set to what it is, so that it is set back.
            monkeypatch.setattr(time, name + suffix, getattr(time, name + suffix))
    made = ScriptClock()
    made.install()
    return made


@pytest.mark.parametrize("name", [n for n in clock.NAMES if n != "clock_gettime"])
def test_each_clock_goes_on_as_it_was_until_it_is_put_forward(ours: ScriptClock, name: str) -> None:
    seconds, billionths = getattr(time, name), getattr(time, f"{name}_ns")
    before, exact = seconds(), billionths()
    assert 0 <= seconds() - before < 60
    ours.ahead = 3600
    assert 3600 <= seconds() - before < 3660
    assert 3600 <= (billionths() - exact) / 10**9 < 3660
    assert isinstance(billionths(), int)
    assert seconds.__name__ == name


def test_a_clock_that_is_asked_for_by_number_goes_ahead_too(ours: ScriptClock) -> None:
    before = time.clock_gettime(time.CLOCK_MONOTONIC)
    ours.ahead = 60
    assert 60 <= time.clock_gettime(time.CLOCK_MONOTONIC) - before < 120
