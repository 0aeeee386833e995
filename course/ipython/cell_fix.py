"""Taking a bug out of the cells that a learner has run."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from course.exercise import patch
from course.ipynb import magic
from course.lesson.bug import Bug, BugPlaces, Edit, PlaceText, diff
from course.lesson.lesson import Part


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
    """What stands at each place of these bugs, in the latest cell that has it.

    `texts` are the cells as they were last run, the latest last.
    """
    known = tuple(bugs)
    read = [_read(text, known) for text in reversed(list(texts.values()))]
    found = {}
    for bug in known:
        stands: list[PlaceText] = ["changed"] * len(bug.edits)
        for cell in read:
            pairs = zip(stands, cell.get(bug.fault, stands), strict=True)
            stands = [new if old == "changed" else old for old, new in pairs]
        found[bug.fault] = tuple(stands)
    return found


def _read(text: str, bugs: Iterable[Bug]) -> BugPlaces:
    try:
        return patch.places("\n".join(magic.to_python(text).lines), bugs)
    except magic.Unknown:
        return {}


def original(part: Part, bug: Bug) -> str:
    """Return the diff that takes a bug out of the part's own script."""
    ours = part.text((bug,))
    return diff(ours, bug.take_out(ours), part.path.name)


def _mended(text: str, bug: Bug, edit: Edit) -> str | None:
    """A cell with one of the bug's places mended, or mended already; None where it is not in it."""
    try:
        converted = magic.to_python(text).lines
        python = "\n".join(converted)
        found = patch.take_out(python, Bug(bug.fault, (edit,), bug.reason))
    except (magic.Unknown, patch.CannotPatch):
        return None
    if found == python:
        return text
    return found if converted == tuple(magic.lines(text)) else None
