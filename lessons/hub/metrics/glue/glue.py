"""The metrics that GLUE's tasks are scored with, for the embedded hub; our own, numpy only."""

from __future__ import annotations

import datasets
import evaluate
import numpy as np

# Which figures each task is scored with (the tasks whose labels are classes).
_FIGURES: dict[str, tuple[str, ...]] = {
    "mnli": ("accuracy",),
    "mnli_matched": ("accuracy",),
    "mnli_mismatched": ("accuracy",),
    "hans": ("accuracy",),
    "qnli": ("accuracy",),
    "rte": ("accuracy",),
    "sst2": ("accuracy",),
    "wnli": ("accuracy",),
    "mrpc": ("accuracy", "f1"),
    "qqp": ("accuracy", "f1"),
}


def _accuracy(guessed: np.ndarray, true: np.ndarray) -> float:
    """The share of guesses that are right, 0 to 1."""
    return float(np.mean(guessed == true))


def _f1(guessed: np.ndarray, true: np.ndarray) -> float:
    """The harmonic mean of precision and recall of class 1, 0 to 1 (0 where neither exists)."""
    hits = int(np.sum((guessed == 1) & (true == 1)))
    claims_and_cases = int(np.sum(guessed == 1)) + int(np.sum(true == 1))
    return 2 * hits / claims_and_cases if claims_and_cases else 0.0


_COMPUTE = {"accuracy": _accuracy, "f1": _f1}


class Glue(evaluate.Metric):
    """``evaluate.load("glue", TASK)``: class numbers in, a dictionary of figures out."""

    def _info(self) -> evaluate.MetricInfo:
        if self.config_name not in _FIGURES:
            raise KeyError(
                f"This embedded glue metric has no task {self.config_name!r}; "
                f"it has {', '.join(sorted(_FIGURES))}."
            )
        # One class number per example.  Rows of logits don't fit, and evaluate says so.
        return evaluate.MetricInfo(
            description="Scores a classifier on one of GLUE's tasks.",
            citation="",
            inputs_description="predictions, references: the class number of each example.",
            features=datasets.Features(
                {
                    "predictions": datasets.Value("int64"),
                    "references": datasets.Value("int64"),
                }
            ),
            format="numpy",
        )

    def _compute(self, predictions: np.ndarray, references: np.ndarray) -> dict[str, float]:
        guessed, true = np.asarray(predictions), np.asarray(references)
        return {name: _COMPUTE[name](guessed, true) for name in _FIGURES[self.config_name]}
