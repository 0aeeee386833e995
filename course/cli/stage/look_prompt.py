"""A prompt in a script that waits: looks once it has stopped, `input()`, the debugger."""

import codeop
import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from types import ModuleType

from rich.console import Console

from course.base import paths
from course.base.i18n import N_, _, numbers
from course.cli.terminal import consoles, ipython_prompt, keys
from course.exercise.look import Stoppable
from course.judge.verdict import PROBLEMS
from course.lesson.lesson import Look
from course.render import lines, run_blocks
from course.runs.conversation import Ask, Converse, FrameLook
from course.runs.record import LookResult, RunRecord

PROMPT, MORE = ">>> ", "... "
INDENT = 5
"""Columns before a look that is suggested: for its number."""
ENDED = N_("The script has ended.")
LEAVE = frozenset({"q", "quit", "exit", "й"})
"""Words that leave the prompt; the last is the key `q` of a Russian keyboard."""
HELP = "?"
"""What says once more what can be typed."""
SHOW_SCRIPT = frozenset({"s", "ы"})
"""What shows the script; the second is the same key of a Russian keyboard."""
HISTORY = 1000
"""Lines of the history that are kept."""
SLOW = 0.1
"""Seconds from which on it is said how long a look took."""


class LineReader:
    """Reads lines from the keyboard, with completion and a history.

    Statements are read as IPython reads them where it is installed, with its library for that: it
    can't itself be used, since the names are in another process. Else Python's readline is, where
    there is one.
    """

    def __init__(self) -> None:
        self._complete: Callable[[str], tuple[str, ...]] = lambda text: ()
        self._candidates: tuple[str, ...] = ()
        self._statement: Callable[[str], str] = self.line

    @contextlib.contextmanager
    def remembering(self) -> Iterator[None]:
        """Know the lines of the times before, and keep those of this time."""
        if not keys.are_there() or os.environ.get("TERM") == "dumb":
            yield
            return
        with contextlib.suppress(OSError):
            paths.cache().mkdir(parents=True, exist_ok=True)
        statement = ipython_prompt.reader(
            paths.cache() / "look-history", lambda text: self._complete(text)
        )
        readline = _readline() if statement is None else None
        self._statement = statement or self.line
        if readline is None:
            yield
            return
        path = paths.cache() / "look-history-readline"
        with contextlib.suppress(OSError):
            readline.read_history_file(path)
        readline.set_completer(self._candidate)
        is_libedit = "libedit" in (readline.__doc__ or "")
        readline.parse_and_bind("bind ^I rl_complete" if is_libedit else "tab: complete")
        try:
            yield
        finally:
            readline.set_completer(None)
            readline.set_history_length(HISTORY)
            with contextlib.suppress(OSError):
                readline.write_history_file(path)

    def line(self, prompt: str) -> str:
        """Read one line.

        Raises:
            EOFError: there are no more.
            KeyboardInterrupt: the line is given up.

        """
        return input(prompt if sys.stdin.isatty() else "")

    def word(self, prompt: str) -> str | None:
        """Read a line as a word; return None where the user leaves."""
        try:
            word = self.line(prompt).strip().lower()
        except EOFError:
            return None
        return None if word in LEAVE else word

    def cell(self, complete: Callable[[str], tuple[str, ...]], prompt: str = PROMPT) -> str:
        """Read as many lines as a statement takes; raises as `line` does."""
        self._complete = complete
        text = self._statement(prompt)
        while _is_begun(text):
            text += "\n" + self._statement(MORE)
        return text

    def _candidate(self, text: str, number: int) -> str | None:
        """Return how `text` may go on, one after the other, as readline asks for it."""
        if number == 0:
            self._candidates = self._complete(text)
        return self._candidates[number] if number < len(self._candidates) else None


def _readline() -> ModuleType | None:
    try:
        import readline
    except ImportError:
        return None
    return readline


def _is_begun(text: str) -> bool:
    """Return whether a statement goes on in the next line."""
    try:
        return codeop.compile_command(text, "<look>", "single") is None
    except (SyntaxError, ValueError, OverflowError):
        return False


class LookPrompt:
    """Answers what a script asks for with what somebody types.

    `failed` tells whether a look has raised.
    """

    def __init__(self, console: Console, script: Stoppable, *, online: bool) -> None:
        self._console = console
        self._script = script
        self._online = online
        self._reader = LineReader()
        self._looks: tuple[Look, ...] = ()
        self._frame = 0
        self.failed = False
        self.remembering = self._reader.remembering

    def __call__(self, ask: Ask) -> str | FrameLook | None:
        """Return the user's answer; None at the end of the input."""
        if ask.kind != "look":
            return typed_answer(self._console, self._reader, ask)
        if ask.result is None:
            self._begin(ask)
        else:
            self._show(ask.result)
        return self._next(ask)

    def _next(self, ask: Ask) -> FrameLook | None:
        """Read the next look; answer the words that move between frames here."""
        while True:
            try:
                text = self._reader.cell(lambda begun: ask.complete(begun, self._frame_of(ask)))
            except KeyboardInterrupt:
                print()
                continue
            except EOFError:
                if sys.stdin.isatty():
                    print()
                return None
            word = text.strip()
            if word in LEAVE:
                return None
            if word == HELP:
                self._say_how()
            elif word in ("up", "down") and len(ask.frames) < 2:
                only = _("There is only one frame, so `up` and `down` do nothing.")
                consoles.paragraph(self._console, only, style=consoles.QUIET)
            elif word in ("up", "down"):
                step = 1 if word == "up" else -1
                self._frame = min(max(self._frame + step, 0), len(ask.frames) - 1)
                self._tell_frame(ask)
            elif word.isdecimal() and 1 <= int(word) <= len(self._looks):
                look = self._looks[int(word) - 1]
                consoles.code(self._console, look.code, indent=4, style=consoles.CODE)
                # They are written for the names of the module.
                return FrameLook(look.code, len(ask.frames) - 1 if ask.frames else None)
            elif word:
                return FrameLook(text, self._frame_of(ask))

    def _frame_of(self, ask: Ask) -> int | None:
        return self._frame if ask.frames else None

    def _begin(self, ask: Ask) -> None:
        """Say where the script has stopped, what is worth a look, and how to leave."""
        console = self._console
        tell_stop(console, ask.record)
        if len(ask.frames) > 1:
            self._tell_frame(ask)
        self._looks = self._script.suggestions(ask.record, online=self._online)
        if self._looks:
            console.print()
            consoles.paragraph(console, _("Type an expression, or one of these numbers:"))
            for number, look in enumerate(self._looks, start=1):
                caption = lines.styled(console, _(look.caption))
                for at, line in enumerate(lines.wrap(caption, lines.width(console, INDENT))):
                    lead = str(number) if at == 0 else ""
                    console.print(f"{lead:>{INDENT - 2}}  ", line, sep="", soft_wrap=True)
                consoles.code(console, look.code, indent=INDENT, style=consoles.CODE, fold=True)
        console.print()
        self._say_how()

    def _say_how(self) -> None:
        how = _("Type an expression to see its value. Tab completes names. `q` or Ctrl-D exits.")
        consoles.paragraph(self._console, how, style=consoles.QUIET)

    def _tell_frame(self, ask: Ask) -> None:
        place = ask.frames[self._frame]
        # Translators: {function} is where the names come from that are looked at.
        text = _("In {function}, line {line}: {code}. `up` and `down` go to other frames.")
        sentence = text.format(
            function=f"`{place.function}`", line=place.line, code=f"`{place.text}`"
        )
        consoles.paragraph(self._console, sentence, style=consoles.QUIET)

    def _show(self, result: LookResult) -> None:
        self.failed |= result.error is not None
        show_result(self._console, result)
        if result.seconds >= SLOW and sys.stdin.isatty():
            took = numbers.amount(result.seconds, "duration-second", 1)
            consoles.paragraph(self._console, took, style=consoles.QUIET)


def answers(console: Console, *, is_quiet: bool) -> Converse | None:
    """Make what answers `input()` and the debugger with what somebody types; None without one."""
    if is_quiet or not keys.are_there():
        return None
    reader = LineReader()
    return lambda ask: typed_answer(console, reader, ask)


def typed_answer(console: Console, reader: LineReader, ask: Ask) -> str | None:
    """Read a line for `input()` or for the debugger; return None at the end of the input."""
    *above, last = ask.prompt.split("\n")
    if above:
        consoles.code(console, "\n".join(above))
    while True:
        try:
            return reader.line(last)
        except EOFError:
            print()
            return None
        except KeyboardInterrupt:
            if ask.kind == "input":
                raise
            print()


def tell_stop(console: Console, record: RunRecord) -> None:
    """Say where a script has stopped, and why; or that it has come to its end."""
    raised = record.raised
    if raised is None:
        sentence = PROBLEMS["stopped"] if record.status == "stopped" else ENDED
        consoles.paragraph(console, _(sentence), style="bold")
        return
    own = raised.own
    line = own.line if own is not None else "?"
    consoles.paragraph(console, _("Stopped in line {line}:").format(line=line), style="bold")
    if own is not None:
        consoles.code(console, own.text, indent=4, fold=True)
    if raised.type != "bdb.BdbQuit":  # which `breakpoint()` ends with
        consoles.code(console, last_line(record), indent=2, style="bold red", fold=True)


def last_line(record: RunRecord) -> str:
    """Return the last line of the traceback: the exception and its message."""
    raised = record.raised
    assert raised is not None
    message = run_blocks.decisive(raised)
    return (f"{raised.name}: {message}" if message else raised.name).splitlines()[0]


def show_result(console: Console, result: LookResult) -> None:
    """Print the output of a look, or how it failed."""
    if result.output:
        consoles.code(console, result.output, fold=True)
    if result.error is not None:
        consoles.code(console, result.error, style="red", fold=True)
