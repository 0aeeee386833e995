"""What a transcript is laid beside: a lesson, or a document."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from course.base.errors import UserError
from course.base.i18n import N_, _
from course.cli.terminal import consoles
from course.cli.terminal.options import PATH, either
from course.lesson.lesson import Part, find_part
from course.subtitles.alignment.alignment import DOUBT, Alignment
from course.subtitles.cue import Transcript
from course.subtitles.transcript.diagnostic import ERROR
from course.subtitles.transcript.parser import ParsedTranscript

if TYPE_CHECKING:
    from course.subtitles.alignment.similarity import Similarity

lesson_option = click.option(
    "--lesson", metavar="LESSON", help=N_("Align the transcript to the steps of a lesson.")
)
doc_option = click.option(
    "--doc",
    type=PATH,
    metavar="FILE",
    help=N_("Align the transcript to the headings of a Markdown file."),
)
no_pins_option = click.option(
    "--no-pins", is_flag=True, help=N_("Do not use our reviewed boundaries for the alignment.")
)


def find_target(lesson: str | None, doc: Path | None, fw: str | None) -> Part | None:
    """Find the part of the lesson that is named; return None where there is none.

    Raises:
        UserError: there is no such lesson, or the options don't go together.

    """
    if lesson is not None and doc is not None:
        raise either("--lesson", "--doc")
    if lesson is None and fw is not None:
        template = _("{option} can only be used with {lesson}.")
        raise UserError(template.format(option="`--fw`", lesson="`--lesson LESSON`"))
    return None if lesson is None else find_part(lesson, fw)


def align_to(
    transcript: Transcript,
    part: Part | None,
    doc: Path | None,
    *,
    pins: bool,
    similarity: "Similarity | None" = None,
) -> Alignment | None:
    """Align a transcript to a part or a document; return None with neither.

    Raises:
        UserError: the document cannot be read, or has no headings.

    """
    from course.subtitles.alignment import align

    if part is not None:
        method = replace(align.LESSON, similarity=similarity or align.LESSON.similarity)
        return align.to_lesson(transcript, part, pins=pins, method=method)
    if doc is None:
        return None
    try:
        text = doc.read_text("utf-8-sig")
    except OSError as error:
        template = _("{path} cannot be read: {reason}.")
        raise UserError(template.format(path=f"`{doc}`", reason=error.strerror)) from error
    except UnicodeDecodeError as error:
        template = _("{path} is not in UTF-8. Save it as UTF-8.")
        raise UserError(template.format(path=f"`{doc}`")) from error
    method = replace(align.DOCUMENT, similarity=similarity or align.DOCUMENT.similarity)
    return align.to_document(transcript, text, method)


def say_errors(read: ParsedTranscript) -> None:
    """Say on stderr that a transcript was read in spite of errors in it."""
    if any(diagnostic.severity == ERROR for diagnostic in read.diagnostics):
        template = _("The transcript has errors. {command} lists them.")
        consoles.note(template.format(command="`course subtitles check`"))


def say_doubt(found: Alignment) -> None:
    """Say on stderr that a transcript seems to have nothing to do with what it is laid beside."""
    if found.related < DOUBT:
        consoles.note(
            _(
                "The confidence is low everywhere. This looks like the transcript of something "
                "else. Check whether the transcript belongs to the lesson or document."
            )
        )
