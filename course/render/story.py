"""What a run showed, as blocks: the error, the fault, the looks, the fix, the figures."""

import ast
import math
from collections.abc import Iterable, Iterator, Mapping

from course.base.i18n import N_, _, enumerate_words, ngettext, numbers, titled
from course.base.texts import is_name
from course.judge import messages
from course.judge.verdict import FEWER, UNANSWERED, Verdict, describe_problem
from course.lesson.aside import Asides, WebLink
from course.lesson.bug import Bug
from course.lesson.catalogue import Fault, Match
from course.lesson.lesson import Look, Outcome, Part, Step
from course.lesson.signature import SilentSignature
from course.render.blocks import (
    Bar,
    Bars,
    Code,
    Diff,
    Gap,
    Losses,
    Output,
    Paragraph,
    Reference,
    Stages,
    StoryBlock,
    prose,
    text,
)
from course.runs.record import Raised, RunRecord

PRINTED = 12
"""Lines from the end of what a script printed that are shown."""
NUMBERS = 8
"""Losses that are written out where they make no picture."""
RAISED = N_("What would you look at first?")
SILENT = N_("What do you expect here, and how could you tell whether it is so?")
AT_END = N_("What would convince you that the model has learned?")
"""Questions for the steps that have none of their own."""
ACCURACY, F1 = N_("accuracy"), N_("F1 score")
RIGHT = N_("Yes, this is what the run shows.")


# Translators: what a run had, as in "Ran here on `cpu`, with the embedded hub".
HUBS = {"embedded": N_("the embedded hub"), "online": N_("the real hub")}


def evidence(verdict: Verdict, record: RunRecord, device: str, hub: str) -> Paragraph:
    """Say where what follows comes from: this run, a recording, or a quotation."""
    if verdict.evidence == "live":
        text = _("Ran here on {device}, with {hub}, in {seconds} s.").format(
            device=f"`{device}`",
            hub=_(HUBS[hub]),
            seconds=numbers.decimal(verdict.seconds, 1),
        )
    elif verdict.evidence == "recorded":
        versions = enumerate_words(f"`{k} {v}`" for k, v in record.versions.items())
        text = _("This machine has no CUDA device: recorded on another one, with {versions}.")
        text = text.format(versions=versions)
    elif verdict.match is None or verdict.match.signature.wording == "course":
        text = _(
            "This machine has no CUDA device, so nothing ran: these are the words that the course "
            "prints."
        )
    else:
        text = _(
            "This machine has no CUDA device, so nothing ran: these words were reported by others "
            "({source})."
        ).format(source=f"`{verdict.match.signature.seen}`")
    return Paragraph(text, "quiet")


def error(verdict: Verdict) -> Iterator[StoryBlock]:
    """Tell what was raised; of a silent fault, the figures that give it away.

    What a question without an answer raises is not of the script: its sentence says it all.
    """
    if verdict.problem in UNANSWERED:
        return
    if verdict.raised is not None:
        yield Gap()
        yield from raised(verdict.raised)
    elif verdict.match is not None and isinstance(verdict.match.signature, SilentSignature):
        yield Gap()
        yield from silent(verdict.match, verdict.metrics)


def happened(error: Raised | None) -> Paragraph:
    """Say in a line what a run came to, and nothing of the fault behind it."""
    if error is None:
        return Paragraph(_("No error was raised."), "bad")
    text = error.own.text.strip() if error.own is not None else ""
    if not text or "`" in text:
        return Paragraph(stops_with(error.name), "bad")
    sentence = _("The run stops in {line} with {error}")
    return Paragraph(sentence.format(line=f"`{text}`", error=f"`{error.name}`"), "bad")


def stops_with(exception: str) -> str:
    """Head a run that an exception of this class ends, wherever that is."""
    return _("The run stops with {error}").format(error=f"`{exception}`")


def raised(error: Raised, *, is_unknown: bool = False) -> Iterator[StoryBlock]:
    """Yield the decisive part of a traceback: the learner's own line, and the raising line.

    Of a failure that `is_unknown` and that the learner's own line raised: the line that called it.
    """
    own, origin = error.own, error.origin
    shown = [own] if own is not None else []
    if is_unknown and origin is own and error.second is not None:
        yield Code(f"{error.second.file}:{error.second.line}", "quiet")
        yield Code(error.second.text, indent=4)
    # Code that was generated lies in no file that one could look into.
    if origin is not None and origin is not own and not origin.file.startswith("__"):
        shown.append(origin)
    for frame in shown:
        between = len(error.frames) - 2 - error.frames.index(own) if own is not None else 0
        if frame is not own and between > 0:
            levels = ngettext("({n} level in between)", "({n} levels in between)", between)
            yield Paragraph(levels.format(n=between), "quiet", indent=2)
        yield Code(f"{frame.file}:{frame.line}", "quiet")
        yield Code(frame.text, indent=4)
    yield Output(f"{error.name}: {decisive(error)}", "error", indent=2)


def decisive(error: Raised) -> str:
    """Return an exception's message, without the account that compiled code puts before it.

    Such an account ends with the type and the message of the exception that it is about.
    """
    message = error.message.strip()
    first, _newline, rest = message.partition("\n")
    place = rest.rfind(f" {error.name}: ")
    return rest[place:].split(": ", 1)[1] if first.endswith(":") and place >= 0 else message


def silent(match: Match, values: Mapping[str, float]) -> Iterator[StoryBlock]:
    """Yield the evidence of a silent fault: no error, but figures. Nothing for a raising one."""
    if isinstance(match.signature, SilentSignature):
        yield Paragraph(_("No error is raised. The run shows:"))
        yield Paragraph(messages.silent(match.signature, values), "bad")
        setting = messages.set_up(values)
        if setting:
            yield Paragraph(setting, "quiet")


def question(step: Step | None, *, raises: bool) -> str:
    """Return the question before anything is explained: the step's own, or a usual one.

    None is for a fault that is no step of the lesson.
    """
    if step is not None and step.question:
        return _(step.question)
    at_end = step is not None and step.fault is None
    return _(AT_END if at_end else RAISED if raises else SILENT)


def stopped(record: RunRecord) -> Iterator[StoryBlock]:
    """Say that a training was not let go on to its end."""
    if record.status == "stopped":
        yield Paragraph(_("The training was stopped as soon as that was certain."), "quiet")


def loss(record: RunRecord, outcome: Outcome | None) -> Iterator[StoryBlock]:
    """Yield the picture of a training's loss, with its heading; nothing while there's no line.

    A loss that was never a number makes no picture: it is written out, as far as a line goes.
    """
    losses = record.losses
    if len(losses) > 1:
        heading = (
            _("The loss, over the training steps until we stopped the training")
            if record.status == "stopped"
            else _("The loss, over the training steps")
        )
        yield Gap()
        yield Paragraph(heading, "quiet")
        if any(math.isfinite(value) for _step, value in losses):
            yield curve(losses, outcome)
        else:
            yield Code(", ".join(str(value) for _step, value in losses[:NUMBERS]))


def curve(
    losses: tuple[tuple[int, float], ...], outcome: Outcome | None, last: int | None = None
) -> Losses:
    """Make the loss beside that of healthy runs, where the part comes with them."""
    healthy = outcome.curve.losses if outcome is not None and outcome.curve is not None else ()
    return Losses(losses, healthy, last)


def name(match: Match) -> Iterator[StoryBlock]:
    """Yield a fault by its stage, its title and its id."""
    yield Stages(match.fault.stage)
    yield Paragraph(titled(match.fault.title, match.fault.id), "title")


def diagnosis(
    match: Match,
    error: Raised | None,
    values: Mapping[str, float],
    record: RunRecord | None = None,
    evidence: str = "",
) -> Iterator[StoryBlock]:
    """Which fault it is and why, with the course's words; it comes after the looks.

    Of a silent fault the figures that give it away stand first, or the `evidence`, and of a
    `record` whether we have stopped the training.
    """
    if error is None and evidence:
        yield Paragraph(evidence, "bad")
    elif error is None:
        yield from silent(match, values)
    if error is None and record is not None:
        yield from stopped(record)
    yield from name(match)
    yield from detail(match, error)
    yield from prose(match.fault.means)
    yield from quoted(match)
    yield Paragraph(_(match.fault.where))


def choices(offered: Iterable[Fault]) -> Iterator[StoryBlock]:
    """Yield the faults to choose from, by the numbers that are typed."""
    for number, fault in enumerate(offered, start=1):
        yield Paragraph(f"`{number}` {_(fault.title)}", indent=2)


def guessed(fault: Fault, apart: str) -> Iterator[StoryBlock]:
    """Yield the answer to a guess: how it differs from the right one, nothing of the right one."""
    yield Paragraph(titled(fault.title, fault.id), "title")
    yield Paragraph(_(apart)) if apart else Paragraph(_(RIGHT), "good")


def detail(match: Match, error: Raised | None) -> Iterator[StoryBlock]:
    """Yield the known facts of an exception beside its message."""
    if error is not None and (sentence := messages.raised(match.signature, error)):
        yield Paragraph(sentence, "bad")


def quoted(match: Match) -> Iterator[StoryBlock]:
    """Yield the course's words for a fault, where the message of this run has others."""
    if match.signature.wording == "later" and match.fault.quoted is not None:
        yield Paragraph(_("In the course the message of this fault is another one:"))
        yield Code(match.fault.quoted.words, "bad")


def problem(verdict: Verdict, outcome: Outcome) -> Iterator[StoryBlock]:
    """Yield the problem of a run other than an error, or than the fault named for it."""
    is_told = verdict.match is not None and verdict.problem in FEWER
    if verdict.problem is not None and not is_told:
        yield Paragraph(describe_problem(verdict, outcome), "bad")


def earlier(verdict: Verdict) -> Iterator[StoryBlock]:
    """Say that the last training is not the one that is ill, where a script has several."""
    if verdict.of_earlier:
        yield Paragraph(_("This is about a training before the last one."))


def printed(output: str, record: RunRecord) -> Iterator[StoryBlock]:
    """Yield the end of all the output of a process that died: nothing else tells why.

    What the script itself has printed was shown as it came.
    """
    if output.strip() and record.status == "died":
        yield Output("\n".join(output.strip().splitlines()[-PRINTED:]), "quiet")


def figures(values: Mapping[str, float], part: Part) -> Iterator[StoryBlock]:
    """Yield the healthy run in values, each as a bar beside its baseline, then other reports."""
    yield Gap()
    measured = [("accuracy", "baseline", ACCURACY), ("f1", "f1_baseline", F1)]
    known = [each for each in measured if each[0] in values and each[1] in values]
    for value, base, called in known:
        if len(known) > 1:
            yield Paragraph(_(called), "quiet", indent=2)
        rows = (_("baseline"), values[base]), (_("this model"), values[value])
        yield Bars(tuple(Bar(label, numbers.decimal(n, 3), n) for label, n in rows))
    if known and known[0][0] == "accuracy":
        yield Paragraph(messages.learned(values))
    yield from _documents(part)


def _documents(part: Part) -> Iterator[StoryBlock]:
    """Yield the reports of course documents on their model and data, to set one's own beside."""
    for each in part.documents:
        yield Gap()
        reported = [(_(ACCURACY), each.accuracy)]
        reported += [(_(F1), each.f1)] if each.f1 is not None else []
        values = enumerate_words(f"{name} {numbers.decimal(n, 3)}" for name, n in reported)
        sentence = _("For comparison: {figures} ({about}).")
        yield Paragraph(sentence.format(about=_(each.about), figures=values), "quiet")
    if part.documents:
        sentence = _(
            "Those are of the real model on the real data. Yours are of a tiny model on our own "
            "sentences, unless you run on the real hub."
        )
        yield Paragraph(sentence, "quiet")


def looking(record: RunRecord) -> Paragraph:
    """Make the heading of the looks at a script: it may have stopped or come to its end."""
    ended = record.status == "finished"
    heading = _("A look into the script, which has ended")
    return Paragraph(heading if ended else _("A look into the stopped script"), "heading")


def suggestions(looks: Iterable[Look]) -> Iterator[StoryBlock]:
    """Yield looks that a learner may take, by their numbers."""
    for number, each in enumerate(looks, start=1):
        yield Paragraph(f"{number}. {_(each.caption)}", indent=2)
        yield Code(each.code, indent=4, prompt=True)


def look(taken: Look, output: str = "", error: str | None = None) -> Iterator[StoryBlock]:
    """Yield an inspection, with its real output where it was taken, and what follows from it."""
    yield Paragraph(_(taken.caption), indent=2)
    yield from seen(taken.code, output, error, plot=taken.plot)
    if taken.shows and (output or error):
        yield Paragraph(_(taken.shows), indent=2)


def seen(code: str, output: str, error: str | None, *, plot: bool = False) -> Iterator[StoryBlock]:
    """Code as typed in at a prompt, and what it gave."""
    yield Code(code, indent=4, prompt=True)
    if output.strip():
        yield Output(output, losses=_losses(output) if plot else ())
    if error:
        yield Output(error, "bad")


def _losses(output: str) -> tuple[tuple[int, float], ...]:
    """Read a list of losses, one a step; none where the output is no such list."""
    try:
        return tuple(enumerate((float(loss) for loss in ast.literal_eval(output)), start=1))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return ()


def reasons(fault: Fault | None, bug: Bug) -> Iterator[StoryBlock]:
    """Why a fix is as it is: for the fault, where that is known, and for this bug."""
    yield from prose(fault.fix if fault is not None else "")
    yield from prose(bug.reason)


def beside(fault: Fault, bug: Bug, own: str, official: str) -> Iterator[StoryBlock]:
    """Yield a mended bug: the learner's change, the lesson's, and the reason for that one."""
    yield Gap()
    yield Paragraph(titled(fault.title, fault.id), "title")
    if own == official:
        yield Paragraph(_("You made the same change as the lesson."), "good")
    elif own:
        yield Paragraph(_("Your change"), "heading")
        yield Diff(own)
    else:
        yield Paragraph(_("Your script has no change there now."), "quiet")
    yield Paragraph(_("The lesson's fix"), "heading")
    yield Diff(official)
    yield from prose(bug.reason)


def patch(diff: str) -> tuple[StoryBlock, ...]:
    """Return a diff, without the names of its files."""
    return Gap(), Diff(diff)


def asides(found: Asides, command: str, *, folded: bool = False) -> Iterator[StoryBlock]:
    """Yield the asides of a step: the titles, how they are opened, and the links.

    All of it takes one line where it is `folded`.
    """
    if folded and (found.asides or found.links):
        yield Gap()
        links_ = (reference(link).title for link in found.links)
        titles = enumerate_words([*(_(aside.title) for aside in found.asides), *links_])
        sentence = _("More about this: {titles} ({command}).")
        yield Paragraph(sentence.format(titles=titles, command=f"`{command}`"), "quiet")
        return
    if found.asides:
        yield Gap()
        titles = enumerate_words(_(aside.title) for aside in found.asides)
        sentence = _("More about this: {titles} ({command}).")
        yield Paragraph(sentence.format(titles=titles, command=f"`{command}`"), "quiet")
    yield from links(found)


def opened(found: Asides) -> Iterator[StoryBlock]:
    """Yield the asides of a step, each below its title, and the links."""
    for aside in found.asides:
        yield Gap()
        yield Paragraph(_(aside.title), "title")
        yield from text(aside.text)
    yield from links(found)


def links(found: Asides) -> Iterator[StoryBlock]:
    """Yield the links of a step, with their heading; nothing where there is none."""
    if found.links:
        yield Gap()
        yield Paragraph(_("On the web"), "heading")
        yield from map(reference, found.links)


def reference(link: WebLink) -> Reference:
    """Return a link with its title in the language in force."""
    return Reference(link.title if is_name(link.title) else _(link.title), link.url)
