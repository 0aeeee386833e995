"""The file that a run is reported to: JSON lines, with a cap on how much a run may write."""

import json
import os
import time
from collections.abc import Callable
from typing import Any, TextIO

CAP = 4_000_000
"""Characters of ordinary events; the few that end a run are always written."""
TEXT_CAP = 20_000
"""Characters of one text (a message, the output of a look)."""
PATIENCE = 2.0
"""Seconds that the other processes of a training wait with their failure."""
ALWAYS = frozenset(
    {"start", "exception", "stopped", "end", "trained"}
    | {"ready", "answer", "claims", "answered", "left", "weights"}
)
OF_THE_RUN = frozenset({"train", "step", "loss", "log", "evaluate", "trained", "failed", "figures"})
"""Events that tell of the script's own training; a look that trains or evaluates makes none."""

OF_THE_DATA = frozenset({"texts_tokenized", "texts_in_ids"})
"""Figures that hold for every training: the data are made ready once, before them all."""


class Stopped(BaseException):
    """Whoever started the run has seen enough of it. No `except Exception` is to hold it up."""


class Journal:
    """Writes events; a line at a time, so that a reader never sees half of one for long.

    The reader answers in one way only: it makes the file `stop` once it has seen enough.

    `ears` are what listens to this run, by name, `at_end` what they have to say at its end;
    `trainer` counts the methods of a Trainer that are at work, which tells of its training itself.
    Of several processes that train together only the main one writes.
    """

    def __init__(self, stream: TextIO, stop: str) -> None:
        self._stream = stream
        self._stop = stop
        self._written = 0
        self._last: dict[str, float] = {}
        self._held: dict[str, dict[str, float]] = {}
        self.looking = False
        self.trainer = 0
        self.ears: dict[str, Any] = {}
        self.at_end: list[Callable[[], None]] = []
        self.in_worker = False
        self._measured: set[str] = set()

    def forget(self) -> None:
        """A training begins: what was measured before belongs to another one."""
        self._held.clear()
        self.write("figures", values=dict.fromkeys(sorted(self._measured - OF_THE_DATA)))
        self._measured &= OF_THE_DATA

    def finish(self) -> None:
        """The script has come to its end: let the ears say what they have kept until now."""
        for tell in self.at_end:
            tell()

    def tell_last_figures(self) -> None:
        """The script is over, well or not: write the figures that came too soon after others."""
        for values in self._held.values():
            self.write("figures", values=values)
        self._held.clear()

    def write(self, event: str, **values: Any) -> None:
        """Write one event, unless the cap has been reached."""
        if (self.looking and event in OF_THE_RUN) or os.environ.get("RANK", "0") != "0":
            return
        if event == "figures":
            self._measured |= values["values"].keys()
        if self.in_worker and event == "failed":
            values["worker"] = True
        line = json.dumps({"event": event, **values}, ensure_ascii=True, default=str) + "\n"
        if event not in ALWAYS:
            if self._written + len(line) > CAP:
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
        """Write into a file of its own from now on."""
        self._stream = open(path, "a", encoding="utf-8")  # noqa: SIM115 (until the process ends)

    def replay(self, path: str) -> None:
        """Take over what another process has written into its own file."""
        with open(path, encoding="utf-8") as told:
            for line in told:
                self._stream.write(line)

    def renew(self) -> None:
        """Begin with the cap anew: a kernel lives on while its cells come and go.

        A training that was interrupted is over, even where its optimizer goes on being used.
        """
        self._written = 0
        for ear in self.ears.values():
            abandon = getattr(ear, "abandon", None)
            if abandon is not None:
                abandon()

    def check_stop(self) -> None:
        """Called between two training steps.

        Raises:
            Stopped: no more of this run is wanted.

        """
        if not self.looking and self.stop_is_wanted():
            raise Stopped

    def let_main_process_tell(self) -> None:
        """Of processes that fail together the first ends them all: let the main one come first."""
        if os.environ.get("RANK", "0") != "0":
            time.sleep(PATIENCE)

    def stop_is_wanted(self) -> bool:
        """Whether the reader has seen enough."""
        return os.path.exists(self._stop)

    def write_seldom(self, event: str, every: float, source: str = "", **values: Any) -> None:
        """Write an event of this kind, and from this `source`, at most once in `every` seconds."""
        if self._is_time(event + source, every):
            self.write(event, **values)

    def measure(self, source: str, every: float, values: dict[str, float]) -> None:
        """Write figures at most once in `every` seconds; the last ones are not lost.

        What a look measures is not the run's, and leaves what is held of the run as it is.
        """
        if self.looking:
            return
        if self._is_time("figures" + source, every):
            self._held.pop(source, None)
            self.write("figures", values=values)
        else:
            self._held[source] = values

    def _is_time(self, kind: str, every: float) -> bool:
        now = time.monotonic()
        if now - self._last.get(kind, -every) < every:
            return False
        self._last[kind] = now
        return True


def cut(text: str) -> str:
    """The text, without the middle of one that is too long to show."""
    if len(text) <= TEXT_CAP:
        return text
    half = TEXT_CAP // 2
    return f"{text[:half]}\n […]\n{text[-half:]}"
