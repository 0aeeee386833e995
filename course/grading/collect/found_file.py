"""A file that was found among submissions, before anybody knows whose it is."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import IO, Self

from course.exercise.working_copy import CAP

LARGE = 20_000_000
"""Bytes of the largest notebook, or student's archive, that is read: outputs may be pictures."""
CAPS: dict[str, int] = {
    "too-large": CAP // 1000,
    "too-many": 100,
    "archive-large": LARGE // 1_000_000,
    "notebook-large": LARGE // 1_000_000,
}
"""The `{cap}` of a refusal's sentence: kB of a script, files in a student's archive, MB."""
CLUTTER = {"__macosx", "__pycache__", "thumbs.db", "desktop.ini"}
"""What systems leave behind by themselves, in small letters; so is all that begins with a dot."""
PAGE = re.compile(r"instructions\.\w+\.md")


class FileRefused(Exception):
    """What was found cannot be read, or is not read, for this reason."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class FoundFile:
    """A file: where it lay, as a person reads it and in parts, and what it takes to read it.

    `time` is in UTC, as far as it is known. `read` is told how many bytes it may give at most, and
    raises `FileRefused`, for a larger file too. What is `refused` is so without being read: a link,
    say; it may stand for a whole folder.
    """

    source: str
    parts: tuple[str, ...]
    time: datetime | None
    read: Callable[[int], bytes]
    refused: str | None = None

    @classmethod
    def refusing(cls, source: str, parts: tuple[str, ...], reason: str) -> Self:
        """Make an entry for a file that is refused unread: its `read` raises `FileRefused`."""

        def read(cap: int) -> bytes:
            raise FileRefused(reason)

        return cls(source, parts, None, read, reason)


def capped(stream: IO[bytes], cap: int) -> bytes:
    """Read all of a stream.

    Raises:
        FileRefused: it is larger than `cap`.

    """
    data = stream.read(cap + 1)
    if len(data) > cap:
        raise FileRefused("too-large")
    return data


def is_clutter(parts: tuple[str, ...]) -> bool:
    """Whether a system or an editor has left this behind, or it is a page that we gave out."""
    return PAGE.fullmatch(parts[-1]) is not None or any(
        part.startswith(".") or part.casefold() in CLUTTER for part in parts
    )


def shown(*parts: str) -> str:
    """Return a path for a person, and for a database, whatever bytes it is made of."""
    text = "/".join(part for part in parts if part)
    return "".join(c if c.isprintable() else "\ufffd" for c in text)
