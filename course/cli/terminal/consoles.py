"""How things look on the terminal: consoles, quoted code, wrapping, one JSON document."""

import contextlib
import io
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from course.base import i18n
from course.base.i18n import _
from course.render.lines import (
    CODE,
    QUIET,
    code,
    paragraph,
    shows,
    styled,
    verbatim,
    width,
    wrap,
)

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


def follow_last() -> None:
    """Where the locale names no language of ours, speak that of the last exercise or walk."""
    from course.exercise import walk_progress

    if i18n.language() == i18n.SOURCE:
        follow(walk_progress.last_language())


def out() -> Console:
    """Make the console for the output that was asked for (stdout)."""
    return Console(highlight=False, soft_wrap=False)


def err() -> Console:
    """Make the console for all else: progress, notes, errors (stderr)."""
    return Console(stderr=True, highlight=False)


class CountedRows:
    """A stream of a console that counts the `rows` printed since somebody has typed last."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.rows = 0

    def write(self, text: str) -> int:
        """Write a text, and count its lines."""
        self.rows += text.count("\n")
        return int(self._stream.write(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def counted(console: Console) -> CountedRows:
    """Have a console count its rows, and return what counts them."""
    if not isinstance(console.file, CountedRows):
        console.file = CountedRows(console.file)  # type: ignore[assignment]
    found = console.file
    assert isinstance(found, CountedRows)
    return found


BELOW = 4
"""Rows for the question below a page: a gap, a sentence of two rows, and the prompt."""


def pages(console: Console, stands: int, write: Callable[[], None]) -> Iterator[str]:
    """Divide what `write` prints into what fits the screen, each page to be read before the next.

    `stands` is how many rows the screen has already that nobody has read. The first page is empty
    where there is no room below them.
    """
    with console.capture() as captured:
        write()
    room = max(1, console.height - BELOW)
    found = [[""]]
    free = room
    text = captured.get()
    for line in text.splitlines(keepends=True):
        # A line of code or an address stays whole, and the terminal breaks it.
        rows = max(1, -(-Text.from_ansi(line).cell_len // console.width))
        if rows > free and free < room:
            found.append([])
            free = room
        found[-1].append(line)
        free -= rows
    if text and stands and (len(found) > 1 or stands + room - free > room):
        yield ""
    yield from map("".join, found)


@contextlib.contextmanager
def paged(console: Console) -> Iterator[None]:
    """Have what is longer than the screen read in the user's pager, as git does."""
    if not (console.is_terminal and sys.stdin.isatty()) or os.environ.get("TERM") == "dumb":
        yield
        return
    with console.capture() as captured:
        yield
    text = captured.get()
    if text.count("\n") < console.height:
        console.file.write(text)
        return
    os.environ.setdefault("LESS", "FRX")
    if console.encoding.startswith("utf"):
        # A locale such as `C` would have `less` show the bytes.
        os.environ.setdefault("LESSCHARSET", "utf-8")
    # `less` itself says nothing but a colon.
    with console.capture() as keys:
        paragraph(console, _("Space: next page. q: close."), style=QUIET)
    click.echo_via_pager(keys.get() + text, color=True)


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
    _print_sentence(console, line)


def note(sentence: str) -> None:
    """Print a sentence that is worth knowing, beside what was asked for."""
    console = err()
    _print_sentence(console, styled(console, sentence, QUIET))


def _print_sentence(console: Console, line: Text) -> None:
    """Print a sentence: in lines on a terminal, and in one where a program may read it."""
    for piece in wrap(line, width(console)) if console.is_terminal else [line]:
        console.print(piece, soft_wrap=True)


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
