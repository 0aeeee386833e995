"""Verdicts: what a run record shows, held against what a step expects."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from course.base.i18n import _, enumerate_words, numbers, titled
from course.base.texts import sentences
from course.judge import broken_rules
from course.judge.health import (
    ENDED,
    TRAIN,
    find_unanswered,
    ill_set_up,
    labels_kept,
    shown,
    tells_early,
    unhealthy,
    unmoved,
)
from course.judge.measures import LASTING, evidence_of, is_whole, metrics, nan_step
from course.lesson.catalogue import Fault, Match
from course.lesson.lesson import Outcome, Step
from course.lesson.signature import Signature, SilentSignature
from course.runs.record import Raised, RunRecord
from course.runs.vital_signs import VitalSigns

Evidence = Literal["live", "recorded", "quoted"]
PROBLEMS = sentences("problems")
"""Why a step did not go as expected, or a working copy is not healthy."""
UNANSWERED = frozenset({"breakpoint", "input"})
"""Problems of a script that asks where nobody answers: no faults, whatever exception they end in.
"""
COUNTED = {"fewer-examples": "train_examples", "fewer-labels": "train_labels"}
"""The figure that a problem tells as what was found, where it is not of the evaluation."""
OPEN = frozenset({"time-limit", "interrupted", "stopped", "not-measured"})
"""Problems that leave open whether the model would have learned."""
FEWER = frozenset({"fewer-examples", "fewer-labels", "other-evaluation", "evaluation-labels"})
"""Problems whose sentences say what the fault behind them shows, where one is named."""
NAMED = FEWER | {"below-baseline", "no-gain", "not-measured"}
"""Problems that a fault may stand behind which is known beside the lesson only: see
`lesson_figures`."""


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
    problem: str | None
    evidence: Evidence
    seconds: float
    metrics: Mapping[str, float] = field(default_factory=dict)
    vitals: VitalSigns = field(default_factory=VitalSigns)
    candidates: tuple[Fault, ...] = ()
    """The faults that fit where more than one does."""
    of_earlier: bool = False
    """Whether it is a training before the last one that is ill."""

    @property
    def matched(self) -> bool:
        """Whether all is as expected."""
        return self.problem is None


def judge(step: Step, outcome: Outcome, record: RunRecord, evidence: Evidence = "live") -> Verdict:
    """Judge the record of one run against the step it was made for."""
    record = broken_rules.with_ledger(record)
    found = in_order(shown(record, outcome), [bug.fault for bug in step.bugs])
    problem = (
        unhealthy(record, outcome) if step.fault is None else _unexpected(record, found, step.fault)
    )
    return Verdict(
        step=step.id,
        expected=step.fault or step.id,
        match=found[0] if found else None,
        raised=record.raised,
        problem=problem,
        evidence=evidence,
        seconds=record.seconds,
        metrics=metrics(record, outcome) | evidence_of(found, record, outcome.curve),
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
    are_silent = all(isinstance(match.signature, SilentSignature) for match in found)
    if len(found) < 2 or not set(ids) <= set(faults) or not are_silent:
        return found
    return [min(found, key=lambda match: faults.index(match.fault.id))]


def should_stop(record: RunRecord, outcome: Outcome, faults: Collection[str] | None = None) -> bool:
    """Whether a run under way tells all there is to tell, so that the training can be stopped.

    What ends a run by itself needs no stopping; this is about what would go on in vain. Only these
    `faults` are reason enough, where they are given.
    """
    record = broken_rules.with_ledger(record)
    # After a training that has ended another one may follow: one batch was learned by heart, say.
    is_over = record.training is not None and record.training.seconds is not None
    return (
        any(
            tells_early(match, record.figures) and (faults is None or match.fault.id in faults)
            for match in shown(record, outcome)
        )
        or (not is_over and any(ill_set_up(record, outcome)))
        or nan_step(record, LASTING) is not None
    )


def _unexpected(record: RunRecord, found: list[Match], fault: str) -> str | None:
    """Why a record doesn't show just the fault that was expected."""
    if record.status not in ENDED:
        return record.status
    if len(found) > 1:
        return "several"
    if found:
        return None if found[0].fault.id == fault else "other-fault"
    if record.status == "exception":
        return find_unanswered(record.raised) or "unknown"
    return "no-failure"


def describe_problem(verdict: Verdict, outcome: Outcome) -> str:
    """Describe the verdict's problem in words, with its figures; empty where there is none."""
    if verdict.problem is None:
        return ""
    own = verdict.raised.own if verdict.raised is not None else None
    evaluation = verdict.problem == "other-evaluation"
    figures = numbers.figures(verdict.metrics)
    rows = verdict.metrics.get("eval_examples")
    if rows is not None and is_whole(rows, outcome) and verdict.vitals.outcome.rows is not None:
        # The script's metric had all of them, and the model had not.
        figures["eval_examples"] = numbers.Figure(verdict.vitals.outcome.rows)
    return _(PROBLEMS[verdict.problem]).format(
        line=own.line if own is not None else "?",
        metric=outcome.metric,
        margin=numbers.significant(100 * outcome.margin),
        labels=outcome.labels,
        examples=outcome.eval_examples if evaluation else outcome.examples,
        found=f"{figures[COUNTED.get(verdict.problem, 'eval_examples')]:.0f}",
        processes=outcome.processes,
        step=f"{figures['nan_step']:.0f}",
        candidates=enumerate_words(titled(each.title, each.id) for each in verdict.candidates),
        **_words(verdict.vitals, outcome, verdict.metrics),
    )


def _words(vitals: VitalSigns, outcome: Outcome, figures: Mapping[str, float]) -> dict[str, str]:
    """Return the words about the vital signs for the sentences about problems."""
    found = vitals.outcome
    shares = {
        "before": found.accuracy_before,
        "after": found.accuracy_after,
        "right": figures.get("accuracy") if found.accuracy is None else found.accuracy,
        "guessed": figures.get("baseline") if found.baseline is None else found.baseline,
        "kept_texts": found.of_data,
        "kept_labels": labels_kept(vitals),
    }
    return {
        "parts": enumerate_words(f"`{name}`" for name in unmoved(vitals)),
        "train": f"`{TRAIN}`",
        "evaluation": f"`{outcome.split}`",
        "trained": f"`{vitals.data.split or '?'}`",
        "evaluated": f"`{found.split or '?'}`",
        "compared": str(found.compared or "?"),
        **{name: numbers.percent(v, 1) if v is not None else "?" for name, v in shares.items()},
    }
