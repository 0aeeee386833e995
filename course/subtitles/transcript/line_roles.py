"""The lines of a transcript in whatever state, and the role of each.

The lines of times are what a transcript is known by: they are found first, and all else is told
from where it stands between them.
"""

import re
from typing import NamedTuple

from course.base.i18n import N_
from course.subtitles.transcript import timing
from course.subtitles.transcript.diagnostic import ERROR, INFO, Diagnostic
from course.subtitles.transcript.timing import Timing

SRT = "srt"
WEBVTT = "webvtt"
SBV = "sbv"

NUMBER = "number"
TIME = "time"
TEXT = "text"
BLANK = "blank"
TITLE = "title"
HEADER = "header"
COMMENT = "comment"
IDENTIFIER = "identifier"
"""Roles of a line. A title stands before the first cue, an identifier in a number's place."""

CUT = N_("The file ends after “{text}”. The rest of the cue is missing.")


class Line(NamedTuple):
    """A line of the input, counted from 1: its text as it stands there, and its role.

    `cue` is the cue that it belongs to, counted from 1; None where it belongs to none.
    """

    number: int
    text: str
    role: str
    cue: int | None


_LINE_END = re.compile(r"\r\n|\n|\r")
_DOUBLED_END = re.compile(r"\r\r\n|\r\n|\n|\r")
# What other programs take for the end of a line; and what no program shows.
BREAK = re.compile(r"[\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")
CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ufeff]")
_NUMBER = re.compile(r"[0-9]{1,9}")
_NOTE = re.compile(r"NOTE(?:[ \t]|$)")
_STYLE = re.compile(r"(?:STYLE|REGION)$")
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "nbsp": "\xa0", "quot": '"'}
_ENTITIES |= {"lrm": "\u200e", "rlm": "\u200f"}
_ENTITY = re.compile(rf"&({'|'.join(_ENTITIES)});")


def has_doubled_ends(text: str) -> bool:
    """Whether lines end with CR CR LF, which a conversion done twice leaves: one end, not two."""
    return text.count("\r\r\n") * 2 > text.count("\n")


def split_lines(text: str) -> list[str]:
    """Return the lines of a text without their ends, be they one of the three or CR CR LF."""
    lines = (_DOUBLED_END if has_doubled_ends(text) else _LINE_END).split(text)
    if not lines[-1]:
        lines.pop()
    return lines


def clean(line: str) -> str:
    """Return a line without invisible characters, and without the space around it."""
    if line.isascii() and line.isprintable():
        return line.strip()
    return CONTROL.sub("", BREAK.sub(" ", line)).strip()


def unescape(text: str) -> str:
    """Return a line of WebVTT as its viewers see it, tags and all."""
    return _ENTITY.sub(lambda found: _ENTITIES[found.group(1)], text).strip()


class LineTable:
    """The lines of one input, with what is found out about each: its role and its cue.

    `texts`, `roles` and `owners` (the cue, counted from 1) are parallel lists. `times` holds the
    index and the content of each line of times. `cut` tells that the last line has no end.
    """

    def __init__(self, lines: list[str], *, cut: bool) -> None:
        self.cut = cut
        self.texts = [clean(line) for line in lines]
        self.roles: list[str] = [TEXT if text else BLANK for text in self.texts]
        self.owners: list[int | None] = [None] * len(lines)
        self.form = SRT
        self.diagnostics: list[Diagnostic] = []
        self.times: list[tuple[int, Timing]] = []

    def report(self, code: str, severity: str, at: int, template: str, **values: str | int) -> None:
        """Add a diagnostic about the line at this place, and the cue that it belongs to."""
        cue = self.owners[at]
        if cue is not None:
            values["cue"] = cue
        self.diagnostics.append(Diagnostic(at + 1, cue, code, severity, template, values))

    def is_gap(self, at: int) -> bool:
        """Whether nothing of a cue stands there: a blank line, or what is outside of all cues."""
        return at < 0 or self.roles[at] in (BLANK, HEADER, COMMENT)

    def last_before(self, end: int, top: int) -> int:
        """Return the last line above `end` that is not blank; `top` where none is below it."""
        return next((at for at in range(end - 1, top, -1) if self.roles[at] != BLANK), top)


def assign_roles(table: LineTable) -> list[int | None]:
    """Find the role of every line but a title's and an identifier's, which cues tell.

    Returns, for each line of times, where its number stands; None for a cue without one.
    """
    _find_blocks(table)
    _find_times(table)
    return _find_numbers(table)


_BLOCKS = {
    COMMENT: ("comment", N_("This text belongs to no cue: “{text}”.")),
    # A number right above the first times is that cue's, header or not.
    HEADER: ("webvtt", N_("The file is WebVTT, and begins with: “{text}”.")),
}


def _find_blocks(table: LineTable) -> None:
    """Find the header, the notes and the styles of a WebVTT file; other files have none."""
    if not table.texts or not re.match(r"WEBVTT(?:[ \t]|$)", table.texts[0]):
        return
    table.form = WEBVTT
    role, begun, started = HEADER, 0, False
    for at, text in enumerate([*table.texts, ""]):
        fresh = at > 0 and not table.texts[at - 1]
        if not text or timing.parse(text):
            started = started or bool(text)
            if role:
                code, template = _BLOCKS[role]
                words = " ".join(table.texts[begun:at])
                table.report(code, INFO, begun, template, text=words)
            role = ""
        elif fresh and (_NOTE.match(text) or (not started and _STYLE.match(text))):
            role, begun = COMMENT, at
        if role:
            table.roles[at] = role


def _find_times(table: LineTable) -> None:
    for at, text in enumerate(table.texts):
        # Looking at the first character saves a call for nearly every line of text.
        if table.roles[at] != TEXT or text[0] not in "0123456789":
            continue
        parsed = timing.parse(text)
        if parsed is not None:
            table.roles[at] = TIME
            table.times.append((at, parsed))
    if table.form == SRT and table.times:
        ways = {way for _at, parsed in table.times for way in parsed.ways or ("",)}
        if ways == {timing.SBV}:
            table.form = SBV


def _find_numbers(table: LineTable) -> list[int | None]:
    """Where the number of each cue stands, None for a cue without one."""
    candidates = [_candidate(table, k) for k in range(len(table.times))]
    numbers: list[int | None] = []
    before: int | None = None
    for k, (at, (_time, parsed)) in enumerate(zip(candidates, table.times, strict=True)):
        value = parsed.number
        number = None
        if value is None and at is not None:
            following = candidates[k + 1] if k + 1 < len(candidates) else None
            after = None if following is None else int(table.texts[following])
            if _is_number(table, k, at, before, after):
                number, value = at, int(table.texts[at])
                table.roles[at] = NUMBER
        numbers.append(number)
        before = before if value is None else value
    _find_last_number(table, before)
    return numbers


def _candidate(table: LineTable, k: int) -> int | None:
    """Where a line of digits stands that is the last before a line of times: number, or text?"""
    top = table.times[k - 1][0] if k else -1
    at = table.last_before(table.times[k][0], top)
    if at <= top or table.roles[at] not in (TEXT, HEADER) or not _NUMBER.fullmatch(table.texts[at]):
        return None
    return at


def _is_number(table: LineTable, k: int, at: int, before: int | None, after: int | None) -> bool:
    """Whether a line of digits is a cue's number: by where it stands, and whether it fits.

    "2023" may be said in a video. It counts as text where the numbers around it go on without it,
    unless blank lines make it plain that it is meant as a number.
    """
    value = int(table.texts[at])
    touching = at == table.times[k][0] - 1
    if k == 0:
        return touching or value in (0, 1)
    above, said = table.times[k - 1]
    # Whether a blank line is above it, and whether the cue above has no other text.
    apart = table.is_gap(at - 1)
    alone = table.last_before(at, above) == above and not said.text
    following = before is not None and value == before + 1
    leading = after is not None and after == value + 1
    if not touching:
        # A blank line is between it and the times. It is a number in a file that has blank lines
        # everywhere, or where the count goes on with it; and never all that a cue says.
        if alone and not apart:
            return False
        return following or (apart and leading)
    if apart and not alone:
        return True
    between = (
        before is not None
        and before < value
        and (value < after if after is not None else value < before + 100)
    )
    constant = before == value == after
    return following or leading or between or constant


def _find_last_number(table: LineTable, before: int | None) -> None:
    """Report a number that no times follow: the file was cut off."""
    if not table.times or before is None:
        return
    last = table.times[-1][0]
    at = table.last_before(len(table.texts), last)
    if at <= last + 1 or not table.is_gap(at - 1) or not _NUMBER.fullmatch(table.texts[at]):
        return
    if int(table.texts[at]) == before + 1:
        table.roles[at] = NUMBER
        table.report("truncated-cue", ERROR, at, CUT, text=table.texts[at])
