"""The invariants of a training: facts, bounds, and a sentence of what was measured.

Bounds stand in this folder only. Each says what it was set by: theory, or, with a star, honest
scripts, of which it is far enough. A broken invariant may have any cause, and may be meant so.
"""

from course.base.i18n import N_
from course.invariants.fitted import FITTED
from course.invariants.rule import Invariant, rule
from course.invariants.studied import STUDIED
from course.invariants.text_rules import OF_TEXT

_ONE_TRAINING = "optimizers <= 1, losses == 1"
_IS_EVALUATION = "beside < 0.5*, rows_asked >= 8, used == 1"
"""A pass beside nearly each step is a teacher, or makes examples."""
_CALLS = N_(
    "The schedule `{class}` is made for {length} steps. After {steps} optimizer steps, the "
    "schedule is at its step {calls}. So the schedule does not fit the training."
)
_UNREACHED = N_(
    "The optimizer `{class}` holds {tensors} parameter tensors. At its steps, {without_share} of "
    "them have no gradient: the loss sends them none."
)
_KNOWN_ROWS = N_(
    "In line {line}, the model makes predictions for {rows} rows, outside of training steps. It "
    "was trained on {known} of these rows before."
)
_DROPPING = N_(
    "In line {line}, `{class}` makes predictions, and no gradients are computed. In "
    "{dropping_share} of the cases, dropout is active: the model is not in evaluation mode."
)
_NORMING = N_(
    "In line {line}, `{class}` makes predictions, and no gradients are computed. In "
    "{norming_share} of the cases, batch norm takes its statistics from the batch: the model is "
    "not in evaluation mode."
)
_TEACHES = "asked_first == 1, still == 1, held == 0, reached == 0, used == 1, rows_asked >= 8"
"""A copy of a trained network, as from a file, that says what another one is to learn."""

INVARIANTS: tuple[Invariant, ...] = (
    rule(
        "loss-is-a-number",
        "loss",
        "not_finite >= 1",
        sentence=N_(
            "The loss in line {line} is not a number (`nan` or `inf`) in {not_finite} of {count} "
            "backward passes, first in backward pass {not_finite_first}."
        ),
        # What was counted once stays counted.
        settled=(),
    ),
    rule(
        "better-than-guessing/falls",
        "loss",
        # Neither clearly lower, by the noise of both means, nor lower by a noticeable part.
        "fall_in_noise < 1.0, fall_share < 0.02*",
        given=(
            "steps >= 100*, not_finite == 0, begin > 0.0",
            # What is clearly higher is of other examples, as those that an agent makes.
            "fall_share > -0.3*",
            # Who asks beside each step makes the next examples by the answers, as an agent does.
            "beside < 0.5*",
            _ONE_TRAINING,
        ),
        sentence=N_(
            "The loss in line {line} does not clearly fall: it is {begin} in the first backward "
            "passes and {end} in the last ones, after {steps} optimizer steps."
        ),
    ),
    rule(
        "parameters-are-held/loose",
        "loss",
        "loose >= 1",
        given=(
            "steps >= 3",
            # Nor does the script change them by itself.
            "hand_changes == 0",
        ),
        sentence=N_(
            "The loss in line {line} sends gradients to {leaves} parameter tensors. {loose} of "
            "them are in no optimizer that makes a step: {names}."
        ),
        settled=(
            # A later optimizer may hold them, or one that waits for a critic to be trained first.
            "steps >= 50*, unstepped == 0",
            # Who trains the last layers first does so upon others that have learned: no stage
            # begins with layers that are left as chance has made them, where no other optimizer is
            # to come.
            "or drawn >= 1, unstepped == 0, held_later == 0",
        ),
    ),
    rule(
        "parameters-are-held/without-gradient",
        "optimizer",
        "without_share == 1",
        given="looks >= 3, loose >= 1",
        sentence=_UNREACHED,
        # Of several optimizers, one may step before its own loss is sent.
        settled="optimizers == 1, looks >= 5",
    ),
    rule(
        "optimizer-lasts",
        "optimizer",
        "renewed_share > 0.5",
        # Who sets weights in between begins a training each time.
        given="steps >= 10, loads == 0",
        sentence=N_(
            "In {steps} steps, the optimizer `{class}` was created again {renewed} times. A new "
            "optimizer does not know the earlier gradients."
        ),
        settled=(),
    ),
    rule(
        "gradients-are-fresh/left-over",
        "optimizer",
        "left_part > 0.05",
        given="late_looks >= 2",
        sentence=N_(
            "The gradients are not reset to zero. At the next backward pass, gradients of earlier "
            "optimizer steps are still there. Their norm is {left_part} of the norm of all "
            "gradients when the optimizer `{class}` makes a step."
        ),
        settled="late_looks >= 3",
    ),
    rule(
        "gradients-are-fresh/by-hand",
        "loss",
        "left_by_hand > 0.05",
        given="steps == 0, hand_moved >= 3",
        sentence=N_(
            "The script changes parameters itself. At the backward pass in line {line}, earlier "
            "gradients are still there, because they were not reset to zero. Their norm is "
            "{left_by_hand} of the norm of the gradients that the script uses for its step."
        ),
    ),
    rule(
        "gradients-are-fresh/cleared",
        "optimizer",
        "cleared_share > 0.5",
        given="gradient_looks >= 2, closures == 0",
        sentence=N_(
            "The gradients are reset to zero between the backward pass and the step of the "
            "optimizer `{class}`, in {cleared_share} of the steps that we looked at."
        ),
        settled="gradient_looks >= 4, cleared_share == 1",
    ),
    rule(
        "gradients-are-fresh/lost",
        "optimizer",
        # One or two losses before that of the step are asked for their slopes, and not divided.
        "lost_share > 0.5, losses_a_step > 3* or lost_share > 0.5, divided == 1",
        given="late_looks >= 2, optimizers == 1, losses == 1, closures == 0",
        sentence=N_(
            "For each step of the optimizer `{class}`, there are {losses_a_step} backward passes. "
            "Before the step, the gradients of all these passes except the last one are reset to "
            "zero."
        ),
        # Lengths that agree to four places do so by no chance.
        settled="lost_share == 1",
    ),
    rule(
        "gradients-come-through/all-zero",
        "optimizer",
        "zero_share == 1",
        # What a margin holds apart well enough sends nothing either, after a while.
        given="looks >= 3, closures == 0",
        sentence=N_(
            "We looked at {looks} steps of the optimizer `{class}`. At each of them, all "
            "gradients are exactly 0, so the model learns nothing."
        ),
        # With the fifth look, the second batch is studied: its labels may all be ignored.
        settled="looks >= 5",
    ),
    rule(
        "step-follows-backward/no-backward",
        "optimizer",
        "idle_share > 0.5*",
        given="steps >= 5, closures == 0",
        sentence=N_(
            "The optimizer `{class}` makes {steps} steps. For {idle} of them, no backward pass "
            "ran after the previous step."
        ),
        settled="steps >= 20, idle_share > 0.9",
    ),
    rule(
        "step-follows-backward/no-step",
        "loss",
        "steps == 0, hand_moved == 0",
        given=(
            "count >= 10*, hand_looks >= 2, training_passes >= 10*",
            # Gradients of the inputs may be all that is asked for.
            "others == 0",
        ),
        sentence=N_(
            "The backward pass of the loss in line {line} runs {count} times. No optimizer makes "
            "a step, and the parameters do not change."
        ),
        # Else the gradients of many batches may be gathered before the first step.
        settled="stepless == 1",
    ),
    rule(
        "steps-lower-loss/far",
        "optimizer",
        # Weights that begin next to zero may be moved by some times their size.
        "first_move > 50*",
        given="closures == 0",
        sentence=N_(
            "The first step of the optimizer `{class}` with a learning rate above 0 is very long: "
            "it changes the parameters by {first_move} times their norm. Its highest learning rate "
            "is {rate}."
        ),
        settled=(),
    ),
    rule(
        "steps-move-parameters",
        "optimizer",
        (
            "path < 3e-3*, gradient_looks >= 3",
            # Where tables of embeddings are looked at as well, most of what is there never moves.
            "or path < 1e-4*",
        ),
        given="steps >= 20, moves >= 2, cleared == 0",
        sentence=N_(
            "The steps of the optimizer `{class}` are very short. All {steps} steps together "
            "change the parameters by at most {path} times their norm. Its highest learning rate "
            "is {rate}."
        ),
        # A rate may be raised by hand, so nothing of it is told before the end.
    ),
    rule(
        "rate-is-steady",
        "optimizer",
        "rate_usual_part < 1e-3*",
        given="rate_known >= 20, steps >= 20",
        sentence=N_(
            "The highest learning rate of the optimizer `{class}` is {rate}. In half of its "
            "steps, the learning rate is at most {rate_usual_part} of this value."
        ),
    ),
    rule(
        "rate-is-steady/factor",
        "optimizer",
        "rate_of_base < 0.05*",
        given=(
            "rate_known >= 20, steps >= 20",
            # A schedule that gives the rate itself is made for an optimizer of rate 1.
            "base < 0.5",
            # A training that goes on may be past the fall of its rate.
            "resumed == 0",
        ),
        sentence=N_(
            "The optimizer `{class}` was created with a learning rate of {base}. Its schedule "
            "never sets a learning rate above {rate}."
        ),
    ),
    rule(
        "rate-is-steady/warm-up",
        "optimizer",
        # The training is over before the warm-up is.
        "rate_of_base < 0.3*, rate_rising == 1",
        given="rate_known >= 20, rate_of_base >= 0.05, base < 0.5, resumed == 0, schedules >= 1",
        sentence=N_(
            "When the training ends, the schedule is still raising the learning rate of the "
            "optimizer `{class}`. The learning rate should reach {base}, but it has reached only "
            "{rate}."
        ),
    ),
    rule(
        "schedule-fits-training/slow",
        "schedule",
        (
            "done < 0.2*, of_steps >= 0.5*",
            # One that is called at each step may be cut short: a training may end early.
            "calls_a_step < 0.5",
        ),
        given="steps >= 20, done > 0",
        sentence=_CALLS,
    ),
    rule(
        "schedule-fits-training/fast",
        "schedule",
        "done > 1.5*",
        given="steps >= 20, ends == 1, calls_a_step > 0.9, of_steps < 0.5*, for_epochs == 0",
        sentence=_CALLS,
        # As long as one epoch, it is not made for a number of epochs.
        settled="of_an_epoch > 0.9, of_an_epoch < 1.1",
    ),
    rule(
        "schedule-fits-training/epochs",
        "schedule",
        "done > 1.5*, for_epochs == 1",
        given="steps >= 20, ends == 1, calls_a_step > 0.9, of_steps < 0.5*",
        sentence=_CALLS,
    ),
    rule(
        "schedule-fits-training/often",
        "schedule",
        # It is over long before the training that it was made for.
        "calls_a_step >= 1.5, done > 1.5*",
        given="steps >= 20, ends == 1, of_steps >= 0.5*",
        sentence=_CALLS,
    ),
    rule(
        "schedule-fits-training/falls",
        "schedule",
        # Its last fall comes with the first steps: it was made for epochs.
        "of_steps < 0.1*, rate_left < 0.2",
        given="steps >= 50, ends == 0, calls_a_step > 0.9",
        sentence=_CALLS,
    ),
    rule(
        "schedule-fits-training/apart",
        "schedule",
        "rate_lowest > 0.9, done > 0.9",
        given="calls >= 20, ends == 1",
        sentence=N_(
            "The schedule `{class}` was called {calls} times, but the learning rate of the "
            "optimizer never fell. Perhaps the schedule belongs to another optimizer."
        ),
    ),
    rule(
        "held-out-is-held-out/all",
        "evaluation",
        (
            # A batch that is dropped, or is not full, keeps a few of the rows from a training.
            "all_known_share >= 0.99*, rows >= 16, chance < 0.5*, twins_expected >= 4",
            # Of rows of which some come often, and others seldom, new ones would be among them.
            "or all_known_share >= 0.95*, chance >= 0.5",
            "unknown_missing > 5.0, unknown_awaited >= 25.0, wide >= 4*",
        ),
        given=(_IS_EVALUATION, "held_by_mask == 0, claimed == 1"),
        sentence=_KNOWN_ROWS,
    ),
    rule(
        "held-out-is-held-out/end",
        "evaluation",
        # Rows that were trained on, and then others, in one go: one batch has the end of the ones.
        (
            "last_share > 0.05, last_share < 0.95, mixed_new >= 8, batches_unmixed >= 0",
            # Before all rows have come once, batches of a training are mixed as well.
            "first >= trained_batches",
            # Batches of rows trained on beside batches of others are two evaluations.
            "or batches_unmixed < 0",
        ),
        given=(
            _IS_EVALUATION,
            "mixed_share > 0.05, mixed_share < 0.95",
            # Rows that were trained on are among others in one batch, and that is no chance.
            "mixed_known >= 8, twins_expected >= 4, trained_batches >= 1.5, chance < 0.02*",
            # Where rows are changed at random before each pass, few are known as they are.
            "times > 1.5*",
            # All rows at once, those of the training too, are told apart afterwards.
            "of_trained < 0.95*",
            # A few ids may be asked again, with other answers.
            "wide >= 4*",
        ),
        sentence=_KNOWN_ROWS,
    ),
    rule(
        "norms-are-of-training/unset",
        "evaluation",
        "copies_unset == 1",
        given=_IS_EVALUATION,
        sentence=N_(
            "In line {line}, `{class}` makes predictions for {rows_asked} rows. This model is a "
            "copy, or an average, of the trained one. The means of its batch norm layers were not "
            "copied: they are still 0."
        ),
    ),
    rule(
        "norms-are-of-training/last-batch",
        "network",
        "momentum > 0.5",
        given=(
            "held == 1, reached >= 20, batches >= 2",
            # Large batches are alike.
            "rows_a_pass <= 64*",
        ),
        sentence=N_(
            "The `momentum` of the batch norm layers of `{class}` is high. So the last batch of "
            "{rows_a_pass} rows alone makes up {momentum} of the statistics that they use in the "
            "evaluation."
        ),
    ),
    rule(
        "all-data-is-seen",
        "network",
        "batches <= 2.0, unseen_share >= 2.0*",
        given=(
            "held == 1, reached >= 20, times >= 10",
            # Where few rows are all there are, none comes twice in one batch.
            "alike_in_batch > 0.01*",
        ),
        sentence=N_(
            "The model `{class}` is trained on only {distinct} different rows, on each of them "
            "{times} times. It is evaluated on {unseen} other rows."
        ),
    ),
    rule(
        "all-data-is-seen/workers",
        "network",
        # Of n workers, each gives what the others give: of n batches, n - 1 are those before.
        "repeated > 0.4*, workers >= 2",
        given=(
            "held == 1, reached >= 8, batches >= 2.5*",
            # One batch may be passed twice for one step.
            "losses_a_step < 1.5*",
        ),
        sentence=N_(
            "Several worker processes make the batches that `{class}` is trained on. In "
            "{repeated} of the cases, a batch has the same rows as the batch before: the workers "
            "return the same rows."
        ),
        settled="reached >= 20",
    ),
    rule(
        "held-out-is-held-out/earlier",
        "evaluation",
        "earlier_share >= 0.5",
        given=(
            _IS_EVALUATION,
            # Two stages of one training may know different rows.
            "carried >= 2*, earlier >= 16, chance < 0.02*",
        ),
        sentence=N_(
            "In line {line}, the model makes predictions for {rows} rows, outside of training "
            "steps. {earlier} of these rows were in an earlier training, and the weights were not "
            "reset after it."
        ),
    ),
    rule(
        "evaluated-is-trained",
        "evaluation",
        # The cosine of two vectors drawn apart is about 1 / sqrt(n).
        "alike < 4.0, alike_numbers >= 64",
        given=(
            _IS_EVALUATION,
            "held == 0, reached == 0",
        ),
        sentence=N_(
            "In line {line}, `{class}` makes predictions for {rows_asked} rows, but this model was "
            "not trained. Another model of the same class was trained, and the weights of the two "
            "have nothing in common."
        ),
        # Both are compared once, and one that is asked beside the trained one is so by now.
        settled="alone == 1",
    ),
    rule(
        "evaluated-is-trained/begun",
        "evaluation",
        # A copy of the trained one, as chance has made both.
        "copied == 1, still == 1, drawn_share > 0.5",
        given=(_IS_EVALUATION, "held == 0, reached == 0, steps >= 20"),
        sentence=N_(
            "In line {line}, `{class}` makes predictions for {rows_asked} rows. This model is a "
            "copy of the trained one, but the copy was made before the training. It still has its "
            "first random weights."
        ),
    ),
    rule(
        "targets-follow-network/still",
        "evaluation",
        "copied == 1, still == 1, drawn_share > 0.5",
        given="beside >= 0.5*, learned == 0, held == 0, reached == 0, steps >= 20",
        sentence=N_(
            "In line {line}, each training step also uses the outputs of a copy of the trained "
            "`{class}`. In {steps} steps, the weights of this copy did not change: they still have "
            "their first random values."
        ),
    ),
    rule(
        "targets-follow-network/inside",
        "network",
        "stale >= 1",
        given="reached >= 50*",
        sentence=N_(
            "`{class}` has a frozen copy of a part that it trains. In {reached} training passes, "
            "the copy did not change: it still has its first random weights."
        ),
    ),
    rule(
        "loads-change-weights/teacher",
        "evaluation",
        # One of its kind was trained before, and this one has nothing of it.
        "learned == 1, copied == 0, still == 1, drawn_share > 0.5",
        given="beside >= 0.5*, held == 0, reached == 0, alike < 4.0, alike_numbers >= 64",
        sentence=N_(
            "In line {line}, `{class}` gives outputs for each batch on which another model is "
            "trained. A model of this class was trained before, but its weights are not used here: "
            "the weights still have their first random values."
        ),
    ),
    rule(
        "evaluation-mode/dropout",
        "evaluation",
        "dropping_share > 0.5",
        given=(
            _IS_EVALUATION,
            "held == 1",
            # One asks the same row several times to learn how sure the answer is.
            "again_share < 0.3*",
        ),
        sentence=_DROPPING,
        # Before the training goes on, rows that are asked several times have come again.
        settled="alone == 1",
    ),
    rule(
        "evaluation-mode/teacher",
        "evaluation",
        "dropping_share > 0.5",
        given="taught == 1, beside >= 0.5*, rows_asked >= 8",
        sentence=N_(
            "`{class}` was trained before. In line {line}, it gives outputs for each batch on "
            "which another model is trained. In {dropping_share} of the cases, dropout is active: "
            "this trained model is not in evaluation mode."
        ),
    ),
    rule(
        "evaluation-mode/teacher-norms",
        "evaluation",
        "norming_share > 0.5",
        given="taught == 1, beside >= 0.5*, rows_asked >= 8",
        sentence=N_(
            "`{class}` was trained before. In line {line}, it gives outputs for each batch on "
            "which another model is trained. In {norming_share} of the cases, batch norm takes its "
            "statistics from the batch: this trained model is not in evaluation mode."
        ),
    ),
    rule(
        "evaluation-mode/teacher-first",
        "evaluation",
        "dropping_share > 0.5",
        given=_TEACHES,
        sentence=_DROPPING,
    ),
    rule(
        "evaluation-mode/teacher-first-norms",
        "evaluation",
        "norming_share > 0.5",
        given=_TEACHES,
        sentence=_NORMING,
    ),
    rule(
        "evaluation-mode/batch-norm",
        "evaluation",
        "norming_share > 0.5",
        given=(
            _IS_EVALUATION,
            "held == 1",
            # Statistics may be taken anew, of the rows that were trained on.
            "known_share < 0.5*",
            # What is trained against another network may draw as it did in its training.
            "optimizers == 1",
        ),
        sentence=_NORMING,
        settled="rows_asked >= 32, alone == 1",
    ),
    rule(
        "memory-is-let-go/evaluation",
        "evaluation",
        # One or two more are no matter.
        "graphs >= 8*",
        given=(_IS_EVALUATION, "held == 1, training == 0"),
        sentence=N_(
            "Line {line} evaluates `{class}`. In {graphs} passes, everything that gradients need "
            "is kept, but no backward pass follows. The evaluation should run without gradients."
        ),
        settled=(),
    ),
    rule(
        "training-mode",
        "network",
        "evaluation_mode_share > 0.5",
        given=(
            "held == 1, reached >= 10, idle_layers_share > 0.5",
            # A frozen network may give its features as in an evaluation.
            "frozen_share < 0.5*",
        ),
        sentence=N_(
            "The model `{class}` is in evaluation mode in {evaluation_mode} of its {reached} "
            "training passes. In this mode, its {layers} dropout or batch norm layers do not work "
            "as in training."
        ),
        settled="evaluation_mode >= 40 or evaluation_mode >= 20, evaluation_mode_share == 1",
    ),
    rule(
        "parameters-are-held/unreached",
        "optimizer",
        "without_share > 0.5, without_share < 1",
        given="late_looks >= 3",
        sentence=_UNREACHED,
    ),
    rule(
        "parameters-are-held/cut-off",
        "optimizer",
        # A loss whose way to them is cut off, as by `detach`, may reach those of another optimizer.
        "without_share == 1",
        given=(
            "looks >= 3, loose == 0",
            # A loss was sent, and no gradient of these was there to be cleared.
            "idle_share < 0.5, gradient_looks == 0",
        ),
        sentence=_UNREACHED,
        settled="optimizers == 1, looks >= 5",
    ),
    rule(
        "memory-is-let-go",
        "loss",
        "graphs_kept > 0.9",
        sentence=N_("Losses are kept together with their computation graphs"),
        # What was highest is kept.
        settled=(),
    ),
    rule(
        "loads-change-weights",
        "load",
        "own >= 1",
        # What is loaded again and again is a network that should follow another one.
        given="times <= 10*",
        sentence=N_(
            "In line {line}, `{class}` loads weights that it already has. They were never copied, "
            "so they changed with each step."
        ),
        settled=(),
    ),
    rule(
        "loads-change-weights/unfit",
        "load",
        "unfit >= 1",
        sentence=N_(
            "In line {line}, `{class}` loads weights, but none of their names exists in the "
            "model. With `strict=False`, nothing is loaded, and no error is raised."
        ),
    ),
    rule(
        "best-is-kept",
        "choice",
        "worst == 1, chosen != better",
        given="evaluations >= 2",
        sentence=N_(
            "At the end, the Trainer loads the weights that `metric_for_best_model` and "
            "`greater_is_better` select: those with `{column}` = {chosen}. But in another of its "
            "{evaluations} evaluations, `{column}` was better: {better}."
        ),
        # Further evaluations move the two only apart.
        settled=(),
    ),
    rule(
        "score-is-of-all/said",
        "score",
        # A threshold of one's own, or answers of a word's first token alone, move it by less.
        "apart > 0.1*",
        given="answers >= 50, by_all > 0.001*",
        sentence=N_(
            "The last evaluation of the Trainer gives `{column}` = {said}. We counted the same "
            "answers: {answers} have a label, and {counted} of these are right. The two results "
            "should be the same."
        ),
    ),
    rule(
        "score-is-of-all/ignored",
        "score",
        "apart > 0.1*, by_all <= 0.001*",
        given="answers >= 50",
        sentence=N_(
            "The last evaluation of the Trainer gives `{column}` = {said}. Of the {answers} "
            "answers that have a label, {counted} are right. But the script divides by the number "
            "of all positions, also those that have no label (-100)."
        ),
    ),
    rule(
        "score-is-of-all/none",
        "score",
        "figures == 0",
        sentence=N_("The Trainer sees no labels in the evaluation, and computes nothing"),
        settled=(),
    ),
    *STUDIED,
    *FITTED,
    *OF_TEXT,
)
