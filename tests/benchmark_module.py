"""Modules of `benchmarks/`, which is no package: imported for a test, and forgotten after it."""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from unittest import mock

from tests.command import ROOT

FOLDER = str(ROOT / "benchmarks")


@contextmanager
def loaded(name: str) -> Iterator[ModuleType]:
    """Import a module of `benchmarks/`; what it imports of that folder is forgotten with it."""
    with mock.patch.object(sys, "path", [FOLDER, *sys.path]):
        yield importlib.import_module(name)
    for other, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None)).startswith(FOLDER):
            del sys.modules[other]
