"""Looking around in a stopped script: run it to where it stops, and say what is worth a look."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from course.exercise import walk
from course.exercise.working_copy import Copy
from course.judge.attempt import Attempt, judge_attempt
from course.judge.cells import placed
from course.judge.verdict import should_stop
from course.lesson.lesson import HEALTHY, Look, Part, Step
from course.lesson.look_names import alone, fitting
from course.runs.conversation import Converse
from course.runs.process import Job, Listener, Run
from course.runs.record import RunRecord
from course.runs.run_context import RunContext
from course_probe.events import AskKind


class Stoppable(Protocol):
    """What can be run to where it stops, and looked into there."""

    @property
    def path(self) -> Path:
        """Return where its text lies."""

    def run(
        self,
        context: RunContext,
        converse: Converse,
        asks: tuple[AskKind, ...],
        listen: Listener | None = None,
    ) -> Run:
        """Run it to where it stops, and have what it asks answered."""

    def suggestions(self, record: RunRecord, *, online: bool) -> tuple[Look, ...]:
        """Return what is worth a look, after a run that has come to this."""


@dataclass(frozen=True)
class StoppableScript:
    """A script to look into: the text of a working copy, or of a step of the walk."""

    part: Part
    text: str
    path: Path
    copy: Copy | None = None
    step: Step | None = None

    @classmethod
    def of_copy(cls, copy: Copy) -> "StoppableScript":
        """Make the stoppable script of a learner's working copy, as it stands."""
        return cls(copy.part, copy.text, copy.path, copy=copy)

    @classmethod
    def of_step(cls, part: Part, step: Step, context: RunContext) -> "StoppableScript":
        """Make the stoppable script of a step of the walk."""
        return cls(part, walk.script(part, step, context.hub), part.path, step=step)

    def run(
        self,
        context: RunContext,
        converse: Converse,
        asks: tuple[AskKind, ...],
        listen: Listener | None = None,
    ) -> Run:
        """Run the script to where it stops, and have what it asks answered.

        Nothing of it is kept: it is no attempt at the exercise.
        """
        outcome = self.part.expects(online=context.online)
        job = Job(
            self.text,
            name=self.path.name,
            beside=self.path.parent if self.copy is not None else None,
            processes=self.step.processes if self.step is not None else 0,
            asks=asks,
        )
        # What only a GPU shows goes on without one; it can be looked into all the same.
        wanted = self.step.device if self.step is not None else None
        device = wanted if context.offers(wanted) else None
        done = context.run(
            job,
            listen,
            device,
            enough=lambda record: should_stop(record, outcome),
            converse=lambda ask: converse(replace(ask, record=self._placed(ask.record))),
        )
        return replace(done, record=self._placed(done.record))

    def _placed(self, record: RunRecord) -> RunRecord:
        """Of a notebook, with its cells in place of the script's lines."""
        script = self.copy.script if self.copy is not None else None
        return placed(record, script) if script is not None else record

    def suggestions(self, record: RunRecord, *, online: bool) -> tuple[Look, ...]:
        """Return the lesson's looks for the result of a run; none where it has none for that."""
        if self.step is not None:
            return tuple(alone(self.part.looks_at(self.step.id)))
        bugs = self.copy.bugs if self.copy is not None else ()
        found = suggested(self.part, judge_attempt(self.part, bugs, record, online=online))
        return fitting(alone(found), self.text)


def suggested(part: Part, attempt: Attempt) -> tuple[Look, ...]:
    """Return the lesson's looks for the result of a run of an exercise."""
    if attempt.healthy:
        return part.looks_at(HEALTHY)
    match = attempt.verdict.match
    return part.looks_at(match.fault.id) if match is not None else ()
