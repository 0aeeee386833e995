"""How far a learner has come in the walk of a lesson, and how often they have guessed right."""

import contextlib
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from course.base import files, i18n, paths
from course.exercise import progress
from course.lesson.lesson import Part, Step

FORMAT = 1


@dataclass(frozen=True)
class WalkProgress:
    """One lesson's walk in one framework.

    `step` is the id of the step to go on with, None before the first and after the last one.
    `guesses` counts the steps, in a walk or in a notebook, in which a fault was guessed, `right`
    those where the first guess was right; `walks` how often the walk was taken to its end. It was
    `updated` last in the language `lang`.
    """

    lesson: str
    framework: str
    step: str | None = None
    guesses: int = 0
    right: int = 0
    walks: int = 0
    lang: str = ""
    updated: str = ""


_NONE = WalkProgress("", "")


def of(part: Part) -> WalkProgress:
    """Read what is known of a walk; nothing where there is no file, or a damaged one."""
    return replace(_read(_file(part)), lesson=part.lesson, framework=part.framework)


def after(known: WalkProgress, following: Step | None, guess: bool | None) -> WalkProgress:
    """Return what is known after one more step: `following` comes next, None after the last.

    `guess` tells whether the first guess was right, and is None where none was made.
    """
    return replace(
        known if guess is None else guessed(known, is_right=guess),
        step=following.id if following is not None else None,
        walks=known.walks + (following is None),
    )


def guessed(known: WalkProgress, *, is_right: bool) -> WalkProgress:
    """Return what is known after the first guess of a fault."""
    return replace(known, guesses=known.guesses + 1, right=known.right + is_right)


def keep(part: Part, known: WalkProgress) -> None:
    """Write it down; where that can't be done, the walk goes on without."""
    known = replace(known, lang=i18n.language(), updated=progress.now())
    with contextlib.suppress(OSError):
        files.write_json(_file(part), FORMAT, asdict(known))


def last_language() -> str:
    """Return the language of the exercise, or of the walk, that was last gone on with; or ""."""
    walks = (_read(path) for path in (paths.state() / "walks").glob("*.json"))
    pages = ((page.updated, page.lang) for page in progress.pages())
    return max((*pages, *((w.updated, w.lang) for w in walks)), default=("", ""))[1]


def _read(path: Path) -> WalkProgress:
    with contextlib.suppress(TypeError):
        return WalkProgress(**files.read_json(path, FORMAT) or {})
    return _NONE


def _file(part: Part) -> Path:
    return paths.state() / "walks" / f"{part.lesson}-{part.framework}.json"
