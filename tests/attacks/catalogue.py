"""The corpus, a file for each submission, and how a submission of it is handed in.

Nothing here runs a submission.
"""

import textwrap
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from course.lesson import lesson
from course.lesson.bug import Bug, Edit, without
from tests.attacks import built

FOLDER = Path(__file__).parent
FILE = built.FILE
LESSON, FRAMEWORK = "ch8-4", "pt"
BUGS = lesson.load(LESSON).parts[FRAMEWORK].bugs
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


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A submission, whose text is a patch of the exercise, or the whole script beside its file.

    `fixed` are the faults that it honestly mends, `otherwise` those of them that our own fix does
    not show in the text; `status` are the statuses that are right, `named` the notes that must be
    there.
    """

    path: Path
    fixed: tuple[str, ...] = ()
    status: tuple[str, ...] = ("graded",)
    otherwise: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    note: str = ""
    edits: tuple[Edit, ...] = ()

    @property
    def id(self) -> str:
        """Its name."""
        return self.path.stem

    @property
    def comment(self) -> str:
        """What stands below the first line."""
        return ""

    def text(self) -> str:
        """Make its text: the bugs that it mends our way taken out, then each of its edits made.

        Raises:
            ContentError: its patch does not apply.

        """
        whole = self.path.with_suffix(".py")
        if whole.exists():
            return whole.read_text("utf-8")
        mended = {*self.fixed} - {*self.otherwise}
        text = without(built.bare(), [bug for bug in BUGS if bug.fault in mended])
        header, rest = text.split("\n", 1)
        return Bug(self.id, self.edits, reason="").take_out(f"{header}\n{self.comment}{rest}")


@dataclass(frozen=True, kw_only=True)
class Attack(Entry):
    """A hostile submission: what it tries, and the most that it may come to.

    `built` says that it is no patch of the exercise. It is graded `after` another.
    """

    tries: str
    max_score: int
    harms: Harms = Harms()
    built: bool = False
    after: str = ""

    @property
    def kind(self) -> str:
        """The class of attack that it is of."""
        return self.path.parent.name

    @property
    def comment(self) -> str:
        """What it tries."""
        told = textwrap.fill(self.tries, 98, initial_indent="# ", subsequent_indent="# ")
        return told + "\n"

    def hand_in(self, submissions: Path, outside: Path) -> None:
        """Lay it into `submissions`, in a folder called as it is; links lead to `outside`."""
        folder = submissions / self.id
        if self.built:
            built.build(self.id, folder, outside)
        else:
            folder.mkdir(parents=True)
            (folder / FILE).write_bytes(self.text().encode())


@dataclass(frozen=True, kw_only=True)
class Honest(Entry):
    """An honest submission, and its mark: `score`, or any from `least` to `score`.

    `new_faults` are exceptions or faults of the student's own, `saved` how the file is saved
    (`crlf`, `bom`).
    """

    what: str
    score: int
    least: int
    new_faults: tuple[str, ...] = ()
    saved: tuple[str, ...] = ()

    def content(self) -> bytes:
        """Its bytes, as they are handed in."""
        text = self.text()
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
    """All attacks; what is to be graded after another stands behind it."""
    found = [_attack(path) for path in sorted(FOLDER.glob("hostile/*/*.toml"))]
    return tuple(sorted(found, key=lambda attack: bool(attack.after)))


@cache
def honest() -> tuple[Honest, ...]:
    """All honest submissions."""
    return tuple(_honest(path) for path in sorted(FOLDER.glob("honest/*.toml")))


def _attack(path: Path) -> Attack:
    values = _values(path)
    harms = _tuples(values.pop("harms", {}))
    harms["contents"] = tuple(Content(**c) for c in harms.get("contents", ()))
    return Attack(path=path, harms=Harms(**harms), **{"max_score": _mended(values), **values})


def _honest(path: Path) -> Honest:
    values = _values(path)
    mended = _mended(values)
    score = values.pop("score", MAX_SCORE if mended == len(BUGS) else mended)
    return Honest(path=path, what=values.pop("is"), score=score, **{"least": score, **values})


def _mended(values: Mapping[str, Any]) -> int:
    return len(values.get("fixed", ()))


def _values(path: Path) -> dict[str, Any]:
    document = tomllib.loads(path.read_text("utf-8"))
    edits = tuple(Edit(each["old"], each["new"]) for each in document.pop("edit", ()))
    return {"edits": edits, **_tuples(document)}


def _tuples(table: Mapping[str, Any]) -> dict[str, Any]:
    return {k: tuple(v) if isinstance(v, list) else v for k, v in table.items()}
