"""Keeping a notebook and its paired script in step, both ways, so that neither loses anything.

Where one of them has changed since both had the same text, the other gets its text; where both
have, nothing is written, and the learner is asked which one to keep. A clock is not asked: it
tells who came last, not who changed.

A step writes one file, then the note. Killed before the file is written, it is as if it had not
begun; killed before the note, both files have the same text, and that is noted the next time.
"""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from course import files, paths
from course.errors import UserError
from course.exercise import working_copy as copies
from course.i18n import N_, _
from course.ipynb import notebook
from course.ipynb.notebook import Notebook, Unusable
from course.notebook import note as notes
from course.notebook.note import Note
from course.notebook.pair import Pair

Side = Literal["ipynb", "py"]
APART = N_(
    "{script} and {notebook} differ, and each may hold work that the other lacks: keep one with "
    "{keep_script} or {keep_notebook}, and the text of the other stays beside it."
)
EMPTY = N_(
    "{script} has no code in it, so {notebook} was left as it is: {keep_notebook} writes the "
    "script anew."
)
OPEN = N_(
    "A string that begins in line {line} of {script} has no end, so that the cells after it cannot "
    "be told: end it, and {notebook} gets the text."
)
_CONFLICT = re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE)


@dataclass(frozen=True)
class Synced:
    """What was done: the file that was `written`, with the text of the `other`; None for nothing.

    `kept` is where its own text is, if that was not to be lost. `noted` is False where the note
    could not be written.
    """

    written: Path | None = None
    other: Path | None = None
    kept: Path | None = None
    noted: bool = True

    @property
    def sentence(self) -> str:
        """What to tell the learner; empty where nothing was done."""
        if not self.noted:
            return _("Your progress could not be kept: there is no room for it, or no permission.")
        if self.written is None or self.other is None:
            return ""
        written, other = f"`{self.written.name}`", f"`{self.other.name}`"
        if self.kept is None:
            said = _("{other} has changed: {written} has its text now.")
            return said.format(other=other, written=written)
        said = _("{written} has the text of {other} now; its own is kept as {kept}.")
        return said.format(other=other, written=written, kept=f"`{self.kept.name}`")


def sync(pair: Pair, keep: Side | None = None) -> Synced:
    """Give the file that has not changed, or is missing, the text of the other.

    With `keep` that side's text wins, and what the other had is kept beside it.

    Raises:
        UserError: both have changed, or one can't be read; neither was touched.
        OSError: one can't be written; it is as it was.

    """
    from filelock import FileLock

    with FileLock(paths.private() / f"pair-{notes.key(pair)}.lock"):
        book, script = _book(pair, keep), _script(pair)
        if book is None:
            script = copies.decode(pair.script) if script is None else script
            return _give(pair, pair.notebook, _made(pair, script), script)
        if script is None:
            return _give(pair, pair.script, book, _as_script(pair, book))
        return _in_step(pair, book, script, keep)


def _book(pair: Pair, keep: Side | None) -> Notebook | None:
    """The notebook; None where there is none, or none that can be read and the script wins."""
    if not pair.notebook.exists():
        return None
    try:
        return notebook.read(copies.decode(pair.notebook), pair.notebook.name)
    except Unusable:
        if keep != "py":
            raise
    return None


def _script(pair: Pair) -> str | None:
    """The script as it lies there; None where there is none."""
    if not pair.script.exists():
        return None
    script = copies.decode(pair.script)
    conflict = _CONFLICT.search(script)
    if conflict is not None:
        said = _("{path} has the marks of a merge conflict in line {line}: resolve it.")
        line = script.count("\n", 0, conflict.start()) + 1
        raise UserError(said.format(path=f"`{pair.script.name}`", line=line))
    return script


def _in_step(pair: Pair, book: Notebook, script: str, keep: Side | None) -> Synced:
    """Give one of two files that are there the other's text, if that has changed or is to win."""
    known = notes.known(pair)
    if known is not None and known.both == notes.both(book, script):
        return Synced()
    before, cells = _cells(pair, book, script)
    now = notes.of(book, script, before, cells)
    winner = _winner(known, now, keep)
    if winner == "both":
        return Synced(noted=notes.keep(pair, now))
    if winner is None:
        raise _told(pair, APART)
    if winner == "ipynb":
        text = _like(script, _as_script(pair, book))
        return _give(pair, pair.script, book, text, old=script, backup=keep is not None)
    from course.notebook import merge

    _check_cells(pair, script, cells)
    merged = notebook.read(merge.to_notebook(cells, book, before), pair.notebook.name)
    backup = keep is not None or not merge.is_told(book, before)
    return _give(pair, pair.notebook, merged, script, old=book.text, backup=backup)


def _winner(known: Note | None, now: Note, keep: Side | None) -> Side | Literal["both"] | None:
    """Whose text the other is to have; `both` where they are in step, None for a conflict."""
    unchanged = (
        (known is not None and known.notebook == now.notebook),
        (known is not None and known.script == now.script),
    )
    if now.same or all(unchanged):
        return "both"
    if keep is not None:
        return keep
    return "py" if unchanged[0] else "ipynb" if unchanged[1] else None


def _give(
    pair: Pair,
    target: Path,
    book: Notebook,
    script: str,
    *,
    old: str | None = None,
    backup: bool = False,
) -> Synced:
    """Write one of the two files; `book` and `script` are what both hold then.

    `old` is what the file held when it was read; without it, it is missing, or can't be read and
    is kept.
    """
    note = notes.of(book, script, *_cells(pair, book, script))
    text, other = (book.text, pair.script) if target == pair.notebook else (script, pair.notebook)
    if old is not None and copies.decode(target) != old:
        said = _("{path} has been saved meanwhile, so nothing was changed: try again.")
        raise UserError(said.format(path=f"`{target.name}`"))
    kept = copies.backup(target) if backup or (old is None and target.exists()) else None
    files.write(target, text.encode())
    return Synced(target, other, kept, notes.keep(pair, note))


def _as_script(pair: Pair, book: Notebook) -> str:
    from course.notebook import merge

    return merge.to_script(book, pair.form)


def _made(pair: Pair, script: str) -> Notebook:
    """The notebook that a script makes by itself."""
    from course.notebook import merge

    found = merge.read(_plain(script), pair.script.name, pair.form)
    _check_cells(pair, script, found.cells)
    return notebook.read(merge.fresh(found, pair.form), pair.notebook.name)


def _check_cells(pair: Pair, script: str, cells: Sequence[Any]) -> None:
    """Make sure that no cell of the notebook would go since the script is in the making.

    Raises:
        UserError: it has no code, as an editor that crashed may leave it, or a string has no end.

    """
    from course.notebook import merge

    if not any(c["cell_type"] == "code" and c["source"].strip() for c in cells):
        raise _told(pair, EMPTY)
    line = merge.open_string(_plain(script))
    if line is not None:
        raise _told(pair, OPEN, line)


def _cells(pair: Pair, book: Notebook, script: str) -> tuple[Sequence[Any], Sequence[Any]]:
    """The cells of both as a script has them."""
    from course.notebook import merge

    texts = (merge.to_script(book, pair.form), _plain(script))
    before, cells = (merge.read(text, pair.script.name, pair.form).cells for text in texts)
    return before, cells


def _plain(script: str) -> str:
    return script.removeprefix("\ufeff").replace("\r\n", "\n")


def _like(old: str, new: str) -> str:
    """A script with the line endings and the byte-order mark of another."""
    text = _plain(new).replace("\n", "\r\n") if "\r\n" in old else new
    return "\ufeff" + text if old.startswith("\ufeff") else text


def _told(pair: Pair, sentence: str, line: int | None = None) -> UserError:
    def command(side: Side) -> str:
        return f"`course notebook --sync {shlex.quote(str(pair.notebook))} --keep {side}`"

    return UserError(
        _(sentence).format(
            script=f"`{pair.script.name}`",
            notebook=f"`{pair.notebook.name}`",
            line=line,
            keep_script=command("py"),
            keep_notebook=command("ipynb"),
        )
    )
