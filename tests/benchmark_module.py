"""Modules of `benchmarks/`, which is no package: imported for a test, and forgotten after it."""

import importlib
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any
from unittest import mock

import pytest

from tests.command import ROOT

FOLDER = str(ROOT / "benchmarks")


def of_benchmarks(name: str, scope: Any = "module") -> Any:
    """Make a fixture: a module, forgotten afterwards with what it imports of its folder."""

    @pytest.fixture(scope=scope)
    def module() -> Iterator[ModuleType]:
        with mock.patch.object(sys, "path", [FOLDER, *sys.path]):
            yield importlib.import_module(name)
        for other, found in list(sys.modules.items()):
            if str(getattr(found, "__file__", None)).startswith(FOLDER):
                del sys.modules[other]

    return module
