"""How the process of a submission came to its end, whatever had been seen of it until then."""

from collections.abc import Iterable, Iterator

from course.grading.engine import text_evidence
from course.grading.grade import OURS, GradeNote, GradeStatus, Value
from course.judge.health import find_unanswered
from course.runs.record import Raised
from course.runs.sandbox.bubblewrap import Done, JobLimits


def status(done: Done) -> GradeStatus:
    """Return the limit that ended a run; `internal-error` if it was not confined, else `graded`."""
    return "internal-error" if done.unconfined else done.limit_hit or "graded"


def failure(done: Done) -> Iterator[GradeNote]:
    """Yield a note on a run that could not be begun or guarded, which is an internal failure."""
    if status(done) == OURS:
        yield GradeNote(OURS, {"error": done.unconfined})


def no_python(raised: Iterable[Raised]) -> Raised | None:
    """Find Python's error in the text, where that is no Python at all."""
    return next((e for e in raised if "builtins.SyntaxError" in e.classes), None)


def notes(
    text: str, raised: Iterable[Raised], done: Done, limits: JobLimits, *, ended: bool
) -> Iterator[GradeNote]:
    """Yield notes on a run's end that is worth a word; it has `ended` as it should, or not."""
    errors = list(raised)
    syntax = no_python(errors)
    asks = next((error for error in errors if find_unanswered(error) is not None), None)
    if asks is not None:
        yield GradeNote("asks", text_evidence.spot(text, asks) or {"line": 0})
    if text_evidence.has_no_code(text):
        yield GradeNote("empty")
    if syntax is not None:
        yield GradeNote("syntax", text_evidence.spot(text, syntax) or {"line": 0})
    figures: dict[str, dict[str, Value]] = {
        "time-limit": {"seconds": round(limits.wall)},
        "memory-limit": {"cap": limits.memory // 2**20},
        "output-limit": {"cap": limits.output // 2**20},
    }
    if done.limit_hit is not None:
        yield GradeNote(done.limit_hit, figures.get(done.limit_hit, {}))
    elif not ended or (done.exit or 0) < 0:
        yield GradeNote("died")
