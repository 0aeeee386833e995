"""What a run of a script without a lesson showed, as blocks."""

from collections.abc import Iterator, Sequence

from course.base import log
from course.base.i18n import _, in_a_row, titled
from course.judge import messages
from course.judge.script_verdict import SCRIPT_PROBLEMS, Naming, ScriptVerdict
from course.lesson.signature import Signature, SilentSignature
from course.render import run_blocks
from course.render.blocks import Code, Gap, Output, Paragraph, StoryBlock, prose
from course.runs.record import Raised, RunRecord

LINE, SECOND = "line.", "second."
"""How the facts begin that are about the names in the learner's own line; in the other one."""


def values(error: Raised, *, is_unknown: bool = False) -> Iterator[StoryBlock]:
    """Yield the names in the learner's line, each with its value.

    Of a failure that `is_unknown` those of the other line that decides, too.
    """
    heading = _("The values of the names in {place}:")
    own = error.own.text.strip().replace("`", "'") if error.own is not None else ""
    yield from _names(error, LINE, heading.format(place=f"`{own}`"))
    if is_unknown and error.second is not None:
        place = f"`{error.second.file}:{error.second.line}`"
        yield from _names(error, SECOND, heading.format(place=place))


def _before(what: str) -> str:
    """Say what the run had shown where an error was raised after all that."""
    # Translators: a whole sentence follows, as in "The loss is 3.1 at the end."
    return _("Before this error, the run shows: {what}").format(what=what)


def _names(error: Raised, prefix: str, heading: str) -> Iterator[StoryBlock]:
    known = [(k.removeprefix(prefix), v) for k, v in error.state.items() if k.startswith(prefix)]
    if known:
        yield Paragraph(heading, "quiet", indent=2)
        yield Output("\n".join(f"{name} = {value}" for name, value in known), "quiet")


def certain(
    naming: Naming, error: Raised | None, lines: Sequence[tuple[int | None, str]] = ()
) -> Iterator[StoryBlock]:
    """Yield a certain fault: its name, how it shows, what it means, where, and the way out."""
    yield Gap()
    yield from run_blocks.name(naming.match)
    signature = naming.match.signature
    if error is None and naming.told:
        yield Paragraph(naming.told, "bad")
    elif error is None:
        yield from run_blocks.silent(naming.match, naming.figures)
    elif isinstance(signature, SilentSignature):
        yield Paragraph(_before(naming.told or messages.silent(signature, naming.figures)), "bad")
    yield from run_blocks.detail(naming.match, error)
    yield from prose(naming.fault.means)
    yield Paragraph(_(naming.fault.where))
    if lines:
        yield Paragraph(_("Also look at these lines:"))
        yield Code("\n".join(f"{text}  # {_place(line)}" for line, text in lines))
    yield Paragraph(_("The fix"), "heading")
    yield from prose(naming.fault.fix)


def _place(line: int | None) -> str:
    """Say where a text stands."""
    return _("the command line") if line is None else _("line {line}").format(line=line)


def trouble(verdict: ScriptVerdict, record: RunRecord, output: str) -> Iterator[StoryBlock]:
    """Yield the problem of a run that has no name in the catalogue."""
    if verdict.problem is None:
        return
    own = verdict.raised.own if verdict.raised is not None else None
    sentence = _(SCRIPT_PROBLEMS[verdict.problem]).format(
        line=own.line if own is not None else "?", status=verdict.exit_code
    )
    written = log.file() if verdict.problem == "ours" else None
    yield Gap()
    yield Paragraph(sentence, "bad")
    if written is not None:
        yield Paragraph(log.sentence(written))
    yield from run_blocks.printed(output, record)


def possible(verdict: ScriptVerdict) -> Iterator[StoryBlock]:
    """Yield the possible faults, the likeliest first, each with its difference from others."""
    if not verdict.possible and not verdict.broken:
        return
    heading = _("Possibly:")
    if verdict.raised is None:
        heading = _("Check this, unless it is intended:")
    yield Gap()
    yield Paragraph(heading, "heading")
    for each in verdict.broken:
        yield Paragraph(each.evidence, indent=2)
    for naming in verdict.possible:
        yield Paragraph(titled(naming.fault.title, naming.fault.id), indent=2)
        sentence = evidence(naming, None) if verdict.raised is None else check(naming)
        if sentence:
            yield Paragraph(sentence, "quiet", indent=4)


def caught(verdict: ScriptVerdict) -> Iterator[StoryBlock]:
    """Yield the errors that the script itself has caught, each in a sentence."""
    for error in verdict.caught:
        sentence = _("The script itself has caught {error}.")
        words = f"`{error.name}: {run_blocks.decisive(error).splitlines()[0][:100]}`"
        yield Paragraph(sentence.format(error=words), "quiet")


def well(verdict: ScriptVerdict) -> Iterator[StoryBlock]:
    """Yield that a script ran to its end with no certain fault; nothing where it did not."""
    if not verdict.well:
        return
    yield Gap()
    sentence = in_a_row(_("The script has ended."), _("We found no fault that we are sure of."))
    yield Paragraph(sentence, "quiet" if verdict.broken else "good")


def check(naming: Naming) -> str:
    """Return the advice for telling a fault from others of the same message."""
    signature = naming.match.signature
    own = signature.check if isinstance(signature, Signature) else ""
    return _(own or naming.fault.where)


def evidence(naming: Naming, error: Raised | None) -> str:
    """Return a fault's evidence in a sentence: the last line of a traceback, or the figures."""
    signature = naming.match.signature
    if naming.told:
        return naming.told
    if isinstance(signature, SilentSignature):
        told = messages.silent(signature, naming.figures)
        return told if error is None else _before(told)
    return f"{error.name}: {run_blocks.decisive(error)}" if error is not None else ""
