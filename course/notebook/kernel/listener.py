"""What a kernel hears of the learner's training: the probe, in the kernel's own process."""

import io
import json
import linecache
import re
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from course_probe import exception_report
from course_probe.event_log import EventLog
from course_probe.events import LookOutput, RunEvent
from course_probe.ledger.instrument import LedgerInstrument
from course_probe.serve import script

EventListener = Callable[[RunEvent], None]
_MAGIC = re.compile(r"^(\s*)[%!?].*$", re.MULTILINE)
"""A line of a cell that is no Python."""


class Cells:
    """The learner's own code by where its names are kept: a cell and what it defines.

    All cells that were run are one `text`, whose lines have `places`: their cell, and the line in
    it.
    """

    def __init__(self, namespace: dict[str, Any]) -> None:
        self._namespace = namespace
        self._cells: list[tuple[str, int]] = []
        self._begins: dict[str, int] = {}
        self.text = ""
        self.places: dict[int, str] = {}

    def has(self, frame: FrameType) -> bool:
        """Whether a frame is of a cell, or of a function that a cell has defined."""
        return frame.f_globals is self._namespace

    def name(self, frame: FrameType | None) -> str:
        """Return the name of a cell's file: it has none that anybody could look into."""
        return "cell"

    def begin(self, text: str) -> range:
        """Begin a cell of this text; return its lines in the text of all cells."""
        before = self.text.count("\n")
        number = len(self._namespace.get("In", ()))
        self._cells.append((text, before))
        self._begins.clear()  # a cell that is run again as it was has the same file
        self.text += _MAGIC.sub(r"\1pass", text).rstrip("\n") + "\n"
        lines = range(before + 1, self.text.count("\n") + 1)
        self.places |= {line: f"[{number}]:{line - before}" for line in lines}
        return lines

    def line(self, frame: FrameType) -> int:
        """Return the line of a frame in the text of all cells."""
        file = frame.f_code.co_filename
        if file not in self._begins:
            source = "".join(linecache.getlines(file)).strip()
            known = [before for text, before in self._cells if text.strip() == source]
            last = [before for _text, before in self._cells]
            self._begins[file] = (known or last or [0])[-1]
        return self._begins[file] + frame.f_lineno


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
        self.own = own
        # This file is never made: a training in a notebook is stopped by its learner alone.
        nowhere = str(Path(__file__).with_name("nobody-stops-a-kernel"))
        self._log = EventLog(_EventStream(listen), nowhere)
        self._instrument = LedgerInstrument(self._log, own, self._report_failure, own.line)
        self._instrument.install()

    def enter_lesson(self) -> None:
        """Listen as a lesson is listened to: its outcome is measured otherwise."""
        self._instrument.enter_lesson()

    def begin_anew(self) -> None:
        """Begin another training than the one before."""
        self._instrument.begin_anew()

    def _report_failure(self, error: BaseException, *, worker: bool = False) -> None:
        exception_report.report_failure(error, self.own, self._log, worker=worker)

    def report_exception(self, error: BaseException) -> None:
        """Report the exception that a cell has ended with."""
        exception_report.report_exception(error, self.own, self._log)

    def begin_cell(self, text: str) -> range:
        """Begin with the cap on events anew; a training that was interrupted is over.

        Returns the cell's lines in the text of all cells.
        """
        self._log.reset_cap()
        self._instrument.abandon()
        return self.own.begin(text)

    def end_cell(self, error: BaseException | None) -> None:
        """Write what has been kept until now; a training is over where there is no `error`."""
        if error is None:
            self._instrument.finish(ended=False)

    def look(self, code: str, namespace: dict[str, Any]) -> LookOutput:
        """Take a look and return its output; events of its training or evaluation are dropped."""
        self._log.looking = True
        try:
            return script.look(code, namespace)
        finally:
            self._log.looking = False

    def versions(self) -> dict[str, str]:
        """Return the versions of Python and of the frameworks' libraries."""
        return script.versions()
