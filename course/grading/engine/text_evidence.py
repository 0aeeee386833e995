"""What the text of a submission tells by itself, however it is examined: it is read, never run."""

import ast
import contextlib
import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from course.base import encoding
from course.exercise import header, patch
from course.grading import location
from course.grading.engine import dead_code
from course.grading.engine.static_checks import StaticFinding
from course.grading.grade import GradeNote, Value
from course.lesson.bug import Bug
from course.lesson.lesson import Part
from course.notebook.cells import magic
from course.runs.record import Raised

LONGEST = 20_000
"""Characters of a text that is searched for a bug token by token; those of the lessons have two
thousand, and the time it takes grows faster than they do."""
TOLD = 300
"""Characters of an exception's name, and of its message, that are kept."""
SHOWN = 60
"""Characters of a line that a note shows."""
UNDECIDED = 4
"""Bugs of which a text may not tell whether they stand, and still be held against our own."""
TEXTS, ANSWERS = 64, 512
"""Texts whose code is kept, and what was found of a bug in a text: the same questions are put to a
submission several times, and the exercise is held beside each."""


@dataclass(frozen=True)
class AssignedExercise:
    """What a student was given: the part, which of its bugs, and whether it is an exam."""

    part: Part
    bugs: tuple[Bug, ...]
    exam: bool = False

    @property
    def script_name(self) -> str:
        """What a submission is called where it runs."""
        return f"{self.part.lesson}-{self.part.framework}.py"


def decoded(content: bytes) -> tuple[str, tuple[GradeNote, ...]]:
    """Decode the text of a submission, with notes where it is not as Python reads it.

    What is no text is replaced: it is refused before. Lines of a notebook (`!pip install …`), which
    stand in a script that Colab has saved, are left out; the others keep their numbers.
    """
    try:
        text, old = encoding.read_script(content)
    except ValueError:
        return content.decode("utf-8", "replace"), ()
    notes = (GradeNote("other-encoding", {"encoding": old.upper()}),) if old else ()
    python, left_out = _without_notebook_lines(text)
    return python, (*notes, *left_out)


def _without_notebook_lines(text: str) -> tuple[str, tuple[GradeNote, ...]]:
    """Strip a script of lines only for notebooks, and note it; else return it as it is."""
    if len(text) > LONGEST or _code(text) is not None:
        return text, ()
    lines = magic.lines(text)
    try:
        python = magic.to_python(text).lines
    except magic.Unknown:
        return text, ()
    changed = [n for n, (old, new) in enumerate(zip(lines, python, strict=True)) if old != new]
    rest = "\n".join(python) + "\n"
    if not changed or _code(rest) is None:
        return text, ()
    first = changed[0]
    what = "".join(c for c in lines[first].strip()[:SHOWN] if c.isprintable())
    return rest, (GradeNote("notebook-line", {"line": first + 1, "what": what}),)


def has_no_code(text: str) -> bool:
    """Whether a file is empty, or holds nothing but comments."""
    code = _code(text)
    return code is not None and code == _code("")


@functools.lru_cache(maxsize=ANSWERS)
def stands(text: str, bug: Bug) -> bool | None:
    """Whether the text of a bug still stands: no if its fix does; None where neither is found."""
    if len(text) > LONGEST:
        found = any(e.buggy in text and e.healthy not in text for e in bug.edits)
        return True if found else None
    try:
        return patch.take_out(text, bug) != text
    except (patch.CannotPatch, RecursionError, MemoryError):
        return None


@functools.lru_cache(maxsize=ANSWERS)
def never_ran(text: str, bug: Bug, last: int | None = None) -> bool:
    """Whether a fix that stands in the text stands where nothing runs.

    That is behind a statement that leaves, in a branch that is never taken, in a function that
    nothing names; and below the top-level statement on line `last`, where the run has left.
    """
    if len(text) > LONGEST:
        return False
    try:
        tree = ast.parse(text.removeprefix("\ufeff"))
        whole = ast.unparse(tree)
        if last is not None:
            tree.body = [each for each in tree.body if _first_line(each) <= last]
        living = ast.unparse(ast.fix_missing_locations(dead_code.without(tree)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return living != whole and stands(whole, bug) is False and stands(living, bug) is not False


def _first_line(statement: ast.stmt) -> int:
    """Return the line on which a statement begins, with the decorators of a definition."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(each.lineno for each in decorators)])


def is_plain(text: str, part: Part, still: tuple[Bug, ...]) -> bool:
    """Whether the code is that of the script with just these bugs in."""
    code = _code(text)
    return code is not None and code == _code(part.text(still))


def still_in(text: str, part: Part) -> tuple[Bug, ...] | None:
    """Find the bugs in a script that is the exercise with only some of our fixes made.

    None for any other script: what is in that one, its text alone cannot tell.
    """
    code = _code(text)
    if code is None:
        return None
    found = {bug.fault: stands(text, bug) for bug in part.known}
    open_questions = [bug for bug in part.known if found[bug.fault] is None]
    if len(open_questions) > UNDECIDED:
        return None
    for size in range(len(open_questions) + 1):
        for some in combinations(open_questions, size):
            still = tuple(b for b in part.known if found[b.fault] or b in some)
            if code == _code(part.text(still)):
                return still
    return None


@functools.lru_cache(maxsize=TEXTS)
def _code(text: str) -> str | None:
    """Return a text as code, the same however written; None if it is too long, or no code."""
    if len(text) <= LONGEST:
        with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            return ast.dump(ast.parse(text.removeprefix("\ufeff")))
    return None


def spot(text: str, error: Raised) -> dict[str, int]:
    """Return the figures of the line that raised an exception; empty if there is no such line."""
    line = error.own.line if error.own else 0
    return location.find(text, line) if 0 < line <= len(text.splitlines()) else {}


def error(text: str, raised: Raised) -> dict[str, Any]:
    """Return an exception as figures: its name, its message, and the line of the text, if any.

    A message is cut where it is long.
    """
    told = {"exception": raised.name[:TOLD], "message": raised.message[:TOLD]}
    return {**told, **spot(text, raised)}


def withheld_for(text: str, findings: Sequence[StaticFinding]) -> dict[str, Value]:
    """Return the first place of a text with withheld marks, as figures; empty without one."""
    first = next((finding for finding in findings if finding.withholds), None)
    return {**location.find(text, first.line), "what": first.what} if first is not None else {}


def on_text(text: str, findings: Sequence[StaticFinding]) -> Iterator[GradeNote]:
    """Yield notes on text that reaches for the workings of the run, and on unusual text."""
    for name, withholds in (("tampering", True), ("unusual", False)):
        for finding in [f for f in findings if f.withholds is withholds][:3]:
            place = location.find(text, finding.line)
            yield GradeNote(name, {**place, "what": finding.what})


def other_header(text: str, exercise: AssignedExercise) -> Iterator[GradeNote]:
    """Yield a note where the first line claims to be another exercise than the one given out.

    In an exam, where it is gone, too: without it the copy shows the fixes.
    """
    part = exercise.part
    found = header.find(text, part)
    given = (part.lesson, part.framework, tuple(b.fault for b in exercise.bugs))
    if found is not None and (found.lesson, found.framework, found.bugs) != given:
        yield GradeNote("header")
    elif exercise.exam and (found is None or not found.exam):
        yield GradeNote("no-exam-header")
