"""Fault injection: a piece of work is killed with SIGKILL at every instant at which it writes."""

import io
import os
import signal
from collections.abc import Callable, Iterator
from typing import Any

from course.base import files


def killed_at_each_instant(work: Callable[[], object]) -> Iterator[int]:
    """Do the work in a child, again and again, killed an instant later each time.

    Yields after each death, and comes to an end when the work does.
    """
    for instant in range(1, 500):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                _arm(instant)
                work()
                status = 0
            finally:
                os._exit(status)
        _pid, waited = os.waitpid(child, 0)
        if os.waitstatus_to_exitcode(waited) != -signal.SIGKILL:
            assert waited == 0
            return
        yield instant
    raise AssertionError("it never came to its end")


def _arm(left: int) -> None:
    """Have this process die at its `left`th chance: each call that changes something has two."""

    def tick() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def deadly(function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*arguments: Any, **named: Any) -> Any:
            tick()
            result = function(*arguments, **named)
            tick()
            return result

        return called

    class Sink(io.FileIO):
        """A write may stop half way."""

        def write(self, data: Any) -> int:
            tick()
            written = super().write(data[: max(1, len(data) // 2)])
            tick()
            return written

    def opened(file: Any, mode: str = "r", *rest: Any, **named: Any) -> Any:
        if isinstance(file, int) and "w" in mode:
            return io.BufferedWriter(Sink(file, "wb"))
        return open(file, mode, *rest, **named)

    files.open = opened  # type: ignore[attr-defined]
    for name in ("open", "fsync", "replace", "unlink", "chmod", "mkdir", "rename"):
        setattr(os, name, deadly(getattr(os, name)))
