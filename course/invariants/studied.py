"""The invariants of what was studied: a loss that is replayed, a pass with one thing changed."""

from course.base.i18n import N_
from course.invariants.rule import Bounds, Invariant, rule

_SETTLED = "studies >= 2"
"""What two batches of a training show is in the script, not in the batch."""
_OF_A_CONSTANT = N_(
    "After {steps} optimizer steps, the loss in line {line} is {ended} times the loss of a "
    "model that gives the same answer for all rows. A model that has learned has a clearly "
    "lower loss than that model."
)
_FROZEN = N_(
    "{frozen_share} of the parameters of `{class}` are frozen (`requires_grad=False`): the "
    "training does not change them."
)
_ONE_LABEL = N_(
    "The training data have several labels. But in the evaluation in line {line}, all {label_rows} "
    "rows that we looked at have the same label."
)
_INVERTED = N_(
    "When the loss in line {line} is computed, a mask hides all words of the texts, but not the "
    "padding: the mask is inverted."
)
_SCALED_APART = N_(
    "The inputs of `{class}` in line {line} were not scaled like the inputs that it was trained "
    "on: their values differ by a factor of {measured}."
)
_OWN_LABEL = N_(
    "The loss in line {line} should be lower with each row's own label than with the label of "
    "another row. In the batches that we examined, it is not."
)
TERM = N_(
    "A term of the loss in line {line} is computed from the model, but no gradient goes back from "
    "it: it was detached, or computed without gradients, or without `create_graph=True`. The term "
    "changes the printed loss, but not the training."
)


def _step(name: str, broken: Bounds, sentence: str, *, given: Bounds = ()) -> Invariant:
    """Make a rule of a step that is settled once two batches are studied."""
    return rule(name, "step", broken, sentence, given=given, settled=_SETTLED)


def _asked(
    name: str, broken: Bounds, sentence: str, *, given: Bounds = (), settled: Bounds | None = None
) -> Invariant:
    """Make a rule of a batch of an evaluation."""
    return rule(name, "answers", broken, sentence, given=given, settled=settled)


def _late(
    name: str, broken: Bounds, sentence: str, *, given: Bounds = (), settled: Bounds | None = None
) -> Invariant:
    """Make a rule of a step that the rest of a run may mend, but for where it is settled."""
    return rule(name, "step", broken, sentence, given=given, settled=settled)


STUDIED: tuple[Invariant, ...] = (
    rule(
        "training-mode/most-dropped",
        "step",
        # Of a wide layer, a fifth may be enough to learn by; where it is not, the end tells.
        "most_dropped >= 0.9 or most_dropped > 0.7*, ended > 0.5*",
        sentence=N_(
            "When the loss in line {line} is computed, dropout sets {most_dropped} of the numbers "
            "in a layer to 0. Almost nothing of the inputs is left for the layers after it."
        ),
    ),
    _step(
        "loss-pairs-rows/unpaired",
        "target_moves < 1e-5",
        given="bend > 0",
        sentence=N_("The loss compares each output with every target"),
    ),
    _late(
        "loss-pairs-rows/rows-apart",
        "rows_apart > 0.3*",
        # Some losses set all rows of a batch beside each other, and are learned.
        given="known_gain < 0.1*, at >= 20",
        sentence=N_(
            "In the loss of line {line}, the label of one row also changes the gradients of other "
            "rows. The largest of these changes is {rows_apart} of the change in the row's own "
            "gradient."
        ),
    ),
    _late(
        "loss-pairs-rows/pairs",
        # Against all labels at once, nothing does better than their mean: the end tells.
        "pairs == 1, ended > 0.5* or pairs_in_sum == 1",
        sentence=N_("The loss compares each output with every target"),
    ),
    _step(
        "loss-pairs-rows/column",
        "rows_by_rows >= 4",
        sentence=N_("The loss compares each output with every target"),
    ),
    _late(
        "gradients-are-of-the-mean/twice",
        "divided_twice == gathered",
        given=("gathered >= 2", _SETTLED),
        sentence=N_(
            "The gradients of {gathered} batches are added up for each optimizer step. The loss in "
            "line {line} is divided by {gathered} twice, so the gradients are {gathered} times too "
            "small."
        ),
    ),
    _step(
        "classes-are-one-axis",
        "axis_wrong == 1",
        sentence=N_("The axis of the examples is confused with another axis"),
    ),
    _step(
        "axes-keep-their-numbers",
        "axes_renamed >= 1",
        # Of one batch, two axes may be of one length by chance.
        given=_SETTLED,
        sentence=N_(
            "When the loss in line {line} is computed, `view` or `reshape` moves an axis of a "
            "tensor to another place. The numbers themselves stay in their old order. So values of "
            "different rows, positions or channels are mixed up."
        ),
    ),
    _step(
        "loss-leads-to-labels/upside-down",
        "bend == -1",
        # Who changes the inputs may climb the loss: an attack; and so may `maximize=True`.
        given="others == 0, climbing == 0",
        sentence=N_("The steps increase the loss instead of reducing it"),
    ),
    _step(
        "loss-leads-to-labels/no-logarithms",
        "log_sum > 0.01",
        sentence=N_(
            "The loss in line {line} expects logarithms of probabilities. It gets other numbers: "
            "their `logsumexp` is {log_sum}, and should be 0."
        ),
    ),
    _step(
        "loss-leads-to-labels/out-of-reach",
        # More than half: outputs that are ordered or bounded on purpose leave a part out of reach.
        "out_of_reach > 0.5*",
        sentence=N_(
            "For all possible outputs of the last layer, the loss in line {line} stays far from "
            "its lowest value. A perfect model would have a lower loss than a model that always "
            "gives the same answer. Because of the last layer, {out_of_reach} of this difference "
            "cannot be reached."
        ),
    ),
    _step(
        "loss-leads-to-labels/itself",
        "own_wins > 0.95",
        sentence=N_(
            "For each row, the loss in line {line} looks for the partner among all rows, and the "
            "row itself is one of them. For {own_wins} of the rows, the row itself is the most "
            "similar one. That is never the right answer."
        ),
    ),
    _step(
        "loss-leads-to-labels/alike",
        "met_itself >= 1",
        sentence=N_("Each row is compared with itself"),
    ),
    _step(
        "loss-leads-to-labels/shifted",
        "shifted >= 1",
        sentence=N_(
            "For each row, the loss in line {line} looks for the partner among all rows. As the "
            "partner, it takes the row that is {shifted} places later. So if B is the partner of "
            "A, then A is not the partner of B, and the pairs are wrong."
        ),
    ),
    _step(
        "loss-leads-to-labels/narrow",
        # Some take no factor on purpose, and learn of dozens of rows all the same.
        "best_left > 0.6*, bound < 1.01*",
        sentence=N_(
            "The loss in line {line} applies a softmax to similarities between -{bound} and "
            "{bound}. So even with the best possible answers, the loss is still {best_left} of the "
            "loss of random guessing."
        ),
    ),
    _step(
        "noise-is-as-large-as-told",
        "as_deviations >= 1",
        sentence=N_("The noise is multiplied by the variance"),
    ),
    _step(
        "loss-leads-to-labels/flat",
        # What is a straight line of its outputs has no bend, and sends gradients.
        "target_moves == 0, bend == 0, slopes == 0",
        sentence=N_(
            "The loss in line {line} is the same for all outputs and for all labels: there is "
            "nothing to learn from it."
        ),
    ),
    _step(
        "loss-leads-to-labels/raw",
        "raw_to_nll == 1",
        sentence=N_("Raw outputs are given to a loss that needs probabilities"),
    ),
    _step(
        "loss-leads-to-labels/twice",
        "activation_twice == 1",
        sentence=N_("A softmax or sigmoid is applied before a loss that applies its own"),
    ),
    _step(
        "loss-leads-to-labels/relu",
        "relu_before_own == 1",
        # Of classes: what is only compared with other numbers may all be above 0.
        given="ignored_share < 1",
        sentence=N_("Because of the last activation, the outputs cannot reach the targets"),
    ),
    _step(
        "loss-leads-to-labels/several",
        "labels_of_a_row > 1",
        sentence=N_(
            "The loss in line {line} expects probabilities that sum to 1 in each row. But in some "
            "rows, {labels_of_a_row} labels are 1."
        ),
    ),
    _step(
        "loss-leads-to-labels/signs",
        "zeros_for_signs > 0",
        sentence=N_(
            "The loss in line {line} is computed with a loss function that expects labels of 1 or "
            "-1. It gets no -1, and {zeros_for_signs} of the labels are 0."
        ),
    ),
    _step(
        "loss-leads-to-labels/divergence",
        "kl_log_sum > 0.1",
        sentence=N_(
            "The loss in line {line} is computed with `kl_div`, which expects logarithms of "
            "probabilities. It gets other numbers: their `logsumexp` is {kl_log_sum}, and should "
            "be 0."
        ),
    ),
    _late(
        "loss-leads-to-labels/divergence-target",
        "kl_below > 0.1",
        sentence=N_(
            "The loss in line {line} is computed with `kl_div`, which expects probabilities as its "
            "second argument. It gets numbers below 0: the lowest is -{kl_below}."
        ),
        settled=(),
    ),
    _late(
        "gradients-come-through/detached",
        "cut_off >= 1",
        # Another loss may train what this one leaves alone.
        given="studies >= 2, losses == 1",
        sentence=N_(
            "The loss in line {line} depends on {cut_off} layers of `{class}` that get no "
            "gradient: their outputs were detached, or computed without gradients. The optimizer "
            "holds these layers, and they still have their first random values."
        ),
    ),
    _late(
        "gradients-come-through/unused",
        "dead_ends >= 1",
        given="studies >= 2, losses == 1",
        sentence=N_(
            "`{class}` computes the results of {dead_ends} of its layers, but uses them neither "
            "for its outputs nor for the loss in line {line}. These layers learn nothing."
        ),
    ),
    _late(
        "gradients-come-through/term",
        "lost_terms >= 1",
        given="studies >= 2",
        sentence=TERM,
    ),
    _late(
        "gradients-come-through/weight",
        "weighted >= 1",
        given="studies >= 2",
        sentence=N_("The policy loss also trains the critic"),
        settled=(),
    ),
    _step(
        "loss-leads-to-labels/ignored",
        "ignored_share == 1",
        # Of one batch, all may be left out by chance.
        given=_SETTLED,
        sentence=N_("Every label is -100, which the loss leaves out"),
    ),
    _step(
        "choices-are-several",
        "inputs_read == 0, inputs_unread >= 1 or own_gain == 0 or pooled_by_one >= 1",
        # A mixture of one part has such a softmax, and learns all the same.
        given="of_one >= 1",
        sentence=N_("A softmax over a single output is always 1"),
    ),
    rule(
        "rows-stand-alone",
        "step",
        (
            # Batch norm that keeps no means moves the answers by a little.
            "rows_move > 0.1* or rows_move > 0.02*, ended > 0.9",
            # A network that judges others' examples may compare them.
            "or rows_move > 1e-3, rows_normed == 0, optimizers == 1",
        ),
        # The nodes of a graph are passed all at once, and are to know each other.
        given="batches >= 1.5, uneven == 0",
        sentence=N_(
            "If one row of the batch is replaced in evaluation mode, the answers for other rows "
            "also change. The largest of these changes is {rows_move} of the change in the answer "
            "for the replaced row."
        ),
        # The loss may come down yet.
        settled=(_SETTLED, "rows_move > 0.1*"),
    ),
    rule(
        "rows-stand-alone/place",
        "step",
        "places_move > 0.1*",
        # Some networks share their places out among several members, and learn.
        given="batches >= 1.5, ended > 0.5*, uneven == 0, answers_lost > 1e-3",
        sentence=N_(
            "In evaluation mode, the answers change when the rows of the batch are put in another "
            "order. The largest change is {places_move} of the standard deviation of all answers. "
            "The answer for a row depends on its place in the batch."
        ),
    ),
    rule(
        "rows-keep-labels/elsewhere",
        "step",
        "places_move > 0.1*, answers_lost <= 1e-3",
        # Who puts the labels in the same order learns from them.
        given="known_gain < 0.02*, ended > 0.5*",
        sentence=N_(
            "The outputs of `{class}` are not in the order of its rows. With the rows in another "
            "order, it returns the same values, but some of them are not at the position of their "
            "row."
        ),
    ),
    _step(
        "later-is-unseen/seen",
        "later_moves > 1e-5",
        sentence=N_("The model sees the tokens that it must predict"),
    ),
    _step(
        "later-is-unseen/masked",
        "labels_of_mask == 1",
        sentence=N_("The labels were copied after the tokens had been masked"),
    ),
    _late(
        "later-is-unseen/target",
        "targets_held >= 1",
        # One of two networks may be told what the other one is asked.
        given="studies >= 2, optimizers == 1",
        sentence=N_(
            "In all rows that we looked at, one column of the inputs of `{class}` is the target "
            "itself, or the target after a shift and a scaling. The outputs depend on that column."
        ),
    ),
    _step(
        "later-is-unseen/shifted",
        "places_ahead > 1",
        sentence=N_(
            "The labels are the inputs, shifted by {places_ahead} positions. They were shifted "
            "more than once."
        ),
    ),
    _step(
        "later-is-unseen/same",
        "only_itself == 1",
        sentence=N_("The labels of a language model are its inputs, without a shift"),
    ),
    _step(
        "later-is-unseen/unmasked",
        "unmasked > 0.3*",
        sentence=N_(
            "A mask token hides words of the inputs, and the model must find them. The loss in "
            "line {line} also counts the other words, which the model can copy: they contribute "
            "{unmasked} of its gradients."
        ),
    ),
    _step(
        "padding-counts-for-nothing/answers",
        "padding_moves > 1e-3",
        sentence=N_(
            "Without its padding, a row gets a different answer from `{class}`. The difference is "
            "{padding_moves} of the standard deviation of the answers."
        ),
    ),
    _step(
        "padding-counts-for-nothing/loss",
        "padding_in_loss > 0.01",
        sentence=N_(
            "Padding positions contribute {padding_in_loss} of the gradients of the loss in line "
            "{line}."
        ),
    ),
    _step(
        "padding-counts-for-nothing/only",
        "padding_only == 1",
        sentence=N_(
            "Without its padding, a row gets only `nan` from `{class}`: the model attends only to "
            "the padding."
        ),
    ),
    _step(
        "padding-counts-for-nothing/upside-down",
        "words_hidden >= 1",
        sentence=_INVERTED,
    ),
    _step(
        "padding-counts-for-nothing/ends",
        "ends_left_out > 0.99",
        given="places_ahead >= 1",
        sentence=N_(
            "The padding token is also the token that ends a text. In {ends_left_out} of the "
            "texts, the loss in line {line} leaves out this end as if it were padding."
        ),
    ),
    _step(
        "inputs-are-read",
        "inputs_unread >= 1",
        given="inputs_read >= 1",
        sentence=N_(
            "`{class}` has {inputs} inputs that differ from row to row. Of these, {inputs_unread} "
            "have no effect on its outputs."
        ),
    ),
    _step(
        "layers-add-something",
        "layers_in_one >= 1",
        # What a line is enough for is learned by one.
        given="ended > 0.3*, studies >= 2",
        sentence=N_(
            "`{class}` has several linear layers, but no activation between them. If the input is "
            "the mean of two rows, the output is exactly the mean of their outputs. So all layers "
            "together can do no more than a single linear layer."
        ),
    ),
    _step(
        "inputs-are-read/half",
        "half_unseen >= 1",
        # Where the other half is enough, nothing is lost.
        given="ended > 0.1*, studies >= 2",
        sentence=N_(
            "A recurrent layer of `{class}` goes in both directions, and only one position of its "
            "outputs is used. There, half of the numbers come from a single token: when all other "
            "tokens of a row are changed, these numbers stay the same."
        ),
    ),
    _step(
        "inputs-are-read/behind-padding",
        "unseen_behind > 0.3*, ended > 0.9",
        given="studies >= 2, steps >= 100*",
        sentence=N_(
            "A recurrent layer of `{class}` reads the padding after the text, too. For "
            "{unseen_behind} of the rows, the answer stays almost the same when the words are "
            "changed: the layer has forgotten the words."
        ),
    ),
    _step(
        "inputs-are-read/none",
        "inputs_read == 0, inputs_unread >= 1",
        sentence=N_(
            "`{class}` gives the same outputs for all rows: none of its inputs has an effect."
        ),
    ),
    _asked(
        "inputs-are-alike",
        "inputs_apart > 20*",
        given=(
            "beside < 0.5*, rows_asked >= 8",
            # Whole episodes, or single moments of them: the first moments may be alike and small.
            "other_form == 0",
        ),
        sentence=_SCALED_APART,
        # By then two batches of the training are studied.
        settled="at >= 20, alone == 1",
    ),
    _asked(
        "inputs-are-alike/spread",
        "inputs_spread > 4*",
        given=(
            "beside < 0.5*, rows_asked >= 8",
            # Who asks far away, or along a line, has no labels there.
            "label_rows >= 30, other_form == 0",
        ),
        sentence=_SCALED_APART,
        # By then two batches of the training are studied.
        settled="at >= 20, alone == 1",
    ),
    _late(
        "better-than-guessing",
        "known_gain < 0.01*",
        given=(
            # What climbs has no lower loss to reach, and an agent's own rewards may be all alike.
            "at >= 200, optimizers == 1, climbing == 0, agent == 0",
            # One batch says little of the others where the loss of all of them has fallen.
            "fall_share < 0.1*",
        ),
        sentence=_OWN_LABEL,
    ),
    _late(
        "better-than-guessing/constant",
        "to_constant > 1.5*",
        given=(
            "optimizers == 1, climbing == 0, agent == 0",
            # A slow begin is made good by the end.
            "fall_share < 0.8*",
        ),
        sentence=N_(
            "After {at} backward passes, the loss in line {line} is {to_constant} times the loss "
            "of a model that gives the same answer for all rows. A model that has learned has a "
            "clearly lower loss than that model."
        ),
    ),
    _late(
        "better-than-guessing/end",
        "ended > 3* or ended > 0.97*, fall_share < 0.05*",
        given=(
            "steps >= 100*, studies >= 2, optimizers == 1",
            # What one network is to reach may itself grow, as what an agent gets does.
            "fall_share > 0, beside < 0.5*",
        ),
        sentence=_OF_A_CONSTANT,
    ),
    _late(
        "better-than-guessing/rows",
        # A loss that has only come down from a bad beginning has fallen, too.
        "known_gain < 0.01*, ended > 0.97*",
        given=(
            "at >= 200, steps >= 200, optimizers == 1, fall_share >= 0.1",
            # What another network says of each batch moves with it.
            "beside < 0.5*",
        ),
        sentence=_OWN_LABEL,
    ),
    _late(
        "better-than-guessing/frozen",
        "known_gain < 0.15*, ended > 0.9",
        given=(
            "at >= 200",
            # A network that is frozen as a whole is a teacher, or done.
            "frozen_share > 0.5, frozen_share < 1",
        ),
        sentence=_FROZEN,
    ),
    _late(
        "parameters-are-held/drawn",
        "drawn_share > 0.5, frozen_share > 0.5",
        given=(
            "held == 1, reached >= 60*",
            # What chance has made may be enough: a reservoir, features at random.
            "ended > 0.5*",
        ),
        sentence=_FROZEN,
    ),
    _late(
        "steps-are-enough",
        (
            "steps < 20*, ended > 0.7*",
            # Longer steps do better to the end; so would as many more as smaller batches make.
            "or steps < 150*, ended > 0.9, gain_of_all < 0.2*, best_scale >= 100*",
            "gain_in_parts >= 0.1*, dead_layers == 0, activation_twice == 0",
        ),
        given=(
            "steps >= 1, optimizers == 1",
            # A trial of a few steps asks for few answers.
            "rows_asked >= 100*",
            # One step of LBFGS is many.
            "closures == 0",
        ),
        sentence=_OF_A_CONSTANT,
    ),
    _late(
        "better-than-guessing/far",
        "ended > 3*, last_to_targets < 0.1*",
        given="studies >= 2, targets_size > 30*",
        sentence=N_(
            "The labels of the loss in line {line} have a mean absolute value of {targets_size}. "
            "The outputs are only {last_to_targets} times as large, so they do not reach the "
            "labels. At the end, the loss is {ended} times the loss of a model that gives the same "
            "answer for all rows."
        ),
    ),
    _step(
        "gradients-come-through/cut",
        "cut >= 1",
        given=(
            _SETTLED,
            # What is meant to get no gradient is held by no optimizer.
            "loose == 0",
        ),
        sentence=N_(
            "The loss in line {line} depends on {cut} parameter tensors that get no gradient in "
            "its backward pass. A function between these tensors and the loss has its own "
            "`backward`, which returns no gradient for them."
        ),
    ),
    _step(
        "gradients-come-through/own",
        "own_slopes >= 1",
        given=_SETTLED,
        sentence=N_("Your own function returns wrong gradients"),
    ),
    _step(
        "gradients-come-through/zeros",
        "held_at_zero >= 2",
        given=_SETTLED,
        sentence=N_(
            "{held_at_zero} weight tensors of `{class}` are all 0 and stay 0. If only one of them "
            "changes, the loss in line {line} stays the same, so none of them gets a gradient. If "
            "all of them change, the loss changes."
        ),
    ),
    _late(
        "gradients-come-through/reach",
        "reach < 1e-5, ended > 0.9",
        given="steps >= 50, optimizers == 1",
        sentence=N_(
            "Almost no gradient reaches some weights: the loss in line {line} sends them only "
            "{reach} times the gradient that it sends to others. At the end, the loss is {ended} "
            "times the loss of a model that gives the same answer for all rows."
        ),
    ),
    _late(
        "gradients-come-through/dead",
        "dead_layers >= 1, ended > 0.9 or dead_layers >= 1, zero_share == 1",
        given=(_SETTLED, "steps >= 50"),
        sentence=N_("Most units return 0 for every input"),
    ),
    _late(
        "steps-lower-loss",
        (
            # Some trainings begin wildly, and end well.
            "overshoot > 0.1*, ended > 0.9",
            # Nearly all that was learned before is lost by such a step.
            "or overshoot > 10*, ended > 0.5*",
        ),
        sentence=N_(
            "In line {line}, one optimizer step is too long: it raises the loss of its own batch "
            "from {step_before} to {step_after}. With a step of a hundredth of that length, the "
            "loss would be {step_short}."
        ),
        # Far beyond any wild beginning, still there many steps later, and no rate is to fall.
        settled=(_SETTLED, "overshoot > 1000*, ended > 1000*, schedules == 0"),
    ),
    _late(
        "steps-lower-loss/first",
        "leap > 3*",
        given="ended > 0.9",
        sentence=N_(
            "Before the first optimizer step, the loss in line {line} is {first}. In the next "
            "batch, it is {second}. A model that gives the same answer for all rows would have "
            "{second_constant} there. So the first step has made the model much worse."
        ),
    ),
    _late(
        "steps-move-parameters/short",
        "gain_of_all < 0.2*, best_scale >= 100*",
        given=(
            # Fewer steps may themselves be what is too little.
            "steps >= 150*, optimizers == 1, in_reach >= 0.1*",
            # Nothing comes through, whatever the length of a step.
            "dead_layers == 0",
            # Rates may be raised later than the steps that we looked at.
            "fall_share < 0.5*",
            # Probabilities in the place of outputs have small gradients.
            "activation_twice == 0",
        ),
        sentence=N_(
            "The optimizer steps are too short. All {steps} steps together can lower the loss in "
            "line {line} by only about {gain_of_all}. In each batch that we looked at, the best "
            "step would be at least {best_scale} times as long."
        ),
    ),
    _late(
        "rare-classes-count",
        "weights_turned >= 1",
        given="studies >= 2",
        sentence=N_("The rare class gets a smaller weight than the frequent class"),
        settled=(),
    ),
    _late(
        "units-differ",
        "alike >= 1",
        # After the first step: what begins as zeros may end with different numbers.
        given="at >= 20",
        sentence=N_(
            "At step {at}, all units of a layer have the same weights and the same gradients, so "
            "they stay equal. Number of such layers that the loss in line {line} trains: {alike}."
        ),
        settled=(),
    ),
    _late(
        "weights-are-kept",
        # Usual ones take some thousand steps to halve a weight.
        "decay > 0.01*, ended > 0.7*",
        given="decayed >= 3, optimizers == 1",
        sentence=N_(
            "Each optimizer step takes away {decay} of every weight (learning rate times weight "
            "decay). This is a lot. At the end, the loss in line {line} is {ended} times the loss "
            "of a model that gives the same answer for all rows. A model that has learned has a "
            "clearly lower loss than that model."
        ),
    ),
    _step(
        "evaluation-mode/function",
        "dropped >= 1",
        # A part that is not registered hears nothing of the mode.
        # Who asks the same rows many times wants to know how sure the answers are; the rows of a
        # graph are asked together each time, for the scores of two or three parts of them.
        given="unregistered < 2, asked_again < 0.7*",
        sentence=N_(
            "In evaluation mode, `{class}` gives a different answer to the same batch each time: "
            "dropout is still active."
        ),
    ),
    rule(
        "score-along-classes/axis",
        "answers",
        "axis_wrong == 1",
        sentence=N_(
            "Line {line} evaluates `{class}`. The answers are chosen along one axis, but for the "
            "loss the classes are on another axis."
        ),
        settled=(),
    ),
    rule(
        "score-along-classes/spread",
        "answers",
        "compared_spread > 1.5",
        sentence=N_(
            "Line {line} evaluates `{class}`. Answers and labels differ in shape, so each answer "
            "is compared with {compared_spread} labels."
        ),
        settled=(),
    ),
    rule(
        "score-along-classes/lowest",
        "answers",
        "lowest == 1",
        sentence=N_("The class with the lowest output is used as the answer"),
        settled=(),
    ),
    rule(
        "score-along-classes/limit",
        "answers",
        "limits_unfit == 1",
        sentence=N_("The threshold does not fit the outputs"),
        settled=(),
    ),
    _asked(
        "choices-are-several/answers",
        "of_one >= 1, compared_spread > 0",
        sentence=N_("A softmax over a single output is always 1"),
        settled=(),
    ),
    _late(
        "batches-are-mixed",
        "only_classes >= 2",
        # Several batches of one step may be mixed together.
        given="studies >= 2, gathered < 2",
        sentence=N_("The training data come sorted by label"),
        # Small batches may do so by chance.
        settled="only_chance < 1e-6",
    ),
    _asked(
        "batches-are-mixed/one",
        "trained_chance < 1e-6",
        given="label_rows >= 30",
        sentence=N_(
            "We looked at {trained_rows} rows of the training batches: they all have the same "
            "label. In the evaluation in line {line}, there are {labels} different labels."
        ),
        settled="at >= 20, alone == 1",
    ),
    _asked(
        "evaluation-has-labels",
        "label_chance < 1e-6",
        # A label may be rare that is drawn often for the training.
        given="label_alone >= 200*",
        sentence=_ONE_LABEL,
    ),
    _asked(
        "evaluation-has-labels/small",
        # Where most of a small evaluation was seen, the rest makes no difference.
        "label_chance < 1e-6, label_part >= 0.5",
        given=(
            "label_rows >= 30*, label_alone < 200*",
            # Each class may have an evaluation of its own.
            "lines == 1",
        ),
        sentence=_ONE_LABEL,
    ),
    _asked(
        "score-beats-chance/renumbered",
        # Answers that lead to the labels one to one, and are not these, are other numbers for them.
        "renumbered > 0.9*, right < 0.5",
        given="label_rows >= 50, labels >= 3",
        sentence=N_(
            "In line {line}, {right} of the answers are right. If the classes of the evaluation "
            "were numbered in another order, {renumbered} would be right. So the training and the "
            "evaluation number the classes differently."
        ),
    ),
    _asked(
        "score-beats-chance",
        "agree_in_chance < 0",
        given=(
            "at >= 300*, agree_rows >= 50, over == 1",
            # Where all answers are alike there is nothing to tell.
            "agree_others < 0.9*",
        ),
        sentence=N_(
            "In the batch of line {line} that we looked at, {agree} of the answers are right. "
            "Compared with the labels of other rows, {agree_others} would be right. So the answers "
            "do not fit their own rows better than other rows."
        ),
    ),
    _asked(
        "score-beats-chance/loss",
        # Of answers that are nearly alike for all rows, chance decides which labels fit better.
        "loss_gain < -0.001*",
        given=(
            "at >= 300*, over == 1",
            # A pass beside each step is a teacher: the loss that follows is the training's own.
            "beside < 0.5*",
        ),
        sentence=_OWN_LABEL,
    ),
    _asked(
        "evaluated-is-trained/new-head",
        "fresh >= 1, chosen >= 1",
        given="backwards == 0, over == 1",
        sentence=N_(
            "Line {line} takes answers from `{class}`. The checkpoint has no weights for the last "
            "layers: {fresh} of their parameters still have their first random values. Nothing was "
            "trained."
        ),
    ),
    _asked(
        "loss-is-a-number/answers",
        "not_finite >= 1",
        sentence=N_(
            "Line {line} evaluates `{class}`. Its outputs are not numbers (`nan` or `inf`)."
        ),
    ),
)
