"""Writing files so that a crash or a full disk at any instant leaves the old or the new one."""

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


def write(path: Path, data: bytes) -> None:
    """Replace the contents of a file, or make it, in one step.

    A link is followed, and the file's permissions are kept. What was written is on the disk when
    this returns.

    Raises:
        OSError: it could not be done; nothing has changed then.

    """
    target = Path(os.path.realpath(path))
    with _naming(path):
        number, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".new", dir=target.parent)
    unfinished = Path(name)
    try:
        with _naming(path):
            _fill(number, data)
            unfinished.chmod(_mode(target))
            os.replace(unfinished, target)
    except BaseException:
        with contextlib.suppress(OSError):
            unfinished.unlink()
        raise
    _sync_folder(target.parent)


def create(path: Path, data: bytes) -> None:
    """Make a file that must not exist yet.

    Raises:
        FileExistsError: something of this name is there; it has not been touched.
        OSError: it could not be done; nothing is left of it then.

    """
    number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with _naming(path):
            _fill(number, data)
    except BaseException:
        with contextlib.suppress(OSError):
            path.unlink()
        raise
    _sync_folder(path.parent)


def read_json(path: Path, version: int) -> dict[str, Any] | None:
    """Read a document without its key `format`; None where none of this version can be read."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        document: dict[str, Any] = json.loads(path.read_text("utf-8"))
        if document.pop("format") == version:
            return document
    return None


def write_json(path: Path, version: int, document: Mapping[str, Any]) -> None:
    """Replace a document that `read_json` reads, or make it and its folder.

    Raises:
        OSError: it could not be done; what was there has not changed then.

    """
    path.parent.mkdir(parents=True, exist_ok=True)
    write(path, json.dumps({"format": version, **document}, indent=2).encode())


def _fill(number: int, data: bytes) -> None:
    with open(number, "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


@contextlib.contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Have an error name the file that was to be written: a full disk names none, or ours."""
    try:
        yield
    except OSError as error:
        error.filename, error.filename2 = str(path), None
        raise


def let_all_read(folder: Path) -> None:
    """Let every user of the machine read what is in a folder, on all its levels.

    Raises:
        OSError: it is somebody else's.

    """
    for path in (folder, *folder.rglob("*")):
        path.chmod(path.stat().st_mode | (0o055 if path.is_dir() else 0o044))


def _mode(target: Path) -> int:
    try:
        return target.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0o077)
        os.umask(mask)
        return 0o666 & ~mask


def _sync_folder(folder: Path) -> None:
    """Make sure that the new name is on the disk too, where folders can be synced (not Windows)."""
    with contextlib.suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
