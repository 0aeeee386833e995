"""What a repair changes, as a unified diff.

Which line became which is known from the roles that reading gave them, so nothing has to be
compared with everything else: time grows with the lines, where `difflib` takes their square.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from course.subtitles.cue import Cue
from course.subtitles.transcript import line_roles, timing
from course.subtitles.transcript.line_roles import Line
from course.subtitles.transcript.parser import ParsedTranscript

KEPT, GONE, ADDED = " ", "-", "+"
CONTEXT = 2
"""Lines shown above and below a change."""


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line of the old text, the new or both: `sign` is as in a unified diff."""

    sign: str
    text: str


def changes(read: ParsedTranscript) -> Iterator[DiffLine]:
    """Every line of the input and of its canonical text, in their order."""
    at = 0
    while at < len(read.lines) and read.lines[at].cue is None:
        yield DiffLine(GONE, read.lines[at].text)
        at += 1
    for index, cue in enumerate(read.transcript, 1):
        begun = at
        while at < len(read.lines) and read.lines[at].cue in (None, index):
            at += 1
        last = index == len(read.transcript)
        yield from _cue_changes(read, read.lines[begun:at], index, cue, last=last)


def diff(read: ParsedTranscript, name: str) -> Iterator[str]:
    """The lines of a unified diff from the input to its canonical text; none if they are equal."""
    hunk: list[DiffLine] = []
    quiet = 0
    old = new = 1
    began = (1, 1)
    headed = False
    for change in changes(read):
        changed = change.sign != KEPT
        if not hunk:
            began = (old, new)
        hunk.append(change)
        quiet = 0 if changed else quiet + 1
        old += change.sign != ADDED
        new += change.sign != GONE
        if quiet == len(hunk):
            # No change yet: keep only what may stand above one.
            surplus = max(0, len(hunk) - CONTEXT)
            del hunk[:surplus]
            began = (began[0] + surplus, began[1] + surplus)
            quiet = len(hunk)
        elif quiet > 2 * CONTEXT:
            tail = hunk[-CONTEXT:]
            yield from _hunk(hunk[: len(hunk) - quiet + CONTEXT], began, name, headed=headed)
            headed = True
            hunk, quiet = tail, len(tail)
            began = (old - len(tail), new - len(tail))
    if any(change.sign != KEPT for change in hunk):
        surplus = max(0, quiet - CONTEXT)
        yield from _hunk(hunk[: len(hunk) - surplus], began, name, headed=headed)


def _hunk(
    hunk: list[DiffLine], began: tuple[int, int], name: str, *, headed: bool
) -> Iterator[str]:
    if not headed:
        yield f"--- {name}"
        yield f"+++ {name}"
    old = sum(change.sign != ADDED for change in hunk)
    new = sum(change.sign != GONE for change in hunk)
    # A side without lines is said to begin after the line above.
    first, second = began[0] - (not old), began[1] - (not new)
    yield f"@@ -{first},{old} +{second},{new} @@"
    for change in hunk:
        yield change.sign + change.text


def _cue_changes(
    read: ParsedTranscript, lines: tuple[Line, ...], index: int, cue: Cue, *, last: bool
) -> Iterator[DiffLine]:
    """The old lines of one cue against number, times, text and the blank line that ends it."""
    numbered = timed = False
    texts = list(cue.lines)
    pending: list[Line] = []
    for line in lines:
        if line.role == line_roles.TIME:
            if not numbered:
                yield DiffLine(ADDED, str(index))
            timed = True
            for other in pending:
                yield DiffLine(GONE, other.text)
            pending = []
            yield from _replaced(line.text, timing.format_times(cue.start, cue.end))
            if _beside(read, line, texts):
                yield DiffLine(ADDED, texts.pop(0))
        elif line.role in (line_roles.NUMBER, line_roles.IDENTIFIER) and not timed:
            numbered = True
            yield from _replaced(line.text, str(index))
        elif line.role == line_roles.TEXT and texts and _same(read, line, texts[0]):
            for other in pending:
                yield DiffLine(GONE, other.text)
            pending = []
            yield from _replaced(line.text, texts.pop(0))
        else:
            pending.append(line)
    ended = last
    for other in pending:
        if not ended and other.role == line_roles.BLANK:
            ended = True
            yield from _replaced(other.text, "")
        else:
            yield DiffLine(GONE, other.text)
    if not ended:
        yield DiffLine(ADDED, "")


def _beside(read: ParsedTranscript, line: Line, texts: list[str]) -> bool:
    """Whether the cue's first text stands on the line of its times."""
    # Times are looked for in the line as it is written: `--&gt;` is an arrow there.
    parsed = timing.parse(line_roles.visible_text(line.text, line_roles.SRT))
    return parsed is not None and texts[:1] == [line_roles.visible_text(parsed.text, read.form)]


def _same(read: ParsedTranscript, line: Line, text: str) -> bool:
    return line_roles.visible_text(line.text, read.form) == text


def _replaced(old: str, new: str) -> Iterator[DiffLine]:
    if old == new:
        yield DiffLine(KEPT, new)
    else:
        yield DiffLine(GONE, old)
        yield DiffLine(ADDED, new)
