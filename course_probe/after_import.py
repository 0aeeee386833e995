"""Call a function as soon as a module has been imported."""

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable, Sequence
from types import ModuleType


def call_after_import(name: str, then: Callable[[ModuleType], object]) -> None:
    """Call `then(module)` once the module `name` has been imported, or now if it has been."""
    if name in sys.modules:
        then(sys.modules[name])
    else:
        sys.meta_path.insert(0, AfterImport(name, then))


class AfterImport(importlib.abc.MetaPathFinder):
    """Calls `then(module)` once the module `name` has been imported.

    A hook at the import costs nothing where the script never imports the framework, and importing
    it beforehand would change the order of imports, which is itself a source of faults.
    """

    def __init__(self, name: str, then: Callable[[ModuleType], object]) -> None:
        self._name = name
        self._then = then

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
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
            # Some loaders, such as pytest's, are shared by many modules.
            loader.exec_module = execute  # type: ignore[method-assign]
            execute(module)
            then(module)

        loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec
