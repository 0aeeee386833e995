"""The invariants that the text of a script breaks, beside a training that was measured."""

from course.base.i18n import N_
from course.invariants.rule import Bounds, Invariant, rule
from course.invariants.studied import TERM

_FIRST_ONLY = N_(
    "Line {line} ends the loop in its first iteration. So everything after the first batch is left "
    "out."
)
_NOT_DIVIDED = N_(
    "The gradients of several batches (on average {measured}) are added up for each optimizer "
    "step. The loss in line {line} is not divided by this number, so the gradients are that many "
    "times too large."
)
_UNCLIPPED = N_(
    "In line {line}, the gradients are clipped before `backward` computes them, or after the "
    "optimizer step. So the step uses unclipped gradients."
)
_OTHER_ORDER = N_(
    "In line {line}, `{moved}` and `{other}` do not have the same examples in the same order. But "
    "the two are paired row by row."
)
_TRAINED = "steps >= 20, fits == 0"


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
        sentence=_OTHER_ORDER,
    ),
    _text(
        "rows-keep-labels/mixed",
        # One of the two labels of a mixed row is right, so the answers may fit all the same.
        "mixed_apart == 1",
        given="steps >= 20",
        sentence=_OTHER_ORDER,
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
    _text(
        "rows-keep-labels/drawn",
        "targets_drawn == 1",
        given=_TRAINED,
        sentence=N_(
            "Line {line} compares the outputs with random numbers that are created only for this "
            "comparison. The inputs do not depend on them, so the model can't learn them."
        ),
    ),
    rule(
        "rows-keep-labels/loader",
        "text",
        "other_order == 1",
        given="steps >= 1",
        sentence=_OTHER_ORDER,
    ),
    _at_once(
        "score-is-of-all/last",
        "last_batch == 1",
        given="steps >= 1",
        sentence=N_("The metric is computed from the last batch only"),
    ),
    _at_once(
        "score-is-of-all/carried",
        "carried_total == 1",
        given="steps >= 2",
        sentence=N_("A sum is not set to 0 at the start of an epoch"),
    ),
    _at_once(
        "score-is-of-all/rows",
        "means_by_rows == 1",
        given="steps >= 1",
        sentence=N_("A sum is divided by the wrong count"),
    ),
    _at_once(
        "score-is-of-all/batch-count",
        "rows_by_batches == 1",
        given="steps >= 1",
        sentence=N_("A sum is divided by the wrong count"),
    ),
    _at_once(
        "score-along-classes/threshold",
        "unfit_threshold == 1",
        given="steps >= 1",
        sentence=N_("The threshold does not fit the outputs"),
    ),
    _at_once(
        "score-along-classes/columns",
        "columns_met == 1",
        given="steps >= 1",
        sentence=N_("The metric compares each answer with every label"),
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
        sentence=_FIRST_ONLY,
        settled=(),
    ),
    rule(
        "all-data-is-seen/at-once",
        "text",
        "left_at_once == 1",
        # To learn one batch by heart is a test; who asks about other rows wants more.
        given="steps >= 2, fresh >= 16",
        sentence=_FIRST_ONLY,
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
        sentence=N_("One term of the loss is a mean, another one is a sum"),
    ),
    _text(
        "gradients-are-of-the-mean/temperature",
        "softened_away == 1",
        given="steps >= 20",
        sentence=N_(
            "In line {line}, the loss of the softened outputs is divided by the square of the "
            "temperature. Multiply it by this square instead: dividing the outputs by the "
            "temperature has already made the gradients smaller by this factor."
        ),
    ),
    _text(
        "gradients-are-of-the-mean/divergence",
        "shrunk_divergence == 1",
        given="steps >= 20",
        sentence=N_(
            "The KL divergence in line {line} is a mean over all numbers of the batch. But in each "
            "row, it should be a sum over the classes, or over the latent values. The other term "
            "is a mean over the rows. Compared with it, this term is many times too small."
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
            "far. The comparison is reversed."
        ),
    ),
    _at_once(
        "best-is-kept/plateau",
        "plateau_upside_down == 1",
        given="steps >= 20",
        sentence=N_("The learning rate is reduced while the model gets better"),
    ),
    _text(
        "best-is-kept/never",
        "kept_never == 1",
        given="steps >= 20",
        sentence=N_(
            "In line {line}, the weights are kept if `{other}` is better than its best value so "
            "far. But `{other}` is never better than the first value that it is compared with, so "
            "no weights are kept."
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
            "In each iteration of the loop, line {line} gives the recurrent network the next time "
            "step. But the state from the previous step is not passed on. So each step is read as "
            "if it were the first one."
        ),
    ),
    _text(
        "inputs-are-alike/own-figures",
        "by_own_figures == 1",
        given="steps >= 20",
        sentence=N_("The held-out rows are scaled or encoded on their own"),
    ),
    _text(
        "inputs-are-alike/own-codes",
        "numbered_anew == 1",
        given="steps >= 20",
        sentence=N_("The held-out rows are scaled or encoded on their own"),
    ),
    _text(
        "score-knows-labels/peak",
        "peak_of_bytes == 1",
        given="steps >= 20",
        sentence=N_(
            "Line {line} compares the error with 255, the highest value of a byte. But the labels "
            "are numbers of at most 1, so the score is too good."
        ),
    ),
    _text(
        "score-knows-labels/units",
        "other_units == 1",
        given="steps >= 20",
        sentence=N_("The metric compares answers and labels in different units"),
    ),
    _text(
        "loads-change-weights/never",
        "never_loaded == 1",
        given="steps >= 3",
        sentence=N_("The weights of the checkpoint are not in the model"),
    ),
    _text(
        "state-begins-with-rows",
        "state_carried == 1",
        given="steps >= 20",
        sentence=N_("The hidden state of one batch is passed on to the rows of the next"),
    ),
    _at_once(
        "gradients-are-clipped/scaled",
        "clips_scaled == 1",
        given="steps >= 3",
        sentence=N_("The gradients are clipped while they are still scaled"),
    ),
    _at_once(
        "gradients-come-through/penalty",
        "without_graph == 1",
        given="steps >= 3",
        sentence=TERM,
    ),
    _at_once(
        "gradients-are-of-the-mean",
        "gathered >= 1.5",
        given="steps >= 5",
        sentence=_NOT_DIVIDED,
    ),
    _text(
        "gradients-are-of-the-mean/sum",
        "added_up >= 1.5",
        given="steps >= 5",
        sentence=_NOT_DIVIDED,
    ),
    _at_once(
        "score-is-of-all/batches",
        "batch_scores == 1",
        given="steps >= 1",
        sentence=N_("The metric is averaged over the batches"),
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
        sentence=_UNCLIPPED,
    ),
    _text(
        "gradients-are-clipped/early",
        "clips_early == 1",
        given="steps >= 1, ended > 0.7*",
        sentence=_UNCLIPPED,
    ),
    _text(
        "held-out-is-held-out/labels",
        "of_all_labels == 1",
        given="steps >= 20",
        sentence=N_("The model is trained on data that are kept for the evaluation"),
    ),
    _at_once(
        "choices-are-several/in-text",
        "of_one == 1",
        given="steps >= 1",
        sentence=N_("One output for several classes: the model learns a number, not a class"),
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
        sentence=N_("The inputs contain values from the time after the forecast"),
    ),
    _text(
        "later-is-unseen/forced",
        "told_ahead == 1",
        given="steps >= 20",
        sentence=N_(
            "In line {line}, an evaluation uses teacher forcing: the model gets the correct "
            "earlier outputs instead of its own. Later, when the model is used, it has only its "
            "own."
        ),
    ),
    _text(
        "figures-are-of-training/later",
        "seen_ahead == 1",
        given="steps >= 20",
        sentence=N_("The inputs contain values from the time after the forecast"),
    ),
    _text(
        "results-are-used/state",
        "state_unread == 1",
        given="steps >= 1",
        sentence=N_(
            "In each iteration, line {line} computes the next state `{other}`, but nothing reads "
            "it. So the next iteration does not begin with this state."
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
        sentence=N_("The same seed is set again and again"),
    ),
    _text(
        "loss-leads-to-labels/sign",
        "turned_sign == 1",
        given="steps >= 5",
        sentence=N_("The steps increase the loss instead of reducing it"),
    ),
    _text(
        "rows-come-again/state",
        "state_given_out == 1",
        given="steps >= 20",
        sentence=N_(
            "Line {line} returns the array with the state, not a copy, and the next step changes "
            "it. So all stored states are this one array and have the latest values."
        ),
    ),
    _text(
        "steps-are-bounded",
        "loose_bound == 1",
        given="steps >= 5",
        sentence=N_(
            "Line {line} chooses between a clipped and an unclipped form of the same objective. It "
            "takes the better one, so the clipping does not limit the steps. Take the worse one: "
            "the smaller objective, or the larger loss."
        ),
    ),
    _text(
        "targets-end-with-episode",
        "past_the_end == 1",
        given="steps >= 20",
        sentence=N_("The target counts rewards after the end of the episode"),
    ),
    _text(
        "targets-follow-network/at-once",
        "replaced_at_once == 1",
        given="steps >= 20",
        sentence=N_(
            "In line {line}, each update replaces the weights of the copy almost fully with the "
            "new weights. So the copy does not change slowly: it is almost the same as the trained "
            "network."
        ),
    ),
    _text(
        "targets-follow-network",
        "never_followed == 1",
        given="steps >= 20",
        sentence=N_("The target or averaged network is not a slowly updated copy"),
    ),
    _text(
        "targets-follow-network/itself",
        "same_network == 1",
        given="steps >= 20",
        sentence=N_(
            "In line {line}, `{other}` is a second name for the network that is trained, and not a "
            "copy of it. So the targets change with every training step."
        ),
    ),
    _text(
        "figures-are-of-training",
        "of_all == 1",
        given="steps >= 20, fresh >= 16",
        sentence=N_(
            "In line {line}, the script scales the inputs, or chooses their columns. It uses all "
            "rows for this, also the held-out ones. So the training inputs contain information "
            "about the {fresh} rows that the model was not trained on."
        ),
    ),
    _text(
        "score-along-classes/lowest-in-text",
        "lowest == 1",
        given=_TRAINED,
        sentence=N_("The class with the lowest output is used as the answer"),
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
            "at, all rows have exactly this length, and none has padding. The rest of the texts is "
            "not read."
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
        sentence=N_("Rows are augmented in the evaluation, too"),
    ),
)
