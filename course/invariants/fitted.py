"""The invariants of what a library's own loop was given, which shows more than its passes do."""

from course.base.i18n import N_
from course.invariants.rule import Invariant, rule

_SETTLED = "studies >= 2"

FITTED: tuple[Invariant, ...] = (
    rule(
        "loss-leads-to-labels/no-chances",
        "step",
        "beyond_chances > 0",
        sentence=N_(
            "The loss in line {line} expects probabilities. Of the numbers that it is given, "
            "{beyond_chances} are below 0 or above 1."
        ),
        settled=_SETTLED,
    ),
    rule(
        "loss-leads-to-labels/beyond",
        "step",
        # A few labels may lie beyond, as noise does.
        "targets_beyond > 0.05*",
        sentence=N_(
            "Of the labels of the loss in line {line}, {targets_beyond} are numbers that the "
            "outputs can never come to."
        ),
        settled=_SETTLED,
    ),
    rule(
        "parameters-are-held/none",
        "optimizer",
        "tensors == 0",
        given="steps >= 1",
        sentence=N_(
            "The training in line {line} has {steps} steps, and none of them changes the model: "
            "all of its parameters are frozen."
        ),
        settled="steps >= 2",
    ),
    rule(
        "norms-are-of-training/never",
        "step",
        "norms_unset >= 1, inputs_largest > 10*",
        sentence=N_(
            "{norms_unset} layers that scale the inputs were never given their mean and variance, "
            "so they change nothing. The inputs of the training in line {line} are as large as "
            "{inputs_largest}."
        ),
        settled=(),
    ),
    rule(
        "best-is-kept/unknown",
        "choice",
        "evaluations == 0",
        sentence=N_(
            "A callback of the training monitors `{column}`, but no epoch has a figure of this "
            "name: the callback does nothing."
        ),
    ),
    rule(
        "evaluation-has-labels/untrained",
        "answers",
        "labels_untrained > 0.3*",
        given="label_rows >= 20",
        sentence=N_(
            "In the evaluation of line {line}, {labels_untrained} of the rows have a label that "
            "no row of the training has."
        ),
    ),
    rule(
        "figures-are-of-training/adapted",
        "evaluation",
        "adapted_share > 0.9*",
        given="adapted >= 16",
        sentence=N_(
            "A layer that scales the inputs took its mean and variance from {adapted} rows that "
            "the model answers in line {line}, and that it was not trained on."
        ),
    ),
)
