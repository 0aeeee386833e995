"""What a Trainer says of its evaluations: the figure that it chooses weights by, and an accuracy.

The answers of the same passes are counted where the model is given their labels, on their device;
the counts are read once, at the end of the evaluation.
"""

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from course_probe.hooks.measure import TIMES
from course_probe.vital_signs.examples import IGNORED

MOST = 8
MOST_VALUES = 200
ACCURACY = re.compile(r"(?:token_)?acc(?:uracy)?")


@dataclass
class KnownChoice:
    """A figure that weights are chosen by: the highest or the lowest, and its values so far."""

    is_highest: bool
    values: list[float] = field(default_factory=list)


@dataclass
class KnownScore:
    """An accuracy as a Trainer says it, and as it may be `counted`, of so many answers.

    Where it says nothing but times, that is all that is known.
    """

    said: float | None
    counted: list[float]
    answers: int


class AnswerCount:
    """The answers of one evaluation that are right: of all places, of each next one, of rows."""

    def __init__(self) -> None:
        self._counts: Any = None
        self._rows = self._width = 0

    def add(self, named: Mapping[str, Any], outputs: Any) -> None:
        """Count the answers of one pass, if it was given labels of classes."""
        labels = named.get("labels")
        logits = outputs.get("logits") if isinstance(outputs, Mapping) else None
        if labels is None or logits is None or labels.is_floating_point():
            return
        if labels.ndim == 0 or logits.shape[:-1] != labels.shape or logits.shape[-1] < 2:
            return
        answers, kept = logits.argmax(-1), labels != IGNORED
        right = (answers == labels) & kept
        whole = right.reshape(len(labels), -1) | ~kept.reshape(len(labels), -1)
        numbers = [right.sum(), kept.sum(), whole.all(1).sum(), kept.reshape(len(kept), -1).any(1)]
        numbers[-1] = numbers[-1].sum()
        if labels.ndim == 2:
            self._rows, self._width = self._rows + len(labels), max(self._width, labels.shape[1])
            ahead = kept[:, 1:]
            numbers += [((answers[:, :-1] == labels[:, 1:]) & ahead).sum(), ahead.sum()]
        counts = sys.modules["torch"].stack(numbers)
        self._counts = counts if self._counts is None else self._counts + counts

    def read(self) -> tuple[list[float], int]:
        """Return which shares of the answers are right, each in its way, and how many there are."""
        if self._counts is None:
            return [], 0
        numbers = self._counts.tolist()
        pairs = zip(numbers[::2], numbers[1::2], strict=True)
        found = [right / kept for right, kept in pairs if kept]
        # So are those right that are divided by all places, as if each had a label.
        places = [(numbers[place], self._width - (place > 0)) for place in (0, 4) if self._rows]
        return found + [right / width / self._rows for right, width in places if width], numbers[1]


def note_choice(choices: dict[str, KnownChoice], trainer: Any, figures: Mapping[str, Any]) -> None:
    """Note the figures of one evaluation, if the best weights are loaded in the end."""
    arguments = trainer.args
    name = str(arguments.metric_for_best_model or "")
    if not (name and arguments.load_best_model_at_end and getattr(trainer, "is_in_train", False)):
        return
    value = figures.get(name if name.startswith("eval_") else f"eval_{name}")
    if not isinstance(value, int | float) or (name not in choices and len(choices) >= MOST):
        return
    choice = choices.setdefault(name, KnownChoice(bool(arguments.greater_is_better)))
    if len(choice.values) < MOST_VALUES:
        choice.values.append(float(value))


def note_said(
    said: dict[str, KnownScore], trainer: Any, figures: Mapping[str, Any], count: AnswerCount
) -> None:
    """Note each accuracy of one evaluation beside what was counted; another process counts, too."""
    if getattr(trainer.args, "world_size", 1) > 1:
        return
    if figures and all(str(n) == "epoch" or str(n).endswith(TIMES) for n in figures):
        said[""] = KnownScore(None, [], 0)
    counted, answers = count.read()
    for key, value in figures.items() if counted else ():
        name = str(key).partition("_")[2]
        is_known = key in said or len(said) < MOST
        if ACCURACY.fullmatch(name) and isinstance(value, int | float) and is_known:
            said[str(key)] = KnownScore(float(value), counted, answers)
