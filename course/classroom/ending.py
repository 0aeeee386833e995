"""How the process of a submission came to its end, whatever had been seen of it until then."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from course.classroom import reading
from course.classroom import spot as spots
from course.classroom.grade import Note, Status
from course.run.box import Done, Limits
from course.run.child import Lost
from course.run.record import Raised

TOLD = 300
"""Characters of an exception's name, and of its message, that are kept."""

T = TypeVar("T")


def twice(examine: Callable[[], T]) -> T:
    """Do it once more, from the beginning, where the box itself was lost.

    Raises:
        Lost: it was, twice.

    """
    try:
        return examine()
    except Lost:
        return examine()


def status(done: Done) -> Status:
    """What became of a run."""
    return "internal-error" if done.unconfined else done.met or "graded"


def no_python(raised: Iterable[Raised]) -> Raised | None:
    """What Python has against the text, where that is no Python at all."""
    return next((e for e in raised if "builtins.SyntaxError" in e.classes), None)


def notes(
    text: str, raised: Iterable[Raised], done: Done, limits: Limits, *, ended: bool
) -> Iterator[Note]:
    """Notes on the end of a run, where it is worth a word; it has `ended` as it should, or not."""
    syntax = no_python(raised)
    if syntax is not None:
        line, cell = reading.spot(text, syntax)
        yield Note("syntax", spots.figures(line or 0, cell))
    if done.met == "time-limit":
        yield Note("time-limit", {"seconds": round(limits.wall)})
    elif done.met == "memory-limit":
        yield Note("memory-limit", {"cap": limits.memory // 2**20})
    elif done.met == "output-limit":
        yield Note("output-limit", {"cap": limits.output // 2**20})
    elif done.met == "process-limit":
        yield Note("process-limit")
    elif not ended or (done.exit or 0) < 0:
        yield Note("died")
