"""When something was handed in, by nbgrader: `timestamp.txt` beside what it has collected.

nbgrader's folder is `submitted/<student>/<assignment>/`. The file is believed only for exercises
that were given out by nbgrader: anywhere else a student could have put it there.
"""

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from course.grading.collect.found_file import FileRefused, FoundFile

FILE = "timestamp.txt"
OWN = frozenset({FILE, "submission_secret.txt"})
"""What nbgrader puts beside the notebook, in small letters."""
CAP = 1_000
"""Bytes of such a file at most."""
_STAMP = re.compile(r"(?P<time>\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?) ?(?P<zone>\S*)")
_OFFSET = re.compile(r"(?P<sign>[+-])(?P<hours>\d\d):?(?P<minutes>\d\d)")

Folder = tuple[str, ...]


def times(files: Iterable[FoundFile]) -> dict[Folder, datetime]:
    """When what lies in each folder was handed in (UTC), where nbgrader has left word of it."""
    found: dict[Folder, datetime] = {}
    for each in files:
        if len(each.parts) == 3 and each.parts[-1] == FILE:
            time = _time(each)
            if time is not None:
                found[each.parts[:-1]] = time
    return found


def read(text: str) -> datetime | None:
    """The moment (UTC) that a text as nbgrader writes it tells; None where it tells none.

    `2026-03-01 12:00:02.123456 UTC`: the zone is a name or an offset, UTC where there is none.
    """
    stamp = _STAMP.fullmatch(text.strip())
    if stamp is None:
        return None
    try:
        local = datetime.fromisoformat(stamp["time"])
        zone = _zone(stamp["zone"])
        return local.replace(tzinfo=zone).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _zone(name: str) -> timezone | ZoneInfo:
    """A zone of time.

    Raises:
        ValueError: there is none of this name.
        OSError: likewise.

    """
    if name in ("", "UTC", "Z"):
        return UTC
    offset = _OFFSET.fullmatch(name)
    if offset:
        apart = timedelta(hours=int(offset["hours"]), minutes=int(offset["minutes"]))
        return timezone(-apart if offset["sign"] == "-" else apart)
    try:
        return ZoneInfo(name)
    except KeyError as error:
        raise ValueError(name) from error


def _time(found: FoundFile) -> datetime | None:
    try:
        return read(found.read(CAP).decode("utf-8", "replace"))
    except FileRefused:
        return None
