"""What a kernel hears of the learner's training: the probe, in the kernel's own process."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from course_probe import exception_report
from course_probe.event_log import EventLog
from course_probe.events import LookOutput, RunEvent
from course_probe.instrument import Instrument
from course_probe.serve import script

EventListener = Callable[[RunEvent], None]


class Cells:
    """The learner's own code by where its names are kept: a cell and what it defines."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self._namespace = namespace

    def has(self, frame: FrameType) -> bool:
        """Whether a frame is of a cell, or of a function that a cell has defined."""
        return frame.f_globals is self._namespace

    def name(self, frame: FrameType | None) -> str:
        """What a cell's file is called: it has none that anybody could look into."""
        return "cell"


class _EventStream(io.TextIOBase):
    """A stream of JSON lines that passes each event to a listener."""

    def __init__(self, listen: EventListener) -> None:
        self._listen = listen

    def write(self, text: str) -> int:
        self._listen(json.loads(text))
        return len(text)


class CellListener:
    """Hooks every framework of this process, from now on; `listen` gets each event."""

    def __init__(self, own: Cells, listen: EventListener) -> None:
        self._own = own
        # This file is never made: a training in a notebook is stopped by its learner alone.
        nowhere = str(Path(__file__).with_name("nobody-stops-a-kernel"))
        self._log = EventLog(_EventStream(listen), nowhere)
        self._instrument = Instrument(self._log, self._report_failure)
        self._instrument.install()

    def _report_failure(self, error: BaseException, *, worker: bool = False) -> None:
        exception_report.report_failure(error, self._own, self._log, worker=worker)

    def report_exception(self, error: BaseException) -> None:
        """Report the exception that a cell has ended with."""
        exception_report.report_exception(error, self._own, self._log)

    def begin_cell(self) -> None:
        """Begin with the cap on events anew; a training that was interrupted is over."""
        self._log.reset_cap()
        self._instrument.abandon()

    def end_cell(self, error: BaseException | None) -> None:
        """Write what has been kept until now; a training is over where there is no `error`."""
        if error is None:
            self._instrument.finish(ended=False)
        self._log.flush()

    def look(self, code: str, namespace: dict[str, Any]) -> LookOutput:
        """What a look gives; events of what it trains or evaluates are dropped."""
        self._log.looking = True
        try:
            return script.look(code, namespace)
        finally:
            self._log.looking = False

    def versions(self) -> dict[str, str]:
        """The versions of Python and of the frameworks' libraries."""
        return script.versions()
