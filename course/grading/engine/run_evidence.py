"""What the run of a submission tells, where nobody asks its parts: its own account, judged.

The record of a run is what its process says of itself, as a learner's is: JSON lines and nothing
else. It is judged here as any attempt is, and a little more closely, since there is something to
be gained by it.
"""

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, cast

from course.base import paths, schema
from course.grading.engine import adaptations
from course.grading.engine.adaptations import Adapted
from course.grading.engine.text_evidence import AssignedExercise
from course.grading.grade import How
from course.judge import broken_rules
from course.judge.attempt import Attempt, judge_attempt
from course.judge.health import shown, tells_early, unhealthy
from course.judge.verdict import should_stop
from course.lesson.bug import Bug
from course.lesson.catalogue import Match, catalogue
from course.lesson.lesson import Outcome
from course.lesson.signature import BROKEN, Signature, SilentSignature
from course.lesson.silent_signature import Condition, Conditions
from course.runs.process import STOP, TELLING
from course.runs.record import UNREADABLE, Builder, RunRecord, RunStatus
from course.runs.sandbox.bubblewrap import Done, JobMailbox, Met
from course_probe.events import RunEvent

FIGURES_FORMAT = 1
"""Of `lessons/figures.toml`."""
EVENTS = 50_000
"""Events of one run, far more than a probe writes: a record of more is none."""
PAUSE = 0.1
"""Seconds between two looks at whether a run has told enough, each of which takes a moment."""
NO_SENSE = (*UNREADABLE, ArithmeticError)
"""What comes of judging figures that a script has made up."""
UNREAD = RunRecord(status="unreadable")
MET: dict[Met, RunStatus] = {
    "time-limit": "time-limit",
    "output-limit": "output-limit",
    "memory-limit": "died",
    "process-limit": "died",
}
"""How a run ended that the box put an end to, in the words of a record."""
NOT_ENOUGH = frozenset(
    {"below-baseline", "no-gain", "not-moved", "part-not-moved"}
    | {"other-model", "other-split", "other-texts", "other-labels", "not-measured"}
)
"""Problems of a run that has come all its way: its model has not learned enough, or who knows."""
ILL_MEASURED = ("no-metric", "other-evaluation", "evaluation-labels", "no-baseline")
"""Problems of a run that has trained to its end: nothing shows how much the model has learned."""
MADE_UP = "metric-made-up"
"""The fault of a script whose evaluation tells figures that are not those of its answers."""
UNTAUGHT = 0.02
"""How little better than the most frequent label a model is that has learned nothing."""
TEACHING = ("data", "model")
"""Stages whose faults leave a model untaught, or end in an error that wrong data would avoid."""
SET_UP = ("batch-of-one", "one-process", "fewer-labels", "fewer-examples")
"""Problems of a run whose training goes round a bug."""


@cache
def of_own_scripts() -> frozenset[str]:
    """Return the figures of scripts of no lesson: none of them is looked for in a submission."""
    groups = schema.load(paths.lessons() / "figures.toml", FIGURES_FORMAT)["group"]
    own = (each for group in groups if group.get("own_scripts") for each in group["figures"])
    return frozenset(name for each in own for name in each["names"])


class Hearing:
    """Hears what the process of a run says, and ends its training once that is enough.

    `faults` are those that the exercise can have: any other one is no reason to hear no more, since
    what comes later may earn marks.
    """

    def __init__(self, outcome: Outcome, faults: frozenset[str]) -> None:
        self._outcome = outcome
        self._faults = faults
        self._builder = Builder()
        self._events = 0
        self._looked = -math.inf
        self._makes_sense = True
        self.ended = False
        self.training_seconds = 0.0
        self.adapted: list[Adapted] = []
        self.shown: set[str] = set()
        """Faults that a training before the last has shown in its figures."""
        self._line: int | None = None

    def heard(self, event: dict[str, Any], mailbox: JobMailbox) -> None:
        """Take in one event; of a run that reports nonsense nothing is believed."""
        kind = event["event"]
        self._events += 1
        try:
            if self._events > EVENTS:
                raise ValueError("events without end")
            if kind == "trained" and self._builder.stopped:
                # What it had seen of its data when we stopped it says nothing of them.
                event = {**event, "examples": None}
            if kind == "adapted":
                adaptations.hear(self.adapted, event)
                return
            if kind == "line":
                self._line = int(event["line"])
            if kind == "train":
                self._note_shown()
            self._builder.add(cast(RunEvent, event))
            if kind == "trained":
                self.training_seconds += max(0.0, float(event.get("cpu", event["seconds"])))
            if kind in TELLING and self._is_enough():
                mailbox.put(STOP, {})
        except NO_SENSE:
            self._makes_sense = False
        self.ended = self.ended or kind == "end"

    def _note_shown(self) -> None:
        """Note down what the last training has shown: another one begins with other figures."""
        record = broken_rules.with_ledger(self._builder.build("stopped", None))
        found = shown(record, self._outcome)
        self.shown |= {match.fault.id for match in found if tells_early(match, record.figures)}

    def left_at(self, record: RunRecord) -> int | None:
        """Return the line of the last statement begun, where a run has left of its own accord.

        It has not where an exception has ended it or we have, which tells nothing of the rest.
        """
        has_trained = record.training is not None or bool(record.losses)
        is_cut = record.status not in ("finished", "died") and has_trained
        if record.raised is not None or record.status == "stopped" or is_cut:
            return None
        return self._line

    def _is_enough(self) -> bool:
        now = time.monotonic()
        if not self._makes_sense or now - self._looked < PAUSE:
            return False
        self._looked = now
        return should_stop(self._builder.build("finished", None), self._outcome, self._faults)

    def record(self, done: Done) -> RunRecord:
        """All that was heard of a run that is over."""
        try:
            if self._makes_sense:
                limit = MET[done.limit_hit] if done.limit_hit else None
                return replace(self._builder.build(limit, done.exit), hub="embedded")
        except NO_SENSE:
            pass
        return UNREAD


@dataclass(frozen=True)
class Account:
    """What one run came to: its record, judged, and all the faults that it `shows`.

    `around` is a way around a bug that its training was set up with, if it was; `others` are the
    stages of silent faults that are none of the exercise's; `matches` are what its record shows.
    """

    record: RunRecord
    attempt: Attempt
    shows: frozenset[str]
    around: str | None
    others: frozenset[str] = frozenset()
    matches: tuple[Match, ...] = ()

    @property
    def problem(self) -> str | None:
        """Why the run is not healthy: `swallowed` too where the script caught what it shows."""
        verdict = self.attempt.verdict
        caught = self.record.raised is None and verdict.raised is not None
        return "swallowed" if caught else verdict.problem

    @property
    def is_untaught(self) -> bool:
        """Whether the model has learned nothing in a training that shows no fault."""
        margin = self.attempt.verdict.metrics.get("margin", math.inf)
        return not self.shows and self.record.status == "finished" and margin <= UNTAUGHT

    @property
    def came_through(self) -> bool:
        """Whether the script trained and evaluated to its end, however much the model learned."""
        verdict = self.attempt.verdict
        if verdict.match is not None:
            # Something silent leaves the other bugs as they are, where the run went to its end.
            is_silent = isinstance(verdict.match.signature, SilentSignature)
            vitals = self.record.vitals
            counted = vitals is not None and vitals.outcome.accuracy is not None
            is_evaluated = counted or bool(self.record.evaluations)
            return is_silent and is_evaluated and self.record.status == "finished"
        return verdict.problem is None or verdict.problem in NOT_ENOUGH

    def bites(self, faults: frozenset[str]) -> How | None:
        """How the run shows a bug that shows as one of these faults; None if it does not."""
        verdict = self.attempt.verdict
        if verdict.match is not None and verdict.match.fault.id in faults and verdict.raised:
            return "raised"
        return "wrong-answer" if faults & self.shows else None

    def says(self, bug: Bug, faults: frozenset[str]) -> How:
        """Judge a bug that the run does not show, and that would show as these faults.

        Bugs bite in an order, so that one which bites tells of those before it. But a line or two
        can make any fault bite: it takes a training to get past a bug, on all of the data.
        """
        training = self.record.training
        if not self.record.losses and (training is None or not training.steps):
            return "not-reached"
        if not self.came_through and bug.fault not in (self.attempt.behind or ()):
            if self.attempt.verdict.problem not in ILL_MEASURED:
                return "not-reached"
            if catalogue()[bug.fault].stage == "evaluation":
                return "missing"
        if self.around is not None:
            return "withheld"
        if self.is_untaught and catalogue()[bug.fault].stage in TEACHING:
            # Something keeps it from learning, and no other fault is to be seen.
            return "missing"
        is_told = self.attempt.outcome.metric in self.attempt.verdict.metrics
        if catalogue()[bug.fault].stage == "evaluation" and (not is_told or MADE_UP in self.shows):
            # Something silent bites, and has hidden that nothing computes the metric, or what does.
            return "missing"
        if catalogue()[bug.fault].stage in self.others and any(map(decisive, faults)):
            # A fault of the same kind stands in the place of this one.
            return "missing"
        return "run" if all(map(self._is_refuted, faults)) else "missing"

    def _is_refuted(self, fault: str) -> bool:
        """Whether a fault that is known by figures was looked for, and is not there."""
        return all(map(self.refutes, decisive(fault)))

    def refutes(self, signature: Signature | SilentSignature) -> bool:
        """Whether a figure that a signature needs was measured, and is another.

        What nobody could measure shows no fault either, and proves nothing.
        """
        figures = {n: value for n, value in self.record.figures.items() if math.isfinite(value)}
        return any(c.figure in figures and not c.holds(figures) for c in conditions_of(signature))


def judged(exercise: AssignedExercise, record: RunRecord, before: Iterable[str] = ()) -> Account:
    """Judge the record of a run of an exercise; one that makes no sense shows nothing.

    `before` are faults that trainings before the last have shown.
    """
    part = exercise.part
    try:
        record = broken_rules.with_ledger(record)
        attempt = judge_attempt(part, exercise.bugs, record, names_problems=False)
        found = shown(record, part.outcome)
        around = unhealthy(_as_set_up(record), part.outcome)
        if record.status == "finished" and 0 < classes(record) < part.outcome.labels:
            around = "fewer-labels"
    except NO_SENSE:
        return judged(exercise, UNREAD)
    shows = {match.fault.id for match in found if isinstance(match.signature, SilentSignature)}
    shows |= {fault for fault in before if part.bug_of(fault) is not None}
    if attempt.verdict.match is not None:
        shows.add(attempt.verdict.match.fault.id)
    set_up = around if around in SET_UP else None
    new = (e.fault for e in found if part.bug_of(e.fault.id) not in exercise.bugs)
    others = frozenset(each.stage for each in new if decisive(each.id))
    return Account(record, attempt, frozenset(shows), set_up, others, tuple(found))


def classes(record: RunRecord) -> int:
    """Count the labels that a training had: those of its data, or those that came by if fewer."""
    data = record.vitals.data if record.vitals is not None else None
    of_data = len(record.training.labels) if record.training is not None else 0
    met = data.classes if data is not None else None
    return of_data if met is None else min(met, of_data or met)


def _as_set_up(record: RunRecord) -> RunRecord:
    """Return a record as if nothing had come of its training but that it began."""
    return replace(
        record, status="stopped", raised=None, swallowed=(), figures={}, losses=(), ledger=None
    )


def decisive(fault: str) -> list[SilentSignature]:
    """Return the signatures by which a fault is known in a submission.

    Of those by rules it is the first: the others are of trainings of other kinds. Where the first
    is by figures, it is all of these.
    """
    silent = [s for s in catalogue()[fault].signatures if isinstance(s, SilentSignature)]
    known = [each for each in silent if conditions_of(each)]
    by_rules = bool(known) and bool(known[0].when)
    return known[:1] if by_rules else [each for each in known if not each.when]


def conditions_of(signature: Signature | SilentSignature) -> Conditions:
    """Return the conditions on figures by which a submission shows a fault, effect and cause.

    None if it is known otherwise, or by figures that are measured in scripts of no lesson only.
    """
    if not isinstance(signature, SilentSignature):
        return ()
    if signature.when:
        return (*(Condition(BROKEN + rule, above=0.5) for rule in signature.when), *signature.where)
    sides = (signature.effect, signature.cause)
    found = tuple(c for side in sides if isinstance(side, tuple) for c in side)
    return () if any(c.figure in of_own_scripts() for c in found) else found
