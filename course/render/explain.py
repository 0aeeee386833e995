"""A fault of the catalogue as a page: what it is, how it shows, what to do, where to practise."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from course.base.i18n import _, enumerate_words, in_a_row, ngettext, titled
from course.judge import messages
from course.judge.quoted import Explained
from course.lesson import catalogue
from course.lesson.catalogue import Fault, Match
from course.lesson.signature import Signature, SilentSignature, WordingAge
from course.lesson.warning_note import find_note
from course.render.blocks import (
    Code,
    Gap,
    Output,
    Paragraph,
    Stages,
    StoryBlock,
    Table,
    TableRow,
    prose,
)
from course.runs.libraries import tells_of_other

MEMORY = ("cuda-out-of-memory", "gpu-memory-held")
"""The faults that are practised with figures of a model's memory, and not with a bug."""
_VERSION = r"\d+(?:\.\d+)*"
_RELEASE = re.compile(
    rf"(?<![\w/-])(?!(?:and|before|issues?|of|to)\b)([A-Za-z][\w-]*)"
    rf" ({_VERSION}(?: (?:to|and) {_VERSION})*)"
)
"""A library with its releases: `numpy 1 and 2`, `scikit-learn 1.5 to 1.9`."""
DIAGNOSE = "course diagnose SCRIPT"
"""The command that runs a script to look for what is wrong."""
_REPORTED = "reports of users"
_CLAUSE = re.compile(r"[^,:;.{]*")
"""What a finding begins with, up to its first figure."""
_IN_EACH = {"model.steps", "model.optimizers", "model.parameters"}
"""Figures that only tell whether there was a training at all."""


@dataclass(frozen=True)
class PracticePlace:
    """Where a fault can be met: a step of a lesson's walk, or without one an exercise by itself."""

    lesson: str
    framework: str
    step: str | None
    command: str


def practices(fault: str) -> list[PracticePlace]:
    """Return every place of the lessons where a fault can be met."""
    return _all_practices().get(fault, [])


@cache
def _all_practices() -> dict[str, list[PracticePlace]]:
    """Return the places of each fault that the lessons have, a walk before its exercises."""
    from course.lesson import lesson

    found: dict[str, list[PracticePlace]] = {}
    for name in lesson.ids():
        parts = lesson.load(name).parts
        for framework, part in parts.items():
            chosen = f" --fw {framework}" if framework != next(iter(parts)) else ""
            for step in part.steps:
                if step.fault is not None:
                    command = f"course run {name}{chosen} --step {step.id}"
                    place = PracticePlace(name, framework, step.id, command)
                    found.setdefault(step.fault, []).append(place)
            for bug in part.known:
                command = f"course start {name}{chosen} --bugs {bug.fault}"
                place = PracticePlace(name, framework, None, command)
                found.setdefault(bug.fault, []).append(place)
    return found


def contents() -> Iterator[StoryBlock]:
    """Yield all faults by their stages, a row for each."""
    known = catalogue.catalogue()
    firsts = tuple(f"`{name}`" for name in known)
    for number, (stage, label) in enumerate(catalogue.STAGES.items()):
        if number:
            yield Gap()
        rows = [
            TableRow((f"`{fault.id}`", _(fault.title)))
            for fault in known.values()
            if fault.stage == stage
        ]
        yield Table((_(label), ""), tuple(rows), firsts)


def page(fault: Fault) -> Iterator[StoryBlock]:
    """Yield all that the catalogue knows of a fault."""
    yield Stages(fault.stage)
    yield Paragraph(titled(fault.title, fault.id), "title")
    yield from prose(fault.means)
    yield from _heading(_("How to recognize it"))
    yield from _shows(fault)
    yield from _heading(_("Where to look"))
    yield from prose(fault.where)
    yield from _heading(_("How to fix it"))
    yield from prose(fault.fix)
    yield from _otherwise(fault)
    yield from _neighbours(fault)
    yield from _practices(fault)


def quoted(explained: Explained) -> Iterator[StoryBlock]:
    """Yield an error that was read in a text: the learner's line, and its possible faults."""
    error = explained.error
    words = explained.raised.message
    yield Output(f"{error.type}: {words}" if error.type else words, "error", indent=2)
    if error.own is not None:
        place = f"`{error.own.file}`"
        yield Paragraph(
            _("line {line} of {file}").format(file=place, line=error.own.line)
            if error.own.line
            else place,
            "quiet",
            indent=2,
        )
        if error.own.text:
            yield Code(error.own.text, indent=4)
    yield from _others(error.others)
    yield Gap()
    special = [match for match in explained.found if not match.fault.general]
    found = special or list(explained.found)
    if explained.silent:
        yield from _silent_trouble(explained, found)
    elif not found:
        yield Paragraph(_("The catalogue does not know this error, so we do not guess."))
    elif len(found) == 1 or found[0].certain:
        yield from _quoted_fault(explained, found[0])
        if found[1:]:
            yield from _heading(_("Less likely"))
            yield from _causes(found[1:])
    else:
        yield Paragraph(
            _(
                "This message has several possible causes. The most likely cause comes first. "
                "Check which one it is."
            ),
        )
        yield from _causes(found)


def _others(lines: Sequence[str]) -> Iterator[StoryBlock]:
    """Say that there are more errors than the one that is explained."""
    if not lines:
        return
    sentence = ngettext(
        "The text has {n} more error, with its own traceback. Paste this traceback alone to have "
        "it explained:",
        "The text has {n} more errors, with their own tracebacks. Paste each traceback alone to "
        "have it explained:",
        len(lines),
    )
    yield Paragraph(sentence.format(n=len(lines)), "quiet", indent=2)
    for line in lines:
        yield Output(line, indent=4)


def _silent_trouble(explained: Explained, found: Sequence[Match]) -> Iterator[StoryBlock]:
    """Yield the possible causes of a text without an error, and the command to look for it."""
    note = find_note(explained.error.message)
    if note is not None:
        yield Paragraph(note.text)
    if found and found[0].certain:
        yield from _quoted_fault(explained, found[0])
    else:
        yield Paragraph(
            _("No error was raised here, so this message alone does not show the cause.")
        )
    if found and not found[0].certain:
        yield Paragraph(_("Possibly:"))
        yield from _causes(found)
    yield Gap()
    yield Paragraph(
        _(
            "{command} runs your script in a copy, measures the training, and names each fault "
            "and its line."
        ).format(command=f"`{DIAGNOSE}`")
    )


def _quoted_fault(explained: Explained, match: Match) -> Iterator[StoryBlock]:
    """Yield one fault in short, with the command that shows all of it."""
    fault = match.fault
    if not match.certain:
        yield Paragraph(_("This may be the cause: the message alone is not enough to be sure."))
    elif fault.event:
        yield Paragraph(
            _("This is what happened. The message does not say why: look for the cause.")
        )
    yield Paragraph(titled(fault.title, fault.id), "title")
    if told := messages.raised(match.signature, explained.raised):
        yield Paragraph(told)
    yield from prose(fault.means)
    yield from _heading(_("How to find the cause") if fault.event else _("Where to look"))
    check = match.signature.check if isinstance(match.signature, Signature) else ""
    if check:
        yield Paragraph(_(check))
    yield from prose(fault.where)
    yield from _heading(_("How to fix it"))
    yield from prose(fault.fix)
    yield Gap()
    yield Paragraph(_command(fault), "quiet")


def _causes(found: Sequence[Match]) -> Iterator[StoryBlock]:
    """Yield faults that have the same words, each with what tells it from the others."""
    for match in found:
        yield Gap()
        yield Paragraph(titled(match.fault.title, match.fault.id), "title")
        check = match.signature.check if isinstance(match.signature, Signature) else ""
        yield Paragraph(
            _("What to check: {check}").format(check=_(check or match.fault.where)), indent=2
        )
        yield Paragraph(_command(match.fault), "quiet", indent=2)


def _command(fault: Fault) -> str:
    return _("For more: {command}").format(command=f"`course explain {fault.id}`")


def _heading(text: str) -> Iterator[StoryBlock]:
    yield Gap()
    yield Paragraph(text, "heading")


def _shows(fault: Fault) -> Iterator[StoryBlock]:
    """Yield the words of the course, those of the libraries, and the signs of silent faults."""
    raised = [s for s in fault.signatures if isinstance(s, Signature)]
    headings: dict[WordingAge, str] = {
        "course": _("The course prints:"),
        "later": _("Current versions of the libraries print:"),
    }
    for wording, heading in headings.items():
        some = [signature for signature in raised if signature.wording == wording]
        # What only users of the other libraries see stands below what most readers see.
        some.sort(key=lambda signature: tells_of_other(signature.seen))
        if some:
            yield Paragraph(heading)
        # Signatures that differ in their conditions may have the same words.
        for words in dict.fromkeys(signature.words for signature in some):
            yield Output(words, "error", indent=2)
            if where := _seen([each for each in some if each.words == words]):
                yield Paragraph(where, "quiet", indent=2)
    silent = [s for s in fault.signatures if isinstance(s, SilentSignature)]
    if silent:
        yield Paragraph(_("No error is raised. The run shows:"))
        # What a broken rule tells is told again by figures that come before it, not after.
        yield from _silent([s for s in silent if bool(s.when) == bool(silent[0].when)])


def _silent(signatures: list[SilentSignature]) -> Iterator[StoryBlock]:
    said = _kinds(signatures)
    for text in said:
        yield Paragraph(text)
    if any("…" in text for text in said):
        yield Paragraph(_("In your own run, each … is a number."), "quiet")
    if printed := list(dict.fromkeys(s.words for s in signatures if s.wording == "course")):
        yield Paragraph(_("The course prints:"))
        for words in printed:
            yield Code(words, "bad")


def _kinds(signatures: list[SilentSignature]) -> list[str]:
    """Return the general descriptions of signatures, once for each kind.

    Two are of a kind that begin with the same words and measure one thing for the cause.
    """
    found: dict[str, tuple[str, set[str]]] = {}
    for each in signatures:
        text = messages.silent_in_general(each)
        begins = _CLAUSE.match(each.shown)
        clause = (begins and begins[0]) or text
        cause = each.cause if isinstance(each.cause, tuple) else ()
        measured = {condition.figure for condition in cause} - _IN_EACH
        kept = (other for other in found.values() if other[0] == clause)
        if text not in found and all(measured.isdisjoint(of) for _clause, of in kept):
            found[text] = (clause, measured)
    return list(found)


def releases(seen: str) -> str:
    """Return the libraries and versions named in the place where a signature was seen."""
    found = (
        f"`{name} {release.replace(' to ', '–')}`"
        for name, releases in _RELEASE.findall(seen)
        for release in releases.split(" and ")
    )
    return enumerate_words(dict.fromkeys(found))


def _seen(signatures: Sequence[Signature]) -> str:
    """Say where words were seen: with which libraries, by whom, and on which device only."""
    sentences = []
    ours = [each.seen for each in signatures if _REPORTED not in each.seen]
    if known := releases("; ".join(ours)):
        sentences.append(_("Seen with {libraries}.").format(libraries=known))
    elif not ours:
        sentences.append(_("Reported by others."))
    if all(each.device == "cuda" for each in signatures):
        sentences.append(_("On a GPU only."))
    return in_a_row(*sentences) if sentences else ""


def _otherwise(fault: Fault) -> Iterator[StoryBlock]:
    """Yield the texts that differ with another framework."""
    own = fault.otherwise
    if own.framework:
        yield from _heading(_("With {framework}").format(framework=own.framework))
    for text in (own.means, own.where, own.fix):
        if text:
            yield from prose(text)


def _neighbours(fault: Fault) -> Iterator[StoryBlock]:
    found = catalogue.neighbours(fault.id)
    if found:
        yield from _heading(_("Similar faults"))
    # Several may share the sentence that tells them apart: it is told once.
    for apart in dict.fromkeys(found.values()):
        for name, each in found.items():
            if each == apart:
                yield Paragraph(titled(catalogue.catalogue()[name].title, name))
        if apart:
            yield Paragraph(_(apart), indent=2)


def _practices(fault: Fault) -> Iterator[StoryBlock]:
    texts = [
        (
            _("{command}: a step of the lesson")
            if each.step is not None
            else _("{command}: a separate exercise")
        ).format(command=f"`{each.command}`")
        for each in practices(fault.id)
    ]
    if fault.id in MEMORY:
        command = "`course memory ch8-4`"
        texts.append(_("{command}: how much memory each part takes").format(command=command))
    if texts:
        yield from _heading(_("Where to practise"))
    for text in texts:
        yield Paragraph(text, indent=2)
