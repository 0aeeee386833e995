"""The report `html`: one file that needs nothing else, made of standings by the templates.

The page is whole without its script, which only sorts and narrows the tables: a student's page is
shown where the address ends with its anchor, and on paper each begins a sheet of its own. All of
it is the teacher's, in the teacher's language; a student's own page is a file by itself.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from course.base.i18n import _
from course.grading.grade import Grade
from course.grading.note import Reader
from course.grading.report import doubts, feedback
from course.grading.report.class_results import Group, Register, attempts, graded_at
from course.grading.report.code import view
from course.grading.report.doubts import Doubt, Uncertain
from course.grading.report.page import labels, overview
from course.grading.student_result import StudentResult
from course.lesson.catalogue import catalogue
from course.render import html

Anchor = Callable[[StudentResult], str]
"""Tells the anchor of a student's page."""


def page(register: Register) -> str:
    """Build the page of the whole class: the map, the figures, the table, each student's page."""
    ordered = [standing for group in register.groups for standing in group.standings]
    found = {group.name: doubts.uncertain(group, register) for group in register.groups}
    anchors = {id(s): f"s{n}" for n, s in enumerate(ordered, start=1)}

    def anchor(standing: StudentResult) -> str:
        return anchors[id(standing)]

    titles = dict.fromkeys(_(group.title) for group in register.groups)
    grades = [grade for s in ordered if (grade := s.grade) is not None]
    return _page(
        next(iter(titles)) if len(titles) == 1 else _("The whole class"),
        "class",
        Markup().join(_sheets(register, found, anchor)),
        register=register,
        uncertain=found,
        anchor=anchor,
        graded_at=graded_at(register.standings),
        versions=dict.fromkeys(labels.versions(grade) for grade in grades if grade.versions),
        overview=overview,
        words=labels,
        feedback=feedback,
    )


def student_page(standing: StudentResult, group: Group, register: Register) -> str:
    """Build one student's page by itself, in the language in force: what the student may read."""
    return own_page([(group, standing)], register)


def own_page(own: Sequence[tuple[Group, StudentResult]], register: Register) -> str:
    """Build a page of one student's exercises, in the language in force: what they may read."""
    sheets = (_sheet(s, group, register, f"s{n}") for n, (group, s) in enumerate(own, start=1))
    title = ", ".join(dict.fromkeys(_(group.title) for group, _standing in own))
    return _page(title, "one", Markup().join(sheets))


def _page(title: str, kind: str, sheets: Markup, **context: Any) -> str:
    return html.page(
        "report.html",
        styles=("report.css",),
        scripts=("report.js",),
        title=title,
        kind=kind,
        sheets=sheets,
        **context,
    )


def _sheets(
    register: Register, found: Mapping[str, list[Uncertain]], anchor: Anchor
) -> Iterator[Markup]:
    """Every student's page as the teacher reads it."""
    for group in register.groups:
        why = {standing.student.id: list(reasons) for standing, reasons in found[group.name]}
        for n, standing in enumerate(group.standings):
            paths = html.fragment(
                "report_paths.html",
                anchor=anchor,
                feedback=feedback,
                before=group.standings[n - 1] if n else None,
                after=group.standings[n + 1] if n + 1 < len(group.standings) else None,
            )
            yield _sheet(
                standing,
                group,
                register,
                anchor(standing),
                paths=paths,
                asides=_asides(standing, why.get(standing.student.id, [])),
            )


def _asides(standing: StudentResult, reasons: list[Doubt]) -> tuple[str, ...]:
    """Return the notes on a submission for the teacher only: why its mark is uncertain, first."""
    told = [reason.text for reason in reasons if reason.kind != "unread"]
    return tuple(dict.fromkeys([*told, *feedback.asides(standing.grade)]))


def _sheet(
    standing: StudentResult,
    group: Group,
    register: Register,
    anchor: str,
    *,
    paths: str = "",
    asides: tuple[str, ...] | None = None,
) -> Markup:
    """Make the sheet of a submission's findings; `paths` is markup that leads to other pages.

    `asides` are for the teacher; None on a page that is the student's own.
    """
    grade = standing.grade
    eyes: Reader = "student" if asides is None else "teacher"
    return html.fragment(
        "report_student.html",
        standing=standing,
        group=group,
        anchor=anchor,
        paths=paths,
        asides=asides or (),
        unsafe=(asides is None and register.unsafe) or (grade is not None and grade.unsafe),
        grade=grade,
        code=view.of(standing, register, eyes),
        attempts=[(each, _mark(each.grade, standing, group)) for each in attempts(standing)],
        catalogue=catalogue(),
        words=labels,
        feedback=feedback,
    )


def _mark(grade: Grade | None, standing: StudentResult, group: Group) -> str:
    if grade is None or grade.status == "internal-error":
        return "–"
    of = grade.max_score or group.of(standing)
    return labels.of(feedback.points(grade.score), feedback.points(of))
