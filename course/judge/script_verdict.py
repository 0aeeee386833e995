"""What a run of a script shows that belongs to no lesson: nothing is expected of it.

There is no healthy run to set it beside. So what is certain is what holds for any script: an
exception by its signature, and of the silent faults those that no script shows on purpose.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from course.base.i18n import N_
from course.invariants.judge import BrokenInvariant
from course.judge import broken_rules
from course.judge.health import ENDED, find_unanswered, tells_early
from course.judge.measures import evidence_of
from course.judge.verdict import PROBLEMS
from course.lesson import catalogue
from course.lesson.catalogue import Fault, Match
from course.lesson.signature import SilentSignature
from course.runs.record import Frame, Raised, RunRecord

NEAREST = 3
"""Entries that an exception may be and that are named, where none is certain."""
EXITED = N_("The script ended with the exit status {status}, without an exception.")
SCRIPT_PROBLEMS = {
    **PROBLEMS,
    "exit-status": EXITED,
    "died": EXITED,
    "ours": N_(
        "Our program failed while it watched your script. Your script is not the cause. We ran "
        "the script again without watching it, so nothing was measured."
    ),
}
"""Those of any run, and what only a script of no lesson may do."""


@dataclass(frozen=True)
class Naming:
    """A fault that a script shows, for certain or possibly.

    `frame` is the learner's own line that it came to light in; None where only figures tell of it.
    `figures` are those that give a silent fault away. One that is known by a broken rule is told
    by its `evidence`, below its title by what is `told`, and lies at its `line` (0 where that is
    unknown); it is `settled` where the rest of a run can't mend that.
    """

    match: Match
    frame: Frame | None = None
    figures: Mapping[str, float] = field(default_factory=dict)
    evidence: str = ""
    told: str = ""
    line: int = 0
    settled: bool = False

    @property
    def fault(self) -> Fault:
        """The entry of the catalogue."""
        return self.match.fault

    @property
    def certain(self) -> bool:
        """Whether all that the fault is known by was measured."""
        return self.match.certain

    @property
    def early(self) -> bool:
        """Whether it holds long before a training ends, once it holds."""
        return self.settled or tells_early(self.match)


@dataclass(frozen=True)
class ScriptVerdict:
    """What a script without a lesson has shown: the faults, the one that bites first in front.

    `problem` is a key of `SCRIPT_PROBLEMS`: `unknown` where it failed and nothing certain is
    known of that. `caught` are exceptions that it caught itself, which is its own affair. `broken`
    are rules of any training that it broke, where no fault is certain that would be the cause.
    """

    namings: tuple[Naming, ...]
    raised: Raised | None
    problem: str | None
    seconds: float
    exit_code: int | None
    caught: tuple[Raised, ...] = ()
    broken: tuple[BrokenInvariant, ...] = ()

    @property
    def biting(self) -> Naming | None:
        """The fault that bites first, if one is certain."""
        return next((each for each in self.namings if each.certain), None)

    @property
    def possible(self) -> tuple[Naming, ...]:
        """The faults that it may be."""
        return tuple(each for each in self.namings if not each.certain)

    @property
    def well(self) -> bool:
        """Whether it came to its end, and nothing certain was found."""
        return self.biting is None and self.problem is None


def judge_script(record: RunRecord, text: str = "") -> ScriptVerdict:
    """Judge the record of any script; its `text` tells more, where it is known."""
    record = broken_rules.with_rules(record, text)
    raised = record.raised
    if record.ended_by_us:
        # What was measured until then is of a run that was cut off by us.
        return ScriptVerdict((), None, "ours", record.seconds, record.exit_code)
    unanswered = find_unanswered(raised)
    namings = () if unanswered else tuple(_namings(record, text))
    certain = any(each.certain for each in namings)
    return ScriptVerdict(
        namings=namings,
        raised=raised,
        problem=unanswered or _problem(record, certain=certain),
        seconds=record.seconds,
        exit_code=record.exit_code,
        caught=record.swallowed,
        broken=() if certain else broken_rules.broken(record, text),
    )


def _problem(record: RunRecord, *, certain: bool) -> str | None:
    if record.status not in ENDED:
        return record.status
    if record.raised is not None:
        return None if certain else "unknown"
    return "exit-status" if record.exit_code else None


def _namings(record: RunRecord, text: str) -> Iterable[Naming]:
    """Yield the run's faults; of a general or unknown exception, the certain ones before it.

    It may be what has led to it (`unless`).
    """
    found = list(_raised(record))
    if record.raised is None:
        yield from _silent(record, text)
    elif all(each.fault.general or not each.certain for each in found):
        silent = _silent(replace(record, raised=None, status="stopped"), text)
        before = [each for each in silent if each.certain]
        led = {each.fault.id for each in before}
        yield from (each for each in found if led.isdisjoint(each.fault.unless))
        yield from before
    else:
        yield from found


def _raised(record: RunRecord) -> Iterable[Naming]:
    """Yield the faults of an exception; a mistake in Python itself only if there is no other."""
    if record.raised is None:
        return
    found = catalogue.naming(record)
    certain = [match for match in found if match.certain]
    for match in certain or found[:NEAREST]:
        yield Naming(match, record.raised.own)


def _silent(record: RunRecord, text: str) -> Iterable[Naming]:
    """Yield the silent faults; those that only a lesson can be sure of are possible."""
    known = catalogue.catalogue()
    sure = [_with(fault, anywhere=True, record=record) for fault in known.values()]
    certain = catalogue.matches(record, faults=sure)
    named = {match.fault.id for match in certain}
    for match in sorted(certain, key=lambda match: _stage(match.fault)):
        yield _figured(replace(match, fault=known[match.fault.id].told(record)), record, text)
    unsure = [_with(fault, anywhere=False, record=record) for fault in known.values()]
    for match in sorted(catalogue.matches(record, faults=unsure), key=lambda m: _stage(m.fault)):
        if match.fault.id not in named and named.isdisjoint(match.fault.unless):
            whole = known[match.fault.id].told(record)
            doubtful = replace(match, fault=whole, certain=False)
            yield _figured(doubtful, record, text)


def _with(fault: Fault, *, anywhere: bool, record: RunRecord) -> Fault:
    """Return a fault with its silent signatures alone: those for any script, or the others."""
    kept = tuple(
        signature
        for signature in fault.signatures
        if isinstance(signature, SilentSignature) and signature.holds_anywhere(record) == anywhere
    )
    return replace(fault, signatures=kept)


def _stage(fault: Fault) -> int:
    """Return the stage of a fault as a number: earlier stages in the pipeline bite first."""
    return list(catalogue.STAGES).index(fault.stage)


def _figured(match: Match, record: RunRecord, text: str) -> Naming:
    assert isinstance(match.signature, SilentSignature)
    found = [broken_rules.place_of(record, rule, text) for rule in match.signature.when]
    places = [place for place in found if place is not None]
    if places:
        settled = all(place.settled for place in places)
        last = places[-1]
        return Naming(match, None, last.figures, last.evidence, last.told, last.line, settled)
    figures = evidence_of([match], record)
    return Naming(match, None, {name: float(value) for name, value in figures.items()})
