"""What a learner changed to mend a bug, beside the lesson's own fix of it."""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher, unified_diff

from course.exercise import patch
from course.exercise.progress import Progress
from course.exercise.working_copy import Copy
from course.lesson.bug import Bug
from course.lesson.lesson import Part

Hunk = tuple[int, int, int, int]
"""Lines of the text as it was made (start, end) that others stand for in the learner's."""


@dataclass(frozen=True)
class MendedBug:
    """A bug that a run has shown to be mended, and two diffs of the lines of code around it.

    `own` is the learner's change, empty where the text has none that belongs to this bug.
    """

    bug: Bug
    own: str
    official: str


def mended(copy: Copy, known: Progress) -> tuple[MendedBug, ...]:
    """Return the bugs of a copy that are behind the learner, in the order of the lesson."""
    prelude = copy.script.prelude if copy.script is not None else ""
    text = copy.text.removeprefix("\ufeff").removeprefix(prelude)
    return compare(copy.part, copy.bugs, text, known.behind, copy.path.name)


def compare(
    part: Part, drawn: tuple[Bug, ...], text: str, behind: Iterable[str], name: str
) -> tuple[MendedBug, ...]:
    """Compare the two fixes of each bug whose fault is `behind` the learner.

    `drawn` are the bugs that the script was made with, `text` is the learner's now, and `name` what
    the diffs call both.
    """
    places = patch.places(text, drawn)
    others = tuple(b for b in drawn if set(places.get(b.fault, ())) != {"healthy"})
    past = frozenset(behind)
    return tuple(
        _compare(part, bug, tuple(b for b in drawn if b is bug or b in others), text, name)
        for bug in drawn
        if bug.fault in past
    )


def _compare(part: Part, bug: Bug, bugs: tuple[Bug, ...], text: str, name: str) -> MendedBug:
    """Compare a bug's two fixes; `bugs` are it and all not mended as the lesson does it."""
    made = _code(part.text(bugs))
    fixed = {b.fault: _code(part.text(tuple(o for o in bugs if o is not b))) for b in bugs}
    there = {fault: _hunks(made, lines) for fault, lines in fixed.items()}
    code = _code(text)
    changes = _hunks(made, code)
    own = [c for c in changes if _touches(c, there[bug.fault])]
    if not own:
        # Mended elsewhere, as one may: all that belongs to no other bug.
        elsewhere = [hunk for fault, hunks in there.items() if fault != bug.fault for hunk in hunks]
        own = [c for c in changes if not _touches(c, elsewhere)]
    return MendedBug(
        bug, _diff(made, _with(made, code, own), name), _diff(made, fixed[bug.fault], name)
    )


def _code(text: str) -> list[str]:
    """Return the lines of code of a text: the prose between them is in any language."""
    lines = (line.rstrip() for line in text.splitlines())
    return [line for line in lines if line and not line.lstrip().startswith("#")]


def _hunks(before: list[str], after: list[str]) -> list[Hunk]:
    found = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return [(i1, i2, j1, j2) for tag, i1, i2, j1, j2 in found if tag != "equal"]


def _touches(hunk: Hunk, others: Iterable[Hunk]) -> bool:
    return any(hunk[0] <= other[1] and other[0] <= hunk[1] for other in others)


def _with(before: list[str], after: list[str], hunks: Iterable[Hunk]) -> list[str]:
    """Apply only these of the changes to the text."""
    lines = [*before]
    for start, end, first, last in sorted(hunks, reverse=True):
        lines[start:end] = after[first:last]
    return lines


def _diff(before: list[str], after: list[str], name: str) -> str:
    """Make a short diff: a line of context, and only `@@` between places.

    They have no numbers, since lines without code are not counted.
    """
    lines = list(unified_diff(before, after, name, name, lineterm="", n=1))
    if not lines:
        return ""
    own, other, _place, *rest = lines
    return "\n".join([own, other, *("@@" if x.startswith("@@") else x for x in rest)])
