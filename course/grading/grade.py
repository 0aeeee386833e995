"""The grade of one submission: what was found, in words that any language can be made of."""

import traceback
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import PurePath
from typing import Any, Literal

GradeStatus = Literal[
    "graded",
    "time-limit",
    "memory-limit",
    "output-limit",
    "process-limit",
    "refused",
    "internal-error",
]
How = Literal[
    "answers",
    "text",
    "run",
    "wrong-answer",
    "raised",
    "missing",
    "not-reached",
    "withheld",
    "stands",
]
Value = str | int | float
FORMAT = 1
OURS = "internal-error"
"""The id of the note on a failure of our own; its figures are `error` and `traceback`."""
REASON = 300
"""Characters of an exception's own words that are kept."""
TRACEBACK = 20_000
"""Characters of a traceback that are kept, the last ones."""


@dataclass(frozen=True)
class BugGrade:
    """Whether a bug that the student drew is gone, and how that is known.

    `how`: `answers` (it answered our questions rightly), `text` (our own fix stands in the text,
    whatever else is known), `run` (the run got past it, as its process says), `wrong-answer` (what
    it answered, or what its run shows, is wrong), `raised` (asked or run, it raised an exception),
    `missing` (the part that was to be asked, or measured, is not there), `not-reached` (the script
    ended before), `withheld` (the answers are right, or the run got past it, and yet something else
    speaks against that), `stands` (the bug's own text stands as it was).

    `reason` is what a student can check: `asked` (a kind of question), `answered` and `expected`;
    of a point withheld the `line` that it is withheld for (in the `cell` of a notebook) and `what`
    stands there; of a part that raised, or of a script that ended before, the `exception` and its
    `message`, with the line; of what a run shows, the place of a `signature` among those of its
    fault, and its figures by their names after `figure:`. Each of them may be missing.
    """

    fault: str
    gone: bool
    how: How
    points: float
    of: float
    reason: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class NewFault:
    """A fault of the student's own: one of the catalogue, or just an exception.

    `line` is counted in the script, or in the `cell` of a notebook where there is one.
    """

    fault: str | None
    exception: str | None = None
    message: str | None = None
    line: int | None = None
    cell: int | None = None


@dataclass(frozen=True)
class GradeNote:
    """Something worth knowing: a key of `note.NOTES`, and the figures of its sentence."""

    id: str
    figures: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class Healthy:
    """How the healthy outcome came out: shares from 0 to 1, None where it was not tried.

    `accuracy` is that of the weights on `examples` examples drawn for this grading, `baseline`
    that of the most frequent label, after `epochs` epochs; it is to be reached by a `margin`. `why`
    is a key of `feedback.UNREACHED`, the reason why the outcome counts as not reached; `fault` the
    one that it is for, if it is.
    """

    reached: bool
    points: float
    of: float
    accuracy: float | None = None
    baseline: float | None = None
    margin: float = 0.0
    examples: int | None = None
    epochs: float | None = None
    why: str | None = None
    fault: str | None = None


@dataclass(frozen=True)
class Grade:
    """The verdict on one submission.

    `stage` is the first bug of the student's that is not gone (the fault at which the student
    stands), `healthy` when the outcome is reached, else `training`; `seconds` is the wall time of
    the examination; `training_seconds` is what the training took of the processor, as far as its
    process says.
    """

    student: str
    lesson: str
    framework: str
    status: GradeStatus
    bugs: tuple[BugGrade, ...] = ()
    healthy: Healthy | None = None
    new_faults: tuple[NewFault, ...] = ()
    notes: tuple[GradeNote, ...] = ()
    seconds: float = 0.0
    training_seconds: float = 0.0
    versions: Mapping[str, str] = field(default_factory=dict)
    unsafe: bool = False

    @property
    def judged(self) -> bool:
        """Whether there is a mark: not after a failure of ours, nor of what could not be read."""
        return self.status not in ("internal-error", "refused")

    @property
    def score(self) -> float:
        """Sum the points reached: of the bugs, and of the healthy run."""
        own = self.healthy.points if self.healthy else 0.0
        return round(sum(b.points for b in self.bugs) + own, 6)

    @property
    def max_score(self) -> float:
        """Sum the points that could be reached, with those of the healthy run."""
        return round(sum(b.of for b in self.bugs) + (self.healthy.of if self.healthy else 0.0), 6)

    @property
    def failure(self) -> str:
        """The traceback of our own failure, or the reason where there is none; "" without one."""
        found = next((note.figures for note in self.notes if note.id == OURS), {})
        return str(found.get("traceback") or found.get("error", ""))

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why points are as they are: `<fault>:<how>` of each bug, `healthy:<why>` of the outcome.

        All who have one of them in an exercise can be given a comment, and points, together.
        """
        own = self.healthy
        why = "" if own is None else "reached" if own.reached else own.why or "below"
        found = (*(f"{bug.fault}:{bug.how}" for bug in self.bugs), f"healthy:{why}")
        return found if why else found[:-1]

    @property
    def stage(self) -> str:
        """The fault at which the student stands; `healthy` at the end, `training` just before."""
        first = next((b.fault for b in self.bugs if not b.gone), None)
        if first is not None:
            return first
        return "healthy" if self.healthy is not None and self.healthy.reached else "training"

    def to_dict(self) -> dict[str, Any]:
        """Return the grade as JSON can hold it; `read` is the way back."""
        return {"format": FORMAT, **asdict(self)}


def failed(student: str, lesson: str, framework: str, error: Exception) -> Grade:
    """Make a grade without a verdict: our grading failed, and a note for the teacher says how."""
    last = (traceback.extract_tb(error.__traceback__) or [None])[-1]
    where = f" ({PurePath(last.filename).name}:{last.lineno})" if last is not None else ""
    reason = " ".join("".join(traceback.format_exception_only(error)).split())[:REASON]
    trace = "".join(traceback.format_exception(error))
    figures = {"error": f"{reason}{where}", "traceback": trace[-TRACEBACK:]}
    return Grade(student, lesson, framework, "internal-error", notes=(GradeNote(OURS, figures),))


def read(stored: Any) -> Grade:
    """Read a grade as `Grade.to_dict` wrote it.

    Raises:
        ValueError: it is of another format, or none at all.

    """
    try:
        found = dict(stored)
        if found.pop("format") == FORMAT:
            for name, kind in (("bugs", BugGrade), ("new_faults", NewFault), ("notes", GradeNote)):
                found[name] = tuple(kind(**each) for each in found[name])
            found["healthy"] = found["healthy"] and Healthy(**found["healthy"])
            return Grade(**found)
    except (KeyError, TypeError) as error:
        raise ValueError(f"no grade: {stored!r:.80}") from error
    raise ValueError(f"no grade of format {FORMAT}: {stored!r:.80}")
