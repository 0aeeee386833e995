"""Two texts side by side: rows of lines that are the same, changed, new or gone.

What is the same and far from any change, or from a line with a note, is folded. A submission is a
hostile text: it is cut where it is too long, and signs that would turn it around or hide in it
are shown by their numbers.
"""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

MOST_LINES = 2_000
LONGEST_LINE = 500
AROUND = 2
"""So many lines that are the same are shown before and after a change."""
WORTH_FOLDING = 4
"""So many lines, or more, are folded."""
ALIKE = 0.5
"""From this ratio on it is told what has changed within a line."""

_HIDDEN = re.compile("[\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]")
_WORD = re.compile(r"\w+|\s+|[^\w\s]")

RowKind = Literal["same", "changed", "added", "gone"]
LinePart = tuple[str, bool]
"""A part of a line, and whether it is one that differs."""
LineNotes = Mapping[int, Sequence[str]]
"""What is said at lines, which are counted from 1."""


@dataclass(frozen=True)
class CodeLine:
    """A line of one of the texts, with its number from 1."""

    number: int
    pieces: tuple[LinePart, ...]

    @property
    def text(self) -> str:
        """The whole line."""
        return "".join(text for text, _differs in self.pieces)


@dataclass(frozen=True)
class CodeRow:
    """Lines that stand beside each other, and what is said of them below."""

    kind: RowKind
    old: CodeLine | None
    new: CodeLine | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class CodeHunk:
    """Rows in a row; `folded` ones are all the same on both sides."""

    rows: tuple[CodeRow, ...]
    folded: bool


def hunks(
    old: Sequence[str], new: Sequence[str], at_old: LineNotes, at_new: LineNotes
) -> tuple[CodeHunk, ...]:
    """Lay two texts beside each other, with notes at the lines of each."""
    rows = [
        CodeRow(row.kind, row.old, row.new, (*_said(row.old, at_old), *_said(row.new, at_new)))
        for row in _rows(old, new[:MOST_LINES])
    ]
    shown = [False] * len(rows)
    for number, row in enumerate(rows):
        if row.kind != "same" or row.notes:
            near = slice(max(0, number - AROUND), number + AROUND + 1)
            shown[near] = [True] * len(shown[near])
    return tuple(_folded(rows, shown))


def _folded(rows: Sequence[CodeRow], shown: list[bool]) -> Iterator[CodeHunk]:
    """Rows that are shown and rows that are not, in turns."""
    held: list[CodeRow] = []
    turns = iter(shown)
    for is_shown, run in itertools.groupby(rows, key=lambda _row: next(turns)):
        some = tuple(run)
        if is_shown or len(some) < WORTH_FOLDING:
            held += some
        else:
            if held:
                yield CodeHunk(tuple(held), folded=False)
            held = []
            yield CodeHunk(some, folded=True)
    if held:
        yield CodeHunk(tuple(held), folded=False)


def _said(line: CodeLine | None, notes: LineNotes) -> Sequence[str]:
    return notes.get(line.number, ()) if line else ()


def _rows(old: Sequence[str], new: Sequence[str]) -> Iterator[CodeRow]:
    # The ends of lines have been seen to; blanks at the end of one are no change.
    left, right = ([line.rstrip() for line in lines] for lines in (old, new))
    for kind, a, b, c, d in SequenceMatcher(None, left, right, False).get_opcodes():
        if kind == "equal":
            for n in range(b - a):
                yield CodeRow("same", _line(left, a + n), _line(right, c + n))
            continue
        for n in range(max(b - a, d - c)):
            before = _line(left, a + n) if a + n < b else None
            after = _line(right, c + n) if c + n < d else None
            if before and after:
                yield _changed(before, after)
            else:
                yield CodeRow("gone" if before else "added", before, after)


def _line(lines: Sequence[str], index: int) -> CodeLine:
    text = _HIDDEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", lines[index][:LONGEST_LINE])
    return CodeLine(index + 1, ((text + ("…" if len(lines[index]) > LONGEST_LINE else ""), False),))


def _changed(before: CodeLine, after: CodeLine) -> CodeRow:
    """Mark what differs between two lines, where they are alike."""
    words: list[list[str]] = [_WORD.findall(line.text) for line in (before, after)]
    matcher = SequenceMatcher(None, words[0], words[1], autojunk=False)
    if matcher.ratio() < ALIKE:
        return CodeRow("changed", before, after)
    left: list[LinePart] = []
    right: list[LinePart] = []
    for kind, a, b, c, d in matcher.get_opcodes():
        for side, (start, end), found in ((left, (a, b), words[0]), (right, (c, d), words[1])):
            if start < end:
                side.append(("".join(found[start:end]), kind != "equal"))
    return CodeRow(
        "changed", CodeLine(before.number, tuple(left)), CodeLine(after.number, tuple(right))
    )
