"""The walk through a lesson on the terminal."""

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from course.base.i18n import _, enumerate_words, spoken_option
from course.base.texts import paragraphs
from course.cli.stage.look_prompt import SHOW_SCRIPT, LineReader
from course.cli.stage.step_telling import StepTelling
from course.cli.terminal import consoles, keys, live
from course.cli.terminal.json_output import document, look_documents, step_document
from course.cli.terminal.live_output import OutputPrinter
from course.exercise import walk, walk_progress
from course.exercise.walk import BeginVisit, Taken, Visit
from course.lesson import lesson
from course.lesson.lesson import Part, Step, framework_option
from course.render import lesson_blocks, terminal
from course.render.blocks import Code, Gap, Paragraph, StoryBlock, prose
from course.runs.conversation import Complete
from course.runs.run_context import RunContext


def run(
    parts: list[Part],
    context: RunContext,
    first: str | None,
    *,
    yes: bool,
    as_json: bool,
    with_vitals: bool = False,
) -> int:
    """Walk through these parts from the step `first`, or from the beginning.

    The vital signs of what trained are shown `with_vitals`; JSON always has them. Returns 1 where
    a step did not go as expected.
    """
    steps = [(parts[0], step) for step in walk.steps(parts[0], first)]
    steps += [(part, step) for part in parts[1:] for step in part.steps]
    if as_json:
        taken = [_take(consoles.err(), part, step, context) for part, step in steps]
        completed = all(t.verdict.matched for t in taken)
        documents = [_document(t) for t in taken]
        consoles.document(document(parts[0], context, documents, completed=completed))
        return 0 if completed else 1
    asks = not yes and keys.are_there()
    teller = _Teller(parts[0], context, asks=asks, with_vitals=with_vitals)
    taken = []
    with teller.reader.remembering() if asks else contextlib.nullcontext():
        for number, (part, step) in enumerate(steps):
            is_first = not taken or taken[-1].part is not part
            following = steps[number + 1][1] if number + 1 < len(steps) else None
            if not teller.begin(part, step, is_first=is_first):
                break
            taken.append(teller.tell(part, step, following))
            if teller.quits:
                break
        else:
            teller.end(taken)
    return 0 if all(t.verdict.matched for t in taken) else 1


class _Teller:
    """Tells a walk on the terminal, and writes down how far it has come where somebody is asked.

    `quits` tells that it was left.
    """

    def __init__(self, first: Part, context: RunContext, *, asks: bool, with_vitals: bool) -> None:
        self.reader = LineReader()
        self.quits = False
        self._console = consoles.out()
        self._rows = consoles.counted(self._console)
        self._known = walk_progress.of(first)
        self._first = first
        self._context = context
        self._asks = asks
        self._with_vitals = with_vitals
        self._printer = OutputPrinter(self._console, holds_warnings=asks)

    def begin(self, part: Part, step: Step, *, is_first: bool) -> bool:
        """Show the step, and the script of a part's first one; False where somebody leaves."""
        if is_first:
            self._draw(*_opening(part, self._context))
        # Its id is that of its fault, which is told only in the end.
        number = [s.id for s in part.steps].index(step.id) + 1
        title = _("Step {n} of {all}").format(n=number, all=len(part.steps))
        self._console.print()
        self._console.rule(consoles.styled(self._console, title, "bold"), align="left")
        self._draw(*prose(step.intro))
        path = walk.keep_script(part, step, self._context.hub)
        if is_first and self._asks:
            return self._offer_script(self._script(part, step), path)
        if is_first:
            self._draw(Gap(), *self._saved(path), Gap(), self._script(part, step), Gap())
        return True

    def _saved(self, path: Path | None) -> Iterator[Paragraph]:
        """Say where the script of each step is kept, if it could be."""
        if path is not None:
            sentence = _("The script is saved in {path}. The file changes with each step.")
            yield Paragraph(sentence.format(path=f"`{path}`"))

    def _offer_script(self, script: Code, path: Path | None) -> bool:
        """Let somebody read the script before it runs; False where they leave."""
        self._draw(Gap(), *self._saved(path))
        sentence = _(
            "Press Enter to run the script. Type `s` and press Enter to see the script first. Type "
            "q and press Enter to stop."
        )
        self._draw(Paragraph(sentence, "heading"))
        keys.drop_typed()
        while (word := self.reader.word("> ")) in SHOW_SCRIPT:
            with consoles.paged(self._console):
                self._draw(script)
        self._rows.rows = 0
        return word is not None

    def tell(self, part: Part, step: Step, following: Step | None) -> Taken:
        """Take a step and tell it; `following` comes next, None after the last."""
        telling = StepTelling(
            self._console,
            self._context,
            asks=self._asks,
            is_last=following is None,
            with_vitals=self._with_vitals,
            reader=self.reader,
            explain=self._printer.explain_held,
        )
        visit = telling.visit if self._asks else None
        taken = _take(self._console, part, step, self._context, self._printer, visit)
        if not telling.told:
            telling.tell(taken)
        self.quits = telling.quits
        if self._asks:
            self._note(step, following, telling)
        if step is part.steps[-1] and not self.quits:
            if not self._asks:
                heading = Paragraph(_("The script without bugs"), "heading")
                self._draw(Gap(), heading, Gap(), self._script(part, step))
            for text in prose(part.outro):
                self._draw(Gap(), text)
        return taken

    def _note(self, step: Step, following: Step | None, telling: StepTelling) -> None:
        if self.quits:
            command = f"course run {self._first.lesson}{framework_option(self._first)}"
            sentence = _("{command} continues where you stopped.").format(
                command=f"`{command}{spoken_option()}`"
            )
            self._draw(Paragraph(sentence, "quiet"))
        if self.quits and not telling.answered:
            self._known = replace(self._known, step=step.id)
        else:
            self._known = walk_progress.after(self._known, following, telling.guessed)
        walk_progress.keep(self._first, self._known)

    def end(self, taken: list[Taken]) -> None:
        """Say how the whole walk went, and how to go on."""
        failed = [t for t in taken if not t.verdict.matched]
        self._draw(Gap())
        if failed:
            names = enumerate_words(f"`{t.step.id}`" for t in failed)
            sentence = _("These steps did not go as expected: {steps}.").format(steps=names)
            consoles.paragraph(self._console, sentence, style="red")
        else:
            sentence = _("All steps went as expected, and the script trains the model.")
            self._draw(Paragraph(sentence, "good"))
        part = taken[0].part
        sentence = _(
            "Now it is your turn: {command} makes your own copy of the script, with all its bugs."
        )
        command = f"`course start {part.lesson}{framework_option(part)}`"
        self._draw(Paragraph(sentence.format(command=command)))
        following = walk.next_lesson(part)
        if following is not None:
            sentence = _("The next lesson: {command}.")
            self._draw(Paragraph(sentence.format(command=f"`course run {following}`")))
        if self._asks and self._known.guesses:
            sentence = _("Right at the first guess: {right} of {all}.")
            text = sentence.format(right=self._known.right, all=self._known.guesses)
            self._draw(Paragraph(text, "quiet"))

    def _script(self, part: Part, step: Step) -> Code:
        return Code(walk.script(part, step, self._context.hub), numbered=True)

    def _draw(self, *blocks: StoryBlock) -> None:
        terminal.draw(self._console, blocks)


def going_on(parts: list[Part]) -> str | None:
    """Ask whether to go on with the step that the walk was left at; None for the first step."""
    left_at = walk_progress.of(parts[0]).step or ""
    steps = [step.id for part in parts for step in part.steps]
    # A walk of several parts has one step `healthy` in each: which it was is not known.
    if steps.count(left_at) != 1 or left_at == steps[0] or not keys.are_there():
        return None
    console = consoles.out()
    sentence = _(
        "Last time you stopped at step {n} of {all}. Press Enter to continue there. Type 1 and "
        "press Enter to begin at the first step."
    )
    number = steps.index(left_at) + 1
    consoles.paragraph(console, sentence.format(n=number, all=len(steps)), style="bold")
    word = LineReader().word("> ")
    if word is None:
        raise click.exceptions.Exit(0)
    return None if word else left_at


def _take(
    console: Console,
    part: Part,
    step: Step,
    context: RunContext,
    printer: OutputPrinter | None = None,
    visit: BeginVisit | None = None,
) -> Taken:
    """Take a step with a live line, which is over when the step is visited."""
    with contextlib.ExitStack() as live_line:
        listen = live_line.enter_context(live.listening(console, printer))

        def begun(taken: Taken, complete: Complete) -> Visit:
            assert visit is not None
            live_line.close()
            return visit(taken, complete)

        done = walk.take(part, step, context, listen, begun if visit is not None else None)
    if done.note:
        consoles.note(done.note)
    return done


def _document(taken: Taken) -> dict[str, Any]:
    return {
        **step_document(taken.verdict, taken.record, warm=taken.warm),
        "part": taken.part.lesson,
        "question": lesson_blocks.question(taken.step, raises=taken.verdict.raised is not None),
        "looks": look_documents(taken),
    }


def _opening(part: Part, context: RunContext) -> Iterator[StoryBlock]:
    """Yield what a part is about, and where its steps run."""
    found = lesson.load(part.lesson)
    yield Paragraph(_(found.title), "title")
    yield from prose(found.summary)
    versions = ", ".join(f"{k} {v}" for k, v in context.runtime.versions.items())
    yield Paragraph(f"`{versions}`", "quiet")
    if context.online:
        for text in paragraphs(part.online.sample.reason):
            yield Paragraph(_(text), "quiet")
    else:
        sentence = _(
            "Embedded hub: the names are real, but the model is tiny and the sentences are our "
            "own. The results are not those of the real model on the real data."
        )
        yield Paragraph(sentence, "quiet")
