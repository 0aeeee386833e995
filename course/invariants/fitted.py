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
            "The loss in line {line} expects probabilities. Of the numbers that it gets, "
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
            "In the loss of line {line}, {targets_beyond} of the labels are numbers that the "
            "outputs can never reach."
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
        "loss-is-a-number/weights",
        "optimizer",
        # What a ReLU makes of them may be numbers again, and so may the loss.
        "no_numbers >= 1",
        sentence=N_(
            "After a step of the optimizer `{class}` in line {line}, some weights are not numbers "
            "(`nan` or `inf`)."
        ),
        settled=(),
    ),
    rule(
        "norms-are-of-training/never",
        "step",
        "norms_unset >= 1, inputs_largest > 10*",
        sentence=N_(
            "{norms_unset} layers should scale the inputs, but they never got a mean and a "
            "variance, so they change nothing. The inputs of the training in line {line} are "
            "large: one of their columns has a mean absolute value of {inputs_largest}."
        ),
        settled=(),
    ),
    rule(
        "best-is-kept/unknown",
        "choice",
        "evaluations == 0",
        sentence=N_(
            "A callback of the training monitors `{column}`, but no epoch has a value of this "
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
            "In line {line}, the model makes predictions for rows that it was not trained on. A "
            "layer that scales the inputs computed its mean and variance also from {adapted} of "
            "these rows."
        ),
    ),
    rule(
        "loss-pairs-rows/call",
        "call",
        "pairs >= 1",
        sentence=N_("The loss compares each output with every target"),
        settled=(),
    ),
    rule(
        "score-knows-labels/call",
        "call",
        # Of a teacher's outputs, some may be whole numbers.
        "swapped_share > 0.9*",
        sentence=N_(
            "In line {line}, a loss or a metric gets the outputs as labels, and the labels as "
            "outputs."
        ),
    ),
    rule(
        "rows-keep-labels/shuffled",
        "call",
        "shuffled_apart == 1, ended > 0.9*",
        given="steps >= 50, optimizers <= 1",
        sentence=N_("Inputs and labels are in different orders"),
    ),
    rule(
        "rows-keep-labels/padded",
        "call",
        # Some rows have no padding, and some zeros are labels.
        "padded_apart > 0.9*",
        sentence=N_(
            "In the training in line {line}, inputs are padded at one end and their labels at the "
            "other, in {padded_apart} of the rows with padding. `pad_sequences` pads in front "
            'unless you write `padding="post"`.'
        ),
        settled=(),
    ),
    rule(
        "all-data-is-seen/none",
        "call",
        "empty == 1",
        sentence=N_("The dataset has no rows"),
        settled=(),
    ),
    rule(
        "batches-are-mixed/order",
        "call",
        # Shuffled data have 1, but for chance.
        "order < 0.1*",
        sentence=N_(
            "The training data in line {line} are sorted and not shuffled: neighbors have "
            "different labels {order} times as often as in shuffled data (expected: about 1)."
        ),
    ),
    rule(
        "evaluated-is-trained/call",
        "call",
        "untrained == 1",
        sentence=N_("Everything is ready for a training, but nothing is trained"),
    ),
)
