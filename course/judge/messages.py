"""What a run showed, in sentences: for a terminal and for a notebook alike."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from course.base.i18n import _, enumerate_words, ngettext, numbers
from course.base.schema import suggest
from course.invariants import judge, rules
from course.lesson.signature import Signature, SilentSignature
from course.runs.record import Raised


def silent(signature: SilentSignature, values: Mapping[str, float]) -> str:
    """Describe the evidence of a silent fault, by the figures of its verdict.

    Of one that is known by rules, only the place where one is broken tells what was measured.
    """
    is_by_rules = signature.when and not signature.shown
    return "" if is_by_rules else _silent(signature, numbers.figures(values))


def silent_in_general(signature: SilentSignature) -> str:
    """Describe the evidence of a silent fault in any run: each figure is left open."""
    known = defaultdict[str, Any](numbers.LeftOpen)
    if signature.shown or not signature.when:
        return _silent(signature, known)
    rule = next(each for each in rules.INVARIANTS if each.name == signature.when[-1])
    said = rule.sentence if "{" in rule.sentence else judge.PLACE
    return numbers.fill(_(said), known)


def _silent(signature: SilentSignature, known: Mapping[str, Any]) -> str:
    if signature.shown:
        return numbers.fill(_(signature.shown), known)
    if signature.effect == "nan":
        return _("From step {step} on, the loss is not a number (`nan` or `inf`).").format(
            step=f"{known['nan_step']:.0f}"
        )
    return _(
        "The loss stays too high: the mean of the last steps is {loss} at step {step}, but "
        "{healthy} in runs without bugs."
    ).format(
        loss=f"{known['loss']:.2f}",
        step=f"{known['judged_step']:.0f}",
        healthy=f"{known['healthy_loss']:.2f}",
    )


def raised(signature: Signature | SilentSignature, error: Raised) -> str:
    """Return the text of a signature on an exception, beside its message; mostly empty."""
    if not isinstance(signature, Signature) or not signature.shown:
        return ""
    values = {name: f"`{value}`" for name, value in signature.groups(error).items()}
    if error.near:
        values["near"] = f"`{error.near[0]}`"
    if signature.names is None:
        return _(signature.shown).format_map(values)
    asked, known = signature.asked(error), signature.known(error)
    if not (asked and known):
        return ""
    values |= {"name": f"`{asked}`", "known": enumerate_words(f"`{name}`" for name in known)}
    return suggest(_(signature.shown).format_map(values), asked, known)


def set_up(values: Mapping[str, float]) -> str:
    """Describe a run's setup, as far as it gives a silent fault away; empty, if it does not.

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


def mended_in_part(mended: int, of: int) -> str:
    """Say that a bug bites which is mended at some of its places already."""
    sentence = ngettext(
        "{mended} of its {n} places is fixed; the bug is still there in another place.",
        "{mended} of its {n} places are fixed; the bug is still there in another place.",
        mended,
    )
    return sentence.format(mended=mended, n=of)


def learned(values: Mapping[str, float]) -> str:
    """Say how much a model learned, beside the laziest guess; `values` are verdict figures."""
    sentence = _(
        "The model was trained for {steps} steps in {seconds} s. It is right on {accuracy} of {n} "
        "new pairs. A model that always gives the most frequent label would get {baseline}. The "
        "difference is {margin} percentage points."
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
