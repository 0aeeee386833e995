"""Call a function as soon as a module has been imported, or before it is."""

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable, Sequence
from types import ModuleType

Then = Callable[[ModuleType], object]


def call_after_import(name: str, then: Then) -> None:
    """Call `then(module)` once the module `name` has been imported, or now if it has been."""
    if name in sys.modules:
        then(sys.modules[name])
        return
    _come_first()
    _FINDER.awaited.setdefault(name, []).append(then)


def call_before_import(name: str, then: Callable[[], object]) -> None:
    """Call `then()` before the module `name` is made, or now if it has been imported.

    What it has called after the import is called after this one, too.
    """
    if name in sys.modules:
        then()
        return
    _come_first()
    _FINDER.heralded.setdefault(name, []).append(then)


def _come_first() -> None:
    """Be the first finder: one of the script's, or pytest's, would find the module for itself."""
    if sys.meta_path[:1] != [_FINDER]:
        sys.meta_path[:] = [_FINDER, *(each for each in sys.meta_path if each is not _FINDER)]


class AfterImport(importlib.abc.MetaPathFinder):
    """Calls what is `heralded` before a module is made; once imported, in order, what is `awaited`.

    A hook at the import costs nothing where the script never imports the framework, and importing
    it beforehand would change the order of imports, which is itself a source of faults. It is one
    for all names: the frameworks import thousands of modules, and each finder is asked for each.
    """

    def __init__(self) -> None:
        self.awaited: dict[str, list[Then]] = {}
        self.heralded: dict[str, list[Callable[[], object]]] = {}
        self._sought: set[str] = set()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Find the module as Python would, and have its loader call us afterwards."""
        if fullname in self._sought or not (fullname in self.awaited or fullname in self.heralded):
            return None
        self._sought.add(fullname)
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self._sought.discard(fullname)
        if spec is None or spec.loader is None:
            return None
        loader = spec.loader
        create, execute = loader.create_module, loader.exec_module

        # Only now: who asks whether there is such a module, as PyTorch does, need not import it.
        def create_module(spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
            for call in self.heralded.pop(spec.name, ()):
                call()
            return create(spec)

        def exec_module(module: ModuleType) -> None:
            # Some loaders, such as pytest's, are shared by many modules.
            loader.exec_module = execute  # type: ignore[method-assign]
            execute(module)
            if module.__name__ == fullname:
                for then in self.awaited.pop(fullname, ()):
                    then(module)

        loader.create_module = create_module  # type: ignore[method-assign]
        loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


_FINDER = AfterImport()
