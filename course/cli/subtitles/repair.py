"""`course subtitles repair`: a transcript in whatever state, written anew as clean SRT."""

from pathlib import Path

import click
from rich.console import Console

from course.base.errors import UserError
from course.base.i18n import N_, _, ngettext
from course.cli.environment import installing
from course.cli.subtitles.check import document, show_diagnostics
from course.cli.terminal import consoles
from course.cli.terminal.options import PATH, either, json_option, yes_option
from course.cli.terminal.output import STDOUT, show, write
from course.subtitles.transcript import parser, rules, style_guide
from course.subtitles.transcript import repair as repairs
from course.subtitles.transcript.diagnostic import Diagnostic

MOST = 80
"""Lines of a diff that are shown, unless all are wanted."""
WHOLE_FILE = ("encoding-guessed", "encoding", "byte-order-mark", "line-endings", "no-final-newline")
"""What a diff of text can't show."""
LEFT_OUT = ("text-outside-cues", "truncated-cue", "comment", "webvtt", "identifier", "cue-settings")
"""What SRT has no place for."""
STAYS = (
    "unreadable-time",
    "lost-characters",
    "empty-cue",
    "ends-before-it-begins",
    "zero-length",
    "times-run-backwards",
)
"""What only somebody who has seen the video can mend."""


@click.argument("file", type=PATH, metavar="FILE", help=N_("A transcript: SRT, SBV or WebVTT."))
@click.option(
    "-o",
    "output",
    type=PATH,
    required=True,
    metavar="OUT",
    help=N_("The file to write; `-` for stdout."),
)
@yes_option
@click.option(
    "--all", "everything", is_flag=True, help=N_("Show everything, even if there are many lines.")
)
@json_option
def repair(file: Path, output: Path, yes: bool, everything: bool, as_json: bool) -> None:
    """Show the repair, ask, and write it in one step."""
    if as_json and output == STDOUT:
        raise either("-o -", "--json")
    with consoles.progress(consoles.err(), _("Reading {file} …").format(file=f"`{file}`")):
        read = parser.load(file)
        text = repairs.srt(read.transcript)
        found = [*read.diagnostics, *rules.examine(read.transcript, style_guide.STRUCTURE)]
    diff = list(repairs.diff(read, text, file.name))
    changed = bool(diff) or any(f.code in WHOLE_FILE for f in read.diagnostics)
    if output == STDOUT:
        _show_diagnostics(consoles.err(), found, changed=changed, everything=everything)
        show(text)
        return
    cues = len(read.transcript)
    needed = changed or not (output.exists() and output.samefile(file))
    if as_json:
        if needed and yes:
            write(output, text, "clean.srt")
        consoles.document(
            {
                "file": str(file),
                "out": str(output),
                "cues": cues,
                "changed": changed,
                "written": needed and yes,
                "diff": "".join(f"{line}\n" for line in diff),
                "findings": [document(diagnostic) for diagnostic in found],
            }
        )
        if needed and not yes:
            template = _("Nothing was written. To write the result, add {option}.")
            raise UserError(template.format(option="`--yes`"))
        return
    console = consoles.out()
    _show_diagnostics(console, found, changed=changed, everything=everything)
    _show(console, diff, everything=everything)
    if not needed:
        return
    question = (
        _("The file {file} exists. Replace it?")
        if output.exists()
        else _("Write the result to {file}?")
    )
    if not (yes or installing.yes(question.format(file=f"`{output}`"))):
        consoles.paragraph(console, _("Nothing was written."))
        return
    write(output, text, "clean.srt")
    done = _("Written: {path}.").format(path=f"`{output}`")
    consoles.paragraph(console, done, style="green")


def _show_diagnostics(
    console: Console, found: list[Diagnostic], *, changed: bool, everything: bool
) -> None:
    """Say what the diff can't: about the file as a whole, what is left out, what stays wrong."""
    if not changed:
        done = _("Nothing to repair: the file is already clean SRT.")
        consoles.paragraph(console, done, style="green")
    sections = (
        (
            _(
                "These findings are repaired: the result is in UTF-8 without a byte order mark, "
                "and its lines end with LF."
            ),
            WHOLE_FILE,
        ),
        (_("SRT cannot store these parts, so they are left out:"), LEFT_OUT),
        (_("These findings are not repaired. To fix them, watch the video:"), STAYS),
    )
    for title, codes in sections:
        chosen = [diagnostic for diagnostic in found if diagnostic.code in codes]
        if chosen:
            consoles.paragraph(console, title, style="bold")
            show_diagnostics(console, chosen, everything=everything)


def _show(console: Console, diff: list[str], *, everything: bool) -> None:
    """Print a diff, as far as it can be taken in."""
    styles = {"+": "green", "-": "red", "@": consoles.QUIET}
    shown = diff if everything else diff[:MOST]
    for line in shown:
        consoles.code(console, line, style=styles.get(line[:1], ""))
    more = len(diff) - len(shown)
    if more:
        template = ngettext(
            "… and {n} more. {option} shows all.", "… and {n} more. {option} shows all.", more
        )
        consoles.paragraph(console, template.format(n=more, option="`--all`"), style=consoles.QUIET)
