"""What a run was asked about a bug, what it showed, and what is right: the reason of its mark.

As for the questions to parts, these are names and numbers, so that they need no language: figures
(`optimizer.left_part = 0.9`), and the condition that they are held to. The numbers are the run's
own account, like all that is known of it.
"""

import math
from collections.abc import Collection, Iterator, Mapping

from course.grading.engine.run_evidence import (
    NO_SENSE,
    UNTAUGHT,
    Account,
    classes,
    conditions_of,
    decisive,
)
from course.grading.engine.text_evidence import TOLD
from course.grading.grade import How, Value
from course.judge.broken_rules import bounds_of
from course.judge.health import COMPLETE
from course.lesson.bug import Bug
from course.lesson.catalogue import catalogue
from course.lesson.signature import Signature, SilentSignature
from course.lesson.silent_signature import Condition
from course.runs.record import Raised, Training
from course.runs.vital_signs import VitalSigns

Reason = dict[str, Value]
FIGURES, TRAINING, SETUP = "figures", "training", "setup"
"""What may be asked of a run: a fault's own figures; whether it trains, and its metric; on what."""


def of_bug(bug: Bug, faults: Collection[str], run: Account, how: How) -> Reason:
    """Say what a run was asked about a bug that it does not show, and that shows as these faults.

    `how` it counts: the run got past it, was not told, goes round it, or ended before.
    """
    if run.around is not None and how in ("withheld", "not-reached"):
        return _of_setup(run)
    if how == "not-reached":
        return _of_training(run) if _steps(run) == 0 else _of_end(run)
    is_of_metric = catalogue()[bug.fault].stage == "evaluation"
    if is_of_metric and run.attempt.outcome.metric not in run.attempt.verdict.metrics:
        return _of_metric(run)
    if how == "missing" and run.is_untaught:
        return _of_outcome(run)
    if found := _of_figures(faults, run):
        return found
    return _of_metric(run) if is_of_metric else _of_training(run)


def of_exception(raised: Raised) -> Reason:
    """Say that a run was to come to its end, and what it raised."""
    return {"asked": TRAINING, "answered": f"{raised.name}: {raised.message}"[:TOLD]}


def _of_figures(faults: Collection[str], run: Account) -> Reason:
    """Say by which figures one of these faults is known; empty if none is known by figures.

    Of several ways in which they show, it is one that the run has not refuted, if there is any.
    """
    known = [signature for fault in sorted(faults) for signature in decisive(fault)]
    first = min(known, key=run.refutes, default=None)
    return of_signature(first, run.record.figures) if first is not None else {}


def of_signature(signature: Signature | SilentSignature, figures: Mapping[str, float]) -> Reason:
    """Say what a signature's figures are, and which they must not be; empty if it has none."""
    conditions = conditions_of(signature)
    if not conditions:
        return {}
    if isinstance(signature, SilentSignature) and signature.when:
        bounds = [each for rule in signature.when for each in bounds_of(rule).items()]
        known = [(name, f"{name} {compare} {limit:g}") for name, (compare, limit) in bounds]
    else:
        known = [(each.figure, rule) for each in conditions for rule in _rules(each)]
    names = dict.fromkeys(name for name, _rule in known)
    answered = ", ".join(_told(name, figures.get(name)) for name in names)
    expected = f"not ({' and '.join(rule for _name, rule in known)})"
    return {"asked": FIGURES, "answered": answered, "expected": expected}


def _of_training(run: Account) -> Reason:
    """Say whether a run has trained."""
    return {"asked": TRAINING, "answered": _told("steps", _steps(run)), "expected": "steps > 0"}


def _steps(run: Account) -> int:
    return run.record.training.steps if run.record.training is not None else 0


def _of_end(run: Account) -> Reason:
    """Say how a run has ended that has trained: at a limit, or with a problem of its training."""
    status = run.record.status
    ended = run.problem or status if status == "finished" else status
    return {"asked": TRAINING, "answered": f"status = {ended}", "expected": "status = finished"}


def _of_metric(run: Account) -> Reason:
    """Say what a run's evaluation has come to."""
    name = run.attempt.outcome.metric
    answered = _told(name, run.attempt.verdict.metrics.get(name))
    return {"asked": TRAINING, "answered": answered, "expected": f"0 <= {name} <= 1"}


def _of_outcome(run: Account) -> Reason:
    """Say how much better than the most frequent label a run's model is."""
    known = run.attempt.verdict.metrics
    name, baseline = run.attempt.outcome.metric, known["baseline"]
    expected = f"{name} > {baseline + UNTAUGHT:.4g}"
    return {"asked": TRAINING, "answered": _told(name, known.get(name)), "expected": expected}


def _of_setup(run: Account) -> Reason:
    """Say in what a run's training goes round a bug."""
    training, outcome = run.record.training or Training(), run.attempt.outcome
    signs = run.record.vitals or VitalSigns()
    name, value, rule = {
        "batch-of-one": ("batch_size", training.batch_size or signs.data.batch_size, "> 1"),
        "one-process": ("processes", signs.model.processes, f">= {outcome.processes}"),
        "fewer-labels": ("labels", classes(run.record), f">= {outcome.labels}"),
        "fewer-examples": (
            "examples",
            training.examples,
            f">= {math.ceil(COMPLETE * outcome.examples)}",
        ),
    }[str(run.around)]
    return {"asked": SETUP, "answered": _told(name, value), "expected": f"{name} {rule}"}


def _told(name: str, value: float | None) -> str:
    """Return a figure with its name; a dash for one that was not measured, or is no number."""
    try:
        is_known = value is not None and math.isfinite(value)
        return f"{name} = {value:.4g}" if is_known else f"{name} = –"
    except NO_SENSE:
        return f"{name} = –"


def _rules(condition: Condition) -> Iterator[str]:
    if condition.above is not None:
        yield f"{condition.figure} > {condition.above:g}"
    if condition.below is not None:
        yield f"{condition.figure} < {condition.below:g}"
