"""The way into a gradebook's file: found, told from others, whole, up to date; or one sentence."""

import contextlib
import errno
import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from course.errors import UserError
from course.grading.gradebook import schema
from course.i18n import _

TIMEOUT = 10.0
"""Seconds for which we wait until another program has done what it does to the file."""
HEAD = b"SQLite format 3\0"
"""How a file of SQLite's begins. It takes a file of a few bytes for an empty one of its own."""
BESIDE = ("", "-wal", "-journal")
"""What the names of the files that a gradebook consists of after a crash end in."""


def connect(path: Path, *, create: bool = False) -> sqlite3.Connection:
    """Open a gradebook to read and write it, brought to today's version; with `create`, make it.

    Raises:
        UserError: there is none, or it cannot be used.

    """
    _find(path, create=create)
    with plainly(path):
        return _ready(path, path, create=create)


def connect_to_read(path: Path, spare: Path) -> sqlite3.Connection:
    """Open a gradebook only to read it.

    `spare` is an empty folder for a copy of what cannot be read where it lies: a WAL or an
    unfinished change in a folder that is not ours to write to, or an older version.

    Raises:
        UserError: there is none, or it cannot be read.

    """
    _find(path, create=False)
    with plainly(path):
        db = _as_it_lies(path) or _ready(_copied(path, spare), path)
        db.execute("PRAGMA query_only = ON")
    return db


@contextlib.contextmanager
def plainly(path: Path) -> Iterator[None]:
    """Say in one sentence what is wrong with the file, where that is not a mistake of ours.

    Raises:
        UserError: it is locked, damaged, not to be written, or the disk is full.

    """
    try:
        yield
    except UnicodeDecodeError as error:
        # SQLite has told of something broken in words that were broken too.
        raise damaged(path) from error
    except sqlite3.Error as error:
        code = _code(error)
        if code == sqlite3.SQLITE_NOTADB:
            raise strange(path) from error
        # Of a text that is no UTF-8 any more Python tells, who has no code for it.
        wordless = code is None and isinstance(error, sqlite3.OperationalError)
        if wordless or code in _DAMAGE:
            raise damaged(path) from error
        if code in _LOCKED:
            said = _("Another program is using the gradebook {path}: close it, then try again.")
        elif code == sqlite3.SQLITE_FULL:
            said = _("There is no space left in {place}: free some and try again.")
        elif code in _ACCESS:
            said = _("The gradebook {path} cannot be read or written: {reason}.")
        else:
            raise
        place = path.absolute().parent
        raise UserError(said.format(path=f"`{path}`", place=f"`{place}`", reason=error)) from error


_LOCKED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)
# A column that is not there any more is an error like any other.
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR)
_UNREACHED = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR)
_ACCESS = (*_UNREACHED, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY)


def damaged(path: Path) -> UserError:
    """What is said of a gradebook that is not whole any more."""
    said = _(
        "The gradebook {path} is damaged: put a copy of it back, or save what can be saved with "
        "{command}."
    )
    command = f'sqlite3 "{path}" .recover'
    return UserError(said.format(path=f"`{path}`", command=f"`{command}`"))


def strange(path: Path) -> UserError:
    """What is said of a file that is something else."""
    said = _("{path} is not a gradebook: name the file that {command} made.")
    return UserError(said.format(path=f"`{path}`", command="`course class make`"))


def _find(path: Path, *, create: bool) -> None:
    """See to it that a regular file lies there, or that one can be made."""
    if path.is_dir():
        said = _("{path} is a folder: name a file in it, such as {file}.")
        raise UserError(said.format(path=f"`{path}`", file=f"`{path / 'gradebook.db'}`"))
    if path.exists():
        if not path.is_file() or _head(path) not in (b"", HEAD):
            raise strange(path)
        return
    if not create:
        said = _("There is no gradebook {path}: {command} makes one.")
        raise UserError(said.format(path=f"`{path}`", command="`course class make`"))
    if not path.parent.is_dir():
        said = _("There is no folder {folder}: make it first.")
        raise UserError(said.format(folder=f"`{path.parent}`"))


def _head(path: Path) -> bytes:
    """The first bytes of a file; those of SQLite's, to be told by it, where we may not read it."""
    try:
        with path.open("rb") as stream:
            return stream.read(len(HEAD))
    except OSError:
        return HEAD


def _ready(file: Path, path: Path, *, create: bool = False) -> sqlite3.Connection:
    """Open `file`, which people know as `path`, to read and write it."""
    try:
        return _opened(file, path, create=create, wal=True)
    except sqlite3.OperationalError as error:
        # A WAL needs memory that programs share, and not every file system gives it.
        if _code(error) not in _UNREACHED:
            raise
        return _opened(file, path, create=create, wal=False)


def _opened(file: Path, path: Path, *, create: bool, wal: bool) -> sqlite3.Connection:
    db = _connected(file, "rwc" if create else "rw")
    try:
        if not wal:
            # The way to read a WAL that is there already.
            db.execute("PRAGMA locking_mode = EXCLUSIVE")
        _identify(db, path, create=create)
        _check(db, path)
        mode = _journal(db, wal=wal)
        # Without a WAL, the end of a change is a file that goes, and so its folder is synced.
        db.execute(f"PRAGMA synchronous = {'FULL' if mode == 'wal' else 'EXTRA'}")
        schema.migrate(db, Path(os.path.realpath(file)))
        db.execute("PRAGMA foreign_keys = ON")
    except BaseException:
        db.close()
        raise
    return db


def _journal(db: sqlite3.Connection, *, wal: bool) -> str:
    """Settle how a new file, or one whose WAL is of no use here, goes through a crash; say how.

    One that gets along without a WAL is left so: whoever has it open would be hurt by a trial.
    """
    wish = "" if schema.version(db) else " = WAL"
    mode = db.execute(f"PRAGMA journal_mode{wish if wal else ' = DELETE'}").fetchone()[0]
    db.execute("PRAGMA locking_mode = NORMAL")
    return str(mode)


def _as_it_lies(path: Path) -> sqlite3.Connection | None:
    """Open a gradebook to read it; None where that takes a copy."""
    db = _connected(path, "rw")
    try:
        _identify(db, path, create=False)
        _check(db, path)
        if schema.version(db) == len(schema.STEPS):
            return db
    except sqlite3.OperationalError as error:
        if _code(error) not in (*_UNREACHED, sqlite3.SQLITE_READONLY):
            db.close()
            raise
    except BaseException:
        db.close()
        raise
    db.close()
    return None


def _connected(path: Path, mode: str) -> sqlite3.Connection:
    # The name of a file as it is, even one that SQLite would take for something else.
    address = f"{path.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(address, uri=True, timeout=TIMEOUT, isolation_level=None)


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
    if number > len(schema.STEPS):
        said = _("The gradebook {path} was made by a newer {program}: install that one.")
        raise UserError(said.format(path=f"`{path}`", program="`course`"))


def _check(db: sqlite3.Connection, path: Path) -> None:
    if db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
        raise damaged(path)


def _copied(path: Path, spare: Path) -> Path:
    """Copy a gradebook to a folder that is ours to write to.

    Raises:
        UserError: it cannot be read.

    """
    original, copy = os.path.realpath(path), spare / "gradebook.db"
    try:
        for end in BESIDE:
            if end == "" or os.path.exists(original + end):
                shutil.copyfile(original + end, f"{copy}{end}")
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise
        said = _("{path} cannot be read: {reason}.")
        reason = error.strerror or str(error)
        raise UserError(said.format(path=f"`{path}`", reason=reason)) from error
    return copy


def _code(error: sqlite3.Error) -> int | None:
    """The primary code of what SQLite says; None for what Python says of its answer."""
    found = getattr(error, "sqlite_errorcode", None)
    return None if found is None else found & 0xFF
