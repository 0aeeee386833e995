"""`course subtitles serve`: the playback page with the embedded player, on this machine alone."""

import sys
from pathlib import Path

import click

from course.base.errors import UserError
from course.base.i18n import N_, _
from course.cli.subtitles.alignment_target import no_pins_option
from course.cli.subtitles.page import captions_of, known, srt_option
from course.cli.terminal import consoles
from course.cli.terminal.options import PATH, fw_option, lesson_argument
from course.lesson.lesson import find_part
from course.subtitles.playback import page as pages
from course.subtitles.playback import serve as serving


@lesson_argument
@fw_option
@srt_option
@click.option(
    "--video",
    type=PATH,
    metavar="FILE",
    help=N_("The file to play: your copy of the video, or only its sound."),
)
@click.option(
    "--port",
    type=click.IntRange(min=0, max=65535),
    default=0,
    metavar="N",
    help=N_("The port. 0 means any free port."),
)
@no_pins_option
def serve(
    lesson: str, fw: str | None, srt: Path | None, video: Path | None, port: int, no_pins: bool
) -> None:
    """Serve the page until the user ends it."""
    part = find_part(lesson, fw)
    address = None if video is None else serving.address(known(video))
    captions = captions_of(part, srt, pins=not no_pins)
    text = pages.page(captions, part, file=address, embed=video is None)
    try:
        server = serving.PlaybackServer(text, video, port)
    except OSError as error:
        template = _(
            "The port {port} cannot be used ({reason}). Choose another port with {option}."
        )
        named = {"port": f"`{port}`", "option": "`--port`"}
        raise UserError(template.format(**named, reason=error.strerror)) from error
    with server:
        print(server.url)
        sys.stdout.flush()
        consoles.note(_("Open this address in a browser. Ctrl-C ends the server."))
        server.serve_forever(poll_interval=0.2)
