"""The examination of one submission by its text and by its run, and the grade that comes of it.

A lesson need not come with questions on its parts. What its submissions do is then seen as a
learner would see it: the script runs, from its beginning, on the lesson's own data.

The text comes first, since it is ours to read: the exercise with some of our own fixes is known
through and through, and where our fix stands the bug is gone. Where a student has other words, the
run decides; and so that a bug does not hide those behind it, the script then runs again with our
fix for what has ended it. That is the account of a process that nobody trusts: it is believed where
it speaks against the submission, and a mark that rests on it alone is told to the teacher.
"""

import math
from collections.abc import Iterator
from dataclasses import replace

from course.exercise import patch
from course.grading.engine import (
    adaptations,
    run_evidence,
    run_reason,
    static_checks,
    termination,
    text_evidence,
)
from course.grading.engine.run_evidence import Account, Hearing
from course.grading.engine.text_evidence import AssignedExercise
from course.grading.grade import BugGrade, Grade, GradeNote, Healthy, How, NewFault, Value
from course.grading.rubric import Rubric
from course.judge.attempt import DEVICES, moves_its_inputs
from course.judge.measures import evidence_of
from course.lesson.bug import Bug
from course.lesson.signature import SilentSignature
from course.runs.record import Raised
from course.runs.sandbox.bubblewrap import Done, JobLimits, Sandbox
from course.runs.vital_signs import VitalSigns

DEVICE = "cpu"
"""What there is in the box: of a bug that only shows elsewhere no run tells."""
SHORTEST = 1.0
"""Seconds that must be left for another run."""
UNTOLD: tuple[How, ...] = ("missing", "withheld", "not-reached")
"""What the runs say of a bug where they neither show it nor get past it, from the most to none."""
TELLING = {
    **{name: name for name in ("batch-of-one", "one-process", "fewer-labels", "fewer-examples")},
    **{name: name for name in ("no-metric", "no-training", "swallowed", "not-finite")},
    **{name: name for name in ("unreadable", "not-moved", "part-not-moved", "no-gain")},
    "other-model": "other-model",
    "not-measured": "not-measured",
    "other-labels": "other-labels",
    **dict.fromkeys(
        ("other-split", "other-texts", "other-evaluation", "evaluation-labels", "no-baseline"),
        "other-evaluation",
    ),
}
"""Problems of a run, and the notes that tell them; of others its faults tell, or its end."""


class RunTrial:
    """One submission: its text, and what its runs have told of it."""

    def __init__(self, exercise: AssignedExercise, rubric: Rubric, text: str) -> None:
        margin = exercise.part.outcome.margin if rubric.margin is None else rubric.margin
        outcome = replace(exercise.part.outcome, margin=margin)
        self.part = replace(exercise.part, outcome=outcome)
        self.exercise = replace(exercise, part=self.part)
        self.rubric = rubric
        self.text = text
        self.findings = static_checks.find(text)
        self.tampering = any(finding.withholds for finding in self.findings)
        still = None if self.tampering else text_evidence.still_in(text, self.part)
        self.is_plain = still is not None
        self._stands = {
            bug.fault: text_evidence.stands(text, bug) if still is None else bug in still
            for bug in self.part.known
        }
        self._faults = {
            bug.fault: frozenset(
                {bug.fault, *(s.fault for s in self.part.steps if s.fault and bug in s.bugs[:1])}
            )
            for bug in self.part.known
        }
        self._hidden = self.part.hidden(DEVICE)
        self._running = text
        """What the next run is of: our own fixes may have been made in it."""
        self.runs: list[tuple[Account, Hearing, Done]] = []
        self._moves = False
        """Whether the text of a run moves to a device what its model is given."""

    @property
    def faults(self) -> frozenset[str]:
        """The faults for which a run may be stopped: we can mend them, and have it run again.

        One that is there in a student's own words must not hide what the run would show later.
        """
        mendable = (bug for bug in self.part.known if text_evidence.stands(self._running, bug))
        return frozenset[str]().union(*(self._faults[bug.fault] for bug in mendable))

    def add(self, hearing: Hearing, done: Done) -> None:
        """Take in a run that is over: the first is of what was handed in."""
        account = run_evidence.judged(self.exercise, hearing.record(done), hearing.shown)
        self.runs.append((account, hearing, done))
        # Where a Trainer trains, which tells this figure, it moves the batches itself.
        by_trainer = "steps_before" in account.record.figures
        self._moves |= by_trainer or bool(moves_its_inputs(account.record, self._running))

    def repaired(self) -> str | None:
        """Return the text with our fix for the last run's fault, if there is more to be seen.

        What a student has mended in other words is not to wait for all that bites before it. None
        where nothing is open, or where it was no bug of ours that ended the run.
        """
        run, _hearing, done = self.runs[-1]
        if self.is_plain or self.tampering or done.limit_hit or done.unconfined:
            return None
        if not any(map(self._is_open, self.exercise.bugs)):
            return None
        biting = [bug for bug in self.part.known if run.bites(self._faults[bug.fault])]
        text = self._running
        for bug in biting:
            if not text_evidence.stands(text, bug):
                return None
            text = patch.take_out(text, bug)
        self._running = text
        return text if biting else None

    def _is_open(self, bug: Bug) -> bool:
        """Whether a bug may be gone or not: its lines may stand, and be mended elsewhere."""
        return bug not in self._hidden and self._judged(bug)[0] in ("stands", *UNTOLD)

    @property
    def seconds_left(self) -> float:
        """What is left of the processor's time that a submission may take, as its runs tell it.

        A run that met a limit is the last one, and there are no more of them than bugs.
        """
        return self.rubric.limits.cpu - sum(h.training_seconds for _run, h, _done in self.runs)

    def bugs(self) -> Iterator[BugGrade]:
        """Whether each bug that the student drew is gone."""
        for bug in self.exercise.bugs:
            how, reason = self._judged(bug)
            gone, of = how in ("text", "run"), self.rubric.of(bug.fault)
            yield BugGrade(bug.fault, gone, how, of if gone else 0.0, of, reason)

    def _judged(self, bug: Bug) -> tuple[How, dict[str, Value]]:
        """Judge whether a bug is gone, as the text and the runs have it, and say why.

        The reason is what a student can check.
        """
        stands, faults = self._stands[bug.fault], self._faults[bug.fault]
        if self.is_plain and not stands:
            return "text", {}
        for run, *_ in self.runs:
            how = run.bites(faults)
            if how == "wrong-answer":
                return how, self._shown(faults)
            if how == "raised":
                raised = run.attempt.verdict.raised
                assert raised is not None
                told = text_evidence.error(self.text, raised)
                return how, {**run_reason.of_exception(raised), **told}
        is_hidden = bug in self._hidden
        # What the runs say of it, with the first that says so.
        said: dict[How, Account] = {}
        if not (self.is_plain or is_hidden):
            said = {run.says(bug, faults): run for run, *_ in reversed(self.runs)}
        asked: How
        if stands is False:
            how = asked = "not-reached" if self._never_ran(bug) else "text"
        elif "run" in said or (is_hidden and bug.fault == DEVICES and self._moves):
            how = asked = "withheld" if self.tampering else "run"
        else:
            asked = next((each for each in UNTOLD if each in said), "not-reached")
            how = "stands" if stands else asked
        if how == "withheld" and self.tampering:
            return how, text_evidence.withheld_for(self.text, self.findings)
        reason: dict[str, Value] = {}
        if asked in said:
            reason = run_reason.of_bug(bug, faults, said[asked], asked)
        if how in ("not-reached", "stands") and self._raised:
            reason |= text_evidence.error(self.text, self._raised[0])
        return how, reason

    def _shown(self, faults: frozenset[str]) -> dict[str, Value]:
        """Return a run's evidence of a silent fault: one of its signatures, with its figures."""
        for run, *_ in self.runs:
            for match in run.matches:
                if match.fault.id in faults and isinstance(match.signature, SilentSignature):
                    figures = evidence_of([match], run.record, self.part.outcome.curve)
                    named = {f"figure:{n}": v for n, v in figures.items() if math.isfinite(v)}
                    place = list(match.fault.signatures).index(match.signature)
                    asked = run_reason.of_signature(match.signature, run.record.figures)
                    return {"shows": match.fault.id, "signature": place, **asked, **named}
        return {}

    def _never_ran(self, bug: Bug) -> bool:
        """Whether our own fix stands in the text, and where nothing has run."""
        first, hearing, _done = self.runs[0]
        return text_evidence.never_ran(self.text, bug, hearing.left_at(first.record))

    def healthy(self, bugs: tuple[BugGrade, ...]) -> Healthy:
        """Judge the outcome by the evaluation of the text as it is; the bugs must be out first."""
        run, of = self.runs[0][0], self.rubric.healthy
        hidden = {bug.fault for bug in self._hidden}
        stands = self._stands
        out = all(b.gone or (b.fault in hidden and stands[b.fault] is None) for b in bugs)
        if self.is_plain:
            out = not any(stands.values())
        figures, outcome = run.attempt.verdict.metrics, self.part.outcome
        names = (outcome.metric, "baseline", "eval_examples")
        accuracy, baseline, examples = (figures.get(name, math.nan) for name in names)
        sensible = 0 <= accuracy <= 1 and 0 <= baseline <= 1 and examples < math.inf
        wanted = Healthy(False, 0.0, of, margin=outcome.margin)
        if self.tampering or not run.came_through or not sensible:
            return replace(wanted, why=self._unreached(run, out=out))
        # With a rate of zero, whatever taught the model was not the training.
        reached = out and run.attempt.healthy and not (_is_idle(run) or _is_set(run))
        match = run.attempt.verdict.match
        why = "bugs-left" if not out else "other-fault" if match else "problem"
        return replace(
            wanted,
            why=None if reached else why,
            fault=match.fault.id if match else None,
            reached=reached,
            points=of if reached else 0.0,
            accuracy=round(accuracy, 4),
            baseline=round(baseline, 4),
            examples=int(examples),
        )

    def _unreached(self, run: Account, *, out: bool) -> str:
        """Why there is no outcome, though a training may have been made."""
        training = run.record.training
        if not run.record.losses and (training is None or not training.steps):
            return "not-tried"
        if self.tampering:
            return "tampering"
        if run.record.raised is not None:
            return "ended"
        return "bugs-left" if not out else "not-shown"

    def new_faults(self) -> Iterator[NewFault]:
        """Yield the faults that were not in the exercise.

        What goes wrong in a later run may well come of our own fixes beside a student's.
        """
        run = self.runs[0][0]
        verdict = run.attempt.verdict
        matched = verdict.match.fault.id if verdict.match else None
        found: list[str | None] = [
            fault
            for fault in sorted(run.shows)
            if self.part.bug_of(fault) not in self.exercise.bugs
        ]
        if matched is None and verdict.raised and verdict.problem != "several":
            found.append(None)
        for fault in found:
            raised = verdict.raised if fault == matched else None
            told = text_evidence.error(self.text, raised) if raised is not None else {}
            yield NewFault(fault, **told)

    def notes(self, bugs: tuple[BugGrade, ...], healthy: Healthy) -> Iterator[GradeNote]:
        """Yield the other notes worth knowing, for the student and for the teacher."""
        run, hearing, done = self.runs[0]
        names = [TELLING[name] for name in (run.problem, run.around) if name in TELLING]
        if _is_idle(run):
            names.append("zero-rate")
        if _is_set(run):
            names.append("taught-elsewhere")
        for name in dict.fromkeys(names):
            yield GradeNote(name, self._figures(name, run))
        if healthy.accuracy is not None and not healthy.reached and healthy.why != "bugs-left":
            figures = {"accuracy": healthy.accuracy, "baseline": healthy.baseline or 0.0}
            yield GradeNote("own-evaluation", figures)
        yield from self._on_whose_word(bugs, healthy)
        yield from text_evidence.on_text(self.text, self.findings)
        yield from adaptations.notes(self.text, hearing.adapted)
        limits = self.rubric.limits
        yield from termination.notes(self.text, self._raised, done, limits, ended=hearing.ended)
        yield from text_evidence.other_header(self.text, self.exercise)

    @property
    def _raised(self) -> list[Raised]:
        """The exception that ended the run of the text as it is, if one did."""
        raised = self.runs[0][0].record.raised
        return [raised] if raised is not None else []

    def _on_whose_word(self, bugs: tuple[BugGrade, ...], healthy: Healthy) -> Iterator[GradeNote]:
        """For the teacher: what rests on the word of the process, and what nobody could tell."""
        if self.is_plain:
            return
        hidden = {bug.fault for bug in self._hidden}
        by_run = [bug.fault for bug in bugs if bug.how == "run"]
        if by_run:
            yield GradeNote("own-account", {"faults": ", ".join(by_run)})
        if healthy.reached:
            yield GradeNote("own-account-healthy")
            yield from self._signs()
        if not self.tampering and termination.no_python(self._raised) is None:
            behind = {fault for run, *_ in self.runs for fault in run.attempt.behind or ()}
            untold = [
                bug.fault
                for bug in bugs
                if bug.how in UNTOLD or (bug.how == "stands" and bug.fault in behind)
            ]
            if left := [fault for fault in untold if fault not in hidden]:
                yield GradeNote("undecided", {"faults": ", ".join(left)})
        still = [bug.fault for bug in bugs if not bug.gone]
        # While there is more to mend it may as well not be mended yet.
        if set(still) <= hidden:
            yield from (GradeNote("hidden", {"fault": fault}) for fault in still)

    def _signs(self) -> Iterator[GradeNote]:
        """Yield the vital signs behind the results that rest on the word of the process."""
        vitals = self.runs[0][0].record.vitals or VitalSigns()
        model, found = vitals.model, vitals.outcome
        figures = {
            "moved": model.moved,
            "learning": model.learning,
            "accuracy": found.accuracy_after,
            "before": found.accuracy_before,
            "examples": found.compared,
        }
        known = {name: value for name, value in figures.items() if value is not None}
        if len(known) == len(figures):
            yield GradeNote("vital-signs", known)

    def _figures(self, name: str, run: Account) -> dict[str, Value]:
        """Return the figures of the sentence on a problem."""
        training, outcome = run.record.training, self.part.outcome
        if name == "fewer-labels" and training is not None:
            return {"found": run_evidence.classes(run.record), "labels": outcome.labels}
        if name == "fewer-examples" and training is not None:
            return {"found": max(0, training.examples or 0), "examples": outcome.examples}
        if name == "one-process":
            return {"processes": outcome.processes}
        if name == "not-finite":
            return {"step": int(run.attempt.verdict.metrics["nan_step"])}
        return {}

    def grade(self, student: str) -> Grade:
        """Grade a submission whose runs are over."""
        bugs = tuple(self.bugs())
        healthy = self.healthy(bugs)
        healthy = adaptations.cost(healthy, self.rubric, self.runs[0][1].adapted)
        failed = next((done for *_, done in self.runs if done.unconfined), self.runs[0][2])
        seconds = sum(done.seconds for *_, done in self.runs)
        trained = sum(hearing.training_seconds for _run, hearing, _done in self.runs)
        return Grade(
            student=student,
            lesson=self.part.lesson,
            framework=self.part.framework,
            status=termination.status(failed),
            bugs=bugs,
            healthy=healthy,
            new_faults=tuple(self.new_faults()),
            notes=(*self.notes(bugs, healthy), *termination.failure(failed)),
            seconds=round(seconds, 3),
            training_seconds=round(min(trained, seconds), 3),
        )


def _is_idle(run: Account) -> bool:
    """Whether a training has made all its steps at a learning rate of zero.

    The rate that a loop begins with is that of its first step, and a warm-up begins at zero.
    """
    training, highest = run.record.training, run.attempt.verdict.vitals.rate.highest
    rate = highest if highest is not None or training is None else training.learning_rate
    return training is not None and bool(training.steps) and rate == 0


def _is_set(run: Account) -> bool:
    """Whether something else than a step gave the model weights while it was trained."""
    return run.record.figures.get("weights_set", 0.0) > 0


def examine(
    box: Sandbox, exercise: AssignedExercise, text: str, rubric: Rubric, student: str
) -> Grade:
    """Examine one submission in the box.

    Raises:
        ProcessLost: the box itself was lost.
        UserError: the box cannot be started.

    """
    trial = RunTrial(exercise, rubric, text)
    adapts = adaptations.of(exercise.part)

    def run(text: str, limits: JobLimits) -> None:
        hearing = Hearing(trial.part.outcome, trial.faults)
        script, name = text.encode("utf-8"), exercise.script_name
        done = box.run(script, name, limits, hearing.heard, examined=False, adapts=adapts)
        trial.add(hearing, done)

    run(text, rubric.limits)
    while (mended := trial.repaired()) is not None and trial.seconds_left >= SHORTEST:
        run(mended, replace(rubric.limits, cpu=trial.seconds_left))
    return trial.grade(student)
