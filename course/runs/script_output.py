"""What a script printed, and what libraries warned of meanwhile: from the events of its run."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

ENDS = 200
"""Lines that are kept from the beginning, and as many from the end."""

WARNINGS = 100
"""Different warnings that are kept."""


@dataclass(frozen=True)
class PrintedLine:
    """A line of the script's own; `line` is the one of the script that printed it, if known."""

    text: str
    line: int | None = None
    stream: str = "stdout"


@dataclass(frozen=True)
class LibraryWarning:
    """What a library warned of, so many times; `category` is a class, or the level of a logger."""

    category: str
    message: str
    module: str
    count: int = 1


@dataclass(frozen=True)
class ScriptOutput:
    """The script's own lines, from the beginning and from the end, and the warnings.

    `omitted` lines are missing between `first` and `last`. `file` holds all that the process
    printed, the bars and the words of libraries too; None where it was not kept.
    """

    first: tuple[PrintedLine, ...] = ()
    last: tuple[PrintedLine, ...] = ()
    omitted: int = 0
    warnings: tuple[LibraryWarning, ...] = ()
    file: str | None = None

    @property
    def lines(self) -> tuple[PrintedLine, ...]:
        """All lines that are known; `omitted` ones are missing after the first of them."""
        return self.first + self.last

    def heard(self, event: Mapping[str, Any]) -> "ScriptOutput":
        """Return the output after one more event; the same after an event of another kind.

        Raises:
            one of `UNREADABLE` (record.py), where the event is not of its form.

        """
        if event["event"] == "output":
            return self._printed(event)
        if event["event"] == "warning":
            return self._warned(event)
        return self

    def kept(self, file: str) -> "ScriptOutput":
        """Return the output, all of which is in a file."""
        return replace(self, file=file)

    def _printed(self, event: Mapping[str, Any]) -> "ScriptOutput":
        found = tuple(
            PrintedLine(
                str(line["text"]),
                None if line["line"] is None else int(line["line"]),
                "stderr" if line["stream"] == "stderr" else "stdout",
            )
            for line in event["lines"]
        )
        omitted = max(0, int(event["omitted"]))
        # Once some are missing, what follows belongs to the end.
        room = 0 if self.last or self.omitted or omitted else ENDS - len(self.first)
        last = self.last + found[room:]
        return replace(
            self,
            first=self.first + found[:room],
            last=last[-ENDS:],
            omitted=self.omitted + omitted + max(0, len(last) - ENDS),
        )

    def _warned(self, event: Mapping[str, Any]) -> "ScriptOutput":
        found = LibraryWarning(
            str(event["category"]),
            str(event["message"]),
            str(event["module"]),
            max(1, int(event["count"])),
        )
        known = {(w.category, w.message, w.module): w for w in self.warnings}
        known[found.category, found.message, found.module] = found
        return replace(self, warnings=tuple(known.values())[:WARNINGS])


NOTHING = ScriptOutput()
