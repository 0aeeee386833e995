"""Reads a transcript in whatever state it is, and accounts for every line.

The lines of times are what a transcript is known by: they are found first, and all else is told
from where it stands between them. So blank lines, numbers and their order may be missing or wrong
without a word being lost: a word of the input is in a cue, or a finding quotes it.
"""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from course.errors import UserError
from course.i18n import N_, _, numbers
from course.subtitles.cue import Cue, Transcript
from course.subtitles.transcript import encoding, timing
from course.subtitles.transcript.diagnostic import ERROR, INFO, WARNING, Finding
from course.subtitles.transcript.timing import Timing

MOST_BYTES = 32 * 1024 * 1024
MOST_LINES = 1_000_000
MOST_CUES = 200_000
"""What a file may have: a day and night of talk is not a quarter of it."""

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


class Line(NamedTuple):
    """A line of the input, counted from 1: its text as it stands there, and its role.

    `cue` is the cue that it belongs to, counted from 1; None where it belongs to none.
    """

    number: int
    text: str
    role: str
    cue: int | None


@dataclass(frozen=True, slots=True)
class Reading:
    """A transcript as it was read: what it says, and what is worth saying about its file.

    `encoding` is Python's name of what it is written in, `form` is `srt`, `webvtt` or `sbv`.
    """

    transcript: Transcript
    encoding: str
    form: str
    lines: tuple[Line, ...]
    findings: tuple[Finding, ...]


def load(path: Path) -> Reading:
    """Read a file.

    Raises:
        UserError: it is no file, can't be read, is too large, is a binary, or has no cue. To say
            so takes far less than reading such a file would.

    """
    named = f"`{path}`"
    try:
        # A pipe is welcome, so its size is only known by reading: never more than it takes to
        # tell that it is too much.
        with path.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise UserError(_("There is no file {file}.").format(file=named)) from None
    except IsADirectoryError:
        raise UserError(_folder(named)) from None
    except (OSError, ValueError) as error:
        if path.is_dir():
            raise UserError(_folder(named)) from None
        reason = getattr(error, "strerror", None) or str(error)
        said = _("The file {file} can't be read: {reason}.")
        raise UserError(said.format(file=named, reason=reason)) from None
    if len(data) > MOST_BYTES:
        said = _("The file {file} is larger than {limit} MB: no transcript of a video is.")
        raise UserError(said.format(file=named, limit=MOST_BYTES // 1024 // 1024))
    if data.count(b"\n") + data.count(b"\r") > 2 * MOST_LINES:
        raise UserError(_too_long(named))
    if not data.strip():
        raise UserError(_("The file {file} is empty.").format(file=named))
    decoded = encoding.decode(data)
    lines = _split(decoded.text)
    if len(lines) > MOST_LINES:
        raise UserError(_too_long(named))
    times = sum(1 for _line in itertools.islice(filter(_has_times, lines), MOST_CUES + 1))
    if times > MOST_CUES:
        said = _("The file {file} has more than {limit} cues: no transcript of a video has.")
        raise UserError(said.format(file=named, limit=numbers.whole(MOST_CUES)))
    if times:
        return _read(decoded, lines)
    if _is_binary(data, decoded.text):
        said = _("The file {file} is no text: a transcript is a text file, such as SRT or WebVTT.")
        raise UserError(said.format(file=named))
    said = _("No line of {file} says from when to when a text is shown: it has no cue.")
    raise UserError(said.format(file=named))


def read(data: bytes) -> Reading:
    """Read the bytes of a transcript, which may be in any state; never fails.

    Without a line of times the transcript has no cue, and every line of text has a finding. Takes
    time and memory in proportion to the input, whatever it is.
    """
    decoded = encoding.decode(data)
    return _read(decoded, _split(decoded.text))


def _folder(named: str) -> str:
    return _("{file} is a folder: name the transcript in it.").format(file=named)


def _too_long(named: str) -> str:
    said = _("The file {file} has more than {limit} lines: no transcript of a video has.")
    return said.format(file=named, limit=numbers.whole(MOST_LINES))


def _has_times(line: str) -> bool:
    return (":" in line or "：" in line) and timing.holds_times(_clean(line))


_UNSEEN = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x9f\ufffd]")


def _is_binary(data: bytes, text: str) -> bool:
    """Whether hardly anybody would call this a text: one character in twenty is not to be seen."""
    sample = text[:65536]
    return b"\0" in data[:65536] or len(_UNSEEN.findall(sample)) * 20 > len(sample)


# -- lines ----------------------------------------------------------------------------------------

_LINE_END = re.compile(r"\r\n|\n|\r")
_DOUBLED_END = re.compile(r"\r\r\n|\r\n|\n|\r")
# What other programs take for the end of a line; and what no program shows.
_BREAK = re.compile(r"[\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ufeff]")
_EITHER = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufeff\u2028\u2029]")
_NUMBER = re.compile(r"[0-9]{1,9}")
_NOTE = re.compile(r"NOTE(?:[ \t]|$)")
_STYLE = re.compile(r"(?:STYLE|REGION)$")
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "nbsp": "\xa0", "quot": '"'}
_ENTITIES |= {"lrm": "\u200e", "rlm": "\u200f"}
_ENTITY = re.compile(rf"&({'|'.join(_ENTITIES)});")


def shown(line: str, form: str) -> str:
    """What a viewer sees of a line of a cue's text, in a file of this form."""
    text = _clean(line)
    return _unescaped(text) if form == WEBVTT else text


def _is_doubled(text: str) -> bool:
    """Whether lines end with CR CR LF, which a conversion done twice leaves: one end, not two."""
    return text.count("\r\r\n") * 2 > text.count("\n")


def _split(text: str) -> list[str]:
    lines = (_DOUBLED_END if _is_doubled(text) else _LINE_END).split(text)
    if not lines[-1]:
        lines.pop()
    return lines


def _clean(line: str) -> str:
    """A line without what no program shows, and without the space around it."""
    if line.isascii() and line.isprintable():
        return line.strip()
    return _CONTROL.sub("", _BREAK.sub(" ", line)).strip()


def _unescaped(text: str) -> str:
    """A line of WebVTT as its viewers see it, tags and all."""
    return _ENTITY.sub(lambda found: _ENTITIES[found.group(1)], text).strip()


class _Sheet:
    """The lines of one input while their roles are found out.

    `roles` and `owners` stand beside `texts`; `times` are where the lines of times stand. `cut`
    tells that the last line has no end.
    """

    def __init__(self, lines: list[str], *, cut: bool) -> None:
        self.cut = cut
        self.texts = [_clean(line) for line in lines]
        self.roles: list[str] = [TEXT if text else BLANK for text in self.texts]
        self.owners: list[int | None] = [None] * len(lines)
        self.form = SRT
        self.found: list[Finding] = []
        self.times: list[tuple[int, Timing]] = []

    def say(self, code: str, severity: str, at: int, template: str, **values: str | int) -> None:
        """Add a finding about the line at this place, and the cue that it belongs to."""
        cue = self.owners[at]
        if cue is not None:
            values["cue"] = cue
        self.found.append(Finding(at + 1, cue, code, severity, template, values))

    def blank(self, at: int) -> bool:
        """Whether nothing of a cue stands there: a blank line, or what is outside of all cues."""
        return at < 0 or self.roles[at] in (BLANK, HEADER, COMMENT)


def _read(decoded: encoding.Decoded, lines: list[str]) -> Reading:
    sheet = _Sheet(lines, cut=decoded.text[-1:] not in ("\n", "\r"))
    _find_blocks(sheet)
    _find_times(sheet)
    numbers = _find_numbers(sheet)
    cues = _gather(sheet, numbers)
    _count(sheet, cues)
    whole = [
        *_about_encoding(decoded),
        *_about_line_ends(decoded.text),
        *_about_characters(sheet, lines, decoded.encoding),
    ]
    findings = sorted([*whole, *sheet.found], key=lambda f: f.line or 0)
    return Reading(
        Transcript(cues),
        decoded.encoding,
        sheet.form,
        tuple(map(Line, range(1, len(lines) + 1), lines, sheet.roles, sheet.owners)),
        tuple(findings),
    )


# -- what stands outside of all cues --------------------------------------------------------------


def _find_blocks(sheet: _Sheet) -> None:
    """Find the header, the notes and the styles of a WebVTT file; other files have none."""
    if not sheet.texts or not re.match(r"WEBVTT(?:[ \t]|$)", sheet.texts[0]):
        return
    sheet.form = WEBVTT
    role, begun, started = HEADER, 0, False
    for at, text in enumerate(sheet.texts):
        fresh = at > 0 and not sheet.texts[at - 1]
        if not text or timing.parse(text):
            started = started or bool(text)
            if role:
                _close_block(sheet, role, begun, at)
            role = ""
        elif fresh and (_NOTE.match(text) or (not started and _STYLE.match(text))):
            role, begun = COMMENT, at
        if role:
            sheet.roles[at] = role
    if role:
        _close_block(sheet, role, begun, len(sheet.texts))


def _close_block(sheet: _Sheet, role: str, begun: int, end: int) -> None:
    words = " ".join(sheet.texts[begun:end])
    if role == COMMENT:
        said = N_("This note belongs to no cue: “{text}”.")
        sheet.say("comment", INFO, begun, said, text=words)
        return
    # A number right above the first times is that cue's, header or not.
    said = N_("The file is WebVTT, and begins with: “{text}”.")
    sheet.say("webvtt", INFO, begun, said, text=words)


def _find_times(sheet: _Sheet) -> None:
    for at, text in enumerate(sheet.texts):
        # Looking at the first character saves a call for nearly every line of text.
        if sheet.roles[at] != TEXT or text[0] not in "0123456789":
            continue
        parsed = timing.parse(text)
        if parsed is not None:
            sheet.roles[at] = TIME
            sheet.times.append((at, parsed))
    if sheet.form == SRT and sheet.times:
        ways = {way for _at, parsed in sheet.times for way in parsed.ways or ("",)}
        if ways == {timing.SBV}:
            sheet.form = SBV


# -- numbers --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A line of digits that stands last before a line of times: its number, or text?

    `touching`: nothing is between the two. `apart`: a blank line, or nothing, is above it.
    `alone`: the cue above has no other text.
    """

    at: int
    value: int
    touching: bool
    apart: bool
    alone: bool


def _find_numbers(sheet: _Sheet) -> list[int | None]:
    """Where the number of each cue stands, None for a cue without one."""
    candidates = [_candidate(sheet, k) for k in range(len(sheet.times))]
    numbers: list[int | None] = []
    before: int | None = None
    for k, candidate in enumerate(candidates):
        parsed = sheet.times[k][1]
        at = None
        value = parsed.number
        if value is None and candidate is not None:
            following = candidates[k + 1] if k + 1 < len(candidates) else None
            after = following.value if following else None
            if _is_number(candidate, before, after, first=k == 0):
                at, value = candidate.at, candidate.value
                sheet.roles[at] = NUMBER
        numbers.append(at)
        before = before if value is None else value
    _find_last_number(sheet, before)
    return numbers


def _candidate(sheet: _Sheet, k: int) -> _Candidate | None:
    time = sheet.times[k][0]
    top = sheet.times[k - 1][0] if k else -1
    at = time - 1
    while at > top and sheet.roles[at] == BLANK:
        at -= 1
    if at <= top or sheet.roles[at] not in (TEXT, HEADER):
        return None
    if not _NUMBER.fullmatch(sheet.texts[at]):
        return None
    above = at - 1
    while above > top and sheet.roles[above] == BLANK:
        above -= 1
    return _Candidate(
        at,
        int(sheet.texts[at]),
        touching=at == time - 1,
        apart=sheet.blank(at - 1),
        alone=above <= top and k > 0 and not sheet.times[k - 1][1].text,
    )


def _is_number(
    candidate: _Candidate, before: int | None, after: int | None, *, first: bool
) -> bool:
    """Whether a line of digits is a cue's number: by where it stands, and whether it fits.

    "2023" may be said in a video. It counts as text where the numbers around it go on without it,
    unless blank lines make it plain that it is meant as a number.
    """
    value = candidate.value
    if first:
        return candidate.touching or value in (0, 1)
    following = before is not None and value == before + 1
    leading = after is not None and after == value + 1
    if not candidate.touching:
        # A blank line is between it and the times. It is a number in a file that has blank lines
        # everywhere, or where the count goes on with it; and never all that a cue says.
        if candidate.alone and not candidate.apart:
            return False
        return following or (candidate.apart and leading)
    if candidate.apart and not candidate.alone:
        return True
    between = (
        before is not None
        and before < value
        and (value < after if after is not None else value < before + 100)
    )
    constant = before == value == after
    return following or leading or between or constant


def _find_last_number(sheet: _Sheet, before: int | None) -> None:
    """A number that no times follow: the file was cut off."""
    if not sheet.times or before is None:
        return
    last = sheet.times[-1][0]
    at = len(sheet.texts) - 1
    while at > last and sheet.roles[at] == BLANK:
        at -= 1
    if at <= last + 1 or not sheet.blank(at - 1) or not _NUMBER.fullmatch(sheet.texts[at]):
        return
    if int(sheet.texts[at]) == before + 1:
        sheet.roles[at] = NUMBER
        said = N_("The file ends after the number {number}: the cue itself is missing.")
        sheet.say("truncated-cue", ERROR, at, said, number=sheet.texts[at])


# -- cues -----------------------------------------------------------------------------------------


def _gather(sheet: _Sheet, numbers: list[int | None]) -> list[Cue]:
    """The cues, and what is wrong with the lines that they are made of."""
    tops = _tops(sheet, numbers)
    _read_title(sheet, tops[0] if tops else len(sheet.texts))
    cues = []
    for k, (at, parsed) in enumerate(sheet.times):
        end = tops[k + 1] if k + 1 < len(tops) else len(sheet.texts)
        for own in range(tops[k], end):
            # Notes belong to no cue, and neither does the number that a cut file ends with.
            if sheet.roles[own] not in (COMMENT, NUMBER) or own == tops[k]:
                sheet.owners[own] = k + 1
        counted = numbers[k]
        number = parsed.number if counted is None else int(sheet.texts[counted])
        lines = _read_text(sheet, at, parsed, end)
        _look_above(sheet, tops[k], at, first=k == 0)
        _look_at_times(sheet, at, parsed, lines)
        cues.append(Cue(number, parsed.start, parsed.end, "\n".join(lines), tops[k] + 1))
    return cues


def _tops(sheet: _Sheet, numbers: list[int | None]) -> list[int]:
    """Where each cue begins: at its number, its identifier in WebVTT, or else its times."""
    tops = []
    for (at, _parsed), number in zip(sheet.times, numbers, strict=True):
        above = at - 1
        named = (
            sheet.form == WEBVTT
            and number is None
            and above > 0
            and sheet.roles[above] == TEXT
            and sheet.blank(above - 1)
        )
        if named:
            sheet.roles[above] = IDENTIFIER
            number = above
        tops.append(at if number is None else number)
    return tops


def _read_title(sheet: _Sheet, end: int) -> None:
    """What stands before the first cue belongs to none."""
    begun: int | None = None
    for at in range(end + 1):
        if at < end and sheet.roles[at] == TEXT:
            sheet.roles[at] = TITLE
            begun = at if begun is None else begun
        elif begun is not None:
            said = (
                N_("This stands before the first cue and belongs to none: “{text}”.")
                if sheet.times
                else N_("This belongs to no cue: “{text}”.")
            )
            text = " ".join(sheet.texts[begun:at])
            sheet.say("text-outside-cues", ERROR, begun, said, text=text)
            begun = None


def _read_text(sheet: _Sheet, at: int, parsed: Timing, end: int) -> tuple[str, ...]:
    """The text of the cue whose times stand at `at`, and what is odd about its lines."""
    lines = []
    beside = _unescaped(parsed.text) if sheet.form == WEBVTT else parsed.text
    if beside:
        lines.append(beside)
    blank, parted = 0, False
    for place in range(at + 1, end):
        role = sheet.roles[place]
        if role == BLANK:
            blank = blank or place
        elif role == TEXT:
            if blank and not parted:
                parted = True
                said = N_("A blank line stands inside cue {cue}: its text goes on below.")
                sheet.say("blank-line-in-cue", ERROR, blank, said)
            text = sheet.texts[place]
            _look_at_text(sheet, place, text)
            text = _unescaped(text) if sheet.form == WEBVTT else text
            if text:
                lines.append(text)
    return tuple(lines)


def _look_at_text(sheet: _Sheet, at: int, text: str) -> None:
    if timing.looks_like(text):
        said = N_("The times in this line can't be read, so it stays text of cue {cue}: “{text}”.")
        sheet.say("unreadable-time", ERROR, at, said, text=text)
    elif "-->" in text:
        said = N_("The text of cue {cue} has an arrow, which players may take for times: “{text}”.")
        sheet.say("arrow-in-text", WARNING, at, said, text=text)
    if "<script" in text.lower():
        said = N_("The text of cue {cue} has a script tag, which stays text: “{text}”.")
        sheet.say("script-in-text", WARNING, at, said, text=text)


def _look_above(sheet: _Sheet, top: int, at: int, *, first: bool) -> None:
    """What is odd above a line of times."""
    if not first and not sheet.blank(top - 1):
        said = N_("There is no blank line before cue {cue}.")
        sheet.say("missing-blank-line", ERROR, top, said)
    if top < at:
        if at - top > 1:
            said = N_("A blank line stands between the number of cue {cue} and its times.")
            sheet.say("blank-line-in-cue", ERROR, top + 1, said)
        if sheet.roles[top] == IDENTIFIER:
            said = N_("Cue {cue} has the name “{text}”, which is not part of its text.")
            sheet.say("identifier", INFO, top, said, text=sheet.texts[top])


_WAYS = {
    timing.DOT: N_("The times of cue {cue} have a dot before the fraction, not a comma."),
    timing.HOURS: N_("The times of cue {cue} have hours of one digit."),
    timing.FRACTION: N_(
        "The times of cue {cue} have fractions of fewer than three digits, read as decimals: "
        "“{text}” is {times}."
    ),
    timing.SBV: N_("The times of cue {cue} are written as in SBV files, without an arrow."),
    timing.ODD: N_("The times of cue {cue} are written in an unusual way: “{text}” is {times}."),
}
_OWN_WAYS = {
    SRT: (),
    WEBVTT: (timing.DOT, timing.ODD, timing.HOURS),
    SBV: (timing.SBV,),
}
"""What is unusual in SRT but not in the form that the whole file has."""


def _look_at_times(sheet: _Sheet, at: int, parsed: Timing, lines: tuple[str, ...]) -> None:
    text = sheet.texts[at]
    for way in parsed.ways:
        if way not in _OWN_WAYS[sheet.form]:
            times = f"`{timing.written(parsed.start, parsed.end)}`"
            sheet.say(way, ERROR, at, _WAYS[way], text=text, times=times)
    if parsed.broken is not None:
        said = N_(
            "The end of cue {cue} can't be read, so it ends as it begins, and is never shown: "
            "“{text}”."
        )
        sheet.say("unreadable-time", ERROR, at, said, text=text)
    if parsed.number is not None:
        said = N_("The number {number} of cue {cue} stands on the line of its times.")
        sheet.say("number-beside-times", ERROR, at, said, number=parsed.number)
    if parsed.text:
        said = N_("Text of cue {cue} stands on the line of its times: “{text}”.")
        sheet.say("text-beside-times", ERROR, at, said, text=parsed.text)
    if parsed.settings:
        said = N_("Cue {cue} has settings for its place on the screen: “{text}”.")
        sheet.say("cue-settings", INFO, at, said, text=parsed.settings)
    if not lines:
        if sheet.cut and at == len(sheet.texts) - 1:
            said = N_("The file ends after the times of cue {cue}: its text is missing.")
            sheet.say("truncated-cue", ERROR, at, said)
        else:
            sheet.say("empty-cue", WARNING, at, N_("Cue {cue} has no text."))


def _count(sheet: _Sheet, cues: list[Cue]) -> None:
    """What is odd about the numbers; nothing where the file has none."""
    if all(cue.index is None for cue in cues):
        if sheet.form == SRT and cues:
            said = N_("The cues have no numbers.")
            sheet.found.append(Finding(None, None, "no-numbers", INFO, said))
        return
    before: int | None = None
    for cue in cues:
        at = cue.line - 1
        number = cue.index
        if number is None:
            if sheet.form == SRT:
                sheet.say("number-missing", INFO, at, N_("Cue {cue} has no number."))
            continue
        values = {"number": number, "before": before or 0}
        if before is None:
            if number > 1:
                said = N_("The numbers begin with {number}.")
                sheet.say("number-gap", INFO, at, said, **values)
        elif number == before:
            said = N_("The number {number} comes twice in a row.")
            sheet.say("number-repeated", INFO, at, said, **values)
        elif number < before:
            said = N_("The number {number} comes after {before}.")
            sheet.say("number-backwards", INFO, at, said, **values)
        elif number > before + 1:
            said = N_("The numbers leap from {before} to {number}.")
            sheet.say("number-gap", INFO, at, said, **values)
        before = number


# -- the file as a whole --------------------------------------------------------------------------


def _about_encoding(decoded: encoding.Decoded) -> Iterator[Finding]:
    values = {"encoding": f"`{decoded.encoding}`"}
    if decoded.guessed:
        said = N_("Nothing says what the file is written in; by its letters it is {encoding}.")
        yield Finding(None, None, "encoding-guessed", INFO, said, values)
    elif decoded.encoding != "utf-8":
        said = N_("The file is written in {encoding}, not in UTF-8.")
        yield Finding(None, None, "encoding", INFO, said, values)
    if decoded.marked:
        said = N_("The file begins with a byte order mark.")
        yield Finding(None, None, "byte-order-mark", INFO, said)


def _about_line_ends(text: str) -> Iterator[Finding]:
    twice = text.count("\r\r\n") if _is_doubled(text) else 0
    both = text.count("\r\n") - twice
    ends = {
        "LF": text.count("\n") - both - twice,
        "CR LF": both,
        "CR": text.count("\r") - both - 2 * twice,
        "CR CR LF": twice,
    }
    there = [name for name, count in ends.items() if count]
    if len(there) > 1:
        said = N_("The lines end in different ways: {ends}.")
        values: dict[str, str | int] = {"ends": " / ".join(f"`{name}`" for name in there)}
        yield Finding(None, None, "line-endings", INFO, said, values)
    elif there and there != ["LF"]:
        said = N_("The lines end with {ends}.")
        yield Finding(None, None, "line-endings", INFO, said, {"ends": f"`{there[0]}`"})
    if text and text[-1] not in "\r\n":
        said = N_("The last line has no line end.")
        yield Finding(None, None, "no-final-newline", INFO, said)


def _about_characters(sheet: _Sheet, lines: list[str], name: str) -> Iterator[Finding]:
    for at, line in enumerate(lines):
        if line.isascii() and line.isprintable():
            continue
        cue = sheet.owners[at]
        control = sorted(set(_EITHER.findall(line)))
        if control:
            said = N_("This line has control characters, which are taken out: {characters}.")
            codes = ", ".join(f"`U+{ord(c):04X}`" for c in control)
            values: dict[str, str | int] = {"characters": codes}
            yield Finding(at + 1, cue, "control-characters", WARNING, said, values)
        if "\ufffd" in line:
            said = N_(
                "This line has bytes that are no characters in {encoding}; “{mark}” stands for "
                "them."
            )
            values = {"encoding": f"`{name}`", "mark": "\ufffd"}
            yield Finding(at + 1, cue, "lost-characters", ERROR, said, values)
