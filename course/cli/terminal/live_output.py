"""The output of runs, printed as it comes: its beginning and its end, where it is long."""

from contextlib import suppress
from itertools import takewhile
from typing import Any

from rich.console import Console

from course.base.i18n import ngettext
from course.lesson.warning_note import find_note
from course.render import printed
from course.runs.record import UNREADABLE
from course.runs.script_output import LibraryWarning, ScriptOutput

FIRST, LAST = 30, 15
"""Lines of the beginning that are printed as they come, and of the end, where there are more."""


def folded(console: Console, output: ScriptOutput) -> None:
    """Count the warnings that nothing is known of, and say where they are."""
    count = sum(w.count for w in output.warnings if find_note(w.message) is None)
    if count and output.file is not None:
        sentence = ngettext(
            "{n} warning of libraries is in {file}.",
            "{n} warnings of libraries are in {file}.",
            count,
        )
        printed.quiet(console, sentence.format(n=count, file=f"`{output.file}`"))


class OutputPrinter:
    """Prints the output of a run as it comes; of several runs, what is new in each.

    `begin` is called before each of them, `end` after it. Where it `holds_warnings`, they come at
    `explain_held`: what they say may give away what is to be guessed.
    """

    def __init__(self, console: Console, *, holds_warnings: bool = False) -> None:
        self._console = console
        self._holds = holds_warnings
        self._held: list[LibraryWarning] = []
        self._told: set[str] = set()
        self._before: tuple[str, ...] = ()
        self.begin()

    def begin(self) -> None:
        """Begin a run. Lines that it has in common with the one before are not printed again."""
        self._output = ScriptOutput()
        self._shown = self._common = 0
        self._compares = bool(self._before)
        self._over = False

    def hear(self, event: dict[str, Any]) -> None:
        """Take in an event of a run, which the script could have written too."""
        with suppress(*UNREADABLE):
            if event["event"] == "again":
                self.begin()
            elif event["event"] == "kept":
                self._output = self._output.kept(str(event["file"]))
            self.take(self._output.heard(event))

    def take(self, output: ScriptOutput) -> None:
        """Print what is new in an output, as far as it is not too long."""
        warnings, self._output = self._output.warnings, output
        self._print_lines()
        if output.warnings != warnings:
            self._explain(output.warnings)

    def end(self) -> None:
        """Print the end of an output that is too long to be printed as it came; once."""
        if self._over:
            return
        self._over = True
        if self._compares:
            self._settle()
        lines = self._output.lines
        tail = lines[max(self._shown, len(lines) - LAST) :]
        missing = self._output.omitted + len(lines) - self._shown - len(tail)
        if missing:
            printed.left_out(self._console, missing, self._output.file)
        for line in tail:
            printed.own(self._console, line.text)
        folded(self._console, self._output)
        self._before = tuple(line.text for line in lines)

    def _print_lines(self) -> None:
        lines = self._output.first
        if self._compares:
            both = zip(lines, self._before, strict=False)
            self._common = len(list(takewhile(lambda pair: pair[0].text == pair[1], both)))
            if self._common == len(lines):
                return
            self._settle()
        for line in lines[self._shown : self._common + FIRST]:
            printed.own(self._console, line.text)
            self._shown += 1

    def _settle(self) -> None:
        """Say how many lines are the same as in the run before; the others follow."""
        self._compares = False
        self._shown = self._common
        if self._common:
            text = ngettext(
                "… {n} line, the same as in the step before",
                "… {n} lines, the same as in the step before",
                self._common,
            )
            printed.quiet(self._console, text.format(n=self._common))

    def _explain(self, warnings: tuple[LibraryWarning, ...]) -> None:
        """Print a warning that matters where it comes, once."""
        for found in warnings:
            note = find_note(found.message)
            if note is not None and not note.folded and note.id not in self._told:
                self._told.add(note.id)
                if self._holds:
                    self._held.append(found)
                else:
                    printed.warning(self._console, found)

    def explain_held(self) -> None:
        """Print the warnings that were held."""
        for found in self._held:
            printed.warning(self._console, found)
        self._held.clear()


def tell(console: Console, output: ScriptOutput) -> None:
    """Print the output of a run that is over."""
    printer = OutputPrinter(console)
    printer.take(output)
    printer.end()
