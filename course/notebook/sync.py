"""Keeping a notebook and its paired script in step, both ways, so that neither loses anything.

jupytext's own `--sync` gives both the text of the file that was saved last, and what the other had
is gone. So each time both have the same text, digests of them are kept in the user's state folder.
Where one file differs from its digest, the other gets its text; where both do, nothing is written,
and the learner is asked which one to keep.

A step writes one file, then the digests. Killed before the file is written, it is as if it had not
begun; killed before the digests, both files have the same text, and that is found the next time.
"""

import hashlib
import json
import os
import re
import shlex
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from course import files, paths
from course.errors import UserError
from course.exercise import working_copy as copies
from course.i18n import N_, _
from course.ipynb import notebook
from course.ipynb.notebook import Notebook, Unusable
from course.notebook.pair import Pair

FORMAT = 1
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

    `kept` is where its own text is, if that was not to be lost. `noted` is False where the digests
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
            sentence = _("{other} has changed: {written} has its text now.")
            return sentence.format(other=other, written=written)
        sentence = _("{written} has the text of {other} now; its own is kept as {kept}.")
        return sentence.format(other=other, written=written, kept=f"`{self.kept.name}`")


@dataclass(frozen=True)
class Digests:
    """Of the cells that a script has of the `notebook`, of those of the `script`, and of `both`.

    The last is taken of the files as they are, so that it can be compared without jupytext.
    """

    notebook: str
    script: str
    both: str


def sync(pair: Pair, keep: Side | None = None) -> Synced:
    """Give the file that has not changed, or is missing, the text of the other.

    With `keep` that side's text wins, and what the other had is kept beside it.

    Raises:
        UserError: both have changed, or one can't be read; neither was touched.
        OSError: one can't be written; it is as it was.

    """
    from filelock import FileLock

    with FileLock(paths.private() / f"pair-{_key(pair)}.lock"):
        book, script = _read_notebook(pair, keep), _read_script(pair)
        if book is None:
            script = copies.decode(pair.script) if script is None else script
            return _write(pair, pair.notebook, _made(pair, script), script)
        known = _read_digests(pair)
        if script is not None and known is not None and known.both == _digest_both(book, script):
            return Synced()
        from course.notebook import merge

        own_text = merge.to_script(book, pair.form)
        if script is None:
            return _write(pair, pair.script, book, own_text)
        own, cells = _cells(pair, own_text), _cells(pair, script)
        now = Digests(_digest(own), _digest(cells), _digest_both(book, script))
        winner = _winner(known, now, keep)
        if winner == "both":
            return Synced(noted=_keep_digests(pair, now))
        if winner is None:
            raise _error(pair, APART)
        if winner == "ipynb":
            text = _like(script, own_text)
            return _write(pair, pair.script, book, text, old=script, backup=keep is not None)
        _check_cells(pair, script, cells)
        merged = notebook.read(merge.to_notebook(cells, book, own), pair.notebook.name)
        backup = keep is not None or not merge.has_cells_of(book, own)
        return _write(pair, pair.notebook, merged, script, old=book.text, backup=backup)


def _winner(
    known: Digests | None, now: Digests, keep: Side | None
) -> Side | Literal["both"] | None:
    """Whose text the other is to have; `both` where they are in step, None for a conflict."""
    same_notebook = known is not None and known.notebook == now.notebook
    same_script = known is not None and known.script == now.script
    if now.notebook == now.script or (same_notebook and same_script):
        return "both"
    return keep or ("py" if same_notebook else "ipynb" if same_script else None)


def _read_notebook(pair: Pair, keep: Side | None) -> Notebook | None:
    """The notebook; None where there is none, or none that can be read and the script wins."""
    try:
        if pair.notebook.exists():
            return notebook.read(copies.decode(pair.notebook), pair.notebook.name)
    except Unusable:
        if keep != "py":
            raise
    return None


def _read_script(pair: Pair) -> str | None:
    """The script with its own line endings; None where there is none."""
    if not pair.script.exists():
        return None
    script = copies.decode(pair.script)
    conflict = _CONFLICT.search(script)
    if conflict is not None:
        sentence = _("{path} has the marks of a merge conflict in line {line}: resolve it.")
        line = script.count("\n", 0, conflict.start()) + 1
        raise UserError(sentence.format(path=f"`{pair.script.name}`", line=line))
    return script


def _write(
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
    from course.notebook import merge

    own = _cells(pair, merge.to_script(book, pair.form))
    digests = Digests(_digest(own), _digest(_cells(pair, script)), _digest_both(book, script))
    text, other = (book.text, pair.script) if target == pair.notebook else (script, pair.notebook)
    if old is not None and copies.decode(target) != old:
        sentence = _("{path} has been saved meanwhile, so nothing was changed: try again.")
        raise UserError(sentence.format(path=f"`{target.name}`"))
    kept = copies.backup(target) if backup or (old is None and target.exists()) else None
    files.write(target, text.encode())
    return Synced(target, other, kept, _keep_digests(pair, digests))


def _made(pair: Pair, script: str) -> Notebook:
    """The notebook that a script makes by itself."""
    from course.notebook import merge

    found = merge.read_script(script, pair.script.name, pair.form)
    _check_cells(pair, script, found.cells)
    return notebook.read(merge.new_notebook(found, pair.form), pair.notebook.name)


def _cells(pair: Pair, script: str) -> Sequence[Any]:
    """The cells that jupytext reads in a text of the script."""
    from course.notebook import merge

    cells: Sequence[Any] = merge.read_script(script, pair.script.name, pair.form).cells
    return cells


def _check_cells(pair: Pair, script: str, cells: Sequence[Any]) -> None:
    """Make sure that no cell of the notebook would go since the script is half-written.

    Raises:
        UserError: it has no code, as an editor that crashed may leave it, or a string has no end.

    """
    from course.notebook import merge

    if not any(c["cell_type"] == "code" and c["source"].strip() for c in cells):
        raise _error(pair, EMPTY)
    line = merge.find_open_string(script)
    if line is not None:
        raise _error(pair, OPEN, line)


def _like(old: str, new: str) -> str:
    """A script with the line endings and the byte-order mark of another."""
    text = new.replace("\r\n", "\n").replace("\n", "\r\n") if "\r\n" in old else new
    return "\ufeff" + text if old.startswith("\ufeff") else text


def _error(pair: Pair, sentence: str, line: int | None = None) -> UserError:
    """An error that names both files, and the commands that keep either."""
    command = f"course notebook --sync {shlex.quote(str(pair.notebook))} --keep"
    return UserError(
        _(sentence).format(
            script=f"`{pair.script.name}`",
            notebook=f"`{pair.notebook.name}`",
            line=line,
            keep_script=f"`{command} py`",
            keep_notebook=f"`{command} ipynb`",
        )
    )


def _digest(cells: Sequence[Any]) -> str:
    """Digest what a script has of cells; a notebook's own metadata make no difference."""
    return _digest_json([[c["cell_type"], c["source"], c["metadata"]] for c in cells])


def _digest_both(book: Notebook, script: str) -> str:
    return _digest_json([[[c.kind, c.source, c.metadata] for c in book.cells], script])


def _digest_json(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _key(pair: Pair) -> str:
    """A name for a pair, by where it lies."""
    return hashlib.sha256(os.path.realpath(pair.notebook).encode()).hexdigest()[:16]


def _file(pair: Pair) -> Path:
    return paths.state() / "pairs" / f"{_key(pair)}.json"


def _read_digests(pair: Pair) -> Digests | None:
    """What was kept last; None for nothing, or for a file that is damaged."""
    with suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
        document = json.loads(_file(pair).read_text("utf-8"))
        if document.pop("format") == FORMAT:
            del document["path"]
            return Digests(**document)
    return None


def _keep_digests(pair: Pair, digests: Digests) -> bool:
    """Keep them; False where that could not be done, and the last ones stand."""
    document = {"format": FORMAT, "path": str(pair.notebook.absolute()), **asdict(digests)}
    path = _file(pair)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        files.write(path, json.dumps(document, indent=2).encode())
    except OSError:
        return False
    return True
