"""The figures of a run: what its script tells, what we count, what gives a fault away."""

import math
from collections.abc import Iterable

from course.judge import broken_rules, named_figure
from course.lesson.catalogue import Match
from course.lesson.lesson import Outcome
from course.lesson.loss_curve import LossCurve
from course.lesson.signature import SilentSignature
from course.runs.record import Evaluation, RunRecord, Training
from course.runs.vital_signs import DataSigns, VitalSigns

SAME = 0.005
"""How far a script's figure may be from ours and still be the same one, rounded."""
LASTING = 5
"""Points of the loss in a row that are no numbers: one alone may come from a single odd batch."""
BESIDE = frozenset({"accuracy", "f1", "precision", "recall", "matthews_correlation", "roc_auc"})
"""Metrics of a classification."""
WHOLE = 0.9
"""The share of the validation set that an evaluation must be on."""


def metrics(record: RunRecord, outcome: Outcome) -> dict[str, float]:
    """Return the figures of a run that trained: metric, majority baseline, and its effort."""
    training, last = record.training or Training(), record.last_evaluation
    # What it was set up with is known even if it was stopped before its end.
    known = {
        "nan_step": nan_step(record, LASTING),
        "train_steps": None if training.seconds is None else training.steps,
        "train_seconds": training.seconds,
        "train_examples": training.examples,
        "batch_size": training.batch_size,
        "train_labels": len(training.labels) or None,
    }
    figures: dict[str, float] = {name: n for name, n in known.items() if n is not None}
    found = (record.vitals or VitalSigns()).outcome
    ours = found.accuracy if outcome.metric == "accuracy" else found.f1
    if last is not None:
        # Under another name than the metric's a figure must be as we count.
        true = [math.nan if ours is None else ours]
        figure = named_figure.find([last.values], outcome.metric, true, SAME)
        said = figure.of(last.values) if figure is not None else None
        if said is not None:
            figures[outcome.metric] = said
            # Where the labels come with the batches only, those that came are counted.
            baseline = found.baseline if last.baseline is None else last.baseline
            if baseline is not None:
                figures |= {"baseline": baseline, "margin": said - baseline}
            figures["eval_examples"] = last.examples
        if "eval_f1" in last.values and last.f1_baseline is not None:
            figures |= {"f1": last.values["eval_f1"], "f1_baseline": last.f1_baseline}
    # Of several processes only one is heard, and the script's figures are of all.
    if not is_alone(record):
        return figures
    if last is not None and found.rows == figures.get("eval_examples"):
        names = figures.keys() & {"accuracy", "baseline", "margin", "f1", "f1_baseline"}
        counted = {name: getattr(found, name) for name in names}
        figures |= {name: n for name, n in counted.items() if n is not None}
    is_told = last is not None and not _is_beside(last, outcome) and not is_given_in_pieces(record)
    if not is_told and ours is not None and found.baseline is not None and found.rows is not None:
        # An evaluation by hand, of which no metric of a library has told.
        figures |= {outcome.metric: ours, "baseline": found.baseline, "eval_examples": found.rows}
        figures["margin"] = ours - found.baseline
    return figures


def _is_beside(last: Evaluation, outcome: Outcome) -> bool:
    """Whether all that a library's metrics have told is beside the figure that counts.

    A script may count that one by hand; a Trainer's loss is no sign that it does.
    """
    names = {name.removeprefix(named_figure.PREFIX) for name in last.values}
    return bool(names) and names <= BESIDE - {outcome.metric}


def evidence_of(
    found: Iterable[Match], record: RunRecord, curve: LossCurve | None = None
) -> dict[str, float]:
    """Return the figures that give a silent fault away; none for a fault that raises."""
    training = record.training
    silent = [m.signature for m in found if isinstance(m.signature, SilentSignature)]
    names = frozenset[str]().union(*(signature.figures for signature in silent))
    names |= {name for s in silent for rule in s.when for name in broken_rules.bounds_of(rule)}
    if names:
        return {name: record.figures[name] for name in sorted(names & record.figures.keys())}
    if training is None or not silent:
        return {}
    no_number = (step for step, loss in record.losses if not math.isfinite(loss))
    known = {
        "learning_rate": training.learning_rate,
        "num_labels": training.num_labels,
        "train_labels": len(training.labels) or None,
        "nan_step": nan_step(record, 1) or next(no_number, None),
    }
    figures = {name: value for name, value in known.items() if value is not None}
    above = curve and curve.above(record.losses, training.batch_size)
    if above:
        figures["judged_step"], figures["loss"], figures["healthy_loss"] = above
    return figures


def lesson_figures(record: RunRecord, outcome: Outcome) -> dict[str, float]:
    """How a run differs from what its lesson expects, as far as that was measured.

    Of the `lesson.examples` it trained on `lesson.train_examples` (`lesson.examples_share`), of the
    `lesson.to_evaluate` it evaluated `lesson.evaluated` (`lesson.evaluated_share`). Of the
    `lesson.labels`, `lesson.labels_missing` did not come by in the training, and
    `lesson.labels_not_evaluated` not in the evaluation. The training took `lesson.steps`, of
    batches of `lesson.batch_size`. `lesson.margin_short` is what the accuracy lacks to the lesson's
    margin above the baseline.
    """
    training, vitals = record.training or Training(), record.vitals or VitalSigns()
    data, found = vitals.data, vitals.outcome
    last = record.last_evaluation or Evaluation(0, {}, 0, {})
    margin = found.margin if found.margin is not None else metrics(record, outcome).get("margin")
    # Of several processes only one is heard, and what was stopped had yet to see the rest.
    is_whole = record.status == "finished" and is_alone(record)
    heard = (count_told_apart(data), data.classes) if is_whole else (None, None)
    seen = _least(training.examples, heard[0])
    in_pieces = is_given_in_pieces(record)
    evaluated = _least(None if in_pieces else last.examples or None, found.rows)
    classes = _least(len(training.labels) or None, heard[1])
    scored = _least(len(last.labels) or None, found.classes)
    figures = {
        "examples": outcome.examples,
        "train_examples": seen,
        "examples_share": None if seen is None else seen / outcome.examples,
        "to_evaluate": outcome.eval_examples,
        "evaluated": evaluated,
        "evaluated_share": None if evaluated is None else evaluated / outcome.eval_examples,
        "labels": outcome.labels,
        "labels_missing": None if classes is None else outcome.labels - classes,
        "labels_not_evaluated": None if scored is None else outcome.labels - scored,
        "steps": training.steps or None,
        "batch_size": training.batch_size,
        "margin_short": None if margin is None else outcome.margin - margin,
    }
    return {f"lesson.{name}": float(n) for name, n in figures.items() if n is not None}


def count_told_apart(data: DataSigns) -> int | None:
    """How many examples came by in a training; None where some can't be told from each other.

    They are known by what is read of them: where a text of each is left out, others look the same.
    """
    texts, read = data.text_columns, data.texts_in_ids
    is_all = texts is None or read is None or read >= texts
    return data.examples if is_all else None


def is_given_in_pieces(record: RunRecord) -> bool:
    """Whether a metric got the rows of an evaluation in several calls: each tells of its own."""
    found = (record.vitals or VitalSigns()).outcome
    given, rows = found.given or 0, found.rows or 0
    return 0 < given < rows <= given * (found.given_times or 0) / WHOLE


def _least(*counts: int | None) -> int | None:
    """Return the least of the counts that are known."""
    return min((n for n in counts if n is not None), default=None)


def nan_step(record: RunRecord, lasting: int) -> int | None:
    """Return the step from which the loss is no number, if it is so for `lasting` points."""
    first: int | None = None
    points = 0
    for step, loss in record.losses:
        finite = math.isfinite(loss)
        points = 0 if finite else points + 1
        first = None if finite else first or step
    return first if points >= lasting else None


def is_alone(record: RunRecord) -> bool:
    """Whether one process has trained all by itself."""
    return all(record.figures.get(name, 1.0) <= 1 for name in ("processes", "model.processes"))


def is_whole(rows: float, outcome: Outcome) -> bool:
    """Whether an evaluation of so many rows is on the whole validation set."""
    return WHOLE <= rows / outcome.eval_examples <= 1 / WHOLE
