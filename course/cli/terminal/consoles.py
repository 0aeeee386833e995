"""How things look on the terminal: consoles, quoted code, wrapping, one JSON document."""

import contextlib
import io
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from course.base import i18n
from course.base.i18n import _
from course.render.lines import CODE, QUIET, code, paragraph, shows, styled, verbatim, width

# How lines are set belongs to the room that draws blocks.
__all__ = ["CODE", "QUIET", "code", "paragraph", "shows", "styled", "verbatim", "width"]

YES = ("y", "yes", "да", "д", "是", "是的", "好", "好的")
"""Answers that mean yes, whatever the language in force."""

FORMAT = 1
"""The version of every JSON document."""


def prepare_streams() -> None:
    """Make stdout and stderr safe to write to; in English where they can't hold Han or Cyrillic.

    A console in an old code page gets a question mark for what it lacks, never a traceback.
    """
    lacking = ""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
            try:
                # Any text of ours tells: a catalogue is in one script throughout.
                _("Options").encode(stream.encoding)
            except (UnicodeEncodeError, LookupError):
                lacking = stream.encoding
    if lacking:
        i18n.activate(i18n.SOURCE)
        note(
            f"This terminal's encoding ({lacking}) cannot show the chosen language, so this is "
            "English; set `PYTHONIOENCODING=utf-8` if it can show UTF-8 after all."
        )


def follow(tag: str) -> None:
    """Speak the language that a file of the user's names, unless they have named one themselves."""
    if i18n.follow(tag):
        prepare_streams()


def out() -> Console:
    """Make the console for the output that was asked for (stdout)."""
    return Console(highlight=False, soft_wrap=False)


def err() -> Console:
    """Make the console for all else: progress, notes, errors (stderr)."""
    return Console(stderr=True, highlight=False)


def marks(console: Console) -> tuple[str, str, str]:
    """Return the marks for done, biting and coming items."""
    return ("✓", "✗", "○") if shows(console, "✓✗○") else ("+", "x", ".")


def bar(console: Console, done: int, of: int) -> Text:
    """Draw how many of all are done, as dots."""
    full, empty = ("●", "○") if shows(console, "●○") else ("#", ".")
    return Text().append(full * done, "green").append(empty * (of - done), QUIET)


def error(sentence: str) -> None:
    """Print the one sentence that tells the user what went wrong and what to do."""
    console = err()
    line = styled(console, _("Error: {sentence}").format(sentence=sentence))
    line.stylize("bold red", 0, _("Error: {sentence}").index("{"))
    console.print(line, soft_wrap=True)


def note(sentence: str) -> None:
    """Print a sentence that is worth knowing, beside what was asked for."""
    console = err()
    console.print(styled(console, sentence, QUIET), soft_wrap=True)


def document(value: Mapping[str, Any]) -> None:
    """Print one JSON document on stdout, readable in whatever encoding that has."""
    encoding = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "")
    versioned = {"format": FORMAT, **value}
    print(json.dumps(versioned, ensure_ascii=encoding != "utf8", indent=2))


def fields_of(value: object, *names: str) -> dict[str, Any]:
    """Describe an object by these of its fields, under their own names, for a JSON document."""
    return {name: getattr(value, name) for name in names}


class ProgressLine:
    """A live line on a terminal; where there is no terminal, nothing."""

    def __init__(self, status: Any = None, line: Callable[[str], Text] = Text) -> None:
        self._status = status
        self._line = line

    def __call__(self, text: str) -> None:
        """Have it say this."""
        if self._status is not None:
            self._status.update(self._line(text))

    def hide(self) -> None:
        """Take it off the screen: somebody is to type."""
        if self._status is not None:
            self._status.stop()

    def show(self) -> None:
        """Put it back."""
        if self._status is not None:
            self._status.start()


@contextlib.contextmanager
def progress(console: Console, text: str) -> Iterator[ProgressLine]:
    """Hold a live line on a terminal: `update(text)` changes it. Nothing where there is none."""
    if not console.is_terminal or os.environ.get("TERM") == "dumb":
        yield ProgressLine()
        return

    def line(text: str) -> Text:
        shown = Text(" ").append_text(styled(console, text))
        shown.truncate(max(10, console.width - 4), overflow="ellipsis")
        return shown

    with console.status(line(text), spinner="dots") as status:
        yield ProgressLine(status, line)
