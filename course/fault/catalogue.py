"""The catalogue on disk, `lessons/faults/<id>.toml`, and the search in it."""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, get_args

from course import paths
from course.errors import ContentError
from course.fault.signature import Signature, Silent, Wording
from course.fault.silent import Cause, Condition, Effect
from course.i18n import N_
from course.run.curve import Curve
from course.run.record import RunRecord

FORMAT = 1
STAGES = {
    "environment": N_("environment"),
    "data": N_("data"),
    "batch": N_("batch"),
    "model": N_("model"),
    "optimizer": N_("optimizer"),
    "evaluation": N_("evaluation"),
}
"""The pipeline, in the order in which a training script passes through it."""


@dataclass(frozen=True)
class Fault:
    """A fault: the stage its cause sits in, what it means, where to look, how to fix it."""

    id: str
    title: str
    stage: str
    means: str
    where: str
    fix: str
    signatures: tuple[Signature | Silent, ...]

    @property
    def quoted(self) -> Signature | Silent | None:
        """The signature with the words that the course itself prints, if it prints any."""
        return next((s for s in self.signatures if s.wording == "course"), None)


@dataclass(frozen=True)
class Match:
    """A fault found in a run record, and the signature that it showed."""

    fault: Fault
    signature: Signature | Silent


@cache
def catalogue() -> dict[str, Fault]:
    """All faults by id, in the order of their ids.

    Raises:
        ContentError: an entry breaks the format.

    """
    sources = sorted((paths.lessons() / "faults").glob("*.toml"))
    return {source.stem: read(source) for source in sources}


def read(source: Path) -> Fault:
    """Read one entry.

    Raises:
        ContentError: it breaks the format; says where.

    """
    try:
        data = tomllib.loads(source.read_text("utf-8"))
        if data.pop("format") != FORMAT:
            raise ContentError(f"{source}: not of format {FORMAT}")
        signatures = tuple(_signature(s, source) for s in data.pop("signature"))
        fault = Fault(**data, signatures=signatures)
    except (tomllib.TOMLDecodeError, KeyError, TypeError, re.error) as error:
        raise ContentError(f"{source}: {type(error).__name__}: {error}") from error
    if fault.id != source.stem:
        raise ContentError(f"{source}: id {fault.id!r} is not the name of the file")
    if fault.stage not in STAGES:
        raise ContentError(f"{source}: no stage {fault.stage!r}")
    return fault


def _signature(entry: dict[str, Any], source: Path) -> Signature | Silent:
    if "effect" in entry:
        return _silent(entry, source)
    signature = Signature(**entry)
    if signature.wording not in get_args(Wording):
        raise ContentError(f"{source}: no wording {signature.wording!r}")
    for pattern in (signature.message, signature.module):
        re.compile(pattern)
    if re.search(signature.message, signature.example) is None:
        raise ContentError(f"{source}: {signature.message!r} is not found in its own example")
    return signature


def _silent(entry: dict[str, Any], source: Path) -> Silent:
    sides = {key: _conditions(entry[key]) for key in ("effect", "cause")}
    if len({isinstance(side, tuple) for side in sides.values()}) > 1:
        raise ContentError(f"{source}: effect and cause are both names, or both conditions")
    signature = Silent(**{**entry, **sides, "shown": " ".join(entry.get("shown", "").split())})
    for key, kind in (("wording", Wording), ("effect", Effect), ("cause", Cause)):
        value = getattr(signature, key)
        if not isinstance(value, tuple) and value not in get_args(kind):
            raise ContentError(f"{source}: no {key} {entry[key]!r}")
    if isinstance(signature.effect, tuple) and not signature.shown:
        raise ContentError(f"{source}: a fault known by figures needs `shown`, which tells them")
    return signature


def _conditions(value: Any) -> Any:
    """A name as it is; a table, or a list of tables, as conditions."""
    if isinstance(value, str):
        return value
    tables = value if isinstance(value, list) else [value]
    return tuple(Condition(**table) for table in tables)


def matches(
    record: RunRecord, curve: Curve | None = None, faults: Iterable[Fault] | None = None
) -> list[Match]:
    """Every fault that a record shows, each with the first of its signatures that fits.

    Sees the record and, to tell a stalled loss by, the curve of healthy runs. The list is empty
    for a run that ended well and for an exception that the catalogue does not know.
    """
    found = []
    for fault in catalogue().values() if faults is None else faults:
        for signature in fault.signatures:
            if signature.matches(record, curve):
                found.append(Match(fault, signature))
                break
    return found
