"""What a kernel hears of the learner's training: the probe, in the kernel's own process."""

import importlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from course import paths

Listener = Callable[[dict[str, Any]], None]


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


class _Told(io.TextIOBase):
    """A stream of JSON lines that tells each to a listener."""

    def __init__(self, listen: Listener) -> None:
        self._listen = listen

    def write(self, text: str) -> int:
        self._listen(json.loads(text))
        return len(text)


class Ears:
    """Listens to every framework of this process, from now on; `listen` gets each event."""

    def __init__(self, own: Cells, listen: Listener) -> None:
        _load_probe()
        self._listening = importlib.import_module("course_probe.listening")
        self._raised = importlib.import_module("course_probe.raised")
        self._own = own
        # Nobody makes this file: a training in a notebook is stopped by its learner alone.
        nowhere = str(Path(__file__).with_name("nobody-stops-a-kernel"))
        journal = importlib.import_module("course_probe.journal")
        self.journal: Any = journal.Journal(_Told(listen), nowhere)
        self._listening.install(self.journal, lambda error: self.tell("failed", error))

    def tell(self, event: str, error: BaseException) -> None:
        """Tell of an exception."""
        self._raised.report(event, error, self._own, self.journal)

    def look(self, code: str, namespace: dict[str, Any]) -> dict[str, Any]:
        """What a look gives; what it trains or evaluates is not told of."""
        script = importlib.import_module("course_probe.script")
        self.journal.looking = True
        try:
            found: dict[str, Any] = script.look(code, namespace)
        finally:
            self.journal.looking = False
        return found

    def versions(self) -> dict[str, str]:
        """The versions of Python and of the frameworks' libraries."""
        found: dict[str, str] = importlib.import_module("course_probe.script").versions()
        return found


def _load_probe() -> None:
    """Import the probe as it is imported anywhere: under its own name, by its own program."""
    import runpy

    runpy.run_path(str(paths.probe()), run_name="course_probe_loader")["load_probe"]()
