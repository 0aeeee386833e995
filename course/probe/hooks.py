"""What listening to any framework takes."""

import functools
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections import Counter
from collections.abc import Callable
from types import ModuleType
from typing import Any

POINTS = 200
"""How many points of a training's loss are kept, about."""

Failed = Callable[[BaseException], None]


class AfterImport(importlib.abc.MetaPathFinder):
    """Calls `then(module)` once the module `name` has been imported.

    A hook at the import costs nothing where the script never imports the framework, and importing
    it beforehand would change the order of imports, which is itself a source of faults.
    """

    def __init__(self, name: str, then: Callable[[ModuleType], None]) -> None:
        self._name = name
        self._then = then

    def find_spec(
        self, fullname: str, path: Any, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Find the module as Python would, and have its loader call us afterwards."""
        if fullname != self._name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is None or spec.loader is None:
            return None
        loader, then = spec.loader, self._then
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            then(module)

        loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def overheard(method: Callable[..., Any], failed: Failed) -> Callable[..., Any]:
    """The same method, whose exceptions are reported on their way out."""

    @functools.wraps(method)
    def heard(*arguments: Any, **named: Any) -> Any:
        try:
            return method(*arguments, **named)
        except Exception as error:
            failed(error)
            raise

    return heard


def length(dataset: Any) -> int | None:
    """How many examples a dataset holds; None where it does not say."""
    try:
        return len(dataset)
    except TypeError:
        return None


def labels(dataset: Any) -> dict[str, int]:
    """How often each label stands in a dataset; nothing where there is no column of labels."""
    for name in ("labels", "label"):
        if name in (getattr(dataset, "column_names", None) or ()):
            # One column as a list at once: row by row it takes a tenth of a short run.
            values = dataset.select_columns([name]).with_format(None)[:][name]
            return {str(k): n for k, n in Counter(map(_scalar, values)).items()}
    return {}


def head(model: Any, labels: dict[str, int]) -> dict[str, float]:
    """How many outputs a model has and how many classes the data, where the labels are classes."""
    outputs = getattr(getattr(model, "config", None), "num_labels", None)
    classes = [label for label in labels if label.isdigit()]
    if outputs is None or not classes or len(classes) < len(labels):
        return {}
    return {"outputs": float(outputs), "classes": float(len(classes))}


def _scalar(value: Any) -> Any:
    return value if isinstance(value, int | float | str) else str(value)


def figures(values: Any) -> dict[str, float]:
    """Those values that are numbers, by name."""
    return {str(k): float(v) for k, v in (values or {}).items() if isinstance(v, int | float)}
