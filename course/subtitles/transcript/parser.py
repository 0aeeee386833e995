"""Reads a transcript in whatever state it is, and accounts for every line.

The lines of times are what a transcript is known by: they are found first, and all else is told
from where it stands between them. So blank lines, numbers and their order may be missing or wrong
without a word being lost: a word of the input is in a cue, or a diagnostic quotes it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from course.base import encoding, user_file
from course.base.errors import UserError
from course.base.i18n import N_, _, ngettext, numbers
from course.subtitles.cue import Transcript
from course.subtitles.transcript import timing
from course.subtitles.transcript.cue_assembly import assemble_cues
from course.subtitles.transcript.diagnostic import ERROR, INFO, WARNING, Diagnostic
from course.subtitles.transcript.line_roles import (
    BREAK,
    CONTROL,
    Line,
    LineTable,
    assign_roles,
    clean,
    has_doubled_ends,
    split_lines,
)

MOST_BYTES = 32_000_000
MOST_LINES = 1_000_000
MOST_CUES = 200_000
"""What a file may have: a day and night of talk is not a quarter of it."""


@dataclass(frozen=True, slots=True)
class ParsedTranscript:
    """A transcript with every line of its file accounted for.

    `encoding` is the file's, by Python's name; `form` is `srt`, `webvtt` or `sbv`. `diagnostics`
    are sorted by line; those about the whole file come first.
    """

    transcript: Transcript
    encoding: str
    form: str
    lines: tuple[Line, ...]
    diagnostics: tuple[Diagnostic, ...]


def load(path: Path) -> ParsedTranscript:
    """Read a file.

    Raises:
        UserError: it is no file, can't be read, is too large, is a binary, or has no cue. To say
            so takes far less than reading such a file would.

    """
    named = f"`{path}`"
    data = user_file.read(path, MOST_BYTES, "video.srt")
    if len(data) > MOST_BYTES:
        raise user_file.too_large(path, user_file.megabytes(MOST_BYTES))
    most = ngettext("{n} line", "{n} lines", MOST_LINES).format(n=numbers.whole(MOST_LINES))
    if data.count(b"\n") + data.count(b"\r") > 2 * MOST_LINES:
        raise user_file.too_large(path, most)
    decoded = encoding.decode(data)
    lines = split_lines(decoded.text)
    if len(lines) > MOST_LINES:
        raise user_file.too_large(path, most)
    times = sum(1 for line in lines if re.search("[:：]", line) and timing.parse(clean(line)))
    if times > MOST_CUES:
        most = ngettext("{n} cue", "{n} cues", MOST_CUES).format(n=numbers.whole(MOST_CUES))
        raise user_file.too_large(path, most)
    if times:
        return read(data)
    template = _(
        "{file} is not a transcript: no line has the times of a cue. A transcript is a text file, "
        "such as SRT or WebVTT."
    )
    raise UserError(template.format(file=named))


def read(data: bytes) -> ParsedTranscript:
    """Read the bytes of a transcript, which may be in any state; never fails.

    Without a line of times the transcript has no cue, and every line of text has a diagnostic.
    Takes time and memory in proportion to the input, whatever it is.
    """
    decoded = encoding.decode(data)
    lines = split_lines(decoded.text)
    table = LineTable(lines, cut=decoded.text[-1:] not in ("\n", "\r"))
    cues = assemble_cues(table, assign_roles(table))
    whole = [
        *_check_encoding(decoded),
        *_check_line_ends(decoded.text),
        *_check_characters(table, lines, decoded.encoding),
    ]
    diagnostics = sorted([*whole, *table.diagnostics], key=lambda f: f.line or 0)
    return ParsedTranscript(
        Transcript(cues),
        decoded.encoding,
        table.form,
        tuple(map(Line, range(1, len(lines) + 1), lines, table.roles, table.owners)),
        tuple(diagnostics),
    )


def _check_encoding(decoded: encoding.Decoded) -> Iterator[Diagnostic]:
    values = {"encoding": f"`{decoded.encoding}`"}
    if decoded.guessed or decoded.encoding != "utf-8":
        template = N_("The file is not in UTF-8. Its encoding seems to be {encoding}.")
        code = "encoding-guessed" if decoded.guessed else "encoding"
        yield Diagnostic(None, None, code, INFO, template, values)
    if decoded.marked:
        template = N_("The file begins with a byte order mark.")
        yield Diagnostic(None, None, "byte-order-mark", INFO, template)


def _check_line_ends(text: str) -> Iterator[Diagnostic]:
    twice = text.count("\r\r\n") if has_doubled_ends(text) else 0
    both = text.count("\r\n") - twice
    ends = {
        "LF": text.count("\n") - both - twice,
        "CR LF": both,
        "CR": text.count("\r") - both - 2 * twice,
        "CR CR LF": twice,
    }
    there = [name for name, count in ends.items() if count]
    if there and there != ["LF"]:
        template = N_("The lines end with {ends}.")
        values: dict[str, str | int] = {"ends": " / ".join(f"`{name}`" for name in there)}
        yield Diagnostic(None, None, "line-endings", INFO, template, values)
    if text and text[-1] not in "\r\n":
        template = N_("The last line has no line end.")
        yield Diagnostic(None, None, "no-final-newline", INFO, template)


def _check_characters(table: LineTable, lines: list[str], name: str) -> Iterator[Diagnostic]:
    for at, line in enumerate(lines):
        if line.isascii() and line.isprintable():
            continue
        cue = table.owners[at]
        control = sorted({*BREAK.findall(line), *CONTROL.findall(line)})
        if control:
            template = N_("This line has control characters. They are removed: {characters}.")
            codes = ", ".join(f"`U+{ord(c):04X}`" for c in control)
            values: dict[str, str | int] = {"characters": codes}
            yield Diagnostic(at + 1, cue, "control-characters", WARNING, template, values)
        if "\ufffd" in line:
            template = N_(
                "This line has bytes that are not characters in {encoding}. Each is shown as "
                "“{mark}”."
            )
            values = {"encoding": f"`{name}`", "mark": "\ufffd"}
            yield Diagnostic(at + 1, cue, "lost-characters", ERROR, template, values)
