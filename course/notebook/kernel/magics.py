"""`%course`: what a learner asks for in a notebook."""

import math
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

from course.base import i18n
from course.base.errors import UserError
from course.base.i18n import N_, _, about, enumerate_words, in_a_row
from course.base.schema import suggest_or_list
from course.exercise import guess, header, hint, walk_progress
from course.exercise.mended import compare
from course.exercise.practice import IN_AN_EXAM, NO_FIX, current_fault
from course.judge.verdict import describe_problem
from course.lesson import aside
from course.lesson.bug import diff
from course.lesson.catalogue import catalogue
from course.notebook.kernel import cell_fix, messages, setup
from course.notebook.kernel.messages import Message
from course.notebook.kernel.session import NotebookExercise, NotebookSession
from course.render import lesson_blocks, run_blocks, vitals
from course.render.blocks import Diff, Paragraph
from course.runs.hub import ONLINE

LOOK = N_("Inspect the run yourself: `%course look` shows the next inspection of the lesson.")
NEW_CELL = N_(
    "A new cell below contains the fixed code. Run it, and then run again the cells that come "
    "after the original ones. Or make the change in the original cells."
)
NOTHING_YET = N_("There is nothing to show yet in this kernel: run the cells first.")
Insert = Callable[[str], Any]
"""Puts a text into a new cell."""


def run(line: str, session: NotebookSession, insert: Insert) -> None:
    """Do what a line after `%course` asks for.

    Raises:
        UserError: the words are not understood, or there is nothing to do it with yet.

    """
    try:
        words = shlex.split(line)
    except ValueError:
        words = line.split()
    name, *rest = words or [""]
    if name == "explain":
        # An error is one text, with its quotes.
        rest = line.split()[1:]
    if name not in COMMANDS:
        if name in ("", "help", "-h", "--help"):
            _show_help(session)
            return
        raise UserError(suggest_or_list(_("There is no command {name}."), name, list(COMMANDS)))
    COMMANDS[name][0](session, rest, insert)


def _show_help(session: NotebookSession) -> None:
    known = ((name, _(purpose)) for name, (_command, purpose) in COMMANDS.items())
    lines = (Paragraph(about(f"`%course {name}`", purpose)) for name, purpose in known)
    session.show(Message([*lines], good=True))


def _setup(session: NotebookSession, words: list[str], insert: Insert) -> None:
    lesson, options = _options(words, "fw", "hub", "device", "lang", "bugs")
    cell = next(reversed(session.texts.values()), "")
    found = header.find(cell)
    faults: tuple[str, ...] | None
    if lesson is None and found is not None:
        if found.bugs is None:
            raise UserError(setup.no_such_exercise())
        name, framework, faults = found.lesson, found.framework, found.bugs
        language = options.get("lang", found.lang)
    else:
        name, framework = lesson or "", options.get("fw", "")
        faults = tuple(options["bugs"].split(",")) if "bugs" in options else None
        language = options.get("lang", i18n.language())
    exam = lesson is None and found is not None and found.exam
    i18n.activate(i18n.negotiate(language))
    if not name:
        session.exercise = None
        session.show(messages.note(_("From now on, `course` names the faults in this notebook.")))
        return
    part, bugs = setup.exercise(name, framework, faults)
    session.show(messages.note(setup.about(part, bugs)))
    hub, sentence = setup.place(part, options.get("hub", ""), options.get("device", ""))
    session.enter(NotebookExercise(part, bugs, exam), online=hub.name == ONLINE)
    message = messages.note(sentence)
    if hub.note:
        message.add(Paragraph(hub.note, "quiet"))
    session.show(message)


def _options(words: list[str], *known: str) -> tuple[str | None, dict[str, str]]:
    """Return the word without an option, and the options with their values."""
    bare: str | None = None
    options: dict[str, str] = {}
    rest = iter(words)
    for word in rest:
        name, equals, value = word.removeprefix("--").partition("=")
        if word.startswith("--") and name in known:
            options[name] = value if equals else next(rest, "")
        elif word.startswith("-") or bare is not None:
            raise UserError(_("There is no option {name}.").format(name=f"`{word}`"))
        else:
            bare = word
    return bare, options


def _check(session: NotebookSession, words: list[str], insert: Insert) -> None:
    """Judge the last training as `course run` would."""
    exercise = _exercise(session)
    record = session.record()
    if record.training is None and record.raised is None:
        raise UserError(_(NOTHING_YET))
    found = session.judged(exercise, record)
    session.keep(found)
    message = messages.attempt(found, session.losses, exercise.part)
    if not message.blocks and record.raised is not None:
        failed = _("The cell that was run last failed, before any training.")
        message.add(Paragraph(failed, "bad"))
    session.show(message)


def _hint(session: NotebookSession, words: list[str], insert: Insert) -> None:
    if session.exercise is None and session.named is not None:
        name, ladder = session.named.id, hint.ladder(session.named, None)
    elif session.attempt is None:
        raise UserError(_(NOTHING_YET))
    else:
        found = current_fault(session.attempt)
        if found.healthy:
            session.show(messages.note(_("The script trains, and the model has learned.")))
            return
        name = found.fault.id if found.fault else ""
        verdict, outcome = session.attempt.verdict, session.attempt.outcome
        problem = "" if verdict.problem == "unknown" else describe_problem(verdict, outcome)
        offer = _(LOOK) if session.looks is not None and session.looks.looks else ""
        exam = session.exercise is not None and session.exercise.exam
        ladder = hint.ladder(
            found.fault, found.bug, problem, found.mended, offer, found.remaining, exam=exam
        )
    level = min(session.hints.get(name, 0) + 1, len(ladder))
    session.hints[name] = level
    session.show(messages.hint(ladder[level - 1], len(ladder)))


def _guess(session: NotebookSession, words: list[str], insert: Insert) -> None:
    """Answer which of the faults that were offered it is."""
    match = session.attempt.verdict.match if session.attempt is not None else None
    choice = guess.choice(match.fault) if match is not None else None
    if choice is None:
        raise UserError(_(NOTHING_YET))
    word = " ".join(words)
    number = int(word) if word.isdecimal() else 0
    if not 1 <= number <= len(choice.offered):
        raise UserError(_("Give a number from 1 to {n}.").format(n=len(choice.offered)))
    exercise = session.exercise
    if exercise is not None and choice.fault.id not in session.guessed:
        session.guessed.add(choice.fault.id)
        is_right = choice.offered[number - 1] is choice.fault
        known = walk_progress.guessed(walk_progress.of(exercise.part), is_right=is_right)
        walk_progress.keep(exercise.part, known)
    session.show(messages.guessed(choice, number))


def _look(session: NotebookSession, words: list[str], insert: Insert) -> None:
    """Take one of the lesson's looks at what the cells have left: the next, or that of a number."""
    if session.exercise is None:
        raise UserError(
            _("The lesson has no inspection for this. Use your own code in a new cell.")
        )
    found = session.looks
    if found is None:
        raise UserError(_(NOTHING_YET))
    count = len(found.looks)
    if not count:
        raise UserError(
            _("The lesson has no inspection for this. Use your own code in a new cell.")
        )
    word = " ".join(words) or str(found.following)
    number = int(word) if word.isdecimal() else 0
    if not 1 <= number <= count:
        raise UserError(_("Give a number from 1 to {n}.").format(n=count))
    result = found.take(number, session.namespace)
    session.show(messages.look(found.looks[number - 1], result, is_last=number == count))
    if result is None:
        insert(found.cell(number))


def _more(session: NotebookSession, words: list[str], insert: Insert) -> None:
    """Open what there is to read beside a step: the one named, or that of the last message."""
    part = _exercise(session).part
    known = [step.id for step in part.steps]
    last = session.attempt.verdict.step if session.attempt is not None else None
    step = _options(words)[0] or last
    if step is None:
        raise UserError(_(NOTHING_YET))
    if step not in known and step != last:
        raise UserError(
            in_a_row(
                _("There is no step {name}.").format(name=f"`{step}`"),
                _("Choose one of {known}.").format(
                    known=enumerate_words(f"`{each}`" for each in known)
                ),
            )
        )
    blocks = [*lesson_blocks.opened(aside.of_step(part, step))]
    nothing = Paragraph(_("There is no extra reading here."))
    session.show(Message(blocks or [nothing], good=True))


def _fix(session: NotebookSession, words: list[str], insert: Insert) -> None:
    """Show how the cells of the bug that bites would be, and put them into a new cell."""
    if session.exercise is None:
        _options(words)
        _mend_own(session, insert)
        return
    exercise = session.exercise
    if exercise.exam:
        raise UserError(_(IN_AN_EXAM))
    if words == ["--mended"]:
        _show_mended(session, exercise)
        return
    _options(words)
    bug = session.attempt.bug if session.attempt is not None else None
    if bug is None:
        raise UserError(_(NOTHING_YET))
    match = session.attempt.verdict.match if session.attempt is not None else None
    message = Message([*lesson_blocks.reasons(match.fault if match is not None else None, bug)])
    mended = cell_fix.mend(session.texts, bug)
    if mended is None:
        sentence, original = NO_FIX["not-found"], cell_fix.original(exercise.part, bug)
        message.add(Paragraph(_(sentence), "bad"), Diff(original, named=True))
        session.show(message)
        return
    diffs = (Diff(each, named=True) for each in mended.diffs)
    message.add(*diffs, Paragraph(_(NEW_CELL), "quiet"))
    session.show(message)
    insert(mended.text)


def _mend_own(session: NotebookSession, insert: Insert) -> None:
    """Mend in a notebook of no exercise what the text of its cells alone allows."""
    from course.diagnosis import diagnosis, report
    from course.notebook.kernel import cell_diagnosis

    source = cell_diagnosis.source_of(session.texts.values(), Path.cwd())
    found = source.read()
    text, left = diagnosis.mended(found)
    mended: dict[int, str] = {}
    if text is not None and source.cells is not None:
        mended = source.cells.back(text)
    cells = list(session.texts.values())
    message = Message(good=not found.faults)
    for number, cell in mended.items():
        message.add(Diff(diff(cells[number - 1], cell, "cell"), named=True))
    if mended:
        message.add(Paragraph(_(NEW_CELL), "quiet"))
    if left:
        message.add(*report.left(source, left))
    if not found.faults:
        message.add(Paragraph(_("The code shows no fault.")))
    session.show(message)
    if mended:
        insert("\n\n".join(cell.strip("\n") for cell in mended.values()))


def _explain(session: NotebookSession, words: list[str], insert: Insert) -> None:
    """Show the page of a fault, that of the one named last, or what an error means."""
    from course.judge import quoted
    from course.render import explain

    fault = catalogue().get(" ".join(words)) if words else session.named
    if fault is not None:
        session.show(Message([*explain.page(fault)], good=True))
        return
    if not words:
        raise UserError(_(NOTHING_YET))
    explained = quoted.explain(" ".join(words))
    if explained is None:
        raise UserError(
            _(
                "There is no error in this text. Paste the whole traceback with its last line, "
                "or paste the warning."
            )
        )
    session.show(Message([*explain.quoted(explained)]))


def _show_mended(session: NotebookSession, exercise: NotebookExercise) -> None:
    """Show each bug that is mended: the learner's change in the cells above the lesson's."""
    part, bugs = exercise.part, exercise.bugs
    text = cell_fix.as_script(session.texts, part, bugs)
    found = compare(part, bugs, text, session.behind, part.path.name)
    message = Message(good=True)
    for each in found:
        fault = catalogue()[each.bug.fault]
        message.add(*lesson_blocks.beside(fault, each.bug, each.own, each.official))
    if not found:
        nothing_yet = _("No run has shown yet that a bug of this exercise is fixed.")
        message.add(Paragraph(nothing_yet))
    session.show(message)


def _loss(session: NotebookSession, words: list[str], insert: Insert) -> None:
    if len(session.losses) < 2:
        raise UserError(_(NOTHING_YET))
    outcome = session.attempt.outcome if session.attempt is not None else None
    session.show(Message([run_blocks.curve(session.losses, outcome)], good=True))


def _vitals(session: NotebookSession, words: list[str], insert: Insert) -> None:
    """Show the vital signs of the last training, in any notebook."""
    record = session.record()
    if record.training is None and record.vitals is None:
        raise UserError(_(NOTHING_YET))
    session.show(Message([*vitals.vitals(record.vitals)], good=True))


def _diagnose(session: NotebookSession, words: list[str], insert: Insert) -> None:
    """Name all the faults of the cells that were run; they run once more, in a copy of the folder.

    They are run without the kernel, so its names stay as they are.
    """
    from course.diagnosis import diagnosis, report
    from course.notebook.kernel import cell_diagnosis

    bare, options = _options(words, "seconds")
    if bare is not None:
        raise UserError(_("There is no option {name}.").format(name=f"`{bare}`"))
    try:
        seconds = float(options.get("seconds", diagnosis.SECONDS))
    except ValueError:
        seconds = math.nan
    diagnosis.check_seconds(seconds)
    source = cell_diagnosis.source_of(session.texts.values(), Path.cwd())
    about = _(
        "The cells that you have run are run again in a copy of this folder, in the order of "
        "their last runs. This takes at most {n} seconds."
    )
    session.show(Message([Paragraph(about.format(n=f"{seconds:g}"), "quiet")], good=True))
    online = session.exercise is None or session.online
    found = cell_diagnosis.diagnose(source, seconds, online=online, download=session.online)
    is_fine = not any(finding.certain for finding in found.findings)
    session.show(Message([*report.whole(source, found)], good=is_fine))


def _exercise(session: NotebookSession) -> NotebookExercise:
    if session.exercise is None:
        raise UserError(
            _(
                "It is not known yet which exercise this is. Run the first cell, which has "
                "`%course setup` in it."
            )
        )
    return session.exercise


COMMANDS: dict[str, tuple[Callable[[NotebookSession, list[str], Insert], None], str]] = {
    "setup": (_setup, N_("Prepare models and data, and say which exercise this is.")),
    "check": (_check, N_("Judge the last training.")),
    "look": (_look, LOOK),
    "guess": (_guess, N_("Choose a fault from the list: give its number.")),
    "hint": (
        _hint,
        N_("Give a hint for the fault of your exercise. Each call gives one more hint."),
    ),
    "fix": (_fix, N_("Show the fix, and put the fixed cells into a new cell.")),
    "more": (_more, N_("Print the extra reading for a lesson's steps: explanations and links.")),
    "loss": (_loss, N_("Plot the loss of the last training.")),
    "vitals": (_vitals, N_("Show the training's vital signs, with their usual values.")),
    "explain": (_explain, N_("Explain what a fault or an error message means.")),
    "diagnose": (_diagnose, N_("Name all the faults of the cells that were run.")),
}
"""What each word does."""
