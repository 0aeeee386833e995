"""`course subtitles`: transcripts of the course's videos, one file a command."""

from course.base.i18n import N_
from course.cli.terminal.help import Commands, Entry

app = Commands(
    {
        "check": Entry(
            "course.cli.subtitles.check:check",
            N_(
                "Check transcripts (SRT, WebVTT or SBV), also broken ones. A broken structure is "
                "an error. A style that makes captions hard to read is a warning. All other "
                "findings are for information. Exit status: 0 without an error, 1 with one, 2 if a "
                "file cannot be read."
            ),
        ),
        "repair": Entry(
            "course.cli.subtitles.repair:repair",
            N_(
                "Write a transcript as clean SRT: numbers from 1, a blank line between cues, "
                "UTF-8. Only the structure is repaired. Words, times, order and line breaks stay "
                "the same. The program shows the changes and asks first."
            ),
        ),
        "align": Entry(
            "course.cli.subtitles.align:align",
            N_(
                "Find out which cues of a transcript belong to which step of a lesson, or to which "
                "heading of a document. A confidence is shown for each. The languages of the two "
                "may differ."
            ),
        ),
        "export": Entry(
            "course.cli.subtitles.export:export",
            N_(
                "Export a transcript, or our own notes on a lesson's video, for a player, a reader "
                "or a program. If the transcript is aligned to a lesson or a document, the export "
                "also has the steps."
            ),
        ),
        "page": Entry(
            "course.cli.subtitles.page:page",
            N_(
                "Make a page that plays a lesson's video. Beside the video, the page shows our "
                "notes, the current step, its script and its fix. The page is one file and needs "
                "no network. The viewer chooses the video file, or uses the page without the video."
            ),
        ),
        "serve": Entry(
            "course.cli.subtitles.serve:serve",
            N_(
                "Serve the playback page on this machine. The page contains YouTube's player or "
                "your copy of the video. The program prints the address to open in a browser. "
                "Ctrl-C ends the server."
            ),
        ),
    }
)
