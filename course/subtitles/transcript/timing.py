"""Lines that say from when to when a cue is shown, in all the ways in which they are written."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from pysrt import SubRipTime

DOT = "dot-time"
HOURS = "short-hours"
FRACTION = "short-fraction"
SBV = "sbv-time"
ODD = "odd-time"
"""Ways of writing that SRT does not know; `odd-time` is all that has no id of its own."""

_USUAL = re.compile(" --> ".join([r"([0-9]{2,6}):([0-5][0-9]):([0-5][0-9]),([0-9]{3})"] * 2))
# Translation services put spaces after the colons, and full-width marks in place of ours. A program
# that counts in milliseconds prints a float's own fraction behind them: `02,249.0999999999999`.
_CLOCK = (
    r"(?:([0-9]{1,6}) ?[:：] ?)?([0-9]{1,2}) ?[:：] ?([0-9]{1,2})"
    r"(?: ?([.,，。]) ?([0-9]{1,9})(\.[0-9]{1,20})?)?"
)
# Word processors make a dash of two hyphens; web pages escape the angle.
_ARROW = r"\s*([-–—−]{1,3} ?>|--&gt;|→)\s*"
_START = re.compile(r"(?:([0-9]{1,9})\s+)?" + _CLOCK + _ARROW)
_END = re.compile(_CLOCK)
_SPELT = re.compile(r"[0-9:]+[.,][0-9]+ --> [0-9:]+[.,][0-9]+")
_SBV = re.compile(",".join([r"([0-9]{1,6}):([0-9]{1,2}):([0-9]{1,2})\.([0-9]{1,9})"] * 2))
_SETTING = re.compile(r"[A-Za-z][A-Za-z0-9]{0,9}:\S{1,40}")
_CLOCKWORK = re.compile(r"[0-9:：.,，;\s>→–—−-]")
_LONGEST = 64
"""Characters of a line that may be one of times with a slip in it."""


class Timing(NamedTuple):
    """From `start` to `end`, as a line says it.

    `number` stands before the times on the same line, where one does. `settings` are those of
    WebVTT or SubRip that place the cue on the screen; `text` is anything else behind the times.
    `broken` is what stands in place of an end that can't be read; `end` is `start` then. `ways`
    are the ids of how the line departs from SRT's own way of writing.
    """

    start: SubRipTime
    end: SubRipTime
    number: int | None = None
    settings: str = ""
    text: str = ""
    broken: str | None = None
    ways: tuple[str, ...] = ()


def parse(line: str) -> Timing | None:
    """Parse the times in a line without space around it; None for a line that holds none.

    A line that goes on before its times, other than with a number, is text.
    """
    usual = _USUAL.fullmatch(line)
    if usual:
        parts = tuple(map(int, usual.groups()))
        return Timing(SubRipTime(*parts[:4]), SubRipTime(*parts[4:]))
    sbv = _SBV.fullmatch(line)
    if sbv:
        clocks = sbv.groups()
        return Timing(_time(*clocks[:4]), _time(*clocks[4:]), ways=(SBV,))
    begun = _START.match(line)
    if not begun:
        return None
    number, *first, arrow = begun.groups()
    rest = line[begun.end() :]
    start = _time(first[0], first[1], first[2], first[4])
    counted = None if number is None else int(number)
    ended = _END.match(rest)
    behind = rest[ended.end() :] if ended else ""
    cut = ended is not None and first[0] is not None and ended.group(1) is None
    if ended is None or cut or behind[:1] in tuple(";:："):
        # A whole start and a true arrow make a cue of it; anything less is words.
        if arrow != "-->" or first[4] is None or not re.fullmatch(r"(?:[0-9]\S{0,15})?", rest):
            return None
        return Timing(start, start, counted, broken=rest)
    second = ended.groups()
    if first[0] is None and first[4] is None and (arrow != "-->" or behind.strip()):
        return None  # "3:10 -> 4:20" may be said in any text
    if _START.match(behind.strip()) or _SBV.fullmatch(behind.strip()):
        return None  # two lines of times in one: no telling which holds
    words = behind.split()
    placed = bool(words) and behind[:1].isspace() and all(map(_SETTING.fullmatch, words))
    return Timing(
        start,
        _time(second[0], second[1], second[2], second[4]),
        counted,
        settings=" ".join(words) if placed else "",
        text="" if placed else behind.strip(),
        ways=_ways(first, second, line[begun.start(2 if first[0] else 3) :]),
    )


def looks_like(line: str) -> bool:
    """Whether a line of text seems to be one of times with a slip in it."""
    if len(line) > _LONGEST or line.count(":") + line.count("：") < 2:
        return False
    digits = sum(c.isdigit() for c in line)
    return digits >= 7 and len(_CLOCKWORK.sub("", line)) <= 3


def format_times(start: SubRipTime, end: SubRipTime) -> str:
    """Return the line of SRT for these times: `00:00:01,000 --> 00:00:02,500`."""
    return f"{start} --> {end}"


def brief(ms: int) -> str:
    """Write a time (ms) as people do: `1:05`, `1:00:05`."""
    time = SubRipTime.from_ordinal(ms)
    rest = f"{time.minutes:02}:{time.seconds:02}"
    return f"{time.hours}:{rest}" if time.hours else rest.removeprefix("0")


def _time(hours: str | None, minutes: str, seconds: str, fraction: str | None) -> SubRipTime:
    """Make a time with a decimal fraction: `,5` is half a second, less than 1 ms is cut off.

    pysrt's own reader takes `,5` for 5 ms.
    """
    ms = (fraction or "0")[:3].ljust(3, "0")
    return SubRipTime(int(hours or 0), int(minutes), int(seconds), int(ms))


def _ways(first: Sequence[str | None], second: Sequence[str | None], line: str) -> tuple[str, ...]:
    """How the two clocks of a line, which begins with them, depart from SRT's way of writing."""
    found: dict[str, None] = {}
    for hours, minutes, seconds, point, fraction, finer in (first, second):
        if point == ".":
            found[DOT] = None
        if hours is not None and len(hours) == 1:
            found[HOURS] = None
        if fraction is not None and len(fraction) < 3:
            found[FRACTION] = None
        sixties = all(re.fullmatch("[0-5][0-9]", x or "") for x in (minutes, seconds))
        if hours is None or not sixties or finer is not None or len(fraction or "") > 3:
            found[ODD] = None
    if not _SPELT.match(line):
        found[ODD] = None
    return tuple(found)
