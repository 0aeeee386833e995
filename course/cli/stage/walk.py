"""The walk through a lesson on the terminal."""

import contextlib
from typing import Any

from rich.console import Console

from course.cli.stage.look_prompt import LineReader
from course.cli.stage.step_telling import StepTelling
from course.cli.terminal import consoles, keys, live, show
from course.cli.terminal.json_output import document, look_documents, step_document
from course.cli.terminal.live_output import OutputPrinter
from course.exercise import walk
from course.exercise.walk import BeginVisit, Taken, Visit
from course.i18n import _, enumerate_words
from course.lesson import lesson
from course.lesson.lesson import Part, Step, framework_option
from course.render import terminal
from course.render.blocks import Code
from course.runs.conversation import Complete
from course.runs.run_context import RunContext
from course.texts import paragraphs


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
    console = consoles.out()
    asks = not yes and keys.are_there()
    reader = LineReader()
    printer = OutputPrinter(console)
    taken = []
    with reader.remembering() if asks else contextlib.nullcontext():
        for part, step in steps:
            is_first = not taken or taken[-1].part is not part
            if is_first:
                _show_opening(console, part, context)
            _show_step(console, part, step)
            _show_script(console, part, step, context, whole=is_first)
            is_last = step is steps[-1][1]
            telling = StepTelling(
                console,
                context,
                asks=asks,
                is_last=is_last,
                with_vitals=with_vitals,
                reader=reader,
            )
            visit = telling.visit if asks else None
            taken.append(_take(console, part, step, context, printer, visit))
            if not telling.told:
                telling.tell(taken[-1])
            if telling.quits:
                break
            if step is part.steps[-1]:
                _show_mended(console, part, step, context)
                _show_outro(console, part)
            if is_last:
                _show_end(console, taken)
    return 0 if all(t.verdict.matched for t in taken) else 1


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
        "question": show.question_of(taken),
        "looks": look_documents(taken),
    }


def _show_opening(console: Console, part: Part, context: RunContext) -> None:
    found = lesson.load(part.lesson)
    consoles.paragraph(console, _(found.title), style="bold")
    for text in paragraphs(found.summary):
        consoles.paragraph(console, _(text))
    versions = ", ".join(f"{k} {v}" for k, v in context.runtime.versions.items())
    consoles.paragraph(console, f"`{versions}`", style=consoles.QUIET)
    if not context.online:
        sentence = _(
            "Embedded hub: a tiny model and our own sentences under the real names. The figures "
            "are theirs, not those of the real model on the real data."
        )
        consoles.paragraph(console, sentence, style=consoles.QUIET)
    else:
        for text in paragraphs(part.online.sample.reason):
            consoles.paragraph(console, _(text), style=consoles.QUIET)


def _show_step(console: Console, part: Part, step: Step) -> None:
    # Its id is that of its fault, which is told only in the end.
    number = [s.id for s in part.steps].index(step.id) + 1
    title = _("Step {n} of {all}").format(n=number, all=len(part.steps))
    console.print()
    console.rule(consoles.styled(console, title, "bold"), align="left")
    for text in paragraphs(step.intro):
        consoles.paragraph(console, _(text))


def _show_script(
    console: Console, part: Part, step: Step, context: RunContext, *, whole: bool
) -> None:
    """Keep the script of a step where it can be opened; show the `whole` of it at first."""
    path = walk.keep_script(part, step, context.hub)
    if not whole:
        return
    console.print()
    if path is None:
        consoles.paragraph(console, _("The script:"))
    else:
        sentence = _("The script. It lies in {path}, too, as it stands at each step:")
        consoles.paragraph(console, sentence.format(path=f"`{path}`"))
    console.print()
    terminal.draw(console, [Code(walk.script(part, step, context.hub), numbered=True)])
    console.print()


def _show_mended(console: Console, part: Part, step: Step, context: RunContext) -> None:
    console.print()
    consoles.paragraph(console, _("The whole script, with all bugs out:"), style="bold")
    console.print()
    terminal.draw(console, [Code(walk.script(part, step, context.hub), numbered=True)])


def _show_outro(console: Console, part: Part) -> None:
    for text in paragraphs(part.outro):
        console.print()
        consoles.paragraph(console, _(text))


def _show_end(console: Console, taken: list[Taken]) -> None:
    failed = [t for t in taken if not t.verdict.matched]
    console.print()
    if failed:
        names = enumerate_words(f"`{t.step.id}`" for t in failed)
        consoles.paragraph(console, _("Not as expected: {steps}.").format(steps=names), style="red")
    else:
        sentence = _("Every step went as expected, and the script trains.")
        consoles.paragraph(console, sentence, style="green")
    part = taken[0].part
    sentence = _("Now it is your turn: {command} makes your own copy of the script, bugs and all.")
    command = f"`course start {part.lesson}{framework_option(part)}`"
    consoles.paragraph(console, sentence.format(command=command))
    following = walk.next_lesson(part)
    if following is not None:
        sentence = _("The next lesson: {command}.")
        consoles.paragraph(console, sentence.format(command=f"`course run {following}`"))
