"""Faults that are known by the vital signs: each shows in its own run, alone, and in no honest one.

The figures are those of the lessons' scripts with one change, on the embedded hub.
"""

from dataclasses import replace
from typing import Any

import pytest

from course.check import messages
from course.lesson.catalogue import catalogue, matches
from course.lesson.signature import SilentSignature
from course.runs.record import Frame, Raised, RunRecord
from course.runs.vital_signs import VitalSigns, read
from tests.vital_figures import FIGURES

MODEL = {
    "name": "bert-base-uncased", "optimizer": "AdamW", "optimizers": 1, "parameters": 41,
    "learning": 41, "held": 41, "held_share": 1.0, "moved": 41, "moved_share": 1.0,
    "moved_by": 0.0026, "first_moved": 1, "frozen_moved": 0, "passes": 609, "backwards": 609,
    "steps": 609, "clears": 609, "without_gradient": 0.0, "cleared_before_step": 0.0,
    "infinite_gradient": 0.0, "left_over": 0.0, "gradient": 121.3, "train_mode_share": 1.0,
    "evaluate_mode_share": 0.0, "evaluated_is_trained": 1,
}  # fmt: skip
LOSS = {
    "first": 0.628, "last": 0.196, "guess": 0.693, "last_to_guess": 0.282, "finite": 1.0,
    "label_effect": 0.231, "input_effect": 0.1,
}  # fmt: skip
RATE = {
    "highest": 5e-5, "lowest": 0.0, "mean": 2.5e-5, "last": 0.0, "zero_share": 0.0,
    "usual_low": 1e-5, "usual_high": 1e-4,
}  # fmt: skip
DATA = {
    "rows": 4860, "examples": 1620, "repeats": 3.0, "classes": 2, "batch_size": 8, "order": 1.009,
    "unknown": 0.0, "ignored": 0.0, "cut": 0.0, "text_columns": 2, "texts_in_ids": 2,
    "padding": 1.0,
}  # fmt: skip
OUTCOME = {
    "rows": 300, "examples": 300, "overlap": 0.0, "accuracy": 0.977, "f1": 0.983, "loss": 0.158,
    "baseline": 0.667, "f1_baseline": 0.8, "margin": 0.31, "error": 0.009, "classes": 2,
    "compared": 96, "accuracy_before": 0.875, "accuracy_after": 0.979, "gain": 0.104,
    "loss_before": 0.595, "loss_after": 0.158, "loss_gain": 0.437, "said_accuracy": 0.977,
    "said_f1": 0.983, "said_off": 0.0, "given": 300, "given_answers": 1.0, "given_lowest": 0.0,
    "given_labels": 0.977, "given_swapped": 0.977,
    "given_across": None,
}  # fmt: skip
HEALTHY = {"model": MODEL, "loss": LOSS, "rate": RATE, "data": DATA, "outcome": OUTCOME}
UNTRAINED = {
    "accuracy": 0.887, "margin": 0.22, "gain": 0.0, "loss_gain": 0.0, "said_accuracy": 0.887,
    "given_labels": 0.887, "given_swapped": 0.887,
}  # fmt: skip
BASELINE = {
    "accuracy": 0.667, "margin": 0.0, "gain": 0.0, "loss_gain": -0.009, "said_accuracy": 0.667,
    "given_labels": 0.667, "given_swapped": 0.667,
}  # fmt: skip
STILL = {"moved": 0, "moved_share": 0.0, "moved_by": 0.0}
GUESSING = {"last": 0.64, "last_to_guess": 0.923}
APART = {"rows_moved_apart": 1.0, "rows_moved_line": 13.0}

Signs = dict[str, dict[str, Any]]


def signs(changes: Signs) -> VitalSigns:
    """Those of the healthy run with some of them changed; a part that is empty was not measured."""
    parts = {**HEALTHY, **{name: {} for name, part in changes.items() if not part}}
    return read({name: {**part, **changes.get(name, {})} for name, part in parts.items()})


def record(changes: Signs, **figures: float) -> RunRecord:
    """What a run shows; a part called `own` are figures that only scripts of no lesson have."""
    found = signs(changes)
    known = {**dict(found.figures()), **changes.get("own", {}), **figures}
    return RunRecord("finished", figures=known, vitals=found)


def shown(run: RunRecord) -> list[str]:
    return [match.fault.id for match in matches(run)]


FAULTY: dict[str, tuple[str, Signs]] = {
    "one step for more batches than there are": (
        "too-few-steps",
        {"model": {"steps": 5, "backwards": 300}, "own": {"passes_a_step": 1.07}},
    ),
    "labels of one part of a split beside inputs of the other": (
        "labels-misaligned",
        {"outcome": {}, "own": {"rows_crossed": 1.0, "rows_crossed_line": 84.0}},
    ),
    "a handful of tokens": (
        "inputs-truncated",
        {
            "loss": {"last": 0.93, "last_to_guess": 0.92},
            "data": {"cut": 0.67},
            "outcome": {},
            "own": {"width": 3.0},
        },
    ),
    "a warm-up that is longer than the training": (
        "learning-rate-too-low",
        {"outcome": BASELINE, "own": {"warmup_done": 0.011}},
    ),
    "a rate of nothing, and a loss whose guess is unknown": (
        "learning-rate-too-low",
        {
            "model": {"moved_by": 0.0004, "gradient_begin": 1.0},
            "loss": {"begin": 3.2895, "last": 3.2849, "last_to_guess": None, "guess": None},
            "rate": {"highest": 3e-7, "usual_low": None, "usual_high": None},
            "outcome": {},
        },
    ),
    "steps far longer than the weights, and a loss that is not heard": (
        "learning-rate-too-high",
        {
            "model": {"name": None, "first_move": 3.65, "moved_by": 16.1},
            "loss": {},
            "rate": {"highest": 0.3, "usual_low": None, "usual_high": None},
            "outcome": {},
            "own": {"trainers": 1.0},
        },
    ),
    "a rate that can come to nothing, told while the training runs": (
        "learning-rate-too-low",
        {
            "model": {"moved_by": 2e-6, "steps": 20},
            "loss": {},
            "rate": {},
            "outcome": {},
            "own": {"rate_ceiling": 1e-8, "rate_level": 1.0, "loss_risen": 1.1},
        },
    ),
    "a loss that rises a hundred times over, told while the training runs": (
        "learning-rate-too-high",
        {
            "model": {"first_move": 17.0, "moved_by": 80.0, "steps": 20},
            "loss": {},
            "rate": {},
            "outcome": {},
            "own": {"rate_ceiling": 30.0, "rate_level": 1.0, "loss_risen": 350.0},
        },
    ),
    "a first step fifty times as long as the weights, told while the training runs": (
        "learning-rate-too-high",
        {
            "model": {"first_move": 278.0, "moved_by": 1463.0, "steps": 20},
            "loss": {},
            "rate": {},
            "outcome": {},
            "own": {"rate_ceiling": 30.0, "rate_level": 1.0, "loss_risen": 1.0},
        },
    ),
    "inputs that are no numbers, told while the training runs": (
        "nan-in-inputs",
        {
            "loss": {},
            "rate": {},
            "outcome": {},
            "own": {"losses_lost": 0.8, "inputs_not_finite": 0.01},
        },
    ),
    "the lowest output by the method of an array": (
        "argmin-for-argmax",
        {
            "loss": {"last": 0.003, "last_to_guess": 0.003},
            "outcome": {"said_accuracy": 0.0, "accuracy": None},
            "own": {"lowest_in_metric": 1.0},
        },
    ),
    "gaps in the arrays that Keras is given": (
        "nan-in-inputs",
        {"loss": {"finite": 0.1, "last": None}, "own": {"inputs_not_finite": 0.01}},
    ),
    "a step longer than the weights": (
        "learning-rate-too-high",
        {
            "model": {"name": None, "first_move": 5.6, "moved_by": 37.7},
            "loss": {"begin": 0.63, "last": 2.1, "last_to_guess": 3.0},
            "rate": {"highest": 1.0, "usual_low": None, "usual_high": None},
            "outcome": BASELINE,
        },
    ),
    "one of two optimizers never steps": (
        "optimizer-step-missing",
        {"model": {"optimizers": 2, "idle_optimizers": 1}, "outcome": {}},
    ),
    "a gradient that grows until the loss is no number": (
        "exploding-gradients",
        {
            "model": {
                "first_move": 0.012, "gradient_begin": 6.8, "gradient_largest": 52.8,
                "moved_by": None,
            },
            "loss": {"finite": 0.53, "begin": 15.8, "highest": 62858.0, "last": None},
            "rate": {"highest": 0.01},
            "outcome": {},
        },
    ),
    "next to nothing reaches the first layer": (
        "vanishing-gradients",
        {
            "model": {"gradient_reach": 3e-9},
            "loss": {"begin": 1.38, "last": 1.39},
            "outcome": {},
            "own": {"input_size": 0.8},
        },
    ),
    "every unit behind a ReLU is at 0": (
        "dead-activations",
        {
            "model": {"gradient_reach": 0.0},
            "loss": {"begin": 1.37, "last": 1.39},
            "outcome": {},
            "own": {"input_size": 0.8, "dead_units": 1.0},
        },
    ),
    "prices among the inputs": (
        "inputs-not-scaled",
        {
            "model": {"first_move": 0.0027},
            "loss": {"begin": 37223.0, "last": 221.0, "guess": 1.1, "last_to_guess": 200.0},
            "outcome": {},
            "own": {"input_size": 84228.0},
        },
    ),
    "prices to predict": (
        "targets-not-scaled",
        {
            "model": {"first_move": 0.0037},
            "loss": {"begin": 6.3e10, "last": 6.7e10, "guess": None, "last_to_guess": None},
            "outcome": {},
            "own": {"target_size": 251218.0},
        },
    ),
    "batch norm in training mode": (
        "batch-statistics-in-evaluation",
        {
            "outcome": {},
            "own": {
                "evaluation_batch_norm": 1.0, "evaluation_in_training_mode": 1.0,
                "evaluation_overlap": 0.0,
            },
        },
    ),
    "dropout in a network of one's own": (
        "dropout-in-evaluation",
        {
            "outcome": {},
            "own": {
                "evaluation_dropout": 1.0, "evaluation_in_training_mode": 1.0,
                "evaluation_repeats": 1.0,
            },
        },
    ),
    "the Trainer sees no labels": (
        "labels-not-recognised-in-evaluation",
        {"own": {"evaluation_without_figures": 1.0}},
    ),
    "squares behind a sigmoid": (
        "loss-for-another-task",
        {"own": {"classes_by_squares": 1.0}},
    ),
    "a metric of each batch, of which the last one is read": (
        "metric-of-last-batch",
        {
            "outcome": {"given": 16, "given_times": 19, "said_accuracy": None, "said_f1": None},
            "own": {"metric_of_batch_line": 30.0},
        },
    ),
    "zero_grad between backward and step": (
        "gradients-cleared-before-step",
        {
            "model": {**STILL, "without_gradient": 1.0, "cleared_before_step": 1.0},
            "loss": GUESSING,
            "outcome": UNTRAINED,
        },
    ),
    "the same, known after 20 steps": (
        "gradients-cleared-before-step",
        {
            "model": {**STILL, "without_gradient": 1.0, "cleared_before_step": 1.0, "steps": 20},
            "loss": {}, "rate": {}, "data": {}, "outcome": {},
        },
    ),
    "gradients cleared, and decayed weights": (
        "gradients-cleared-before-step",
        {"model": {"without_gradient": 1.0, "cleared_before_step": 1.0}, "outcome": UNTRAINED},
    ),
    "no backward": (
        "backward-missing",
        {
            "model": {**STILL, "without_gradient": 1.0, "backwards": 0},
            "loss": GUESSING,
            "outcome": UNTRAINED,
        },
    ),
    "neither backward nor step": (
        "backward-missing",
        {
            "model": {**STILL, "backwards": 0, "steps": 0},
            "loss": GUESSING, "rate": {}, "outcome": UNTRAINED,
        },
    ),
    "no step": (
        "optimizer-step-missing",
        {
            "model": {**STILL, "steps": 0},
            "loss": GUESSING, "rate": {}, "outcome": UNTRAINED,
        },
    ),
    "no step, known after 20 passes": (
        "optimizer-step-missing",
        {
            "model": {**STILL, "steps": 0, "passes": 20, "backwards": 19, "clears": 19},
            "loss": {}, "rate": {}, "data": {}, "outcome": {},
        },
    ),
    "neither step nor zero_grad": (
        "optimizer-step-missing",
        {
            "model": {**STILL, "steps": 0, "clears": 0},
            "loss": GUESSING, "rate": {}, "outcome": UNTRAINED,
        },
    ),
    "another model's parameters": (
        "parameters-not-in-optimizer",
        {
            "model": {**STILL, "without_gradient": 1.0, "held": 0, "held_share": 0.0},
            "loss": GUESSING,
            "outcome": UNTRAINED,
        },
    ),
    "the head forgotten": (
        "parameters-not-in-optimizer",
        {"model": {"held": 39, "held_share": 39 / 41, "moved": 39, "moved_share": 39 / 41}},
    ),
    "a rate of 0": (
        "learning-rate-too-low",
        {
            "model": STILL,
            "loss": GUESSING,
            "rate": {"highest": 0.0, "mean": 0.0, "zero_share": 1.0},
            "outcome": UNTRAINED,
        },
    ),
    "a schedule without an end, told of each batch": (
        "schedule-out-of-step",
        {
            "rate": {"last": 1e-30, "mean": 1e-6, "zero_share": 0.9},
            "own": {"rate_idle_share": 0.9, "rate_zero_after": 0.0, "schedule_told": 1.0},
        },
    ),
    "a schedule that is at zero long before the training ends": (
        "schedule-too-short",
        {
            "rate": {"last": 0.0, "zero_share": 0.6},
            "own": {
                "rate_idle_share": 0.6, "rate_zero_after": 244.0, "schedule_told": 1.0,
                "zero_rate_steps": 365.0,
            },
        },
    ),
    "a rate of 5e-8": (
        "learning-rate-too-low",
        {
            "model": {"moved_by": 2e-6, "steps": 203},
            "loss": {"last": 0.653, "last_to_guess": 0.942},
            "rate": {"highest": 5e-8},
            "outcome": {**UNTRAINED, "loss_gain": 0.0007},
        },
    ),
    "a rate of 1e-3": (
        "learning-rate-too-high",
        {
            "model": {"moved_by": 0.009},
            "loss": {"last": 0.638, "last_to_guess": 0.921},
            "rate": {"highest": 1e-3},
            "outcome": {**BASELINE, "gain": -0.26, "loss_gain": -0.082},
        },
    ),
    "a rate of 0.5": (
        "learning-rate-too-high",
        {
            "model": {"moved_by": 8.0},
            "loss": {"last": 40.0, "last_to_guess": 57.7},
            "rate": {"highest": 0.5},
            "outcome": {**BASELINE, "gain": -0.26, "loss_gain": -30.0},
        },
    ),
    "labels of other rows": (
        "stalling-loss",
        {"loss": {"last": 0.69, "last_to_guess": 0.99}, "outcome": BASELINE},
    ),
    "a number in the script": (
        "metric-made-up",
        {"outcome": {"said_accuracy": 0.9, "said_off": 0.077, "accuracy": 0.977}},
    ),
    "answers that are not the model's": (
        "metric-made-up",
        {
            "outcome": {
                "said_accuracy": 0.667, "said_off": 0.31, "given_answers": 0.67,
                "given_lowest": 0.33, "given_labels": 0.667, "given_swapped": 0.667,
            },
        },
    ),
    "argmin": (
        "argmin-for-argmax",
        {
            "outcome": {
                "said_accuracy": 0.023, "said_off": 0.95, "given_answers": 0.0,
                "given_lowest": 1.0, "given_labels": 0.023, "given_swapped": 0.023,
            },
        },
    ),
    "batches of two, the other axis": (
        "argmax-over-wrong-axis",
        {
            "outcome": {
                "said_accuracy": 0.693, "said_off": 0.283, "given_answers": 0.697,
                "given_lowest": 0.303, "given_labels": 0.693, "given_swapped": 0.693,
                "given_across": 1.0,
            },
        },
    ),
    "labels in place of predictions": (
        "predictions-and-labels-swapped",
        {
            "outcome": {
                "said_accuracy": 1.0, "said_off": 0.113, "given_answers": 0.887,
                "given_labels": 1.0, "given_swapped": 0.887, "accuracy": 0.887, "margin": 0.22,
            },
        },
    ),
    "predictions and labels exchanged": (
        "predictions-and-labels-swapped",
        {"outcome": {"given_answers": 0.977, "given_labels": 0.977, "given_swapped": 1.0}},
    ),
    "the training split evaluated": (
        "evaluation-on-training-data",
        {"outcome": {"overlap": 1.0, "rows": 1620, "given": 1620}},
    ),
    "the validation split in training": (
        "trained-on-evaluation-data",
        {"data": {"split": "validation"}, "outcome": {}},
    ),
    "the validation split in both": (
        "trained-on-evaluation-data",
        {"data": {"split": "validation_matched"}, "outcome": {"overlap": 1.0}},
    ),
    "labels overwritten": (
        "one-label-in-evaluation",
        {
            "outcome": {
                "accuracy": 0.69, "baseline": 1.0, "margin": -0.31, "classes": 1, "gain": -0.104,
                "loss_gain": -0.137, "said_accuracy": 0.69, "given_labels": 0.69,
                "given_swapped": 0.69,
            },
        },
    ),
    "five tokens": (
        "inputs-truncated",
        {
            "model": {"moved_by": 0.0007},
            "loss": {"last": 0.648, "last_to_guess": 0.935},
            "data": {"cut": 0.8, "order": 0.981},
            "outcome": {**BASELINE, "gain": 0.219, "loss_gain": 0.052, "overlap": 0.71},
        },
    ),
    "the second sentence left out": (
        "input-left-out",
        {
            "model": {"moved_by": 0.0007},
            "loss": {"last": 0.641, "last_to_guess": 0.925},
            "data": {"texts_in_ids": 1},
            "outcome": BASELINE,
        },
    ),
    "a frozen body that tells nothing": (
        "frozen-parameters",
        {
            "model": {"learning": 2, "held": 2, "moved": 2},
            "loss": GUESSING,
            "rate": {"highest": 1e-3},
            "outcome": BASELINE,
        },
    ),
    "labels of -100": (
        "all-labels-ignored",
        {
            "loss": {"first": None, "last": None, "last_to_guess": None, "finite": 0.0},
            "data": {"ignored": 1.0, "classes": 1, "order": None},
            "outcome": BASELINE,
        },
    ),
    "inputs in another order than their labels": (
        "labels-misaligned",
        {"loss": GUESSING, "outcome": BASELINE, "own": APART},
    ),
    "the same, and the training rows learned by heart": (
        "labels-misaligned",
        {"outcome": BASELINE, "own": APART},
    ),
    "sorted data": (
        "data-not-shuffled",
        {"loss": GUESSING, "data": {"order": 0.002}, "outcome": BASELINE},
    ),
}  # fmt: skip
SLOW = {
    "accuracy": 0.813, "margin": 0.147, "gain": -0.125, "loss_gain": 0.065, "said_accuracy": 0.813,
    "given_labels": 0.813, "given_swapped": 0.813,
}  # fmt: skip
HONEST: dict[str, Signs] = {
    "one step for all the batches of a pass, and many passes": {
        "model": {"steps": 200}, "own": {"passes_a_step": 1.07},
    },
    "as it is": {},
    "one epoch with a warm-up, from a head with a bad start": {
        "model": {"steps": 203, "passes": 203, "backwards": 203, "clears": 203},
        "loss": {"last": 0.674, "last_to_guess": 0.972},
        "outcome": {**BASELINE, "gain": 0.542, "loss_gain": 0.274},
    },
    "a fifth of the rate, one epoch": {
        "model": {"moved_by": 0.00028, "steps": 203, "passes": 203, "backwards": 203},
        "loss": {"last": 0.568, "last_to_guess": 0.82},
        "rate": {"highest": 1e-5, "mean": 5e-6},
        "outcome": SLOW,
    },
    "a warm-up, after 20 steps": {
        "model": {"moved_by": 1e-5, "steps": 20, "passes": 20, "backwards": 20, "clears": 20},
        "loss": {}, "rate": {}, "data": {}, "outcome": {},
    },
    "scored in the middle of a warm-up": {
        "model": {"moved_by": 1e-5, "steps": 50, "passes": 50, "backwards": 50},
        "loss": GUESSING,
        "rate": {"highest": 1e-6},
        "outcome": UNTRAINED,
    },
    "a high rate that learns": {"rate": {"highest": 3e-4}},
    "a head alone, at its own rate": {
        "model": {"learning": 2, "held": 2, "moved": 2, "moved_by": 0.3},
        "loss": {"last": 0.6, "last_to_guess": 0.86},
        "rate": {"highest": 1e-3},
        "outcome": {**SLOW, "gain": 0.0},
    },
    "polished further at a low rate": {
        "model": {"moved_by": 0.0001},
        "loss": {"last": 0.18, "last_to_guess": 0.26},
        "rate": {"highest": 1e-6},
        "outcome": {"gain": 0.0, "loss_gain": 0.01, "accuracy_before": 0.97},
    },
    "many batches gathered for a step": {
        "model": {**STILL, "steps": 0, "passes": 60, "backwards": 59, "clears": 0},
        "loss": {}, "rate": {}, "data": {}, "outcome": {},
    },
    "scored before the training, with gradients": {
        "model": {
            **STILL, "steps": 0, "passes": 38, "backwards": 0, "clears": 0,
            "train_mode_share": 0.0, "without_gradient": None, "cleared_before_step": None,
        },
        "loss": {}, "rate": {}, "data": {}, "outcome": {},
    },
    "macro F1": {"outcome": {"said_f1": 0.9, "said_off": 0.083}},
    "in per cent": {"outcome": {"said_accuracy": 97.7, "said_off": 96.7}},
    "rounded": {"outcome": {"said_accuracy": 0.98, "said_off": 0.003}},
    "every answer right": {
        "outcome": {
            "accuracy": 1.0, "said_accuracy": 1.0, "given_labels": 1.0, "given_swapped": 1.0,
        },
    },
    "a column that is not needed": {"data": {"texts_in_ids": 1}},
    "long texts cut in half": {"data": {"cut": 0.6}},
    "sorted, and learned all the same": {"data": {"order": 0.1}},
    "by the name of its split": {"data": {"split": "train"}},
    "a test split that was halved": {"data": {"split": "test"}},
    "a split of the learner's own": {"data": {"split": "validate_no"}, "outcome": {}},
    "one label among a few": {"outcome": {"rows": 8, "classes": 1, "baseline": 1.0}},
    "a few examples twice": {"outcome": {"overlap": 0.02}},
    "another model scored, before its own training": {
        "model": {"evaluated_is_trained": 0},
        "data": {"cut": 0.6},
        "outcome": BASELINE,
    },
    "two optimizers, one of them for later": {"model": {"optimizers": 2, "idle_optimizers": 0}},
    "a large first step, and learned all the same": {
        "model": {"first_move": 2.0, "moved_by": 30.0},
        "loss": {"begin": 0.69, "last": 0.196},
        "rate": {"highest": 0.05, "usual_low": None, "usual_high": None},
    },
    "statistics gathered over the training data": {
        "own": {
            "evaluation_batch_norm": 1.0, "evaluation_in_training_mode": 1.0,
            "evaluation_overlap": 1.0,
        },
    },
    "two networks that play with squares": {
        "own": {"classes_by_squares": 1.0}, "model": {"optimizers": 2},
    },
    "many answers to each example": {
        "own": {
            "evaluation_dropout": 1.0, "evaluation_in_training_mode": 1.0,
            "evaluation_repeats": 20.0,
        },
    },
    "training data looked at, and the held-out too": {
        "own": {"evaluation_overlap": 0.0, "held_out_unused": 1.0},
    },
    "an order of its own on purpose, and learned all the same": {
        "own": APART,
    },
    "years among the inputs, and learned all the same": {"own": {"input_size": 660.0}},
    "nothing measured": {"model": {}, "loss": {}, "rate": {}, "data": {}, "outcome": {}},
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTY)
def test_each_shows_in_its_own_run_and_alone(name: str) -> None:
    fault, changes = FAULTY[name]
    assert shown(record(changes)) == [fault]


@pytest.mark.parametrize("name", HONEST)
def test_none_shows_in_an_honest_run(name: str) -> None:
    assert shown(record(HONEST[name])) == []


def test_every_fault_of_vital_signs_has_its_run_here() -> None:
    parts = tuple(f"{name}." for name in HEALTHY)
    known = {
        fault.id
        for fault in catalogue().values()
        for signature in fault.signatures
        if isinstance(signature, SilentSignature)
        and any(figure.startswith(parts) for figure in signature.figures)
    }
    assert known == {fault for fault, _changes in FAULTY.values()}


def test_every_figure_of_a_vital_sign_is_one() -> None:
    parts = tuple(f"{name}." for name in HEALTHY)
    for fault in catalogue().values():
        for signature in fault.signatures:
            if isinstance(signature, SilentSignature):
                named = {figure for figure in signature.figures if figure.startswith(parts)}
                assert named <= FIGURES, fault.id


@pytest.mark.parametrize("name", FAULTY)
def test_what_is_shown_has_all_its_figures(name: str) -> None:
    (match,) = matches(record(FAULTY[name][1]))
    assert isinstance(match.signature, SilentSignature)
    told = messages.silent(match.signature, record(FAULTY[name][1]).figures)
    assert "not measured" not in told
    assert "{" not in told


def test_a_figure_that_was_not_measured_is_told_as_such() -> None:
    run = record({"outcome": {**BASELINE, "accuracy": None}, "data": {"cut": 0.8}})
    (match,) = matches(run)
    assert isinstance(match.signature, SilentSignature)
    told = messages.silent(match.signature, run.figures)
    assert "right in not measured of the examples" in told
    assert "80%" in told


def test_a_fault_is_not_named_beside_the_one_that_brings_it_about() -> None:
    run = record({"data": {"texts_in_ids": 1}, "outcome": {**BASELINE, "overlap": 0.9}})
    assert shown(run) == ["input-left-out"]
    faults = [fault for fault in catalogue().values() if fault.id == "evaluation-on-training-data"]
    assert [match.fault.id for match in matches(run, faults=faults)] == [faults[0].id]


@pytest.mark.parametrize(
    ("figures", "faults"),
    [
        ({"trainers": 1.0, "steps_trained": 0.0}, ["training-missing"]),
        ({"trainers": 1.0, "steps_trained": 204.0}, []),
        ({"steps_trained": 0.0}, []),
        ({}, []),
    ],
)
def test_a_trainer_that_never_trains(figures: dict[str, float], faults: list[str]) -> None:
    assert shown(RunRecord("finished", figures=figures)) == faults


SCHEDULE = {
    "schedule_pace": 2.0, "schedule_steps": 609.0, "schedule_passes": 3.0, "schedule_overrun": 0.0,
}  # fmt: skip


@pytest.mark.parametrize(
    ("figures", "faults"),
    [
        ({"zero_rate_steps": 304.0}, ["schedule-out-of-step"]),
        # Made for batches, and stepped with each of them; the optimizer takes one in two.
        ({"zero_rate_steps": 0.0}, []),
        ({"zero_rate_steps": 304.0, "schedule_pace": 1.0}, []),
        (
            {"zero_rate_steps": 304.0, "schedule_pace": 1.0, "schedule_overrun": 304.0},
            ["schedule-too-short"],
        ),
    ],
)
def test_a_schedule_that_steps_twice_a_batch_is_through_too_early(
    figures: dict[str, float], faults: list[str]
) -> None:
    assert shown(record({}, **SCHEDULE | {"rate_off": 0.0} | figures)) == faults


@pytest.mark.parametrize(
    ("predictions", "references", "faults"),
    [
        (2, 8, ["argmax-over-wrong-axis"]),
        (3, 306, ["argmax-over-wrong-axis"]),
        (300, 8, []),
        (2, 1, []),
        (16, 8, []),
    ],
)
def test_as_many_answers_as_classes_come_of_the_wrong_axis(
    predictions: int, references: int, faults: list[str]
) -> None:
    words = f"Mismatch in the number of predictions ({predictions}) and references ({references})"
    frame = Frame("evaluate.module", "evaluate/module.py", "add_batch", 546, "", raises=True)
    raised = Raised("builtins.ValueError", ("builtins.ValueError",), words, (frame,))
    assert shown(replace(record({}), status="exception", raised=raised)) == faults
