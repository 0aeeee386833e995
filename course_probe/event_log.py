"""The file that a run's events are written to: JSON lines, with a cap on how much it may hold."""

import json
import os
import time
from collections.abc import Callable
from typing import Protocol

from course_probe.events import Event, Figures, FiguresEvent

EVENT_CAP = 4_000_000
"""Characters of ordinary events; the few that end a run are always written."""
TEXT_CAP = 20_000
"""Characters of one text (a message, the output of a look)."""
PATIENCE = 2.0
"""Seconds that the other processes of a training wait with their failure."""
UNCAPPED = frozenset(
    {"start", "exception", "stopped", "end", "trained", "ask", "quit", "ours"}
    | {"vitals", "ledger"}
    | {"ready", "answer", "claims", "answered", "left", "weights", "logits"}
)
TRAINING_EVENTS = frozenset(
    {"train", "step", "loss", "evaluate", "trained", "failed", "figures", "vitals", "ledger"}
)
"""Events of the script's own training; a look that trains or evaluates writes none."""


class Stopped(BaseException):
    """The reader wants no more of this run. No `except Exception` may hold it up."""


class Stream(Protocol):
    """What an event log needs of a text file."""

    def write(self, text: str, /) -> int:
        """Write, and say how many characters."""

    def flush(self) -> None:
        """Let readers see what was written."""

    def fileno(self) -> int:
        """Return the file's descriptor; raise OSError where there is none."""


class EventLog:
    """Writes events, a line at a time, so that a reader never sees half of one for long.

    The reader answers in one way only: it makes the file `stop` once it has seen enough. While
    `looking` is set, events of a training are dropped. Of several processes that train together
    only the main one writes. `before_write` is called first: what was kept is to come before.
    """

    def __init__(self, stream: Stream, stop: str) -> None:
        self._stream: Stream = stream
        self._stop = stop
        self._written = 0
        self._last: dict[str, float] = {}
        self._measured: set[str] = set()
        self.looking = False
        self.before_write: Callable[[], None] | None = None

    def begin_training(self) -> None:
        """Take back the figures of the training before, but for lasting ones."""
        self.write_figures(dict.fromkeys(sorted(self._measured)))
        self._measured.clear()

    def write_figures(self, values: Figures, *, lasting: bool = False) -> None:
        """Write figures; `lasting` ones hold for every training, the others for one."""
        self.write(FiguresEvent(event="figures", values=values))
        if not lasting and not self.looking:
            self._measured |= values.keys()

    def write(self, event: Event) -> None:
        """Write one event, unless the cap has been reached."""
        name = event["event"]
        is_dropped = self.looking and name in TRAINING_EVENTS
        if is_dropped or os.environ.get("RANK", "0") != "0":
            return
        if self.before_write is not None:
            self.before_write()
        line = json.dumps(event, ensure_ascii=True, default=str) + "\n"
        if name not in UNCAPPED:
            if self._written + len(line) > EVENT_CAP:
                return
            self._written += len(line)
        self._stream.write(line)
        self._stream.flush()

    @property
    def is_shared(self) -> bool:
        """Whether a process that is forked from this one can go on writing where this one does."""
        try:
            self._stream.fileno()
        except OSError:
            return False
        return True

    def divert(self, path: str) -> None:
        """Append all further events to the file at `path`."""
        self._stream = open(path, "a", encoding="utf-8")  # noqa: SIM115 (until the process ends)

    def replay(self, path: str) -> None:
        """Write the lines that another process has put into a file of its own."""
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                self._stream.write(line)

    def reset_cap(self) -> None:
        """Begin with the cap anew: a kernel lives on while its cells come and go."""
        self._written = 0

    def check_stop(self, every: float = 0.0) -> None:
        """Leave the training if the reader wants no more of it; called between two steps.

        It looks at most once in `every` seconds: steps of a small network are quicker than that.

        Raises:
            Stopped: no more of this run is wanted.

        """
        if not self.looking and self._is_due("stop", every) and self.is_stop_requested():
            raise Stopped

    def yield_to_main_process(self) -> None:
        """Wait a little, unless this is the main process: the first to fail ends all others."""
        if os.environ.get("RANK", "0") != "0":
            time.sleep(PATIENCE)

    def is_stop_requested(self) -> bool:
        """Return whether the file that asks for a stop is there."""
        return os.path.exists(self._stop)

    def write_seldom(self, event: Event, every: float) -> None:
        """Write an event, unless one of its kind was written less than `every` seconds ago."""
        if self._is_due(event["event"], every):
            self.write(event)

    def _is_due(self, kind: str, every: float) -> bool:
        now = time.monotonic()
        if now - self._last.get(kind, -every) < every:
            return False
        self._last[kind] = now
        return True


def cut(text: str) -> str:
    """Cut the middle out of a text that is longer than `TEXT_CAP`."""
    if len(text) <= TEXT_CAP:
        return text
    half = TEXT_CAP // 2
    return f"{text[:half]}\n […]\n{text[-half:]}"
