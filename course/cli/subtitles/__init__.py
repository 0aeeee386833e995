"""`course subtitles`: transcripts of the course's videos, one file a command."""

from course.base.i18n import N_
from course.cli.terminal.help import Commands, Entry

app = Commands(
    {
        "check": Entry(
            "course.cli.subtitles.check:check",
            N_(
                "Check transcripts: SRT, WebVTT or SBV, in whatever state. Broken structure is an "
                "error, style that is hard on viewers a warning, the rest is for information."
            ),
        ),
        "repair": Entry(
            "course.cli.subtitles.repair:repair",
            N_(
                "Write a transcript again as clean SRT: numbered from 1, a blank line between "
                "cues, in UTF-8. Only the structure is mended; words, times, order and line "
                "breaks stay as they are. Shows the changes and asks first."
            ),
        ),
        "align": Entry(
            "course.cli.subtitles.align:align",
            N_(
                "Find which cues of a transcript are about which step of a lesson, or about which "
                "heading of a document, and how sure that is. The two may be in different "
                "languages."
            ),
        ),
        "export": Entry(
            "course.cli.subtitles.export:export",
            N_(
                "Write a transcript, or our own notes on a lesson's video, for a player, a reader "
                "or a program. A transcript that is aligned to a lesson or a document has its "
                "steps as well."
            ),
        ),
        "page": Entry(
            "course.cli.subtitles.page:page",
            N_(
                "Make a page that plays a lesson's video. Beside the video it shows our notes, "
                "the current step, its script and its fix. The page is one file and needs no "
                "network; the viewer chooses the video file, or uses none."
            ),
        ),
        "serve": Entry(
            "course.cli.subtitles.serve:serve",
            N_(
                "Serve the playback page on this machine, with YouTube's player in it or your copy"
                " of the video. Prints the address to open in a browser; Ctrl-C ends it."
            ),
        ),
    }
)
