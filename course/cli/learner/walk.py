"""The walk through a lesson on the terminal."""

import sys

from rich.console import Console

from course.cli.terminal import consoles, live, show
from course.cli.terminal.json_output import document, look_documents, step_document
from course.cli.terminal.live_output import OutputPrinter
from course.exercise import walk
from course.exercise.walk import Taken
from course.i18n import _, enumerate_words
from course.lesson import lesson
from course.lesson.lesson import Part, Step
from course.render import terminal, vitals
from course.run.run_context import RunContext
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
    console = consoles.err() if as_json else consoles.out()
    steps = [(parts[0], step) for step in walk.steps(parts[0], first)]
    steps += [(part, step) for part in parts[1:] for step in part.steps]
    taken: list[Taken] = []
    printer = None if as_json else OutputPrinter(console)
    asks = not (yes or as_json) and sys.stdin.isatty() and sys.stdout.isatty()
    for part, each in steps:
        if not as_json:
            if not taken or taken[-1].part is not part:
                _show_opening(console, part, context)
            _show_step(console, part, each)
        with live.listening(console, printer) as listen:
            done = walk.take(part, each, context, listen)
        if done.note:
            consoles.note(done.note)
        taken.append(done)
        if not as_json:
            _show_taken(console, done, context, with_vitals=with_vitals)
            if each is part.steps[-1]:
                _show_outro(console, part)
        if asks and each is not steps[-1][1] and not _ask(console, done):
            break
    ended = taken[-1].step is steps[-1][1]
    completed = ended and all(t.verdict.matched for t in taken)
    if as_json:
        steps_taken = [
            {
                **step_document(t.verdict, t.record, warm=t.warm),
                "part": t.part.lesson,
                "looks": look_documents(t),
            }
            for t in taken
        ]
        consoles.document(document(parts[0], context, steps_taken, completed=completed))
    elif ended:
        _show_end(console, taken)
    return 0 if all(t.verdict.matched for t in taken) else 1


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
    number = [s.id for s in part.steps].index(step.id) + 1
    title = _("Step {number} of {total}: {name}").format(
        number=number, total=len(part.steps), name=f"`{step.id}`"
    )
    console.print()
    console.rule(consoles.styled(console, title, "bold"), align="left")
    for text in paragraphs(step.intro):
        consoles.paragraph(console, _(text))


def _show_taken(console: Console, taken: Taken, context: RunContext, *, with_vitals: bool) -> None:
    show.evidence(console, taken, context)
    show.observed(console, taken)
    if with_vitals and taken.record.vitals is not None:
        terminal.draw(console, vitals.vitals(taken.record.vitals))
    show.looks(console, taken)
    show.fix(console, taken)


def _ask(console: Console, taken: Taken) -> bool:
    """Whether to go on; the end of the input means no."""
    question = (
        _("Press Enter to take the bug out and go on, or q and Enter to stop.")
        if taken.fix
        else _("Press Enter to go on, or q and Enter to stop.")
    )
    console.print()
    consoles.paragraph(console, question, style="bold")
    try:
        return input("> ").strip().lower() not in ("q", "quit", "exit")
    except EOFError:
        return False


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
