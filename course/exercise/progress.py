"""What is known of each working copy: kept so that no crash at any instant can lose it.

One small JSON file a copy, in the user's state folder, replaced as a whole.
"""

import contextlib
import hashlib
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from course.base import files, paths

if TYPE_CHECKING:
    from course.exercise.working_copy import Copy
    from course.judge.attempt import Attempt

FORMAT = 1


@dataclass(frozen=True)
class Progress:
    """How far a learner has come with one working copy.

    `behind` are the faults that are mended at every place, as a run has shown, and `partly` those
    that it has got past at one; `fault` is the one that bit last, `problem`
    what else was wrong with the last run (a key of `PROBLEMS`), both None after a healthy one;
    `digest` is that of the text they were seen in. `hints` counts the levels shown for each
    fault. `lang` is the language that it was made in, and `exam` whether it is one: with the rest,
    its first line can be told again. `healthy` is the time (ISO 8601) of the first healthy run.
    `guesses` counts the guesses which fault it is, and `guessed` are the faults guessed right.
    """

    path: str
    lesson: str
    framework: str
    bugs: tuple[str, ...]
    behind: tuple[str, ...] = ()
    fault: str | None = None
    problem: str | None = None
    digest: str = ""
    hints: Mapping[str, int] = field(default_factory=dict)
    runs: int = 0
    healthy: str | None = None
    updated: str = ""
    partly: tuple[str, ...] = ()
    lang: str = ""
    exam: bool = False
    guesses: int = 0
    guessed: tuple[str, ...] = ()

    def knows(self, fault: str) -> bool:
        """Return whether the learner was told which fault it is, or has guessed it."""
        return fault in self.guessed or self.hints.get(fault, 0) > 0


def of(copy: "Copy") -> Progress:
    """Return the progress of a copy; a fresh page if there is none, or another exercise's.

    What lies there damaged is as good as nothing: it is replaced at the next run.
    """
    bugs = tuple(b.fault for b in copy.bugs)
    known = at(copy.path)
    part = (copy.part.lesson, copy.part.framework)
    if known is None or (known.lesson, known.framework) != part or known.bugs != bugs:
        known = Progress(str(copy.path), *part, bugs)
    return replace(known, lang=copy.header.lang, exam=copy.header.exam)


def at(path: Path) -> Progress | None:
    """Read the progress of the copy that lies, or lay, at an absolute path; None without any."""
    return _read(_file(path))


def after(known: Progress, attempt: "Attempt", digest: str) -> Progress:
    """Return the progress after one more run.

    A bug that bites again, or whose text stands again, is no longer behind. One that an earlier bug
    hides is: a run has shown that it is mended.
    """
    fault = attempt.verdict.match.fault.id if attempt.verdict.match else None
    behind, partly = known.behind, known.partly
    if attempt.behind is not None:
        gone = {fault, *attempt.undone}
        kept = {*attempt.behind, *(name for name in behind if name not in gone)}
        behind = tuple(name for name in known.bugs if name in kept)
        partly = tuple(name for name in attempt.partly if name not in kept)
    return replace(
        known,
        behind=behind,
        partly=partly,
        fault=fault,
        problem=attempt.verdict.problem,
        digest=digest,
        runs=known.runs + 1,
        healthy=known.healthy or (now() if attempt.healthy else None),
        updated=now(),
    )


def hinted(known: Progress, fault: str, level: int) -> Progress:
    """Return the progress after a level of the hints was shown."""
    return replace(known, hints={**known.hints, fault: level}, updated=now())


def guessed(known: Progress, fault: str, *, is_right: bool) -> Progress:
    """Return the progress after a guess of a fault."""
    right = (*known.guessed, fault) if is_right and fault not in known.guessed else known.guessed
    return replace(known, guesses=known.guesses + 1, guessed=right, updated=now())


def keep(known: Progress) -> bool:
    """Keep it; False where that could not be done, and what was known before stands."""
    try:
        files.write_json(_file(Path(known.path)), FORMAT, asdict(known))
    except OSError:
        return False
    return True


def forget(copy: "Copy") -> None:
    """Begin a copy's page anew; that it was healthy once stays known, and which exercise it is."""
    known = of(copy)
    fresh = Progress(known.path, known.lesson, known.framework, known.bugs, healthy=known.healthy)
    keep(replace(fresh, lang=known.lang, exam=known.exam, updated=now()))


def everything() -> list[Progress]:
    """Read the progress of every working copy, the latest change first; skips unreadable files.

    One that nobody has worked with yet has made none.
    """
    begun = [p for p in pages() if p.runs or p.hints or p.healthy]
    return sorted(begun, key=lambda p: p.updated, reverse=True)


def pages() -> list[Progress]:
    """Read the pages of all working copies, also of those that nobody has worked with."""
    found = (_read(path) for path in _folder().glob("*.json"))
    return [page for page in found if page is not None]


def _folder() -> Path:
    return paths.state() / "progress"


def _file(path: Path) -> Path:
    return _folder() / f"{hashlib.sha256(str(path).encode()).hexdigest()[:16]}.json"


def _read(path: Path) -> Progress | None:
    document = files.read_json(path, FORMAT) or {}
    with contextlib.suppress(ValueError, TypeError, KeyError, AttributeError):
        for name in ("bugs", "behind", "partly", "guessed"):
            document[name] = tuple(map(str, document[name]))
        document["hints"] = {str(k): int(v) for k, v in document["hints"].items()}
        return Progress(**document)
    return None


def now() -> str:
    """Return the time as it is written down."""
    return time.strftime("%Y-%m-%dT%H:%M:%S%z")
