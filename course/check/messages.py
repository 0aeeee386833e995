"""What a run showed, in sentences: for a terminal and for a notebook alike."""

from collections import defaultdict
from collections.abc import Mapping

from course.i18n import _, enumerate_words
from course.lesson.signature import SilentSignature


def silent(signature: SilentSignature, values: Mapping[str, float]) -> str:
    """What a silent fault showed, by the figures of its verdict."""
    if signature.shown:
        # What could not be measured is told as zero rather than not at all.
        return _(signature.shown).format_map(defaultdict(float, values))
    if signature.effect == "nan":
        return _("No error is raised, but from step {step} on the loss is `nan`.").format(
            step=int(values.get("nan_step", 0))
        )
    return _(
        "No error is raised, but the loss does not fall: {loss} at step {step}, where healthy "
        "runs have come to {healthy}."
    ).format(
        loss=f"{values.get('loss', 0):.2f}",
        step=int(values.get("judged_step", 0)),
        healthy=f"{values.get('healthy_loss', 0):.2f}",
    )


def set_up(values: Mapping[str, float]) -> str:
    """What a run was set up with, as far as it gives a silent fault away; nothing, if it does not.

    `values` are the figures of a verdict.
    """
    known = []
    if "learning_rate" in values:
        known.append(_("learning rate {rate}").format(rate=f"{values['learning_rate']:g}"))
    if "num_labels" in values and "train_labels" in values:
        known.append(
            _("{outputs} outputs of the model, {labels} labels in the data").format(
                outputs=int(values["num_labels"]), labels=int(values["train_labels"])
            )
        )
    if not known:
        return ""
    return _("The run was set up with: {facts}.").format(facts=enumerate_words(known))


def learned(values: Mapping[str, float]) -> str:
    """What a model has learned, beside the laziest guess; `values` are the verdict's figures."""
    sentence = _(
        "It trained {steps} steps in {seconds} s and is right on {accuracy} of {n} pairs it "
        "had not seen; always giving the most frequent label would get {baseline}. That is "
        "{margin} percentage points better."
    )
    return sentence.format(
        steps=int(values.get("train_steps", 0)),
        seconds=f"{values.get('train_seconds', 0):.0f}",
        accuracy=f"{values['accuracy']:.1%}",
        n=int(values.get("eval_examples", 0)),
        baseline=f"{values['baseline']:.1%}",
        margin=f"{100 * values['margin']:.1f}",
    )
