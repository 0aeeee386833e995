"""Which versions a run tells: those that `importlib.metadata` has, from the names of folders."""

import importlib.metadata
import platform
import sys
from pathlib import Path

import pytest

from course_probe.serve import script


def test_versions_are_those_of_what_is_installed() -> None:
    wanted = {"python": platform.python_version()}
    for name in script.LIBRARIES:
        try:
            wanted[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    assert script.versions() == wanted
    assert "numpy" in wanted


def test_what_comes_first_on_the_path_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "numpy-0.0.1+own.dist-info").mkdir()
    monkeypatch.setattr(sys, "path", [str(tmp_path / "gone"), str(tmp_path), *sys.path])
    assert script.versions()["numpy"] == "0.0.1+own"


def test_a_checkout_that_is_installed_in_the_old_way_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "evaluate.egg-info").mkdir()
    (tmp_path / "evaluate.egg-info" / "PKG-INFO").write_text("Name: evaluate\nVersion: 9.9.dev0\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert script.versions()["evaluate"] == "9.9.dev0"
