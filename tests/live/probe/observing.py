"""A training under the ledger, in the process of the test."""

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from torch.optim import optimizer

from course.facts import record
from course.facts.record import LedgerRecord
from course_probe import guard
from course_probe.event_log import EventLog
from course_probe.exception_report import OwnScript
from course_probe.hooks.backward import ENTRY
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
    with replaced_again():
        Taps(ledger, OwnScript(Path(file)), log, line_of).install()
        yield ledger
    ledger.finish()
    assert not guard.FAILED, guard.TRACES


@contextmanager
def replaced_again() -> Iterator[None]:
    """Put back what the taps replace in PyTorch."""
    module, hooks = torch.nn.Module, optimizer.__dict__
    places = [(module, "__call__"), (module, "load_state_dict"), (torch.autograd, ENTRY)]
    places.append((torch.optim.lr_scheduler.LRScheduler, "step"))
    before = [getattr(*each) for each in places]
    heard = [hooks[f"_global_optimizer_{when}_hooks"] for when in ("pre", "post")]
    known = [dict(each) for each in heard]
    try:
        yield
    finally:
        for (owner, name), original in zip(places, before, strict=True):
            setattr(owner, name, original)
        for each, kept in zip(heard, known, strict=True):
            each.clear()
            each.update(kept)


def record_of(ledger: Ledger) -> LedgerRecord:
    """Read what a ledger has written down of a training that is over."""
    return record.read(dict(event_of(ledger, over=True)))
