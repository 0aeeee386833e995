"""A box in which nothing runs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from course.runs.sandbox.bubblewrap import Done, JobMailbox

Run = Callable[[int, Callable[..., None], JobMailbox], Done]


class FakeBox:
    """A box in which a run is whatever a test says: it is told its number, from 1."""

    def __init__(self, place: Path, run: Run) -> None:
        self._desk = JobMailbox(place)
        self._run = run
        self.scripts: list[tuple[bytes, str]] = []
        self.given: list[dict[str, Any]] = []

    def run(
        self, script: bytes, name: str, limits: Any, heard: Callable[..., None], **given: Any
    ) -> Done:
        self.scripts.append((script, name))
        self.given.append({"limits": limits, **given})
        return self._run(len(self.scripts), heard, self._desk)
