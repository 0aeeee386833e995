"""Counts and numbers that several hooks report."""

from collections import Counter
from typing import Any

from course_probe.packages import LABELS
from course_probe.vital_signs.examples import IGNORED

POINTS = 200
"""How many points of a training's loss are kept, about."""
TIMES = ("runtime", "_per_second", "_time")
"""Ends of the names of figures that tell how long an evaluation took, not how well it went."""
MOST_LABELS = 1000
"""More labels of words than these are no labels, but the words themselves."""


def count_labels(dataset: Any) -> dict[str, int]:
    """Count how often each label stands in a dataset; nothing without a column of labels.

    Where each word has one, these are counted; nothing where they are the words themselves.
    """
    if type(dataset).__module__.partition(".")[0] != "datasets":
        return {}
    for name in LABELS:
        if name in (getattr(dataset, "column_names", None) or ()):
            # One column as a list at once: row by row it takes a tenth of a short run.
            values = dataset.select_columns([name]).with_format(None)[:][name]
            if _are_of_words(values):
                values = [label for row in values for label in row if label != IGNORED]
                if len(set(values)) > MOST_LABELS:
                    return {}
            return {str(k): n for k, n in Counter(map(_scalar, values)).items()}
    return {}


def _are_of_words(values: list[Any]) -> bool:
    """Return whether these are the labels of words: lists of numbers, of one length only by chance.

    Rows of several labels each, or of several numbers to predict, are all as long.
    """
    return (
        all(isinstance(value, list) for value in values)
        and len({len(value) for value in values}) > 1
        and all(isinstance(label, int) for value in values for label in value)
    )


def count_outputs(model: Any, labels: dict[str, int], examples: int | None) -> dict[str, float]:
    """Count a model's outputs and the classes of the data, where the labels are classes.

    Of texts: a label of words may well be missing in all of them. Where the labels are unknown
    (their column has a name of its own), several outputs are no less several.
    """
    outputs = getattr(getattr(model, "config", None), "num_labels", None)
    classes = [label for label in labels if label.isdigit()]
    if outputs is not None and outputs > 1 and not labels:
        return {"outputs": float(outputs)}
    if outputs is None or not classes or len(classes) < len(labels):
        return {}
    if examples is not None and sum(labels.values()) > examples:
        return {}
    found = {"outputs": outputs, "classes": len(classes), "spare_outputs": outputs - len(classes)}
    return {name: float(value) for name, value in found.items()}


def _scalar(value: Any) -> Any:
    return value if isinstance(value, int | float | str) else str(value)


def numbers(values: Any) -> dict[str, float]:
    """Return the entries of a mapping whose values are numbers, as floats."""
    return {str(k): float(v) for k, v in (values or {}).items() if isinstance(v, int | float)}
