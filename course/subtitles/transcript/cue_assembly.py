"""The cues that the lines of a transcript make up, and what is wrong with those lines."""

from itertools import groupby

from course.base.i18n import N_
from course.subtitles.cue import Cue
from course.subtitles.transcript import timing
from course.subtitles.transcript.diagnostic import ERROR, INFO, WARNING, Diagnostic
from course.subtitles.transcript.line_roles import (
    BLANK,
    COMMENT,
    CUT,
    IDENTIFIER,
    NUMBER,
    SBV,
    SRT,
    TEXT,
    TITLE,
    WEBVTT,
    LineTable,
    unescape,
)
from course.subtitles.transcript.timing import Timing

UNNUMBERED = N_("Not every cue has a number. Some players do not accept such a file.")


def assemble_cues(table: LineTable, numbers: list[int | None]) -> list[Cue]:
    """Make the cues, one for each line of times, and report what is wrong with their lines.

    `numbers` has the index of each cue's number among the lines, as `assign_roles` returns it. Sets
    the cue of every line, and the roles of titles and of identifiers in WebVTT.
    """
    beginnings = _find_beginnings(table, numbers)
    _read_title(table, beginnings[0] if beginnings else len(table.texts))
    cues = []
    for k, (at, parsed) in enumerate(table.times):
        end = beginnings[k + 1] if k + 1 < len(beginnings) else len(table.texts)
        for own in range(beginnings[k], end):
            # Notes belong to no cue, and neither does the number that a cut file ends with.
            if table.roles[own] not in (COMMENT, NUMBER) or own == beginnings[k]:
                table.owners[own] = k + 1
        counted = numbers[k]
        number = parsed.number if counted is None else int(table.texts[counted])
        lines = _read_text(table, at, parsed, end)
        _check_above(table, beginnings[k], at, first=k == 0)
        _check_times(table, at, parsed, lines)
        cues.append(Cue(number, parsed.start, parsed.end, "\n".join(lines), beginnings[k] + 1))
    _check_numbers(table, cues)
    return cues


def _find_beginnings(table: LineTable, numbers: list[int | None]) -> list[int]:
    """Where each cue begins: at its number, its identifier in WebVTT, or else its times."""
    beginnings = []
    for (at, _parsed), number in zip(table.times, numbers, strict=True):
        above = at - 1
        named = (
            table.form == WEBVTT
            and number is None
            and above > 0
            and table.roles[above] == TEXT
            and table.is_gap(above - 1)
        )
        if named:
            table.roles[above] = IDENTIFIER
            number = above
        beginnings.append(at if number is None else number)
    return beginnings


def _read_title(table: LineTable, end: int) -> None:
    """Report text before the first cue: it belongs to none."""
    for role, group in groupby(range(end), key=table.roles.__getitem__):
        if role == TEXT:
            lines = list(group)
            template = N_("This text belongs to no cue: “{text}”.")
            text = " ".join(table.texts[at] for at in lines)
            table.report("text-outside-cues", ERROR, lines[0], template, text=text)
            for at in lines:
                table.roles[at] = TITLE


def _read_text(table: LineTable, at: int, parsed: Timing, end: int) -> tuple[str, ...]:
    """Read the text of the cue whose times stand at `at`, and report oddities in its lines."""
    lines = []
    beside = unescape(parsed.text) if table.form == WEBVTT else parsed.text
    if beside:
        lines.append(beside)
    blank, split = 0, False
    for place in range(at + 1, end):
        role = table.roles[place]
        if role == BLANK:
            blank = blank or place
        elif role == TEXT:
            if blank and not split:
                split = True
                template = N_("There is a blank line inside cue {cue}.")
                table.report("blank-line-in-cue", ERROR, blank, template)
            text = table.texts[place]
            _check_text(table, place, text)
            text = unescape(text) if table.form == WEBVTT else text
            if text:
                lines.append(text)
    return tuple(lines)


def _check_text(table: LineTable, at: int, text: str) -> None:
    if timing.looks_like(text):
        template = N_(
            "This line should contain the times of a cue, but they cannot be read. So it counts as "
            "text of cue {cue}: “{text}”."
        )
        table.report("unreadable-time", ERROR, at, template, text=text)
    elif "-->" in text:
        template = N_(
            "The text of cue {cue} has an arrow. Video players may read this text as start and end "
            "times: “{text}”."
        )
        table.report("arrow-in-text", WARNING, at, template, text=text)
    if "<script" in text.lower():
        template = N_("The text of cue {cue} has a script tag. It is treated as text: “{text}”.")
        table.report("script-in-text", WARNING, at, template, text=text)


def _check_above(table: LineTable, top: int, at: int, *, first: bool) -> None:
    """Report oddities above a line of times."""
    if not first and not table.is_gap(top - 1):
        template = N_("There is no blank line before cue {cue}.")
        table.report("missing-blank-line", ERROR, top, template)
    if top < at:
        if at - top > 1:
            template = N_("There is a blank line inside cue {cue}.")
            table.report("blank-line-in-cue", ERROR, top + 1, template)
        if table.roles[top] == IDENTIFIER:
            template = N_("Cue {cue} has the name “{text}”. The name is not part of the text.")
            table.report("identifier", INFO, top, template, text=table.texts[top])


_OTHER_TIMES = N_("The times of cue {cue} are not in SRT format: “{text}” must be {times}.")
_EXPECTED_FORMS = {SRT: (), WEBVTT: (timing.DOT, timing.ODD, timing.HOURS), SBV: (timing.SBV,)}
"""What is unusual in SRT but not in the form that the whole file has."""


def _check_times(table: LineTable, at: int, parsed: Timing, lines: tuple[str, ...]) -> None:
    text = table.texts[at]
    for way in parsed.ways:
        if way not in _EXPECTED_FORMS[table.form]:
            times = f"`{timing.format_times(parsed.start, parsed.end)}`"
            table.report(way, ERROR, at, _OTHER_TIMES, text=text, times=times)
    if parsed.broken is not None:
        template = N_(
            "The end time of cue {cue} cannot be read: “{text}”. So it is set to the start time, "
            "and the cue is never shown."
        )
        table.report("unreadable-time", ERROR, at, template, text=text)
    template = N_("On the line with the times of cue {cue}, there is also: “{text}”.")
    if parsed.number is not None:
        table.report("number-beside-times", ERROR, at, template, text=parsed.number)
    if parsed.text:
        table.report("text-beside-times", ERROR, at, template, text=parsed.text)
    if parsed.settings:
        template = N_("Cue {cue} has settings for its position on the screen: “{text}”.")
        table.report("cue-settings", INFO, at, template, text=parsed.settings)
    if not lines:
        if table.cut and at == len(table.texts) - 1:
            table.report("truncated-cue", ERROR, at, CUT, text=table.texts[at].strip())
        else:
            table.report("empty-cue", WARNING, at, N_("Cue {cue} has no text."))


def _check_numbers(table: LineTable, cues: list[Cue]) -> None:
    """Report oddities of the numbers; nothing where the file has none."""
    if all(cue.index is None for cue in cues):
        if table.form == SRT and cues:
            table.diagnostics.append(Diagnostic(None, None, "no-numbers", ERROR, UNNUMBERED))
        return
    before: int | None = None
    for cue in cues:
        at = cue.line - 1
        number = cue.index
        if number is None:
            if table.form == SRT:
                table.report("number-missing", ERROR, at, UNNUMBERED)
            continue
        if before is None:
            template = N_("The cue numbers begin with {number}.")
            code = "number-gap" if number > 1 else ""
        else:
            template = N_("The cue number {number} comes after {before}.")
            backwards = "number-repeated" if number == before else "number-backwards"
            code = backwards if number <= before else "number-gap" if number > before + 1 else ""
        if code:
            table.report(code, INFO, at, template, number=number, before=before or 0)
        before = number
