"""The F1 score of each class and its means, for the embedded hub; our own, numpy only."""

from __future__ import annotations

import datasets
import evaluate
import numpy as np


class F1(evaluate.Metric):
    """``evaluate.load("f1")``: class numbers in; ``average`` as scikit-learn has it."""

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description="The harmonic mean of precision and recall.",
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

    def _compute(
        self,
        predictions: np.ndarray,
        references: np.ndarray,
        labels: list[int] | None = None,
        pos_label: int = 1,
        average: str | None = "binary",
    ) -> dict[str, float | list[float]]:
        guessed, true = np.asarray(predictions), np.asarray(references)
        classes = sorted({*guessed.tolist(), *true.tolist()}) if labels is None else labels
        if average == "binary":
            if len(classes) > 2:
                raise ValueError(
                    "Target is multiclass but average='binary'. Please choose another average "
                    "setting, one of [None, 'micro', 'macro', 'weighted']."
                )
            return {"f1": _of_class(guessed, true, pos_label)}
        each = [_of_class(guessed, true, label) for label in classes]
        if average is None:
            return {"f1": each}
        if average == "micro":
            return {"f1": float(np.mean(guessed == true))}
        weights = [int(np.sum(true == label)) for label in classes]
        return {"f1": float(np.average(each, weights=weights if average == "weighted" else None))}


def _of_class(guessed: np.ndarray, true: np.ndarray, label: int) -> float:
    """The harmonic mean of precision and recall of one class, 0 to 1 (0 where neither exists)."""
    hits = int(np.sum((guessed == label) & (true == label)))
    claims_and_cases = int(np.sum(guessed == label)) + int(np.sum(true == label))
    return 2 * hits / claims_and_cases if claims_and_cases else 0.0
