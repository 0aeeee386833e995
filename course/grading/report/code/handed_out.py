"""The script of an exercise as it was handed out, and where in it each of its bugs stands."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from functools import cache

from course.base import encoding
from course.grading import location
from course.grading.distribute import exercises
from course.grading.distribute.assignment import Form
from course.grading.report import feedback
from course.grading.student_result import StudentResult
from course.lesson import lesson
from course.notebook.cells import notebook, script

_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class HandedOut:
    """An exercise as lines of code; of a notebook those of the script that its cells make.

    `places` are the lines (from 1) at which its bugs stand, by fault. `solution` are the lines of
    it without any bug, `digest` is that of the file. `is_same`: it is what the student was given,
    to the letter; else this program has another wording of it by now.
    """

    lines: tuple[str, ...]
    places: Mapping[str, int] = field(default_factory=dict)
    solution: tuple[str, ...] = ()
    digest: str = ""
    is_same: bool = True


def of(standing: StudentResult, text: str) -> HandedOut | None:
    """Return the exercise that a student was given, in the form in which this text came back.

    That of a team is in the language of whoever handed it in. None where this program has no such
    lesson.
    """
    given = standing.assignment
    form: Form = "notebook" if location.MARK.search(text) else "script"
    if form == "notebook" and given.form == "nbgrader":
        form = "nbgrader"
    if given.lesson not in lesson.ids() or given.framework not in lesson.load(given.lesson).parts:
        return None
    known = set(split(text))
    of_lang = {
        lang: _made(given.lesson, given.framework, given.bugs, lang, form, given.exam)
        for lang in (given.lang, *sorted({each.lang for each in standing.team}))
    }
    lang = max(of_lang, key=lambda lang: len(known & set(of_lang[lang].lines)))
    is_other = form != given.form or lang != given.lang
    return replace(of_lang[lang], is_same=is_other or of_lang[lang].digest == given.digest)


def split(text: str) -> tuple[str, ...]:
    """Lines as an editor counts them, without their ends."""
    found = _END.split(text)
    return tuple(found[:-1] if found[-1] == "" else found)


def read(content: bytes) -> str:
    """Return the text of a submission; if cut off or in no encoding, the readable part of it."""
    try:
        return encoding.read_script(content)[0]
    except ValueError:
        return content.decode(errors="replace")


@cache
def _made(
    name: str, framework: str, bugs: tuple[str, ...], lang: str, form: Form, exam: bool
) -> HandedOut:

    def version(wanted: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
        return _version(name, framework, wanted, lang, form, exam)

    known = lesson.load(name).parts[framework].known
    drawn = tuple(bug.fault for bug in known if bug.fault in bugs)
    lines, digest = version(drawn)
    # Where a bug stands, the exercise with that bug mended is another one.
    places = {b: _place(lines, version(tuple(o for o in drawn if o != b))[0]) for b in drawn}
    return HandedOut(lines, places, version(())[0], digest)


@cache
def _version(
    name: str, framework: str, bugs: tuple[str, ...], lang: str, form: Form, exam: bool
) -> tuple[tuple[str, ...], str]:
    """Return the lines of an exercise with these bugs, and the digest of the file."""
    part = lesson.load(name).parts[framework]
    with feedback.speaking(lang):
        wanted = tuple(b for b in part.known if b.fault in bugs)
        text = exercises.file_text(part, wanted, form, exam=exam)
    code = text if form == "script" else script.of(notebook.read(text, "exercise.ipynb")).text
    return split(code), hashlib.sha256(text.encode()).hexdigest()


def _place(lines: tuple[str, ...], mended: tuple[str, ...]) -> int:
    """Return the last line at which two versions differ, except in headers: imports are first.

    Where something is missing, it is the line before it.
    """
    place = 1
    for kind, start, end, _a, _b in SequenceMatcher(None, lines, mended, False).get_opcodes():
        if kind == "insert":
            place = max(1, start)
        elif kind != "equal" and not lines[start].startswith("#"):
            place = end
    return place
