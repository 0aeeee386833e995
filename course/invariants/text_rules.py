"""The invariants that the text of a script breaks, beside a training that was measured."""

from course.base.i18n import N_
from course.invariants.rule import Invariant, rule

_TRAINED = "steps >= 20, fits == 0"

OF_TEXT: tuple[Invariant, ...] = (
    rule(
        "rows-keep-labels",
        "text",
        "apart == 1",
        # Labels in another order may be learned in part, by heart.
        given=(_TRAINED, "ended > 0.3*"),
        sentence=N_(
            "In line {line}, `{moved}` gets another order, or other rows, than `{other}`. The two "
            "are paired row by row."
        ),
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
    rule(
        "score-is-of-all/last",
        "text",
        "last_batch == 1",
        given="steps >= 1",
        sentence=N_(
            "In line {line}, each batch of the evaluation replaces the result of the batch before. "
            "After the loop, only the result of the last batch is left."
        ),
        settled=(),
    ),
    rule(
        "score-is-of-all/carried",
        "text",
        "carried_total == 1",
        given="steps >= 2",
        sentence=N_(
            "Line {line} adds to a sum that is not reset to 0 at the start of an epoch. From the "
            "second epoch on, the sum contains the earlier epochs."
        ),
        settled=(),
    ),
    rule(
        "score-is-of-all/rows",
        "text",
        "means_by_rows == 1",
        given="steps >= 1",
        sentence=N_(
            "Line {line} divides a sum of batch means by the number of rows. So the result is the "
            "true value, divided by about the batch size."
        ),
        settled=(),
    ),
    rule(
        "score-is-of-all/batch-count",
        "text",
        "rows_by_batches == 1",
        given="steps >= 1",
        sentence=N_(
            "Line {line} divides a count of rows by the number of batches. So the result is the "
            "true value, multiplied by about the batch size."
        ),
        settled=(),
    ),
    rule(
        "score-along-classes/threshold",
        "text",
        "unfit_threshold == 1",
        given="steps >= 1",
        sentence=N_(
            "In line {line}, the outputs are compared with a threshold that does not fit them. For "
            "outputs before the sigmoid, the threshold should be 0. For probabilities, it should "
            "be 0.5."
        ),
        settled=(),
    ),
    rule(
        "score-along-classes/columns",
        "text",
        "columns_met == 1",
        given="steps >= 1",
        sentence=N_(
            "In line {line}, answers of shape (n, 1) meet labels of shape (n,) in NumPy: each "
            "answer is compared with each label."
        ),
        settled=(),
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
    rule(
        "all-data-is-seen/used-up",
        "text",
        "used_up == 1",
        given="steps >= 1",
        sentence=N_(
            "Line {line} goes through `{other}` again in each epoch. But `{other}` is an iterator, "
            "and the first epoch has used it up: the later epochs train on nothing."
        ),
    ),
    rule(
        "gradients-are-of-the-mean/terms",
        "text",
        # Something is to be wrong with what is learned: such a loss may be weighted on purpose.
        "uneven_terms == 1, ended > 0.9* or uneven_terms == 1, known_gain < 0.01*",
        given="steps >= 20",
        sentence=N_(
            "Line {line} adds a loss that is a mean and a term that is a sum over the whole batch. "
            "Such a sum grows with the size of the batch, so the mean may hardly count. The model "
            "learns almost nothing from the rows."
        ),
    ),
    rule(
        "training-begins-anew",
        "text",
        # Two stages of one fold go on with one model as well.
        "folds == 1, carried >= 2* or folds_go_on == 1, carried == 0",
        given="steps >= 20",
        sentence=N_(
            "The loop in line {line} trains the same model on one fold after another. From the "
            "second fold on, the model was already trained on the fold that is held out."
        ),
    ),
    rule(
        "best-is-kept/in-text",
        "text",
        "kept_worst == 1",
        given="steps >= 20",
        sentence=N_(
            "In line {line}, the weights are kept if `{other}` is worse than its best value so "
            "far. The comparison is the wrong way round."
        ),
    ),
    rule(
        "best-is-kept/plateau",
        "text",
        "plateau_upside_down == 1",
        given="steps >= 20",
        sentence=N_(
            "In line {line}, `ReduceLROnPlateau` gets a value that does not fit its `mode`. Use "
            "`min` if lower values are better, as for a loss, and `max` if higher values are "
            "better, as for an accuracy."
        ),
        settled=(),
    ),
    rule(
        "best-is-kept/never",
        "text",
        "kept_never == 1",
        given="steps >= 20",
        sentence=N_(
            "In line {line}, the weights are kept if `{other}` is better than its best value so "
            "far. But `{other}` never passes the first value that it is compared with, so no "
            "weights are kept."
        ),
    ),
    rule(
        "loads-change-weights/itself",
        "text",
        "kept_itself == 1",
        given="steps >= 20",
        sentence=N_(
            "In line {line}, `{other}` does not get a copy of the best weights. It is the model "
            "itself, or refers to the weights of the model. So it changes with each further step."
        ),
    ),
    rule(
        "inputs-are-alike/own-figures",
        "text",
        "by_own_figures == 1",
        given="steps >= 20",
        sentence=N_(
            "Line {line} scales the held-out rows with values that are computed from these rows, "
            "such as their mean and standard deviation. The training rows are scaled with other "
            "values. So the same number does not have the same meaning in both."
        ),
    ),
    rule(
        "state-begins-with-rows",
        "text",
        "state_carried == 1",
        given="steps >= 20",
        sentence=N_(
            "In line {line}, each batch begins with the state that the previous batch left. The "
            "rows are shuffled, so this state belongs to other rows."
        ),
    ),
    rule(
        "gradients-are-clipped/scaled",
        "text",
        "clips_scaled == 1",
        given="steps >= 3",
        sentence=N_(
            "In line {line}, the gradients are clipped while they are still multiplied by the "
            "factor of the `GradScaler`. `unscale_` must be called before."
        ),
        settled=(),
    ),
    rule(
        "gradients-come-through/penalty",
        "text",
        "without_graph == 1",
        given="steps >= 3",
        sentence=N_(
            "Line {line} computes gradients for a term of the loss, without `create_graph=True`. "
            "The term changes the printed loss, but not the training."
        ),
        settled=(),
    ),
    rule(
        "gradients-are-of-the-mean",
        "text",
        "gathered >= 1.5",
        given="steps >= 5",
        sentence=N_(
            "In line {line}, the backward pass runs without the `Accelerator`, which should "
            "accumulate the gradients of several batches. A step has {gathered} losses, and none "
            "of them is divided by that number."
        ),
        settled=(),
    ),
    rule(
        "gradients-are-of-the-mean/sum",
        "text",
        "added_up >= 1.5",
        given="steps >= 5",
        sentence=N_(
            "In line {line}, the gradients of several batches (on average {added_up}) are added up "
            "for each optimizer step. Each loss is a mean over its batch, and is not divided by "
            "this number. So the gradients are that many times too large."
        ),
    ),
    rule(
        "score-is-of-all/batches",
        "text",
        "batch_scores == 1",
        given="steps >= 1",
        sentence=N_(
            "In line {line}, each batch of the evaluation gets its own score, and these scores "
            "are added up. The mean of the batch scores is not the score of all answers."
        ),
        settled=(),
    ),
    rule(
        "score-is-of-all/unasked",
        "text",
        "unasked == 1",
        given="steps >= 1",
        sentence=N_(
            "The loop in line {line} belongs to a function that sets the model to evaluation mode, "
            "but never calls the model. In the whole run, no model makes predictions outside of "
            "training steps. So the evaluation does not compare answers of the model."
        ),
        settled=(),
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
    rule(
        "gradients-are-clipped",
        "text",
        "clips_nothing == 1",
        given="steps >= 1",
        sentence=N_(
            "Line {line} should clip the gradients of `{other}`. But `{other}` is an iterator "
            "that was used up before, so nothing is clipped."
        ),
        settled=(),
    ),
    rule(
        "gradients-are-clipped/late",
        "text",
        "clips_late == 1",
        given="steps >= 1",
        sentence=N_(
            "In line {line}, the gradients are clipped after the optimizer step. The step has "
            "already used the unclipped gradients."
        ),
        settled=(),
    ),
    rule(
        "gradients-are-clipped/early",
        "text",
        "clips_early == 1",
        given="steps >= 1, ended > 0.7*",
        sentence=N_(
            "In line {line}, the gradients are clipped before `backward` computes them. So the "
            "optimizer uses unclipped gradients."
        ),
    ),
    rule(
        "held-out-is-held-out/labels",
        "text",
        "of_all_labels == 1",
        given="steps >= 20",
        sentence=N_(
            "The loss in line {line} is computed with all labels, even with the labels of the "
            "evaluation. The mask of the training rows is not used."
        ),
    ),
    rule(
        "choices-are-several/in-text",
        "text",
        "of_one == 1",
        given="steps >= 1",
        sentence=N_(
            "In line {line}, the highest output of each row is used as the answer. The model has "
            "a single output for each row, so the answer is always 0."
        ),
        settled=(),
    ),
    rule(
        "held-out-is-held-out/copies",
        "text",
        "copied_rows == 1, known >= 8",
        given="steps >= 20",
        sentence=N_(
            "Some rows were copied before line {line} splits the data. In the evaluation, {known} "
            "rows are copies of rows that the model was trained on."
        ),
    ),
    rule(
        "held-out-is-held-out/windows",
        "text",
        "windows_drawn == 1",
        given="steps >= 20",
        sentence=N_(
            "Line {line} splits windows of one series at random. Each window shares most of its "
            "values with the next one. So most values of the held-out windows are known from the "
            "training."
        ),
    ),
    rule(
        "figures-are-of-training/later",
        "text",
        "seen_ahead == 1",
        given="steps >= 20",
        sentence=N_(
            "Line {line} makes an input from the values around each time, also from later ones. "
            "The labels are later values, so a part of the answer is among the inputs."
        ),
    ),
    rule(
        "halves-are-apart",
        "text",
        "for_both == 1",
        given="steps >= 1",
        sentence=N_(
            "Line {line} sets `{other}`. The parts of the split share one dataset, so this also "
            "changes the other part."
        ),
    ),
    rule(
        "loss-leads-to-labels/class-ignored",
        "text",
        "ignores_class == 1, ignored_real > 0.05*, ignored_counted > 0.05*",
        given="steps >= 20",
        sentence=N_(
            "The loss in line {line} ignores all labels of a class that the model can predict. In "
            "the training, {ignored_real} of the labels are of this class (padding is not "
            "counted). In the evaluation, {ignored_counted} of the labels are of this class, and "
            "they count."
        ),
    ),
    rule(
        "results-are-used",
        "text",
        "for_nothing == 1",
        given="steps >= 1",
        sentence=N_(
            "In line {line}, `{other}` makes a new value, and nothing uses it: without this line, "
            "the script would do the same."
        ),
    ),
    rule(
        "chance-goes-on/workers",
        "text",
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
    rule(
        "loss-leads-to-labels/sign",
        "text",
        "turned_sign == 1",
        given="steps >= 5",
        sentence=N_(
            "Line {line} computes a term of the loss with the wrong sign. The training increases "
            "what should become smaller, or the other way round."
        ),
    ),
    rule(
        "targets-end-with-episode",
        "text",
        "past_the_end == 1",
        given="steps >= 20",
        sentence=N_(
            "Line {line} adds the value of the next state to the reward, even if the episode is "
            "over and there is no next state. The script stores whether the episode is over, but "
            "does not use it here."
        ),
    ),
    rule(
        "targets-follow-network",
        "text",
        "never_followed == 1",
        given="steps >= 20",
        sentence=N_(
            "The targets in line {line} come from a second network. Nothing copies the trained "
            "weights into it during the training, so it keeps its first weights."
        ),
    ),
    rule(
        "figures-are-of-training",
        "text",
        "of_all == 1",
        given="steps >= 20, fresh >= 16",
        sentence=N_(
            "In line {line}, the script scales the inputs, chooses their columns, or computes a "
            "mean of labels that becomes an input. It uses all rows for this, also the held-out "
            "ones. So the training inputs contain information about the {fresh} rows that the "
            "model was not trained on."
        ),
    ),
    rule(
        "score-along-classes/lowest-in-text",
        "text",
        "lowest == 1",
        given=_TRAINED,
        sentence=N_(
            "The answers of line {line} come from the lowest number of each row, instead of the "
            "highest."
        ),
    ),
    rule(
        "frozen-stay-as-they-are",
        "text",
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
    rule(
        "evaluated-is-trained/never",
        "text",
        "untrained == 1, drawn_share > 0.5",
        given="steps == 0, rows_asked >= 8",
        sentence=N_(
            "The trainer of line {line} has rows to train on, and evaluates before any training. "
            "{drawn_share} of the parameters of the model still have their first random values."
        ),
    ),
    rule(
        "inputs-are-read/cut",
        "text",
        # More may be as much of a long text as one wants; of so few tokens, most texts have more.
        "cut_to <= 12*",
        # Texts that are all exactly that long lose nothing.
        given="steps >= 20, longer > 0.5",
        sentence=N_(
            "In line {line}, texts are cut after {cut_to} tokens. In the batches that we looked "
            "at, all rows have that many, and none has padding. The rest of the texts is not read."
        ),
        settled=(),
    ),
    rule(
        "inputs-are-read/column",
        "text",
        "told_gain > 0.2*",
        given="steps >= 20",
        sentence=N_(
            "The data have a column of texts, `{column}`, but the batch that we examined in line "
            "{line} does not contain it. We predicted the labels of held-out rows from the words "
            "of all columns: {told} are right. Without this column, {told_without} are right."
        ),
    ),
    rule(
        "rows-come-again",
        "text",
        "changed == 1",
        given="steps >= 20",
        sentence=N_(
            "Line {line} changes the rows in `{moved}` themselves, not a copy of them. Each time a "
            "row is read, it is changed once more."
        ),
    ),
    rule(
        "rows-come-again/evaluation",
        "text",
        "augmented == 1, come_again == 0",
        given="steps >= 20",
        sentence=N_(
            "Line {line} changes inputs at random, in the evaluation as well: no row was the same "
            "in two evaluations."
        ),
    ),
)
