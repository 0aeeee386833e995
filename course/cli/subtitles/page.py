"""`course subtitles page`: the notes, the video and the lesson in one file for a browser."""

import os
from pathlib import Path
from urllib.parse import quote

import click

from course.base.errors import UserError
from course.base.i18n import N_, _
from course.cli.subtitles.alignment_target import no_pins_option, say_errors
from course.cli.terminal import consoles
from course.cli.terminal.options import PATH, fw_option, lesson_argument
from course.cli.terminal.output import write
from course.lesson.lesson import Part, find_part
from course.subtitles.playback import captions
from course.subtitles.playback import page as pages
from course.subtitles.playback.captions import Captions
from course.subtitles.playback.page import warning
from course.subtitles.transcript import parser

srt_option = click.option(
    "--srt",
    type=PATH,
    metavar="FILE",
    help=N_("Your transcript of the video. If not given: our notes."),
)


@lesson_argument
@click.option(
    "-o",
    "output",
    type=PATH,
    required=True,
    metavar="OUT",
    help=N_("The file to write. An existing file is replaced."),
)
@fw_option
@srt_option
@click.option(
    "--video",
    type=PATH,
    metavar="FILE",
    help=N_(
        "The video, or only its sound. The page contains the path to this file, so always move "
        "both together."
    ),
)
@no_pins_option
def page(
    lesson: str, output: Path, fw: str | None, srt: Path | None, video: Path | None, no_pins: bool
) -> None:
    """Write the page."""
    part = find_part(lesson, fw)
    address = None if video is None else _address(known(video), output)
    captions = captions_of(part, srt, pins=not no_pins)
    text = pages.page(captions, part, file=address)
    write(output, text, "page.html")
    consoles.note(_("Written: {path}.").format(path=f"`{output}`"))


def captions_of(part: Part, srt: Path | None, *, pins: bool) -> Captions:
    """Read our notes on a part, or the viewer's transcript, and say what is odd about it.

    Raises:
        UserError: there are no notes, or the file can't be read.

    """
    if srt is None:
        return captions.ours(part, pins=pins)
    read = parser.load(srt)
    say_errors(read)
    found = captions.of_viewer(read.transcript, part, pins=pins)
    other = captions.other_framework(found, part)
    if other is not None:
        sentence = _(
            "This seems to be the transcript of the lesson's other video. For that video, add "
            "{option}."
        )
        consoles.note(sentence.format(option=f"`--fw {other}`"))
    if found.strange:
        consoles.note(warning())
    return found


def known(video: Path) -> Path:
    """Check that a video's file exists, and return it.

    Raises:
        UserError: there is none of this name.

    """
    if not video.is_file():
        raise UserError(_("There is no file {file}.").format(file=f"`{video}`"))
    return video


def _address(video: Path, page: Path) -> str:
    """Return a file's address as seen from the page; by its whole name on another drive."""
    try:
        near = os.path.relpath(video, page.parent)
    except ValueError:
        return video.absolute().as_uri()
    # A colon would make the first word of it a scheme.
    return quote(os.fsencode(Path(near).as_posix()))
