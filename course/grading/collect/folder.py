"""What lies in a folder: regular files only, and nothing that leads out of it."""

import os
import stat
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO

from course.grading.collect.found_file import FileRefused, FoundFile, is_clutter, refusing, shown
from course.grading.collect.unmatched import Unmatched

DEPTH = 8
"""Folders within folders that are looked into."""
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_QUICK = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""A pipe in the place of a file must not make us wait."""


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
        yield refusing(shown(*parts), parts, "unreadable")
        return
    if stat.S_ISREG(status.st_mode):
        yield FoundFile(shown(*parts), parts, _time(status.st_mtime), partial(_read, path))
    elif not stat.S_ISDIR(status.st_mode):
        yield refusing(shown(*parts), parts, "not-regular")
    elif len(parts) > DEPTH:
        yield Unmatched(shown(*parts), "too-deep")
    else:
        for name in names:
            yield from _below(place, (*parts, name))


def stream(path: Path) -> IO[bytes]:
    """Open a file that was listed, to be read bit by bit.

    Raises:
        FileRefused: it is a link or a special file by now, or closed to us.

    """
    try:
        number = os.open(path, os.O_RDONLY | _NO_LINK | _QUICK)
    except OSError as error:
        raise FileRefused("unreadable") from error
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise FileRefused("not-regular")
    return open(number, "rb")


def _read(path: Path, cap: int) -> bytes:
    """Return the bytes of a file that was listed.

    Raises:
        FileRefused: it is larger than `cap`, or cannot be read.

    """
    with stream(path) as file:
        try:
            data = file.read(cap + 1)
        except OSError as error:
            raise FileRefused("unreadable") from error
    if len(data) > cap:
        raise FileRefused("too-large")
    return data


def _time(seconds: float) -> datetime | None:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return None
