"""A step of the walk as it is told: error, question, looks, and only then the fault and its fix.

Where somebody is asked they guess first: the stage, before the looks, and after them the fault.
"""

import ast
import contextlib
from collections.abc import Callable, Generator, Iterable

from rich.console import Console

from course.base.i18n import _
from course.cli.stage.look_prompt import HELP, LEAVE, LineReader
from course.cli.terminal import consoles, keys
from course.exercise import guess
from course.exercise.walk import Taken, Visit
from course.lesson import aside
from course.lesson.aside import Asides
from course.lesson.catalogue import STAGES, Fault
from course.lesson.lesson import Look, framework_option
from course.lesson.look_names import in_own_names
from course.render import lesson_blocks, run_blocks, terminal, vitals
from course.render.blocks import Gap, Paragraph, StoryBlock
from course.runs.conversation import Complete
from course.runs.record import LookResult
from course.runs.run_context import RunContext

MORE = "more"
"""What opens the asides of a step that has been told to its end."""
LOOKS = 4
"""Looks before the fault is guessed; the others are shown by their numbers."""
_Choosing = Generator[Look | str, LookResult, int | None]
_Typing = Generator[str, LookResult, int | None]
"""Waits until somebody goes on: to the look of that number, or None for the next thing."""


class StepTelling:
    """Tells one step; where it `asks`, whoever reads looks around and goes on by themselves.

    `is_last` is for the last step of the walk, after which there is nothing to go on to.
    `quits` tells that it was left before its end, `told` that it was told at all, and `guessed`
    whether the first guess of the fault was right: None where none was made. `explain` tells what
    was held back until the fault is known.
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
        explain: Callable[[], None] = lambda: None,
    ) -> None:
        self._console = console
        self._rows = consoles.counted(console)
        self._context = context
        self._asks = asks
        self._is_last = is_last
        self._with_vitals = with_vitals
        self._reader = reader or LineReader()
        self._explain = explain
        self._complete: Complete | None = None
        self._taken: Taken | None = None
        self._results: list[LookResult] = []
        self._shown: set[int] = set()
        self._said = ""
        self.told = False
        self.quits = False
        self.guessed: bool | None = None

    @property
    def answered(self) -> bool:
        """Whether the step was told to its answer: which fault it is, and the fix."""
        return self._taken is not None

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
        told = taken.story
        place = taken.step.device or self._context.device
        hub = self._context.hub.name
        evidence = run_blocks.evidence(taken.verdict, taken.record, place, hub)
        yield from self._tell_in_pages(taken, (Gap(), evidence, *told.ending))
        if self._with_vitals and taken.record.vitals is not None:
            yield from self._tell_in_pages(taken, vitals.vitals(taken.record.vitals))
        match = taken.verdict.match
        stage = None
        if self._asks and match is not None:
            stage = yield from self._guess_stage(taken, told.question)
        else:
            yield from self._tell_in_pages(taken, told.question)
        if not self.quits:
            yield from self._look_around(taken)
        if self._asks and match is not None and not self.quits:
            yield from self._guess_fault(taken, match.fault, told.evidence)
        else:
            yield from self._tell_in_pages(taken, told.evidence)
        fault = (*told.fault, *self._answer_stage(stage, match.fault if match else None))
        yield from self._tell_in_pages(taken, fault)
        yield from self._tell_in_pages(taken, told.fix)
        yield from self._tell_in_pages(taken, (), self._explain)
        if self.quits:
            return
        is_asked = self._asks and (match is not None or bool(taken.fix)) and not self._is_last
        yield from self._tell_in_pages(taken, self._more(taken, folded=is_asked))
        self._taken = taken
        if is_asked and not self.quits:
            yield from self._pause(taken)

    def _tell_in_pages(
        self,
        taken: Taken,
        blocks: Iterable[StoryBlock],
        write: Callable[[], None] = lambda: None,
    ) -> Visit:
        """Draw blocks, and what `write` prints; wait for Enter wherever the screen is full."""

        def draw() -> None:
            terminal.draw(self._console, blocks)
            write()

        if self.quits:
            return
        if not self._asks:
            draw()
            return
        for number, page in enumerate(consoles.pages(self._console, self._rows.rows, draw)):
            if number:
                yield from self._pause(taken)
            if self.quits:
                return
            self._console.file.write(page)

    def _pause(self, taken: Taken) -> Visit:
        """Wait until somebody goes on, and show the looks that they ask for till then."""
        self._say(_("Press Enter to continue. Type q and press Enter to stop."))
        while (number := (yield from self._go_on(""))) is not None:
            yield from self._show_look(taken, number)

    def _guess_stage(self, taken: Taken, question: Iterable[StoryBlock]) -> _Choosing:
        """Ask for the stage of the fault and return its number; None where the user goes on."""
        asked = _("At which stage is the fault? Type its number, or press Enter to continue.")
        names = (f"`{n}` {_(STAGES[name])}" for n, name in enumerate(guess.STAGES, start=1))
        stages = Paragraph("   ".join(names), indent=2)
        yield from self._tell_in_pages(
            taken, (*question, Gap(), Paragraph(asked, "heading"), stages)
        )
        keys.drop_typed()
        return (yield from self._choose(len(guess.STAGES)))

    def _choose(self, count: int) -> _Typing:
        """Read a number of so many; None where somebody goes on without one, or leaves."""
        while not self.quits:
            number = yield from self._go_on(f"1-{count}")
            if number is None or 1 <= number <= count:
                return number
            self._refuse(count)
        return None

    def _refuse(self, count: int) -> None:
        self._draw(Paragraph(_("Give a number from 1 to {n}.").format(n=count), "quiet"))

    def _answer_stage(self, number: int | None, fault: Fault | None) -> Iterable[StoryBlock]:
        if number is None or fault is None:
            return
        guessed = _(STAGES[guess.STAGES[number - 1]])
        right = guessed if guess.is_stage(fault, number) else _(STAGES[fault.stage])
        sentence = _("Your guess: {guessed}. The stage of this fault: {stage}.")
        yield Paragraph(sentence.format(guessed=guessed, stage=right), "quiet")

    def _guess_fault(self, taken: Taken, fault: Fault, evidence: Iterable[StoryBlock]) -> Visit:
        """Have the fault be chosen among its neighbours; each guess is answered by what differs."""
        choice = guess.choice(fault)
        if choice is None:
            yield from self._tell_in_pages(taken, evidence)
            yield from self._pause(taken)
            return
        asked = _("Which fault is it? Type its number, or press Enter to see the answer.")
        choices = lesson_blocks.choices(choice.offered)
        yield from self._tell_in_pages(
            taken, (*evidence, Gap(), Paragraph(asked, "heading"), *choices)
        )
        keys.drop_typed()
        while not self.quits:
            number = yield from self._choose(len(choice.offered))
            if number is None:
                return
            guessed = choice.offered[number - 1]
            is_right = guessed is choice.fault
            self.guessed = is_right if self.guessed is None else self.guessed
            apart = in_own_names(choice.apart(guessed), taken.part.text(taken.step.bugs))
            self._draw(*lesson_blocks.guessed(guessed, apart))
            if is_right:
                return

    def _look_around(self, taken: Taken) -> Visit:
        """Yield the lesson's looks one after another; where the user is asked, theirs between."""
        if not self._asks:
            if taken.looks:
                self._draw(Gap(), run_blocks.looking())
            for look, result in taken.looks:
                shown = lesson_blocks.look(look, result.output, result.error, result.seconds)
                self._draw(Gap(), *shown)
            return
        looks = taken.part.looks_at(taken.step.id) if self._attended else ()
        if looks:
            ways = _(
                "Inspect the stopped script yourself: type an expression, such as the name of a "
                "variable. Enter shows the lesson's next inspection. q stops."
            )
            self._say(ways)
        elif taken.verdict.match is None and (self._attended or not self._is_last):
            yield from self._pause(taken)
        while len(self._shown) < min(len(looks), LOOKS):
            first = min(len(looks), LOOKS)
            number = yield from self._go_on(f"{len(self._shown)}/{first}")
            if self.quits:
                return
            following = next(n for n in range(1, len(looks) + 1) if n not in self._shown)
            yield from self._show_look(taken, following if number is None else number)
        if len(looks) > LOOKS:
            yield from self._offer_others(taken, len(looks))
        elif looks and taken.verdict.match is None:
            yield from self._pause(taken)

    def _offer_others(self, taken: Taken, count: int) -> Visit:
        """Say that there are more looks than the first, and wait until somebody goes on."""
        more = _(
            "There are {n} inspections in all. Type a number to see that inspection, or press "
            "Enter to continue."
        )
        self._say(more.format(n=count))
        while (number := (yield from self._go_on(f"1-{count}"))) is not None:
            yield from self._show_look(taken, number)

    def _show_look(self, taken: Taken, number: int) -> Visit:
        """Show the lesson's look of a number; those before it are taken, as it uses their names."""
        looks = taken.part.looks_at(taken.step.id) if self._attended else ()
        if not 1 <= number <= len(looks):
            if looks:
                self._refuse(len(looks))
            return
        for look in looks[len(self._results) : number]:
            with consoles.progress(self._console, _("Inspecting the stopped script …")):
                self._results.append((yield look))
        heading = () if self._shown else (Gap(), run_blocks.looking())
        self._shown.add(number)
        look, result = looks[number - 1], self._results[number - 1]
        shown = lesson_blocks.look(look, result.output, result.error, result.seconds)
        yield from self._tell_in_pages(taken, (*heading, Gap(), *shown))
        keys.drop_typed()

    def _draw(self, *blocks: StoryBlock) -> None:
        terminal.draw(self._console, blocks)

    def _more(self, taken: Taken, *, folded: bool) -> Iterable[StoryBlock]:
        """Return the reading beside the step and how it is opened: by a word, or by a command."""
        option = framework_option(taken.part)
        command = f"course more {taken.part.lesson} {taken.step.id}{option}"
        return lesson_blocks.asides(_asides(taken), MORE if folded else command, folded=folded)

    def _say(self, sentence: str) -> None:
        self._said = sentence
        self._console.print()
        consoles.paragraph(self._console, sentence, style="bold")
        keys.drop_typed()

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
                with consoles.paged(self._console):
                    self._draw(*lesson_blocks.opened(_asides(self._taken)))
                continue
            if word in (HELP, MORE):
                self._say(self._said)
                continue
            yield from self._evaluate(typed)

    def _typed(self, prompt: str) -> str:
        """Read a typed answer; the end of the input counts as a stop."""
        complete = self._complete
        self._rows.rows = 0
        try:
            if complete is None:
                return self._reader.line(prompt).strip()
            return self._reader.cell(lambda begun: complete(begun, None), prompt).strip()
        except EOFError:
            return "q"

    def _evaluate(self, code: str) -> Generator[str, LookResult]:
        if not self._attended:
            gone = _("This step was not run on this machine, so there is no script to inspect.")
            consoles.paragraph(self._console, gone, style=consoles.QUIET)
            return
        if not _is_python(code):
            sentence = _("This line is not valid Python.")
            consoles.paragraph(self._console, sentence, style=consoles.QUIET)
            return
        with consoles.progress(self._console, _("Inspecting the stopped script …")):
            result = yield code
        self._draw(*lesson_blocks.seen(code, result.output, result.error))


def _asides(taken: Taken) -> Asides:
    return aside.of_step(taken.part, taken.step.id)


def _is_python(code: str) -> bool:
    with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        ast.parse(code)
        return True
    return False
