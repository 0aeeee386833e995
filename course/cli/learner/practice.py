"""`course practice`: one fault after another, to be named; what was missed comes back sooner."""

from collections.abc import Iterable
from typing import Any

import click

from course.base import files, paths
from course.base.errors import UserError
from course.base.i18n import N_, _, about
from course.base.texts import translated
from course.cli.environment.run_place import find_context
from course.cli.stage.look_prompt import SHOW_SCRIPT, LineReader
from course.cli.terminal import consoles, keys, live
from course.cli.terminal.options import cold_option, fw_option, json_option
from course.exercise import drill, guess
from course.exercise.drill import Drill, FaultCard
from course.exercise.practice import UNSAVED
from course.judge.attempt import judge_attempt
from course.judge.verdict import Verdict, should_stop
from course.lesson.bug import diff
from course.lesson.catalogue import catalogue
from course.lesson.lesson import parts_in
from course.render import lesson_blocks, story, terminal
from course.render.blocks import Code, StoryBlock
from course.runs.process import Job
from course.runs.record import RunRecord
from course.runs.run_context import RunContext

GO_ON = N_("Press Enter to continue. Type q and press Enter to stop.")


@fw_option
@click.option(
    "--count",
    type=int,
    metavar="N",
    help=N_("Stop after this number of drills. If not given: until you stop."),
)
@cold_option
@json_option
def practice(fw: str | None, count: int | None, cold: bool, as_json: bool) -> int:
    """Ask one drill after another; 0 also where it is left early."""
    if as_json:
        consoles.document(_document())
        return 0
    if not keys.are_there():
        raise UserError(_("`course practice` asks questions, so it needs a terminal."))
    if count is not None and count < 1:
        sentence = _("Give a number of at least {n}.")
        raise UserError(about("`--count`", sentence.format(n=1)))
    framework = fw or paths.frameworks()[0]
    found = drill.drills([framework])
    if not found:
        parts_in(framework)
    context = find_context(found[0].part, "embedded", cold=cold, quiet=False)
    return _Session(found, context).run(count)


class _Session:
    """Drills of one sitting."""

    def __init__(self, found: tuple[Drill, ...], context: RunContext) -> None:
        self._found = found
        self._context = context
        self._console = consoles.out()
        self._rows = consoles.counted(self._console)
        self._reader = LineReader()
        self._cards = drill.read()
        self._recent: list[str] = []
        self._asked = self._right = 0

    def run(self, count: int | None) -> int:
        """Ask until somebody leaves, or so many times."""
        while self._found and (count is None or self._asked < count):
            chosen = drill.draw(self._found, self._cards, self._recent, drill.now())
            self._recent.append(chosen.bug.fault)
            is_answered = self._ask(chosen)
            if is_answered is None:
                continue
            if not is_answered:
                break
            if count is not None and self._asked == count:
                break
            if self._typed(_(GO_ON), "> ") is None:
                break
        self._tell_end()
        return 0

    def _ask(self, chosen: Drill) -> bool | None:
        """Ask one drill; False where somebody leaves it, None where its bug does not show."""
        console = self._console
        path = paths.cache() / "practice" / chosen.name
        text = translated(chosen.text, _)
        path.parent.mkdir(parents=True, exist_ok=True)
        files.write(path, text.encode())
        console.print()
        title = _("Drill {n}").format(n=self._asked + 1)
        console.rule(consoles.styled(console, title, "bold"), align="left")
        sentence = _("The script of the lesson {lesson} has one bug: {path}")
        lesson = f"`{chosen.part.lesson}`"
        consoles.paragraph(console, sentence.format(lesson=lesson, path=f"`{path}`"))
        record, verdict = self._run(chosen, text)
        match = verdict.match
        choice = guess.choice(match.fault) if match is not None else None
        if match is None or choice is None:
            # Another version of a library may have the bug show in another way, or not at all.
            consoles.paragraph(
                console,
                _(
                    "This run showed no fault that this drill can ask about. So the drill is left "
                    "out."
                ),
            )
            self._found = tuple(each for each in self._found if each is not chosen)
            return None
        change = diff(text, translated(chosen.part.text(()), _), chosen.name)
        told = story.of_drill(verdict, match, record, chosen.bug, change)
        self._draw(told.ending)
        self._draw(told.evidence)
        answer = self._guess(choice, text)
        if answer is None:
            return False
        self._note(chosen.bug.fault, is_right=answer)
        return self._draw(told.fault) and self._draw(told.fix)

    def _run(self, chosen: Drill, text: str) -> tuple[RunRecord, Verdict]:
        outcome = chosen.part.outcome
        job = Job(text, name=chosen.name, processes=chosen.processes, asks=())
        with live.listening(self._console) as listen:
            done = self._context.run(
                job, listen, enough=lambda record: should_stop(record, outcome)
            )
        attempt = judge_attempt(chosen.part, (chosen.bug,), done.record)
        return done.record, attempt.verdict

    def _guess(self, choice: guess.Choice, text: str) -> bool | None:
        """Ask which fault it is; whether the first guess is right, None where somebody leaves."""
        question = _(
            "Which fault is it? Type its number. `s` shows the script, Enter shows the answer, q "
            "stops."
        )
        self._draw(lesson_blocks.choices(choice.offered))
        first: bool | None = None
        while True:
            word = self._typed(question, f"1-{len(choice.offered)}> ")
            if word is None:
                return None
            if word in SHOW_SCRIPT:
                with consoles.paged(self._console):
                    terminal.draw(self._console, [Code(text, numbered=True)])
                continue
            if not word:
                return bool(first)
            if not (word.isdecimal() and 1 <= int(word) <= len(choice.offered)):
                sentence = _("Give a number from 1 to {n}.").format(n=len(choice.offered))
                consoles.paragraph(self._console, sentence, style=consoles.QUIET)
                continue
            guessed = choice.offered[int(word) - 1]
            first = guessed is choice.fault if first is None else first
            terminal.draw(self._console, lesson_blocks.guessed(guessed, choice.apart(guessed)))
            if guessed is choice.fault:
                return first

    def _draw(self, blocks: Iterable[StoryBlock]) -> bool:
        """Draw blocks, and wait for Enter wherever the screen is full; False where they leave."""

        def draw() -> None:
            terminal.draw(self._console, blocks)

        for number, page in enumerate(consoles.pages(self._console, self._rows.rows, draw)):
            if number and self._typed(_(GO_ON), "> ") is None:
                return False
            self._console.file.write(page)
        return True

    def _typed(self, question: str, prompt: str) -> str | None:
        """Ask for a word and return it; return None where the user leaves."""
        self._console.print()
        consoles.paragraph(self._console, question, style="bold")
        keys.drop_typed()
        word = self._reader.word(prompt)
        self._rows.rows = 0
        return word

    def _note(self, fault: str, *, is_right: bool) -> None:
        self._asked += 1
        self._right += is_right
        card = self._cards.get(fault, FaultCard()).after(is_right=is_right, now=drill.now())
        self._cards[fault] = card
        if not drill.keep(self._cards):
            consoles.note(_(UNSAVED))

    def _tell_end(self) -> None:
        console = self._console
        console.print()
        if self._asked:
            sentence = _("Right at the first guess: {right} of {all}.")
            text = sentence.format(right=self._right, all=self._asked)
            consoles.paragraph(console, text, style="bold")
        waiting = drill.due(self._cards, drill.now())
        sentence = _(
            "Number of faults to review now: {due}. The others come back in the next few days."
        )
        consoles.paragraph(console, sentence.format(due=waiting), style=consoles.QUIET)


def _document() -> dict[str, Any]:
    """Describe how far the practice has come: `course/schemas/practice.schema.json`."""
    cards, known = drill.read(), catalogue()
    return {
        "due": drill.due(cards, drill.now()),
        "faults": [
            {
                "fault": name,
                "title": _(known[name].title),
                **consoles.fields_of(card, "box", "due", "seen", "right"),
            }
            for name, card in sorted(cards.items())
            if name in known
        ],
    }
