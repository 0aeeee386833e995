"""In which lines of a script the layers of Keras were made.

A layer that does not fit is called deep inside of a `fit`, long after the line that made it. Its
name is in the message, and its line was noted when it was made.
"""

import contextlib
import functools
import re
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any
from weakref import WeakKeyDictionary, ref

NAMED = re.compile(r"""layer ['"]([\w/]+)['"]""")
"""How a message names a layer."""
CALLED = re.compile(r"Exception encountered when calling (\w+)\.call\(\)")
"""How a message names a layer's class: that of the innermost one that was called."""
NODE = re.compile(r"\bnode ([\w/]+)")
"""How a message names an operation: by the layers that it is in."""
DEEPEST = 60
"""Frames between a layer and the line that makes it."""
READING = ("TextVectorization", "StringLookup", "Hashing", "HashedCrossing", "Lambda")
"""Layers that may be given texts."""
NESTED = 8
"""Levels of layers in layers that are looked at."""
SIZED = ("units", "filters", "output_dim")
"""Where layers keep how many numbers they give."""


class MadeLayers:
    """The layers of one process, and the model that was trained or asked last."""

    def __init__(self) -> None:
        self._lines: WeakKeyDictionary[Any, int] = WeakKeyDictionary()
        self._model: ref[Any] | None = None
        self._gives_text = False
        self._given: dict[str, float | str] = {}

    def hook(self, module: ModuleType) -> None:
        """Note each layer of `keras.src.layers.layer` that is made.

        By its `__new__`: Keras itself looks at how the arguments of `__init__` are called.
        """
        kind = module.Layer
        original = kind.__new__

        @functools.wraps(original)
        def made(cls: type, *arguments: Any, **named: Any) -> Any:
            layer = original(cls, *arguments, **named)
            self._note(layer)
            return layer

        kind.__new__ = made

    def _note(self, layer: Any) -> None:
        frame: Any = sys._getframe(2)
        for _level in range(DEEPEST):
            if frame is None:
                return
            if frame.f_globals.get("__name__") == "__main__":
                # A layer of the script's own may have no hash.
                with contextlib.suppress(Exception):
                    self._lines[layer] = frame.f_lineno
                return
            frame = frame.f_back

    def note_model(
        self, model: Any, given: dict[str, float | str], *, gives_text: bool = False
    ) -> None:
        """Note a model about to be trained or asked, and facts of what it is given for that."""
        self._model = ref(model)
        self._given, self._gives_text = given, gives_text

    def facts(self, message: str) -> dict[str, float | str]:
        """Return the lines of the layer that a message names and of what gives the model's outputs.

        With them, whether the model was given texts and has no layer that reads any, and what else
        is known of what it was given. Whatever goes wrong in here, the error itself is what counts.
        """
        try:
            found: dict[str, float | str | None] = {
                "named.line": self._named(message),
                "outputs.line": self._last(),
                "inputs.unread_text": self._unread(),
                **self._given,
            }
        except Exception:  # noqa: BLE001 - layers of the script's own answer as they like
            return {}
        return {name: value for name, value in found.items() if value is not None}

    def _named(self, message: str) -> int | None:
        names = {*NAMED.findall(message)}
        for path in NODE.findall(message):
            names |= {*path.split("/")}
        lines = {line for layer, line in self._own() if layer.name in names}
        if not names:
            kinds = {*CALLED.findall(message)}
            lines = {line for layer, line in self._own() if type(layer).__name__ in kinds}
        return lines.pop() if len(lines) == 1 else None

    def _own(self) -> list[tuple[Any, int]]:
        """Layers that hold no others: a model is named beside what has failed in it."""
        return [(each, line) for each, line in self._lines.items() if not hasattr(each, "layers")]

    def _unread(self) -> int | None:
        """Whether no layer reads the texts; one of the script's own may."""
        model = self._model() if self._model is not None else None
        if model is None:
            return None
        kinds = [type(each) for each in _inner(model)]
        reads = (k.__name__ in READING or not k.__module__.startswith("keras.") for k in kinds)
        return int(self._gives_text and bool(kinds) and not any(reads))

    def _last(self) -> int | None:
        """Return the line of the last layer of the model that has a size."""
        model = self._model() if self._model is not None else None
        sized = [each for each in _inner(model) if any(hasattr(each, name) for name in SIZED)]
        return self._lines.get(sized[-1]) if sized else None


def _inner(layer: Any, deep: int = NESTED) -> Iterator[Any]:
    """Yield the layers in a layer, in their order."""
    held: list[Any] = getattr(layer, "layers", None) or getattr(layer, "_layers", None) or []
    for each in held:
        yield each
        if deep:
            yield from _inner(each, deep - 1)


MADE = MadeLayers()
"""Those of this process."""
