"""The classes that a script of Keras 3 trains on, beside those of the rows that it keeps back."""

import weakref
from typing import Any

from course_probe.hooks.keras import rows
from course_probe.hooks.keras.answers import classes_of
from course_probe.vital_signs.evaluation.evaluations import FEWEST

MOST_CLASSES = 200
"""Different labels; what has more of them is no class."""
MANY = 0.3
"""A share of rows without a like that is no chance."""


class KerasClasses:
    """The labels of the trainings of each model, and of what it is evaluated on, as arrays."""

    def __init__(self) -> None:
        self._trained: weakref.WeakKeyDictionary[Any, set[int] | None] = weakref.WeakKeyDictionary()
        self._evaluated: weakref.WeakKeyDictionary[Any, list[list[int]]] = (
            weakref.WeakKeyDictionary()
        )

    def fit(self, given: dict[str, Any]) -> dict[str, float]:
        """Return how many classes the validation's rows have, and the share without a like.

        That is of those whose class no row of the training has.
        """
        labels, model = _classes(given.get("y")), given.get("self")
        validation, part = given.get("validation_data"), given.get("validation_split")
        if labels is None or not len(labels):
            # It has learned what is not known.
            self._trained[model] = None
            return {}
        kept = None
        if isinstance(validation, list | tuple) and len(validation) > 1:
            kept = _classes(validation[1])
        elif part:
            # Keras takes the last rows, as they lie.
            at = int(len(labels) * (1 - part))
            labels, kept = labels[:at], labels[at:]
        known = set(labels.tolist())
        before = self._trained.setdefault(model, set())
        if before is not None:
            before |= known
        if kept is None or len(kept) < FEWEST or not 1 < len(known) <= MOST_CLASSES:
            return {}
        unseen = sum(each not in known for each in kept.tolist()) / len(kept)
        return {"labels_unseen": unseen, "validation_labels": float(len(set(kept.tolist())))}

    def evaluate(self, given: dict[str, Any]) -> None:
        """Note the labels that a trained model is evaluated on."""
        labels, model = _classes(given.get("y")), given.get("self")
        if labels is not None and len(labels) >= FEWEST and model in self._trained:
            self._evaluated.setdefault(model, []).append(labels.tolist())

    def last_figures(self) -> dict[str, float | None]:
        """Return the lowest share, over a model's evaluations, of rows of classes never trained on.

        What a model has learned in the end counts: it may be asked before, to show that it has not.
        Where there are many, that the validation has a single class is only a part of it.
        """
        shares = [
            min(sum(each not in known for each in labels) / len(labels) for labels in evaluated)
            for model, evaluated in self._evaluated.items()
            if (known := self._trained.get(model)) is not None and 1 < len(known) <= MOST_CLASSES
        ]
        if not shares:
            return {}
        taken_back = {"validation_labels": None} if max(shares) > MANY else {}
        return {"evaluated_unseen": max(shares), **taken_back}


def _classes(labels: Any) -> Any:
    """Return one class a row, also of whole numbers with a point; None for anything else."""
    values = rows.as_array(labels)
    if values is None:
        return None
    if values.dtype.kind == "f" and values.size and bool(((values == 0) | (values == 1)).all()):
        values = values.astype("int64")
    return classes_of(values)
