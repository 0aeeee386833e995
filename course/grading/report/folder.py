"""Reports of many files, a folder for each student: which files, and what stands in them."""

import csv
import io
import re
import secrets
from pathlib import PurePath

from course.base.errors import UserError
from course.base.i18n import _
from course.grading.distribute.assignment import Student
from course.grading.report import csv_safe, feedback, gradescope
from course.grading.report.class_results import Group, Register, in_own_language
from course.grading.report.page import page
from course.grading.student_result import StudentResult

Files = dict[tuple[str, ...], str]
"""The texts of files by their place: names of folders, then that of the file."""
CLASS = "class.html"
LINKS = "links.csv"
NAME = re.compile("[0-9a-f]{24}[.]html")


def gradescope_files(register: Register) -> Files:
    """`<id>/results.json` for everybody who has a mark; by exercise where there are several.

    Raises:
        UserError: an id is no name of a folder.

    """
    by_exercise = len(register.groups) > 1
    return {
        (*([exercise] if by_exercise else []), _checked(student), gradescope.FILE): text
        for (exercise, student), text in gradescope.documents(register).items()
    }


def pages(register: Register) -> Files:
    """Make the class page and `<id>/<lesson>-<framework>.html` for each student alone.

    Raises:
        UserError: an id is no name of a folder.

    """
    files: Files = {(CLASS,): page.page(register)}
    for group, standing in in_own_language(register):
        place = (_checked(standing.student.id), f"{group.lesson}-{group.framework}.html")
        files[place] = page.student_page(standing, group, register)
    return files


def web_pages(register: Register, links: str) -> Files:
    """Make `pages/<secret>.html`, a page for each student, and `links.csv`: which one is whose.

    Nobody can guess the address of another's page. A student keeps that of the `links` there were.
    """
    known = {
        row.get("id", ""): row.get("page") or ""
        for row in csv.DictReader(io.StringIO(links.removeprefix(csv_safe.BOM)))
    }
    own: dict[Student, list[tuple[Group, StudentResult]]] = {}
    for group, standing in in_own_language(register):
        own.setdefault(standing.student, []).append((group, standing))
    named = {s: known.get(csv_safe.cell(s.id), "") for s in own}
    places = {
        s: n if NAME.fullmatch(n) else f"{secrets.token_hex(12)}.html" for s, n in named.items()
    }
    files: Files = {}
    for student, exercises in own.items():
        with feedback.speaking(student.lang):
            files["pages", places[student]] = page.own_page(exercises, register)
    rows = ((s.id, s.name, places[s]) for s in own)
    return {**files, (LINKS,): csv_safe.text([("id", "name", "page"), *rows], bom=True)}


def _checked(id_: str) -> str:
    """Return an id as the name of a folder: a gradebook may come from anywhere."""
    if PurePath(id_).parts != (id_,) or id_ in ("..", ".") or "\\" in id_ or "\0" in id_:
        sentence = _("The id {id} cannot be the name of a folder. Choose another id.")
        raise UserError(sentence.format(id=f"`{feedback.printable(id_)}`"))
    return id_
