"""The answers of a model in one evaluation, counted by us beside the labels that came with them."""

import sys
from collections.abc import Sequence
from typing import Any

from course_probe.vital_signs.examples import IGNORED
from course_probe.vital_signs.scores import compare, scores

MAX_CLASSES = 4096
"""Outputs of a row that are kept; a model with more of them is no classifier of rows."""
COMPARED = 96
"""Rows, the first ones, that the untrained model answers too."""
MOST_NUMBERS = 20_000_000
"""Outputs of one evaluation that are kept: 80 MB."""


class AnswerSheet:
    """The rows of one evaluation: outputs of the model, labels, fingerprints.

    `before` are the outputs of the untrained model for the first rows. Where each word of a row has
    a label, an answer is that to a word, and a row is still a row.
    """

    def __init__(self) -> None:
        self._numbers = 0
        self._is_of_words = False
        self._outputs: list[Any] = []
        self._labels: list[Any] = []
        self._prints: list[Any] = []
        self._before: list[Any] = []
        self._asked: list[tuple[int, Any]] | None = []
        self.split: str | None = None
        self.evaluated_is_trained: bool | None = None
        self._is_whole = True

    @property
    def wants_before(self) -> bool:
        """Whether the untrained model is to answer the next batch too."""
        if self._asked is None or len(self._asked) != len(self._outputs):
            return False
        return sum(rows for rows, _known in self._asked) < COMPARED and not self._before

    def add(self, outputs: Any, labels: Any, prints: Any, *, waits: bool = False) -> None:
        """Take in a batch.

        Args:
            outputs: rows × classes.
            labels: one class a row; None where it is not known.
            prints: fingerprints of the rows.
            waits: whether the untrained model is asked about them, too.

        """
        known = None
        if outputs.ndim == 3 and labels is not None and labels.shape == outputs.shape[:2]:
            known = labels != IGNORED
            outputs, labels = outputs[known], labels[known]
            self._is_of_words = True
        if outputs.ndim != 2 or not 1 < outputs.shape[1] <= MAX_CLASSES:
            self._is_whole = False
            return
        is_class = labels is not None and labels.ndim == 1 and not labels.is_floating_point()
        if not is_class or len(labels) != len(outputs):
            self._is_whole = False
            return
        self._numbers += outputs.numel()
        if self._numbers > MOST_NUMBERS:
            self._is_whole = False
            self._outputs, self._labels, self._prints, self._before = [], [], [], []
            return
        if waits and self._asked is not None:
            self._asked.append((len(outputs), known.cpu() if known is not None else None))
        self._outputs.append(outputs.detach().to("cpu", copy=True).float())
        self._labels.append(labels.detach().to("cpu", copy=True).long())
        self._prints.append(prints)

    def add_before(self, answers: list[Any]) -> None:
        """Take in what the untrained model gives for the batches that it was asked about."""
        asked, self._asked = self._asked or [], None
        for (rows, known), outputs in zip(asked, answers, strict=False):
            chosen = outputs if known is None else outputs[known]
            if len(chosen) != rows:
                self._before = []
                return
            self._before.append(chosen)

    def forget_before(self) -> None:
        """Nobody knows what the untrained model gives."""
        self._asked, self._before = None, []

    def count(self) -> tuple[int, int]:
        """How many answers are right so far, and how many there are."""
        if not self._is_whole:
            return 0, 0
        pairs = zip(self._outputs, self._labels, strict=True)
        right = sum(int((outputs.argmax(-1) == labels).sum()) for outputs, labels in pairs)
        return right, sum(map(len, self._labels))

    def signs(
        self,
        seen: set[int] | None,
        said: dict[str, float],
        given: tuple[Sequence[Any], Sequence[Any]] | None,
    ) -> dict[str, Any]:
        """Return the signs of the outcome.

        Args:
            seen: fingerprints of the rows that the training saw; None where not all are known.
            said: figures of the script by name.
            given: the predictions and the references that the script's metric was given.

        """
        found: dict[str, Any] = {}
        if said:
            found["said"] = said
            found |= {f"said_{k}": said[k] for k in ("accuracy", "f1") if k in said}
        if not self._outputs or not self._is_whole:
            return found
        torch = sys.modules["torch"]
        outputs, labels = torch.cat(self._outputs).numpy(), torch.cat(self._labels).numpy()
        prints = [each for part in self._prints for each in part.tolist()]
        found |= {
            "rows": len(prints),
            "examples": len(set(prints)),
            "split": self.split,
            **scores(outputs, labels),
            **_given(self._outputs, outputs, labels, given),
        }
        if self._before:
            found |= compare(torch.cat(self._before).numpy(), outputs, labels)
        if seen is not None:
            found["overlap"] = sum(each in seen for each in prints) / len(prints)
        # For which words a script counts its figures is its own affair.
        if len(given[0]) == len(labels) if given else not self._is_of_words:
            off = [abs(said[k] - found[k]) for k in ("accuracy", "f1") if k in said and k in found]
            if off:
                found["said_off"] = max(off)
        return found


def _given(
    batches: list[Any],
    outputs: Any,
    labels: Any,
    given: tuple[Sequence[Any], Sequence[Any]] | None,
) -> dict[str, Any]:
    """Compare what the script's metric was given with what the model answered, batch by batch."""
    if given is None:
        return {}
    predictions, references = given
    found: dict[str, Any] = {"given": len(predictions)}
    if len(predictions) != len(labels) or len(references) != len(labels):
        return found
    highest, lowest = outputs.argmax(-1).tolist(), outputs.argmin(-1).tolist()
    wanted = labels.tolist()
    found["given_answers"] = _agreement(predictions, highest)
    found["given_lowest"] = _agreement(predictions, lowest)
    found["given_labels"] = min(_agreement(predictions, wanted), _agreement(references, wanted))
    across = [row for batch in batches for row in batch.argmax(0).tolist()]
    if len(across) == len(wanted):
        found["given_across"] = _agreement(predictions, across)
    found["given_swapped"] = min(_agreement(predictions, wanted), _agreement(references, highest))
    return found


def _agreement(these: Sequence[Any], those: Sequence[Any]) -> float:
    return float(sum(a == b for a, b in zip(these, those, strict=True)) / max(1, len(these)))
