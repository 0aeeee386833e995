"""What one run showed, as blocks: the error, the fault, the figures."""

import math
from collections.abc import Iterator, Mapping

from course.base.i18n import N_, _, enumerate_words, ngettext, numbers, titled
from course.judge import messages
from course.judge.verdict import FEWER, UNANSWERED, Verdict, describe_problem
from course.lesson.catalogue import Match
from course.lesson.lesson import Outcome, Part
from course.lesson.signature import SilentSignature
from course.render.blocks import (
    Bar,
    Bars,
    Code,
    Gap,
    Losses,
    Output,
    Paragraph,
    Stages,
    StoryBlock,
    prose,
)
from course.runs.record import Raised, RunRecord

PRINTED = 12
"""Lines from the end of what a script printed that are shown."""
NUMBERS = 8
"""Losses that are written out where they make no picture."""
ACCURACY, F1 = N_("accuracy"), N_("F1 score")
# Translators: what a run had, as in "Ran here on `cpu`, with the embedded hub".
HUBS = {"embedded": N_("the embedded hub"), "online": N_("the real hub")}


def evidence(verdict: Verdict, record: RunRecord, device: str, hub: str) -> Paragraph:
    """Say where what follows comes from: this run, a recording, or a quotation."""
    if verdict.evidence == "live":
        text = ran(verdict, device, hub)
    elif verdict.evidence == "recorded":
        versions = enumerate_words(f"`{k} {v}`" for k, v in record.versions.items())
        text = _(
            "This machine has no CUDA device. The run was recorded on another machine, with "
            "{versions}."
        )
        text = text.format(versions=versions)
    elif verdict.match is None or verdict.match.signature.wording == "course":
        text = _(
            "This machine has no CUDA device, so nothing was run. This is the message that the "
            "course prints."
        )
    else:
        text = _(
            "This machine has no CUDA device, so nothing was run. Others reported this message "
            "({source})."
        ).format(source=f"`{verdict.match.signature.seen}`")
    return Paragraph(text, "quiet")


def ran(verdict: Verdict, device: str, hub: str) -> str:
    """Say where a run took place, and how long it took."""
    text = _("Ran here on {device}, with {hub}, in {seconds} s.")
    seconds = numbers.decimal(verdict.seconds, 1)
    return text.format(device=f"`{device}`", hub=_(HUBS[hub]), seconds=seconds)


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
        if told := match.told or messages.silent(match.signature, values):
            yield Paragraph(told, "bad")
        setting = messages.set_up(values)
        if setting:
            yield Paragraph(setting, "quiet")


def stopped(record: RunRecord) -> Iterator[StoryBlock]:
    """Say that a training was not let go on to its end."""
    if record.status == "stopped":
        yield Paragraph(_("The training was stopped as soon as this result was certain."), "quiet")


def loss(record: RunRecord, outcome: Outcome | None) -> Iterator[StoryBlock]:
    """Yield the picture of a training's loss, with its heading; nothing while there's no line.

    A loss that was never a number makes no picture: it is written out, as far as a line goes.
    """
    losses = record.losses
    if len(losses) > 1:
        yield Gap()
        yield Paragraph(_("The loss, over the training steps"), "quiet")
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
    evidence: str = "",
) -> Iterator[StoryBlock]:
    """Yield which fault it is and why, with the course's words.

    Of a silent fault the `evidence` stands first, where it was not shown before: see `silent`.
    """
    if evidence:
        yield Paragraph(evidence, "bad")
    yield from name(match)
    yield from detail(match, error)
    yield from prose(match.fault.means)
    yield from quoted(match)
    yield Paragraph(_(match.fault.where))


def detail(match: Match, error: Raised | None) -> Iterator[StoryBlock]:
    """Yield the known facts of an exception beside its message."""
    if error is not None and (sentence := messages.raised(match.signature, error)):
        yield Paragraph(sentence, "bad")


def quoted(match: Match) -> Iterator[StoryBlock]:
    """Yield the course's words for a fault, where the message of this run has others."""
    if match.signature.wording == "later" and match.fault.quoted is not None:
        yield Paragraph(_("The course prints:"))
        yield Code(match.fault.quoted.words, "bad")


def problem(verdict: Verdict, outcome: Outcome) -> Iterator[StoryBlock]:
    """Yield the problem of a run other than an error, or than the fault named for it."""
    is_told = verdict.match is not None and verdict.problem in FEWER
    if verdict.problem is not None and not is_told:
        yield Paragraph(describe_problem(verdict, outcome), "bad")


def earlier(verdict: Verdict) -> Iterator[StoryBlock]:
    """Say that the last training is not the one that is ill, where a script has several."""
    if verdict.of_earlier:
        yield Paragraph(_("This problem is in an earlier training, not in the last one."))


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
            "These results are from the real model and the real data. Yours are from a tiny model "
            "and our own sentences, unless you run on the real hub."
        )
        yield Paragraph(sentence, "quiet")


def looking() -> Paragraph:
    """Make the heading of the looks at a script: it may have stopped or come to its end."""
    return Paragraph(_("Inspecting the script"), "heading")
