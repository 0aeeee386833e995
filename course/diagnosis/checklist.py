"""The checklist: the parts of a training, and what a run has shown of each."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from course.base.i18n import N_
from course.diagnosis.finding import ScriptFinding
from course.judge import broken_rules
from course.judge.broken_rules import is_loss_finite
from course.runs.record import RunRecord
from course.runs.vital_signs import VitalSigns


@dataclass(frozen=True)
class ChecklistPart:
    """A part of a training, in the stage that it belongs to.

    `is_heard` tells whether the runs came to it, `fine` is what is said of it then where nothing
    was found and it `is_fine`.
    """

    check: str
    stage: str
    is_heard: Callable[[RunRecord, VitalSigns], bool]
    fine: str
    is_fine: Callable[[VitalSigns], bool] = lambda _signs: True


RUNS = "script-runs"
NOT_REACHED = N_("no run reached it")
PARTS = (
    ChecklistPart(
        RUNS,
        "script",
        lambda record, _signs: record.seconds > 0 and record.status == "finished",
        N_("Every statement of the script was run."),
    ),
    ChecklistPart(
        "data-are-read",
        "data",
        lambda record, signs: bool(signs.data.rows or (record.training and record.training.steps)),
        N_("The data reach the training."),
    ),
    ChecklistPart(
        "batches-are-made",
        "batch",
        lambda record, signs: bool(signs.data.batch_size or signs.model.passes),
        N_("Batches can be made from the data."),
    ),
    ChecklistPart(
        "model-takes-a-batch",
        "model",
        lambda _record, signs: bool(signs.model.passes),
        N_("The model takes a batch."),
    ),
    ChecklistPart(
        "loss-is-finite",
        "model",
        lambda _record, signs: signs.loss.finite is not None,
        N_("The loss is a finite number at each step."),
        is_loss_finite,
    ),
    ChecklistPart(
        "backward-and-step",
        "optimizer",
        lambda _record, signs: bool(signs.model.steps),
        N_("Gradients are computed, the optimizer steps, and the weights change."),
        lambda signs: signs.loss.finite is None or is_loss_finite(signs),
    ),
    ChecklistPart(
        "evaluation",
        "evaluation",
        lambda record, signs: bool(signs.outcome.rows or record.evaluations),
        N_("The model is evaluated."),
    ),
)
ONE_BATCH = "one-batch-by-heart"
VITAL_SIGNS = "vital-signs"
FINE = {
    **{part.check: part.fine for part in PARTS},
    ONE_BATCH: N_("The model can learn one batch by heart."),
    VITAL_SIGNS: N_("In a short training, no vital sign is clearly wrong."),
}
"""What each check finds in order."""
NO_LOADER = N_("the script takes no batches from a loader that shuffles")
NO_TIME = N_("there was no time left")
NOT_LEARNED = N_("the loss of one batch went from {first} to {last} in {steps} steps")
NOT_FINITE = N_("the loss of one batch is not a number")
STEPS = 5
"""Training steps from which on vital signs tell anything."""


def held(
    record: RunRecord,
    findings: Iterable[ScriptFinding],
    failed: Collection[str] = (),
    text: str = "",
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """List the checks in order, with their stages, and those not made, with the reasons.

    `failed` are stages in which something was raised, whatever its cause; `text` is what was run.
    """
    signs = record.vitals or VitalSigns()
    found = {each.stage for each in findings if each.certain} | {*failed}
    is_late = record.status in ("time-limit", "stopped")
    checked, not_checked = [], []
    for part in PARTS:
        if not part.is_heard(record, signs):
            not_checked.append((part.check, NO_TIME if is_late else NOT_REACHED))
        elif part.stage not in found and part.is_fine(signs):
            checked.append((part.check, part.stage))
    if (signs.model.steps or 0) < STEPS:
        why = N_("the training was too short")
        not_checked.append((VITAL_SIGNS, NO_TIME if is_late else why))
    elif "optimizer" not in found and not broken_rules.broken(record, text):
        checked.append((VITAL_SIGNS, "optimizer"))
    return checked, not_checked
