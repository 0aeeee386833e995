"""What there is to count in a class: who stands where, who mended what, how long it took."""

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from statistics import median
from typing import get_args

from course.grading.report.class_results import (
    HEALTHY,
    TRAINING,
    Group,
    Waiting,
    counted,
    handed_in,
    place,
    worked,
)
from course.grading.student_result import StudentResult

WAITING = get_args(Waiting)
UNREACHED: tuple[Waiting, ...] = ("empty", "syntax", "early")
"""Places of scripts that end before any bug could be looked for."""
MOST = 5
"""So many submissions, or more, are one row of the count of submissions."""
ROWS = 12
"""The most rows that the count of marks has."""


@dataclass(frozen=True)
class Stop:
    """A place on the map, and those who stand there."""

    place: str
    standings: tuple[StudentResult, ...]


@dataclass(frozen=True)
class Mended:
    """Of those who drew a bug and were graded, how many mended it."""

    fault: str
    gone: int
    of: int


@dataclass(frozen=True)
class Row:
    """A row of a distribution: from one figure to another, both included, and how many."""

    low: float
    high: float
    n: int


def stops(group: Group) -> tuple[Stop, ...]:
    """Every fault, training, healthy, then those who are nowhere on this line, if there are any."""
    standing_at: dict[str, list[StudentResult]] = {}
    for standing in group.standings:
        standing_at.setdefault(place(standing), []).append(standing)
    line = (*group.bugs, TRAINING, HEALTHY)
    odd = [p for p in standing_at if p not in (*line, *WAITING)]
    waiting = [p for p in WAITING if p in standing_at]
    return tuple(Stop(p, tuple(standing_at.get(p, ()))) for p in (*odd, *line, *waiting))


def hardest(group: Group) -> Stop | None:
    """Return the fault that stops most; the first of several, None if it stops no student."""
    faults = [stop for stop in stops(group) if stop.place in group.bugs and stop.standings]
    return max(faults, key=lambda stop: len(stop.standings), default=None)


def mended(group: Group) -> tuple[Mended, ...]:
    """For each bug how many mended it; at the end how many came to the healthy outcome."""
    grades = [g for s in group.standings if (g := counted(s)) and g.status != "internal-error"]
    rows = []
    for fault in group.bugs:
        drawn = [bug for g in grades for bug in g.bugs if bug.fault == fault]
        rows.append(Mended(fault, sum(bug.gone for bug in drawn), len(drawn)))
    outcomes = [g.healthy for g in grades if g.healthy is not None]
    rows.append(Mended(HEALTHY, sum(o.reached for o in outcomes), len(outcomes)))
    return tuple(rows)


def marks(group: Group) -> tuple[Row, ...]:
    """How many have which mark, the best first.

    By points where all could reach the same and there are not too many of them, else by tenths of
    what each could reach.
    """
    scored = [(s.score, group.of(s)) for s in group.standings if s.score is not None]
    if group.possible is not None and scored:
        count = Counter(score for score, _of in scored)
        values = {*map(float, range(int(min(group.possible, ROWS)) + 1)), *count, group.possible}
        if len(values) <= ROWS:
            return tuple(Row(v, v, count[v]) for v in sorted(values, reverse=True))
    tenths = Counter(min(9, max(0, int(10 * score / of + 1e-9))) for score, of in scored)
    return tuple(Row(t / 10, (t + 1) / 10, tenths[t]) for t in reversed(range(10)) if scored)


def submissions(group: Group) -> tuple[Row, ...]:
    """How many handed in once, twice, …, `MOST` times or more."""
    count = Counter(min(MOST, n) for s in group.standings if (n := handed_in(s)))
    highest = max(count, default=0)
    return tuple(Row(n, n, count[n]) for n in range(1, highest + 1))


def durations(group: Group) -> tuple[timedelta, timedelta] | None:
    """Return the median and the longest time from the first submission to the counting one."""
    found = [time for s in group.standings if (time := worked(s)) is not None]
    return (
        (timedelta(seconds=median(t.total_seconds() for t in found)), max(found)) if found else None
    )


def seconds(group: Group) -> tuple[float, float, float] | None:
    """Return the median, the longest and the sum of the examinations, in seconds."""
    found = [g.seconds for s in group.standings if (g := counted(s)) and g.seconds]
    return (median(found), max(found), sum(found)) if found else None
