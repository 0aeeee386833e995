"""How often the live tests repeat themselves: wholly, unless an hour has to do for all of them.

``COURSE_FEWER=7 pytest …`` repeats less, and takes one case in three or so of the long lists;
the number says which: with another number come others. `.ci/run` takes it from the commit.
"""

import os
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
FEWER = os.environ.get("COURSE_FEWER", "")


def often(usually: int, fewer: int) -> int:
    """How many times to repeat something."""
    return fewer if FEWER else usually


def some(cases: Sequence[T], of: int = 3) -> list[T]:
    """All the cases, or one in so many."""
    return list(cases[int(FEWER) % of :: of] if FEWER else cases)


def resting(items: Sequence[T], of: int = 2) -> list[T]:
    """Of the tests that take turns those that wait for another number; none, usually."""
    return [item for n, item in enumerate(items) if FEWER and n % of != int(FEWER) % of]
