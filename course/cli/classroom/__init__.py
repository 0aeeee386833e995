"""`course class`: exercises for a class, its submissions and marks, one file a command."""

from course.cli.terminal.help import Commands, entries

app = Commands(entries("class"))
