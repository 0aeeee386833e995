"""What the teacher's part of the page shows: figures, the map, distributions, the table."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from statistics import median
from typing import get_args

from course.base.i18n import _, ngettext
from course.grading.report import doubts, feedback
from course.grading.report.class_results import (
    HEALTHY,
    TRAINING,
    Group,
    Waiting,
    handed_in,
    place,
    worked,
)
from course.grading.report.doubts import Uncertain
from course.grading.report.page import labels
from course.grading.student_result import StudentResult
from course.render.blocks import Bar

WAITING = get_args(Waiting)
UNREACHED: tuple[Waiting, ...] = ("empty", "syntax", "early")
"""Places of scripts that end before any bug could be looked for."""
CROWD = 90
"""From so many students on the map shows points in place of names."""
MANY = 12
"""More students than that with the same doubt are folded."""
MOST = 5
"""So many submissions, or more, are one row of the count of submissions."""
ROWS = 12
"""The most rows that the count of marks has."""


@dataclass(frozen=True)
class Stop:
    """A place on the map, and those who stand there."""

    place: str
    standings: tuple[StudentResult, ...]

    @property
    def kind(self) -> str:
        """Which kind of stop it is: `fault`, `apart`, `training` or `healthy`."""
        if self.place in WAITING:
            return "apart"
        return self.place if self.place in (TRAINING, HEALTHY) else "fault"


@dataclass(frozen=True)
class Card:
    """A distribution: what it counts, its rows, and what can be said of it besides."""

    heading: str
    about: str
    rows: tuple[Bar, ...] = ()
    below: tuple[str, ...] = ()


@dataclass(frozen=True)
class Row:
    """A student's row of the table; `order` and `share` (-1 without a mark) are to sort by."""

    standing: StudentResult
    place: str
    order: int
    mark: str
    share: float
    result: str
    submissions: int
    tags: tuple[str, ...]


def facts(group: Group) -> list[tuple[str, str]]:
    """Return the class in five figures, each with its name."""
    standings = group.standings
    scored = [s for s in standings if s.score is not None]
    rows = [
        (_("Students"), len(standings)),
        (_("Handed in"), sum(s.came for s in standings)),
        (_("With a mark"), len(scored)),
        (_("The model learns"), sum(place(s) == HEALTHY for s in standings)),
    ]
    shown = [(name, str(n)) for name, n in rows]
    if scored:
        share = sum((s.score or 0) / group.of(s) for s in scored) / len(scored)
        shown.append((_("Average mark"), feedback.percent(share)))
    return shown


def stops(group: Group) -> tuple[Stop, ...]:
    """Every fault, training, healthy, then those who are nowhere on this line, if there are any."""
    standing_at: dict[str, list[StudentResult]] = {}
    for standing in group.standings:
        standing_at.setdefault(place(standing), []).append(standing)
    line = (*group.bugs, TRAINING, HEALTHY)
    odd = [p for p in standing_at if p not in (*line, *WAITING)]
    waiting = [p for p in WAITING if p in standing_at]
    return tuple(Stop(p, tuple(standing_at.get(p, ()))) for p in (*odd, *line, *waiting))


def lines(group: Group) -> tuple[list[Stop], list[Stop]]:
    """Return the stops of the map: those on the line of the lesson, and those that wait apart."""
    found = stops(group)
    return [s for s in found if s.kind != "apart"], [s for s in found if s.kind == "apart"]


def worst(group: Group) -> Stop | None:
    """Return the fault that stops most; the first of several, None if it stops no student."""
    faults = [stop for stop in stops(group) if stop.place in group.bugs and stop.standings]
    return max(faults, key=lambda stop: len(stop.standings), default=None)


def hardest(group: Group) -> str:
    """Return a sentence about the fault that stops most students."""
    if not any(s.came for s in group.standings):
        return _("Nothing handed in")
    stop, everybody = worst(group), len(group.standings)
    unreached = sum(place(s) in UNREACHED for s in group.standings)
    if unreached > (len(stop.standings) if stop else 0):
        sentence = ngettext(
            "{n} of {all} student has a script that ends before any bug can be tested. Look at "
            "such scripts first.",
            "{n} of {all} students have a script that ends before any bug can be tested. Look at "
            "such scripts first.",
            everybody,
        )
        return sentence.format(n=unreached, all=everybody)
    if stop is None:
        return _("No student is stopped by one of the faults.")
    sentence = ngettext(
        "The fault that stops the most students: {fault}. It stops {n} of {all} student.",
        "The fault that stops the most students: {fault}. It stops {n} of {all} students.",
        everybody,
    )
    n = len(stop.standings)
    return sentence.format(fault=labels.place(stop.place), n=n, all=everybody)


def cards(group: Group) -> tuple[Card, Card, Card]:
    """Three distributions: bugs mended, marks, and how long it took."""
    return _mended(group), _marks(group), _long(group)


def _mended(group: Group) -> Card:
    """For each bug how many mended it; at the end how many came to the healthy outcome."""
    grades = [g for s in group.standings if (g := s.grade) and g.status != "internal-error"]
    found = {bug: [b.gone for g in grades for b in g.bugs if b.fault == bug] for bug in group.bugs}
    found[HEALTHY] = [g.healthy.reached for g in grades if g.healthy is not None]
    rows = (
        Bar(
            labels.place(bug),
            labels.of(sum(gone), len(gone)),
            sum(gone) / len(gone) if gone else 0.0,
            good=bug == HEALTHY,
        )
        for bug, gone in found.items()
    )
    about = _("Counted: students who were given the bug and whose submission was examined.")
    return Card(_("Who fixed what"), about, tuple(rows))


def _marks(group: Group) -> Card:
    """How many have which mark, the best first.

    By points where all could reach the same and there are not too many of them, else by tenths of
    what each could reach.
    """
    scored = [(s.score, group.of(s)) for s in group.standings if s.score is not None]
    if not scored:
        return Card(_("Marks"), _("There are no marks yet."))
    count, most = Counter(score for score, _of in scored), group.possible
    rounds = map(float, range(int(min(most or 0, ROWS)) + 1))
    values = sorted({*rounds, *count, most or 0.0}, reverse=True)
    if most is not None and len(values) <= ROWS:
        found = [(labels.of(feedback.points(v), feedback.points(most)), count[v]) for v in values]
    else:
        tenths = Counter(min(9, max(0, int(10 * score / of + 1e-9))) for score, of in scored)
        percent = [feedback.percent(t / 10) for t in range(11)]
        found = [(f"{percent[t]} – {percent[t + 1]}", tenths[t]) for t in reversed(range(10))]
    return Card(_("Marks"), "", _bars(found))


def _long(group: Group) -> Card:
    """How many handed in once, twice, …, `MOST` times or more."""
    count = Counter(min(MOST, n) for s in group.standings if (n := handed_in(s)))
    if not count:
        return Card(_("How long it took"), _("Nothing handed in"))

    def label(n: int) -> str:
        counted = f"{n}+" if n == MOST else n
        return ngettext("handed in {n} time", "handed in {n} times", n).format(n=counted)

    rows = _bars([(label(n), count[n]) for n in range(1, max(count) + 1)])
    return Card(_("How long it took"), "", rows, tuple(_times(group)))


def _bars(counted: list[tuple[str, int]]) -> tuple[Bar, ...]:
    """Make a bar for each label, beside the highest count."""
    top = max(n for _label, n in counted)
    return tuple(Bar(label, str(n), n / top) for label, n in counted)


def _times(group: Group) -> Iterator[str]:
    """Yield the time from the first submission to the counting one, and that of examinations."""
    took = [time.total_seconds() for s in group.standings if (time := worked(s)) is not None]
    if took:
        usual, most = (labels.duration(timedelta(seconds=t)) for t in (median(took), max(took)))
        yield _(
            "Time from the first submission to the last: {usual} (median), {most} at most."
        ).format(usual=usual, most=most)
    examined = [g.seconds for s in group.standings if (g := s.grade) and g.seconds]
    if examined:
        usual, most, all_ = map(labels.seconds, (median(examined), max(examined), sum(examined)))
        yield _(
            "Time to examine one submission: {usual} (median), {most} at most. Time to examine all "
            "submissions: {all}."
        ).format(usual=usual, most=most, all=all_)


def table(group: Group, doubted: Collection[str]) -> Iterator[Row]:
    """Yield a row for each student; `doubted` are the ids of those whose marks are uncertain."""
    order = {stop.place: n for n, stop in enumerate(stops(group))}
    for standing in group.standings:
        here, score, of = place(standing), standing.score, group.of(standing)
        grade = standing.grade
        yield Row(
            standing,
            here,
            order[here],
            "–" if score is None else labels.of(feedback.points(score), feedback.points(of)),
            -1.0 if score is None else score / of,
            labels.result(grade.status if grade else None) if standing.attempt else "",
            handed_in(standing),
            tuple(_tags(standing, doubted=standing.student.id in doubted)),
        )


def _tags(standing: StudentResult, *, doubted: bool) -> Iterator[str]:
    """In a word each: late, a mark of the teacher's, something to look at."""
    if standing.team:
        yield _("group {name}").format(name=feedback.printable(standing.student.team))
    if standing.late:
        yield _("late")
    if standing.override is not None:
        yield _("mark set by hand")
    if doubted:
        yield _("to check")


def by_kind(found: Iterable[Uncertain]) -> list[tuple[str, list[Uncertain]]]:
    """Those whose marks are uncertain, by the gravest doubt of each; what each kind is called."""
    kinds: dict[str, list[Uncertain]] = {}
    for each in found:
        kinds.setdefault(each[1][0].kind, []).append(each)
    return [(_(doubts.KINDS[kind]), listed) for kind, listed in kinds.items()]
