"""Losses of Keras by their names: what each is given, and what one who only guesses comes to."""

import inspect
import math
from typing import Any

MADE_BY = "_course_made_by"
"""The attribute of a tensor that names what gave it."""
RANGES = {
    "sigmoid": (0.0, 1.0),
    "softmax": (0.0, 1.0),
    "tanh": (-1.0, 1.0),
    "relu": (0.0, math.inf),
}
"""What an activation can give."""
CLASSES = ("sparse_categorical_crossentropy", "categorical_crossentropy")
BINARY = "binary_crossentropy"
SQUARES = "mean_squared_error"
REGRESSION = (
    *(SQUARES, "mean_absolute_error", "huber", "log_cosh"),
    *("mean_absolute_percentage_error", "mean_squared_logarithmic_error"),
)
ROOM = 1e-4
"""What rounding may add."""


def guess_of(name: str, labels: Any, classes: int | None) -> float | None:
    """Compute the loss of one who knows how frequent the labels are, and nothing of the inputs."""
    if name in CLASSES:
        return math.log(classes) if classes and classes > 1 else None
    if labels is None or labels.dtype.kind not in "iufb" or not len(labels):
        return None
    values = labels.astype("float64").reshape(len(labels), -1)
    if name == BINARY:
        mean = values.mean(0).clip(1e-6, 1 - 1e-6)
        both: list[float] = [-(p * math.log(p) + (1 - p) * math.log(1 - p)) for p in mean.tolist()]
        return sum(both) / len(both)
    if name == "mean_squared_error":
        variance = float(values.var(0).mean())
        return variance or None
    if name == "mean_absolute_error":
        spread = float(abs(values - values.mean(0)).mean())
        return spread or None
    return None


def name_of(loss: Any) -> str:
    """Return the name of what a loss computes; an empty text where it has none."""
    function = getattr(loss, "fn", None)
    return str(getattr(function, "__name__", "") or "")


def is_from_logits(loss: Any) -> bool:
    """Return whether a loss takes outputs as they are, and makes probabilities of them."""
    given = getattr(loss, "_fn_kwargs", {}).get("from_logits")
    if given is None:
        parameter = inspect.signature(loss.fn).parameters.get("from_logits")
        given = parameter.default if parameter is not None else False
    return bool(given)
