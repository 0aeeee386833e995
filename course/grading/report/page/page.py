"""The report `html`: one file that needs nothing else, made of standings by the templates.

The page is whole without its script, which only sorts and narrows the tables: a student's page is
shown where the address ends with its anchor, and on paper each begins a sheet of its own.
"""

from collections.abc import Callable, Iterator
from typing import Any

from markupsafe import Markup

from course.grading.grade import Grade
from course.grading.report import feedback
from course.grading.report.class_results import Group, Register, attempts, counted, graded_at
from course.grading.report.page import labels, overview, statistics
from course.grading.student_result import StudentResult
from course.i18n import _
from course.lesson.catalogue import catalogue
from course.render import html

Anchor = Callable[[StudentResult], str]
"""Tells the anchor of a student's page."""


def page(register: Register) -> str:
    """Build the page of the whole class: the map, the figures, the table, each student's page."""
    ordered = [standing for group in register.groups for standing in group.standings]
    anchors = {id(s): f"s{n}" for n, s in enumerate(ordered, start=1)}

    def anchor(standing: StudentResult) -> str:
        return anchors[id(standing)]

    titles = dict.fromkeys(_(group.title) for group in register.groups)
    grades = [grade for s in ordered if (grade := counted(s)) is not None]
    return _page(
        next(iter(titles)) if len(titles) == 1 else _("A class"),
        "class",
        Markup().join(_sheets(register, ordered, anchor)),
        register=register,
        anchor=anchor,
        graded_at=graded_at(register.standings),
        versions=dict.fromkeys(labels.versions(grade) for grade in grades if grade.versions),
        overview=overview,
        tally=statistics,
        words=labels,
        feedback=feedback,
    )


def student_page(standing: StudentResult, group: Group, *, unsafe: bool) -> str:
    """Build one student's page by itself, in the language in force."""
    return _page(_(group.title), "one", _sheet(standing, group, "s1", unsafe=unsafe))


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


def _sheets(register: Register, ordered: list[StudentResult], anchor: Anchor) -> Iterator[Markup]:
    """Every student's page; those in one language at a time, for a catalogue is slow to open."""
    paths = {
        id(s): html.fragment(
            "report_paths.html",
            anchor=anchor,
            before=ordered[n - 1] if n else None,
            after=ordered[n + 1] if n + 1 < len(ordered) else None,
        )
        for n, s in enumerate(ordered)
    }
    found: dict[int, Markup] = {}
    for lang in dict.fromkeys(s.student.lang for s in ordered):
        with feedback.speaking(lang):
            for group in register.groups:
                for s in group.standings:
                    if s.student.lang == lang:
                        found[id(s)] = _sheet(s, group, anchor(s), paths[id(s)])
    return (found[id(s)] for s in ordered)


def _sheet(
    standing: StudentResult, group: Group, anchor: str, paths: str = "", *, unsafe: bool = False
) -> Markup:
    """What was found in a submission; `paths` is markup that leads to other pages."""
    grade = counted(standing)
    return html.fragment(
        "report_student.html",
        standing=standing,
        group=group,
        anchor=anchor,
        paths=paths,
        unsafe=unsafe or (grade is not None and grade.unsafe),
        grade=grade,
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
