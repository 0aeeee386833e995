"""The invariants of what a library's own loop was given, which shows more than its passes do."""

from course.base.i18n import N_
from course.invariants.rule import Invariant, Threshold

_SETTLED = (Threshold("studies", ">=", 2),)

FITTED: tuple[Invariant, ...] = (
    Invariant(
        "loss-leads-to-labels",
        "step",
        broken=(Threshold("beyond_chances", ">", 0),),
        sentence=N_(
            "The loss in line {line} expects probabilities. Of the numbers that it is given, "
            "{beyond_chances} are below 0 or above 1."
        ),
        shown={"beyond_chances": "percent"},
        way="no-chances",
        settled=_SETTLED,
    ),
    Invariant(
        "loss-leads-to-labels",
        "step",
        # A few labels may lie beyond, as noise does.
        broken=(Threshold("targets_beyond", ">", 0.05, "honest"),),
        sentence=N_(
            "Of the labels of the loss in line {line}, {targets_beyond} are numbers that the "
            "outputs can never come to."
        ),
        shown={"targets_beyond": "percent"},
        way="beyond",
        settled=_SETTLED,
    ),
    Invariant(
        "parameters-are-held",
        "optimizer",
        broken=(Threshold("tensors", "==", 0),),
        given=(Threshold("steps", ">=", 1),),
        sentence=N_(
            "The training in line {line} has {steps} steps, and none of them changes the model: "
            "all of its parameters are frozen."
        ),
        shown={"steps": "whole"},
        way="none",
        settled=(Threshold("steps", ">=", 2),),
    ),
    Invariant(
        "norms-are-of-training",
        "step",
        broken=(Threshold("norms_unset", ">=", 1), Threshold("inputs_largest", ">", 10, "honest")),
        sentence=N_(
            "{norms_unset} layers that scale the inputs were never given their mean and variance, "
            "so they change nothing. The inputs of the training in line {line} are as large as "
            "{inputs_largest}."
        ),
        shown={"norms_unset": "whole", "inputs_largest": "digits"},
        way="never",
        settled=(),
    ),
    Invariant(
        "best-is-kept",
        "choice",
        broken=(Threshold("evaluations", "==", 0),),
        sentence=N_(
            "A callback of the training monitors `{column}`, but no epoch has a figure of this "
            "name: the callback does nothing."
        ),
        way="unknown",
    ),
    Invariant(
        "evaluation-has-labels",
        "answers",
        broken=(Threshold("labels_untrained", ">", 0.3, "honest"),),
        given=(Threshold("label_rows", ">=", 20),),
        sentence=N_(
            "In the evaluation of line {line}, {labels_untrained} of the rows have a label that "
            "no row of the training has."
        ),
        shown={"labels_untrained": "percent"},
        way="untrained",
    ),
    Invariant(
        "figures-are-of-training",
        "evaluation",
        broken=(Threshold("adapted_share", ">", 0.9, "honest"),),
        given=(Threshold("adapted", ">=", 16),),
        sentence=N_(
            "A layer that scales the inputs took its mean and variance from {adapted} rows that "
            "the model answers in line {line}, and that it was not trained on."
        ),
        shown={"adapted": "whole"},
        way="adapted",
    ),
)
