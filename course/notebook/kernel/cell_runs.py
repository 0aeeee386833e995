"""Which cells were run: one that is run again takes the place of its earlier run."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

ALIKE = 0.8
"""From this ratio of equal words on, a cell is a changed copy of one that was run before."""
_WORD = re.compile(r"\w+|[^\w\s]")


@dataclass
class _Run:
    name: str
    words: list[str]
    lines: range
    has_trained: bool = False


class CellRuns:
    """The runs of cells, whose `lines` are those of the text of all cells."""

    def __init__(self) -> None:
        self._runs: list[_Run] = []
        self._replaced: set[int] = set()

    def begin(self, name: str, text: str, lines: range) -> bool:
        """Begin a cell; return whether a cell that has trained is run again.

        A frontend may not say which cell it is, and a mended one may stand in a cell of its own:
        then its words tell.
        """
        run = _Run(name, _WORD.findall(text), lines)
        again = [each for each in self._runs if each.name == name or _is_alike(each, run)]
        self._runs = [*(each for each in self._runs if each not in again), run]
        self._replaced.update(line for each in again for line in each.lines)
        return any(each.has_trained for each in again)

    def note_training(self) -> None:
        """Note that the cell that was begun last trains."""
        if self._runs:
            self._runs[-1].has_trained = True

    def current(self, ledger: Mapping[str, Any]) -> dict[str, Any]:
        """Leave out of a ledger the evaluations whose cells were run again since."""
        passes = [
            each
            for each in ledger["passes"]
            if each["reached"] or each["line"] not in self._replaced
        ]
        return {**ledger, "passes": passes}


def _is_alike(one: _Run, other: _Run) -> bool:
    matcher = SequenceMatcher(None, one.words, other.words, autojunk=False)
    return matcher.real_quick_ratio() >= ALIKE and matcher.ratio() >= ALIKE
