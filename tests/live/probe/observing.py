"""A training under the ledger, in the process of the test."""

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from course.facts import record
from course.facts.record import LedgerRecord
from course_probe import guard
from course_probe.event_log import EventLog
from course_probe.exception_report import OwnScript
from course_probe.ledger.ledger import Ledger
from course_probe.ledger.record import event_of
from course_probe.ledger.studies import Studies
from course_probe.ledger.taps import Taps, line_of


@contextmanager
def observed(
    file: str,
    *,
    studied: bool = False,
    tell: Callable[[int, int], object] | None = None,
    write: Callable[[], object] | None = None,
) -> Iterator[Ledger]:
    """Observe what a test in this file does within; a few steps may be studied, too."""
    guard.forget()
    log = EventLog(io.StringIO(), "")
    ledger = Ledger(Studies(log) if studied else None, write, tell)
    taps = Taps(ledger, OwnScript(Path(file)), log, line_of)
    taps.install()
    try:
        yield ledger
    finally:
        taps.uninstall()
    ledger.finish()
    assert not guard.FAILED, guard.TRACES


def record_of(ledger: Ledger) -> LedgerRecord:
    """Read what a ledger has written down of a training that is over."""
    return record.read(dict(event_of(ledger, over=True)))
