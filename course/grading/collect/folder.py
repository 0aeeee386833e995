"""What lies in a folder: regular files only, and nothing that leads out of it."""

import os
import stat
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO

from course.grading.collect.found_file import FileRefused, FoundFile, capped, is_clutter, shown
from course.grading.collect.unmatched import Unmatched

DEPTH = 8
"""Folders within folders that are looked into."""
_CAREFULLY = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
"""A link may lead anywhere, and a pipe in the place of a file must not make us wait."""


def listing(place: Path, cap: Callable[[str], int]) -> Iterator[FoundFile | Unmatched]:
    """All files below a folder, by name; `cap` says how many each folder in it may hold.

    A link is never followed: it, and whatever else is no regular file, refuses to be read.

    Raises:
        OSError: the folder itself cannot be listed.

    """
    for name in sorted(os.listdir(place)):
        most = cap(name)
        for number, each in enumerate(_below(place, (name,))):
            if number == most:
                yield Unmatched(shown(name), "too-many-files", figures={"cap": most})
                break
            yield each


def _below(place: Path, parts: tuple[str, ...]) -> Iterator[FoundFile | Unmatched]:
    """Yield what a name stands for: one file, or all that lie below a folder."""
    if is_clutter(parts):
        return
    path = place.joinpath(*parts)
    try:
        status = path.lstat()
        names = sorted(os.listdir(path)) if stat.S_ISDIR(status.st_mode) else []
    except OSError:
        yield FoundFile.refusing(shown(*parts), parts, "unreadable")
        return
    if stat.S_ISREG(status.st_mode):
        yield FoundFile(shown(*parts), parts, _time(status.st_mtime), partial(read, path))
    elif not stat.S_ISDIR(status.st_mode):
        yield FoundFile.refusing(shown(*parts), parts, "not-regular")
    elif len(parts) > DEPTH:
        yield Unmatched(shown(*parts), "too-deep")
    else:
        for name in names:
            yield from _below(place, (*parts, name))


def stream(path: Path) -> IO[bytes]:
    """Open a file, to be read bit by bit.

    Raises:
        FileRefused: it is a link or a special file, or closed to us.

    """
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            raise FileRefused("not-regular")
        number = os.open(path, os.O_RDONLY | _CAREFULLY)
    except OSError as error:
        raise FileRefused("unreadable") from error
    # It may have become another one meanwhile.
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise FileRefused("not-regular")
    return open(number, "rb")


def read(path: Path, cap: int) -> bytes:
    """Return the bytes of a regular file, whatever it was a moment ago.

    Raises:
        FileRefused: it is none, larger than `cap`, or cannot be read.

    """
    with stream(path) as file:
        try:
            return capped(file, cap)
        except OSError as error:
            raise FileRefused("unreadable") from error


def _time(seconds: float) -> datetime | None:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return None
