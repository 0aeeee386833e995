"""The invariants that the text of a script breaks, beside a training that was measured."""

from course.base.i18n import N_
from course.invariants.rule import Bounds, Invariant, rule

_TRAINED = "steps >= 20, fits == 0"
_OTHER_ROWS = N_(
    "In line {line}, `{moved}` gets another order, or other rows, than `{other}`. The two are "
    "paired row by row."
)


def _text(name: str, broken: Bounds, sentence: str, *, given: Bounds) -> Invariant:
    """Make a rule of what a line of the script says."""
    return rule(name, "text", broken, sentence, given=given)


def _at_once(name: str, broken: Bounds, sentence: str, *, given: Bounds) -> Invariant:
    """Make one that the rest of a run can't mend."""
    return rule(name, "text", broken, sentence, given=given, settled=())


OF_TEXT: tuple[Invariant, ...] = (
    rule(
        "rows-keep-labels",
        "text",
        "apart == 1",
        # Labels in another order may be learned in part, by heart.
        given=(_TRAINED, "ended > 0.3*"),
        sentence=_OTHER_ROWS,
    ),
    _text(
        "rows-keep-labels/mixed",
        # One of the two labels of a mixed row is right, so the answers may fit all the same.
        "mixed_apart == 1",
        given="steps >= 20",
        sentence=_OTHER_ROWS,
    ),
    rule(
        "rows-keep-labels/words",
        "text",
        # Labels of neighbours can be learned as well, and are the wrong ones.
        "words_apart == 1",
        given="steps >= 20",
        sentence=N_(
            "In line {line}, tokens get the labels of other words. `word_ids` says to which word "
            "of its text each token belongs."
        ),
    ),
    rule(
        "rows-keep-labels/loader",
        "text",
        "other_order == 1",
        given="steps >= 1",
        sentence=N_(
            "In line {line}, `{moved}` and `{other}` are paired row by row. One of them is in the "
            "order of a shuffled loader, and the other one is not."
        ),
    ),
    _at_once(
        "score-is-of-all/last",
        "last_batch == 1",
        given="steps >= 1",
        sentence=N_(
            "In line {line}, each batch of the evaluation replaces the result of the batch before. "
            "After the loop, only the result of the last batch is left."
        ),
    ),
    _at_once(
        "score-is-of-all/carried",
        "carried_total == 1",
        given="steps >= 2",
        sentence=N_(
            "Line {line} adds to a sum that is not reset to 0 when a new epoch, or a new interval, "
            "begins. From the second one on, the sum also contains the earlier ones."
        ),
    ),
    _at_once(
        "score-is-of-all/rows",
        "means_by_rows == 1",
        given="steps >= 1",
        sentence=N_(
            "Line {line} divides a sum of batch means by the number of rows. So the result is the "
            "true value, divided by about the batch size."
        ),
    ),
    _at_once(
        "score-is-of-all/batch-count",
        "rows_by_batches == 1",
        given="steps >= 1",
        sentence=N_(
            "Line {line} divides a count of rows by the number of batches. So the result is the "
            "true value, multiplied by about the batch size."
        ),
    ),
    _at_once(
        "score-along-classes/threshold",
        "unfit_threshold == 1",
        given="steps >= 1",
        sentence=N_(
            "In line {line}, the outputs are compared with a threshold that does not fit them. For "
            "outputs before the sigmoid, the threshold should be 0. For probabilities, it should "
            "be 0.5."
        ),
    ),
    _at_once(
        "score-along-classes/columns",
        "columns_met == 1",
        given="steps >= 1",
        sentence=N_(
            "In line {line}, answers of shape `(n, 1)` meet labels of shape `(n,)` in NumPy: each "
            "answer is compared with each label."
        ),
    ),
    rule(
        "score-is-of-all/itself",
        "text",
        "against_itself == 1",
        given="steps >= 1",
        sentence=N_(
            "In line {line}, the metric gets the same values twice: it compares them with "
            "themselves."
        ),
        settled=(),
    ),
    rule(
        "all-data-is-seen/early",
        "text",
        "left_early == 1",
        given="steps >= 1",
        sentence=N_(
            "Line {line} returns in the first iteration of its loop. So the sum contains only the "
            "first iteration."
        ),
        settled=(),
    ),
    rule(
        "all-data-is-seen/at-once",
        "text",
        "left_at_once == 1",
        # To learn one batch by heart is a test; who asks about other rows wants more.
        given="steps >= 2, fresh >= 16",
        sentence=N_(
            "Line {line} ends the loop over the batches in its first iteration: the training "
            "never sees the batches after the first one."
        ),
    ),
    rule(
        "all-data-is-seen/behind",
        "text",
        "left_behind == 1, unsent >= 0.5",
        given="steps >= 3",
        sentence=N_(
            "Line {line} comes after the loop over the batches. So it runs the backward pass only "
            "for the loss of the last batch. The model learns nothing from {unsent} of the "
            "training passes."
        ),
    ),
    _text(
        "all-data-is-seen/used-up",
        "used_up == 1",
        given="steps >= 1",
        sentence=N_(
            "Line {line} goes through `{other}` again in each epoch. But `{other}` is an iterator, "
            "and the first epoch has used it up: the later epochs train on nothing."
        ),
    ),
    _text(
        "gradients-are-of-the-mean/terms",
        # Something is to be wrong with what is learned: such a loss may be weighted on purpose.
        "uneven_terms == 1, ended > 0.9* or uneven_terms == 1, known_gain < 0.01*",
        given="steps >= 20",
        sentence=N_(
            "Line {line} adds a loss that is a mean and a term that is a sum over the whole batch. "
            "Such a sum grows with the size of the batch, so the mean may have almost no "
            "influence. The model learns almost nothing from the rows."
        ),
    ),
    _text(
        "gradients-are-of-the-mean/divergence",
        "shrunk_divergence == 1",
        given="steps >= 20",
        sentence=N_(
            "The KL divergence in line {line} is a mean over all numbers of the batch. But in each "
            "row, it should be a sum over the classes, or over the latent values. So this term is "
            "many times too small beside the other term, which is a mean over the rows."
        ),
    ),
    _text(
        "training-begins-anew",
        # Two stages of one fold go on with one model as well.
        "folds == 1, carried >= 2* or folds_go_on == 1, carried == 0",
        given="steps >= 20",
        sentence=N_(
            "The loop in line {line} trains the same model on one fold after another. From the "
            "second fold on, the model was already trained on the fold that is held out."
        ),
    ),
    _text(
        "best-is-kept/in-text",
        "kept_worst == 1",
        given="steps >= 20",
        sentence=N_(
            "In line {line}, the weights are kept if `{other}` is worse than its best value so "
            "far. The comparison is the wrong way round."
        ),
    ),
    _at_once(
        "best-is-kept/plateau",
        "plateau_upside_down == 1",
        given="steps >= 20",
        sentence=N_(
            "In line {line}, `ReduceLROnPlateau` gets a value that does not fit its `mode`. Use "
            "`min` if lower values are better, as for a loss, and `max` if higher values are "
            "better, as for an accuracy."
        ),
    ),
    _text(
        "best-is-kept/never",
        "kept_never == 1",
        given="steps >= 20",
        sentence=N_(
            "In line {line}, the weights are kept if `{other}` is better than its best value so "
            "far. But `{other}` never passes the first value that it is compared with, so no "
            "weights are kept."
        ),
    ),
    _text(
        "loads-change-weights/itself",
        "kept_itself == 1",
        given="steps >= 20",
        sentence=N_(
            "In line {line}, `{other}` does not get a copy of the best weights. It is the model "
            "itself, or refers to the weights of the model. So it changes with each further step."
        ),
    ),
    _at_once(
        "scores-rank-rows",
        "ranks_classes == 1",
        given="steps >= 1",
        sentence=N_(
            "The metric in line {line} ranks the rows by their scores. But it gets predicted "
            "classes, which were made by a threshold or an `argmax`. So most rows have the same "
            "score."
        ),
    ),
    _at_once(
        "numbers-stay-in-range",
        "leaves_range == 1",
        given="steps >= 3",
        sentence=N_(
            "Line {line} computes with numbers of the type `uint8`. This type holds only 0 to 255. "
            "A result above 255 or below 0 wraps around: 250 + 10 gives 4, and 3 - 5 gives 254."
        ),
    ),
    _at_once(
        "steps-go-on/state",
        "state_dropped == 1",
        given="steps >= 5",
        sentence=N_(
            "Each turn of the loop calls the recurrent network in line {line} with the next step. "
            "But the state of the step before is not passed on. So each step is read as if it were "
            "the first one."
        ),
    ),
    _at_once(
        "steps-go-on/answer",
        "answer_dropped == 1",
        given="steps >= 5",
        sentence=N_(
            "In line {line}, the network continues a series, one step in each turn of the loop. "
            "But it reads the same input in each turn, not its own last prediction."
        ),
    ),
    _text(
        "inputs-are-alike/own-figures",
        "by_own_figures == 1",
        given="steps >= 20",
        sentence=N_(
            "Line {line} scales the held-out rows with values that are computed from these rows, "
            "such as their mean and standard deviation. The training rows are scaled with other "
            "values. So the same number does not have the same meaning in both."
        ),
    ),
    _text(
        "inputs-are-alike/own-codes",
        "numbered_anew == 1",
        given="steps >= 20",
        sentence=N_(
            "Line {line} gives new numbers to the categories or words of the held-out rows. The "
            "training rows got their numbers without them. So the same number can mean something "
            "else."
        ),
    ),
    _text(
        "score-knows-labels/units",
        "other_units == 1",
        given="steps >= 20",
        sentence=N_(
            "The model was trained on labels that were scaled or transformed. In line {line}, its "
            "outputs are compared with labels, but only one of the two was brought back to the "
            "original units."
        ),
    ),
    _text(
        "loads-change-weights/never",
        "never_loaded == 1",
        given="steps >= 3",
        sentence=N_(
            "Because of line {line}, the training starts with random weights. The tokenizer or the "
            "configuration is that of a checkpoint, but the model has none of its weights."
        ),
    ),
    _text(
        "state-begins-with-rows",
        "state_carried == 1",
        given="steps >= 20",
        sentence=N_(
            "In line {line}, each batch begins with the state that the previous batch left. The "
            "rows are shuffled, so this state belongs to other rows."
        ),
    ),
    _at_once(
        "gradients-are-clipped/scaled",
        "clips_scaled == 1",
        given="steps >= 3",
        sentence=N_(
            "In line {line}, the gradients are clipped while they are still multiplied by the "
            "factor of the `GradScaler`. `unscale_` must be called before."
        ),
    ),
    _at_once(
        "gradients-come-through/penalty",
        "without_graph == 1",
        given="steps >= 3",
        sentence=N_(
            "Line {line} computes gradients for a term of the loss, without `create_graph=True`. "
            "The term changes the printed loss, but not the training."
        ),
    ),
    _at_once(
        "gradients-are-of-the-mean",
        "gathered >= 1.5",
        given="steps >= 5",
        sentence=N_(
            "In line {line}, the backward pass runs without the `Accelerator`, which should "
            "accumulate the gradients of several batches. A step has {gathered} losses, and none "
            "of them is divided by that number."
        ),
    ),
    _text(
        "gradients-are-of-the-mean/sum",
        "added_up >= 1.5",
        given="steps >= 5",
        sentence=N_(
            "In line {line}, the gradients of several batches (on average {added_up}) are added up "
            "for each optimizer step. Each loss is a mean over its batch, and is not divided by "
            "this number. So the gradients are that many times too large."
        ),
    ),
    _at_once(
        "score-is-of-all/batches",
        "batch_scores == 1",
        given="steps >= 1",
        sentence=N_(
            "In line {line}, each batch of the evaluation gets its own score, and these scores "
            "are added up. The mean of the batch scores is not the score of all answers."
        ),
    ),
    _at_once(
        "score-is-of-all/unasked",
        "unasked == 1",
        given="steps >= 1",
        sentence=N_(
            "The loop in line {line} belongs to a function that sets the model to evaluation mode, "
            "but never calls the model. In the whole run, no model makes predictions outside of "
            "training steps. So the evaluation does not compare answers of the model."
        ),
    ),
    rule(
        "score-knows-labels",
        "text",
        "swapped == 1",
        given="steps >= 1",
        sentence=N_(
            "In line {line}, a loss or a metric gets the outputs as labels, and the labels as "
            "outputs."
        ),
        settled=(),
    ),
    _at_once(
        "gradients-are-clipped",
        "clips_nothing == 1",
        given="steps >= 1",
        sentence=N_(
            "Line {line} should clip the gradients of `{other}`. But `{other}` is an iterator "
            "that was used up before, so nothing is clipped."
        ),
    ),
    _at_once(
        "gradients-are-clipped/late",
        "clips_late == 1",
        given="steps >= 1",
        sentence=N_(
            "In line {line}, the gradients are clipped after the optimizer step. The step has "
            "already used the unclipped gradients."
        ),
    ),
    _text(
        "gradients-are-clipped/early",
        "clips_early == 1",
        given="steps >= 1, ended > 0.7*",
        sentence=N_(
            "In line {line}, the gradients are clipped before `backward` computes them. So the "
            "optimizer uses unclipped gradients."
        ),
    ),
    _text(
        "held-out-is-held-out/labels",
        "of_all_labels == 1",
        given="steps >= 20",
        sentence=N_(
            "The loss in line {line} is computed with all labels, even with the labels of the "
            "evaluation. The mask of the training rows is not used."
        ),
    ),
    _at_once(
        "choices-are-several/in-text",
        "of_one == 1",
        given="steps >= 1",
        sentence=N_(
            "In line {line}, the highest output of each row is used as the answer. The model has "
            "a single output for each row, so the answer is always 0."
        ),
    ),
    _text(
        "held-out-is-held-out/copies",
        "copied_rows == 1, known >= 8",
        given="steps >= 20",
        sentence=N_(
            "Some rows were copied before line {line} splits the data. In the evaluation, {known} "
            "rows are copies of rows that the model was trained on."
        ),
    ),
    _text(
        "held-out-is-held-out/windows",
        "windows_drawn == 1",
        given="steps >= 20",
        sentence=N_(
            "Line {line} splits windows of one series at random. Each window shares most of its "
            "values with the next one. So most values of the held-out windows are known from the "
            "training."
        ),
    ),
    _text(
        "figures-are-of-training/later",
        "seen_ahead == 1",
        given="steps >= 20",
        sentence=N_(
            "Line {line} computes an input from the values before and after each moment. The "
            "labels are later values, so a part of the answer is among the inputs."
        ),
    ),
    _text(
        "results-are-used/state",
        "state_unread == 1",
        given="steps >= 1",
        sentence=N_(
            "In each iteration, line {line} computes the next state `{other}`, but nothing reads "
            "it. So the next iteration begins with another state."
        ),
    ),
    _text(
        "halves-are-apart",
        "for_both == 1",
        given="steps >= 1",
        sentence=N_(
            "Line {line} sets `{other}`. The parts of the split share one dataset, so this also "
            "changes the other part."
        ),
    ),
    _text(
        "loss-leads-to-labels/class-ignored",
        "ignores_class == 1, ignored_real > 0.05*, ignored_counted > 0.05*",
        given="steps >= 20",
        sentence=N_(
            "The loss in line {line} ignores all labels of a class that the model can predict. In "
            "the training, {ignored_real} of the labels are of this class (padding is not "
            "counted). In the evaluation, {ignored_counted} of the labels are of this class, and "
            "they count."
        ),
    ),
    _text(
        "results-are-used",
        "for_nothing == 1",
        given="steps >= 1",
        sentence=N_(
            "In line {line}, `{other}` makes a new value, and nothing uses it: without this line, "
            "the script would do the same."
        ),
    ),
    _text(
        "chance-goes-on/workers",
        "workers_alike == 1, workers >= 2",
        given="steps >= 3",
        sentence=N_(
            "Because of line {line}, each of the {workers} worker processes starts with the same "
            "random numbers. All workers get the same random values, and each epoch repeats those "
            "of the epoch before."
        ),
    ),
    rule(
        "chance-goes-on/again",
        "text",
        "seed_again == 1",
        given="steps >= 3",
        sentence=N_(
            "Line {line} sets the same seed again and again while the model is trained: the random "
            "numbers that follow are the same each time."
        ),
    ),
    _text(
        "loss-leads-to-labels/sign",
        "turned_sign == 1",
        given="steps >= 5",
        sentence=N_(
            "Line {line} computes a term of the loss with the wrong sign. The training increases "
            "what should become smaller, or the other way round."
        ),
    ),
    _text(
        "targets-end-with-episode",
        "past_the_end == 1",
        given="steps >= 20",
        sentence=N_(
            "Line {line} adds the value of the next state to the reward, even if the episode is "
            "over and there is no next state. The script stores whether the episode is over, but "
            "does not use it here."
        ),
    ),
    _text(
        "targets-follow-network",
        "never_followed == 1",
        given="steps >= 20",
        sentence=N_(
            "The targets in line {line} come from a second network. Nothing copies the trained "
            "weights into it during the training, so it keeps its first weights."
        ),
    ),
    _text(
        "figures-are-of-training",
        "of_all == 1",
        given="steps >= 20, fresh >= 16",
        sentence=N_(
            "In line {line}, the script scales the inputs, chooses their columns, or computes a "
            "mean of labels that becomes an input. It uses all rows for this, also the held-out "
            "ones. So the training inputs contain information about the {fresh} rows that the "
            "model was not trained on."
        ),
    ),
    _text(
        "score-along-classes/lowest-in-text",
        "lowest == 1",
        given=_TRAINED,
        sentence=N_(
            "The answers of line {line} come from the lowest number of each row, instead of the "
            "highest."
        ),
    ),
    _text(
        "frozen-stay-as-they-are",
        "freezes_nothing >= 1",
        given="steps >= 3",
        sentence=N_(
            "Line {line} sets the attribute `{other}`, but this freezes nothing here. To freeze a "
            "parameter, set the `requires_grad` of the parameter itself."
        ),
    ),
    rule(
        "rows-keep-labels/turned",
        "text",
        "turned_apart == 1",
        given="steps >= 1",
        sentence=N_(
            "Line {line} flips or shifts `{moved}`. `{other}` belongs to it, but is not changed "
            "in the same way. So the positions in the two no longer fit."
        ),
        settled=(),
    ),
    _text(
        "evaluated-is-trained/never",
        "untrained == 1, drawn_share > 0.5",
        given="steps == 0, rows_asked >= 8",
        sentence=N_(
            "The trainer of line {line} has rows to train on, and evaluates before any training. "
            "{drawn_share} of the parameters of the model still have their first random values."
        ),
    ),
    _at_once(
        "inputs-are-read/cut",
        # More may be as much of a long text as one wants; of so few tokens, most texts have more.
        "cut_to <= 12*",
        # Texts that are all exactly that long lose nothing.
        given="steps >= 20, longer > 0.5",
        sentence=N_(
            "In line {line}, texts are cut after {cut_to} tokens. In the batches that we looked "
            "at, all rows have that many, and none has padding. The rest of the texts is not read."
        ),
    ),
    _text(
        "inputs-are-read/column",
        "told_gain > 0.2*",
        given="steps >= 20",
        sentence=N_(
            "The data have a column of texts, `{column}`, but the batch that we examined in line "
            "{line} does not contain it. We predicted the labels of held-out rows from the words "
            "of all columns: {told} are right. Without this column, {told_without} are right."
        ),
    ),
    _at_once(
        "layers-are-apart",
        "held_again == 1",
        given="steps >= 1, shared >= 1",
        sentence=N_(
            "In line {line}, the same layer is put into a list of layers several times. So "
            "{shared} of the layers in the list have no weights of their own."
        ),
    ),
    _text(
        "rows-come-again",
        "changed == 1",
        given="steps >= 20",
        sentence=N_(
            "Line {line} changes the rows in `{moved}` themselves, not a copy of them. Each time a "
            "row is read, it is changed once more."
        ),
    ),
    _text(
        "rows-come-again/evaluation",
        "augmented == 1, come_again == 0",
        given="steps >= 20",
        sentence=N_(
            "Line {line} changes inputs at random, in the evaluation as well: no row was the same "
            "in two evaluations."
        ),
    ),
)
