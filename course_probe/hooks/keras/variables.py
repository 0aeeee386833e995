"""The variables of a Keras model: which learn, which the optimizer holds, how far they moved."""

import contextlib
import math
import re
import sys
import weakref
from collections.abc import Iterator
from typing import Any

from course_probe.vital_signs.parameters import COPY_LIMIT, SAMPLE, row, signs_of

NUMBERED = re.compile(r".*?[._]\d+$")
"""The name of a layer that is one of many."""


class VariableWatch:
    """The variables of one model beside what they were when this was made.

    Statistics that a layer keeps, which nothing learns, are left out. Made while the model trains,
    when Keras has set back which layers learn to what they were when it was compiled.
    """

    def __init__(self, model: Any) -> None:
        self._model = weakref.ref(model)
        self._variables = [each for each in model.weights if each.trainable]
        self._learning = {id(each) for each in model.trainable_variables}
        size = sum(_count(each) * _bytes(each) for each in self._variables)
        self._is_whole = size <= COPY_LIMIT
        self._before = [self._keep(each) for each in self._variables]
        self._optimizer = model.optimizer
        self._began_at = _iterations(model.optimizer)
        self._steps_before = 0
        self.first_moved: int | None = None

    @property
    def model(self) -> Any:
        """Return the model; None once it is gone."""
        return self._model()

    @property
    def steps(self) -> int | None:
        """Return the steps of the optimizer since; None where it does not count them."""
        now = _iterations(self._optimizer)
        if now is None or self._began_at is None:
            return None
        return self._steps_before + now - self._began_at

    def resume(self) -> None:
        """Go on watching a model that is trained again, perhaps compiled anew."""
        model = self.model
        self._learning |= {id(each) for each in model.trainable_variables}
        if model.optimizer is not self._optimizer:
            self._steps_before = self.steps or 0
            self._optimizer = model.optimizer
            self._began_at = _iterations(model.optimizer)

    def is_equal(self, other: Any) -> bool:
        """Return whether another model has the variables that this one has now."""
        theirs = [each for each in other.weights if each.trainable]
        return len(theirs) == len(self._variables) and all(
            own.shape == their.shape and bool((own.numpy() == their.numpy()).all())
            for own, their in zip(self._variables, theirs, strict=True)
        )

    def _keep(self, variable: Any) -> Any:
        if self._is_whole:
            # On the processor `numpy()` may be a view of the variable's own memory.
            return variable.numpy().copy()
        flat = sys.modules["tensorflow"].reshape(variable, [-1])
        return flat[:: max(1, _count(variable) // SAMPLE)].numpy().copy()

    def note_step(self, step: int) -> None:
        """Look whether anything has moved by this step, until it has; seldom, later on."""
        if self.first_moved is None and step.bit_count() == 1 and self._has_moved():
            self.first_moved = step

    def _has_moved(self) -> bool:
        for variable, before in zip(self._variables, self._before, strict=True):
            if id(variable) in self._learning and bool((self._keep(variable) != before).any()):
                return True
        return False

    @contextlib.contextmanager
    def set_back(self) -> Iterator[bool]:
        """Have the model be what it was before, for as long as this lasts, to the last bit.

        Gives False, and changes nothing, where not all of it was kept.
        """
        if not self._is_whole:
            yield False
            return
        now = [self._keep(each) for each in self._variables]
        try:
            self._assign(self._before)
            yield True
        finally:
            self._assign(now)

    def _assign(self, values: list[Any]) -> None:
        for variable, value in zip(self._variables, values, strict=True):
            variable.assign(value)

    def signs(self) -> dict[str, Any]:
        """Compute the signs of the model that are about its variables."""
        optimizer = getattr(self.model, "optimizer", None)
        keys = _held(optimizer)
        rows = [
            self._row(variable, before, keys)
            for variable, before in zip(self._variables, self._before, strict=True)
        ]
        return {
            "parameters": len(rows),
            "numbers": sum(map(_count, self._variables)),
            "first_moved": self.first_moved,
            "dtype": _dtype(self._variables[0]) if self._variables else None,
            "optimizer": type(optimizer).__name__ if optimizer is not None else None,
            "steps": self.steps,
            **signs_of(rows, _parts, tells_held=keys is not None),
        }

    def _row(self, variable: Any, before: Any, held: set[Any] | None) -> dict[str, Any]:
        numpy = sys.modules["numpy"]
        change = float(numpy.linalg.norm((self._keep(variable) - before).astype("float32")))
        return row(
            getattr(variable, "path", variable.name),
            change,
            float(numpy.linalg.norm(before.astype("float32"))),
            learning=id(variable) in self._learning,
            held=held is not None and _key(variable) in held,
        )


def _count(variable: Any) -> int:
    return math.prod(int(size) for size in variable.shape)


def _dtype(variable: Any) -> str:
    # Keras 3 has words where TensorFlow has objects.
    return str(getattr(variable.dtype, "name", variable.dtype))


def _bytes(variable: Any) -> int:
    return int(getattr(variable.dtype, "size", 4))


def _key(variable: Any) -> Any:
    """Return an optimizer's key for a variable: in Keras 3 its own, or that of TensorFlow's."""
    inner = getattr(variable, "_value", variable)
    return getattr(inner, "_unique_id", None) or id(variable)


def _iterations(optimizer: Any) -> int | None:
    """Return how many steps an optimizer has taken; None where it does not count them."""
    found = getattr(optimizer, "iterations", None)
    return int(found) if found is not None else None


def _held(optimizer: Any) -> set[Any] | None:
    """Return the keys of the variables that an optimizer holds; None where it does not say.

    It is given them at its first step.
    """
    inner = getattr(optimizer, "inner_optimizer", optimizer)
    found = getattr(inner, "_index_dict", None) or getattr(inner, "_slots", None)
    return set(found) if found else None


def _parts(names: list[str], *, layers: bool) -> list[str]:
    """Return the part of a model that each variable belongs to, as `transformer/layer_._0`."""
    paths = [name.split(":")[0].split("/")[:-1] for name in names]
    # What all names begin with tells nothing.
    common = 0
    while paths and all(len(p) > common + 1 and p[common] == paths[0][common] for p in paths):
        common += 1
    return [_part(path[common:], layers=layers) for path in paths]


def _part(path: list[str], *, layers: bool) -> str:
    number = next((i for i, word in enumerate(path) if NUMBERED.match(word)), None)
    if number is not None:
        return "/".join(path[: number + layers]) or path[number]
    return "/".join(path[:2]) or "model"
