"""`course subtitles`: transcripts of the course's videos, one file a command."""

from course.cli.help import group
from course.i18n import N_

HELP = N_("Read, align, export and play the transcripts of videos.")

app = group()
