"""What is in a zip: read entry by entry, up to a cap, and never unpacked onto the disk."""

import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO
from zipfile import ZipFile, ZipInfo

from course.base.encoding import likeliest
from course.grading.collect.found_file import FileRefused, FoundFile, capped, is_clutter, shown

CLASS = 20_000
"""Entries of a whole class's archive."""
_UTF8, _LOCKED = 0x800, 0x1
"""Flags of an entry: its name is UTF-8, it is encrypted."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""What archives are made with everywhere; the others would unpack a bomb in one gulp."""
_BROKEN = (
    zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, struct.error,
    EOFError, NotImplementedError, OverflowError, RuntimeError, ValueError,
)  # fmt: skip
_NO_TIME = (1980, 1, 1, 0, 0, 0)
_DRIVE = re.compile(r"[A-Za-z]:")


@contextmanager
def opened(file: Path | IO[bytes], source: str, cap: int) -> Iterator[list[FoundFile]]:
    """Hold a zip open for its files, in the order of its list, readable while it is open.

    An entry whose path leads out of the folder, a link, or an encrypted one refuses to be read.
    Times are those of a clock on the wall, which a zip knows no zone of: taken for local time.

    Raises:
        FileRefused: it is no zip, a damaged one, or holds more than `cap` files.

    """
    try:
        archive = ZipFile(file)
    except OSError as error:
        raise FileRefused("unreadable") from error
    except _BROKEN as error:
        raise FileRefused("damaged") from error
    with archive:
        entries = [info for info in archive.infolist() if not info.is_dir()]
        found = [_found(archive, info, source) for info in entries]
        found = [f for f in found if f.refused == "outside" or not is_clutter(f.parts)]
        if len(found) > cap:
            raise FileRefused("too-many")
        yield found


def _found(archive: ZipFile, info: ZipInfo, source: str) -> FoundFile:
    path = _name(info).replace("\\", "/")
    parts = tuple(part for part in path.split("/") if part not in ("", "."))
    reason = _reason(info, path, parts)
    if reason is not None:
        return FoundFile.refusing(shown(source, path), parts or ("",), reason)
    return FoundFile(shown(source, path), parts, _time(info), partial(_read, archive, info))


def _reason(info: ZipInfo, path: str, parts: tuple[str, ...]) -> str | None:
    if path.startswith("/") or _DRIVE.match(path) or ".." in parts or not parts:
        return "outside"
    if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG):
        return "not-regular"
    if info.flag_bits & _LOCKED:
        return "encrypted"
    return None if info.compress_type in _METHODS else "damaged"


def _read(archive: ZipFile, info: ZipInfo, cap: int) -> bytes:
    """Read the bytes of an entry, whatever size it claims.

    Raises:
        FileRefused: it is damaged, or larger than `cap`.

    """
    try:
        with archive.open(info) as stream:
            return capped(stream, cap)
    except (*_BROKEN, OSError) as error:
        raise FileRefused("damaged") from error


def _name(info: ZipInfo) -> str:
    """Return the name of an entry: many programs write it in an encoding they do not state."""
    if info.flag_bits & _UTF8:
        return info.filename
    data = info.filename.encode("cp437", "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        guessed = likeliest(data, "cp866")
    return data.decode(guessed) if guessed else info.filename


def _time(info: ZipInfo) -> datetime | None:
    if info.date_time == _NO_TIME:
        return None
    try:
        return datetime(*info.date_time).astimezone(UTC)
    except (OverflowError, OSError, ValueError):
        return None
