"""Attempts: what one run of a learner's working copy shows, whatever its text has become."""

import ast
from collections.abc import Iterable
from dataclasses import dataclass, replace
from types import MappingProxyType

from course.invariants.judge import read
from course.judge import broken_rules
from course.judge.health import (
    evaluation_in_question,
    shown,
    training_in_question,
    unhealthy,
)
from course.judge.measures import evidence_of, lesson_figures, metrics
from course.judge.verdict import NAMED, UNANSWERED, Verdict, candidates, in_order
from course.lesson.bug import Bug, BugPlaces
from course.lesson.catalogue import Match, catalogue, general_matches, matches
from course.lesson.lesson import HEALTHY, Outcome, Part
from course.lesson.signature import Signature
from course.runs.record import Raised, RunRecord
from course.runs.vital_signs import VitalSigns
from course_probe.reading.moved_inputs import moves_inputs

NO_NEW_FAULT = UNANSWERED | NAMED | {"several"}
"""Problems of a run that failed, and yet shows no fault that is new."""

DEVICES = "devices-differ"
"""A fault that bites only where there are two devices; that inputs are moved is seen on one."""


@dataclass(frozen=True)
class Attempt:
    """What bites now, and what the run has got past.

    The step of the verdict is the fault that bites, or `healthy` where the catalogue knows none.
    `bug` is the exercise's own bug behind that fault; None where the learner made the fault, or
    where there is none. `mended` is the lesson's bug of that fault where its healthy text stands at
    each of its places: something else brings the fault about.

    `behind` are the faults of the exercise that are mended in effect at every place, in the order
    in which they bite; None where the run came to nothing that tells. `undone` are those whose
    buggy text stands at a place, and `remaining` the bugs whose fix does not stand at each of
    theirs where a run came to its end with a problem that no fault is named for. `partly` are those
    that it has got past while nothing shows yet that each of their places is mended. `right` is at
    how many places of the fault's bug the healthy text stands.
    """

    verdict: Verdict
    outcome: Outcome
    bug: Bug | None
    behind: tuple[str, ...] | None
    partly: tuple[str, ...] = ()
    mended: Bug | None = None
    right: int = 0
    undone: tuple[str, ...] = ()
    remaining: tuple[Bug, ...] = ()

    @property
    def healthy(self) -> bool:
        """Whether the script trains, and the model has learned."""
        return self.verdict.match is None and self.verdict.problem is None

    @property
    def new(self) -> bool:
        """Whether what bites is none of the exercise's own bugs."""
        failed = self.verdict.match is not None or self.verdict.raised is not None
        return failed and self.bug is None and self.verdict.problem not in NO_NEW_FAULT


def judge_attempt(
    part: Part,
    bugs: Iterable[Bug],
    record: RunRecord,
    *,
    online: bool = False,
    places: BugPlaces = MappingProxyType({}),
    names_problems: bool = True,
) -> Attempt:
    """Judge a run of a working copy that was made with these bugs in.

    `places` tells what stands at the bugs' places in the text that ran, as far as that is known.
    `names_problems` gives a problem the fault that is behind it as its match, where that can be
    told: no bug of the exercise, and the problem remains.
    """
    drawn = tuple(b for b in part.known if b in tuple(bugs))
    outcome = part.expects(online=online)
    record = evaluation_in_question(broken_rules.with_ledger(record), outcome)
    problem = unhealthy(record, outcome)
    last, record = record, training_in_question(record, outcome)
    raised, found = _shown(record, outcome) if problem else (None, [])
    found = found if problem not in UNANSWERED else []
    found = in_order(found, [bug.fault for bug in drawn])
    if problem == "unknown":
        found = general_matches(record)
    if len(found) > 1:
        problem = "several"
    elif found and problem in ("other-fault", "unknown"):
        problem = None
    match = found[0] if len(found) == 1 else None
    fault = match.fault.id if match else None
    verdict = Verdict(
        step=fault or HEALTHY,
        expected=fault or HEALTHY,
        match=match,
        raised=raised,
        problem=problem,
        evidence="live",
        seconds=record.seconds,
        metrics=metrics(record, outcome) | evidence_of(found, record, outcome.curve),
        vitals=record.vitals or VitalSigns(),
        candidates=candidates(found),
        of_earlier=record is not last,
    )
    known = part.bug_of(fault) if fault else None
    mended = is_mended(known, places)
    past = _past(part, drawn, verdict)
    if past is not None and fault is not None:
        # One that is mended, and whose fault another cause brings about, is got past all the same.
        past += (known,) if known in drawn and mended else ()
        behind = tuple(bug for bug in past if _is_behind(bug, places))
    else:
        behind = past or ()
    if names_problems and match is None:
        verdict = _name_problem(verdict, record, outcome)
    undone = tuple(b for b in drawn if "buggy" in places.get(b.fault, ()))
    # What stands as it was comes first: what was changed may well be another way to mend it.
    left = sorted(
        (b for b in drawn if b.fault in places and not is_mended(b, places)),
        key=lambda bug: bug not in undone,
    )
    is_open = verdict.match is None and verdict.raised is None and verdict.problem is not None
    return Attempt(
        verdict=verdict,
        outcome=outcome,
        bug=known if known in drawn and not mended else None,
        behind=None if past is None else tuple(bug.fault for bug in behind),
        partly=tuple(b.fault for b in past or () if b not in behind and _seems_mended(b, places)),
        mended=known if mended else None,
        right=places.get(known.fault, ()).count("healthy") if known is not None else 0,
        undone=tuple(bug.fault for bug in undone),
        remaining=tuple(left) if is_open else (),
    )


def moves_its_inputs(record: RunRecord, text: str) -> bool | None:
    """Whether the text moves to a device what its model is given; None where nothing was trained.

    The run tells at which lines the model is called.
    """
    known = read(record.ledger) if record.ledger is not None else None
    passes = known.passes if known is not None else ()
    if not any(each.reached for each in passes):
        return None
    try:
        return moves_inputs(ast.parse(text), {each.line for each in passes if each.line})
    except (SyntaxError, ValueError, RecursionError):
        return None


def _name_problem(verdict: Verdict, record: RunRecord, outcome: Outcome) -> Verdict:
    """Return the verdict with the one fault behind its problem, beside the expected outcome."""
    if verdict.problem not in NAMED or verdict.raised is not None:
        return verdict
    beside = {**record.figures, **lesson_figures(record, outcome)}
    told = replace(record, figures=beside)
    found = shown(told, outcome)
    if len(found) != 1:
        return verdict
    figures = {**verdict.metrics, **evidence_of(found, told, outcome.curve)}
    return replace(verdict, match=found[0], metrics=figures)


def is_mended(bug: Bug | None, places: BugPlaces) -> bool:
    """Whether the healthy text of a bug stands at each of its places."""
    return bug is not None and set(places.get(bug.fault, ())) == {"healthy"}


def _shown(record: RunRecord, outcome: Outcome) -> tuple[Raised | None, list[Match]]:
    """Return the exception that ended the script or, failing that, the last that it caught."""
    raised = record.raised or next(reversed(record.swallowed), None)
    if raised is None:
        return None, shown(record, outcome)
    return raised, matches(replace(record, raised=raised))


def _past(part: Part, drawn: tuple[Bug, ...], verdict: Verdict) -> tuple[Bug, ...] | None:
    """Bugs bite in the order of the lesson: the run has got past those before the one that bites.

    A healthy run has got past all of them, at each of their places.
    """
    if verdict.match is not None:
        biting = part.bug_of(verdict.match.fault.id)
        if biting is None:
            return None
        return tuple(b for b in drawn if part.known.index(b) < part.known.index(biting))
    return drawn if verdict.problem is None else None


def _is_behind(bug: Bug, places: BugPlaces) -> bool:
    """Whether a bug that a run has got past is mended in effect at every place.

    To get past a bug of one place, whatever the learner has made of that, is to have mended it. Of
    several places another may be next to bite, so what stands at each of them counts.
    """
    stands = places.get(bug.fault)
    return stands is None or stands == ("changed",) or is_mended(bug, places)


def _seems_mended(bug: Bug, places: BugPlaces) -> bool:
    """Whether a bug that a run has got past is mended somehow: its text may stand as it was.

    What raises an error would have done so, had nothing been changed. What is silent may only wait.
    """
    if set(places.get(bug.fault, ())) != {"buggy"}:
        return True
    return any(isinstance(each, Signature) for each in catalogue()[bug.fault].signatures)
