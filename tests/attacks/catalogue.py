"""The corpus as `corpus.toml` describes it, and how a submission of it is handed in.

Nothing here runs a submission.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.attacks import built

FOLDER = Path(__file__).parent
FORMAT = 1
FILE = built.FILE
LESSON, FRAMEWORK = "ch8-4", "pt"
MAX_SCORE = 5
"""A point for each of the four bugs, and one for the healthy outcome."""


@dataclass(frozen=True)
class Content:
    """A file, or a pattern of files, that must not hold a word."""

    file: str
    word: str


@dataclass(frozen=True)
class Harms:
    """What must not have come about outside of the box; README.md says what each means."""

    files: tuple[str, ...] = ()
    contents: tuple[Content, ...] = ()
    tables: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    processes: tuple[str, ...] = ()
    ports: tuple[int, ...] = ()
    listeners: tuple[int, ...] = ()
    sockets: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    alive: bool = False


@dataclass(frozen=True)
class Attack:
    """A hostile submission: what it tries, and the most that it may come to.

    `fixed` are the faults that it honestly mends, `otherwise` those of them that our own fix does
    not show in the text; `status` are the statuses that are right, `named` the notes that must be
    there; `built` says that there is no file.
    """

    id: str
    kind: str
    tries: str
    fixed: tuple[str, ...]
    max_score: int
    status: tuple[str, ...]
    otherwise: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    harms: Harms = Harms()
    built: bool = False
    note: str = ""

    @property
    def path(self) -> Path | None:
        """Where its text lies; None where it is built."""
        return None if self.built else FOLDER / "hostile" / self.kind / f"{self.id}.py"

    def hand_in(self, submissions: Path, outside: Path) -> None:
        """Lay it into `submissions`, in a folder called as it is; links lead to `outside`."""
        folder = submissions / self.id
        if self.path is None:
            built.build(self.id, folder, outside)
        else:
            folder.mkdir(parents=True)
            (folder / FILE).write_bytes(self.path.read_bytes())


@dataclass(frozen=True)
class Honest:
    """An honest submission, and its mark: `score`, or any from `least` to `score`.

    `new_faults` are exceptions or faults of the student's own, `saved` how the file is saved
    (`crlf`, `bom`).
    """

    id: str
    what: str
    fixed: tuple[str, ...]
    score: int
    status: tuple[str, ...]
    least: int
    otherwise: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    new_faults: tuple[str, ...] = ()
    saved: tuple[str, ...] = ()
    note: str = ""

    @property
    def path(self) -> Path:
        """Where its text lies."""
        return FOLDER / "honest" / f"{self.id}.py"

    def content(self) -> bytes:
        """Its bytes, as they are handed in."""
        text = self.path.read_text("utf-8")
        if "crlf" in self.saved:
            text = text.replace("\n", "\r\n")
        return text.encode("utf-8-sig" if "bom" in self.saved else "utf-8")

    def hand_in(self, submissions: Path) -> None:
        """Lay it into `submissions`, in a folder called as it is."""
        folder = submissions / self.id
        folder.mkdir(parents=True)
        (folder / FILE).write_bytes(self.content())


@cache
def attacks() -> tuple[Attack, ...]:
    """All attacks, in the order in which they stand; `state-left` before `state-found`."""
    return tuple(_attack(entry) for entry in _document()["attack"])


@cache
def honest() -> tuple[Honest, ...]:
    """All honest submissions."""
    return tuple(_honest(entry) for entry in _document()["honest"])


@cache
def _document() -> Mapping[str, Any]:
    document = tomllib.loads((FOLDER / "corpus.toml").read_text("utf-8"))
    if document["format"] != FORMAT:
        raise ValueError(f"a corpus of format {document['format']}, not {FORMAT}")
    return document


def _attack(entry: Mapping[str, Any]) -> Attack:
    harms = _tuples(entry.get("harms", {}))
    harms["contents"] = tuple(Content(**c) for c in harms.get("contents", ()))
    values = {k: v for k, v in _tuples(entry).items() if k not in ("class", "harms")}
    return Attack(kind=entry["class"], harms=Harms(**harms), **values)


def _honest(entry: Mapping[str, Any]) -> Honest:
    values = {k: v for k, v in _tuples(entry).items() if k != "is"}
    return Honest(what=entry["is"], **{"least": entry["score"], **values})


def _tuples(table: Mapping[str, Any]) -> dict[str, Any]:
    return {k: tuple(v) if isinstance(v, list) else v for k, v in table.items()}
