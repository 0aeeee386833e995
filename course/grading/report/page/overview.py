"""The teacher's part of the page: the map of a class, its figures, and the table of students."""

from collections.abc import Iterator, Mapping

from course.grading.note import reader, said
from course.grading.report import feedback
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
from course.grading.report.page import labels, statistics
from course.grading.report.page.markup import bar, element, escape, inline, named, paragraph, time
from course.grading.student_result import StudentResult
from course.i18n import _, ngettext

CROWD = 90
"""From so many students on the map shows points in place of names."""

_SEARCH = '<input type="search" id="{id}" autocomplete="off" spellcheck="false">'

Anchors = Mapping[int, str]
"""The anchor of each student's page, by the identity of the standing."""


def facts(group: Group) -> str:
    """The class in five figures."""
    standings = group.standings
    handed = [s for s in standings if came(s)]
    scored = [s for s in standings if s.score is not None]
    healthy = [s for s in standings if place(s) == HEALTHY]
    rows = [
        (_("Students"), str(len(standings))),
        (_("Handed in"), str(len(handed))),
        (_("With a mark"), str(len(scored))),
        (_("Healthy"), str(len(healthy))),
    ]
    if scored:
        share = sum((s.score or 0) / group.of(s) for s in scored) / len(scored)
        rows.append((_("Average mark"), feedback.percent(share)))
    cells = "".join(f"<div><dt>{escape(k)}</dt><dd>{escape(v)}</dd></div>" for k, v in rows)
    return element("dl", cells, "facts")


def board(group: Group, anchors: Anchors, level: int) -> str:
    """The map: a column for each fault in the order of the lesson, and who stands there."""
    stops = statistics.stops(group)
    worst = statistics.hardest(group)
    crowd = "crowd" if len(group.standings) > CROWD else ""
    lines = []
    for apart in (False, True):
        chosen = [s for s in stops if (s.place in statistics.WAITING) == apart]
        columns = "".join(_stop(s, worst, anchors, level) for s in chosen)
        lines.append(element("ol", columns, crowd) if columns else "")
    return paragraph(_hardest(worst, group), "finding") + "".join(lines)


def _hardest(worst: statistics.Stop | None, group: Group) -> str:
    if not any(came(s) for s in group.standings):
        return _("Nobody has handed in anything yet.")
    if worst is None:
        return _("No fault stops anybody.")
    n = len(worst.standings)
    said = ngettext(
        "Most are stopped by this fault: {fault}. {n} of {all} student stands there.",
        "Most are stopped by this fault: {fault}. {n} of {all} students stand there.",
        len(group.standings),
    )
    return said.format(fault=labels.place(worst.place), n=n, all=len(group.standings))


def _stop(
    stop: statistics.Stop, worst: statistics.Stop | None, anchors: Anchors, level: int
) -> str:
    kind = "fault"
    if stop.place in statistics.WAITING:
        kind = "apart"
    elif stop.place in (TRAINING, HEALTHY):
        kind = stop.place
    worst_here = worst is not None and stop.place == worst.place
    flag = element("span", escape(_("stops most")), "flag") if worst_here else ""
    n = len(stop.standings)
    many = ngettext("{n} student", "{n} students", n).format(n=n)
    head = (
        f'<div class="stop-head"><h{level}>{inline(labels.place(stop.place))}</h{level}>'
        f'<p class="many"><b>{n}</b><span class="unseen"> {escape(many)}</span>{flag}</p></div>'
    )
    chips = "".join(f"<li>{_chip(s, anchors)}</li>" for s in stop.standings)
    people = element("ul", chips, "chips") if chips else ""
    classes = f"stop {kind}{' worst' if worst_here else ''}{'' if n else ' empty'}"
    return element("li", head + people, classes)


def _chip(standing: StudentResult, anchors: Anchors) -> str:
    name = named(standing.student.name)
    anchor, title = anchors[id(standing)], escape(standing.student.name)
    return f'<a href="#{anchor}" title="{title}"><span>{name}</span></a>'


def figures(group: Group, level: int) -> str:
    """Three distributions: bugs mended, marks, and how long it took."""
    cards = (
        (_("Who mended what"), _mended(group)),
        (_("Marks"), _marks(group)),
        (_("How long it took"), _long(group)),
    )
    shown = "".join(
        element("div", element(f"h{level}", escape(head)) + inner, "card") for head, inner in cards
    )
    return element("div", shown, "cards")


def _rows(rows: Iterator[str]) -> str:
    return element("ul", "".join(rows), "bars")


def _row(label: str, figure: str, share: float, class_: str = "") -> str:
    return (
        f'<li><span class="label">{inline(label)}</span>'
        f'<span class="figure">{escape(figure)}</span>{bar(share, class_)}</li>'
    )


def _mended(group: Group) -> str:
    found = statistics.mended(group)
    about = _("Of those who were given the bug and have been examined.")

    def rows() -> Iterator[str]:
        for each in found:
            share = each.gone / each.of if each.of else 0.0
            kind = "good" if each.fault == HEALTHY else ""
            yield _row(labels.place(each.fault), labels.of(each.gone, each.of), share, kind)

    return paragraph(about, "about") + _rows(rows())


def _marks(group: Group) -> str:
    found = statistics.marks(group)
    if not found:
        return paragraph(_("There are no marks yet."), "about")
    top = max(row.n for row in found)

    def rows() -> Iterator[str]:
        for row in found:
            if group.possible is not None and row.low == row.high:
                label = labels.of(feedback.points(row.low), feedback.points(group.possible))
            else:
                label = f"{feedback.percent(row.low)} – {feedback.percent(row.high)}"
            yield _row(label, str(row.n), row.n / top if top else 0.0)

    return paragraph(_("How many students have which mark."), "about") + _rows(rows())


def _long(group: Group) -> str:
    found = statistics.submissions(group)
    if not found:
        return paragraph(_("Nobody has handed in anything yet."), "about")
    top = max(row.n for row in found)

    def rows() -> Iterator[str]:
        for row in found:
            n = int(row.low)
            said = ngettext("handed in {n} time", "handed in {n} times", n).format(n=n)
            if n == statistics.MOST:
                said = _("handed in {n} times or more").format(n=n)
            yield _row(said, str(row.n), row.n / top)

    return _rows(rows()) + "".join(paragraph(text, "about") for text in _times(group))


def _times(group: Group) -> Iterator[str]:
    worked = statistics.durations(group)
    if worked is not None:
        yield _(
            "From the first submission to the last: {usual} in the middle, {most} at most."
        ).format(usual=labels.duration(worked[0]), most=labels.duration(worked[1]))
    examined = statistics.seconds(group)
    if examined is not None:
        yield _("An examination: {usual} in the middle, {most} at most, {all} together.").format(
            usual=labels.seconds(examined[0]),
            most=labels.seconds(examined[1]),
            all=labels.seconds(examined[2]),
        )


def students(group: Group, anchors: Anchors, number: int) -> str:
    """The table of students; the page's script sorts and filters it."""
    heads = (
        (_("Student"), "", "text"),
        (_("Id"), "wide", "text"),
        (_("Stands at"), "", "number"),
        (_("Mark"), "figure", "number"),
        (_("Result"), "wide", "text"),
        (_("Submissions"), "widest figure", "number"),
        (_("Handed in (UTC)"), "wide", "text"),
        (_("Notes"), "wide", "text"),
    )
    head = "".join(
        element("th", escape(text), class_, scope="col", data_sort=kind)
        for text, class_, kind in heads
    )
    order = {stop.place: n for n, stop in enumerate(statistics.stops(group))}
    rows = "".join(_student(s, group, anchors, order) for s in group.standings)
    caption = element("caption", escape(_("Students")), "unseen")
    table = f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return _filter(group, number) + table


def _filter(group: Group, number: int) -> str:
    """What narrows the table; hidden until the script that works it is there."""
    choices = "".join(
        f'<option value="{escape(stop.place)}">{escape(labels.place(stop.place))}</option>'
        for stop in statistics.stops(group)
        if stop.standings
    )
    anywhere = element("option", escape(_("anywhere")), value="")
    fields = (
        (f"find-{number}", _("Name or id"), _SEARCH.format(id=f"find-{number}")),
        (f"at-{number}", _("Stands at"), f'<select id="at-{number}">{anywhere}{choices}</select>'),
    )
    shown = "".join(
        element("label", escape(text), for_=name) + field for name, text, field in fields
    )
    shown += element("p", "", "count", role="status", data_said=_("{some} of {all}"))
    form = {"role": "search", "aria_label": _("Narrow the table"), "hidden": ""}
    return element("form", shown, "filter", **form)


def _student(
    standing: StudentResult, group: Group, anchors: Anchors, order: Mapping[str, int]
) -> str:
    student, attempt, grade = standing.student, standing.attempt, counted(standing)
    here, score = place(standing), standing.score
    mark, result = "–", ""
    if score is not None:
        mark = labels.of(feedback.points(score), feedback.points(group.of(standing)))
    if attempt is not None:
        result = inline(labels.result(grade.status if grade else None))
    link = f'<a href="#{anchors[id(standing)]}">{named(student.name)}</a>'
    share = -1.0 if score is None else score / group.of(standing)
    return (
        f'<tr data-at="{escape(here)}"><th scope="row">{link}</th>'
        f'<td class="wide" translate="no"><bdi>{escape(student.id)}</bdi></td>'
        f'<td data-k="{order[here]}">{inline(labels.place(here))}</td>'
        f'<td class="figure" data-k="{share:.4f}">{escape(mark)}</td>'
        f'<td class="wide">{result}</td>'
        f'<td class="widest figure" data-k="{handed_in(standing)}">{handed_in(standing)}</td>'
        f'<td class="wide">{time(attempt.submitted if attempt else None)}</td>'
        f'<td class="wide">{_marks_of(standing)}</td></tr>'
    )


def _marks_of(standing: StudentResult) -> str:
    """In a word each: late, a mark of the teacher's, something to look at."""
    grade = counted(standing)
    found = []
    if late(standing):
        found.append(_("late"))
    if standing.override is not None:
        found.append(_("mark set by hand"))
    if grade is not None and any(reader(note) == "teacher" for note in grade.notes):
        found.append(_("look at it"))
    return "".join(element("span", escape(text), "tag") for text in found)


def worth_a_look(group: Group, anchors: Anchors) -> str:
    """What only the teacher is told, and marks that are not the program's; "" if there is none."""
    rows = []
    for standing in group.standings:
        found = list(_for_the_teacher(standing))
        if found:
            student = standing.student
            link = f'<a href="#{anchors[id(standing)]}">{named(student.name)}</a>'
            lines = "".join(f"<li>{inline(text)}</li>" for text in found)
            rows.append(f"<li><p>{link}</p><ul>{lines}</ul></li>")
    return element("ul", "".join(rows), "look") if rows else ""


def _for_the_teacher(standing: StudentResult) -> Iterator[str]:
    grade = counted(standing)
    if grade is not None:
        if grade.status in ("refused", "internal-error"):
            yield feedback.status(grade.status)
        yield from (said(note) for note in grade.notes if reader(note) == "teacher")
    if standing.override is not None:
        yield feedback.override(standing.override)
