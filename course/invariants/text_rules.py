"""The invariants that the text of a script breaks, beside a training that was measured."""

from course.base.i18n import N_
from course.invariants.rule import Invariant, Threshold

_TRAINED = (Threshold("steps", ">=", 20), Threshold("fits", "==", 0))

OF_TEXT: tuple[Invariant, ...] = (
    Invariant(
        "rows-keep-labels",
        "text",
        broken=(Threshold("apart", "==", 1),),
        # Labels in another order may be learned in part, by heart.
        given=(*_TRAINED, Threshold("ended", ">", 0.3, "honest")),
        sentence=N_(
            "In line {line}, `{moved}` gets another order, or other rows, than `{other}`. The two "
            "are paired row by row."
        ),
    ),
    Invariant(
        "rows-keep-labels",
        "text",
        # Labels of neighbours can be learned as well, and are the wrong ones.
        broken=(Threshold("words_apart", "==", 1),),
        given=(Threshold("steps", ">=", 20),),
        sentence=N_(
            "In line {line}, tokens get the labels of other words. `word_ids` says to which word "
            "of its text each token belongs."
        ),
        way="words",
    ),
    Invariant(
        "score-is-of-all",
        "text",
        broken=(Threshold("last_batch", "==", 1),),
        given=(Threshold("steps", ">=", 1),),
        sentence=N_(
            "In line {line}, each batch of the evaluation replaces the result of the batch before. "
            "After the loop, only the result of the last batch is left."
        ),
        way="last",
        settled=(),
    ),
    Invariant(
        "score-is-of-all",
        "text",
        broken=(Threshold("carried_total", "==", 1),),
        given=(Threshold("steps", ">=", 2),),
        sentence=N_(
            "Line {line} adds to a sum that no epoch sets back to 0. From the second epoch on, the "
            "figure contains the epochs before."
        ),
        way="carried",
        settled=(),
    ),
    Invariant(
        "score-along-classes",
        "text",
        broken=(Threshold("unfit_threshold", "==", 1),),
        given=(Threshold("steps", ">=", 1),),
        sentence=N_(
            "Line {line} compares outputs with a threshold of another scale. A probability of 0.5 "
            "is an output of 0 before the sigmoid."
        ),
        way="threshold",
        settled=(),
    ),
    Invariant(
        "score-is-of-all",
        "text",
        broken=(Threshold("against_itself", "==", 1),),
        given=(Threshold("steps", ">=", 1),),
        sentence=N_(
            "In line {line}, the metric is given the same values twice: it compares them with "
            "themselves."
        ),
        way="itself",
        settled=(),
    ),
    Invariant(
        "all-data-is-seen",
        "text",
        broken=(Threshold("left_early", "==", 1),),
        given=(Threshold("steps", ">=", 1),),
        sentence=N_(
            "Line {line} returns in the first iteration of its loop. So the sum contains only the "
            "first iteration."
        ),
        way="early",
        settled=(),
    ),
    Invariant(
        "all-data-is-seen",
        "text",
        broken=(Threshold("left_at_once", "==", 1),),
        # To learn one batch by heart is a test; who asks about other rows wants more.
        given=(Threshold("steps", ">=", 2), Threshold("fresh", ">=", 16)),
        sentence=N_(
            "Line {line} ends the loop over the batches in its first turn: the training never "
            "sees the batches after the first one."
        ),
        way="at-once",
    ),
    Invariant(
        "all-data-is-seen",
        "text",
        broken=(Threshold("left_behind", "==", 1), Threshold("unsent", ">=", 0.5)),
        given=(Threshold("steps", ">=", 3),),
        sentence=N_(
            "Line {line} comes after the loop over the batches. It runs the backward pass only "
            "for the loss of the last batch: {unsent} of the training passes are never learned "
            "from."
        ),
        shown={"unsent": "percent"},
        way="behind",
    ),
    Invariant(
        "gradients-are-of-the-mean",
        "text",
        broken=(Threshold("uneven_terms", "==", 1),),
        # Something is to be wrong with what is learned: such a loss may be weighted on purpose.
        given=(Threshold("steps", ">=", 20), Threshold("ended", ">", 0.9, "honest")),
        sentence=N_(
            "Line {line} adds a loss that is a mean and a term that is a sum over the whole batch. "
            "At the end, the loss is as high as with one and the same answer for all rows."
        ),
        way="terms",
    ),
    Invariant(
        "training-begins-anew",
        "text",
        # Two stages of one fold go on with one model as well.
        broken=(Threshold("folds", "==", 1), Threshold("carried", ">=", 2, "honest")),
        given=(Threshold("steps", ">=", 20),),
        sentence=N_(
            "The loop in line {line} trains on one fold after another. {carried} of these "
            "trainings begin with the weights that the training before has left: a fold that is "
            "held out was trained on before."
        ),
        shown={"carried": "whole"},
    ),
    Invariant(
        "training-begins-anew",
        "text",
        broken=(Threshold("folds_go_on", "==", 1), Threshold("carried", "==", 0)),
        given=(Threshold("steps", ">=", 20),),
        sentence=N_(
            "The loop in line {line} trains one and the same model on one fold after another: a "
            "fold that is held out was trained on before."
        ),
        way="folds",
    ),
    Invariant(
        "best-is-kept",
        "text",
        broken=(Threshold("kept_worst", "==", 1),),
        given=(Threshold("steps", ">=", 20),),
        sentence=N_(
            "In line {line}, the weights are kept if `{other}` is worse than the best one so far: "
            "the comparison is upside down."
        ),
        way="in-text",
    ),
    Invariant(
        "gradients-are-of-the-mean",
        "text",
        broken=(Threshold("gathered", ">=", 1.5),),
        given=(Threshold("steps", ">=", 5),),
        sentence=N_(
            "In line {line}, the backward pass runs without the `Accelerator`, which should "
            "accumulate the gradients of several batches. A step has {gathered} losses, and none "
            "of them is divided by that number."
        ),
        shown={"gathered": "digits"},
        settled=(),
    ),
    Invariant(
        "gradients-are-of-the-mean",
        "text",
        broken=(Threshold("added_up", ">=", 1.5),),
        given=(Threshold("steps", ">=", 5),),
        sentence=N_(
            "In line {line}, the gradients of {added_up} batches are added up for each optimizer "
            "step. Each loss is a mean over its batch, and nothing is divided by that number: the "
            "gradients are as many times too large."
        ),
        shown={"added_up": "digits"},
        way="sum",
    ),
    Invariant(
        "score-is-of-all",
        "text",
        broken=(Threshold("batch_scores", "==", 1),),
        given=(Threshold("steps", ">=", 1),),
        sentence=N_(
            "In line {line}, each batch of the evaluation gets a score of its own, and these are "
            "added up. The mean of the batches' scores is not the score of all answers."
        ),
        way="batches",
        settled=(),
    ),
    Invariant(
        "score-is-of-all",
        "text",
        broken=(Threshold("unasked", "==", 1),),
        given=(Threshold("steps", ">=", 1),),
        sentence=N_(
            "The loop in line {line} belongs to a function that puts the model into evaluation "
            "mode, and does nothing else with it. In the whole run, no model answers rows outside "
            "of training steps: the evaluation compares something other than answers."
        ),
        way="unasked",
        settled=(),
    ),
    Invariant(
        "score-knows-labels",
        "text",
        broken=(Threshold("swapped", "==", 1),),
        given=(Threshold("steps", ">=", 1),),
        sentence=N_(
            "In line {line}, a metric gets the model's answers as labels, and the labels as "
            "answers."
        ),
        settled=(),
    ),
    Invariant(
        "gradients-are-clipped",
        "text",
        broken=(Threshold("clips_nothing", "==", 1),),
        given=(Threshold("steps", ">=", 1),),
        sentence=N_(
            "In line {line}, the gradients of `{other}` are to be clipped. It is an iterator that "
            "was gone through before, so there is nothing left in it, and nothing is clipped."
        ),
        settled=(),
    ),
    Invariant(
        "gradients-are-clipped",
        "text",
        broken=(Threshold("clips_late", "==", 1),),
        given=(Threshold("steps", ">=", 1),),
        sentence=N_(
            "In line {line}, the gradients are clipped after the optimizer step. The step has "
            "already used them as they were."
        ),
        way="late",
        settled=(),
    ),
    Invariant(
        "gradients-are-clipped",
        "text",
        broken=(Threshold("clips_early", "==", 1),),
        given=(Threshold("steps", ">=", 1), Threshold("ended", ">", 0.7, "honest")),
        sentence=N_(
            "In line {line}, the gradients are clipped before `backward` computes them. The "
            "optimizer steps with gradients of any length."
        ),
        way="early",
    ),
    Invariant(
        "held-out-is-held-out",
        "text",
        broken=(Threshold("of_all_labels", "==", 1),),
        given=(Threshold("steps", ">=", 20),),
        sentence=N_(
            "The loss in line {line} is computed with all labels, also with those that the model "
            "is evaluated by. The mask of the training rows is not used."
        ),
        way="labels",
    ),
    Invariant(
        "choices-are-several",
        "text",
        broken=(Threshold("of_one", "==", 1),),
        given=(Threshold("steps", ">=", 1),),
        sentence=N_(
            "In line {line}, the highest output of each row is used as the answer. The model has "
            "a single output for each row, so the answer is always 0."
        ),
        way="in-text",
        settled=(),
    ),
    Invariant(
        "figures-are-of-training",
        "text",
        broken=(Threshold("of_all", "==", 1),),
        given=(Threshold("steps", ">=", 20), Threshold("fresh", ">=", 16)),
        sentence=N_(
            "In line {line}, all rows take part in the scaling of the inputs, in the choice of "
            "their columns, or in a mean of labels that becomes an input. The script splits the "
            "same rows: the model answers {fresh} rows that it was not trained on."
        ),
        shown={"fresh": "whole"},
    ),
    Invariant(
        "score-along-classes",
        "text",
        broken=(Threshold("lowest", "==", 1),),
        given=_TRAINED,
        sentence=N_(
            "In line {line}, the lowest number of each row is chosen, and compared with the truth. "
            "Of outputs for classes, and of products of rows, the highest one counts."
        ),
        way="lowest-in-text",
    ),
    Invariant(
        "frozen-stay-as-they-are",
        "text",
        broken=(Threshold("freezes_nothing", ">=", 1),),
        given=(Threshold("steps", ">=", 3),),
        sentence=N_(
            "Line {line} sets the attribute `{other}`, which freezes nothing here. Only a "
            "parameter's own `requires_grad` freezes it."
        ),
    ),
    Invariant(
        "rows-keep-labels",
        "text",
        broken=(Threshold("turned_apart", "==", 1),),
        given=(Threshold("steps", ">=", 1),),
        sentence=N_(
            "In line {line}, `{moved}` is flipped or shifted, and `{other}`, which belongs to it, "
            "is not, or is otherwise: their places no longer fit."
        ),
        way="turned",
        settled=(),
    ),
    Invariant(
        "evaluated-is-trained",
        "text",
        broken=(Threshold("untrained", "==", 1), Threshold("drawn_share", ">", 0.5)),
        given=(Threshold("steps", "==", 0), Threshold("rows_asked", ">=", 8)),
        sentence=N_(
            "The trainer of line {line} has rows to train on, and evaluates before any training. "
            "{drawn_share} of the parameters of the model still have their first random values."
        ),
        shown={"drawn_share": "percent"},
        way="never",
    ),
    Invariant(
        "inputs-are-read",
        "text",
        # More may be as much of a long text as one wants; of so few tokens, most texts have more.
        broken=(Threshold("cut_to", "<=", 12, "honest"),),
        # Texts that are all exactly that long lose nothing.
        given=(Threshold("steps", ">=", 20), Threshold("longer", ">", 0.5)),
        sentence=N_(
            "In line {line}, texts are cut after {cut_to} tokens. In the batches that we looked "
            "at, all rows have that many, and none has padding. The rest of the texts is not read."
        ),
        shown={"cut_to": "whole"},
        way="cut",
        settled=(),
    ),
    Invariant(
        "inputs-are-read",
        "text",
        broken=(Threshold("told_gain", ">", 0.2, "honest"),),
        given=(Threshold("steps", ">=", 20),),
        sentence=N_(
            "The data have a column of texts, `{column}`, but the batch that we examined in line "
            "{line} contains nothing of it. The words of all columns predict the label in {told} "
            "of rows that we held back, without this column in {told_without}."
        ),
        shown={"told": "percent", "told_without": "percent"},
        way="column",
    ),
    Invariant(
        "rows-come-again",
        "text",
        broken=(Threshold("changed", "==", 1), Threshold("times", "<", 1.5)),
        given=(Threshold("steps", ">=", 20),),
        sentence=N_(
            "Line {line} changes the rows in `{moved}` themselves, not a copy of them. Each time a "
            "row is read, it is changed once more."
        ),
    ),
    Invariant(
        "rows-come-again",
        "text",
        broken=(Threshold("augmented", "==", 1), Threshold("come_again", "==", 0)),
        given=(Threshold("steps", ">=", 20),),
        sentence=N_(
            "Line {line} changes inputs at random, in the evaluation as well: no row of one "
            "evaluation was the same in a later one."
        ),
        way="evaluation",
    ),
)
