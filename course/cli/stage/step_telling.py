"""A step of the walk as it is told: error, question, looks, and only then the fault and its fix."""

import ast
import contextlib
from collections.abc import Generator

from rich.console import Console

from course.cli.stage.look_prompt import LEAVE, LineReader
from course.cli.terminal import consoles, show
from course.exercise.walk import Taken, Visit
from course.i18n import _
from course.render import terminal, vitals
from course.runs.conversation import Complete
from course.runs.record import LookResult
from course.runs.run_context import RunContext

MORE = "more"
"""What opens the asides of a step that has been told to its end."""
_Typing = Generator[str, LookResult, int | None]
"""Waits until somebody goes on: to the look of that number, or None for the next thing."""


class StepTelling:
    """Tells one step; where it `asks`, whoever reads looks around and goes on by themselves.

    `is_last` is for the last step of the walk, after which there is nothing to go on to.
    `quits` tells that it was left before its end, and `told` that it was told at all.
    """

    def __init__(
        self,
        console: Console,
        context: RunContext,
        *,
        asks: bool,
        is_last: bool,
        with_vitals: bool = False,
        reader: LineReader | None = None,
    ) -> None:
        self._console = console
        self._context = context
        self._asks = asks
        self._is_last = is_last
        self._with_vitals = with_vitals
        self._reader = reader or LineReader()
        self._complete: Complete | None = None
        self._taken: Taken | None = None
        self.told = False
        self.quits = False

    def visit(self, taken: Taken, complete: Complete) -> Visit:
        """Tell a step whose script is still there, to be looked into."""
        self._complete = complete
        return self._tell(taken)

    def tell(self, taken: Taken) -> None:
        """Tell a step whose script is gone, or was never run."""
        for _wanted in self._tell(taken):
            raise AssertionError("there is no script to look into")

    @property
    def _attended(self) -> bool:
        """Whether there is a script to look into."""
        return self._complete is not None

    def _tell(self, taken: Taken) -> Visit:
        self.told = True
        show.evidence(self._console, taken, self._context)
        show.error(self._console, taken)
        if self._with_vitals and taken.record.vitals is not None:
            terminal.draw(self._console, vitals.vitals(taken.record.vitals))
        show.question(self._console, taken)
        yield from self._look_around(taken)
        if self.quits:
            return
        show.fault(self._console, taken)
        show.fix(self._console, taken)
        has_more = taken.verdict.match is not None or taken.fix
        is_asked = self._asks and has_more and not self._is_last
        show.more(self._console, taken, MORE if is_asked else "")
        self._taken = taken
        if is_asked:
            self._say(
                _("Press Enter to take the bug out and go on, or q and Enter to stop.")
                if taken.fix
                else _("Press Enter to go on, or q and Enter to stop.")
            )
            yield from self._go_on("")

    def _look_around(self, taken: Taken) -> Visit:
        """The lesson's looks one after another; where somebody is asked, with their own between."""
        if not self._asks:
            show.looks(self._console, taken)
            return
        looks = taken.part.looks_at(taken.step.id) if self._attended else ()
        results: list[LookResult] = []
        if looks:
            ways = _(
                "Look for yourself: type an expression, such as the name of a variable. Enter "
                "shows the lesson's next look ({n} in all), a number goes on to that one, q stops."
            )
            self._say(ways.format(n=len(looks)))
        elif self._announce_end(taken):
            return
        while True:
            number = yield from self._go_on(f"{len(results)}/{len(looks)}" if looks else "")
            if number and number <= len(results):
                show.one_look(self._console, looks[number - 1], results[number - 1])
                continue
            if self.quits or len(results) == len(looks):
                return
            until = min(number, len(looks)) if number else len(results) + 1
            for look in looks[len(results) : until]:
                with consoles.progress(self._console, _("Looking into the stopped script …")):
                    result = yield look
                if not results:
                    show.looks_heading(self._console, taken)
                results.append(result)
                show.one_look(self._console, look, result)
            if len(results) == len(looks):
                self._announce_end(taken)

    def _announce_end(self, taken: Taken) -> bool:
        """Say what comes when the looks are over; whether nothing does."""
        if taken.verdict.match is not None:
            self._say(_("Press Enter to see which fault it is, or q and Enter to stop."))
        elif self._attended or not self._is_last:
            self._say(_("Press Enter to go on, or q and Enter to stop."))
        else:
            return True
        return False

    def _say(self, sentence: str) -> None:
        self._console.print()
        consoles.paragraph(self._console, sentence, style="bold")

    def _go_on(self, place: str) -> _Typing:
        """Evaluate what is typed, until it is a word that goes on, or one that stops."""
        while True:
            typed = self._typed(f"{place}> ")
            word = typed.lower()
            if word in LEAVE:
                self.quits = True
                return None
            if not word or word in consoles.YES:
                return None
            if word.isdecimal():
                return int(word)
            if word == MORE and self._taken is not None:
                show.opened(self._console, self._taken)
                continue
            yield from self._evaluate(typed)

    def _typed(self, prompt: str) -> str:
        """What is typed; the end of the input stops."""
        complete = self._complete
        try:
            if complete is None:
                return self._reader.line(prompt).strip()
            return self._reader.cell(lambda begun: complete(begun, None), prompt).strip()
        except EOFError:
            return "q"

    def _evaluate(self, code: str) -> Generator[str, LookResult]:
        if not self._attended:
            gone = _("Nothing was run here, so there is no script to look into.")
            consoles.paragraph(self._console, gone, style=consoles.QUIET)
            return
        if not _is_python(code):
            sentence = _(
                "That is no Python. Type an expression, such as the name of a variable, or press "
                "Enter to go on."
            )
            consoles.paragraph(self._console, sentence, style=consoles.QUIET)
            return
        with consoles.progress(self._console, _("Looking into the stopped script …")):
            result = yield code
        show.own_look(self._console, code, result)


def _is_python(code: str) -> bool:
    with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        ast.parse(code)
        return True
    return False
