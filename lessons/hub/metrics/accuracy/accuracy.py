"""The share of answers that are right, for the embedded hub; our own, numpy only."""

from __future__ import annotations

import datasets
import evaluate
import numpy as np


class Accuracy(evaluate.Metric):
    """``evaluate.load("accuracy")``: class numbers in, a dictionary with the share out."""

    def _info(self) -> evaluate.MetricInfo:
        # One class number per example.  Rows of logits don't fit, and evaluate says so.
        return evaluate.MetricInfo(
            description="The share of examples whose class was predicted.",
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
        normalize: bool = True,
        sample_weight: list[float] | None = None,
    ) -> dict[str, float]:
        hits = np.asarray(predictions) == np.asarray(references)
        if not normalize:
            return {"accuracy": float(hits.sum())}
        return {"accuracy": float(np.average(hits, weights=sample_weight))}
