"""The catalogue on disk, `lessons/faults/<id>.toml`, and the search in it."""

import contextlib
import hashlib
import os
import pickle
import sys
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

from course.base import files, paths, schema, shelves
from course.base.i18n import N_, _
from course.base.schema import Place
from course.lesson.loss_curve import LossCurve
from course.lesson.signature import Signature, SilentSignature
from course.runs import embedded_names
from course.runs.libraries import is_of_other
from course.runs.record import RunRecord

FORMAT = 1
KEPT = 4
"""Catalogues that are kept, of several checkouts or versions, before the oldest goes."""
Stage = Literal["script", "environment", "data", "batch", "model", "optimizer", "evaluation"]
STAGES: dict[str, str] = {
    "script": N_("script"),
    "environment": N_("environment"),
    "data": N_("data"),
    "batch": N_("batch"),
    "model": N_("model"),
    "optimizer": N_("optimizer"),
    "evaluation": N_("evaluation"),
}
"""The pipeline, in the order in which a training script passes through it; before it, the text."""


@dataclass(frozen=True)
class Neighbour:
    """A fault that another is easily taken for, and `apart`, the sentence that tells them apart.

    It names both, so that it can be read from either side, and stands in the entry of one. Pairs of
    a family may share it: then it names all. It is empty where the two titles say what differs.
    """

    fault: str
    apart: str = ""


@dataclass(frozen=True)
class Texts:
    """What is written otherwise for the readers of another `framework`; empty where nothing is."""

    framework: str = ""
    means: str = ""
    where: str = ""
    fix: str = ""


@dataclass(frozen=True, kw_only=True)
class _FaultTexts:
    """What a fault has as its entry is written, too."""

    id: str
    title: str
    stage: Stage
    means: str
    where: str
    fix: str
    unless: tuple[str, ...] = ()
    general: bool = False
    event: bool = False
    otherwise: Texts = Texts()


@dataclass(frozen=True, kw_only=True)
class _FaultTable(_FaultTexts):
    """An entry as it is written: `rules` are signatures that are one broken rule each."""

    signature: tuple[dict[str, Any], ...] = ()
    rules: tuple[str, ...] = ()
    neighbour: tuple[Neighbour, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Fault(_FaultTexts):
    """A fault: the stage its cause sits in, what it means, where to look, how to fix it.

    `unless` are faults that bring the signs of this one about: where one of them shows, this one is
    not named beside it. One that is `general` is a mistake that any Python script can have: it is
    named only where no other fault shows. One that is an `event` says what happened and not why:
    its causes are many. `neighbours` are those of its own entry: see `neighbours`. `otherwise` are
    the texts that take the place of its own where a script of another framework shows it.
    """

    signatures: tuple[Signature | SilentSignature, ...]
    neighbours: tuple[Neighbour, ...] = ()

    @property
    def for_others(self) -> "Fault":
        """It with the texts for the other framework."""
        own = vars(self.otherwise).items()
        other = {name: text for name, text in own if text and name != "framework"}
        return replace(self, **other) if other else self

    def told(self, record: RunRecord) -> "Fault":
        """Return the fault with the texts for the framework of a run."""
        return self.for_others if is_of_other(record) else self

    @property
    def quoted(self) -> Signature | SilentSignature | None:
        """The signature with the words that the course itself prints, if it prints any."""
        return next((s for s in self.signatures if s.wording == "course"), None)

    @property
    def in_course(self) -> Signature | SilentSignature:
        """The signature that the fault shows by in the course: quoted there, or else its first."""
        return self.quoted or self.signatures[0]


@dataclass(frozen=True)
class Match:
    """A fault found in a run record, and the signature that it showed.

    It is `certain` unless something that the signature asks for was not measured. One that is known
    by a broken rule is `told` by what was measured.
    """

    fault: Fault
    signature: Signature | SilentSignature
    certain: bool = True
    told: str = ""


def ids() -> list[str]:
    """Return the ids of all faults, sorted; no entry is read for them.

    Raises:
        UserError: as `entries`.

    """
    return sorted(entries())


def entries() -> dict[str, Path]:
    """Return the file of each fault by its id: those that ship, then those of each shelf.

    Raises:
        UserError: two faults have the same id, or a shelf is not there.

    """
    return shelves.gather("faults/*.toml", lambda file: file.stem)


def entry(fault: str, shelf: Path | None = None) -> Path:
    """Return the file of a fault; if there is none, its place on a shelf or in the program.

    Raises:
        UserError: as `entries`.

    """
    return entries().get(fault, (shelf or paths.lessons()) / "faults" / f"{fault}.toml")


@cache
def catalogue() -> dict[str, Fault]:
    """All faults by id, in the order of their ids.

    What was read is kept in the cache folder until a file changes: to read it takes much longer
    than all else that a command does.

    Raises:
        ContentError: an entry breaks the format, or has a neighbour that there is not.
        UserError: as `entries`.

    """
    sources = sorted(entries().values(), key=lambda file: file.stem)
    state = _state(sources)
    kept = paths.cache() / "catalogue" / f"{hashlib.sha256(state).hexdigest()[:16]}.pickle"
    found = _read_kept(kept, state)
    if found is None:
        found = _read_all(sources)
        _keep(kept, state, found)
    return found


def _state(sources: list[Path]) -> bytes:
    """Return the inputs of a kept catalogue: the files, what reads them, and the Python used."""
    parts = [sys.version]
    modules = (schema.__file__, embedded_names.__file__)
    for source in (*sources, *Path(__file__).parent.glob("*.py"), *map(Path, modules)):
        stat = source.stat()
        parts.append(f"{source} {stat.st_size} {stat.st_mtime_ns}")
    return "\n".join(parts).encode("utf-8", "surrogateescape")


def _read_kept(kept: Path, state: bytes) -> dict[str, Fault] | None:
    """Read the catalogue kept by an earlier command; None if there is none or for other files.

    Nobody else's file is read: it could hold anything.
    """
    try:
        if hasattr(os, "getuid") and kept.stat().st_uid != os.getuid():
            return None
        of, found = pickle.loads(kept.read_bytes())
    except Exception:  # noqa: BLE001 - whatever is wrong with what was kept, the sources are there
        return None
    return found if of == state else None


def _keep(kept: Path, state: bytes, found: dict[str, Fault]) -> None:
    """Keep what was read for the next command, if there is a place for it."""
    with contextlib.suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        files.write(kept, pickle.dumps((state, found), protocol=5))
        for old in sorted(kept.parent.glob("*.pickle"), key=lambda p: p.stat().st_mtime)[:-KEPT]:
            old.unlink()


def _read_all(sources: list[Path]) -> dict[str, Fault]:
    found = {source.stem: read(source) for source in sources}
    for source in sources:
        for number, each in enumerate(found[source.stem].neighbours, start=1):
            if each.fault not in found:
                sentence = _("There is no fault {name}.").format(name=f"`{each.fault}`")
                place = Place(source).at("neighbour", number)
                raise schema.wrong(place, schema.suggest(sentence, each.fault, found))
    return found


def neighbours(fault: str) -> dict[str, str]:
    """Return the faults that one is easily taken for, each with the difference of the two.

    Those of its own entry come first, then those whose entries name it.
    """
    own = {each.fault: each.apart for each in catalogue()[fault].neighbours}
    others = {
        other.id: each.apart
        for other in catalogue().values()
        for each in other.neighbours
        if each.fault == fault
    }
    return own | others


def read(source: Path) -> Fault:
    """Read one entry.

    Raises:
        ContentError: it breaks the format; says where.

    """
    entry = schema.read(_FaultTable, source, FORMAT)
    if entry.id != source.stem:
        sentence = _("The id must be {name}: the name of its file or folder.").format(
            name=f"`{source.stem}`"
        )
        raise schema.wrong(Place(source), sentence)
    signatures: list[Signature | SilentSignature] = []
    for number, table in enumerate(entry.signature, start=1):
        place = Place(source).at("signature", number)
        silent = not table.keys().isdisjoint(("effect", "cause", "when"))
        signatures.append(
            schema.parse(SilentSignature, table, place)
            if silent
            else schema.parse(Signature, table, place)
        )
    signatures += (SilentSignature(when=(rule,)) for rule in entry.rules)
    if not signatures:
        raise schema.missing(Place(source), "signature")
    shared = {each.name: getattr(entry, each.name) for each in fields(_FaultTexts)}
    return Fault(**shared, signatures=tuple(signatures), neighbours=entry.neighbour)


def matches(
    record: RunRecord, curve: LossCurve | None = None, faults: Iterable[Fault] | None = None
) -> list[Match]:
    """Every fault that a record shows, each with the first of its signatures that fits.

    Those that are certain; failing them, those that the exception may be. One that another of them
    brings about (`unless`) is left out, and so is one that is general.

    Sees the record and, to tell a stalled loss by, the curve of healthy runs. The list is empty
    for a run that ended well and for an exception that the catalogue does not know.
    """
    asked = catalogue().values() if faults is None else faults
    found = _found((fault for fault in asked if not fault.general), record, curve)
    return [match for match in found if match.certain] or found


def general_matches(record: RunRecord) -> list[Match]:
    """Return the general faults that a record shows; none where another fault shows."""
    if matches(record):
        return []
    return _found((fault for fault in catalogue().values() if fault.general), record, None)


def naming(record: RunRecord, faults: Iterable[Fault] | None = None) -> list[Match]:
    """Return the faults that may be a record's exception: certain first, then most frequent.

    Of all faults, or of some.

    A general fault stands behind all others, and is certain only where no other is possible. The
    list is empty where there is no exception, or none that the catalogue knows.
    """
    if record.raised is None:
        return []
    found = _found(catalogue().values() if faults is None else faults, record, None)
    special = any(not match.fault.general for match in found)
    doubtful = [replace(m, certain=False) if m.fault.general and special else m for m in found]
    return sorted(doubtful, key=_rank)


def _rank(match: Match) -> tuple[bool, bool, int, str]:
    """Return the sort key of a match: the lowest comes first."""
    often = match.signature.often if isinstance(match.signature, Signature) else 0
    return (not match.certain, match.fault.general, -often, match.fault.id)


def _found(faults: Iterable[Fault], record: RunRecord, curve: LossCurve | None) -> list[Match]:
    found = []
    for fault in faults:
        fits = [(signature.fit(record, curve), signature) for signature in fault.signatures]
        best = next((s for fit, s in fits if fit == "certain"), None)
        other = next((s for fit, s in fits if fit == "possible"), None)
        signature = best or other
        if signature is not None:
            found.append(Match(fault.told(record), signature, certain=best is not None))
    shown = {match.fault.id for match in found if match.certain}
    return [match for match in found if shown.isdisjoint(match.fault.unless)]
