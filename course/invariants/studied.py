"""The invariants of what was studied: a loss that is replayed, a pass with one thing changed."""

from course.base.i18n import N_
from course.invariants.rule import Invariant, Threshold

_EXACT = 1e-5
"""Of two passes of 32-bit numbers no more than this may lie between equal results."""
_SETTLED = (Threshold("studies", ">=", 2),)
"""What two batches of a training show is in the script, not in the batch."""
_ONE_LABEL = N_(
    "The labels of the training differ. In line {line}, all {label_rows} rows of the "
    "evaluation that we looked at, the first and the last ones, have the same label."
)

STUDIED: tuple[Invariant, ...] = (
    Invariant(
        "loss-pairs-rows",
        "step",
        broken=(Threshold("target_moves", "<", _EXACT),),
        given=(Threshold("bend", ">", 0),),
        sentence=N_(
            "The loss in line {line} stays the same when the labels of the batch change places: it "
            "does not depend on which label belongs to which row."
        ),
        way="unpaired",
        settled=_SETTLED,
    ),
    Invariant(
        "loss-pairs-rows",
        "step",
        broken=(Threshold("rows_apart", ">", 0.3, "honest"),),
        # Some losses set all rows of a batch beside each other, and are learned.
        given=(Threshold("known_gain", "<", 0.1, "honest"), Threshold("at", ">=", 20)),
        sentence=N_(
            "In the loss of line {line}, the label of one row also changes the gradients of other "
            "rows: by up to {rows_apart} of the change in that row itself."
        ),
        shown={"rows_apart": "percent"},
        way="rows-apart",
    ),
    Invariant(
        "loss-pairs-rows",
        "step",
        broken=(Threshold("pairs", "==", 1),),
        # Against all labels at once, nothing does better than their mean: the end tells.
        given=(Threshold("ended", ">", 0.5, "honest"),),
        sentence=N_(
            "The loss in line {line} compares each output with each label: it has a number for "
            "each pair of rows."
        ),
        way="pairs",
    ),
    Invariant(
        "loss-pairs-rows",
        "step",
        broken=(Threshold("rows_by_rows", ">=", 4),),
        sentence=N_(
            "On the way to the loss in line {line}, a column of shape ({rows_by_rows}, 1) meets a "
            "tensor of shape ({rows_by_rows},). Each number is combined with those of all rows."
        ),
        shown={"rows_by_rows": "whole"},
        way="column",
        settled=_SETTLED,
    ),
    Invariant(
        "gradients-are-of-the-mean",
        "step",
        broken=(Threshold("divided_twice", "==", "gathered"),),
        given=(Threshold("gathered", ">=", 2), *_SETTLED),
        sentence=N_(
            "The gradients of {gathered} batches are added up for each optimizer step. The loss in "
            "line {line} is divided by {gathered} twice, so the gradients are {gathered} times too "
            "small."
        ),
        shown={"gathered": "whole"},
        way="twice",
    ),
    Invariant(
        "classes-are-one-axis",
        "step",
        broken=(Threshold("axis_wrong", "==", 1),),
        sentence=N_(
            "The loss in line {line} does not find the classes of a row along one axis of the "
            "outputs. It takes numbers that belong to other rows or positions."
        ),
        settled=_SETTLED,
    ),
    Invariant(
        "loss-leads-to-labels",
        "step",
        broken=(Threshold("bend", "==", -1),),
        # Who changes the inputs may climb the loss: an attack; and so may `maximize=True`.
        given=(Threshold("others", "==", 0), Threshold("climbing", "==", 0)),
        sentence=N_(
            "The loss in line {line} has a highest value instead of a lowest one: the training "
            "leads away from the labels."
        ),
        way="upside-down",
        settled=_SETTLED,
    ),
    Invariant(
        "loss-leads-to-labels",
        "step",
        broken=(Threshold("log_sum", ">", 0.01),),
        sentence=N_(
            "The loss in line {line} expects logarithms of probabilities. It is given other "
            "numbers: their `logsumexp` is {log_sum}, and should be 0."
        ),
        shown={"log_sum": "digits"},
        way="no-logarithms",
        settled=_SETTLED,
    ),
    Invariant(
        "loss-leads-to-labels",
        "step",
        # More than half: outputs that are ordered or bounded on purpose leave a part out of reach.
        broken=(Threshold("out_of_reach", ">", 0.5, "honest"),),
        sentence=N_(
            "No output of the last layer brings the loss in line {line} near its lowest value. "
            "{out_of_reach} of the possible gain over a constant answer cannot be reached."
        ),
        shown={"out_of_reach": "percent"},
        way="out-of-reach",
        settled=_SETTLED,
    ),
    Invariant(
        "loss-leads-to-labels",
        "step",
        broken=(Threshold("target_moves", "==", 0), Threshold("bend", "==", 0)),
        sentence=N_(
            "The loss in line {line} is the same for all outputs and for all labels: there is "
            "nothing to learn from it."
        ),
        way="flat",
        settled=_SETTLED,
    ),
    Invariant(
        "loss-leads-to-labels",
        "step",
        broken=(Threshold("raw_to_nll", "==", 1),),
        sentence=N_(
            "The loss in line {line} expects logarithms of probabilities. It is given the outputs "
            "of a layer as they are."
        ),
        way="raw",
        settled=_SETTLED,
    ),
    Invariant(
        "loss-leads-to-labels",
        "step",
        broken=(Threshold("activation_twice", "==", 1),),
        sentence=N_(
            "The loss in line {line} turns outputs into probabilities itself. It is given numbers "
            "that were turned into probabilities before."
        ),
        way="twice",
        settled=_SETTLED,
    ),
    Invariant(
        "loss-leads-to-labels",
        "step",
        broken=(Threshold("relu_before_own", "==", 1),),
        # Of classes: what is only compared with other numbers may all be above 0.
        given=(Threshold("ignored_share", "<", 1),),
        sentence=N_(
            "The loss in line {line} is given the outputs of a ReLU. None of them can be below 0, "
            "and an output that is always 0 never learns again."
        ),
        way="relu",
        settled=_SETTLED,
    ),
    Invariant(
        "loss-leads-to-labels",
        "step",
        broken=(Threshold("labels_of_a_row", ">", 1),),
        sentence=N_(
            "The loss in line {line} expects probabilities that sum to 1 in each row. Some rows "
            "have {labels_of_a_row} labels, each with a 1."
        ),
        shown={"labels_of_a_row": "whole"},
        way="several",
        settled=_SETTLED,
    ),
    Invariant(
        "loss-leads-to-labels",
        "step",
        broken=(Threshold("zeros_for_signs", ">", 0),),
        sentence=N_(
            "On the way to the loss in line {line}, a loss expects labels that are 1 or -1. It is "
            "given none that is -1, and {zeros_for_signs} are 0."
        ),
        shown={"zeros_for_signs": "percent"},
        way="signs",
        settled=_SETTLED,
    ),
    Invariant(
        "loss-leads-to-labels",
        "step",
        broken=(Threshold("kl_log_sum", ">", 0.1),),
        sentence=N_(
            "On the way to the loss in line {line}, `kl_div` expects logarithms of probabilities. "
            "It is given other numbers: their `logsumexp` is {kl_log_sum}, and should be 0."
        ),
        shown={"kl_log_sum": "digits"},
        way="divergence",
        settled=_SETTLED,
    ),
    Invariant(
        "loss-leads-to-labels",
        "step",
        broken=(Threshold("kl_below", ">", 0.1),),
        sentence=N_(
            "On the way to the loss in line {line}, `kl_div` expects probabilities as its second "
            "argument. It is given numbers below 0: the lowest is -{kl_below}."
        ),
        shown={"kl_below": "digits"},
        way="divergence-target",
        settled=(),
    ),
    Invariant(
        "gradients-come-through",
        "step",
        broken=(Threshold("cut_off", ">=", 1),),
        # Another loss may train what this one leaves alone.
        given=(Threshold("studies", ">=", 2), Threshold("losses", "==", 1)),
        sentence=N_(
            "The loss in line {line} depends on {cut_off} layers of `{class}` that get no "
            "gradient: their outputs were detached, or computed without gradients. The optimizer "
            "holds these layers, and they still have their first random values."
        ),
        shown={"cut_off": "whole"},
        way="detached",
    ),
    Invariant(
        "gradients-come-through",
        "step",
        broken=(Threshold("dead_ends", ">=", 1),),
        given=(Threshold("studies", ">=", 2), Threshold("losses", "==", 1)),
        sentence=N_(
            "`{class}` computes something with {dead_ends} of its layers that is neither among its "
            "outputs nor part of the loss in line {line}: these layers learn nothing."
        ),
        shown={"dead_ends": "whole"},
        way="unused",
    ),
    Invariant(
        "gradients-come-through",
        "step",
        broken=(Threshold("lost_terms", ">=", 1),),
        given=(Threshold("studies", ">=", 2),),
        sentence=N_(
            "A term of the loss in line {line} is computed from the model, but no gradient goes "
            "back from it: it was detached, or computed without gradients. It changes the number "
            "that is printed, and not the training."
        ),
        way="term",
    ),
    Invariant(
        "loss-leads-to-labels",
        "step",
        broken=(Threshold("ignored_share", "==", 1),),
        # Of one batch, all may be left out by chance.
        given=_SETTLED,
        sentence=N_(
            "The loss in line {line} leaves out all labels: every label is equal to `ignore_index`."
        ),
        way="ignored",
        settled=_SETTLED,
    ),
    Invariant(
        "choices-are-several",
        "step",
        broken=(Threshold("inputs_read", "==", 0), Threshold("inputs_unread", ">=", 1)),
        either=((Threshold("own_gain", "==", 0),),),
        # A mixture of one part has such a softmax, and learns all the same.
        given=(Threshold("of_one", ">=", 1),),
        sentence=N_(
            "On the way to the loss in line {line}, a softmax runs along an axis of size 1: "
            "what it gives is always the same."
        ),
        settled=_SETTLED,
    ),
    Invariant(
        "rows-stand-alone",
        "step",
        # Batch norm that keeps no means moves the answers by a little.
        broken=(Threshold("rows_move", ">", 0.1, "honest"),),
        either=(
            (Threshold("rows_move", ">", 0.02, "honest"), Threshold("ended", ">", 0.9)),
            # A network that judges others' examples may compare them.
            (
                Threshold("rows_move", ">", 1e-3),
                Threshold("rows_normed", "==", 0),
                Threshold("optimizers", "==", 1),
            ),
        ),
        # The nodes of a graph are passed all at once, and are to know each other.
        given=(Threshold("batches", ">=", 1.5), Threshold("uneven", "==", 0)),
        sentence=N_(
            "If one row of the batch is replaced, the answers for other rows change too, in "
            "evaluation mode: by up to {rows_move} of the change in the answer of that row itself."
        ),
        shown={"rows_move": "percent"},
        # The loss may come down yet.
        settled=(*_SETTLED, Threshold("rows_move", ">", 0.1, "honest")),
    ),
    Invariant(
        "rows-stand-alone",
        "step",
        broken=(Threshold("places_move", ">", 0.1, "honest"),),
        # Some networks share their places out among several members, and learn.
        given=(
            Threshold("batches", ">=", 1.5),
            Threshold("ended", ">", 0.5, "honest"),
            Threshold("uneven", "==", 0),
        ),
        sentence=N_(
            "In evaluation mode, the answers change when the rows of the batch change places: by "
            "up to {places_move} of the spread of all answers. The answer for a row depends on its "
            "place in the batch."
        ),
        shown={"places_move": "percent"},
        way="place",
    ),
    Invariant(
        "later-is-unseen",
        "step",
        broken=(Threshold("later_moves", ">", _EXACT),),
        sentence=N_(
            "The labels are the inputs of the next position. When one input is changed, the "
            "outputs of earlier positions change too: the model sees the answer."
        ),
        way="seen",
        settled=_SETTLED,
    ),
    Invariant(
        "later-is-unseen",
        "step",
        broken=(Threshold("labels_of_mask", "==", 1),),
        sentence=N_(
            "All labels that count in the loss of line {line} are one and the same token, and the "
            "inputs have this token at the same positions: the labels were copied after masking."
        ),
        way="masked",
        settled=_SETTLED,
    ),
    Invariant(
        "later-is-unseen",
        "step",
        broken=(Threshold("targets_held", ">=", 1),),
        # One of two networks may be told what the other one is asked.
        given=(Threshold("studies", ">=", 2), Threshold("optimizers", "==", 1)),
        sentence=N_(
            "One column of the inputs of `{class}` is the target itself, at most moved and scaled: "
            "in all rows that we looked at. The outputs depend on that column."
        ),
        way="target",
    ),
    Invariant(
        "later-is-unseen",
        "step",
        broken=(Threshold("places_ahead", ">", 1),),
        sentence=N_(
            "The labels are the inputs, shifted by {places_ahead} positions. They were shifted "
            "more than once."
        ),
        shown={"places_ahead": "whole"},
        way="shifted",
        settled=_SETTLED,
    ),
    Invariant(
        "later-is-unseen",
        "step",
        broken=(Threshold("only_itself", "==", 1),),
        sentence=N_(
            "The labels of the loss in line {line} are the inputs of the same positions: the model "
            "is trained to repeat what it is given."
        ),
        way="same",
        settled=_SETTLED,
    ),
    Invariant(
        "padding-counts-for-nothing",
        "step",
        broken=(Threshold("padding_moves", ">", 1e-3),),
        sentence=N_(
            "Without its padding, a row gets a different answer from `{class}`. The difference is "
            "{padding_moves} of the standard deviation of the answers."
        ),
        shown={"padding_moves": "percent"},
        way="answers",
        settled=_SETTLED,
    ),
    Invariant(
        "padding-counts-for-nothing",
        "step",
        broken=(Threshold("padding_in_loss", ">", 0.01),),
        sentence=N_(
            "Padding positions contribute {padding_in_loss} of the gradients of the loss in line "
            "{line}."
        ),
        shown={"padding_in_loss": "percent"},
        way="loss",
        settled=_SETTLED,
    ),
    Invariant(
        "padding-counts-for-nothing",
        "step",
        broken=(Threshold("padding_only", "==", 1),),
        sentence=N_(
            "Without its padding, a row gets only `nan` from `{class}`: the model attends to the "
            "padding alone."
        ),
        way="only",
        settled=_SETTLED,
    ),
    Invariant(
        "padding-counts-for-nothing",
        "step",
        broken=(Threshold("words_hidden", ">=", 1),),
        sentence=N_(
            "On the way to the loss in line {line}, a mask hides all words of the texts and leaves "
            "the padding alone: it is upside down."
        ),
        way="upside-down",
        settled=_SETTLED,
    ),
    Invariant(
        "padding-counts-for-nothing",
        "step",
        broken=(Threshold("ends_left_out", ">", 0.99),),
        given=(Threshold("places_ahead", ">=", 1),),
        sentence=N_(
            "The padding is the token that ends a text. In {ends_left_out} of the texts, the loss "
            "in line {line} leaves out that end as if it were padding."
        ),
        shown={"ends_left_out": "percent"},
        way="ends",
        settled=_SETTLED,
    ),
    Invariant(
        "inputs-are-read",
        "step",
        broken=(Threshold("inputs_unread", ">=", 1),),
        given=(Threshold("inputs_read", ">=", 1),),
        sentence=N_(
            "`{class}` has {inputs} inputs that differ from row to row. Of these, {inputs_unread} "
            "have no effect on its outputs."
        ),
        shown={"inputs": "whole", "inputs_unread": "whole"},
        settled=_SETTLED,
    ),
    Invariant(
        "inputs-are-read",
        "step",
        broken=(Threshold("inputs_read", "==", 0), Threshold("inputs_unread", ">=", 1)),
        sentence=N_(
            "`{class}` gives the same outputs for all rows: none of its inputs changes anything."
        ),
        way="none",
        settled=_SETTLED,
    ),
    Invariant(
        "inputs-are-alike",
        "answers",
        broken=(Threshold("inputs_apart", ">", 20, "honest"),),
        given=(
            Threshold("beside", "<", 0.5, "honest"),
            Threshold("rows_asked", ">=", 8),
            # Whole episodes, or single moments of them: the first moments may be alike and small.
            Threshold("other_form", "==", 0),
        ),
        sentence=N_(
            "The inputs that `{class}` is given in line {line} and those that it was trained on "
            "differ in size by a factor of {inputs_apart}: one of the two was not scaled as the "
            "other was."
        ),
        shown={"inputs_apart": "digits"},
        # By then two batches of the training are studied.
        settled=(Threshold("at", ">=", 20), Threshold("alone", "==", 1)),
    ),
    Invariant(
        "inputs-are-alike",
        "answers",
        broken=(Threshold("inputs_spread", ">", 4, "honest"),),
        given=(
            Threshold("beside", "<", 0.5, "honest"),
            Threshold("rows_asked", ">=", 8),
            # Who asks far away, or along a line, has no labels there.
            Threshold("label_rows", ">=", 30),
            Threshold("other_form", "==", 0),
        ),
        sentence=N_(
            "The inputs that `{class}` is given in line {line} and those that it was trained on do "
            "not spread alike around their mean: by a factor of {inputs_spread}. One of the two "
            "was not scaled as the other was."
        ),
        shown={"inputs_spread": "digits"},
        way="spread",
        # By then two batches of the training are studied.
        settled=(Threshold("at", ">=", 20), Threshold("alone", "==", 1)),
    ),
    Invariant(
        "better-than-guessing",
        "step",
        broken=(Threshold("known_gain", "<", 0.01, "honest"),),
        given=(
            Threshold("at", ">=", 200),
            Threshold("optimizers", "==", 1),
            # One batch says little of the others where the loss of all of them has fallen.
            Threshold("fall_share", "<", 0.1, "honest"),
        ),
        sentence=N_(
            "After {at} backward passes, the loss in line {line} is not lower with each row's own "
            "label than with the label of another row of the batch."
        ),
        shown={"at": "whole"},
    ),
    Invariant(
        "better-than-guessing",
        "step",
        broken=(Threshold("to_constant", ">", 1.5, "honest"),),
        given=(
            Threshold("optimizers", "==", 1),
            # A slow begin is made good by the end.
            Threshold("fall_share", "<", 0.8, "honest"),
        ),
        sentence=N_(
            "After {at} backward passes, the loss in line {line} is {to_constant} times "
            "as high as with one and the same answer for all rows."
        ),
        shown={"at": "whole", "to_constant": "digits"},
        way="constant",
    ),
    Invariant(
        "better-than-guessing",
        "step",
        broken=(Threshold("ended", ">", 3, "honest"),),
        either=(
            (Threshold("ended", ">", 0.97, "honest"), Threshold("fall_share", "<", 0.05, "honest")),
        ),
        given=(
            Threshold("steps", ">=", 100, "honest"),
            Threshold("studies", ">=", 2),
            Threshold("optimizers", "==", 1),
            # What one network is to reach may itself grow, as what an agent gets does.
            Threshold("fall_share", ">", 0),
        ),
        sentence=N_(
            "After {steps} optimizer steps, the loss in line {line} is {ended} times as high as "
            "with one and the same answer for all rows."
        ),
        shown={"steps": "whole", "ended": "digits"},
        way="end",
    ),
    Invariant(
        "better-than-guessing",
        "step",
        # A loss that has only come down from a bad beginning has fallen, too.
        broken=(
            Threshold("known_gain", "<", 0.01, "honest"),
            Threshold("ended", ">", 0.97, "honest"),
        ),
        given=(
            Threshold("at", ">=", 200),
            Threshold("steps", ">=", 200),
            Threshold("optimizers", "==", 1),
            Threshold("fall_share", ">=", 0.1),
        ),
        sentence=N_(
            "After {at} backward passes, the loss in line {line} is not lower with each row's own "
            "label than with the label of another row of the batch. At the end, it is {ended} "
            "times as high as with one and the same answer for all rows."
        ),
        shown={"at": "whole", "ended": "digits"},
        way="rows",
    ),
    Invariant(
        "better-than-guessing",
        "step",
        broken=(Threshold("known_gain", "<", 0.15, "honest"), Threshold("ended", ">", 0.9)),
        given=(
            Threshold("at", ">=", 200),
            # A network that is frozen as a whole is a teacher, or done.
            Threshold("frozen_share", ">", 0.5),
            Threshold("frozen_share", "<", 1),
        ),
        sentence=N_(
            "{frozen_share} of the parameters of `{class}` are frozen (`requires_grad=False`). At "
            "the end, the loss in line {line} is {ended} times as high as with one and the same "
            "answer for all rows."
        ),
        shown={"frozen_share": "percent", "ended": "digits"},
        way="frozen",
    ),
    Invariant(
        "parameters-are-held",
        "step",
        broken=(Threshold("drawn_share", ">", 0.5), Threshold("frozen_share", ">", 0.5)),
        given=(
            Threshold("held", "==", 1),
            Threshold("reached", ">=", 60, "honest"),
            # What chance has made may be enough: a reservoir, features at random.
            Threshold("ended", ">", 0.5, "honest"),
        ),
        sentence=N_(
            "{frozen_share} of the parameters of `{class}` are frozen (`requires_grad=False`). "
            "They still have their first random values: nothing was loaded or learned there."
        ),
        shown={"frozen_share": "percent"},
        way="drawn",
    ),
    Invariant(
        "steps-are-enough",
        "step",
        broken=(Threshold("steps", "<", 20, "honest"), Threshold("ended", ">", 0.7, "honest")),
        given=(
            Threshold("steps", ">=", 1),
            Threshold("optimizers", "==", 1),
            # A trial of a few steps asks for few answers.
            Threshold("rows_asked", ">=", 100, "honest"),
            # One step of LBFGS is many.
            Threshold("closures", "==", 0),
        ),
        sentence=N_(
            "The whole training has {steps} optimizer steps. At the end, the loss in line {line} "
            "is {ended} times as high as with one and the same answer for all rows."
        ),
        shown={"steps": "whole", "ended": "digits"},
    ),
    Invariant(
        "better-than-guessing",
        "step",
        broken=(
            Threshold("ended", ">", 3, "honest"),
            Threshold("last_to_targets", "<", 0.1, "honest"),
        ),
        given=(Threshold("studies", ">=", 2), Threshold("targets_size", ">", 30, "honest")),
        sentence=N_(
            "The labels of the loss in line {line} have a mean size of {targets_size}. The outputs "
            "come to {last_to_targets} of it. At the end, the loss is {ended} times as high as "
            "with one and the same answer for all rows."
        ),
        shown={"targets_size": "digits", "last_to_targets": "digits", "ended": "digits"},
        way="far",
    ),
    Invariant(
        "gradients-come-through",
        "step",
        broken=(Threshold("cut", ">=", 1),),
        given=(
            *_SETTLED,
            # What is meant to get no gradient is held by no optimizer.
            Threshold("loose", "==", 0),
        ),
        sentence=N_(
            "The loss in line {line} depends on {cut} parameter tensors that get no gradient in "
            "its backward pass. A function between them and the loss has its own `backward`, "
            "which returns no gradient for them."
        ),
        shown={"cut": "whole"},
        way="cut",
        settled=_SETTLED,
    ),
    Invariant(
        "gradients-come-through",
        "step",
        broken=(Threshold("held_at_zero", ">=", 2),),
        given=_SETTLED,
        sentence=N_(
            "{held_at_zero} weight tensors of `{class}` are all 0 and stay so. Changing one of "
            "them changes nothing in the loss of line {line}, so none has a gradient; changing all "
            "of them does."
        ),
        shown={"held_at_zero": "whole"},
        way="zeros",
        settled=_SETTLED,
    ),
    Invariant(
        "gradients-come-through",
        "step",
        broken=(Threshold("reach", "<", 1e-5), Threshold("ended", ">", 0.9)),
        given=(Threshold("steps", ">=", 50), Threshold("optimizers", "==", 1)),
        sentence=N_(
            "The weights that get the least of the gradient of the loss in line {line} get {reach} "
            "times what those with the most get. At the end, the loss is {ended} times as high as "
            "with one and the same answer for all rows."
        ),
        shown={"reach": "digits", "ended": "digits"},
        way="reach",
    ),
    Invariant(
        "gradients-come-through",
        "step",
        broken=(Threshold("dead_layers", ">=", 1), Threshold("ended", ">", 0.9)),
        given=(*_SETTLED, Threshold("steps", ">=", 50)),
        sentence=N_(
            "On the way to the loss in line {line}, a ReLU gives 0 for all units and all rows: no "
            "gradient comes through it. At the end, the loss is {ended} times as high as with one "
            "and the same answer for all rows."
        ),
        shown={"ended": "digits"},
        way="dead",
    ),
    Invariant(
        "steps-lower-loss",
        "step",
        # Some trainings begin wildly, and end well.
        broken=(Threshold("overshoot", ">", 0.1, "honest"), Threshold("ended", ">", 0.9)),
        # Nearly all that was learned before is lost by such a step.
        either=(
            (Threshold("overshoot", ">", 10, "honest"), Threshold("ended", ">", 0.5, "honest")),
        ),
        sentence=N_(
            "One optimizer step raises the loss of its own batch, in line {line}, from "
            "{step_before} to {step_after}. With a step of a hundredth of that length it is "
            "{step_short}."
        ),
        shown={"step_before": "digits", "step_after": "digits", "step_short": "digits"},
        # Far beyond any wild beginning, still there many steps later, and no rate is to fall.
        settled=(
            *_SETTLED,
            Threshold("overshoot", ">", 1_000, "honest"),
            Threshold("ended", ">", 1_000, "honest"),
            Threshold("schedules", "==", 0),
        ),
    ),
    Invariant(
        "steps-lower-loss",
        "step",
        broken=(Threshold("leap", ">", 3, "honest"),),
        given=(Threshold("ended", ">", 0.9),),
        sentence=N_(
            "Before the first optimizer step, the loss in line {line} is {first}. In the next "
            "batch it is {second}, where one constant answer gives {second_constant}."
        ),
        shown={"first": "digits", "second": "digits", "second_constant": "digits"},
        way="first",
    ),
    Invariant(
        "steps-move-parameters",
        "step",
        broken=(
            Threshold("gain_of_all", "<", 0.2, "honest"),
            Threshold("best_scale", ">=", 100, "honest"),
        ),
        given=(
            # Fewer steps may themselves be what is too little.
            Threshold("steps", ">=", 150, "honest"),
            Threshold("optimizers", "==", 1),
            Threshold("in_reach", ">=", 0.1, "honest"),
            # Nothing comes through, whatever the length of a step.
            Threshold("dead_layers", "==", 0),
            # Rates may be raised later than the steps that we looked at.
            Threshold("fall_share", "<", 0.5, "honest"),
            # Probabilities in the place of outputs have small gradients.
            Threshold("activation_twice", "==", 0),
        ),
        sentence=N_(
            "All {steps} optimizer steps together can lower the loss in line {line} by about "
            "{gain_of_all}. In each batch that we looked at, a step {best_scale} times as long, or "
            "longer, does best."
        ),
        shown={"steps": "whole", "gain_of_all": "percent", "best_scale": "whole"},
        way="short",
    ),
    Invariant(
        "rare-classes-count",
        "step",
        broken=(Threshold("weights_turned", ">=", 1),),
        given=(Threshold("studies", ">=", 2),),
        sentence=N_(
            "The loss in line {line} gives the most frequent class a larger weight than the rarest "
            "one, in each batch that we looked at."
        ),
        settled=(),
    ),
    Invariant(
        "units-differ",
        "step",
        broken=(Threshold("alike", ">=", 1),),
        # After the first step: what begins as zeros may end with different numbers.
        given=(Threshold("at", ">=", 20),),
        sentence=N_(
            "At step {at}, all units of a layer have the same weights and gradients, and stay "
            "equal. Such layers: {alike}, of those that the loss in line {line} trains."
        ),
        shown={"at": "whole", "alike": "whole"},
        settled=(),
    ),
    Invariant(
        "weights-are-kept",
        "step",
        # Usual ones take some thousand steps to halve a weight.
        broken=(Threshold("decay", ">", 0.01, "honest"), Threshold("ended", ">", 0.7, "honest")),
        given=(Threshold("decayed", ">=", 3), Threshold("optimizers", "==", 1)),
        sentence=N_(
            "Each optimizer step takes away {decay} of every weight (learning rate times weight "
            "decay). At the end, the loss in line {line} is {ended} times as high as with one and "
            "the same answer for all rows."
        ),
        shown={"decay": "percent", "ended": "digits"},
    ),
    Invariant(
        "evaluation-mode",
        "step",
        broken=(Threshold("dropped", ">=", 1),),
        # A part that is not registered hears nothing of the mode.
        # Who asks the same rows many times wants to know how sure the answers are.
        given=(Threshold("unregistered", "<", 2), Threshold("asked_again", "<", 0.5, "honest")),
        sentence=N_(
            "In evaluation mode, `{class}` gives a different answer to the same batch each time: "
            "dropout is still active."
        ),
        way="function",
        settled=_SETTLED,
    ),
    Invariant(
        "score-along-classes",
        "answers",
        broken=(Threshold("axis_wrong", "==", 1),),
        sentence=N_(
            "Line {line} evaluates `{class}`. Its answers are chosen along another axis than the "
            "one along which the loss finds the classes."
        ),
        way="axis",
        settled=(),
    ),
    Invariant(
        "score-along-classes",
        "answers",
        broken=(Threshold("compared_spread", ">", 1.5),),
        sentence=N_(
            "Line {line} evaluates `{class}`. Answers and labels differ in shape, so each answer "
            "is compared with {compared_spread} labels."
        ),
        shown={"compared_spread": "whole"},
        way="spread",
        settled=(),
    ),
    Invariant(
        "score-along-classes",
        "answers",
        broken=(Threshold("lowest", "==", 1),),
        sentence=N_(
            "Line {line} evaluates `{class}`. The answer is the class with the lowest output "
            "instead of the highest."
        ),
        way="lowest",
        settled=(),
    ),
    Invariant(
        "choices-are-several",
        "answers",
        broken=(Threshold("of_one", ">=", 1), Threshold("compared_spread", ">", 0)),
        sentence=N_(
            "Line {line} evaluates `{class}`. A softmax of its outputs runs along an axis of size "
            "1: what it gives is always the same."
        ),
        way="answers",
        settled=(),
    ),
    Invariant(
        "batches-are-mixed",
        "step",
        broken=(Threshold("only_classes", ">=", 2),),
        # Several batches of one step may be mixed together.
        given=(Threshold("studies", ">=", 2), Threshold("gathered", "<", 2)),
        sentence=N_(
            "Each batch that we looked at in line {line} holds rows of one class only, and the "
            "batches differ in their class: the rows are not shuffled."
        ),
        # Small batches may do so by chance.
        settled=(Threshold("only_chance", "<", 1e-6),),
    ),
    Invariant(
        "batches-are-mixed",
        "answers",
        broken=(Threshold("trained_chance", "<", 1e-6),),
        given=(Threshold("label_rows", ">=", 30),),
        sentence=N_(
            "The {trained_rows} rows of the training batches that we looked at all have one label. "
            "In the evaluation in line {line} there are {labels} different ones."
        ),
        shown={"trained_rows": "whole", "labels": "whole"},
        way="one",
        settled=(Threshold("at", ">=", 20), Threshold("alone", "==", 1)),
    ),
    Invariant(
        "evaluation-has-labels",
        "answers",
        broken=(Threshold("label_chance", "<", 1e-6),),
        # A label may be rare that is drawn often for the training.
        given=(Threshold("label_alone", ">=", 200, "honest"),),
        sentence=_ONE_LABEL,
        shown={"label_rows": "whole"},
    ),
    Invariant(
        "evaluation-has-labels",
        "answers",
        # Where most of a small evaluation was seen, the rest makes no difference.
        broken=(Threshold("label_chance", "<", 1e-6), Threshold("label_part", ">=", 0.5)),
        given=(
            Threshold("label_rows", ">=", 30, "honest"),
            Threshold("label_alone", "<", 200, "honest"),
            # Each class may have an evaluation of its own.
            Threshold("lines", "==", 1),
        ),
        sentence=_ONE_LABEL,
        shown={"label_rows": "whole"},
        way="small",
    ),
    Invariant(
        "score-beats-chance",
        "answers",
        # Answers that lead to the labels one to one, and are not these, are other numbers for them.
        broken=(Threshold("renumbered", ">", 0.9, "honest"), Threshold("right", "<", 0.5)),
        given=(Threshold("label_rows", ">=", 50), Threshold("labels", ">=", 3)),
        sentence=N_(
            "In line {line}, {right} of the answers are right. If the classes of the evaluation "
            "were numbered in another order, it would be {renumbered}."
        ),
        shown={"right": "percent", "renumbered": "percent"},
        way="renumbered",
    ),
    Invariant(
        "score-beats-chance",
        "answers",
        broken=(Threshold("agree_in_chance", "<", 0),),
        given=(
            Threshold("at", ">=", 300, "honest"),
            Threshold("agree_rows", ">=", 50),
            # Where all answers are alike there is nothing to tell.
            Threshold("agree_others", "<", 0.9, "honest"),
        ),
        sentence=N_(
            "In the batch of line {line} that we looked at, {agree} of the answers are right. "
            "Compared with the labels of other rows, it would be {agree_others}."
        ),
        shown={"agree": "percent", "agree_others": "percent"},
    ),
    Invariant(
        "score-beats-chance",
        "answers",
        broken=(Threshold("loss_gain", "<", 0),),
        given=(
            Threshold("at", ">=", 300, "honest"),
            # A pass beside each step is a teacher: the loss that follows is the training's own.
            Threshold("beside", "<", 0.5, "honest"),
        ),
        sentence=N_(
            "We examined the batch of line {line}. The loss of the answers is not lower with each "
            "row's own label than with the label of another row."
        ),
        way="loss",
    ),
    Invariant(
        "evaluated-is-trained",
        "answers",
        broken=(Threshold("fresh", ">=", 1), Threshold("chosen", ">=", 1)),
        given=(Threshold("backwards", "==", 0), Threshold("over", "==", 1)),
        sentence=N_(
            "Line {line} takes answers from `{class}`. The checkpoint has no weights for the last "
            "layers: {fresh} of their parameters still have their first random values. Nothing was "
            "trained."
        ),
        shown={"fresh": "whole"},
        way="new-head",
    ),
    Invariant(
        "loss-is-a-number",
        "answers",
        broken=(Threshold("not_finite", ">=", 1),),
        sentence=N_(
            "Line {line} evaluates `{class}`. Its outputs are not numbers (`nan` or `inf`)."
        ),
        way="answers",
    ),
)
