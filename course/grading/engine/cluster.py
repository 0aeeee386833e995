"""Other machines to grade on: a Dask cluster, through the interface of `concurrent.futures`."""

import contextlib
import os
from collections.abc import Iterator
from concurrent.futures import Executor
from typing import Any

from course.base import log
from course.base.errors import UserError
from course.base.i18n import _
from course.grading.engine import task

PATIENCE = "15s"
"""How long to wait for the scheduler."""


@contextlib.contextmanager
def workers(address: str) -> Iterator[Executor]:
    """Hold the workers of a cluster as an executor; clear away their leftovers at the end.

    Raises:
        UserError: Dask is not installed here, or nobody answers at the address.

    """
    try:
        from distributed import Client
    except ImportError as error:
        command = "`pip install distributed`"
        sentence = _("{name} is not installed: run {command}.")
        raise UserError(sentence.format(name="Dask", command=command)) from error
    try:
        connect: Any = Client
        client = connect(address, timeout=PATIENCE)
    except (OSError, ValueError) as error:
        sentence = _("No Dask scheduler answers at {address}. Check whether it is running.")
        raise UserError(sentence.format(address=f"`{address}`")) from error
    with client:
        client.run(_share_processors)
        try:
            # A submission that takes a worker down is not to take down one after the other.
            yield client.get_executor(retries=1, pure=False)
        finally:
            try:
                client.run(task.close)
            except Exception:  # noqa: BLE001 - logged, and everything is graded by then
                log.logger("cluster").exception("clearing away at %s", address)


def _share_processors(dask_worker: Any) -> None:
    """On a worker: let no more submissions compute at once than there are processors.

    Of more threads than these some wait with a submission that waits, and hold nobody up.
    """
    processors = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    )
    task.share(min(dask_worker.state.nthreads, processors or 1))
