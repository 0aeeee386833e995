"""The invariants of a training: facts, bounds, and a sentence of what was measured.

Thresholds stand here, and in `studied`, only. Each says what it was set by: `theory`, or the
`honest` scripts, of which it is far enough. A broken invariant may have any cause, and may be meant
so.
"""

from course.base.i18n import N_
from course.invariants.fitted import FITTED
from course.invariants.rule import Invariant, Threshold
from course.invariants.studied import STUDIED
from course.invariants.text_rules import OF_TEXT

_ONE_TRAINING = (Threshold("optimizers", "<=", 1), Threshold("losses", "==", 1))
_IS_EVALUATION = (
    # A pass beside nearly each step is a teacher, or makes examples.
    Threshold("beside", "<", 0.5, "honest"),
    Threshold("rows_asked", ">=", 8),
    Threshold("used", "==", 1),
)


_CALLS = N_(
    "The schedule `{class}` is made for {length} calls. It is called {calls} times in {steps} "
    "optimizer steps."
)
_CALLS_SHOWN = {"length": "whole", "calls": "whole", "steps": "whole"}
_KNOWN_ROWS = N_(
    "Of {rows} rows that the model answers in line {line}, outside of training steps, {known} were "
    "trained on before."
)

INVARIANTS: tuple[Invariant, ...] = (
    Invariant(
        "loss-is-a-number",
        "loss",
        broken=(Threshold("not_finite", ">=", 1),),
        sentence=N_(
            "The loss in line {line} is not a number (`nan` or `inf`) in {not_finite} of {count} "
            "backward passes, for the first time in number {not_finite_first}."
        ),
        shown={"not_finite": "whole", "count": "whole", "not_finite_first": "whole"},
        # What was counted once stays counted.
        settled=(),
    ),
    Invariant(
        "better-than-guessing",
        "loss",
        broken=(
            # Neither clearly lower, by the noise of both means, nor lower by a noticeable part.
            Threshold("fall_in_noise", "<", 1.0),
            Threshold("fall_share", "<", 0.02, "honest"),
        ),
        given=(
            Threshold("steps", ">=", 100, "honest"),
            Threshold("not_finite", "==", 0),
            Threshold("begin", ">", 0.0),
            # What is clearly higher is of other examples, as those that an agent makes.
            Threshold("fall_share", ">", -0.3, "honest"),
            # Who asks beside each step makes the next examples by the answers, as an agent does.
            Threshold("beside", "<", 0.5, "honest"),
            *_ONE_TRAINING,
        ),
        sentence=N_(
            "The loss in line {line} is {begin} in the first backward passes and {end} in the last "
            "ones, after {steps} optimizer steps."
        ),
        shown={"begin": "digits", "end": "digits", "steps": "whole"},
        way="falls",
    ),
    Invariant(
        "parameters-are-held",
        "loss",
        broken=(Threshold("loose", ">=", 1),),
        given=(
            Threshold("steps", ">=", 3),
            # Nor does the script change them by itself.
            Threshold("hand_changes", "==", 0),
        ),
        sentence=N_(
            "The loss in line {line} sends gradients to {leaves} parameter tensors. No optimizer "
            "that makes a step holds {loose} of them."
        ),
        shown={"leaves": "whole", "loose": "whole"},
        way="loose",
        # A later optimizer may hold them, or one that waits for a critic to be trained first.
        settled=(Threshold("steps", ">=", 50, "honest"), Threshold("unstepped", "==", 0)),
        # Who trains the last layers first does so upon others that have learned: no stage begins
        # with layers that are left as chance has made them, where no other optimizer is to come.
        settled_by=(
            (
                Threshold("drawn", ">=", 1),
                Threshold("unstepped", "==", 0),
                Threshold("held_later", "==", 0),
            ),
        ),
    ),
    Invariant(
        "parameters-are-held",
        "optimizer",
        broken=(Threshold("without_share", "==", 1),),
        given=(Threshold("looks", ">=", 3), Threshold("loose", ">=", 1)),
        sentence=N_(
            "None of the {tensors} parameter tensors that the optimizer `{class}` holds has a "
            "gradient at its steps. The loss sends gradients to other parameters."
        ),
        shown={"tensors": "whole"},
        way="without-gradient",
        # Of several optimizers, one may step before its own loss is sent.
        settled=(Threshold("optimizers", "==", 1), Threshold("looks", ">=", 5)),
    ),
    Invariant(
        "optimizer-lasts",
        "optimizer",
        broken=(Threshold("renewed_share", ">", 0.5),),
        # Who sets weights in between begins a training each time.
        given=(Threshold("steps", ">=", 10), Threshold("loads", "==", 0)),
        sentence=N_(
            "In {steps} steps, the optimizer `{class}` was created again {renewed} times. A new "
            "optimizer knows nothing of the gradients before."
        ),
        shown={"steps": "whole", "renewed": "whole"},
        settled=(),
    ),
    Invariant(
        "gradients-are-fresh",
        "optimizer",
        broken=(Threshold("left_part", ">", 0.05),),
        given=(Threshold("late_looks", ">=", 2),),
        sentence=N_(
            "At the next backward pass, gradients of earlier optimizer steps are still there: "
            "their norm is {left_part} of the norm that the optimizer `{class}` steps with. They "
            "are not reset to zero."
        ),
        shown={"left_part": "percent"},
        way="left-over",
        settled=(Threshold("late_looks", ">=", 3),),
    ),
    Invariant(
        "gradients-are-fresh",
        "loss",
        broken=(Threshold("left_by_hand", ">", 0.05),),
        given=(Threshold("steps", "==", 0), Threshold("hand_moved", ">=", 3)),
        sentence=N_(
            "The script changes parameters itself. At the backward pass in line {line}, earlier "
            "gradients are still there: their norm is {left_by_hand} of the norm that the script "
            "steps with. They are not reset to zero."
        ),
        shown={"left_by_hand": "percent"},
        way="by-hand",
    ),
    Invariant(
        "gradients-are-fresh",
        "optimizer",
        broken=(Threshold("cleared_share", ">", 0.5),),
        given=(Threshold("gradient_looks", ">=", 2), Threshold("closures", "==", 0)),
        sentence=N_(
            "The gradients are reset to zero between the backward pass and the step of the "
            "optimizer `{class}`, in {cleared_share} of the steps that we looked at."
        ),
        shown={"cleared_share": "percent"},
        way="cleared",
        settled=(Threshold("gradient_looks", ">=", 4), Threshold("cleared_share", "==", 1)),
    ),
    Invariant(
        "gradients-are-fresh",
        "optimizer",
        broken=(Threshold("lost_share", ">", 0.5),),
        given=(
            Threshold("late_looks", ">=", 2),
            Threshold("optimizers", "==", 1),
            Threshold("losses", "==", 1),
            Threshold("closures", "==", 0),
            # One or two losses before that of the step are asked for their slopes.
            Threshold("losses_a_step", ">", 3, "honest"),
        ),
        sentence=N_(
            "For each step of the optimizer `{class}`, there are {losses_a_step} backward passes. "
            "The gradients of all but the last one are reset to zero before the step."
        ),
        shown={"losses_a_step": "digits"},
        way="lost",
        # Lengths that agree to four places do so by no chance.
        settled=(Threshold("lost_share", "==", 1),),
    ),
    Invariant(
        "gradients-come-through",
        "optimizer",
        broken=(Threshold("zero_share", "==", 1),),
        # What a margin holds apart well enough sends nothing either, after a while.
        given=(Threshold("looks", ">=", 3), Threshold("closures", "==", 0)),
        sentence=N_(
            "At each of the {looks} steps of the optimizer `{class}` that we looked at, all "
            "gradients are exactly 0: the loss stays the same, whatever the parameters are."
        ),
        shown={"looks": "whole"},
        way="all-zero",
        # With the fifth look, the second batch is studied: its labels may all be ignored.
        settled=(Threshold("looks", ">=", 5),),
    ),
    Invariant(
        "step-follows-backward",
        "optimizer",
        broken=(Threshold("idle_share", ">", 0.5, "honest"),),
        given=(Threshold("steps", ">=", 5), Threshold("closures", "==", 0)),
        sentence=N_(
            "The optimizer `{class}` makes {steps} steps. Before {idle} of them, there was no "
            "backward pass since the previous step."
        ),
        shown={"steps": "whole", "idle": "whole"},
        way="no-backward",
        settled=(Threshold("steps", ">=", 20), Threshold("idle_share", ">", 0.9)),
    ),
    Invariant(
        "step-follows-backward",
        "loss",
        broken=(Threshold("steps", "==", 0), Threshold("hand_moved", "==", 0)),
        given=(
            Threshold("count", ">=", 10, "honest"),
            Threshold("hand_looks", ">=", 2),
            Threshold("training_passes", ">=", 10, "honest"),
            # Gradients of the inputs may be all that is asked for.
            Threshold("others", "==", 0),
        ),
        sentence=N_(
            "The backward pass of the loss in line {line} runs {count} times. No optimizer makes "
            "a step, and the parameters do not change."
        ),
        shown={"count": "whole"},
        way="no-step",
        # Else the gradients of many batches may be gathered before the first step.
        settled=(Threshold("stepless", "==", 1),),
    ),
    Invariant(
        "steps-lower-loss",
        "optimizer",
        # Weights that begin next to zero may be moved by some times their size.
        broken=(Threshold("first_move", ">", 50, "honest"),),
        given=(Threshold("closures", "==", 0),),
        sentence=N_(
            "The first step by which the optimizer `{class}` moves the parameters is {first_move} "
            "times as long as they are. Its highest learning rate is {rate}."
        ),
        shown={"first_move": "digits", "rate": "digits"},
        way="far",
        settled=(),
    ),
    Invariant(
        "steps-move-parameters",
        "optimizer",
        broken=(Threshold("path", "<", 3e-3, "honest"),),
        given=(
            Threshold("steps", ">=", 20),
            Threshold("gradient_looks", ">=", 3),
            Threshold("cleared_share", "==", 0),
        ),
        sentence=N_(
            "All {steps} steps of the optimizer `{class}` together change the parameters by at "
            "most {path} times their norm. Its highest learning rate is {rate}."
        ),
        shown={"steps": "whole", "path": "digits", "rate": "digits"},
        # A rate may be raised by hand, so nothing of it is told before the end.
    ),
    Invariant(
        "rate-is-steady",
        "optimizer",
        broken=(Threshold("rate_usual_part", "<", 1e-3, "honest"),),
        given=(Threshold("rate_known", ">=", 20), Threshold("steps", ">=", 20)),
        sentence=N_(
            "The learning rate of the optimizer `{class}` is at most {rate}. In half of its steps "
            "it is at most {rate_usual_part} times that."
        ),
        shown={"rate": "digits", "rate_usual_part": "digits"},
    ),
    Invariant(
        "rate-is-steady",
        "optimizer",
        broken=(Threshold("rate_of_base", "<", 0.05, "honest"),),
        given=(
            Threshold("rate_known", ">=", 20),
            Threshold("steps", ">=", 20),
            # A schedule that gives the rate itself is made for an optimizer of rate 1.
            Threshold("base", "<", 0.5),
            # A training that goes on may be past the fall of its rate.
            Threshold("resumed", "==", 0),
        ),
        sentence=N_(
            "The optimizer `{class}` was made with a learning rate of {base}. Its schedule never "
            "gives it more than {rate}."
        ),
        shown={"base": "digits", "rate": "digits"},
        way="factor",
    ),
    Invariant(
        "rate-is-steady",
        "optimizer",
        # The training is over before the warm-up is.
        broken=(Threshold("rate_of_base", "<", 0.3, "honest"), Threshold("rate_rising", "==", 1)),
        given=(
            Threshold("rate_known", ">=", 20),
            Threshold("rate_of_base", ">=", 0.05),
            Threshold("base", "<", 0.5),
            Threshold("resumed", "==", 0),
            Threshold("schedules", ">=", 1),
        ),
        sentence=N_(
            "When the training ends, the schedule is still raising the learning rate of the "
            "optimizer `{class}`. It has reached {rate} of {base}."
        ),
        shown={"rate": "digits", "base": "digits"},
        way="warm-up",
    ),
    Invariant(
        "schedule-fits-training",
        "schedule",
        broken=(
            Threshold("done", "<", 0.2, "honest"),
            Threshold("of_steps", ">=", 0.5, "honest"),
            # One that is called at each step may be cut short: a training may end early.
            Threshold("calls_a_step", "<", 0.5),
        ),
        given=(Threshold("steps", ">=", 20), Threshold("done", ">", 0)),
        sentence=_CALLS,
        shown=_CALLS_SHOWN,
        way="slow",
    ),
    Invariant(
        "schedule-fits-training",
        "schedule",
        broken=(Threshold("done", ">", 1.5, "honest"),),
        given=(
            Threshold("steps", ">=", 20),
            Threshold("ends", "==", 1),
            Threshold("calls_a_step", ">", 0.9),
            Threshold("of_steps", "<", 0.5, "honest"),
        ),
        sentence=_CALLS,
        shown=_CALLS_SHOWN,
        way="fast",
        settled=(),
    ),
    Invariant(
        "schedule-fits-training",
        "schedule",
        # It is over long before the training that it was made for.
        broken=(Threshold("calls_a_step", ">=", 1.5), Threshold("done", ">", 1.5, "honest")),
        given=(
            Threshold("steps", ">=", 20),
            Threshold("ends", "==", 1),
            Threshold("of_steps", ">=", 0.5, "honest"),
        ),
        sentence=_CALLS,
        shown=_CALLS_SHOWN,
        way="often",
    ),
    Invariant(
        "schedule-fits-training",
        "schedule",
        # Its last fall comes with the first steps: it was made for epochs.
        broken=(Threshold("of_steps", "<", 0.1, "honest"), Threshold("rate_left", "<", 0.2)),
        given=(
            Threshold("steps", ">=", 50),
            Threshold("ends", "==", 0),
            Threshold("calls_a_step", ">", 0.9),
        ),
        sentence=_CALLS,
        shown=_CALLS_SHOWN,
        way="falls",
    ),
    Invariant(
        "held-out-is-held-out",
        "evaluation",
        broken=(
            # A batch that is dropped, or is not full, keeps a few of the rows from a training.
            Threshold("all_known_share", ">=", 0.99, "honest"),
            Threshold("rows", ">=", 16),
            Threshold("chance", "<", 0.5, "honest"),
            Threshold("twins_expected", ">=", 4),
        ),
        either=(
            (
                Threshold("all_known_share", ">=", 0.95, "honest"),
                # Of rows of which some come often, and others seldom, new ones would be among them.
                Threshold("chance", ">=", 0.5),
                Threshold("unknown_missing", ">", 5.0),
                Threshold("unknown_awaited", ">=", 25.0),
                Threshold("wide", ">=", 4, "honest"),
            ),
        ),
        # Where all rows are passed at once, a mask may hold some of them out of the loss.
        given=(
            *_IS_EVALUATION,
            Threshold("trained_batches", ">=", 1.5),
            Threshold("claimed", "==", 1),
        ),
        sentence=_KNOWN_ROWS,
        shown={"rows": "whole", "known": "whole"},
        way="all",
    ),
    Invariant(
        "held-out-is-held-out",
        "evaluation",
        # Rows that were trained on, and then others, in one go: one batch has the end of the ones.
        broken=(
            *(Threshold("last_share", ">", 0.05), Threshold("last_share", "<", 0.95)),
            Threshold("mixed_new", ">=", 8),
            Threshold("batches_unmixed", ">=", 0),
            # Before all rows have come once, batches of a training are mixed as well.
            Threshold("first", ">=", "trained_batches"),
        ),
        # Batches of rows trained on beside batches of others are two evaluations.
        either=((Threshold("batches_unmixed", "<", 0),),),
        given=(
            *_IS_EVALUATION,
            *(Threshold("mixed_share", ">", 0.05), Threshold("mixed_share", "<", 0.95)),
            # Rows that were trained on are among others in one batch, and that is no chance.
            Threshold("mixed_known", ">=", 8),
            Threshold("twins_expected", ">=", 4),
            Threshold("trained_batches", ">=", 1.5),
            Threshold("chance", "<", 0.02, "honest"),
            # Where rows are changed at random before each pass, few are known as they are.
            Threshold("times", ">", 1.5, "honest"),
            # All rows at once, those of the training too, are told apart afterwards.
            Threshold("of_trained", "<", 0.95, "honest"),
            # A few ids may be asked again, with other answers.
            Threshold("wide", ">=", 4, "honest"),
        ),
        sentence=_KNOWN_ROWS,
        shown={"rows": "whole", "known": "whole"},
        way="end",
    ),
    Invariant(
        "norms-are-of-training",
        "evaluation",
        broken=(Threshold("copies_unset", "==", 1),),
        given=_IS_EVALUATION,
        sentence=N_(
            "The model `{class}` that answers {rows_asked} rows in line {line} is a copy, or an "
            "average, of the trained one. The means of its batch norm layers were not copied: they "
            "are still 0."
        ),
        shown={"rows_asked": "whole"},
        way="unset",
    ),
    Invariant(
        "norms-are-of-training",
        "network",
        broken=(Threshold("momentum", ">", 0.5),),
        given=(
            Threshold("held", "==", 1),
            Threshold("reached", ">=", 20),
            Threshold("batches", ">=", 2),
            # Large batches are alike.
            Threshold("rows_a_pass", "<=", 64, "honest"),
        ),
        sentence=N_(
            "The batch norm layers of `{class}` take {momentum} of what they evaluate with from "
            "the last batch of {rows_a_pass} rows alone: that is their `momentum`."
        ),
        shown={"momentum": "percent", "rows_a_pass": "whole"},
        way="last-batch",
        # It is read once.
        settled=(),
    ),
    Invariant(
        "all-data-is-seen",
        "network",
        broken=(Threshold("batches", "<=", 2.0), Threshold("unseen_share", ">=", 2.0, "honest")),
        given=(
            Threshold("held", "==", 1),
            Threshold("reached", ">=", 20),
            Threshold("times", ">=", 10),
            # Where few rows are all there are, none comes twice in one batch.
            Threshold("alike_in_batch", ">", 0.01, "honest"),
        ),
        sentence=N_(
            "The model `{class}` is trained on {distinct} different rows only, each of them "
            "{times} times. It is evaluated on {unseen} other rows."
        ),
        shown={"distinct": "whole", "times": "whole", "unseen": "whole"},
    ),
    Invariant(
        "all-data-is-seen",
        "network",
        # Of n workers, each gives what the others give: of n batches, n - 1 are those before.
        broken=(Threshold("repeated", ">", 0.4, "honest"), Threshold("workers", ">=", 2)),
        given=(
            Threshold("held", "==", 1),
            Threshold("reached", ">=", 8),
            Threshold("batches", ">=", 2.5, "honest"),
            # One batch may be passed twice for one step.
            Threshold("losses_a_step", "<", 1.5, "honest"),
        ),
        sentence=N_(
            "Several worker processes make the batches that `{class}` is trained on. In {repeated} "
            "of the cases, a batch has the same rows as the batch before: the workers give the "
            "same rows."
        ),
        shown={"repeated": "percent"},
        way="workers",
        settled=(Threshold("reached", ">=", 20),),
    ),
    Invariant(
        "held-out-is-held-out",
        "evaluation",
        broken=(Threshold("earlier_share", ">=", 0.5),),
        given=(
            *_IS_EVALUATION,
            # Two stages of one training may know different rows.
            Threshold("carried", ">=", 2, "honest"),
            Threshold("earlier", ">=", 16),
            Threshold("chance", "<", 0.02, "honest"),
        ),
        sentence=N_(
            "Of {rows} rows that the model answers in line {line}, outside of training steps, "
            "{earlier} were in an earlier training. The weights were not reset after that training."
        ),
        shown={"rows": "whole", "earlier": "whole"},
        way="earlier",
    ),
    Invariant(
        "evaluated-is-trained",
        "evaluation",
        # The cosine of two vectors drawn apart is about 1 / sqrt(n).
        broken=(Threshold("alike", "<", 4.0), Threshold("alike_numbers", ">=", 64)),
        given=(
            *_IS_EVALUATION,
            Threshold("held", "==", 0),
            Threshold("reached", "==", 0),
        ),
        sentence=N_(
            "The model `{class}` that answers {rows_asked} rows in line {line} was not trained. "
            "Another one of the same class was trained, and their weights have nothing in common."
        ),
        shown={"rows_asked": "whole"},
        # Both are compared once, and one that is asked beside the trained one is so by now.
        settled=(Threshold("alone", "==", 1),),
    ),
    Invariant(
        "evaluation-mode",
        "evaluation",
        broken=(Threshold("dropping_share", ">", 0.5),),
        given=(
            *_IS_EVALUATION,
            Threshold("held", "==", 1),
            # One asks the same row several times to learn how sure the answer is.
            Threshold("again_share", "<", 0.3, "honest"),
        ),
        sentence=N_(
            "Dropout is active in {dropping_share} of the cases in which `{class}` answers rows "
            "without gradients in line {line}: the model is not in evaluation mode."
        ),
        shown={"dropping_share": "percent"},
        way="dropout",
        # Before the training goes on, rows that are asked several times have come again.
        settled=(Threshold("alone", "==", 1),),
    ),
    Invariant(
        "evaluation-mode",
        "evaluation",
        broken=(Threshold("norming_share", ">", 0.5),),
        given=(
            *_IS_EVALUATION,
            Threshold("held", "==", 1),
            # Statistics may be taken anew, of the rows that were trained on.
            Threshold("known_share", "<", 0.5, "honest"),
            # What is trained against another network may draw as it did in its training.
            Threshold("optimizers", "==", 1),
        ),
        sentence=N_(
            "Batch norm takes its statistics from the batch in {norming_share} of the cases in "
            "which `{class}` answers rows without gradients in line {line}: the model is not in "
            "evaluation mode."
        ),
        shown={"norming_share": "percent"},
        way="batch-norm",
        settled=(Threshold("rows_asked", ">=", 32), Threshold("alone", "==", 1)),
    ),
    Invariant(
        "memory-is-let-go",
        "evaluation",
        # One or two more are no matter.
        broken=(Threshold("graphs", ">=", 8, "honest"),),
        given=(*_IS_EVALUATION, Threshold("held", "==", 1), Threshold("training", "==", 0)),
        sentence=N_(
            "Line {line} evaluates `{class}`. In {graphs} passes, all that gradients would need is "
            "kept, and no backward pass follows: the evaluation does not run without gradients."
        ),
        shown={"graphs": "whole"},
        way="evaluation",
        settled=(),
    ),
    Invariant(
        "training-mode",
        "network",
        broken=(Threshold("evaluation_mode_share", ">", 0.5),),
        given=(
            Threshold("held", "==", 1),
            Threshold("reached", ">=", 10),
            Threshold("idle_layers_share", ">", 0.5),
            # A frozen network may give its features as in an evaluation.
            Threshold("frozen_share", "<", 0.5, "honest"),
        ),
        sentence=N_(
            "The model `{class}` is in evaluation mode in {evaluation_mode} of its {reached} "
            "training passes. It has {layers} dropout or batch norm layers, which are off then."
        ),
        shown={"evaluation_mode": "whole", "reached": "whole", "layers": "whole"},
        settled=(Threshold("evaluation_mode", ">=", 40),),
        settled_by=(
            (Threshold("evaluation_mode", ">=", 20), Threshold("evaluation_mode_share", "==", 1)),
        ),
    ),
    Invariant(
        "parameters-are-held",
        "optimizer",
        broken=(Threshold("without_share", ">", 0.5), Threshold("without_share", "<", 1)),
        given=(Threshold("late_looks", ">=", 3),),
        sentence=N_(
            "The optimizer `{class}` holds {tensors} parameter tensors. {without_share} of them "
            "have no gradient at its steps: the loss does not reach them."
        ),
        shown={"tensors": "whole", "without_share": "percent"},
        way="unreached",
    ),
    Invariant(
        "parameters-are-held",
        "optimizer",
        # A loss whose way to them is cut off, as by `detach`, may reach those of another optimizer.
        broken=(Threshold("without_share", "==", 1),),
        given=(
            Threshold("looks", ">=", 3),
            Threshold("loose", "==", 0),
            # A loss was sent, and no gradient of these was there to be cleared.
            Threshold("idle_share", "<", 0.5),
            Threshold("gradient_looks", "==", 0),
        ),
        sentence=N_(
            "None of the {tensors} parameter tensors that the optimizer `{class}` holds has a "
            "gradient at its steps: no loss reaches them."
        ),
        shown={"tensors": "whole"},
        way="cut-off",
        settled=(Threshold("optimizers", "==", 1), Threshold("looks", ">=", 5)),
    ),
    Invariant(
        "memory-is-let-go",
        "loss",
        broken=(Threshold("graphs_kept", ">", 0.9),),
        sentence=N_(
            "The losses of line {line} are still there many steps later, with all that they were "
            "computed from: the memory fills."
        ),
        # What was highest is kept.
        settled=(),
    ),
    Invariant(
        "loads-change-weights",
        "load",
        broken=(Threshold("own", ">=", 1),),
        sentence=N_(
            "In line {line}, `{class}` loads weights that it has already: they were never copied, "
            "and have changed with each step since."
        ),
        settled=(),
    ),
    Invariant(
        "loads-change-weights",
        "load",
        broken=(Threshold("unfit", ">=", 1),),
        sentence=N_(
            "In line {line}, `{class}` loads weights, and none of their names is one of its own. "
            "With `strict=False`, nothing is loaded, and no error is raised."
        ),
        way="unfit",
    ),
    Invariant(
        "best-is-kept",
        "choice",
        broken=(Threshold("worst", "==", 1), Threshold("chosen", "!=", "better")),
        given=(Threshold("evaluations", ">=", 2),),
        sentence=N_(
            "At the end, the Trainer loads the weights that `metric_for_best_model` and "
            "`greater_is_better` say: those with `{column}` = {chosen}. In another of its "
            "{evaluations} evaluations, `{column}` was {better}, which is better."
        ),
        shown={"chosen": "digits", "better": "digits", "evaluations": "whole"},
        # Further evaluations move the two only apart.
        settled=(),
    ),
    Invariant(
        "score-is-of-all",
        "score",
        # A threshold of one's own, or answers of a word's first token alone, move it by less.
        broken=(Threshold("apart", ">", 0.1, "honest"),),
        given=(Threshold("answers", ">=", 50),),
        sentence=N_(
            "The last evaluation of the Trainer gives `{column}` = {said}. We counted the same "
            "answers: of the {answers} that have a label, {counted} are right."
        ),
        shown={"said": "digits", "answers": "whole", "counted": "percent"},
        way="said",
    ),
    *STUDIED,
    *FITTED,
    *OF_TEXT,
)
