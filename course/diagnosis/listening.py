"""`course.listen()`: the same in a script's own process, whoever has started it.

Only listened is to what the frameworks do; what a script computes and how it ends stay as they are.
"""

import atexit
import contextlib
import importlib
import io
import json
import os
import sys
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from course.base import i18n
from course.base.errors import UserError
from course.runs.record import UNREADABLE, Builder
from course_probe import exception_report
from course_probe.event_log import EventLog
from course_probe.events import StartEvent
from course_probe.exception_report import OwnFolder
from course_probe.ledger.instrument import LedgerInstrument

if TYPE_CHECKING:
    from course.runs.record import RunRecord

_listening: list["ProcessListener"] = []


class _RecordStream(io.TextIOBase):
    """A stream of JSON lines that are gathered into a record."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder

    def write(self, text: str) -> int:
        try:
            self._builder.add(json.loads(text))
        except UNREADABLE:
            return 0
        return len(text)


class ProcessListener:
    """Hooks every framework of this process, from now on, and speaks when it ends."""

    def __init__(self, script: Path) -> None:
        self._builder = Builder()
        # This file is never made: nobody stops a script from outside.
        nowhere = str(Path(__file__).with_name("nobody-stops-a-script"))
        self._log = EventLog(_RecordStream(self._builder), nowhere)
        self._own = OwnFolder(script, script.parent)
        self._pid = os.getpid()
        self._ended_by: BaseException | None = None
        self._script = script
        self._instrument = LedgerInstrument(self._log, self._own, self._report_failure)
        self._instrument.install()
        self._hook = sys.excepthook
        sys.excepthook = self._end_badly
        atexit.register(self._end)

    def _report_failure(self, error: BaseException, *, worker: bool = False) -> None:
        exception_report.report_failure(error, self._own, self._log, worker=worker)

    def _end_badly(
        self, kind: type[BaseException], error: BaseException, tb: TracebackType | None
    ) -> None:
        # What the script's user reads is its own traceback, without our levels in it.
        self._hook(kind, error.with_traceback(exception_report.without_probe(tb)), tb)
        self._take(error)

    def _take(self, error: BaseException) -> None:
        self._ended_by = error
        if not isinstance(error, KeyboardInterrupt):
            exception_report.report_exception(error, self._own, self._log)

    def _end(self) -> None:
        """Say what the process has shown; a mistake of ours must not disturb its end."""
        if os.getpid() != self._pid:
            return
        try:
            # Python leaves it here, whoever has put another hook in place of ours.
            last = getattr(sys, "last_value", None)
            if isinstance(last, BaseException) and last is not self._ended_by:
                self._take(last)
            if self._builder.raised is None:
                self._instrument.finish()
            from course.diagnosis.user_script import UserScript

            text = told(self.record(), UserScript(self._script).text)
        except Exception as error:  # noqa: BLE001 - whatever it is, the script has done its work
            text = f"course: {type(error).__name__}: {error}"
        if text:
            print(text, file=sys.stderr, flush=True)
        if isinstance(self._ended_by, KeyboardInterrupt):
            # Python ends as one that was interrupted if that is the last that it has executed.
            with contextlib.suppress(KeyboardInterrupt):
                exec("raise KeyboardInterrupt", {})

    def record(self) -> "RunRecord":
        """Make the record of the events heard so far."""
        if self._builder.start is None:
            from course_probe.events import FORMAT
            from course_probe.serve import script

            versions = script.versions()
            self._builder.add(StartEvent(event="start", format=FORMAT, versions=versions))
        return self._builder.build("exception" if self._builder.raised else "finished", None)


def told(record: "RunRecord", written: str = "") -> str:
    """Describe the findings on a process that has ended; return an empty text without any.

    `written` is the text of its script.
    """
    from course.judge.broken_rules import with_signs
    from course.judge.script_verdict import judge_script
    from course.render import story, text

    record = with_signs(record)
    verdict = judge_script(record, written)
    return "" if verdict.well else text.draw(story.of_script(verdict, record, ""))


def listen(lang: str | None = None) -> None:
    """Listen to this process from now on, and say at its end what bites; once is enough.

    Of several processes that train together the first one listens. `lang` is the language of what
    is said: that of the environment if not given. In a notebook it is as `%load_ext course`.
    """
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is not None:
        # A kernel ends when nobody looks: there it is said below each cell.
        extension = importlib.import_module("course.notebook.kernel.extension")
        extension.load(shell, lang)
        return
    if _listening or os.environ.get("RANK", "0") != "0":
        return
    try:
        i18n.activate(i18n.negotiate(lang))
    except UserError:
        i18n.activate(i18n.SOURCE)
    main = sys.modules["__main__"]
    script = Path(getattr(main, "__file__", None) or "script.py").absolute()
    _listening.append(ProcessListener(script))
