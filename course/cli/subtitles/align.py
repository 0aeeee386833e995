"""`course subtitles align`: which cues of a transcript are about which step."""

import importlib
import sys
from dataclasses import asdict
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from course.base.errors import UserError
from course.base.i18n import N_, _, numbers
from course.cli.subtitles.alignment_target import (
    align_to,
    doc_option,
    find_target,
    lesson_option,
    no_pins_option,
    say_doubt,
)
from course.cli.terminal import consoles
from course.cli.terminal.options import PATH, fw_option, json_option
from course.lesson.lesson import Part
from course.subtitles.alignment.alignment import DOUBT, Alignment
from course.subtitles.alignment.similarity import Similarity
from course.subtitles.titles import missing, title
from course.subtitles.transcript import parser
from course.subtitles.transcript.timing import brief


@click.argument(
    "transcript", type=PATH, metavar="FILE", help=N_("A transcript: SRT, SBV or WebVTT.")
)
@lesson_option
@doc_option
@fw_option
@no_pins_option
@click.option(
    "--similarity",
    metavar="MODULE:NAME",
    help=N_("Compare texts with your own function, such as an embedding model."),
)
@json_option
def align(
    transcript: Path,
    lesson: str | None,
    doc: Path | None,
    fw: str | None,
    no_pins: bool,
    similarity: str | None,
    as_json: bool,
) -> None:
    """Print the segments, or all of it as JSON."""
    part = find_target(lesson, doc, fw)
    if part is None and doc is None:
        template = _("{name} needs a list of steps. Add {lesson} or {doc}.")
        named = {"lesson": "`--lesson LESSON`", "doc": "`--doc FILE`"}
        raise UserError(template.format(name="`align`", **named))
    found = parser.load(transcript).transcript
    own = _similarity(similarity)
    with consoles.progress(
        consoles.err(), _("Reading {file} …").format(file=f"`{transcript.name}`")
    ):
        result = align_to(found, part, doc, pins=not no_pins, similarity=own)
    assert result is not None
    if as_json:
        consoles.document(
            {
                "segments": [asdict(segment) for segment in result.segments],
                "cues": [asdict(cue) | {"sure": cue.sure} for cue in result.cues],
                "missing": list(result.missing),
                "related": result.related,
            }
        )
        return
    _show(result, part)


def _similarity(written: str | None) -> Similarity | None:
    """Import the user's own function that compares texts, if one is named.

    Raises:
        UserError: it cannot be imported.

    """
    if written is None:
        return None
    module, _colon, name = written.partition(":")
    sys.path.insert(0, "")
    try:
        found: Similarity = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        template = _("{name} cannot be imported ({reason}). Write the function as {form}.")
        named = {"name": f"`{written}`", "reason": str(error), "form": "`module:function`"}
        raise UserError(template.format(**named)) from error
    finally:
        sys.path.pop(0)
    return found


def _show(result: Alignment, part: Part | None) -> None:
    console = consoles.out()
    table = Table(box=None, pad_edge=False, header_style=consoles.QUIET)
    for heading in (_("Time"), _("Cues"), _("Confidence")):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column(_("Step"))
    for each in result.segments:
        sure = each.confidence >= DOUBT
        table.add_row(
            f"{brief(each.start_ms)}–{brief(each.end_ms)}",
            f"{each.first_cue}–{each.last_cue}",
            Text(numbers.decimal(each.confidence, 2), style="" if sure else "yellow"),
            consoles.styled(console, title(each.step, part)),
        )
    console.print(table)
    if result.missing:
        console.print()
        consoles.paragraph(console, missing(f"`{name}`" for name in result.missing))
    say_doubt(result)
