"""The catalogue on disk, `lessons/faults/<id>.toml`, and the search in it."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, get_args

from course import content, paths
from course.content import Kind
from course.i18n import N_, _, enumerate_words
from course.lesson.loss_curve import LossCurve
from course.lesson.signature import Signature, SilentSignature, Wording
from course.lesson.silent_signature import Cause, Condition, Effect
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
    signatures: tuple[Signature | SilentSignature, ...]

    @property
    def quoted(self) -> Signature | SilentSignature | None:
        """The signature with the words that the course itself prints, if it prints any."""
        return next((s for s in self.signatures if s.wording == "course"), None)


@dataclass(frozen=True)
class Match:
    """A fault found in a run record, and the signature that it showed."""

    fault: Fault
    signature: Signature | SilentSignature


@cache
def catalogue() -> dict[str, Fault]:
    """All faults by id, in the order of their ids.

    Raises:
        ContentError: an entry breaks the format.

    """
    sources = sorted((paths.lessons() / "faults").glob("*.toml"))
    return {source.stem: read(source) for source in sources}


_FAULT: dict[str, Kind] = {
    "format": "whole",
    **dict.fromkeys(("id", "stage", "title", "means", "where", "fix"), "text"),
    "signature": "tables",
}
_SIGNATURE: dict[str, Kind] = dict.fromkeys(
    ("wording", "exception", "message", "example", "seen"), "text"
)
_SIGNATURE_TOO: dict[str, Kind] = {
    **dict.fromkeys(("module", "owner", "device"), "text"),
    "versions": "table",
}
_SILENT: dict[str, Kind] = {
    **dict.fromkeys(("wording", "example", "seen"), "text"),
    **dict.fromkeys(("effect", "cause"), "any"),
}
_CONDITION: dict[str, Kind] = {"above": "number", "below": "number"}


def read(source: Path) -> Fault:
    """Read one entry.

    Raises:
        ContentError: it breaks the format; says where.

    """
    file = f"`{content.shown(source)}`"
    data = content.read(source)
    if data.get("format") != FORMAT:
        said = _("it is of format {found}, and this program reads {known}.")
        raise content.wrong(file, said.format(found=data.get("format"), known=FORMAT))
    content.check(data, file, _FAULT)
    if data["id"] != source.stem:
        said = _("the id {name} is not the name of the file.").format(name=f"`{data['id']}`")
        raise content.wrong(file, said)
    _one_of(data["stage"], STAGES, "stage", file)
    signatures = tuple(
        _signature(entry, f"{file}, `[[signature]]` {number}")
        for number, entry in enumerate(data["signature"], start=1)
    )
    texts = {key: value for key, value in data.items() if key not in ("format", "signature")}
    return Fault(**texts, signatures=signatures)


def _signature(entry: dict[str, Any], where: str) -> Signature | SilentSignature:
    if "effect" in entry or "cause" in entry:
        return _silent(entry, where)
    signature = Signature(**content.check(entry, where, _SIGNATURE, _SIGNATURE_TOO))
    _one_of(signature.wording, get_args(Wording), "wording", where)
    for name in ("message", "module"):
        try:
            re.compile(getattr(signature, name))
        except re.error as error:
            said = _("the pattern {name} has an error: {error}.")
            raise content.wrong(where, said.format(name=f"`{name}`", error=error)) from error
    if re.search(signature.message, signature.example) is None:
        said = _("the pattern `message` is not found in its own example, {example}.")
        raise content.wrong(where, said.format(example=repr(signature.example)))
    return signature


def _silent(entry: dict[str, Any], where: str) -> SilentSignature:
    content.check(entry, where, _SILENT, {"shown": "text"})
    sides = {key: _conditions(entry[key], f"{where} `{key}`") for key in ("effect", "cause")}
    if len({isinstance(side, tuple) for side in sides.values()}) > 1:
        said = _("`effect` and `cause` are both names, or both conditions.")
        raise content.wrong(where, said)
    shown = " ".join(entry.get("shown", "").split())
    signature = SilentSignature(**{**entry, **sides, "shown": shown})
    for key, kind in (("wording", Wording), ("effect", Effect), ("cause", Cause)):
        value = getattr(signature, key)
        if not isinstance(value, tuple):
            _one_of(value, get_args(kind), key, where)
    if isinstance(signature.effect, tuple) and not shown:
        said = _("a fault known by figures needs `shown`, which tells them.")
        raise content.wrong(where, said)
    with content.at(f"{where} `shown`"):
        shown.format_map(defaultdict(float))
    return signature


def _conditions(value: Any, where: str) -> Any:
    """A name as it is; a table, or a list of tables, as conditions."""
    if isinstance(value, str):
        return value
    tables = value if isinstance(value, list) else [value]
    return tuple(
        Condition(**content.check(table, where, {"figure": "text"}, _CONDITION)) for table in tables
    )


def _one_of(value: str, known: Iterable[str], key: str, where: str) -> None:
    if value not in known:
        said = _("no {key} {name}: choose one of {known}.")
        names = enumerate_words(f"`{name}`" for name in known)
        raise content.wrong(where, said.format(key=key, name=f"`{value}`", known=names))


def matches(
    record: RunRecord, curve: LossCurve | None = None, faults: Iterable[Fault] | None = None
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
