"""Whose turn it is to compute, with threads that want one."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from course.runs.sandbox.turns import Closed, Turns

SOON = 0.05
"""Seconds in which a thread that may go on would have."""


def test_who_only_waits_gives_the_turn_away_and_takes_it_back_without_being_held_up() -> None:
    turns = Turns(1)
    first, second = turns.take(), turns.take
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(second)
        assert not threading.Event().wait(SOON)
        assert not waiting.done()
        first.hold(False)
        other = waiting.result(10)
        first.hold(True)
        # Two compute now; a third begins when both are over.
        third = pool.submit(turns.take)
        other.hold(False)
        assert not threading.Event().wait(SOON)
        assert not third.done()
        with first:
            pass
        third.result(10).hold(False)
    # Whoever has given it away already does not give it twice.
    with other:
        pass
    last = turns.take()
    with ThreadPoolExecutor(1) as pool:
        more = pool.submit(turns.take)
        assert not threading.Event().wait(SOON)
        assert not more.done()
        last.hold(False)
        more.result(10)


def test_once_they_are_closed_nobody_begins() -> None:
    turns = Turns(1)
    turns.take()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(turns.take)
        turns.close()
        with pytest.raises(Closed):
            waiting.result(10)
    unlimited = Turns()
    assert len([unlimited.take() for _ in range(100)]) == 100
