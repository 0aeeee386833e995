"""The report `html`: one file that needs nothing else, made of standings and the files beside this.

The page is whole without its script, which only sorts and narrows the tables: a student's page is
shown where the address ends with its anchor, and on paper each begins a sheet of its own. Its
policy lets in nothing but these very bytes of style and script.
"""

import base64
import hashlib
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from course.grading.report import feedback
from course.grading.report.class_results import Group, Register, counted, graded_at
from course.grading.report.page import overview, student
from course.grading.report.page.markup import (
    code,
    element,
    escape,
    inline,
    named,
    paragraph,
    tag,
    time,
)
from course.grading.student_result import StudentResult
from course.i18n import _, language

_PLACE = re.compile(r"\{\{(>?)(\w+)\}\}")


def page(register: Register) -> str:
    """The whole class: the map, the figures, the table, and a page for each student."""
    anchors = {id(s): f"s{n}" for n, s in enumerate(_ordered(register), start=1)}
    groups = register.groups
    titles = dict.fromkeys(_(group.title) for group in groups)
    title = next(iter(titles)) if len(titles) == 1 else _("A class")
    sheets = _sheets(register, anchors)
    return _fill(title, "class", _overview(register, title, anchors), sheets)


def student_page(standing: StudentResult, group: Group, *, unsafe: bool) -> str:
    """One student's page by itself, to be given to the student; in the language in force."""
    unsafe = unsafe or bool((grade := counted(standing)) and grade.unsafe)
    sheet = student.page(standing, group, "s1", unsafe=unsafe)
    return _fill(_(group.title), "one", "", sheet)


def _fill(title: str, kind: str, overview_: str, sheets: str) -> str:
    style, script = _asset("page.css"), f'(() => {{\n"use strict";\n{_asset("page.js")}}})();\n'
    texts = {
        "lang": tag(language()),
        "title": title,
        "kind": kind,
        "policy": policy(style, script),
    }
    markup = {"css": style, "js": script, "overview": overview_, "sheets": sheets}

    def fill(place: re.Match[str]) -> str:
        raw, name = place.groups()
        return markup[name] if raw else escape(texts[name])

    return _PLACE.sub(fill, _asset("page.html"))


def policy(style: str, script: str) -> str:
    """The content security policy: these very bytes, and nothing else from anywhere."""
    return (
        "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; "
        f"style-src {_hash(style)}; script-src {_hash(script)}; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )


@cache
def _asset(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _ordered(register: Register) -> list[StudentResult]:
    """All standings, one exercise after the other: the order of the students' pages."""
    return [standing for group in register.groups for standing in group.standings]


def _overview(register: Register, title: str, anchors: overview.Anchors) -> str:
    kicker = " · ".join(group.name for group in register.groups)
    head = paragraph(kicker, "kicker") + element("h1", inline(title))
    when = graded_at(register.standings)
    if when is not None:
        said = escape(_("Last graded {time} UTC")).replace("{time}", time(when))
        head += element("p", said, "about")
    if register.unsafe:
        head += paragraph(feedback.unsafe(), "banner")
    groups = "".join(
        _group(group, anchors, number, alone=len(register.groups) == 1)
        for number, group in enumerate(register.groups, start=1)
    )
    if not register.groups:
        groups = paragraph(_("This gradebook holds no student yet."))
    return element(
        "div", element("header", head, "top") + groups + _about(register), "overview", id="class"
    )


def _group(group: Group, anchors: overview.Anchors, number: int, *, alone: bool) -> str:
    """One exercise: the picture first, then the figures, then everybody."""
    said, level = inline(_(group.title)), 3 if alone else 4
    name = "" if alone else f'<h2 class="exercise">{said} <span>{escape(group.name)}</span></h2>'
    parts = [name, overview.facts(group)]
    sections = (
        ("map", _("Where everybody stands"), overview.board(group, anchors, level)),
        ("figures", _("The class in figures"), overview.figures(group, level)),
        ("look-first", _("Worth a look"), overview.worth_a_look(group, anchors)),
        ("students", _("Students"), overview.students(group, anchors, number)),
    )
    for kind, heading, inner in sections:
        if inner:
            name = f"{kind}-{number}"
            head = element(f"h{level - 1}", escape(heading), id=name)
            parts.append(element("section", head + inner, f"part {kind}", aria_labelledby=name))
    return "".join(parts)


def _about(register: Register) -> str:
    """On what was graded, and by which rubric."""
    grades = [grade for s in register.standings if (grade := counted(s)) is not None]
    versions = dict.fromkeys(tuple(g.versions.items()) for g in grades if g.versions)
    rows = [paragraph(", ".join(f"{k} {v}" for k, v in found)) for found in versions]
    if register.rubric:
        lines = element("pre", code(register.rubric))
        rows.append(element("h3", escape(_("The rubric"))) + lines)
    if not rows:
        return ""
    head = element("summary", escape(_("Graded with")))
    return element("details", head + "".join(rows), "with")


def _sheets(register: Register, anchors: overview.Anchors) -> str:
    """Every student's page; those in one language at a time, for a catalogue is slow to open."""
    ordered = _ordered(register)
    paths = {id(s): _paths(anchors, *_neighbours(ordered, n)) for n, s in enumerate(ordered)}
    found: dict[int, str] = {}
    for lang in dict.fromkeys(s.student.lang for s in ordered):
        with feedback.speaking(lang):
            for group in register.groups:
                for s in group.standings:
                    if s.student.lang == lang:
                        way = paths[id(s)]
                        unsafe = bool((grade := counted(s)) and grade.unsafe)
                        found[id(s)] = student.page(s, group, anchors[id(s)], way, unsafe=unsafe)
    return "".join(found[id(s)] for s in ordered)


def _neighbours(
    ordered: list[StudentResult], n: int
) -> tuple[StudentResult | None, StudentResult | None]:
    return (
        ordered[n - 1] if n else None,
        ordered[n + 1] if n + 1 < len(ordered) else None,
    )


def _paths(
    anchors: Mapping[int, str], before: StudentResult | None, after: StudentResult | None
) -> str:
    """The ways from a student's page: to the class, to the student before, to the next."""
    links = [element("a", escape(_("The whole class")), href="#class")]
    for neighbour, rel, shown in ((before, "prev", "← {name}"), (after, "next", "{name} →")):
        if neighbour is not None:
            name = shown.replace("{name}", named(neighbour.student.name))
            links.append(f'<a href="#{anchors[id(neighbour)]}" rel="{rel}">{name}</a>')
    return element("nav", "".join(links), "paths", lang=tag(language()))
