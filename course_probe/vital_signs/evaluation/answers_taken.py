"""Where a script looks for the highest or the lowest of its network's outputs."""

import math
from collections import Counter
from typing import Any

CLOSELY = 100
"""Answers that are looked at."""
ROUNDING = 1e-3


class AnswersTaken:
    """How the answers were taken from the outputs of the last passes.

    `shape` is that of the last outputs, None before there are any; `classes` how many outputs the
    loss was given for an example, None where it is not one of classes. `wrong_axis` tells of the
    last answers that they were looked for along another axis than that of the classes.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget the script before."""
        self.shape: tuple[int, ...] | None = None
        self.classes: int | None = None
        self.wrong_axis = False
        self._place: int | None = None
        self._loss_ndim: int | None = None
        self._is_loss_of_outputs = self._is_loss_of_pairs = False
        self._counts: Counter[str] = Counter()

    def note_outputs(self, outputs: Any) -> None:
        """A pass has given these outputs."""
        self.shape, self._place = outputs.shape, _place(outputs)

    def note_predictions(self, shape: Any, classes: int | None) -> None:
        """A network has given outputs of a shape, and its loss was one over so many classes."""
        self.shape, self._place = tuple(shape), None
        self.classes, self._is_loss_of_outputs = classes, classes is not None
        self._loss_ndim = None

    def note_loss(self, outputs: Any, target: Any, *, inside: bool) -> None:
        """A loss over classes is given these outputs, `inside` of the network or behind it."""
        self.classes = outputs.shape[1] if outputs.ndim > 1 else None
        # Of transposed outputs nobody knows which of two axes of the same length is which.
        self._loss_ndim = outputs.ndim if outputs.is_contiguous() else None
        is_own = self._place is not None and self._place == _place(outputs)
        self._is_loss_of_outputs = inside or is_own
        # Each row is to be most like that of the other network in the same place.
        self._is_loss_of_pairs = (
            not self._is_loss_of_outputs
            and _is_square(outputs.shape)
            and target.tolist() == list(range(len(outputs)))
        )

    def is_like_outputs(self, given: Any) -> bool:
        """Whether what a loss was given has the size of the last outputs, and as many classes."""
        shape = self.shape
        return bool(shape and given.ndim and given.shape[-1] == shape[-1]) and (
            math.prod(given.shape) == math.prod(shape or ())
        )

    def note(self, name: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        """An extreme is looked for: `argmax`, `argmin`, `max` or `min` of a tensor or an array."""
        given = arguments[0] if arguments else named.get("input", named.get("a"))
        axis = named.get("dim", named.get("axis", arguments[1] if len(arguments) > 1 else None))
        shape = tuple(getattr(given, "shape", ()))
        if type(axis) is not int or self._looked >= CLOSELY:
            return
        if self._is_loss_of_pairs and _is_square(shape) and _is_result(given):
            self._counts["answers"] += 1
            self._counts["lowest"] += name in ("argmin", "min") and _are_pairs_alike(given)
            return
        if not self._is_of_outputs(shape):
            return
        axis %= len(shape)
        self._counts["answers"] += 1
        classes = self.classes
        self.wrong_axis = (
            classes is not None
            and self._is_loss_of_outputs
            and classes in shape
            and not self._is_along_classes(shape, axis)
        )
        self._counts["wrong_axis"] += self.wrong_axis
        self._counts["one"] += shape[axis] == 1
        if name in ("argmin", "min") and self._is_loss_of_outputs and shape[axis] == classes:
            self._counts["lowest"] += self._is_belief(given)

    def note_softmax(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        """A softmax is taken outside of any network: of its outputs?"""
        given = arguments[0]
        axis = named.get("dim", arguments[1] if len(arguments) > 1 else None)
        shape = tuple(getattr(given, "shape", ()))
        if type(axis) is not int or self._counts["softmax"] >= CLOSELY or not shape:
            return
        if self._place is None or self._place != _place(given) or given.numel() <= len(shape):
            return
        self._counts["softmax"] += 1
        self._counts["softmax_of_one"] += shape[axis] == 1

    @property
    def _looked(self) -> int:
        return self._counts["answers"]

    def _is_of_outputs(self, shape: tuple[int, ...]) -> bool:
        """Whether a shape is that of the last outputs, or of those of several batches together."""
        return self.shape is not None and len(shape) > 1 and shape[1:] == self.shape[1:]

    def _is_along_classes(self, shape: tuple[int, ...], axis: int) -> bool:
        """Whether an axis is that of the classes; several may be as long."""
        if shape.count(self.classes) == 1 or self._loss_ndim is None:
            return shape[axis] == self.classes
        # (N, C, d₁, …): https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss
        return axis == (1 if len(shape) == self._loss_ndim else len(shape) - 1)

    def _is_belief(self, given: Any) -> bool:
        """Whether these are the outputs themselves, or probabilities made of them."""
        if not hasattr(given, "data_ptr") or self._place == _place(given):
            return True
        sums = given.sum(-1)
        return bool((given >= 0).all()) and bool((abs(sums - 1) < ROUNDING).all())

    def figures(self) -> dict[str, float]:
        """Shares of the answers that were looked at; nothing where there are none."""
        found: dict[str, float] = {}
        if self._counts["softmax"]:
            found["outputs_softmax_of_one"] = (
                self._counts["softmax_of_one"] / self._counts["softmax"]
            )
        if not self._looked:
            return found
        found["answers_taken"] = float(self._looked)
        names = {
            "lowest": "lowest_taken",
            "wrong_axis": "wrong_axis_taken",
            "one": "answers_of_one",
        }
        return found | {figure: self._counts[name] / self._looked for name, figure in names.items()}


def _is_square(shape: tuple[int, ...]) -> bool:
    return len(shape) == 2 and shape[0] == shape[1] > 1


def _is_result(table: Any) -> bool:
    """Whether these are fractions that no gradient is wanted of: none that a loss is made of."""
    return "float" in str(table.dtype) and not getattr(table, "requires_grad", False)


def _are_pairs_alike(table: Any) -> bool:
    """Whether the table is highest where row and column are the same: it is not of distances."""
    return bool(table.diagonal().mean() > table.mean() + table.std())


def _place(tensor: Any) -> int | None:
    """Where in memory a tensor's numbers stand; None for one that has none."""
    try:
        return int(tensor.data_ptr())
    except RuntimeError:
        return None


TAKEN = AnswersTaken()
"""Those of this process: a crash has to know of them, too."""
