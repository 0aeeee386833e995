"""Listen to what a script prints, apart from what libraries say beside it.

All of it goes where it would go without us, into the file that the run's output is. What goes there
by `sys.stdout` and `sys.stderr` is looked at on the way: the script's own lines, and those that it
had a library print (`model.summary()`), are written as events, and so are the warnings of
libraries. Progress bars and the figures that a framework prints of its training are in the file
only, and so is what is written past Python (by C++, or by other programs).
"""

import contextlib
import io
import logging
import os
import re
import sys
import threading
import time
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from course_probe.event_log import EventLog
from course_probe.events import (
    OutputEvent,
    OutputLine,
    OutputStream,
    ProgressEvent,
    WarningEvent,
)
from course_probe.exception_report import Own, is_our_file
from course_probe.serve import own_frames

FIRST = 200
"""Lines that are all written, from the beginning of a run; of later ones the last are."""
LAST = 100
"""Lines that wait to be written, where they come faster than anybody reads."""
AT_ONCE = 50
"""Lines a second that are written the moment they come; faster ones wait for each other."""
SELDOM = 0.2
"""Seconds between two events of lines that come too fast."""
BAR = 0.5
"""Seconds between two events of progress bars."""
PIECES = 1000
"""Pieces of a line without an end that are put together before it comes."""
LINE_CAP = 2000
"""Characters of one line."""
CAP = 1_000_000
"""Characters of lines in a run's record, after which only the last ones follow."""
WARNINGS = 50
"""Different warnings that are told."""
WARNING_CAP = 4000
"""Characters of one warning."""
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
"""What a library colours its words with."""

QUIET = {"transformers.trainer": re.compile("The following columns ")}
"""Loggers with messages that are told though the library keeps them to itself."""
FIGURES = (
    *("tqdm", "transformers.trainer", "tf_keras.src.callbacks", "tf_keras.src.utils.generic_utils"),
    *("keras.src.callbacks", "keras.src.utils.progbar"),
)
"""Modules that print bars and figures of a training."""
PROBE = __name__.partition(".")[0]


class ScriptStream(io.TextIOWrapper):
    """A standard stream in place of Python's own, over the same file.

    `heard` is called with each text that is written, and the frame that has written it.
    """

    def __init__(self, original: io.TextIOWrapper, heard: Callable[[str, FrameType], None]) -> None:
        super().__init__(
            original.buffer,
            encoding=original.encoding,
            errors=original.errors,
            newline=None if os.name == "nt" else "\n",
            line_buffering=original.line_buffering,
            write_through=original.write_through,
        )
        self._heard = heard

    @property
    def mode(self) -> str:
        """As Python's own ones have it."""
        return "w"

    def write(self, text: str, /) -> int:
        """Write as ever, then tell."""
        written = super().write(text)
        frame = sys._getframe().f_back
        # At exit Python itself calls what is registered: there is no level above.
        if frame is not None:
            self._heard(text, frame)
        return written


class OutputStreams:
    """The two streams of a run, and the warnings. `finish` is called when the script is over.

    What goes wrong in here is no concern of the script's.
    """

    def __init__(self, script: Path, own: Own, log: EventLog) -> None:
        self._script = str(script)
        self._own = own
        self._log = log
        self._pid = os.getpid()
        self._over = False
        self._silent = 0
        self._unfinished: dict[OutputStream, list[str]] = {}
        self._lines: dict[OutputStream, int] = {}
        self._waiting: deque[OutputLine] = deque()
        self._omitted = 0
        self._first = FIRST
        self._written = 0
        self._allowed = float(AT_ONCE)
        self._refilled = self._last = time.monotonic()
        self._warnings: dict[tuple[str, str, str], int] = {}
        self._originals: list[io.TextIOWrapper] = []
        self._ours: list[ScriptStream] = []

    def install(self) -> None:
        """Put the streams in place, and listen to warnings and to what loggers print."""
        sys.stdout = self._replacement("stdout", sys.stdout)
        sys.stderr = self._replacement("stderr", sys.stderr)
        self._log.before_write = self.flush
        self._wrap_warnings()
        self._wrap_handlers()
        self._wrap_threads()
        for name, pattern in QUIET.items():
            self._hear_quiet(pattern, logging.getLogger(name))

    def _replacement(self, name: OutputStream, original: Any) -> Any:
        """Replace a stream of Python's own by one that reports its text; any other one stays."""
        if type(original) is not io.TextIOWrapper:
            return original
        original.flush()
        self._originals.append(original)
        # Kept: were it let go, once another is in its place, it would close the file of both.
        self._ours.append(ScriptStream(original, self._listener(name)))
        return self._ours[-1]

    def finish(self) -> None:
        """Write what was kept, and listen no more."""
        if not self._over:
            for stream, pieces in self._unfinished.items():
                if any(pieces):
                    pieces.append("\n")
                    self._hear(stream, self._lines[stream])
            self._over = True
            self.flush()
            for (category, message, module), count in self._warnings.items():
                if count > 1:
                    self._log.write(_warning(category, message, module, count))
        for each in (sys.stdout, sys.stderr, *self._ours, *self._originals):
            with contextlib.suppress(OSError, ValueError, AttributeError):
                each.flush()

    def say(self, text: str, line: int | None) -> None:
        """Print on the standard error what Python itself prints there for the script."""
        with self._silently():
            print(text, file=sys.stderr)
        self._tell(text, line)

    def relay(self, stream: OutputStream, text: str) -> None:
        """Print what a process of the script's has printed, as lines of the script."""
        with self._silently():
            print(text, end="", file=getattr(sys, stream), flush=True)
        self._tell(text, None, stream)

    def _tell(self, text: str, line: int | None, stream: OutputStream = "stderr") -> None:
        if not self._over:
            for each in text.rstrip("\n").split("\n"):
                self._add({"line": line, "stream": stream, "text": _seen(each)})

    def _wrap_threads(self) -> None:
        """Tell what ends a thread of the script's: Python prints it, and nobody raises it."""
        original = threading.excepthook

        def excepthook(args: Any) -> None:
            with self._silently():
                original(args)
            tb = args.exc_traceback
            lines = [n for frame, n in traceback.walk_tb(tb) if self._own.has(frame)]
            if lines and args.exc_type is not SystemExit:
                name = args.thread.name if args.thread is not None else threading.get_ident()
                raised = traceback.format_exception(args.exc_type, args.exc_value, tb)
                self._tell(f"Exception in thread {name}:\n{''.join(raised)}", lines[-1])

        threading.excepthook = excepthook

    def flush(self) -> None:
        """Write the lines that wait: something else is about to be told."""
        is_full = self._written > CAP and not self._over
        if is_full or not (self._waiting or self._omitted):
            return
        lines, self._waiting = list(self._waiting), deque()
        omitted, self._omitted = self._omitted, 0
        self._written += sum(len(line["text"]) for line in lines)
        self._last = time.monotonic()
        self._log.write(OutputEvent(event="output", lines=lines, omitted=omitted))

    def _listener(self, stream: OutputStream) -> Callable[[str, FrameType], None]:
        """Return what a stream calls, several times a line: here every microsecond counts."""
        pieces: list[str] = []
        self._unfinished[stream] = pieces
        known: CodeType | None = None

        def heard(text: str, frame: FrameType) -> None:
            nonlocal known
            if self._over or self._silent:
                return
            try:
                if frame.f_code is known or self._own.has(frame):
                    known, line = frame.f_code, frame.f_lineno
                else:
                    asking = self._asking(stream, frame)
                    if asking is None:
                        self._hear_bar(text, frame)
                        return
                    line = asking
                pieces.append(text)
                self._lines[stream] = line
                if "\n" in text or len(pieces) > PIECES:
                    self._hear(stream, line)
                elif "\r" in text:
                    self._tell_bar(text)
            except Exception:  # noqa: BLE001 - what we make of a line must not disturb its script
                self._over = True

        return heard

    def _asking(self, stream: OutputStream, writing: FrameType) -> int | None:
        """Find the line of the script that had a library print this; None where it did not ask."""
        frame: FrameType | None = writing
        is_direct = True
        while frame is not None and not self._own.has(frame):
            name = str(frame.f_globals.get("__name__", ""))
            top = name.partition(".")[0]
            if name == __name__:
                pass
            elif top == PROBE:
                # Our own hooks stand between a library and a script; what we print is ours.
                if is_direct:
                    return None
            elif top not in sys.stdlib_module_names:
                is_direct = False
                if stream == "stderr" or name.startswith(FIGURES):
                    return None
            frame = frame.f_back
        return frame.f_lineno if frame is not None else None

    def _hear(self, stream: OutputStream, line: int) -> None:
        """Take in the lines that have come to their end, all of them printed by this `line`."""
        if os.getpid() != self._pid:
            # A process that the script has forked tells its own lines, and not ours again.
            self._pid = os.getpid()
            self._waiting, self._omitted = deque(), 0
        pieces = self._unfinished[stream]
        *whole, rest = "".join(pieces).split("\n")
        pieces.clear()
        for text in whole:
            self._add({"line": line, "stream": stream, "text": _seen(text)})
        if rest:
            # A flood without an end of line is no line: what is kept of it is bounded.
            pieces.append(_seen(rest))

    def _hear_bar(self, text: str, frame: FrameType | None) -> None:
        """Tell how far a library's bar is; but not of a training, whose steps are told anyway."""
        if not text.startswith("\r"):
            return
        while frame is not None and not self._own.has(frame):
            if str(frame.f_globals.get("__name__")).startswith("transformers.trainer"):
                return
            frame = frame.f_back
        self._tell_bar(text)

    def _tell_bar(self, text: str) -> None:
        if seen := _seen(text):
            self._log.write_seldom(ProgressEvent(event="progress", text=seen), BAR)

    def _add(self, line: OutputLine) -> None:
        """Take in a whole line, and write it now or soon."""
        is_due = False
        if self._first > 0:
            self._first -= 1
            is_due = self._first == 0 or len(self._waiting) >= LAST
        elif len(self._waiting) >= LAST:
            self._waiting.popleft()
            self._omitted += 1
        self._waiting.append(line)
        now = time.monotonic()
        self._allowed = min(AT_ONCE, self._allowed + (now - self._refilled) * AT_ONCE)
        self._refilled = now
        if self._allowed >= 1:
            self._allowed -= 1
            is_due = True
        if is_due or now - self._last >= SELDOM:
            self.flush()

    def _warn(self, category: str, message: str, module: str) -> None:
        """Tell a warning when it comes for the first time; `finish` tells how often it came."""
        known = (category, COLOUR.sub("", message).strip()[:WARNING_CAP], module)
        if not self._over and (known in self._warnings or len(self._warnings) < WARNINGS):
            self._warnings[known] = self._warnings.get(known, 0) + 1
            if self._warnings[known] == 1:
                self._log.write(_warning(*known, 1))

    @contextlib.contextmanager
    def _silently(self) -> Iterator[None]:
        """While a library is known to speak: none of it is the script's."""
        self._silent += 1
        try:
            yield
        finally:
            self._silent -= 1

    def _wrap_warnings(self) -> None:
        """Tell the warnings that are shown."""
        original = warnings.showwarning

        def showwarning(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: Any = None,
            line: str | None = None,
        ) -> None:
            if is_our_file(filename):
                # Above the script's own first level there is nothing, as far as it can tell.
                filename, lineno = own_frames.above()
            module = "__main__" if filename == self._script else _module(filename)
            self._warn(category.__name__, str(message), module)
            with self._silently():
                original(message, category, filename, lineno, file, line)

        warnings.showwarning = showwarning

    def _wrap_handlers(self) -> None:
        """Tell the records that a logger's handler prints; the script's own are its own lines."""
        original = logging.StreamHandler.emit
        streams = self

        def emit(handler: "logging.StreamHandler[Any]", record: logging.LogRecord) -> None:
            if record.pathname == streams._script or not streams._is_standard(handler.stream):
                original(handler, record)
                return
            streams._warn(record.levelname, record.getMessage(), record.name)
            with streams._silently():
                original(handler, record)

        logging.StreamHandler.emit = emit  # type: ignore[assignment,method-assign]

    def _is_standard(self, stream: Any) -> bool:
        known = (sys.stdout, sys.stderr, *self._originals)
        return any(stream is each for each in known)

    def _hear_quiet(self, pattern: re.Pattern[str], logger: logging.Logger) -> None:
        """Have a logger tell some messages that it would not print."""

        def is_printed(record: logging.LogRecord) -> bool:
            above = logger.parent or logger
            if record.levelno >= above.getEffectiveLevel():
                return True
            if pattern.match(record.getMessage()):
                self._warn(record.levelname, record.getMessage(), record.name)
            return False

        logger.addFilter(is_printed)
        logger.setLevel(logging.INFO)


def _warning(category: str, message: str, module: str, count: int) -> WarningEvent:
    return WarningEvent(
        event="warning", category=category, message=message, module=module, count=count
    )


def _seen(text: str) -> str:
    r"""Return what is seen of a line in the end: what comes after a `\r` is written over it."""
    seen = text.rstrip("\r").rpartition("\r")[2]
    return seen if len(seen) <= LINE_CAP else f"{seen[:LINE_CAP]} …"


def _module(file: str) -> str:
    """Return the name of the module that a library's file holds."""
    inside = re.split(r"(?:site|dist)-packages[\\/]", file)[-1]
    parts = re.split(r"[\\/]", inside.removesuffix(".py"))
    parts = parts if inside != file else parts[-1:]
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)
