"""Lines on a terminal: paragraphs wrapped by each script's rules, and code as it is."""

import re
from collections.abc import Iterable, Iterator

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from course.base import i18n

CODE = "cyan"
QUIET = "bright_black"
WIDTH = 100
"""The widest a text is set: longer lines are hard to read."""
HANGING = 4
"""Columns by which what is broken off a numbered line stands further in."""
CONTROL = re.compile(
    r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)?|[\x00-\x08\x0b-\x1f\x7f-\x9f]"
)
"""What a script's own words may hold that would move about on the screen, or colour it."""
_CODE = re.compile(r"`([^`]+)`")
_HAN = r"\u2e80-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef"
# A line may end after a space, before or after a Han character, but no closing mark may begin one
# and no opening mark may end one (the rules of Chinese typesetting, GB/T 15834).
_CLOSING = re.escape("，。、；：！？）》」』”’…—·,.;:!?)]}")
_OPENING = re.escape("（《「『“‘([{")
# A space that must not break, as in a Russian `88,7 %`, is part of the word it stands in.
_SPACE = r"[^\S\xa0]"
_WORD = rf"(?:[^\s{_HAN}]|\xa0)+"
_LEAD = re.compile(r"(?:>>> |[+-])?\s*")
"""What stands in front of a line of code: the prompt, or the sign of a diff, and the indent."""
# A line of code may end after a word and the signs that follow it, but not within a string.
_STRING = r"(?<!\w)[A-Za-z]{0,2}(?:\"[^\"]*\"|'[^']*')[^\w\s\"']*"
_WORD_OF_CODE = re.compile(r"\s+|\w+(?:'\w+)*[^\w\s\"']*|[^\w\s\"']+|[\"']")
_PART_OF_CODE = re.compile(rf"{_STRING}|{_WORD_OF_CODE.pattern}")
_UNIT = re.compile(rf"{_SPACE}+|[{_OPENING}]*(?:(?![{_OPENING}])[{_HAN}]|{_WORD})[{_CLOSING}]*|\S")


def width(console: Console, indent: int = 0) -> int:
    """Return the columns that a paragraph may take."""
    return max(20, min(console.width, WIDTH) - indent)


def shows(console: Console, characters: str) -> bool:
    """Return whether the console's encoding has these characters."""
    try:
        characters.encode(console.encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def verbatim(text: str) -> str:
    """Mark a text as quoted, which the pseudo-language's test must not take for ours."""
    return f"⟦{text}⟧" if i18n.language() == i18n.PSEUDO else text


def styled(console: Console, text: str, style: str = "") -> Text:
    """Return a text with its `code` set apart: by colour, or by backticks where there is none."""
    plain = not console.is_terminal or console.no_color
    text = CONTROL.sub("", text)
    result, end = Text(style=style), 0
    for code in _CODE.finditer(text):
        result.append(text[end : code.start()])
        inner = verbatim(code.group(1))
        result.append(f"`{inner}`" if plain else inner, "" if plain else CODE)
        end = code.end()
    result.append(text[end:])
    return result


def longest_word(text: str) -> int:
    """Return the columns of the widest of the units that a text can be broken into."""
    return max((cell_len(unit.group()) for unit in _UNIT.finditer(text)), default=0)


def wrap(text: Text, columns: int) -> list[Text]:
    """Break a text into lines of at most so many columns, Chinese by its own rules.

    A unit wider than a line is left to the terminal.
    """
    units = ((unit.start(), unit.group()) for unit in _UNIT.finditer(text.plain))
    lines = _divided(text, units, columns, columns)
    lines[0].rstrip()
    return lines


def paragraph(
    console: Console, text: str, indent: int = 0, style: str = "", mark: str = ""
) -> None:
    """Print one paragraph, wrapped and indented; behind a `mark`, if one is given."""
    lead = Text(f"{mark} " if mark else "", style)
    inner = indent + lead.cell_len
    for number, line in enumerate(wrap(styled(console, text, style), width(console, inner))):
        before = Text(" " * indent) + lead if number == 0 else Text(" " * inner)
        console.print(before, line, sep="", soft_wrap=True)


def code(
    console: Console,
    text: str,
    indent: int = 0,
    style: str = "",
    *,
    fold: bool = False,
    whole: bool = False,
) -> None:
    """Print code or a library's own words as they are, one line as one line.

    At a terminal's edge a long line is broken where a word ends, and goes on further in; with
    `fold` it goes on at the indent. One that is to stay `whole`, so that it can be copied, is left
    to the terminal. In a pipe no line is broken.
    """
    columns = max(20, console.width - indent)
    for line in text.splitlines() or [""]:
        shown = Text(verbatim(CONTROL.sub("", line)), style=style)
        inner = 0 if fold else min(len(_LEAD.match(line)[0]) + 4, columns // 2)  # type: ignore[index]
        breaks = console.is_terminal and not whole
        pieces = _broken(shown, columns, inner) if breaks else [shown]
        for number, piece in enumerate(pieces):
            margin = indent + (inner if number else 0)
            if breaks and piece.cell_len > columns - (inner if number else 0):
                piece.rstrip()
            console.print(" " * margin, piece, sep="", soft_wrap=True)


def numbered(console: Console, text: str) -> None:
    """Print a file's lines with their numbers; a long one is broken where a terminal ends.

    What is broken off stands further in than the line's beginning, and has no number.
    """
    lines = text.splitlines()
    size = len(str(len(lines)))
    for number, line in enumerate(lines, start=1):
        body = line.lstrip(" ")
        indent = " " * (len(line) - len(body))
        shown = Text(verbatim(CONTROL.sub("", body)) if body else "")
        columns = max(20, console.width - size - 2 - len(indent) - HANGING)
        pieces = wrap(shown, columns) if console.is_terminal and body else [shown]
        for place, piece in enumerate(pieces):
            margin = Text("" if place else str(number), QUIET)
            margin.align("right", size)
            before = f"  {indent}{' ' * HANGING if place else ''}" if body else ""
            console.print(margin, before, piece, sep="", soft_wrap=True)


def _broken(line: Text, columns: int, inner: int) -> list[Text]:
    """Break a line into pieces, the first of so many columns, the others `inner` narrower."""
    line.expand_tabs(8)
    return _divided(line, _units(line.plain, columns - inner), columns, columns - inner)


def _divided(text: Text, units: Iterable[tuple[int, str]], first: int, others: int) -> list[Text]:
    """Divide a text between units: the first line has so many columns, and so many the others."""
    cuts: list[int] = []
    used, room = 0, first
    for start, unit in units:
        needed = cell_len(unit)
        if used and used + needed > room and not unit.isspace():
            cuts.append(start)
            used, room = 0, others
        used += needed
    if not cuts:
        return [text]
    lines = text.divide(cuts)
    for line in lines:
        line.rstrip()
    return list(lines)


def _units(text: str, longest: int) -> Iterator[tuple[int, str]]:
    """Yield the units of code for breaking, with their places.

    A string that is longer than a line is broken by its words, a longer word by its letters.
    """
    for part in _PART_OF_CODE.finditer(text):
        is_short = cell_len(part.group()) <= longest
        for found in (part,) if is_short else _WORD_OF_CODE.finditer(text, *part.span()):
            if cell_len(found.group()) <= longest:
                yield found.start(), found.group()
            else:
                yield from enumerate(found.group(), start=found.start())
