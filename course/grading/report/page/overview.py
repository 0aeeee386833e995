"""What the teacher's part of the page shows: figures, the map, distributions, the table."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from course.base.i18n import _, ngettext
from course.grading.report import doubts, feedback
from course.grading.report.class_results import (
    HEALTHY,
    TRAINING,
    Group,
    came,
    counted,
    handed_in,
    late,
    place,
)
from course.grading.report.doubts import Uncertain
from course.grading.report.page import labels, statistics
from course.grading.student_result import StudentResult
from course.render.blocks import Bar

CROWD = 90
"""From so many students on the map shows points in place of names."""
MANY = 12
"""More students than that with the same doubt are folded."""


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
        (_("Handed in"), sum(came(s) for s in standings)),
        (_("With a mark"), len(scored)),
        (_("Healthy"), sum(place(s) == HEALTHY for s in standings)),
    ]
    shown = [(name, str(n)) for name, n in rows]
    if scored:
        share = sum((s.score or 0) / group.of(s) for s in scored) / len(scored)
        shown.append((_("Average mark"), feedback.percent(share)))
    return shown


def lines(group: Group) -> tuple[list[statistics.Stop], list[statistics.Stop]]:
    """Return the stops of the map: those on the line of the lesson, and those that wait apart."""
    stops = statistics.stops(group)
    waiting = [s for s in stops if s.place in statistics.WAITING]
    return [s for s in stops if s.place not in statistics.WAITING], waiting


def kind(stop: statistics.Stop) -> str:
    """Which kind of stop it is: `fault`, `apart`, `training` or `healthy`."""
    if stop.place in statistics.WAITING:
        return "apart"
    return stop.place if stop.place in (TRAINING, HEALTHY) else "fault"


def hardest(group: Group) -> str:
    """Return a sentence about the fault that stops most students."""
    worst = statistics.hardest(group)
    if not any(came(s) for s in group.standings):
        return _("There are no submissions yet.")
    unreached = sum(place(s) in statistics.UNREACHED for s in group.standings)
    if unreached > (len(worst.standings) if worst else 0):
        sentence = ngettext(
            "{n} of {all} student handed in a script that ends before any bug: look at it first.",
            "{n} of {all} students handed in scripts that end before any bug: look at them first.",
            len(group.standings),
        )
        return sentence.format(n=unreached, all=len(group.standings))
    if worst is None:
        return _("No fault stops anybody.")
    sentence = ngettext(
        "Most are stopped by this fault: {fault}. {n} of {all} student is there.",
        "Most are stopped by this fault: {fault}. {n} of {all} students are there.",
        len(group.standings),
    )
    n = len(worst.standings)
    return sentence.format(fault=labels.place(worst.place), n=n, all=len(group.standings))


def cards(group: Group) -> tuple[Card, Card, Card]:
    """Three distributions: bugs mended, marks, and how long it took."""
    return _mended(group), _marks(group), _long(group)


def _mended(group: Group) -> Card:
    rows = (
        Bar(
            labels.place(each.fault),
            labels.of(each.gone, each.of),
            each.gone / each.of if each.of else 0.0,
            good=each.fault == HEALTHY,
        )
        for each in statistics.mended(group)
    )
    about = _("Counted: students who were given the bug and whose submission was examined.")
    return Card(_("Who mended what"), about, tuple(rows))


def _marks(group: Group) -> Card:
    found, heading = statistics.marks(group), _("Marks")
    if not found:
        return Card(heading, _("There are no marks yet."))
    top = max(1, *(row.n for row in found))

    def label(row: statistics.Row) -> str:
        if group.possible is not None and row.low == row.high:
            return labels.of(feedback.points(row.low), feedback.points(group.possible))
        return f"{feedback.percent(row.low)} – {feedback.percent(row.high)}"

    rows = tuple(Bar(label(row), str(row.n), row.n / top) for row in found)
    return Card(heading, _("How many students have which mark."), rows)


def _long(group: Group) -> Card:
    found, heading = statistics.submissions(group), _("How long it took")
    if not found:
        return Card(heading, _("There are no submissions yet."))
    top = max(row.n for row in found)

    def label(n: int) -> str:
        if n == statistics.MOST:
            return _("handed in {n} times or more").format(n=n)
        return ngettext("handed in {n} time", "handed in {n} times", n).format(n=n)

    rows = tuple(Bar(label(int(row.low)), str(row.n), row.n / top) for row in found)
    return Card(heading, "", rows, tuple(_times(group)))


def _times(group: Group) -> Iterator[str]:
    worked = statistics.durations(group)
    if worked is not None:
        yield _(
            "Time from the first submission to the last: {usual} (median), {most} at most."
        ).format(usual=labels.duration(worked[0]), most=labels.duration(worked[1]))
    examined = statistics.seconds(group)
    if examined is not None:
        usual, most, all_ = map(labels.seconds, examined)
        yield _(
            "Time for one examination: {usual} (median), {most} at most. Time for all "
            "examinations: {all}."
        ).format(usual=usual, most=most, all=all_)


def table(group: Group, doubted: Collection[str]) -> Iterator[Row]:
    """Yield a row for each student; `doubted` are the ids of those whose marks are uncertain."""
    order = {stop.place: n for n, stop in enumerate(statistics.stops(group))}
    for standing in group.standings:
        here, score, of = place(standing), standing.score, group.of(standing)
        grade = counted(standing)
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
    if late(standing):
        yield _("late")
    if standing.override is not None:
        yield _("mark set by hand")
    if doubted:
        yield _("look at it")


def by_kind(found: Iterable[Uncertain]) -> list[tuple[str, list[Uncertain]]]:
    """Those whose marks are uncertain, by the gravest doubt of each; what each kind is called."""
    kinds: dict[str, list[Uncertain]] = {}
    for each in found:
        kinds.setdefault(each[1][0].kind, []).append(each)
    return [(_(doubts.KINDS[kind]), listed) for kind, listed in kinds.items()]
