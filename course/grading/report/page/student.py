"""A student's page: what was found in the submission, in the student's own language."""

from collections.abc import Iterator

from course.grading.grade import BugGrade, Grade, Healthy
from course.grading.report import feedback
from course.grading.report.class_results import Group, attempts, counted
from course.grading.report.page import labels
from course.grading.report.page.markup import (
    bar,
    element,
    escape,
    inline,
    named,
    paragraph,
    symbol,
    tag,
    time,
)
from course.grading.student_result import GradedSubmission, StudentResult
from course.i18n import _, language, ngettext
from course.lesson.catalogue import catalogue


def page(
    standing: StudentResult, group: Group, anchor: str, paths: str = "", *, unsafe: bool
) -> str:
    """The whole of it, in the language in force; `paths` is markup that leads to other pages."""
    grade = counted(standing)
    parts = [
        paths,
        _head(standing, group, anchor),
        paragraph(feedback.unsafe(), "banner") if unsafe else "",
        *_whole(standing, grade),
    ]
    if grade is not None and grade.status != "internal-error":
        parts += [_new_faults(grade), _bugs(grade)]
    parts += [_history(standing, group), _about(grade)]
    return element(
        "section",
        "".join(parts),
        "sheet",
        id=anchor,
        lang=tag(language()),
        tabindex="-1",
        aria_labelledby=f"{anchor}-name",
    )


def _head(standing: StudentResult, group: Group, anchor: str) -> str:
    title = inline(_(group.title))
    kicker = f"{title} · {escape(group.name)} · {named(standing.student.id)}"
    name = element("h1", named(standing.student.name), id=f"{anchor}-name")
    return element("p", kicker, "kicker") + name + _mark(standing, group)


def _mark(standing: StudentResult, group: Group) -> str:
    score, of = standing.score, group.of(standing)
    if score is None:
        return paragraph(_("There is no mark yet."), "score")
    said = _("{score} of {all}").format(score=feedback.points(score), all=feedback.points(of))
    return element("p", f"<strong>{escape(said)}</strong>{bar(score / of)}", "score")


def _whole(standing: StudentResult, grade: Grade | None) -> Iterator[str]:
    """What is told of the submission as a whole."""
    if standing.override is not None:
        yield paragraph(feedback.override(standing.override), "own")
    if grade is None:
        yield paragraph(feedback.ungraded(standing))
    else:
        yield paragraph(feedback.status(grade.status))
        notes = feedback.notes(grade)
        if notes:
            yield element("ul", "".join(f"<li>{inline(text)}</li>" for text in notes), "notes")


def _bugs(grade: Grade) -> str:
    """The line of bugs as the student goes along it, and the training at its end."""
    if not grade.bugs and grade.healthy is None:
        return ""
    rows = [_bug(bug) for bug in grade.bugs]
    if grade.healthy is not None:
        rows.append(_outcome(grade.healthy))
    return element("h2", escape(_("Bug by bug"))) + element("ol", "".join(rows), "track")


def _bug(bug: BugGrade) -> str:
    inner = f"<h3>{inline(feedback.title(bug.fault))}</h3>{_points(bug.points, bug.of)}"
    inner += paragraph(feedback.bug(bug))
    known = catalogue().get(bug.fault)
    if not bug.gone and bug.how != "withheld" and known is not None:
        hint = feedback.about(_("Where to look"), _(known.where))
        inner += paragraph(hint, "hint")
    return _stop(inner, reached=bug.gone, seen=bug.how != "not-reached")


def _outcome(outcome: Healthy) -> str:
    inner = element("h3", escape(_("The model learns"))) + _points(outcome.points, outcome.of)
    if outcome.accuracy is not None:
        baseline = outcome.baseline
        ticks: tuple[float, ...] = ()
        if baseline is not None:
            ticks = (baseline, baseline + (outcome.margin or 0.0))
        inner += bar(outcome.accuracy, "wide-bar" + (" good" if outcome.reached else ""), ticks)
    inner += paragraph(feedback.healthy(outcome))
    return _stop(inner, reached=outcome.reached, seen=outcome.accuracy is not None)


def _stop(inner: str, *, reached: bool, seen: bool) -> str:
    """A stop on the line: reached, not reached, or not seen yet."""
    kind, sign = ("gone", "yes") if reached else (("there", "no") if seen else ("ahead", "open"))
    return element("li", symbol(sign) + element("div", inner), kind)


def _points(points: float, of: float) -> str:
    said = ngettext("{points} of {n} point", "{points} of {n} points", round(of))
    text = said.format(points=feedback.points(points), n=feedback.points(of))
    return paragraph(text, "points")


def _new_faults(grade: Grade) -> str:
    if not grade.new_faults:
        return ""
    rows = "".join(f"<li>{inline(feedback.new_fault(f))}</li>" for f in grade.new_faults)
    return element("h2", escape(_("New faults"))) + element("ul", rows)


def _history(standing: StudentResult, group: Group) -> str:
    found = attempts(standing)
    if not found:
        return ""
    heads = (_("Handed in (UTC)"), _("Result"), _("Mark"), _("Counts"))
    head = "".join(element("th", escape(text), scope="col") for text in heads)
    rows = "".join(_attempt(each, standing, group) for each in found)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return element("h2", escape(_("What was handed in"))) + table


def _attempt(attempt: GradedSubmission, standing: StudentResult, group: Group) -> str:
    grade = attempt.grade
    mark = "–"
    if grade is not None and grade.status != "internal-error":
        of = grade.max_score or group.of(standing)
        mark = labels.of(feedback.points(grade.score), feedback.points(of))
    counts = _("yes") if attempt == standing.attempt else _("no, only kept")
    notes = element("span", escape(_("late")), "tag") if attempt.late else ""
    return (
        f"<tr><td>{time(attempt.submitted) or '–'} {notes}</td>"
        f"<td>{inline(labels.result(grade.status if grade else None))}</td>"
        f'<td class="figure">{escape(mark)}</td><td>{escape(counts)}</td></tr>'
    )


def _about(grade: Grade | None) -> str:
    """On what it was graded, for whoever wants to see the same."""
    if grade is None or not grade.versions:
        return ""
    shown = ", ".join(f"{name} {version}" for name, version in grade.versions.items())
    return paragraph(feedback.about(_("Graded with"), shown), "about")
