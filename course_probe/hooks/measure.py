"""Counts and numbers that several hooks report."""

from collections import Counter
from typing import Any

POINTS = 200
"""How many points of a training's loss are kept, about."""


def count_examples(dataset: Any) -> int | None:
    """How many examples a dataset holds; None where it does not say."""
    try:
        return len(dataset)
    except TypeError:
        return None


def count_labels(dataset: Any) -> dict[str, int]:
    """How often each label stands in a dataset; nothing where there is no column of labels."""
    for name in ("labels", "label"):
        if name in (getattr(dataset, "column_names", None) or ()):
            # One column as a list at once: row by row it takes a tenth of a short run.
            values = dataset.select_columns([name]).with_format(None)[:][name]
            return {str(k): n for k, n in Counter(map(_scalar, values)).items()}
    return {}


def count_outputs(model: Any, labels: dict[str, int]) -> dict[str, float]:
    """How many outputs a model has and how many classes the data, where the labels are classes."""
    outputs = getattr(getattr(model, "config", None), "num_labels", None)
    classes = [label for label in labels if label.isdigit()]
    if outputs is None or not classes or len(classes) < len(labels):
        return {}
    found = {"outputs": outputs, "classes": len(classes), "spare_outputs": outputs - len(classes)}
    return {name: float(value) for name, value in found.items()}


def _scalar(value: Any) -> Any:
    return value if isinstance(value, int | float | str) else str(value)


def numbers(values: Any) -> dict[str, float]:
    """Return the entries of a mapping whose values are numbers, as floats."""
    return {str(k): float(v) for k, v in (values or {}).items() if isinstance(v, int | float)}
