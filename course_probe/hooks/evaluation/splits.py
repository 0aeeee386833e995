"""Hook `train_test_split` of scikit-learn: what its parts have of the labels."""

import functools
from types import ModuleType
from typing import Any

from course_probe.event_log import EventLog

FEWEST = 40
"""Labels of a part that count."""
CLASSES = 50
"""Different labels up to which a column is one of classes."""


def hook(module: ModuleType, log: EventLog) -> None:
    """Observe each split of `sklearn.model_selection._split`.

    See https://scikit-learn.org/stable/modules/generated/sklearn.model_selection.train_test_split.html.
    """
    original = module.train_test_split

    @functools.wraps(original)
    def split(*arrays: Any, **named: Any) -> Any:
        parts = original(*arrays, **named)
        if not log.looking:
            pairs = list(zip(parts[::2], parts[1::2], strict=False))
            if any(is_of_one_label(*each) for each in pairs[1:]):
                log.write_figures({"split_of_one_label": 1.0}, lasting=True)
        return parts

    setattr(module, "train_test_split", split)  # noqa: B010 (a module has no such attribute for mypy)


def is_of_one_label(trained: Any, held: Any) -> bool:
    """Whether all that is held out has one label, and the training has several."""
    try:
        if getattr(held, "ndim", 1) != 1 or min(len(trained), len(held)) < FEWEST:
            return False
        there, beside = set(_plain(trained)), set(_plain(held))
    except (TypeError, ValueError):
        return False
    is_of_classes = not any(isinstance(each, float) for each in there)
    return is_of_classes and len(beside) == 1 and 1 < len(there) <= CLASSES


def _plain(labels: Any) -> list[Any]:
    return list(labels.tolist() if hasattr(labels, "tolist") else labels)
