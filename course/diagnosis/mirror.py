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

    Both lie in the tree `root` as the originals do in the file system, among links to all that lies
    beside the folders above them: so paths that lead up and out of a copy are good there. `scratch`
    takes temporary files. All of them are gone in the end.
    """

    home: Path
    folder: Path
    scratch: Path
    root: Path


@contextmanager
def mirror(home: Path, folder: Path) -> Iterator[Mirror]:
    """Copy the folder of a script and the working directory, and remove the copies at the end."""
    with tempfile.TemporaryDirectory(prefix="course-diagnosis-", ignore_cleanup_errors=True) as top:
        place = Path(os.path.realpath(top))
        scratch, root = place / "scratch", place / "at"
        scratch.mkdir()
        copied = _Copy()
        home, folder = Path(os.path.realpath(home)), Path(os.path.realpath(folder))
        there = Mirror(_below(root, home), _below(root, folder), scratch, root)
        outer = home if folder.is_relative_to(home) else folder
        for source in (outer, home, folder):
            target = _below(root, source)
            # Not there, or a link: one of the folders that are left out, or one folder too many.
            if target.is_symlink():
                target.unlink()
            if not target.is_dir():
                copied.copy(source, target)
        for source in (outer, home, folder):
            _surround(root, source, place)
        yield there


def _below(root: Path, path: Path) -> Path:
    """Return the place in a tree where a path lies."""
    return root / path.relative_to(path.anchor)


def _surround(root: Path, folder: Path, place: Path) -> None:
    """Link to what lies beside a folder, and beside those above it."""
    for parent in folder.parents:
        with suppress(OSError), os.scandir(parent) as entries:
            for entry in entries:
                target = _below(root, Path(entry.path))
                if not os.path.lexists(target) and Path(entry.path) != place:
                    with suppress(OSError):
                        target.symlink_to(entry.path, target_is_directory=entry.is_dir())


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
