"""`course subtitles check`: what is wrong with transcripts, line by line."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from course.base.errors import UserError
from course.base.i18n import N_, _, about, at_line, enumerate_words, ngettext
from course.cli.terminal import consoles
from course.cli.terminal.options import PATH, json_option
from course.subtitles.transcript import parser, rules
from course.subtitles.transcript import style_guide as profiles
from course.subtitles.transcript.diagnostic import ERROR, INFO, WARNING, Diagnostic
from course.subtitles.transcript.languages import split_languages
from course.subtitles.transcript.parser import ParsedTranscript

FIRST = 3
"""Diagnostics of one kind that are shown of a file, unless all are wanted."""


@click.argument(
    "files",
    nargs=-1,
    type=PATH,
    required=True,
    metavar="FILE",
    help=N_("A transcript: SRT, SBV or WebVTT."),
)
@click.option(
    "--profile",
    default="netflix",
    metavar="NAME|FILE",
    help=N_(
        "Which style limits to check: `netflix`, `structure` (no limits), or your own TOML file."
    ),
)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help=N_("Show everything, even if there are many lines."),
)
@json_option
def check(files: tuple[Path, ...], profile: str, everything: bool, as_json: bool) -> int:
    """Check files one by one; one that can't be read does not stop the others."""
    limits = profiles.load(profile)
    documents = []
    status = 0
    for file in files:
        named = _("Reading {file} …").format(file=f"`{file}`")
        try:
            with consoles.progress(consoles.err(), named):
                read = parser.load(file)
                found = [*read.diagnostics, *rules.examine(read.transcript, limits)]
        except UserError as error:
            status = UserError.status
            if as_json:
                documents.append(_document(file, None, [], str(error)))
            else:
                consoles.error(str(error))
            continue
        # What is about the file as a whole comes first.
        found.sort(key=lambda diagnostic: diagnostic.line or 0)
        if any(diagnostic.severity == ERROR for diagnostic in found):
            status = max(status, 1)
        if as_json:
            documents.append(_document(file, read, found, None))
        else:
            _show(consoles.out(), file, read, found, everything=everything)
    if as_json:
        consoles.document({"files": documents})
    return status


def _document(
    file: Path, read: ParsedTranscript | None, found: list[Diagnostic], error: str | None
) -> dict[str, Any]:
    return {
        "file": str(file),
        "encoding": read.encoding if read else None,
        "cues": len(read.transcript) if read else 0,
        "languages": list(split_languages(read.transcript).languages) if read else [],
        "lines": len(read.lines) if read else 0,
        "findings": [document(diagnostic) for diagnostic in found],
        "error": error,
    }


def document(diagnostic: Diagnostic) -> dict[str, Any]:
    """Return a diagnostic as the JSON document has it; `line` and `cue` count from 1."""
    return consoles.fields_of(diagnostic, "line", "cue", "code", "severity", "message")


def _show(
    console: Console,
    file: Path,
    read: ParsedTranscript,
    found: list[Diagnostic],
    *,
    everything: bool,
) -> None:
    cues, lines = len(read.transcript), len(read.lines)
    languages = split_languages(read.transcript).languages
    words = (
        ngettext("{n} cue", "{n} cues", cues).format(n=cues),
        f"`{'+'.join(languages)}`" if languages else "-",
        ngettext("{n} line", "{n} lines", lines).format(n=lines),
        f"`{read.encoding}`",
    )
    consoles.paragraph(console, about(f"`{file}`", enumerate_words(words)), style="bold")
    show_diagnostics(console, found, everything=everything)
    severities = {diagnostic.severity for diagnostic in found}
    style = "red" if ERROR in severities else "yellow" if WARNING in severities else "green"
    consoles.paragraph(console, summary(found), indent=2, style=style)


def show_diagnostics(
    console: Console, diagnostics: Iterable[Diagnostic], *, everything: bool
) -> None:
    """Print diagnostics, the grave ones first, a few of each kind and how many more there are."""
    kinds: dict[tuple[str, str], list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        kinds.setdefault((diagnostic.severity, diagnostic.code), []).append(diagnostic)
    bad = consoles.marks(console)[1]
    marks = {ERROR: (bad, "red"), WARNING: ("!", "yellow"), INFO: ("-", consoles.QUIET)}
    order = list(marks)
    for (severity, _code), kind in sorted(kinds.items(), key=lambda item: order.index(item[0][0])):
        mark, style = marks[severity]
        # One more is shown rather than counted: saying so takes a line as well.
        shown = kind if everything or len(kind) <= FIRST + 1 else kind[:FIRST]
        for diagnostic in shown:
            consoles.paragraph(console, f"{mark} {_with_line(diagnostic)}", indent=2, style=style)
        if len(kind) > len(shown):
            n = len(kind) - len(shown)
            template = ngettext(
                "… and {n} more. {option} shows all.", "… and {n} more. {option} shows all.", n
            )
            text = template.format(n=n, option="`--all`")
            consoles.paragraph(console, text, indent=4, style=consoles.QUIET)


def _with_line(diagnostic: Diagnostic) -> str:
    return at_line(diagnostic.brief, diagnostic.line)


def summary(diagnostics: Iterable[Diagnostic]) -> str:
    """Say how many diagnostics of each severity there are."""
    counts = Counter(diagnostic.severity for diagnostic in diagnostics)
    if not counts:
        return _("No problems were found.")
    return _("errors: {errors}, warnings: {warnings}, notes: {notes}").format(
        errors=counts[ERROR], warnings=counts[WARNING], notes=counts[INFO]
    )
