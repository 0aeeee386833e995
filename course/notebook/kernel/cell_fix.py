"""Taking a bug out of the cells that a learner has run."""

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from course.exercise import header, patch
from course.lesson.bug import Bug, BugPlaces, Edit, PlaceText, diff
from course.lesson.lesson import Part
from course.notebook.cells import magic

ALIKE = 0.5
"""From this ratio of equal words on (of `SequenceMatcher`) a cell is one of the lesson's."""
_CELL = re.compile(r"^(?=# %%)", re.MULTILINE)
_WORD = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True)
class CellFix:
    """The cells that change, mended, in one text; and how each of them differs."""

    text: str
    diffs: tuple[str, ...]


def mend(texts: Mapping[str, str], bug: Bug) -> CellFix | None:
    """Take a bug out of the latest cells that have it; None where its places are in none.

    `texts` are the cells as they were last run, the latest last.
    """
    mended = dict(texts)
    for edit in bug.edits:
        name = next(
            (n for n in reversed(mended) if _mended(mended[n], bug, edit) is not None), None
        )
        if name is None:
            return None
        mended[name] = _mended(mended[name], bug, edit) or mended[name]
    changed = [name for name in texts if mended[name] != texts[name]]
    if not changed:
        return None
    return CellFix(
        "\n\n".join(mended[name].strip("\n") for name in changed),
        tuple(diff(texts[name], mended[name], "cell") for name in changed),
    )


def places(texts: Mapping[str, str], bugs: Iterable[Bug]) -> BugPlaces:
    """Return the state of each place of these bugs, in the latest cell that has it.

    `texts` are the cells as they were last run, the latest last.
    """
    known = tuple(bugs)
    read = [patch.places(_python(text), known) for text in reversed(list(texts.values()))]
    found = {}
    for bug in known:
        stands: list[PlaceText] = ["changed"] * len(bug.edits)
        for cell in read:
            pairs = zip(stands, cell.get(bug.fault, stands), strict=True)
            stands = [new if old == "changed" else old for old, new in pairs]
        found[bug.fault] = tuple(stands)
    return found


def as_script(texts: Mapping[str, str], part: Part, bugs: tuple[Bug, ...]) -> str:
    """Return the cells that were run as one script, in the order of the lesson's.

    In place of each cell of the lesson stands the latest that is like it. One of the learner's own
    that is like none follows the cell of the lesson that was run before it, if it does anything.
    """
    lesson = _CELL.split(part.text(bugs))
    words = [_words(cell) for cell in lesson]
    chosen = dict(enumerate(lesson))
    own: dict[int, list[str]] = {at: [] for at in chosen}
    ours = {look.code.strip() for look in part.looks}
    last = 0
    for text in texts.values():
        python = _python(text)
        is_ours = text.strip() in ours or header.find(text) is not None
        if is_ours or not _does_anything(python):
            continue
        ratios = [SequenceMatcher(None, cell, _words(python)).ratio() for cell in words]
        best = max(chosen, key=ratios.__getitem__)
        if ratios[best] >= ALIKE:
            chosen[best], last = python, best
        else:
            own[last].append(python)
    return "\n".join(text for at in chosen for text in (chosen[at], *own[at]))


def _words(cell: str) -> list[str]:
    lines = (line for line in cell.splitlines() if not line.lstrip().startswith("#"))
    return _WORD.findall("\n".join(lines))


def _python(text: str) -> str:
    """Return a cell's Python; nothing where it has another language in it."""
    try:
        return "\n".join(magic.to_python(text).lines)
    except magic.Unknown:
        return ""


def _does_anything(python: str) -> bool:
    """Whether there is more to a cell than values that are shown."""
    try:
        body = ast.parse(python).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(not isinstance(each, ast.Expr) or _calls(each) for each in body)


def _calls(expression: ast.Expr) -> bool:
    """Whether it calls a method: that may change something, as `trainer.train()` does."""
    calls = (node for node in ast.walk(expression) if isinstance(node, ast.Call))
    return any(isinstance(call.func, ast.Attribute) for call in calls)


def original(part: Part, bug: Bug) -> str:
    """Return the diff that takes a bug out of the part's own script."""
    ours = part.text((bug,))
    return diff(ours, bug.take_out(ours), part.path.name)


def _mended(text: str, bug: Bug, edit: Edit) -> str | None:
    """Mend one of the bug's places in a cell, unless it is mended; None where it is not in it."""
    try:
        converted = magic.to_python(text).lines
        python = "\n".join(converted)
        found = patch.take_out(python, Bug(bug.fault, (edit,), bug.reason))
    except (magic.Unknown, patch.CannotPatch):
        return None
    if found == python:
        return text
    return found if converted == tuple(magic.lines(text)) else None
