"""What the report says by itself, in the language in force."""

from datetime import timedelta

from course.base.i18n import N_, _, numbers
from course.base.texts import sentences
from course.grading.grade import Grade, GradeStatus
from course.grading.report import feedback

PLACES = sentences("places")
"""Places on the map that are no faults."""
RESULTS = {**feedback.STATUSES, "internal-error": N_("The grading program failed")}
"""What became of a submission, in a word or two for a table."""


def place(name: str) -> str:
    """Return the name of a place on the map."""
    return _(PLACES[name]) if name in PLACES else feedback.title(name)


def result(status: GradeStatus | None) -> str:
    """Return the outcome of a submission, for a table."""
    return _(RESULTS[status]) if status else place("waiting")


def duration(time: timedelta) -> str:
    """Return a length of time as text, in its two largest units."""
    minutes = max(1, round(time.total_seconds() / 60))
    days, hours = minutes // 1440, minutes // 60
    units = {"day": days, "hour": hours - 24 * days, "minute": minutes - 60 * hours}
    begin = 0 if days else 1 if hours else 2
    largest = list(units.items())[begin : begin + 2]
    return " ".join(numbers.amount(n, f"duration-{name}") for name, n in largest)


def seconds(value: float) -> str:
    """Return a number of seconds as text, to a tenth."""
    if value >= 120:
        return duration(timedelta(seconds=value))
    return numbers.amount(value, "duration-second", 1)


def of(some: str | int, all_: str | int) -> str:
    """So many of so many."""
    return _("{some} of {all}").format(some=some, all=all_)


def versions(grade: Grade) -> str:
    """Return the libraries that a submission was examined with, each with its version."""
    return ", ".join(f"{name} {version}" for name, version in grade.versions.items())
