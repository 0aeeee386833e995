"""The tables of the gradebook."""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

APPLICATION = 0x636C7373
"""What tells a gradebook from other SQLite files (`PRAGMA application_id`)."""
VERSION = 1
"""What tells these tables from those of another version of this program (`PRAGMA user_version`)."""

TABLES = Path(__file__).with_name("tables.sql").read_text("utf-8").split(";")[:-1]


def version(db: sqlite3.Connection) -> int:
    """Return the version of the tables that are there, 0 where there are none."""
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def make(db: sqlite3.Connection) -> None:
    """Make the tables where there are none.

    Where there are, it writes what is there already: what cannot be written is told of now.

    Raises:
        sqlite3.Error: the file cannot be written; all is as before.

    """
    with transaction(db):
        # Another program may have come first, up to the moment at which we had the lock.
        if version(db) == 0:
            for statement in TABLES:
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {VERSION}")
        db.execute(f"PRAGMA application_id = {APPLICATION}")


@contextlib.contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """One change, of which all is on the disk at its end, or nothing."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        undo(db)
        raise


def undo(db: sqlite3.Connection) -> None:
    """End a transaction as if it had never begun, if there is one."""
    if db.in_transaction:
        # Where even that fails, the file is mended when it is opened next.
        with contextlib.suppress(sqlite3.Error):
            db.execute("ROLLBACK")
