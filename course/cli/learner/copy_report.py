"""One run of a working copy, as a learner reads it and as a program does."""

from rich.console import Console
from rich.text import Text

from course.base.i18n import _, about, enumerate_words, in_a_row, ngettext, titled
from course.cli.terminal import consoles
from course.cli.terminal.json_output import document, step_document
from course.exercise.guess import Choice
from course.exercise.practice import Practice
from course.judge import messages
from course.judge.verdict import UNANSWERED, describe_problem
from course.lesson.lesson import framework_option
from course.render import run_blocks, story, terminal, vitals
from course.runs.run_context import RunContext


def tell(done: Practice, context: RunContext, *, as_json: bool, with_vitals: bool = False) -> int:
    """Print the verdict, as text or as JSON; the exit status: 0 for a healthy run, else 1.

    The vital signs are shown `with_vitals`; JSON always has them.
    """
    copy = done.copy
    if as_json:
        steps = [step_document(done.attempt.verdict, done.run.record, warm=done.run.warm)]
        consoles.document(
            document(
                copy.part,
                context,
                steps,
                completed=done.attempt.healthy,
                exercise={
                    "path": str(copy.path),
                    "bugs": list(done.now.bugs),
                    "behind": list(done.now.behind),
                    "new": done.attempt.new,
                },
            )
        )
    else:
        report(consoles.out(), done, context)
        if with_vitals:
            terminal.draw(consoles.out(), vitals.vitals(done.run.record.vitals))
    return 0 if done.attempt.healthy else 1


def report(console: Console, done: Practice, context: RunContext) -> None:
    """Print where a run was, its observations and the advice on the next step."""
    text = run_blocks.ran(done.attempt.verdict, context.device, context.hub.name)
    told = about(f"`{done.copy.path.name}`", text)
    consoles.paragraph(console, told, style=consoles.QUIET)
    observed(console, done)
    advise(console, done)


def observed(console: Console, done: Practice, choice: Choice | None = None) -> None:
    """Print the fault that bites now, or how well the model does; then faults behind and new.

    Where there is a `choice`, which fault it is waits for a guess.
    """
    attempt, record = done.attempt, done.run.record
    if choice is None:
        told = story.of_attempt(attempt, record, done.run.output, done.copy.part)
    else:
        question = _("Which fault is it? Press its number. `h` shows a hint and the name.")
        told = story.to_guess(attempt, record, question, choice.offered)
    terminal.draw(console, told)
    standing(console, done)


def brief(console: Console, done: Practice, choice: Choice | None = None) -> None:
    """Print the last line of the exception, and the title and id of the fault if it is known."""
    verdict = done.attempt.verdict
    if verdict.problem in UNANSWERED:
        problem = describe_problem(verdict, done.attempt.outcome)
        consoles.paragraph(console, problem, style="bold red")
    elif verdict.raised is not None:
        words = f"{verdict.raised.name}: {run_blocks.decisive(verdict.raised)}".splitlines()[0]
        console.print()
        consoles.code(console, words, indent=2, style="bold red", fold=True)
    if verdict.match is not None and choice is None:
        fault = verdict.match.fault
        consoles.paragraph(console, titled(fault.title, fault.id), style="bold")


def standing(console: Console, done: Practice) -> None:
    """Print which bugs are behind the learner, whether one is new or back, how many are left."""
    attempt, now = done.attempt, done.now
    console.print()
    if attempt.new:
        own = _("This is not one of the exercise's own bugs.")
        consoles.paragraph(console, own, style="bold yellow")
    elif done.mended_places and attempt.bug is not None:
        places = messages.mended_in_part(done.mended_places, len(attempt.bug.edits))
        consoles.paragraph(console, places, style="bold yellow")
    elif done.again:
        back = _("You had fixed this fault before. One of your edits brought it back.")
        consoles.paragraph(console, back, style="bold yellow")
    order = [bug.fault for bug in done.copy.bugs]
    here = order.index(attempt.bug.fault) if attempt.bug is not None else len(order)
    if not set(now.behind).isdisjoint(order[here:]):
        first = _("Fix this fault first. The later faults that you have already fixed still count.")
        consoles.paragraph(console, first, style="bold yellow")
    if now.behind:
        names = enumerate_words(consoles.verbatim(fault) for fault in now.behind)
        line = Text(f"{consoles.marks(console)[0]} {names}", "green")
        console.print(_("Fixed so far:"), line, soft_wrap=True)
    biting = attempt.bug is not None
    partly = [f for f in now.partly if attempt.bug is None or f != attempt.bug.fault]
    if partly:
        # Translators: {names} are faults.
        text = _("Probably fixed, but only the evaluation can show it: {names}.")
        names = enumerate_words(consoles.verbatim(fault) for fault in partly)
        consoles.paragraph(console, text.format(names=names), style="yellow")
    if attempt.healthy and done.hidden:
        names = enumerate_words(consoles.verbatim(fault) for fault in done.hidden)
        text = _(
            "Your script still has these bugs, but only a machine with a GPU can show them: "
            "{names}."
        )
        consoles.paragraph(console, text.format(names=names), style="bold yellow")
    left = sum(fault not in {*now.behind, *partly, *done.hidden} for fault in done.unmended)
    if attempt.healthy:
        consoles.paragraph(
            console, _("The script trains, and the model has learned."), style="green"
        )
    elif left > 0 and biting:
        text = ngettext(
            "{n} more bug has not appeared yet.", "{n} more bugs have not appeared yet.", left
        )
        consoles.paragraph(console, text.format(n=left))


def advise(console: Console, done: Practice) -> None:
    """Print which command helps with what bites; of a healthy exercise, how to draw another."""
    if done.newly_behind:
        text = _("{command} shows the lesson's fix beside yours.")
        text = text.format(command="`course fix --mended`")
        consoles.paragraph(console, text, style=consoles.QUIET)
    if not done.attempt.healthy:
        text = _("Edit the script and run it again. `course hint` helps.")
        if done.attempt.bug is not None:
            text = in_a_row(
                text, _("{command} shows the change itself.").format(command="`course fix`")
            )
    else:
        text = _("For another choice of bugs: `course start {lesson} DIR --seed N`.").format(
            lesson=f"{done.copy.part.lesson}{framework_option(done.copy.part)}"
        )
    consoles.paragraph(console, text, style=consoles.QUIET)
