"""Verdicts: what a run record shows, held against what a step expects."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

from course.base.i18n import N_, _, enumerate_words, numbers, titled
from course.judge import invariants, named_figure
from course.judge.named_figure import NamedFigure
from course.lesson.catalogue import Fault, Match, matches
from course.lesson.lesson import Outcome, Step
from course.lesson.signature import BROKEN, Signature, SilentSignature
from course.runs.record import Evaluation, Raised, RunRecord, Training
from course.runs.vital_signs import DataSigns, OutcomeSigns, VitalSigns

Evidence = Literal["live", "recorded", "quoted"]
NO_FIGURES: Mapping[str, float] = MappingProxyType({})
SAME = 0.005
"""How far a script's figure may be from ours and still be the same one, rounded."""

PROBLEMS = {
    "time-limit": N_("The run was stopped when its time was up."),
    "interrupted": N_("The run was stopped."),
    "output-limit": N_("The run was stopped because it printed without end."),
    "died": N_("The process ended before the script did, without an exception."),
    "unreadable": N_("The record of the run is damaged and cannot be read."),
    "unknown": N_("The script failed in a way that the catalogue does not know."),
    "breakpoint": N_(
        "Line {line} calls `breakpoint()`, which needs a terminal: `course look` opens the script "
        "there, with a debugger. Take the line out to let the script run on."
    ),
    "input": N_(
        "Line {line} waits for `input()`, and there is no one to answer: use `course run` on a "
        "terminal, or write the value into the script."
    ),
    "other-fault": N_("Another fault showed than the one this step is about."),
    "several": N_(
        "More than one fault of the catalogue fits this run: {candidates}. `course explain` with "
        "one of these names explains it and says where to look."
    ),
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
        "From step {nan_step} on, the loss is not a number: something in the model's input, loss "
        "or learning rate makes it overflow."
    ),
    "stopped": N_("The training was stopped before its end."),
    "no-metric": N_("The script ended without computing the metric `{metric}`."),
    "no-baseline": N_("The labels of the evaluation set are unknown, so there is no baseline."),
    "below-baseline": N_(
        "The model has not learned enough: its answers are right for {right} of the examples. "
        "The most frequent label alone is right for {guessed}. The model must be better than that "
        "by at least {margin} percentage points."
    ),
    "not-moved": N_(
        "None of the model's weights has changed: after the training each is the same as before."
    ),
    "part-not-moved": N_(
        "A part of the model has not learned, its weights are as before: {parts}."
    ),
    "other-model": N_("The model that was evaluated is not the one that was trained."),
    "other-split": N_(
        "The training is to be on the split {train} and the evaluation on {evaluation}; they were "
        "on {trained} and {evaluated}."
    ),
    "no-gain": N_(
        "The model is not better than before its training: of {compared} examples it has {after} "
        "right, and had {before} before."
    ),
    "not-measured": N_(
        "Whether the model has learned is not known: {unmeasured} could not be measured."
    ),
}
"""Why a step did not go as expected, or a working copy is not healthy."""


UNANSWERED = frozenset({"breakpoint", "input"})
"""Problems of a script that asks where nobody answers: no faults, whatever exception they end in.
"""
LASTING = 5
"""Points of the loss in a row that are no numbers: one alone may come from a single odd batch."""
LEARNED = 0.1
"""By how much the loss on unseen examples must fall, in nats, where the answers alone can't show
that something was learned: a new head may have them right by chance, but never surely."""
TRAIN = "train"
"""The split that lessons train on."""
UNMEASURED = {
    "moved": N_("whether its weights have changed"),
    "answers": N_("its answers on the validation data"),
    "before": N_("what it answered before its training"),
}
"""What a healthy run needs and what may not have been measured."""
BESIDE = frozenset({"accuracy", "f1", "precision", "recall", "matthews_correlation", "roc_auc"})
"""Metrics of a classification."""
FEWER = frozenset({"fewer-examples", "fewer-labels", "other-evaluation", "evaluation-labels"})
"""Problems whose sentences say what the fault behind them shows, where one is named."""
NAMED = FEWER | {"below-baseline", "no-gain", "not-measured"}
"""Problems that a fault may stand behind which is known beside the lesson only: see
`lesson_figures`."""
COMPLETE = 0.7
"""The share of the examples that a training must see: some may rightly be cleaned out, or be kept
from it to evaluate on."""
WHOLE = 0.9
"""The share of the validation set that an evaluation must be on."""


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
    vitals: VitalSigns = field(default_factory=VitalSigns)
    candidates: tuple[Fault, ...] = ()
    """The faults that fit where more than one does."""
    of_earlier: bool = False
    """Whether it is a training before the last one that is ill."""


def shown(record: RunRecord, outcome: Outcome) -> list[Match]:
    """Return the faults that a record shows, except those that its lesson tolerates."""
    found = matches(invariants.with_ledger(record), outcome.curve)
    kept = [match for match in found if match.fault.id not in outcome.tolerates]
    return [replace(match, told=_told(match.signature, record)) for match in kept]


def _told(signature: Signature | SilentSignature, record: RunRecord) -> str:
    """Return what was measured where the last of its rules is broken; empty without rules."""
    if not isinstance(signature, SilentSignature) or not signature.when:
        return ""
    place = invariants.place_of(record, signature.when[-1])
    return place.evidence if place is not None else ""


def judge(step: Step, outcome: Outcome, record: RunRecord, evidence: Evidence = "live") -> Verdict:
    """Judge the record of one run against the step it was made for."""
    record = invariants.with_ledger(record)
    found = in_order(shown(record, outcome), [bug.fault for bug in step.bugs])
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
        vitals=record.vitals or VitalSigns(),
        candidates=candidates(found),
    )


def candidates(found: list[Match]) -> tuple[Fault, ...]:
    """Return the faults that a run may show, each once, where there is more than one."""
    faults = {match.fault.id: match.fault for match in found}
    return tuple(faults.values()) if len(found) > 1 else ()


def quoted(signature: Signature) -> RunRecord:
    """Make the record of a run of which only the words are known, as the course prints them."""
    exception = Raised(signature.exception, (signature.exception,), signature.example)
    hub = signature.hub or "online"
    return RunRecord(status="exception", device=signature.device, raised=exception, hub=hub)


def in_order(found: list[Match], faults: Sequence[str]) -> list[Match]:
    """Of silent faults that show at once, the one that comes first among these; else all found.

    Two of them can be in a script side by side and each do its harm; nothing is raised that would
    let only one be seen. Of causes that an exception may have, the one among these is taken.
    """
    ids = [match.fault.id for match in found]
    if not any(match.certain for match in found):
        return [match for match in found if match.fault.id in faults] or found
    if len(found) < 2 or not set(ids) <= set(faults) or not all(map(_is_silent, found)):
        return found
    return [min(found, key=lambda match: faults.index(match.fault.id))]


def tells_early(match: Match, figures: Mapping[str, float] = NO_FIGURES) -> bool:
    """Whether a fault is silent, and known by what holds long before the training ends.

    Of a broken rule the `figures` of its run tell it.
    """
    signature = match.signature
    if not isinstance(signature, SilentSignature):
        return False
    if signature.when:
        return all(figures.get(BROKEN + rule) == invariants.SETTLED for rule in signature.when)
    return all(figure.startswith("model.") or "." not in figure for figure in signature.figures)


def _is_silent(match: Match) -> bool:
    return isinstance(match.signature, SilentSignature)


def should_stop(record: RunRecord, outcome: Outcome, faults: Collection[str] | None = None) -> bool:
    """Whether a run under way tells all there is to tell, so that the training can be stopped.

    What ends a run by itself needs no stopping; this is about what would go on in vain. Only these
    `faults` are reason enough, where they are given.
    """
    record = invariants.with_ledger(record)
    return (
        any(
            tells_early(match, record.figures) and (faults is None or match.fault.id in faults)
            for match in shown(record, outcome)
        )
        or _ill_set_up(record.training, outcome) is not None
        or _nan_step(record, LASTING) is not None
    )


def evidence_of(found: list[Match], record: RunRecord, outcome: Outcome) -> dict[str, float]:
    """Return the figures that give a silent fault away; none for a fault that raises."""
    training = record.training
    silent = [m.signature for m in found if isinstance(m.signature, SilentSignature)]
    names = frozenset[str]().union(*(signature.figures for signature in silent))
    names |= {name for s in silent for rule in s.when for name in invariants.bounds_of(rule)}
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
    """Return the figures of a run that trained: metric, majority baseline, and its effort."""
    figures: dict[str, float] = {}
    training = record.training
    nan_step = _nan_step(record, LASTING)
    if nan_step is not None:
        figures["nan_step"] = nan_step
    if training is not None:
        # What it was set up with is known even if it was stopped before its end.
        if training.seconds is not None:
            figures |= {"train_steps": training.steps, "train_seconds": training.seconds}
        if training.examples is not None:
            figures["train_examples"] = training.examples
        if training.batch_size is not None:
            figures["batch_size"] = training.batch_size
        if training.labels:
            figures["train_labels"] = len(training.labels)
    last = record.last_evaluation
    if last is not None:
        figure = _said_as(record, last.values, outcome)
        said = figure.of(last.values) if figure is not None else None
        if said is not None:
            figures[outcome.metric] = said
            # Where the labels come with the batches only, those that came are counted.
            measured = record.vitals.outcome.baseline if record.vitals else None
            baseline = measured if last.baseline is None else last.baseline
            if baseline is not None:
                figures["baseline"] = baseline
                figures["margin"] = figures[outcome.metric] - baseline
            figures["eval_examples"] = last.examples
        if "eval_f1" in last.values and last.f1_baseline is not None:
            figures["f1"], figures["f1_baseline"] = last.values["eval_f1"], last.f1_baseline
        figures |= _counted(record, figures)
    is_told = last is not None and not _is_beside(last, outcome)
    if _is_alone(record) and (not is_told or _is_given_in_pieces(record)):
        figures |= _counted_alone(record, outcome)
    return figures


def _is_beside(last: Evaluation, outcome: Outcome) -> bool:
    """Whether all that a library's metrics have told is beside the figure that counts.

    A script may count that one by hand; a Trainer's loss is no sign that it does.
    """
    names = {name.removeprefix(named_figure.PREFIX) for name in last.values}
    return bool(names) and names <= BESIDE - {outcome.metric}


def _counted_alone(record: RunRecord, outcome: Outcome) -> dict[str, float]:
    """Our own figures of an evaluation by hand, of which no metric of a library has told."""
    found, ours = _counted_outcome(record, outcome)
    if ours is None or found.baseline is None or found.rows is None:
        return {}
    figures = {outcome.metric: ours, "baseline": found.baseline, "eval_examples": found.rows}
    return {**figures, "margin": ours - found.baseline}


def _counted_outcome(record: RunRecord, outcome: Outcome) -> tuple[OutcomeSigns, float | None]:
    """Return the counted outcome, and the figure of it that a lesson goes by."""
    found = (record.vitals or VitalSigns()).outcome
    return found, found.accuracy if outcome.metric == "accuracy" else found.f1


def _said_as(record: RunRecord, said: Mapping[str, float], outcome: Outcome) -> NamedFigure | None:
    """How the script says the figure that counts; under another name it must be as we count."""
    _found, ours = _counted_outcome(record, outcome)
    wanted = math.nan if ours is None else ours
    return named_figure.find([said], outcome.metric, [wanted], SAME)


def _counted(record: RunRecord, said: Mapping[str, float]) -> dict[str, float]:
    """Return the figures that the course has counted itself, of those that the script tells.

    Of several processes only one is heard, and the script's figures are of all.
    """
    found = (record.vitals or VitalSigns()).outcome
    if not _is_alone(record) or found.rows != said.get("eval_examples"):
        return {}
    ours = {
        "accuracy": found.accuracy,
        "baseline": found.baseline,
        "margin": found.margin,
        "f1": found.f1,
        "f1_baseline": found.f1_baseline,
    }
    return {name: value for name, value in ours.items() if value is not None and name in said}


def _unexpected(record: RunRecord, found: list[Match], fault: str) -> str | None:
    """Why a record doesn't show just the fault that was expected."""
    if record.status not in ("exception", "finished", "stopped"):
        return record.status
    if len(found) > 1:
        return "several"
    if found:
        return None if found[0].fault.id == fault else "other-fault"
    if record.status == "exception":
        return (record.raised and find_unanswered(record.raised)) or "unknown"
    return "no-failure"


def describe_problem(verdict: Verdict, outcome: Outcome) -> str:
    """Describe the verdict's problem in words, with its figures; empty where there is none."""
    if verdict.problem is None:
        return ""
    evaluation = verdict.problem == "other-evaluation"
    figures = numbers.figures(verdict.metrics)
    rows = verdict.metrics.get("eval_examples")
    if rows is not None and _is_whole(rows, outcome) and verdict.vitals.outcome.rows is not None:
        # The script's metric had all of them, and the model had not.
        figures["eval_examples"] = numbers.Figure(verdict.vitals.outcome.rows)
    return _(PROBLEMS[verdict.problem]).format(
        line=_own_line(verdict.raised),
        metric=outcome.metric,
        margin=numbers.significant(100 * outcome.margin),
        labels=outcome.labels,
        examples=outcome.eval_examples if evaluation else outcome.examples,
        found=f"{figures['eval_examples']:.0f}",
        train_examples=f"{figures['train_examples']:.0f}",
        train_labels=f"{figures['train_labels']:.0f}",
        nan_step=f"{figures['nan_step']:.0f}",
        candidates=enumerate_words(titled(each.title, each.id) for each in verdict.candidates),
        **_words(verdict.vitals, outcome, verdict.metrics),
    )


def _own_line(raised: Raised | None) -> str:
    """Return the line of the learner's own that an exception came from, or a question mark."""
    own = raised.own if raised is not None else None
    return str(own.line) if own is not None else "?"


def _words(vitals: VitalSigns, outcome: Outcome, figures: Mapping[str, float]) -> dict[str, str]:
    """Return the words about the vital signs for the sentences about problems."""
    found = vitals.outcome
    shares = {
        "before": found.accuracy_before,
        "after": found.accuracy_after,
        "right": figures.get("accuracy") if found.accuracy is None else found.accuracy,
        "guessed": figures.get("baseline") if found.baseline is None else found.baseline,
    }
    return {
        "parts": enumerate_words(f"`{name}`" for name in unmoved(vitals)),
        "unmeasured": enumerate_words(_(UNMEASURED[name]) for name in unmeasured(vitals)),
        "train": f"`{TRAIN}`",
        "evaluation": f"`{outcome.split}`",
        "trained": f"`{vitals.data.split or '?'}`",
        "evaluated": f"`{found.split or '?'}`",
        "compared": str(found.compared or "?"),
        **{name: numbers.percent(v, 1) if v is not None else "?" for name, v in shares.items()},
    }


def unhealthy(record: RunRecord, outcome: Outcome) -> str | None:
    """Why a record isn't that of a run that really trained, evaluated and beat the baseline."""
    if record.status not in ("exception", "finished", "stopped"):
        return record.status
    if record.raised is not None and (asks := find_unanswered(record.raised)) is not None:
        return asks
    if shown(record, outcome):
        return "other-fault"
    if record.status == "exception":
        return "unknown"
    earlier = training_in_question(record, outcome)
    if earlier is not record:
        return _ill_before(earlier, outcome)
    training = record.training
    # That it has ended is told by the framework: early, too, where its own control says so.
    if record.status == "finished" and not (training is not None and training.steps):
        return "swallowed" if record.swallowed else "no-training"
    ill = _ill_set_up(training, outcome)
    if ill is not None:
        return ill
    if _nan_step(record, LASTING) is not None:
        return "not-finite"
    if record.status == "stopped":
        return "stopped"
    return _ill_measured(record, outcome) or _unproven(record, outcome)


def training_in_question(record: RunRecord, outcome: Outcome) -> RunRecord:
    """Return the first training that is ill, as its own record, where the last shows no fault.

    Else the record itself. A script may train one model after the other, and each has to learn.
    """
    if record.raised is not None or shown(record, outcome):
        return record
    ill = (each for each in record.earlier if _ill_before(each, outcome) is not None)
    return next(ill, record)


def _ill_before(record: RunRecord, outcome: Outcome) -> str | None:
    """Return the problem of a training before the last, as far as its signs were measured."""
    if shown(record, outcome):
        return "other-fault"
    problem = _unproven(record, outcome, is_last=False)
    return None if problem == "not-measured" else problem


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
    is_whole = record.status == "finished" and _is_alone(record)
    heard = (_told_apart(data), data.classes) if is_whole else (None, None)
    seen = _least(training.examples, heard[0])
    in_pieces = _is_given_in_pieces(record)
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


def _told_apart(data: DataSigns) -> int | None:
    """How many examples came by in a training; None where some can't be told from each other.

    They are known by what is read of them: where a text of each is left out, others look the same.
    """
    texts, read = data.text_columns, data.texts_in_ids
    is_all = texts is None or read is None or read >= texts
    return data.examples if is_all else None


def _is_given_in_pieces(record: RunRecord) -> bool:
    """Whether a metric got the rows of an evaluation in several calls: each tells of its own."""
    found = (record.vitals or VitalSigns()).outcome
    given, rows = found.given or 0, found.rows or 0
    return 0 < given < rows <= given * (found.given_times or 0) / WHOLE


def _least(*counts: int | None) -> int | None:
    """Return the least of the counts that are known."""
    return min((n for n in counts if n is not None), default=None)


def find_unanswered(raised: Raised) -> str | None:
    """Return the problem of a script that was ended by an unanswered question; else None.

    The exceptions and words are those of Python itself: `bdb.py`, and `input` at the end of a file.
    """
    if raised.type == "bdb.BdbQuit":
        return "breakpoint"
    is_input = raised.type == "builtins.EOFError" and raised.message == "EOF when reading a line"
    return "input" if is_input else None


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
    """Return the step from which the loss is no number, if it is so for `lasting` points."""
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
    last = record.last_evaluation or Evaluation(0, {}, 0, {})
    if not _is_whole(figures["eval_examples"], outcome):
        return "other-evaluation"
    if "baseline" not in figures:
        return "no-baseline"
    measured = record.vitals.outcome.classes if record.vitals else None
    told = 0 if _is_given_in_pieces(record) else len(last.labels)
    if (told or measured or 0) < outcome.labels:
        return "evaluation-labels"
    return None if figures["margin"] >= outcome.margin else "below-baseline"


def _unproven(record: RunRecord, outcome: Outcome, *, is_last: bool = True) -> str | None:
    """Why our own measurements do not show that the model has learned from the data.

    What it is evaluated on may be anything but for the last one: a part that was kept, say.
    """
    vitals = record.vitals or VitalSigns()
    if vitals.model.moved_share == 0:
        return "not-moved"
    if unmoved(vitals):
        return "part-not-moved"
    if vitals.model.evaluated_is_trained == 0:
        return "other-model"
    other = _other_data(record, vitals, outcome, is_last=is_last)
    return other or _no_better(vitals, outcome)


def unmoved(vitals: VitalSigns) -> list[str]:
    """Return the parts of the model that should learn and did not change."""
    return [group.name for group in vitals.model.groups if group.learning and group.moved == 0]


def _other_data(
    record: RunRecord, vitals: VitalSigns, outcome: Outcome, *, is_last: bool
) -> str | None:
    """Whether the training or the evaluation had other data than they are to have."""
    data, found = vitals.data, vitals.outcome
    if data.classes is not None and data.classes < outcome.labels:
        return "fewer-labels"
    # Of several processes only one is heard, and it has its share of the data.
    if _is_alone(record):
        seen = _told_apart(data)
        if seen is not None and seen < COMPLETE * outcome.examples:
            return "fewer-examples"
        if is_last and found.rows is not None and not _is_whole(found.rows, outcome):
            return "other-evaluation"
    if data.split not in (None, TRAIN):
        return "other-split"
    if is_last and found.split not in (None, outcome.split):
        return "other-split"
    return None


def _is_alone(record: RunRecord) -> bool:
    """Whether one process has trained all by itself."""
    return all(record.figures.get(name, 1.0) <= 1 for name in ("processes", "model.processes"))


def _is_whole(rows: float, outcome: Outcome) -> bool:
    return WHOLE <= rows / outcome.eval_examples <= 1 / WHOLE


def _no_better(vitals: VitalSigns, outcome: Outcome) -> str | None:
    """Why the answers, as we count them, are none of a model that has learned."""
    found = vitals.outcome
    if found.margin is not None and found.margin < outcome.margin:
        return "below-baseline"
    if unmeasured(vitals):
        return "not-measured"
    gains = found.gain or 0.0, found.loss_gain or 0.0
    return None if gains[0] >= outcome.margin or gains[1] >= LEARNED else "no-gain"


def unmeasured(vitals: VitalSigns) -> list[str]:
    """Return the names in `UNMEASURED` that are not known."""
    found = vitals.outcome
    known = {
        "moved": vitals.model.moved_share,
        "answers": found.margin,
        "before": found.gain if found.loss_gain is None else found.loss_gain,
    }
    return [name for name, value in known.items() if value is None]
