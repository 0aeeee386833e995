"""Run a script under examination: hooks for its training, and what follows a failed statement."""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from course_probe.after_import import call_after_import
from course_probe.event_log import EventLog
from course_probe.events import LeftEvent
from course_probe.exam import keras, plain_loop, tape_loop, trainer
from course_probe.exam.examination import Examination, Interrupted, Over

ERRORS = 20
"""Failing statements after which the rest of a script is not tried any more."""


class Statement(Protocol):
    """One statement of a script."""

    def run(self) -> None:
        """Run it; raises what it raises."""

    def remains(self) -> "Iterator[Statement]":
        """Statements to try in its place once it has failed."""


def execute(
    statements: Iterable[Statement],
    examination: Examination,
    log: EventLog,
    report: Callable[[BaseException], None],
) -> int:
    """Run a script's statements, going on after one that fails; the exit status is 0."""
    examination.install()
    call_after_import("transformers.trainer", lambda m: trainer.hook(m, examination))
    call_after_import("tf_keras.src.engine.training", lambda m: keras.hook(m, examination))
    plain_loop.hook(examination)
    tape_loop.hook(examination)
    failed = 0
    try:
        for statement in statements:
            try:
                statement.run()
            except Interrupted:
                log.write(LeftEvent(event="left", swallowed=False))
                raise Over from None
            except SystemExit:
                break
            except Exception as error:  # noqa: BLE001 - a submission may raise anything: it is reported
                report(error)
                failed += 1
                if failed == ERRORS:
                    break
                _try_remains(statement)
            if examination.has_begun:
                # What was raised in place of the training has not come up to here.
                log.write(LeftEvent(event="left", swallowed=True))
                raise Over
        examination.finish()
    except Over:
        pass
    except BaseException as error:  # noqa: BLE001 - a submission may raise anything: it is reported
        report(error)
        examination.finish()
    return 0


def _try_remains(statement: Statement) -> None:
    """Do what can be done of a statement that has failed."""
    for rest in statement.remains():
        with contextlib.suppress(Exception):
            rest.run()
