"""The clocks of an examined script: they go ahead before its parts are asked once more.

A part that is right for as long as somebody looks is found out if the time of looking is over. What
is put forward is what the module `time` tells in Python; neither `datetime.now`, nor the time of a
file, nor a thread that sleeps (docs/sandbox.md, What cannot be told).
"""

import functools
import time
from collections.abc import Callable

NAMES = ("time", "monotonic", "perf_counter", "process_time", "thread_time", "clock_gettime")
"""Functions of `time`, each of which has another one that counts billionths of a second."""
BILLION = 10**9


class ScriptClock:
    """All clocks of `time`; `ahead` is by how many whole seconds."""

    def __init__(self) -> None:
        self.ahead = 0

    def install(self) -> None:
        """Put our functions in the place of those of `time`; done before the script begins."""
        for name in NAMES:
            for unit, suffix in ((1, ""), (BILLION, "_ns")):
                if told := getattr(time, name + suffix, None):
                    setattr(time, name + suffix, self._later(told, unit))

    def _later(self, told: Callable[..., float], unit: int) -> Callable[..., float]:
        @functools.wraps(told)
        def later(*arguments: int) -> float:
            return told(*arguments) + self.ahead * unit

        return later
