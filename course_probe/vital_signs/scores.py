"""Scores of outputs, rows × classes, beside the class that is the label of each row: arrays."""

import sys
from collections import Counter
from typing import Any


def accuracy(outputs: Any, labels: Any) -> float:
    """Compute the share of the rows that are right."""
    return float((outputs.argmax(-1) == labels).mean())


def cross_entropy(outputs: Any, labels: Any, *, normalised: bool = False) -> float | None:
    """Compute the mean cross entropy in nats; `normalised` are probabilities.

    None where a label has no output, or where it is not finite.
    """
    numpy = sys.modules["numpy"]
    if labels.min() < 0 or labels.max() >= outputs.shape[1]:
        return None
    outputs = outputs.astype("float64")
    with numpy.errstate(all="ignore"):
        if normalised:
            logs = numpy.log(outputs)
        else:
            shifted = outputs - outputs.max(-1, keepdims=True)
            logs = shifted - numpy.log(numpy.exp(shifted).sum(-1, keepdims=True))
    loss = float(-logs[numpy.arange(len(labels)), labels].mean())
    return loss if loss - loss == 0 else None


def scores(outputs: Any, labels: Any, *, normalised: bool = False) -> dict[str, Any]:
    """Compute the signs of an outcome that are about all of these rows."""
    answers, counts, rows = outputs.argmax(-1), Counter(labels.tolist()), len(labels)
    right, baseline = accuracy(outputs, labels), max(counts.values()) / rows
    found: dict[str, Any] = {
        "accuracy": right,
        "baseline": baseline,
        "margin": right - baseline,
        "error": (right * (1 - right) / rows) ** 0.5,
        "answers": {str(k): n for k, n in sorted(Counter(answers.tolist()).items())},
        "labels": {str(k): n for k, n in sorted(counts.items())},
        "classes": len(counts),
        "loss": cross_entropy(outputs, labels, normalised=normalised),
    }
    if set(counts) <= {0, 1}:
        both = int(((answers == 1) & (labels == 1)).sum())
        wanted, answered = counts.get(1, 0), int((answers == 1).sum())
        found["f1"] = 2 * both / (wanted + answered) if wanted + answered else 0.0
        found["f1_baseline"] = 2 * wanted / (rows + wanted)
    return found


def compare(before: Any, after: Any, labels: Any, *, normalised: bool = False) -> dict[str, Any]:
    """Compare outputs before and after the training, on the first rows, that have both."""
    rows = min(len(before), len(after))
    both, labels = (before[:rows], after[:rows]), labels[:rows]
    first, last = (accuracy(each, labels) for each in both)
    found = {"compared": rows, "accuracy_before": first, "accuracy_after": last}
    found["gain"] = last - first
    ahead, behind = (cross_entropy(each, labels, normalised=normalised) for each in both)
    known = {"loss_before": ahead, "loss_after": behind}
    found |= {name: value for name, value in known.items() if value is not None}
    if ahead is not None and behind is not None:
        found["loss_gain"] = ahead - behind
    return found
