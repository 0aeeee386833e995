"""A folder of lessons of its own: the faults and the template that ship, and no lesson yet."""

from pathlib import Path

import pytest

from course.base import paths
from course.lesson import catalogue

SHIPPED = paths.lessons()


def lessons(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make it, and have the program read it in the place of the one that ships."""
    folder = place / "lessons"
    (folder / "faults").mkdir(parents=True)
    for source in (SHIPPED / "faults").glob("*.toml"):
        (folder / "faults" / source.name).symlink_to(source)
    for name in ("template", "runtimes"):
        (folder / name).symlink_to(SHIPPED / name)
    monkeypatch.setattr(paths, "lessons", lambda: folder)
    monkeypatch.setattr(paths, "data", lambda: place)
    monkeypatch.setattr(paths, "is_checkout", lambda: True)
    catalogue.catalogue.cache_clear()
    return folder
