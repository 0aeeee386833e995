"""What a submission is marked by: points, epochs, limits. A teacher may give another one."""

import hashlib
import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from course.base import schema
from course.base.errors import UserError
from course.base.i18n import _
from course.base.schema import Place
from course.grading.deadline import LateRule, of_value
from course.lesson.lesson import Exam, Outcome
from course.runs.sandbox.bubblewrap import JobLimits

FORMAT = 1
LARGEST = 1_000_000
"""The largest number that a limit may be given as: of seconds, megabytes, processes."""
AMOUNTS = ("bug", "healthy", "adapted", "epochs", "margin")
"""Numbers that a rubric gives beside its tables."""
SIZES = {"memory_mb": "memory", "output_mb": "output", "room_mb": "room"}
"""Limits that are given in megabytes, and the fields of `Limits` that they become."""


@dataclass(frozen=True)
class Rubric:
    """Points for each bug (`points` names exceptions) and for the healthy outcome.

    `adapted` are taken off the outcome where calls had to be adapted to what is installed.
    `epochs` and `margin` are None where the lesson's own are to hold; a script that is not
    examined by questions trains as long as it says itself. `late` is taken off in the end, so that
    nothing is examined anew for it; None where the rule of the last round is to hold.
    """

    bug: float = 1.0
    healthy: float = 1.0
    adapted: float = 0.0
    points: Mapping[str, float] = field(default_factory=dict)
    epochs: float | None = None
    margin: float | None = None
    limits: JobLimits = field(default_factory=JobLimits)
    late: LateRule | None = field(default=None, compare=False)

    def of(self, fault: str) -> float:
        """Return the points that the bug of a fault is worth."""
        return self.points.get(fault, self.bug)

    def settled(self, wanted: Exam | Outcome) -> "Rubric":
        """Return the rubric with the lesson's own figures where it has none."""
        margin = wanted.margin if self.margin is None else self.margin
        if isinstance(wanted, Outcome):
            return replace(self, epochs=None, margin=margin)
        epochs = wanted.epochs if self.epochs is None else self.epochs
        return replace(self, epochs=epochs, margin=margin)

    @property
    def digest(self) -> str:
        """Return the SHA-256 of all figures, in hexadecimal digits."""
        return hashlib.sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """Return the rubric as JSON can hold it; `from_dict` is the way back."""
        found = {**asdict(self), "points": dict(self.points)}
        return {name: value for name, value in found.items() if name != "late"}


def from_dict(stored: Mapping[str, Any]) -> Rubric:
    """Make a rubric from what `Rubric.to_dict` returned."""
    return Rubric(**{**stored, "limits": JobLimits(**stored["limits"])})


@dataclass(frozen=True)
class _LimitsTable:
    """Limits as a teacher writes them."""

    seconds: float | None = None
    cpu_seconds: float | None = None
    memory_mb: float | None = None
    output_mb: float | None = None
    room_mb: float | None = None
    processes: float | None = None


@dataclass(frozen=True)
class _LateTable:
    """What it costs to be late, as a teacher writes it."""

    per_day: float = LateRule.per_day
    most: float = LateRule.most


@dataclass(frozen=True)
class _RubricTable:
    """A rubric as a teacher writes it."""

    bug: float = Rubric.bug
    healthy: float = Rubric.healthy
    adapted: float = Rubric.adapted
    epochs: float | None = None
    margin: float | None = None
    points: dict[str, float] = field(default_factory=dict)
    limits: _LimitsTable = _LimitsTable()
    late: _LateTable = _LateTable()
    extensions: dict[str, Any] = field(default_factory=dict)


def read(path: Path, faults: set[str], students: Collection[str] | None = None) -> Rubric:
    """Read a rubric from a TOML file.

    `format = 1`, then any of `bug`, `healthy`, `adapted`, `epochs`, `margin`, a table `[points]`
    with points for single faults, and a table `[limits]` with `seconds` (of the processor, and
    those that a script waits for something), `cpu_seconds` (of the processor, where that is to be
    another number), `memory_mb`, `output_mb`, `room_mb`, `processes`; a table `[late]` with
    `per_day` and `most`, shares of the mark; and a table `[extensions]` with a date for the id of a
    student, which has to be one of `students` where these are given.

    Raises:
        UserError: it can't be read; says which word of it is wrong.

    """
    table = schema.read(_RubricTable, path, FORMAT, UserError)
    for name in table.points:
        if name not in faults:
            raise schema.unknown(Place(path, UserError).at("points"), name, faults)
    amounts = {name: getattr(table, name) for name in AMOUNTS}
    limits = {name: value for name, value in vars(table.limits).items() if value is not None}
    _check(path, {**amounts, **table.points}, lambda value: 0 <= value < 1000)
    _check(path, limits, lambda value: 1 <= value <= LARGEST)
    _check(path, vars(table.late), lambda value: 0 <= value <= 1)
    for name in table.extensions:
        if students is not None and name not in students:
            raise schema.unknown(Place(path, UserError).at("extensions"), name, students)
    dates = {name: _date(path, name, value) for name, value in table.extensions.items()}
    late = LateRule(**vars(table.late), extensions=dates)
    return Rubric(**amounts, points=table.points, limits=_limits(limits), late=late)


def _date(path: Path, student: str, value: Any) -> datetime:
    try:
        return of_value(value)
    except UserError as error:
        where = str(Place(path, UserError).at("extensions"))
        raise UserError(f"{where}, `{student}`: {error}") from error


def _check(path: Path, amounts: Mapping[str, float | None], fits: Callable[[float], bool]) -> None:
    """Make sure that the numbers of a rubric are in their range; `nan` is in none."""
    for name, value in amounts.items():
        if value is not None and not fits(value):
            sentence = _("The rubric {path} cannot be used: check {what}.")
            raise UserError(sentence.format(path=f"`{path}`", what=f"`{name} = {value}`"))


def _limits(given: Mapping[str, float]) -> JobLimits:
    made: dict[str, Any] = {SIZES[k]: int(v * 2**20) for k, v in given.items() if k in SIZES}
    if "seconds" in given:
        made |= {"wall": float(given["seconds"]), "cpu": float(given["seconds"])}
    if "cpu_seconds" in given:
        made["cpu"] = float(given["cpu_seconds"])
    if "processes" in given:
        made["processes"] = int(given["processes"])
    return replace(JobLimits(), **made)
