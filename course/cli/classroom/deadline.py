"""A deadline as a teacher writes it."""

from datetime import datetime

from course.errors import UserError
from course.i18n import _

DAYS = ("%Y-%m-%d", "%d.%m.%Y", "%Y/%m/%d", "%Y年%m月%d日")
"""The forms of a day in our languages: a day alone means until its end."""
TIMES = ("T%H:%M", " %H:%M", "T%H:%M:%S", " %H:%M:%S")


def read(text: str) -> datetime:
    """Read a deadline, as a moment with the zone that this computer is in.

    Raises:
        UserError: it is in none of the forms; says which there are.

    """
    written = text.strip()
    for day in DAYS:
        for time in TIMES:
            found = _parsed(written, day + time)
            if found is not None:
                return found.astimezone()
        found = _parsed(written, day)
        if found is not None:
            return found.replace(hour=23, minute=59, second=59).astimezone()
    sentence = _("{text} is no time that is understood: write it as {form}, in local time.")
    raise UserError(sentence.format(text=f"`{text}`", form="`2026-12-01 23:59`"))


def _parsed(text: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(text, form)
    except ValueError:
        return None
