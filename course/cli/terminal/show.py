"""A step that was taken, as a learner reads it: the error, the fault, the looks, the fix."""

import ast

from rich.console import Console
from rich.text import Text

from course.check import messages
from course.check.verdict import Verdict, said
from course.cli.terminal import chart, consoles
from course.exercise.walk import Taken
from course.i18n import N_, _, enumerate_words, ngettext, numbers
from course.lesson.catalogue import STAGES, Match
from course.lesson.lesson import Outcome, Part
from course.lesson.signature import SilentSignature
from course.run.record import Frame, Raised, RunRecord
from course.run.run_context import RunContext
from course.texts import paragraphs

OUTPUT_LINES = 12
"""Lines of a look's output that are shown."""
MESSAGE_LINES = 5
"""Lines of an exception's message that are shown: what matters comes first."""


def evidence(console: Console, taken: Taken, place: RunContext) -> None:
    """Say where what follows comes from: this run, a recording, or a quotation."""
    kind = taken.verdict.evidence
    if kind == "live":
        text = _("Ran here on {device}, with the {hub} hub, in {seconds} s.").format(
            device=f"`{taken.step.device or place.device}`",
            hub=f"`{place.hub.name}`",
            seconds=numbers.decimal(taken.verdict.seconds, 1),
        )
    elif kind == "recorded":
        versions = ", ".join(f"{k} {v}" for k, v in taken.record.versions.items())
        text = _("This machine has no CUDA device: recorded on another one, with {versions}.")
        text = text.format(versions=f"`{versions}`")
    elif taken.verdict.match is None or taken.verdict.match.signature.wording == "course":
        text = _(
            "This machine has no CUDA device, so nothing ran: these are the words that the course "
            "prints."
        )
    else:
        text = _(
            "This machine has no CUDA device, so nothing ran: these words were reported by others "
            "({source})."
        ).format(source=f"`{taken.verdict.match.signature.seen}`")
    console.print()
    consoles.paragraph(console, text, style=consoles.QUIET)


def observed(console: Console, taken: Taken) -> None:
    """The error and the fault that it is, or how well the model does."""
    verdict = taken.verdict
    if verdict.raised is not None:
        raised(console, verdict.raised)
    elif verdict.match is not None:
        silent(console, verdict, verdict.match)
    stopped(console, taken.record)
    if verdict.raised is None:
        curve(console, taken.record.losses, taken.outcome)
    if verdict.match is not None:
        _fault(console, verdict.match)
    if verdict.problem is not None:
        consoles.paragraph(console, said(verdict, taken.outcome), style="bold red")
        if verdict.raised is None:
            printed(console, taken.output)
    if taken.step.fault is None and verdict.metrics:
        figures(console, verdict, taken.part)


def silent(console: Console, verdict: Verdict, match: Match) -> None:
    """What a silent fault showed: no error, but figures."""
    if not isinstance(match.signature, SilentSignature):
        return
    console.print()
    text = messages.silent(match.signature, verdict.metrics)
    consoles.paragraph(console, text, style="bold red")
    recorded = messages.set_up(verdict.metrics)
    if recorded:
        consoles.paragraph(console, recorded, style=consoles.QUIET)


def stopped(console: Console, record: RunRecord) -> None:
    """Say that a training was not let go on to its end."""
    if record.status == "stopped":
        said = _("The training was stopped as soon as that was certain.")
        consoles.paragraph(console, said, style=consoles.QUIET)


def curve(
    console: Console,
    losses: tuple[tuple[int, float], ...],
    outcome: Outcome,
) -> None:
    """A small picture of the loss, beside that of healthy runs where the part comes with them."""
    if len(losses) < 2:
        return
    console.print()
    consoles.paragraph(console, _("The loss, over the training steps"), style=consoles.QUIET)
    picture(console, losses, outcome)


def picture(
    console: Console,
    losses: tuple[tuple[int, float], ...],
    outcome: Outcome,
    last: int | None = None,
    rows: int = 6,
) -> None:
    """Draw the loss into the width of the terminal."""
    healthy = outcome.curve
    curves = [chart.Curve(_("loss") if healthy is None else _("this run"), losses)]
    if healthy is not None:
        end = max(last or 0, losses[-1][0])
        shown = tuple(point for point in healthy.losses if point[0] <= end)
        name = _("healthy runs (recorded)")
        curves += [chart.Curve(name, shown)] if len(shown) > 1 else []
    lines = chart.chart(
        curves,
        consoles.width(console, 2),
        rows,
        last=last,
        ascii_only=not chart.can_show(console),
    )
    for line in lines:
        console.print("  ", line, sep="", soft_wrap=True)


def printed(console: Console, output: str) -> None:
    """The end of what the script itself printed, where nothing else tells why."""
    if output.strip():
        end = "\n".join(output.strip().splitlines()[-OUTPUT_LINES:])
        _output(console, end, OUTPUT_LINES, indent=4, style=consoles.QUIET)


def raised(console: Console, error: Raised) -> None:
    """The decisive part of a traceback: the learner's own line, and the line that raised."""
    console.print()
    own, origin = error.own, error.origin
    if own is not None:
        _frame(console, own)
    # Code that was generated lies in no file that one could look into.
    if origin is not None and origin is not own and not origin.file.startswith("__"):
        between = len(error.frames) - 2 - (error.frames.index(own) if own else 0)
        if own is not None and between > 0:
            levels = ngettext("({n} level in between)", "({n} levels in between)", between)
            consoles.paragraph(console, levels.format(n=between), indent=2, style=consoles.QUIET)
        _frame(console, origin)
    _output(console, f"{error.name}: {decisive(error)}", MESSAGE_LINES, indent=2, style="bold red")


def decisive(error: Raised) -> str:
    """The message of an exception, without the account that compiled code puts in front of it.

    Such an account ends with the type and the message of the exception that it is about.
    """
    message = error.message.strip()
    first, _newline, rest = message.partition("\n")
    place = rest.rfind(f" {error.name}: ")
    return rest[place:].split(": ", 1)[1] if first.endswith(":") and place >= 0 else message


def _frame(console: Console, frame: Frame) -> None:
    consoles.code(console, f"{frame.file}:{frame.line}", indent=2, style=consoles.QUIET)
    consoles.code(console, frame.text, indent=4)


def _fault(console: Console, match: Match) -> None:
    """A fault as the walk tells of it: its name, what it means, where to look."""
    console.print()
    name(console, match, then=match.fault.means)
    consoles.paragraph(console, _(match.fault.where))


def name(console: Console, match: Match, then: str = "") -> None:
    """A fault by its name and stage, and in the course's words where they are other ones.

    `then` is a text that comes right after the name.
    """
    fault = match.fault
    _pipeline(console, fault.stage)
    consoles.paragraph(console, consoles.titled(fault.title, fault.id), style="bold")
    for text in paragraphs(then):
        consoles.paragraph(console, _(text))
    quoted = fault.quoted
    if match.signature.wording == "later" and quoted is not None:
        worded = _("Your libraries word it differently from the course, which prints:")
        consoles.paragraph(console, worded)
        consoles.code(console, quoted.words, indent=2, style="red")


def _pipeline(console: Console, stage: str) -> None:
    """The stages of a training run in a row, with the one where the fault sits set apart."""
    line = Text()
    for name, label in STAGES.items():
        if name == "environment" and stage != name:
            continue
        if line:
            line.append(" → ", consoles.QUIET)
        here = name == stage
        line.append(
            f"[{_(label)}]" if here else _(label), "bold yellow" if here else consoles.QUIET
        )
    console.print(line, soft_wrap=True)


def figures(console: Console, verdict: Verdict, part: Part) -> None:
    """The healthy run in values, each as a bar beside its baseline, then what others report."""
    values = verdict.metrics
    console.print()
    measured = [("accuracy", "baseline"), ("f1", "f1_baseline")]
    known = [(name, base) for name, base in measured if name in values and base in values]
    for name, base in known:
        if len(known) > 1:
            called = NAMES[name]
            consoles.paragraph(console, _(called), indent=2, style=consoles.QUIET)
        _bars(console, [(_("baseline"), values[base]), (_("this model"), values[name])])
    if known and known[0][0] == "accuracy":
        consoles.paragraph(console, messages.learned(values))
    _documents(console, part)


ACCURACY, F1 = N_("accuracy"), N_("F1 score")
NAMES = {"accuracy": ACCURACY, "f1": F1}
"""What figures are called."""


def _bars(console: Console, rows: list[tuple[str, float]]) -> None:
    pad = max(Text(label).cell_len for label, _value in rows)
    for label, value in rows:
        bar = ("█" if consoles.shows(console, "█") else "#") * round(value * 40)
        gap = " " * (pad - Text(label).cell_len)
        console.print(
            f"  {label}{gap}  {numbers.decimal(value, 3)}  ", Text(bar, style="green"), sep=""
        )


def _documents(console: Console, part: Part) -> None:
    """What documents of the course report of their model and data, to set one's own beside."""
    for each in part.documents:
        console.print()
        told = [(_(ACCURACY), each.accuracy)]
        told += [(_(F1), each.f1)] if each.f1 is not None else []
        figures = enumerate_words(f"{name} {numbers.decimal(value, 3)}" for name, value in told)
        said = _("For comparison: {figures} ({about}).").format(
            about=_(each.about), figures=figures
        )
        consoles.paragraph(console, said, style=consoles.QUIET)
    if part.documents:
        said = _(
            "Those are of the real model on the real data. Yours are of a tiny model on our own "
            "sentences, unless you run on the real hub."
        )
        consoles.paragraph(console, said, style=consoles.QUIET)


def looks(console: Console, taken: Taken) -> None:
    """The section's inspections, with what they really gave."""
    if not taken.looks:
        return
    console.print()
    consoles.paragraph(console, _("A look into the stopped script"), style="bold")
    for look, result in taken.looks:
        console.print()
        consoles.paragraph(console, _(look.caption), indent=2)
        for line in look.code.strip().splitlines():
            consoles.code(console, f">>> {line}" if line else "", indent=4, style=consoles.CODE)
        drawn = _drawn(console, result.output) if look.plot else []
        for row in drawn:
            console.print("    ", row, sep="", soft_wrap=True)
        if result.output and not drawn:
            _output(console, result.output, OUTPUT_LINES, indent=4)
        if result.error is not None:
            _output(console, result.error, MESSAGE_LINES, indent=4, style="red")
        if result.seconds >= 0.1:
            took = _("({seconds} s)").format(seconds=numbers.decimal(result.seconds, 1))
            consoles.paragraph(console, took, indent=4, style=consoles.QUIET)


def _drawn(console: Console, output: str) -> list[Text]:
    """The picture of a list of losses, one a step; nothing where the output is none."""
    try:
        losses = [float(loss) for loss in ast.literal_eval(output)]
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return []
    return chart.chart(
        [chart.Curve(_("loss"), tuple(enumerate(losses, start=1)))],
        consoles.width(console, 4),
        ascii_only=not chart.can_show(console),
    )


def _output(console: Console, text: str, most: int, indent: int, style: str = "") -> None:
    """The first lines of something long, folded to the width of a terminal."""
    lines = [line if len(line) <= 400 else line[:400] + " …" for line in text.splitlines()]
    consoles.code(console, "\n".join(lines[:most]), indent, style, fold=True)
    if len(lines) > most:
        consoles.code(console, "…", indent, style)


def fix(console: Console, taken: Taken) -> None:
    """The bug taken out, as a diff, with the reason."""
    if not taken.fix or taken.step.bug is None:
        return
    console.print()
    consoles.paragraph(console, _("The fix"), style="bold")
    match = taken.verdict.match
    if match is not None and match.fault.id == taken.step.fault:
        consoles.paragraph(console, _(match.fault.fix))
    for text in paragraphs(taken.step.bug.reason):
        consoles.paragraph(console, _(text))
    patch(console, taken.fix)


def patch(console: Console, diff: str) -> None:
    """A diff, without the names of its files."""
    console.print()
    styles = {"+": "green", "-": "red", "@": consoles.QUIET}
    for line in diff.splitlines()[2:]:
        consoles.code(console, line, indent=2, style=styles.get(line[:1], ""))
