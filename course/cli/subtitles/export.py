"""`course subtitles export`: a transcript, or our own notes, in one of the formats there are."""

import json
import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import click

from course.base.errors import UserError
from course.base.i18n import N_, SOURCE, _, about, language, ngettext, titled
from course.base.schema import not_of_form, refused, suggest_or_list
from course.cli.subtitles.alignment_target import (
    align_to,
    doc_option,
    find_target,
    lesson_option,
    no_pins_option,
    say_doubt,
    say_errors,
)
from course.cli.terminal import consoles
from course.cli.terminal.options import PATH, fw_option
from course.cli.terminal.output import put
from course.lesson import lesson
from course.lesson.lesson import Part, find_part, ids
from course.subtitles import titles
from course.subtitles.cue import Transcript
from course.subtitles.export import data, markdown, video, webvtt
from course.subtitles.export.video import Link
from course.subtitles.notes import notes
from course.subtitles.transcript import parser, repair
from course.subtitles.transcript.languages import LanguageTracks, join, select, split_languages

FORMATS = ("srt", "vtt", "chapters", "metadata", "markdown", "json")
NEED_STEPS = ("chapters", "metadata")
"""Formats that are nothing without an alignment."""
HAVE_STEPS = (*NEED_STEPS, "markdown", "json")


@click.argument(
    "target",
    metavar="FILE|LESSON",
    help=N_("A transcript, or the id of a lesson (for our own notes on its video)."),
)
@click.option("--to", required=True, metavar="|".join(FORMATS), help=N_("The format."))
@click.option(
    "-o", "output", type=PATH, metavar="OUT", help=N_("The file to write. If not given: stdout.")
)
@lesson_option
@doc_option
@fw_option
@click.option(
    "--languages",
    metavar="CODES",
    help=N_(
        "Only these languages, in this order, such as `zh,en`. If not given: all languages of a "
        "transcript, but our notes only in the current language."
    ),
)
@no_pins_option
@click.option(
    "--video-url",
    metavar="URL",
    help=N_(
        "The address for links in Markdown. It must contain `{seconds}`, and may contain `{video}` "
        "for the id of the video. If not given: the address of the lesson's own video."
    ),
)
def export(
    target: str,
    to: str,
    output: Path | None,
    lesson: str | None,
    doc: Path | None,
    fw: str | None,
    languages: str | None,
    no_pins: bool,
    video_url: str | None,
) -> None:
    """Write one file, or print it."""
    if to not in FORMATS:
        raise UserError(refused("--to", to, list(FORMATS)))
    part = _part(target, lesson, doc, fw)
    if to in NEED_STEPS and part is None and doc is None:
        template = _("{name} needs a list of steps. Add {lesson} or {doc}.")
        named = {"lesson": "`--lesson LESSON`", "doc": "`--doc FILE`"}
        raise UserError(template.format(name=f"`{to}`", **named))
    link = _link(video_url, part)
    codes = None if languages is None else [c.strip() for c in languages.split(",") if c.strip()]
    source, tracks = _source(target, part, codes)
    alignment = None
    if to in HAVE_STEPS:
        alignment = align_to(source, part, doc, pins=not no_pins)
        if alignment is not None:
            say_doubt(alignment)
    title = partial(titles.title, part=part)
    shown = tracks.transcript
    if codes is not None:
        # The choice of languages has left these without a text.
        shown = Transcript(cue for cue in shown if cue.text)
    match to:
        case "srt":
            text = repair.srt(shown)
        case "vtt":
            text = webvtt.captions(shown)
        case "markdown":
            text = markdown.notes(_heading(part, target), tracks, alignment, title, link)
        case "json":
            document = data.document(tracks, alignment, title)
            text = json.dumps(document, ensure_ascii=False, indent=2) + "\n"
        case _:
            assert alignment is not None
            write = webvtt.chapters if to == "chapters" else webvtt.metadata
            text = write(alignment, title)
    put(text, output, "notes.srt")


def _part(target: str, lesson: str | None, doc: Path | None, fw: str | None) -> Part | None:
    """Find the part of a lesson whose notes are exported, or that a user's transcript goes with.

    Raises:
        UserError: there is no such lesson, framework or file, or the options don't go together.

    """
    if target not in ids():
        path = Path(target)
        if not path.exists() and path.name == target and not path.suffix:
            raise UserError(suggest_or_list(_("There is no lesson or file {name}."), target, ids()))
        return find_target(lesson, doc, fw)
    if lesson is not None or doc is not None:
        template = _(
            "Our notes on a lesson already belong to the steps of that lesson. Remove {option}, or "
            "use your own transcript."
        )
        raise UserError(template.format(option="`--doc`" if lesson is None else "`--lesson`"))
    return find_part(target, fw)


def _source(
    target: str, part: Part | None, codes: list[str] | None
) -> tuple[Transcript, LanguageTracks]:
    """Read our notes on a part, or a user's transcript: what is to be aligned, and to be shown.

    Raises:
        UserError: there is none that can be read, or it has not got these languages.

    """
    if part is not None and target == part.lesson:
        found = notes(part.lesson, part.framework)
        # All languages have the same cues, so the alignment of one holds for each.
        source, tracks = found[SOURCE], join(found)
        if codes is None:
            codes = [language() if language() in found else SOURCE]
    else:
        read = parser.load(Path(target))
        say_errors(read)
        source, tracks = read.transcript, split_languages(read.transcript)
    if codes is None:
        return source, tracks
    chosen = select(tracks, _known(codes, list(tracks.languages)))
    _say_left_out(chosen.texts, tracks.notes)
    return source, chosen


def _heading(part: Part | None, target: str) -> str:
    if part is not None:
        return titled(lesson.load(part.lesson).title, part.framework)
    return os.fsencode(Path(target).stem).decode("utf-8", "replace")


def _known(codes: list[str], known: list[str]) -> list[str]:
    """Check the languages asked for and return each once.

    Raises:
        UserError: one of them is not there, or none is named.

    """
    for code in codes or [","]:
        if code not in known:
            raise UserError(refused("--languages", code, known))
    return list(dict.fromkeys(codes))


def _say_left_out(texts: Sequence[Mapping[str, str]], notes: Sequence[str]) -> None:
    """Say what the choice of languages has taken away beside the languages themselves."""
    n = sum(1 for by_language in texts if not by_language)
    if n:
        template = ngettext(
            "{n} cue has no text in the chosen languages.",
            "{n} cues have no text in the chosen languages.",
            n,
        )
        consoles.note(template.format(n=n))
    n = sum(1 for note in notes if note)
    if n:
        template = ngettext(
            "{n} translator's note is not in the chosen languages and is left out.",
            "{n} translator's notes are not in the chosen languages and are left out.",
            n,
        )
        consoles.note(template.format(n=n))


def _link(template: str | None, part: Part | None) -> Link | None:
    """Return the addresses of the video, where one is known.

    Raises:
        UserError: the template has no place for the time, or one for a video that is not known.

    """
    known = part.video if part else None
    if template is None:
        return video.link(video.YOUTUBE, known) if known else None
    if video.SECONDS not in template:
        told = not_of_form(template, f"https://...{video.SECONDS}")
        raise UserError(about("`--video-url`", told))
    if video.VIDEO in template and known is None:
        message = _(
            "The program does not know which video {video} means. Replace {video} in the address "
            "with the id of the video."
        )
        raise UserError(message.format(video=f"`{video.VIDEO}`"))
    return video.link(template, known)
