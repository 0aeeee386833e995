"""What a submission is marked by: points, epochs, limits. A teacher may give another one."""

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from course.errors import UserError
from course.i18n import _
from course.lesson.lesson import Exam, Outcome
from course.run.sandbox.bubblewrap import JobLimits

FORMAT = 1
LARGEST = 1_000_000
"""The largest number that a limit may be given as: of seconds, megabytes, processes."""
SIZES = {"memory_mb": "memory", "output_mb": "output", "room_mb": "room"}
"""Limits that are given in megabytes, and the fields of `Limits` that they become."""


@dataclass(frozen=True)
class Rubric:
    """Points for each bug (`points` names exceptions) and for the healthy outcome.

    `epochs` and `margin` are None where the lesson's own are to hold; a script that is not
    examined by questions trains as long as it says itself.
    """

    bug: float = 1.0
    healthy: float = 1.0
    points: Mapping[str, float] = field(default_factory=dict)
    epochs: float | None = None
    margin: float | None = None
    limits: JobLimits = field(default_factory=JobLimits)

    def of(self, fault: str) -> float:
        """The points that a bug is worth."""
        return self.points.get(fault, self.bug)

    def settled(self, wanted: Exam | Outcome) -> "Rubric":
        """The rubric with the lesson's own figures where it has none."""
        margin = wanted.margin if self.margin is None else self.margin
        if isinstance(wanted, Outcome):
            return replace(self, epochs=None, margin=margin)
        epochs = wanted.epochs if self.epochs is None else self.epochs
        return replace(self, epochs=epochs, margin=margin)

    @property
    def digest(self) -> str:
        """What changes when any figure does."""
        return hashlib.sha256(json.dumps(self.plain(), sort_keys=True).encode()).hexdigest()

    def plain(self) -> dict[str, Any]:
        """The rubric as JSON can hold it."""
        return {**asdict(self), "points": dict(self.points)}


def restored(plain: Mapping[str, Any]) -> Rubric:
    """A rubric as `Rubric.plain` wrote it."""
    return Rubric(**{**plain, "limits": JobLimits(**plain["limits"])})


def read(path: Path, faults: set[str]) -> Rubric:
    """Read a rubric from a TOML file.

    `format = 1`, then any of `bug`, `healthy`, `epochs`, `margin`, a table `[points]` with points
    for single faults, and a table `[limits]` with `seconds`, `cpu_seconds`, `memory_mb`,
    `output_mb`, `room_mb`, `processes`.

    Raises:
        UserError: it can't be read; says which word of it is wrong.

    """
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise _wrong(path, str(error)) from error
    if table.pop("format", None) != FORMAT:
        raise _wrong(path, f"format = {FORMAT}")
    points, limits = table.pop("points", {}), table.pop("limits", {})
    for name, value in (("points", points), ("limits", limits)):
        if not isinstance(value, dict):
            raise _wrong(path, f"{name} = {value}")
    known = {f.name for f in fields(Rubric)} - {"points", "limits"}
    for name in {*table} - known | {*points} - faults:
        raise _wrong(path, name)
    for name, value in {**table, **points}.items():
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < 1000:
            raise _wrong(path, f"{name} = {value}")
    return Rubric(**table, points=points, limits=_limits(path, limits))


def _limits(path: Path, table: dict[str, Any]) -> JobLimits:
    usual = JobLimits()
    given: dict[str, Any] = {}
    for name, value in table.items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not 1 <= value <= LARGEST:
            raise _wrong(path, f"{name} = {value}")
        if name == "seconds":
            given |= {"wall": float(value), "cpu": given.get("cpu", max(usual.cpu, float(value)))}
        elif name == "cpu_seconds":
            given["cpu"] = float(value)
        elif name == "processes":
            given["processes"] = int(value)
        elif name in SIZES:
            given[SIZES[name]] = int(value * 2**20)
        else:
            raise _wrong(path, name)
    return replace(usual, **given)


def _wrong(path: Path, what: str) -> UserError:
    said = _("The rubric {path} cannot be used: look at {what}.")
    return UserError(said.format(path=f"`{path}`", what=f"`{what}`"))
