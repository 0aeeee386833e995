"""Going on after a statement that has failed, so that one crash hides nothing of what follows."""

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from course_probe.event_log import EventLog, Stopped
from course_probe.events import StoppedEvent
from course_probe.exam.execution import Statement

ERRORS = 20
"""Failing statements after which the rest of a script is not tried any more."""


class NamedStatement(Statement, Protocol):
    """One statement of a script; `names` is what it would make."""

    names: frozenset[str]

    def remains(self) -> "Iterator[NamedStatement]":
        """Statements to try in its place once it has failed."""

    def texts(self) -> set[str]:
        """Return the texts that it works with: names of files may be among them."""


def execute(
    statements: Iterable[NamedStatement], log: EventLog, report: Callable[[BaseException], None]
) -> int:
    """Run a script's statements, going on after one that fails; the exit status is mostly 0.

    What fails for want of a name that a failed statement would have made, or of a file that it
    names, is not told again.
    """
    lost: set[str] = set()
    files: set[str] = set()
    failed = 0
    try:
        for statement in statements:
            try:
                statement.run()
                lost -= statement.names
            except SystemExit as stop:
                return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
            except Exception as error:  # noqa: BLE001 - a script may raise anything: it is reported
                if not _follows(error, lost, files):
                    report(error)
                    failed += 1
                    log.write_figures({"statements_failed": float(failed)}, lasting=True)
                if failed == ERRORS:
                    break
                lost |= statement.names
                files |= {os.path.basename(text) for text in statement.texts()}
                lost -= _made(statement)
    except Stopped:
        log.write(StoppedEvent(event="stopped"))
    except Exception as error:  # noqa: BLE001 - of a script that can't be parsed
        report(error)
    return 0


def _made(statement: NamedStatement) -> frozenset[str]:
    """Run what remains of a failed statement, and return the names that this has made."""
    made: frozenset[str] = frozenset()
    for rest in statement.remains():
        with contextlib.suppress(Exception):
            rest.run()
            made |= rest.names
    return made


def _follows(error: Exception, lost: set[str], files: set[str]) -> bool:
    """Whether it is only a consequence of what failed before."""
    if isinstance(error, FileNotFoundError) and isinstance(error.filename, str):
        return os.path.basename(error.filename) in files
    return isinstance(error, NameError) and error.name in lost
