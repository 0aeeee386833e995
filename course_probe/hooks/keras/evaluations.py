"""Which rows a script of Keras 3 trains on, and which it evaluates on.

A row is known again by its numbers, where those of the training differ so much that two alike are
the same example. Of a `tf.data.Dataset` it is known what it is made of.
"""

import sys
import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from course_probe.hooks.keras import rows
from course_probe.reading.held_out_values import is_kept
from course_probe.vital_signs.data.scaling import share_scaled
from course_probe.vital_signs.evaluation.evaluations import MOSTLY_NEW, overlap

SOME = 0.3
"""A share of rows that are no chance."""
MOST_KEPT = 32
"""Evaluations of kept rows that are remembered."""
MOST = 2
"""Tables that are kept of a training, and of what is held out."""


@dataclass
class Trained:
    """What one model was trained on: its rows as far as they are `known`, and its datasets.

    `given` are those and the ones that `fit` was given and kept for the validation.
    """

    rows: set[int] = field(default_factory=set)
    given: set[int] = field(default_factory=set)
    datasets: list[Any] = field(default_factory=list)
    known: bool = True

    def share(self, found: list[int]) -> float | None:
        """Return the share of some rows that it was trained on; None where that is not known."""
        return overlap(found, self.rows) if self.known and self.rows else None


class KerasEvaluations:
    """The rows of one script so far: of its trainings, and of its evaluations."""

    def __init__(self) -> None:
        self._trained: weakref.WeakKeyDictionary[Any, Trained] = weakref.WeakKeyDictionary()
        self._adapted: set[int] = set()
        self._validated: list[float] = []
        self._evaluated: list[float] = []
        self._kept: list[tuple[Any, str, float]] = []
        self._together: list[float] = []
        self._split_anew = False
        self._first: Trained | None = None
        self._tables: tuple[list[Any], list[Any]] = ([], [])

    def adapt(self, data: Any) -> None:
        """Note the rows that a layer takes mean and spread from."""
        self._adapted |= set(rows.prints(data))

    def train(self, model: Any, x: Any, given: Any = None) -> None:
        """Note that a training of a model begins; `given` are more where some are kept back."""
        trained = self._trained.setdefault(model, Trained())
        self._first = self._first or trained
        if rows.is_dataset(x):
            trained.datasets.append(x)
        found = rows.prints(x)
        trained.rows |= set(found)
        trained.given |= set(found if given is None else rows.prints(given))
        trained.known &= bool(found) and rows.are_distinct(found)
        if trained is self._first and not rows.is_dataset(x):
            self._keep(x, trains=True)

    def evaluate(self, model: Any, data: Any) -> None:
        """Note that a model is evaluated on these; of inputs with labels the inputs count."""
        is_validation = isinstance(data, list | tuple)
        x = data[0] if isinstance(data, list | tuple) and data else data
        trained = self._trained.get(model)
        if x is None or trained is None:
            return
        found = rows.prints(x)
        share = trained.share(found)
        if rows.is_dataset(x):
            self._split_anew |= any(_is_split_anew(x, each) for each in trained.datasets)
            if share is None:
                self._evaluated.append(float(any(x is each for each in trained.datasets)))
                return
        if share is None:
            return
        if is_validation:
            self._validated.append(share)
        self.answer(model, x)

    def answer(self, model: Any, x: Any) -> None:
        """Note that a model is asked for these, or evaluated on them."""
        trained = self._trained.get(model)
        found = rows.prints(x) if trained is not None else []
        share = trained.share(found) if trained is not None else None
        if share is None:
            return
        self._evaluated.append(share)
        if trained is not None and is_kept(x):
            # `fit` may have been given all of it, and have kept back the last rows.
            whole = overlap(found, trained.given) or 0.0
            kept = max(share, whole) if share > SOME else share
            figure = kept_figure(kept, len(found), len(trained.rows))
            self._kept += [(x, *each) for each in figure.items()][: MOST_KEPT - len(self._kept)]
        if share > MOSTLY_NEW:
            return
        self._together.append(sum(each in self._adapted for each in found) / len(found))
        if trained is self._first:
            self._keep(x, trains=False)

    def _keep(self, x: Any, *, trains: bool) -> None:
        """Keep a table, to see how its columns are scaled; a few are enough."""
        kept = self._tables[0 if trains else 1]
        if len(kept) < MOST:
            kept += [each for each in rows.columns(x) if _is_table(each)][:1]

    def figures(self) -> dict[str, float]:
        """Return the figures that hold as soon as they are seen."""
        found: dict[str, float] = {}
        if self._validated:
            found["validation_overlap"] = min(self._validated)
        if self._split_anew:
            found["split_anew"] = 1.0
        return found

    def last_figures(self, unused: int) -> dict[str, float]:
        """Return what is known at the script's end; `unused` datasets were never looked at."""
        found: dict[str, float] = {}
        shares = [*self._validated, *self._evaluated]
        if shares:
            found["evaluation_overlap"] = min(shares)
            found["held_out_unused"] = float(unused)
        found |= self._of_kept()
        if self._together:
            found["adapted_together"] = max(self._together)
        scaled = self._scaled_together()
        if scaled is not None:
            found["scaled_together"] = scaled
        return found

    def _of_kept(self) -> dict[str, float]:
        """Return figures of the kept rows of which most were trained on, by their lowest shares.

        Some may have been evaluated first, and been trained on then, in a training on all there is.
        """
        found: dict[str, float] = {}
        for x, name, _share in self._kept:
            lowest = min(share for other, _name, share in self._kept if other is x)
            found[name] = max(found.get(name, 0.0), lowest)
        return found

    def _scaled_together(self) -> float | None:
        trained, held = self._tables
        widths = {each.shape[1] for each in (*trained, *held)}
        if not trained or not held or len(widths) > 1:
            return None
        numpy = sys.modules["numpy"]
        alone, together = (
            numpy.unique(numpy.concatenate(tables).astype("float64"), axis=0)
            for tables in (trained, [*trained, *held])
        )
        return share_scaled(alone, together)


def _is_table(array: Any) -> bool:
    return bool(array.ndim == 2 and array.dtype.kind == "f" and array.size <= rows.LARGEST)


def _is_split_anew(one: Any, other: Any) -> bool:
    """Return whether two datasets are parts of one that is shuffled anew each time it is read."""
    ours = {id(each) for each in _shuffled_before_split(one)}
    return any(id(each) in ours for each in _shuffled_before_split(other))


def _shuffled_before_split(dataset: Any) -> Iterator[Any]:
    """Yield the reshuffled datasets that `take` or `skip` has cut this one from."""
    is_part = False
    while rows.is_dataset(dataset):
        kind = rows.kind_of(dataset)
        is_part |= kind in ("Take", "Skip")
        if kind == "Cache":
            # What was once read stays as it is.
            return
        if is_part and kind == "Shuffle" and getattr(dataset, "_reshuffle_each_iteration", False):
            yield dataset
        inner = dataset._inputs()
        dataset = inner[0] if len(inner) == 1 else None


def kept_figure(share: float, evaluated: int, trained: int) -> dict[str, float]:
    """Return the figure for the share of the rows kept for evaluation that were trained on.

    They are all that was trained on, or a part of it: the data of the evaluation are the wrong
    ones, or those of the training.
    """
    is_all = evaluated > rows.DISTINCT * trained
    return {"held_out_is_training" if is_all else "held_out_trained": share}
