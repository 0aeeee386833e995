"""When something was handed in, by nbgrader: `timestamp.txt` beside what it has collected.

nbgrader's folder is `submitted/<student>/<assignment>/`. The file is believed only for exercises
that were given out by nbgrader: anywhere else a student could have put it there.
"""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from course.grading.collect.found_file import FileRefused, FoundFile

FILE = "timestamp.txt"
OWN = frozenset({FILE, "submission_secret.txt"})
"""What nbgrader puts beside the notebook, in small letters."""
CAP = 1_000
"""Bytes of such a file at most."""
_STAMP = re.compile(r"(?P<time>\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?) ?(?P<zone>\S*)")

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
    """Read the moment (UTC) from a text as nbgrader writes it; return None if there is none.

    `2026-03-01 12:00:02.123456 UTC`: the zone is a name or an offset, UTC where there is none.
    """
    stamp = _STAMP.fullmatch(text.strip())
    if stamp is None:
        return None
    time, zone = stamp["time"], stamp["zone"]
    try:
        if zone.startswith(("+", "-")):
            return datetime.fromisoformat(time + zone).astimezone(UTC)
        known = UTC if zone in ("", "UTC", "Z") else ZoneInfo(zone)
        return datetime.fromisoformat(time).replace(tzinfo=known).astimezone(UTC)
    except (ValueError, KeyError, OverflowError, OSError):
        return None


def _time(found: FoundFile) -> datetime | None:
    try:
        return read(found.read(CAP).decode("utf-8", "replace"))
    except FileRefused:
        return None
