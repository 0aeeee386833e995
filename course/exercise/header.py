"""The first line of a working copy: which exercise it is. A convenience, never trusted for a grade.

# course: ch8-4 FRAMEWORK format=2 lang=zh draw=k3f9...

The bugs stand in it as a draw (`draw.py`), so that whoever opens the file is not told them.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from course.exercise import draw
from course.lesson import lesson
from course.lesson.lesson import Part

FORMAT = 2
EXAM = "exam"
"""What stands in the draw of an exam beside its bugs; no fault has this name."""
LINES = 40
"""Lines in which the header is looked for: a learner may put something before it."""
_LINE = re.compile(
    r"^\s*#\s*course:\s+(?P<lesson>\S+)\s+(?P<framework>\S+)(?P<rest>(\s+\w+=\S*)*)\s*$"
)


@dataclass(frozen=True)
class Header:
    """Lesson, framework, the bugs that were put in (by their faults), and the language.

    `bugs` is None where the draw can't be read; it was `damaged`, or knows bugs that we don't. In
    an `exam` nothing shows the fixes.
    """

    lesson: str
    framework: str
    bugs: tuple[str, ...] | None
    lang: str
    format: int = FORMAT
    damaged: bool = field(default=False, compare=False)
    exam: bool = False

    def line(self) -> str:
        """Make the header as it stands in the file, with its line break."""
        marked = (*(self.bugs or ()), *((EXAM,) if self.exam else ()))
        code = draw.encode(self.lesson, self.framework, marked)
        about = f"format={FORMAT} lang={self.lang} draw={code}"
        return f"# course: {self.lesson} {self.framework} {about}\n"


def find(text: str, part: Part | None = None) -> Header | None:
    """Find the header of a text; return None where there is none, or one that makes no sense.

    Who has loaded the `part` that is expected gives it, and no lesson is read for that.
    """
    for line in text.removeprefix("\ufeff").splitlines()[:LINES]:
        found = _LINE.match(line)
        if found:
            values = dict(part.split("=", 1) for part in found["rest"].split())
            try:
                number = int(values.get("format", ""))
            except ValueError:
                return None
            where = (found["lesson"], found["framework"])
            bugs, damaged = None, False
            try:
                bugs = draw.decode(*where, values.get("draw", ""), _known(*where, part))
            except draw.DamagedDraw:
                damaged = True
            drawn = None if bugs is None else tuple(bug for bug in bugs if bug != EXAM)
            exam = bugs is not None and EXAM in bugs
            return Header(*where, drawn, values.get("lang", "en"), number, damaged, exam)
    return None


def _known(name: str, framework: str, part: Part | None) -> Iterable[str]:
    """Return the faults that an exercise of this name can have."""
    if part is None or (part.lesson, part.framework) != (name, framework):
        part = lesson.load(name).parts.get(framework) if name in lesson.ids() else None
    return () if part is None else (*(bug.fault for bug in part.known), EXAM)
