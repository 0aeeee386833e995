"""What a run showed, in sentences: for a terminal and for a notebook alike."""

from collections.abc import Mapping

from course.i18n import _, enumerate_words, numbers
from course.lesson.signature import SilentSignature


def silent(signature: SilentSignature, values: Mapping[str, float]) -> str:
    """What a silent fault showed, by the figures of its verdict."""
    if signature.shown:
        return numbers.fill(_(signature.shown), numbers.figures(values))
    known = numbers.figures(values)
    if signature.effect == "nan":
        return _("No error is raised, but from step {step} on the loss is `nan`.").format(
            step=f"{known['nan_step']:.0f}"
        )
    return _(
        "No error is raised, but the loss does not fall: {loss} at step {step}, where healthy "
        "runs have come to {healthy}."
    ).format(
        loss=f"{known['loss']:.2f}",
        step=f"{known['judged_step']:.0f}",
        healthy=f"{known['healthy_loss']:.2f}",
    )


def set_up(values: Mapping[str, float]) -> str:
    """What a run was set up with, as far as it gives a silent fault away; nothing, if it does not.

    `values` are the figures of a verdict.
    """
    known = []
    if "learning_rate" in values:
        known.append(
            _("learning rate {rate}").format(rate=numbers.significant(values["learning_rate"]))
        )
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
    known = numbers.figures(values)
    return sentence.format(
        steps=f"{known['train_steps']:.0f}",
        seconds=f"{known['train_seconds']:,.0f}",
        accuracy=numbers.percent(values["accuracy"], 1),
        n=f"{known['eval_examples']:.0f}",
        baseline=numbers.percent(values["baseline"], 1),
        margin=numbers.decimal(100 * values["margin"], 1),
    )
