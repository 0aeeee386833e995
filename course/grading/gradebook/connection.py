"""The way into a gradebook's file: found, told from others, whole; or one sentence."""

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from course.base.errors import UserError
from course.base.i18n import _, about
from course.grading.gradebook import rows, schema

TIMEOUT = 10.0
"""Seconds for which we wait until another program has done what it does to the file."""
HEAD = b"SQLite format 3\0"
"""How a file of SQLite's begins. It takes a file of a few bytes for an empty one of its own."""


def connect(path: Path, *, create: bool, readonly: bool) -> sqlite3.Connection:
    """Open a gradebook; with `create`, make it; with `readonly`, change nothing.

    Raises:
        UserError: there is none, or it cannot be used.

    """
    _find(path, create=create)
    with explain_errors(path), contextlib.ExitStack() as held:
        # Where the file can be written, SQLite undoes a change that was cut short.
        db = _connected(path, "rwc" if create else "rw")
        held.callback(db.close)
        _identify(db, path, create=create)
        if db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
            raise damaged(path)
        if readonly:
            db.execute("PRAGMA query_only = ON")
        else:
            # The end of a change is a journal that goes, and so its folder is synced as well.
            db.execute("PRAGMA synchronous = EXTRA")
            schema.make(db)
            db.execute("PRAGMA foreign_keys = ON")
        held.pop_all()
    return db


@contextlib.contextmanager
def explain_errors(path: Path) -> Iterator[None]:
    """Say in one sentence what is wrong with the file, where that is not a mistake of ours.

    Raises:
        UserError: it is locked, damaged, not to be written, or the disk is full.

    """
    try:
        yield
    except (rows.BadRow, UnicodeDecodeError) as error:
        # The other is SQLite telling of something broken in words that were broken too.
        raise damaged(path) from error
    except sqlite3.Error as error:
        # An extended code; what Python says of SQLite's answer has none.
        extended = getattr(error, "sqlite_errorcode", None)
        code = None if extended is None else extended & 0xFF
        if code == sqlite3.SQLITE_NOTADB:
            raise strange(path) from error
        undecoded = code is None and str(error).startswith("Could not decode to UTF-8")
        if undecoded or code == sqlite3.SQLITE_CORRUPT:
            raise damaged(path) from error
        # A file that just may not be written has no more than the primary code.
        left = _unfinished(path) if extended != sqlite3.SQLITE_READONLY else None
        if code in _LOCKED:
            sentence = _(
                "Another program is using the gradebook {path}. Close that program and try again."
            )
        elif code == sqlite3.SQLITE_FULL:
            full = _("There is no space left on the disk. Free some space and try again.")
            raise UserError(about(f"`{path.absolute().parent}`", full)) from error
        elif left is not None and code in _ACCESS:
            sentence = _(
                "The last change to the gradebook {path} was interrupted and cannot be undone in "
                "that place. Copy the gradebook and {journal} to a folder of your own. Then use "
                "the copy."
            )
        elif code in _ACCESS:
            sentence = _("The gradebook {path} cannot be read or written: {reason}.")
        else:
            raise
        figures = {"journal": f"`{left}`", "reason": error}
        raise UserError(sentence.format(path=f"`{path}`", **figures)) from error


_LOCKED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)
_ACCESS = (
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
)


def damaged(path: Path) -> UserError:
    """Make the error about a gradebook that is not whole any more."""
    sentence = _(
        "The gradebook {path} is damaged. Restore a copy, or recover the data with {command}."
    )
    command = f'sqlite3 "{path}" .recover'
    return UserError(sentence.format(path=f"`{path}`", command=f"`{command}`"))


def strange(path: Path) -> UserError:
    """Make the error about a file that is something else."""
    sentence = _("{path} is not a gradebook. Give the file that {command} made.")
    return UserError(sentence.format(path=f"`{path}`", command="`course class make`"))


def _find(path: Path, *, create: bool) -> None:
    """See to it that a regular file lies there, or that one can be made."""
    if path.is_dir():
        sentence = _("{path} is a folder. Give the name of a file in it, such as {file}.")
        raise UserError(sentence.format(path=f"`{path}`", file=f"`{path / 'gradebook.db'}`"))
    if path.exists():
        if not path.is_file() or _head(path) not in (b"", HEAD):
            raise strange(path)
        return
    if not create:
        raise strange(path)
    if not path.parent.is_dir():
        sentence = _("There is no folder {folder}. Create it first.")
        raise UserError(sentence.format(folder=f"`{path.parent}`"))


def _head(path: Path) -> bytes:
    """Read the first bytes of a file; return SQLite's own header if it may not be read."""
    try:
        with path.open("rb") as stream:
            return stream.read(len(HEAD))
    except OSError:
        return HEAD


def _unfinished(path: Path) -> str | None:
    """Return the name of the journal of an unfinished change, beside a gradebook."""
    journal = os.path.realpath(path) + "-journal"
    return journal if os.path.exists(journal) and os.path.getsize(journal) else None


def _connected(path: Path, mode: str) -> sqlite3.Connection:
    # The name of a file as it is, even one that SQLite would take for something else.
    address = f"{path.absolute().as_uri()}?mode={mode}"
    db = sqlite3.connect(address, uri=True, timeout=TIMEOUT, isolation_level=None)
    db.row_factory = sqlite3.Row
    return db


def _identify(db: sqlite3.Connection, path: Path, *, create: bool) -> None:
    """See to it that the file is a gradebook that we know how to read, or is to become one.

    Raises:
        UserError: it is not.

    """
    application = db.execute("PRAGMA application_id").fetchone()[0]
    number = schema.version(db)
    if application != schema.APPLICATION:
        empty = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
        if not (create and empty and application == number == 0):
            raise strange(path)
    elif number != schema.VERSION:
        sentence = _("{path} was made by another version of {program}: use that one.")
        raise UserError(sentence.format(path=f"`{path}`", program="`course`"))
