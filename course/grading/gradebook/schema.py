"""The tables of the gradebook, and how those of an older one become today's.

Statements of a step are never edited once they have shipped: a change is a step of its own.
"""

import contextlib
import itertools
import os
import sqlite3
from pathlib import Path

APPLICATION = 0x636C7373
"""What tells a gradebook from other SQLite files (`PRAGMA application_id`)."""

STEPS: list[tuple[str, ...]] = [
    (
        """
        CREATE TABLE student (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            name TEXT NOT NULL,
            lang TEXT NOT NULL,
            aliases TEXT NOT NULL
        )
        """,
        # A seed is text: an integer of SQLite's ends at 64 bits.
        """
        CREATE TABLE assignment (
            number INTEGER PRIMARY KEY,
            student TEXT NOT NULL REFERENCES student (id),
            lesson TEXT NOT NULL,
            framework TEXT NOT NULL,
            bugs TEXT NOT NULL,
            lang TEXT NOT NULL,
            seed TEXT NOT NULL,
            digest TEXT NOT NULL,
            given TEXT NOT NULL,
            UNIQUE (student, lesson, framework)
        )
        """,
        "CREATE TABLE content (digest TEXT NOT NULL PRIMARY KEY, bytes BLOB NOT NULL)",
        # `submitted` is empty where it is not known: each NULL would be unlike all others.
        """
        CREATE TABLE submission (
            number INTEGER PRIMARY KEY,
            assignment INTEGER NOT NULL REFERENCES assignment (number),
            digest TEXT NOT NULL,
            content TEXT REFERENCES content (digest),
            refused TEXT,
            source TEXT NOT NULL,
            submitted TEXT NOT NULL,
            late INTEGER NOT NULL,
            UNIQUE (assignment, digest, submitted)
        )
        """,
        """
        CREATE TABLE session (
            number INTEGER PRIMARY KEY,
            started TEXT NOT NULL,
            ended TEXT,
            "values" TEXT NOT NULL
        )
        """,
        """
        CREATE TABLE result (
            number INTEGER PRIMARY KEY,
            assignment INTEGER NOT NULL REFERENCES assignment (number),
            submission TEXT NOT NULL,
            exercise TEXT NOT NULL,
            rubric TEXT NOT NULL,
            runtime TEXT NOT NULL,
            attempt INTEGER NOT NULL,
            session INTEGER NOT NULL REFERENCES session (number),
            graded TEXT NOT NULL,
            status TEXT NOT NULL,
            score REAL NOT NULL,
            max_score REAL NOT NULL,
            grade TEXT NOT NULL,
            reason TEXT NOT NULL,
            who TEXT NOT NULL,
            UNIQUE (assignment, submission, exercise, rubric, runtime, attempt)
        )
        """,
        # Which submission counts, and by which rubric and runtime it is to be told.
        """
        CREATE TABLE counted (
            assignment INTEGER PRIMARY KEY REFERENCES assignment (number),
            submission TEXT NOT NULL,
            exercise TEXT NOT NULL,
            rubric TEXT NOT NULL,
            runtime TEXT NOT NULL,
            submitted TEXT NOT NULL,
            FOREIGN KEY (assignment, submission, submitted)
                REFERENCES submission (assignment, digest, submitted)
        )
        """,
        # A row without a score takes the one before it back.
        """
        CREATE TABLE override (
            number INTEGER PRIMARY KEY,
            assignment INTEGER NOT NULL REFERENCES assignment (number),
            score REAL,
            reason TEXT NOT NULL,
            who TEXT NOT NULL,
            at TEXT NOT NULL
        )
        """,
    ),
    # Until then, all exercises were scripts.
    ("ALTER TABLE assignment ADD COLUMN form TEXT NOT NULL DEFAULT 'script'",),
    # What came back from a student and could not be taken for an exercise, and why.
    (
        """
        CREATE TABLE unread (
            number INTEGER PRIMARY KEY,
            student TEXT NOT NULL REFERENCES student (id),
            source TEXT NOT NULL UNIQUE,
            reason TEXT NOT NULL,
            figures TEXT NOT NULL
        )
        """,
    ),
    ("ALTER TABLE assignment ADD COLUMN exam INTEGER NOT NULL DEFAULT 0",),
    # Until then, everybody worked alone.
    ("ALTER TABLE student ADD COLUMN team TEXT NOT NULL DEFAULT ''",),
]
"""What makes each version of the schema from the one before it; the first from nothing."""


def version(db: sqlite3.Connection) -> int:
    """The version of the tables that are there, 0 where there are none."""
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def migrate(db: sqlite3.Connection, path: Path | None = None) -> None:
    """Bring the tables to today's version, each step in one transaction.

    What was there before the first step is kept in a file beside `path`, if one is given.

    Raises:
        sqlite3.Error: a step or the copy could not be made; all is as before that step.
        OSError: likewise.

    """
    kept = version(db) == 0
    while version(db) < len(STEPS):
        db.execute("BEGIN IMMEDIATE")
        try:
            # Another program may have come first, up to the moment at which we had the lock.
            number = version(db)
            if number < len(STEPS):
                if path is not None and not kept:
                    _keep(path, number)
                    kept = True
                for statement in STEPS[number]:
                    db.execute(statement)
                db.execute(f"PRAGMA application_id = {APPLICATION}")
                db.execute(f"PRAGMA user_version = {number + 1}")
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


def _keep(path: Path, number: int) -> None:
    """Copy a gradebook that nobody can write to at the moment, under a name that is free."""
    unfinished = path.with_name(f".{path.name}.copy.new")
    unfinished.unlink(missing_ok=True)
    source, target = sqlite3.connect(path), sqlite3.connect(unfinished)
    with contextlib.closing(source), contextlib.closing(target):
        source.backup(target)
    names = (f"{path.name}.v{number}" + (f".{n}" if n else "") for n in itertools.count())
    kept = next(k for k in map(path.with_name, names) if not k.exists())
    os.replace(unfinished, kept)
