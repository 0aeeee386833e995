"""Our own levels, below a script's and between it and a library's, are none that it sees.

A traceback, a stack that is printed, and the place that a warning is said to come from are the same
as without us. (`__main__` gives our code file names that Python's warnings do not count.)
"""

import sys
import traceback
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Any

from course_probe.exception_report import is_our_file, without_probe


def is_ours(frame: FrameType) -> bool:
    """Whether a frame is of the probe's own code."""
    return is_our_file(frame.f_code.co_filename)


def above() -> tuple[str, int]:
    """Where Python says that a warning comes from whose level is above all that there are."""
    return ("<sys>", 0) if sys.version_info >= (3, 13) else ("sys", 1)


def install() -> None:
    """Have Python's own `traceback` leave our levels out of what it walks through."""
    walk_stack = traceback.walk_stack
    if is_our_file(walk_stack.__code__.co_filename):
        return

    def without_ours(frame: FrameType | None) -> Iterator[tuple[FrameType, int]]:
        if frame is None:
            # The caller of who goes through this, as in the original.
            frame = sys._getframe(4)
        for each, line in walk_stack(frame):
            if not is_ours(each):
                yield each, line

    vars(traceback)["walk_stack"] = without_ours
    for name in ("walk_tb", "_walk_tb_with_full_positions"):
        walk = getattr(traceback, name, None)
        if walk is not None:
            setattr(traceback, name, _leaving_out(walk))


def _leaving_out(walk: Any) -> Any:
    def without_ours(tb: TracebackType | None) -> Iterator[Any]:
        # One that begins with us is of what has gone wrong in our own code, and is told whole.
        is_of_us = tb is not None and is_ours(tb.tb_frame)
        for each in walk(tb):
            if is_of_us or not is_ours(each[0]):
                yield each

    return without_ours


def strip(error: BaseException) -> None:
    """Take our levels out of the tracebacks of an exception and of all that it came from."""
    seen: set[int] = set()
    pending: list[BaseException | None] = [error]
    while pending:
        each = pending.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        pending += [each.__cause__, each.__context__, *getattr(each, "exceptions", ())]
        each.__traceback__ = without_probe(each.__traceback__)
