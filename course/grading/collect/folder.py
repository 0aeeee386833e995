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
    with os.scandir(place) as entries:
        names = sorted(entry.name for entry in entries)
    top = os.open(place, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    try:
        for name in names:
            yield from _counted(_below(place, top, (name,)), name, cap(name))
    finally:
        os.close(top)


def _counted(
    found: Iterator[FoundFile | Unmatched], name: str, cap: int
) -> Iterator[FoundFile | Unmatched]:
    for number, each in enumerate(found):
        if number == cap:
            yield Unmatched(shown(name), "too-many-files", figures={"cap": cap})
            return
        yield each


def _below(place: Path, parent: int, parts: tuple[str, ...]) -> Iterator[FoundFile | Unmatched]:
    """What a name in the open folder `parent` stands for: one file, or all that lie below it."""
    if is_clutter(parts):
        return
    try:
        status = os.stat(parts[-1], dir_fd=parent, follow_symlinks=False)
    except OSError:
        yield refusing(shown(*parts), parts, "unreadable")
        return
    if stat.S_ISDIR(status.st_mode):
        yield from _inside(place, parent, parts)
    elif stat.S_ISREG(status.st_mode):
        read = partial(_read, place.joinpath(*parts), (status.st_dev, status.st_ino))
        yield FoundFile(shown(*parts), parts, _time(status.st_mtime), read)
    else:
        yield refusing(shown(*parts), parts, "not-regular")


def _inside(place: Path, parent: int, parts: tuple[str, ...]) -> Iterator[FoundFile | Unmatched]:
    if len(parts) > DEPTH:
        yield Unmatched(shown(*parts), "too-deep")
        return
    try:
        # By its open parent: nobody can put a link in its place meanwhile.
        flags = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NO_LINK
        folder = os.open(parts[-1], flags, dir_fd=parent)
    except OSError:
        yield refusing(shown(*parts), parts, "unreadable")
        return
    try:
        for name in sorted(os.listdir(folder)):
            yield from _below(place, folder, (*parts, name))
    finally:
        os.close(folder)


def stream(place: Path, found: FoundFile) -> IO[bytes]:
    """A file that was listed, to be read bit by bit.

    Raises:
        FileRefused: it is a link or a special file by now, or closed to us.

    """
    try:
        number = os.open(place.joinpath(*found.parts), os.O_RDONLY | _NO_LINK | _QUICK)
    except OSError as error:
        raise FileRefused("unreadable") from error
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise FileRefused("not-regular")
    return open(number, "rb")


def _read(path: Path, identity: tuple[int, int], cap: int) -> bytes:
    """The bytes of the very file that was listed.

    Raises:
        FileRefused: it is another one by now, larger than `cap`, or closed to us.

    """
    try:
        with open(os.open(path, os.O_RDONLY | _NO_LINK | _QUICK), "rb") as stream:
            status = os.fstat(stream.fileno())
            if (status.st_dev, status.st_ino) != identity or not stat.S_ISREG(status.st_mode):
                raise FileRefused("not-regular")
            data = stream.read(cap + 1)
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
