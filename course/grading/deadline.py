"""A deadline as a teacher writes it, dates of single students, and what it costs to be late."""

import contextlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

from course.base import schema
from course.base.errors import UserError

DAYS = ("%Y-%m-%d", "%d.%m.%Y", "%Y/%m/%d", "%Y年%m月%d日")
"""The forms of a day in our languages: a day alone means until its end."""
TIMES = ("T%H:%M", " %H:%M", "T%H:%M:%S", " %H:%M:%S")
DAY = timedelta(days=1)


@dataclass(frozen=True)
class LatePenalty:
    """What is taken off a mark: a `share` of it, for so many `days`, the last of them begun."""

    days: int
    share: float


@dataclass(frozen=True)
class LateRule:
    """What each day after the deadline costs, and which students have a deadline of their own.

    `per_day` and `most` are shares of the mark that was reached, from 0 to 1; `most` is what all
    days together cost. `extensions` are moments with a zone, by the student's id.
    """

    per_day: float = 0.0
    most: float = 1.0
    extensions: Mapping[str, datetime] = field(default_factory=dict)

    def due(self, student: str, deadline: datetime | None) -> datetime | None:
        """Until when a student may hand in."""
        return self.extensions.get(student, deadline)

    def penalty(
        self, student: str, submitted: datetime | None, deadline: datetime | None
    ) -> LatePenalty | None:
        """Return the penalty for coming so late; None where it costs nothing.

        It costs nothing either where it is not known when it came: a teacher may take that off.
        """
        due = self.due(student, deadline)
        if due is None or submitted is None or submitted <= due:
            return None
        days = math.ceil((submitted - due) / DAY)
        share = min(self.most, days * self.per_day)
        return LatePenalty(days, share) if share else None

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as JSON can hold it; `from_dict` is the way back."""
        dates = {student: moment.isoformat() for student, moment in self.extensions.items()}
        return {"per_day": self.per_day, "most": self.most, "extensions": dates}


def from_dict(stored: Mapping[str, Any]) -> LateRule:
    """Make a rule from what `LateRule.to_dict` returned."""
    dates = {who: datetime.fromisoformat(at) for who, at in stored["extensions"].items()}
    return LateRule(stored["per_day"], stored["most"], dates)


def last(rounds: Iterable[Mapping[str, Any]]) -> tuple[datetime | None, LateRule]:
    """Return the deadline of the last round of grading that had one (UTC), and the last rule.

    They are found in what each round said of itself, the earliest first.
    """
    deadline, rule = None, LateRule()
    for values in rounds:
        if isinstance(values.get("deadline"), str):
            deadline = datetime.fromisoformat(values["deadline"])
        if isinstance(values.get("late"), Mapping):
            rule = from_dict(values["late"])
    return deadline, rule


def of_value(value: Any) -> datetime:
    """Read a moment of a TOML file: its own date or time, or a text in one of our forms.

    Raises:
        UserError: it is none of these; says which forms there are.

    """
    if isinstance(value, datetime):
        return value.astimezone()
    return read(value.isoformat() if isinstance(value, date) else str(value))


def read(text: str) -> datetime:
    """Read a deadline, as a moment with the zone that this computer is in.

    Raises:
        UserError: it is in none of the forms; says which there are.

    """
    for form in (*DAYS, *(day + time for day in DAYS for time in TIMES)):
        with contextlib.suppress(ValueError):
            found = datetime.strptime(text.strip(), form)
            end = found.replace(hour=23, minute=59, second=59)
            return (end if form in DAYS else found).astimezone()
    raise UserError(schema.not_of_form(text, "2026-12-01 23:59"))
