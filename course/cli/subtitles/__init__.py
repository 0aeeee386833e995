"""`course subtitles`: transcripts of the course's videos, one file a command."""

from course.cli.terminal.help import Commands, entries

app = Commands(entries("subtitles"))
