"""Verdicts: what a run record shows, held against what a step expects."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from course.i18n import N_, _, numbers
from course.lesson.catalogue import Match, matches
from course.lesson.lesson import Outcome, Step
from course.lesson.signature import Signature, SilentSignature
from course.run.record import Raised, RunRecord, Training

Evidence = Literal["live", "recorded", "quoted"]

PROBLEMS = {
    "time-limit": N_("The run was stopped when its time was up."),
    "interrupted": N_("The run was stopped."),
    "output-limit": N_("The run was stopped because it printed without end."),
    "died": N_("The process ended before the script did, without an exception."),
    "unreadable": N_("The record of the run is damaged and cannot be read."),
    "unknown": N_("The script failed in a way that the catalogue does not know."),
    "other-fault": N_("Another fault showed than the one this step is about."),
    "several": N_("More than one fault of the catalogue fits this run."),
    "no-failure": N_("The script ran to its end, though a bug is still in it."),
    "no-training": N_("The script ended without training to the last step."),
    "swallowed": N_(
        "The script catches this error and goes on, so the fault still bites; it only says "
        "nothing any more."
    ),
    "batch-of-one": N_(
        "A batch holds one example, so there is nothing to pad: that hides the missing padding "
        "and makes the training slow and noisy."
    ),
    "fewer-labels": N_(
        "Only {train_labels} of the {labels} labels are in the training data: what a model never "
        "sees it cannot learn."
    ),
    "fewer-examples": N_(
        "The training saw {train_examples} of the {examples} examples: a bug that only the others "
        "show would go unnoticed."
    ),
    "other-evaluation": N_(
        "The evaluation is to be on the {examples} examples of the validation set, and was on "
        "{found}."
    ),
    "evaluation-labels": N_(
        "Not all of the {labels} labels are in the examples of the evaluation."
    ),
    "not-finite": N_(
        "The loss is no number any more from step {nan_step} on: something in the model's input, "
        "loss or learning rate makes it overflow."
    ),
    "stopped": N_("The training was stopped before its end."),
    "no-metric": N_("The script ended without computing the metric `{metric}`."),
    "no-baseline": N_("The labels of the evaluation set are unknown, so there is no baseline."),
    "below-baseline": N_("The model does not beat the baseline by at least {margin}."),
}
"""Why a step did not go as expected, or a working copy is not healthy."""


LASTING = 5
"""Points of the loss in a row that are no numbers: one alone may come from a single odd batch."""
COMPLETE = 0.9
"""The share of the examples that a run must have seen: some may rightly be cleaned out."""


@dataclass(frozen=True)
class Verdict:
    """What was expected, what was observed, and whether they agree.

    `match` is the fault that the record shows, None for a healthy or an unknown run; `problem`
    is a key of `PROBLEMS`, None when all is as expected.
    """

    step: str
    expected: str
    match: Match | None
    raised: Raised | None
    matched: bool
    problem: str | None
    evidence: Evidence
    seconds: float
    metrics: Mapping[str, float] = field(default_factory=dict)


def judge(step: Step, outcome: Outcome, record: RunRecord, evidence: Evidence = "live") -> Verdict:
    """Judge the record of one run against the step it was made for."""
    found = in_order(matches(record, outcome.curve), [bug.fault for bug in step.bugs])
    problem = (
        unhealthy(record, outcome) if step.fault is None else _unexpected(record, found, step.fault)
    )
    return Verdict(
        step=step.id,
        expected=step.fault or step.id,
        match=found[0] if found else None,
        raised=record.raised,
        matched=problem is None,
        problem=problem,
        evidence=evidence,
        seconds=record.seconds,
        metrics=metrics(record, outcome) | evidence_of(found, record, outcome),
    )


def quoted(signature: Signature) -> RunRecord:
    """The record of a run that only its words are known of, as the course prints them."""
    exception = Raised(signature.exception, (signature.exception,), signature.example)
    hub = signature.hub or "online"
    return RunRecord(status="exception", device=signature.device, raised=exception, hub=hub)


def in_order(found: list[Match], faults: Sequence[str]) -> list[Match]:
    """Of silent faults that show at once, the one that comes first among these; else all found.

    Two of them can be in a script side by side and each do its harm; nothing is raised that would
    let only one be seen.
    """
    ids = [match.fault.id for match in found]
    if len(found) < 2 or not set(ids) <= set(faults) or not all(map(_is_silent, found)):
        return found
    return [min(found, key=lambda match: faults.index(match.fault.id))]


def _is_silent(match: Match) -> bool:
    return isinstance(match.signature, SilentSignature)


def should_stop(record: RunRecord, outcome: Outcome) -> bool:
    """Whether a run under way tells all there is to tell, so that the training can be stopped.

    What ends a run by itself needs no stopping; this is about what would go on in vain.
    """
    return (
        any(map(_is_silent, matches(record, outcome.curve)))
        or _ill_set_up(record.training, outcome) is not None
        or _nan_step(record, LASTING) is not None
    )


def evidence_of(found: list[Match], record: RunRecord, outcome: Outcome) -> dict[str, float]:
    """The figures that give a silent fault away; none for a fault that raises."""
    training = record.training
    silent = [m.signature for m in found if isinstance(m.signature, SilentSignature)]
    names = frozenset[str]().union(*(signature.figures for signature in silent))
    if names:
        return {name: record.figures[name] for name in sorted(names & record.figures.keys())}
    if training is None or not silent:
        return {}
    known = {
        "learning_rate": training.learning_rate,
        "num_labels": training.num_labels,
        "train_labels": len(training.labels) or None,
        "nan_step": _nan_step(record, 1),
    }
    figures = {name: value for name, value in known.items() if value is not None}
    above = outcome.curve and outcome.curve.above(record.losses, training.batch_size)
    if above:
        figures["judged_step"], figures["loss"], figures["healthy_loss"] = above
    return figures


def metrics(record: RunRecord, outcome: Outcome) -> dict[str, float]:
    """The figures of a run that trained: metric, majority baseline, and what it took."""
    figures: dict[str, float] = {}
    training = record.training
    nan_step = _nan_step(record, LASTING)
    if nan_step is not None:
        figures["nan_step"] = nan_step
    if training is not None and training.seconds is not None:
        figures |= {"train_steps": training.steps, "train_seconds": training.seconds}
        if training.examples is not None:
            figures["train_examples"] = training.examples
        if training.batch_size is not None:
            figures["batch_size"] = training.batch_size
        if training.labels:
            figures["train_labels"] = len(training.labels)
    if record.evaluations:
        last = record.evaluations[-1]
        if f"eval_{outcome.metric}" in last.values:
            figures[outcome.metric] = last.values[f"eval_{outcome.metric}"]
            if last.baseline is not None:
                figures["baseline"] = last.baseline
                figures["margin"] = figures[outcome.metric] - last.baseline
            figures["eval_examples"] = last.examples
        if "eval_f1" in last.values and last.f1_baseline is not None:
            figures["f1"], figures["f1_baseline"] = last.values["eval_f1"], last.f1_baseline
    return figures


def _unexpected(record: RunRecord, found: list[Match], fault: str) -> str | None:
    """Why a record doesn't show just the fault that was expected."""
    if record.status not in ("exception", "finished", "stopped"):
        return record.status
    if len(found) > 1:
        return "several"
    if found:
        return None if found[0].fault.id == fault else "other-fault"
    return "unknown" if record.status == "exception" else "no-failure"


def describe_problem(verdict: Verdict, outcome: Outcome) -> str:
    """The verdict's problem in words, with its figures; empty where there is none."""
    if verdict.problem is None:
        return ""
    evaluation = verdict.problem == "other-evaluation"
    figures = {"train_examples": 0, "train_labels": 0, "nan_step": 0, **verdict.metrics}
    return _(PROBLEMS[verdict.problem]).format(
        metric=outcome.metric,
        margin=numbers.significant(outcome.margin),
        labels=outcome.labels,
        examples=outcome.eval_examples if evaluation else outcome.examples,
        found=figures.get("eval_examples", 0),
        train_examples=figures["train_examples"],
        train_labels=figures["train_labels"],
        nan_step=figures["nan_step"],
    )


def unhealthy(record: RunRecord, outcome: Outcome) -> str | None:
    """Why a record isn't that of a run that really trained, evaluated and beat the baseline."""
    if record.status not in ("exception", "finished", "stopped"):
        return record.status
    if matches(record, outcome.curve):
        return "other-fault"
    if record.status == "exception":
        return "unknown"
    training = record.training
    ended = training is not None and training.steps and training.max_steps in (None, training.steps)
    if record.status == "finished" and not ended:
        return "swallowed" if record.swallowed else "no-training"
    ill = _ill_set_up(training, outcome)
    if ill is not None:
        return ill
    if _nan_step(record, LASTING) is not None:
        return "not-finite"
    return "stopped" if record.status == "stopped" else _ill_measured(record, outcome)


def _ill_set_up(training: Training | None, outcome: Outcome) -> str | None:
    """Why a training goes round a bug: what is known of it before its first step."""
    if training is None:
        return None
    if training.batch_size == 1:
        return "batch-of-one"
    if training.labels and len(training.labels) < outcome.labels:
        return "fewer-labels"
    if training.examples is not None and training.examples < COMPLETE * outcome.examples:
        return "fewer-examples"
    return None


def _nan_step(record: RunRecord, lasting: int) -> int | None:
    """The step from which on the loss is no number, if it has been so for `lasting` points."""
    first: int | None = None
    points = 0
    for step, loss in record.losses:
        finite = math.isfinite(loss)
        points = 0 if finite else points + 1
        first = None if finite else first or step
    return first if points >= lasting else None


def _ill_measured(record: RunRecord, outcome: Outcome) -> str | None:
    """Why the evaluation of a run that trained doesn't show that the model has learned."""
    figures = metrics(record, outcome)
    if outcome.metric not in figures:
        return "swallowed" if record.swallowed else "no-metric"
    last = record.evaluations[-1]
    if not COMPLETE <= last.examples / outcome.eval_examples <= 1 / COMPLETE:
        return "other-evaluation"
    if "baseline" not in figures:
        return "no-baseline"
    if len(last.labels) < outcome.labels:
        return "evaluation-labels"
    return None if figures["margin"] >= outcome.margin else "below-baseline"
