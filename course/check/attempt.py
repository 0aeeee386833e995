"""Attempts: what one run of a learner's working copy shows, whatever its text has become."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from course.check.verdict import Verdict, evidence_of, in_order, metrics, unhealthy
from course.lesson.bug import Bug
from course.lesson.catalogue import Match, matches
from course.lesson.lesson import HEALTHY, Outcome, Part
from course.run.record import Raised, RunRecord
from course.run.vital_signs import VitalSigns


@dataclass(frozen=True)
class Attempt:
    """What bites now, and what the run has got past.

    The step of the verdict is the fault that bites, or `healthy` where the catalogue knows none.
    `bug` is the exercise's own bug behind that fault; None where the learner made the fault, or
    where there is none. `behind` are the faults of the exercise that the run has got past, in
    the order in which they bite; None where it came to nothing that tells.
    """

    verdict: Verdict
    outcome: Outcome
    bug: Bug | None
    behind: tuple[str, ...] | None

    @property
    def healthy(self) -> bool:
        """Whether the script trains, and the model has learned."""
        return self.verdict.match is None and self.verdict.problem is None

    @property
    def new(self) -> bool:
        """Whether what bites is none of the exercise's own bugs."""
        failed = self.verdict.match is not None or self.verdict.raised is not None
        return failed and self.bug is None and self.verdict.problem != "several"


def judge_attempt(
    part: Part, bugs: Iterable[Bug], record: RunRecord, *, online: bool = False
) -> Attempt:
    """Judge a run of a working copy that was made with these bugs in."""
    drawn = tuple(b for b in part.known if b in tuple(bugs))
    outcome = part.expects(online=online)
    problem = unhealthy(record, outcome)
    raised, found = _shown(record, outcome) if problem else (None, [])
    found = in_order(found, [bug.fault for bug in drawn])
    if len(found) > 1:
        problem = "several"
    elif found and problem == "other-fault":
        problem = None
    match = found[0] if len(found) == 1 else None
    fault = match.fault.id if match else None
    verdict = Verdict(
        step=fault or HEALTHY,
        expected=fault or HEALTHY,
        match=match,
        raised=raised,
        matched=problem is None,
        problem=problem,
        evidence="live",
        seconds=record.seconds,
        metrics=metrics(record, outcome) | evidence_of(found, record, outcome),
        vitals=record.vitals or VitalSigns(),
    )
    bug = part.bug_of(fault) if fault else None
    return Attempt(verdict, outcome, bug if bug in drawn else None, _behind(part, drawn, verdict))


def _shown(record: RunRecord, outcome: Outcome) -> tuple[Raised | None, list[Match]]:
    """The exception that ended the script or, failing that, the last that it caught."""
    if record.raised is not None:
        return record.raised, matches(record)
    for raised in reversed(record.swallowed):
        return raised, matches(replace(record, raised=raised))
    return None, matches(record, outcome.curve)


def _behind(part: Part, drawn: tuple[Bug, ...], verdict: Verdict) -> tuple[str, ...] | None:
    """Bugs bite in the order of the lesson: those before the one that bites are out."""
    if verdict.match is not None:
        biting = part.bug_of(verdict.match.fault.id)
        if biting is None:
            return None
        return tuple(b.fault for b in drawn if part.known.index(b) < part.known.index(biting))
    if verdict.problem is None:
        return tuple(b.fault for b in drawn)
    return None
