"""Drills: one mistake in one script, to be named; what was missed comes back sooner.

A lesson's own bugs, and mistakes that fit the scripts of several (`lessons/drills.toml`).

The boxes are Leitner's: a fault that is named at once moves a box up and waits longer, one that is
missed goes back to the first box (S. Leitner, "So lernt man lernen", 1972).
"""

import contextlib
import random
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from course.base import files, paths, schema
from course.exercise.working_copy import file_name
from course.lesson import lesson
from course.lesson.bug import Bug, Edit
from course.lesson.lesson import Part

FORMAT = 1
DEVICE = "cpu"
WAITS = (timedelta(0), timedelta(days=1), timedelta(days=3), timedelta(days=7), timedelta(days=21))
"""How long a fault waits in each box."""
APART = 3
"""Drills from one of a fault to the next, where there are others."""


@dataclass(frozen=True)
class Drill:
    """A script with one bug in it, a lesson's own or another.

    `processes` is how many it takes to show; 0 for an ordinary run.
    """

    part: Part
    bug: Bug
    text: str
    processes: int = 0

    @property
    def name(self) -> str:
        """Return the name of the script's file, which says nothing of the bug."""
        return file_name(self.part)


@dataclass(frozen=True)
class Mistake:
    """What can go wrong in more scripts than one: `put` in place of what `find` finds.

    `fault` is what it leads to; `everywhere` whether all places are changed at once.
    """

    fault: str
    find: str
    put: str
    everywhere: bool = False

    def made_in(self, script: str) -> Iterator[str]:
        """Yield the script with the mistake in it, once for each place where it can be made."""
        if self.everywhere:
            changed = re.sub(self.find, self.put, script)
            yield from () if changed == script else (changed,)
            return
        for found in re.finditer(self.find, script):
            yield script[: found.start()] + found.expand(self.put) + script[found.end() :]


@dataclass(frozen=True)
class _Mistakes:
    mistake: tuple[Mistake, ...]


@dataclass(frozen=True)
class FaultCard:
    """What is known of a fault: its box, when it is due (ISO 8601, UTC), and how it went."""

    box: int = 0
    due: str = ""
    seen: int = 0
    right: int = 0

    def after(self, *, is_right: bool, now: datetime) -> "FaultCard":
        """Return the card after one more drill."""
        box = min(self.box + 1, len(WAITS) - 1) if is_right else 0
        due = (now + WAITS[box]).isoformat(timespec="seconds")
        return replace(self, box=box, due=due, seen=self.seen + 1, right=self.right + is_right)


Cards = Mapping[str, FaultCard]
"""Cards by the ids of their faults."""


def drills(frameworks: Collection[str]) -> tuple[Drill, ...]:
    """Return the drills of some frameworks: mistakes, and bugs unless only a GPU shows them."""
    every = [part for name in lesson.ids() for part in lesson.load(name).parts.values()]
    parts = [part for part in every if part.framework in frameworks]
    return tuple(
        Drill(part, bug, part.text((bug,)), _processes(part, bug))
        for part in parts
        for bug in part.known
        if bug not in part.hidden(DEVICE)
    ) + tuple(_with_mistakes(parts))


def mistakes() -> tuple[Mistake, ...]:
    """Read the mistakes that fit more scripts than one."""
    return schema.read(_Mistakes, paths.lessons() / "drills.toml", FORMAT).mistake


def _with_mistakes(parts: Iterable[Part]) -> Iterator[Drill]:
    """Yield the healthy script of each part with a mistake that is none of its own bugs."""
    known = mistakes()
    for part in parts:
        healthy = part.text(())
        for mistake in known:
            if part.bug_of(mistake.fault) is None:
                for text in mistake.made_in(healthy):
                    yield Drill(part, Bug(mistake.fault, (Edit(text, healthy),), ""), text)


def draw(found: Iterable[Drill], cards: Cards, recent: Iterable[str], now: datetime) -> Drill:
    """Draw the next drill: of what is due the longest, then of what is new, then of the rest.

    Faults that are `recent` are left out where there are others.

    Raises:
        ValueError: there is none.

    """
    by_fault: dict[str, list[Drill]] = {}
    for each in found:
        by_fault.setdefault(each.bug.fault, []).append(each)
    late = set(list(recent)[-APART + 1 :])
    names = [name for name in by_fault if name not in late] or list(by_fault)
    if not names:
        raise ValueError("no drills")
    moment = now.isoformat(timespec="seconds")
    due = sorted((n for n in names if n in cards and cards[n].due <= moment), key=_due(cards))
    new = [name for name in names if name not in cards]
    chance = random.Random(f"{moment} {sum(card.seen for card in cards.values())}")
    fault = due[0] if due else chance.choice(new) if new else min(names, key=_due(cards))
    return chance.choice(by_fault[fault])


def due(cards: Cards, now: datetime) -> int:
    """Return how many faults are due."""
    moment = now.isoformat(timespec="seconds")
    return sum(card.due <= moment for card in cards.values())


def now() -> datetime:
    """Return the time that cards are held against."""
    return datetime.now(UTC)


def read() -> dict[str, FaultCard]:
    """Read the cards; none where there is no file yet, or a damaged one."""
    document = files.read_json(_file(), FORMAT) or {}
    with contextlib.suppress(TypeError, AttributeError, KeyError):
        return {str(name): FaultCard(**card) for name, card in document["cards"].items()}
    return {}


def keep(cards: Cards) -> bool:
    """Write the cards; False where that can't be done, and those before stand."""
    try:
        files.write_json(_file(), FORMAT, {"cards": {k: asdict(card) for k, card in cards.items()}})
    except OSError:
        return False
    return True


def _due(cards: Cards) -> Callable[[str], tuple[str, str]]:
    return lambda name: (cards[name].due, name)


def _processes(part: Part, bug: Bug) -> int:
    return next((step.processes for step in part.steps if bug in step.bugs[:1]), 0)


def _file() -> Path:
    return paths.state() / "practice.json"
