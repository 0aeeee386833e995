"""A copy of the folder that a script lies in, so that a run of it leaves nothing behind."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

LARGE = 16 * 2**20
"""Bytes from which on a file is not copied but linked to: data, mostly, that are only read."""
BUDGET = 128 * 2**20
"""Bytes that are copied in all; what is left is linked to."""
MANY = 4_000
"""Files that are looked at in all; folders that come later are linked to as they are."""
LEFT_OUT = frozenset(
    {"__pycache__", "node_modules", "venv", "env", "wandb", "mlruns", "runs", "lightning_logs"}
)
"""Folders that no training script reads."""


@dataclass(frozen=True)
class Mirror:
    """The copies: of the folder that the script lies in, and of the working directory.

    `scratch` takes what the script writes elsewhere. All of them are gone in the end.
    """

    home: Path
    folder: Path
    scratch: Path


@contextmanager
def mirror(home: Path, folder: Path) -> Iterator[Mirror]:
    """Copy the folder of a script and the working directory, and remove the copies at the end."""
    with tempfile.TemporaryDirectory(prefix="course-diagnosis-", ignore_cleanup_errors=True) as top:
        place = Path(os.path.realpath(top))
        scratch = place / "scratch"
        scratch.mkdir()
        copied = _Copy()
        home, folder = Path(os.path.realpath(home)), Path(os.path.realpath(folder))
        if home.is_relative_to(folder):
            copied.copy(folder, place / "folder")
            here = place / "folder" / home.relative_to(folder)
            if not here.is_dir() or here.is_symlink():
                # One of the folders that are left out, or one folder too many.
                here = place / "home"
                copied.copy(home, here)
            yield Mirror(here, place / "folder", scratch)
        else:
            copied.copy(folder, place / "folder")
            copied.copy(home, place / "home")
            yield Mirror(place / "home", place / "folder", scratch)


class _Copy:
    """Copies folders as long as there is room for it."""

    def __init__(self) -> None:
        self._left = BUDGET
        self._files = 0

    def copy(self, source: Path, target: Path) -> None:
        """Copy what is in a folder; what cannot be read is not there."""
        target.mkdir(parents=True, exist_ok=True)
        with suppress(OSError), os.scandir(source) as entries:
            found = sorted(entries, key=lambda entry: (entry.is_dir(), entry.name))
            for entry in found:
                with suppress(OSError):
                    self._take(Path(entry.path), target / entry.name)

    def _take(self, source: Path, target: Path) -> None:
        self._files += 1
        if source.is_dir():
            if source.name.startswith(".") or source.name in LEFT_OUT:
                return
            if source.is_symlink() or self._files > MANY:
                target.symlink_to(source.resolve(), target_is_directory=True)
            else:
                self.copy(source, target)
            return
        if not source.is_file():
            return
        size = source.stat().st_size
        if size > LARGE or size > self._left or self._files > MANY:
            target.symlink_to(source.resolve())
            return
        self._left -= size
        shutil.copy2(source, target)
