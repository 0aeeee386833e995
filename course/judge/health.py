"""What keeps a run from being healthy: problems by their names, in the order of the checks."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from course.judge import broken_rules
from course.judge.measures import (
    LASTING,
    count_told_apart,
    is_alone,
    is_given_in_pieces,
    is_whole,
    metrics,
    nan_step,
)
from course.lesson.catalogue import Match, matches
from course.lesson.lesson import Outcome
from course.lesson.signature import BROKEN, Signature, SilentSignature
from course.runs.record import Raised, RunRecord, Training
from course.runs.vital_signs import VitalSigns

NO_FIGURES: Mapping[str, float] = MappingProxyType({})
LEARNED = 0.1
"""By how much the loss on unseen examples must fall, in nats, where the answers alone can't show
that something was learned: a new head may have them right by chance, but never surely."""
TRAIN = "train"
"""The split that lessons train on."""
AS_THEY_ARE = 0.95
"""The share of the rows that must have the texts of the data set, or its labels."""
COMPLETE = 0.7
"""The share of the examples that a training must see: some may rightly be cleaned out, or be kept
from it to evaluate on."""
ENDED = ("exception", "finished", "stopped")
"""How a run has ended that was not cut off from outside."""


def unhealthy(record: RunRecord, outcome: Outcome) -> str | None:
    """Why a record isn't that of a run that really trained, evaluated and beat the baseline."""
    return next(_problems(record, outcome), None)


def _problems(record: RunRecord, outcome: Outcome) -> Iterator[str]:
    if record.status not in ENDED:
        yield record.status
    if (asks := find_unanswered(record.raised)) is not None:
        yield asks
    if shown(record, outcome):
        yield "other-fault"
    if record.status == "exception":
        yield "unknown"
    if record.raised is None:
        for earlier in record.earlier:
            yield from _ill_before(earlier, outcome)
    # That it has ended is told by the framework: early, too, where its own control says so.
    if record.status == "finished" and not (record.training and record.training.steps):
        yield "swallowed" if record.swallowed else "no-training"
    yield from ill_set_up(record, outcome)
    if nan_step(record, LASTING) is not None:
        yield "not-finite"
    if record.status == "stopped":
        yield "stopped"
    yield from _ill_told(record, outcome)
    yield from _ill_measured(record, outcome)


def _ill_before(record: RunRecord, outcome: Outcome) -> Iterator[str]:
    """Yield the problems of a training before the last, as far as its signs were measured."""
    if shown(record, outcome):
        yield "other-fault"
    yield from _ill_measured(record, outcome, is_last=False)


def ill_set_up(record: RunRecord, outcome: Outcome) -> Iterator[str]:
    """Yield how a training goes round a bug: what is known of it before its first step."""
    training = record.training or Training()
    vitals = record.vitals or VitalSigns()
    if 1 in (training.batch_size, vitals.data.batch_size):
        yield "batch-of-one"
    if (vitals.model.processes or outcome.processes) < outcome.processes:
        yield "one-process"
    if 0 < len(training.labels) < outcome.labels:
        yield "fewer-labels"
    if training.examples is not None and training.examples < COMPLETE * outcome.examples:
        yield "fewer-examples"


def _ill_told(record: RunRecord, outcome: Outcome) -> Iterator[str]:
    """Yield why the evaluation that a script tells of doesn't show that the model has learned."""
    figures, last = metrics(record, outcome), record.last_evaluation
    if outcome.metric not in figures:
        yield "swallowed" if record.swallowed else "no-metric"
        return
    if not is_whole(figures["eval_examples"], outcome):
        yield "other-evaluation"
    if "baseline" not in figures:
        yield "no-baseline"
        return
    told = len(last.labels) if last is not None and not is_given_in_pieces(record) else 0
    measured = record.vitals.outcome.classes if record.vitals else None
    if (told or measured or 0) < outcome.labels:
        yield "evaluation-labels"
    if not figures["margin"] >= outcome.margin:
        yield "below-baseline"


def _ill_measured(record: RunRecord, outcome: Outcome, *, is_last: bool = True) -> Iterator[str]:
    """Yield why our own measurements do not show that the model has learned from the data.

    What it is evaluated on may be anything but for the last one: a part that was kept, say.
    """
    vitals = record.vitals or VitalSigns()
    model, data, found = vitals.model, vitals.data, vitals.outcome
    # Of several processes only one is heard, and it has its share of the data.
    seen, rows = (count_told_apart(data), found.rows) if is_alone(record) else (None, None)
    if model.moved_share == 0:
        yield "not-moved"
    if unmoved(vitals):
        yield "part-not-moved"
    if model.evaluated_is_trained == 0:
        yield "other-model"
    if data.classes is not None and data.classes < outcome.labels:
        yield "fewer-labels"
    if seen is not None and seen < COMPLETE * outcome.examples:
        yield "fewer-examples"
    if is_last and rows is not None and not is_whole(rows, outcome):
        yield "other-evaluation"
    yield from _ill_chosen(vitals, outcome, is_last=is_last)
    if found.margin is not None and found.margin < outcome.margin:
        yield "below-baseline"
    if is_unmeasured(vitals):
        if is_last:
            yield "not-measured"
        return
    if not ((found.gain or 0.0) >= outcome.margin or (found.loss_gain or 0.0) >= LEARNED):
        yield "no-gain"


def _ill_chosen(vitals: VitalSigns, outcome: Outcome, *, is_last: bool) -> Iterator[str]:
    """Yield how the examples are others than those of the data set that a lesson asks for."""
    data, found = vitals.data, vitals.outcome
    if data.split not in (None, TRAIN) or (is_last and found.split not in (None, outcome.split)):
        yield "other-split"
    if is_last and found.of_data is not None and found.of_data < AS_THEY_ARE:
        yield "other-texts"
    if is_last and labels_kept(vitals) < AS_THEY_ARE:
        yield "other-labels"


def evaluation_in_question(record: RunRecord, outcome: Outcome) -> RunRecord:
    """Return the record as of the newest evaluation that shows a trained model, or else itself.

    After the evaluation that a lesson asks for, a script may evaluate the same weights on other
    rows, an average of the weights, or a few texts of its own.
    """
    now = record.vitals
    if now is None or not record.measured or unhealthy(record, outcome) is None:
        return record
    told = record.evaluations
    whole = [i for i, each in enumerate(told, 1) if is_whole(each.examples, outcome)]
    if whole and told[whole[-1] - 1].step == told[-1].step:
        told = told[: whole[-1]]
    for measured in reversed(record.measured):
        model = replace(now.model, evaluated_is_trained=1)
        vitals = replace(now, model=model, outcome=measured.outcome)
        figures = {**record.figures, **dict(vitals.figures())}
        other = replace(record, vitals=vitals, figures=figures, evaluations=told)
        if unhealthy(other, outcome) is None:
            return other
    return record


def training_in_question(record: RunRecord, outcome: Outcome) -> RunRecord:
    """Return the first training that is ill, as its own record, where the last shows no fault.

    Else the record itself. A script may train one model after the other, and each has to learn.
    """
    if record.raised is not None or shown(record, outcome):
        return record
    return next((each for each in record.earlier if any(_ill_before(each, outcome))), record)


def tells_early(match: Match, figures: Mapping[str, float] = NO_FIGURES) -> bool:
    """Whether a fault is silent, and known by what holds long before the training ends.

    Of a broken rule the `figures` of its run tell it.
    """
    signature = match.signature
    if not isinstance(signature, SilentSignature):
        return False
    if signature.when:
        return all(figures.get(BROKEN + rule) == broken_rules.SETTLED for rule in signature.when)
    return all(figure.startswith("model.") or "." not in figure for figure in signature.figures)


def shown(record: RunRecord, outcome: Outcome) -> list[Match]:
    """Return the faults that a record shows, except those that its lesson tolerates."""
    found = matches(broken_rules.with_ledger(record), outcome.curve)
    kept = [match for match in found if match.fault.id not in outcome.tolerates]
    return [replace(match, told=_told(match.signature, record)) for match in kept]


def _told(signature: Signature | SilentSignature, record: RunRecord) -> str:
    """Return what was measured where the last of its rules is broken; empty without rules."""
    if not isinstance(signature, SilentSignature) or not signature.when:
        return ""
    place = broken_rules.place_of(record, signature.when[-1])
    return place.told if place is not None else ""


def find_unanswered(raised: Raised | None) -> str | None:
    """Return the problem of a script that was ended by an unanswered question; else None.

    The exceptions and words are those of Python itself: `bdb.py`, and `input` at the end of a file.
    """
    if raised is None:
        return None
    if raised.type == "bdb.BdbQuit":
        return "breakpoint"
    is_input = raised.type == "builtins.EOFError" and raised.message == "EOF when reading a line"
    return "input" if is_input else None


def unmoved(vitals: VitalSigns) -> list[str]:
    """Return the parts of the model that should learn and did not change.

    A script need not use the pooler that a model without a head brings along.
    """
    groups = (each for each in vitals.model.groups if not each.name.endswith("pooler"))
    return [group.name for group in groups if group.learning and group.moved == 0]


def labels_kept(vitals: VitalSigns) -> float:
    """Return the share of the examples that have their label of the data set, as far as known.

    It is that of the training or of the evaluation, whichever is lower.
    """
    shares = (vitals.data.labels_of_data, vitals.outcome.labels_of_data)
    return min((share for share in shares if share is not None), default=1.0)


def is_unmeasured(vitals: VitalSigns) -> bool:
    """Whether something is not known of a run that would have to be."""
    found = vitals.outcome
    gain = found.gain if found.loss_gain is None else found.loss_gain
    return None in (vitals.model.moved_share, found.margin, gain)
