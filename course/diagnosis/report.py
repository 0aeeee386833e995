"""What a diagnosis has found in a script, and what is in order there, as blocks to show."""

import shlex
from collections.abc import Iterable, Iterator

from course.base.i18n import _, at_place, in_a_row, ngettext, titled
from course.diagnosis import checklist
from course.diagnosis.diagnosis import Diagnosis
from course.diagnosis.finding import ScriptFinding
from course.diagnosis.text import reading as readings
from course.diagnosis.text.source_file import SourceFile
from course.render.blocks import Code, Diff, Gap, Paragraph, prose

FindingBlock = Paragraph | Code | Diff | Gap


def faults(
    source: SourceFile, findings: Iterable[ScriptFinding], *, with_fixes: bool = True
) -> Iterator[FindingBlock]:
    """Each fault with its line, its evidence and, unless left out, the way to mend it."""
    for finding in findings:
        yield Gap()
        yield Paragraph(titled(finding.entry.title, finding.fault), "title")
        if finding.given:
            yield Paragraph(at_place(_("the command line")), "quiet")
            yield Code(finding.given)
        place = _place(source, finding)
        if place:
            yield Paragraph(place, "quiet")
        if finding.file is None and finding.line and source.line(finding.line):
            yield Code(source.line(finding.line))
            yield from _besides(source, finding)
        doubt = () if finding.certain else (_("Possibly:"),)
        if said := (*doubt, *_said(finding)):
            yield Paragraph(in_a_row(*said), "bad" if finding.certain else "quiet")
        if finding.fix is not None:
            yield Diff(finding.fix)
        elif with_fixes:
            yield from prose(finding.entry.fix)


def broken(found: Diagnosis) -> Iterator[FindingBlock]:
    """Yield the measurements of the training that have no known cause."""
    if found.broken:
        yield Gap()
        yield Paragraph(_("Check this, unless it is intended:"), "heading")
    for each in found.broken:
        yield Paragraph(each.evidence, indent=2)


def left(source: SourceFile, findings: Iterable[ScriptFinding]) -> Iterator[FindingBlock]:
    """Yield the faults left to the user, each in a sentence, with how it is mended."""
    yield Gap()
    yield Paragraph(_("For you to fix"), "heading")
    for finding in findings:
        said = _said(finding) or [_(finding.entry.title)]
        yield Paragraph(in_a_row(_place(source, finding), *said), "bad")
        yield from prose(finding.entry.fix)


def _said(finding: ScriptFinding) -> list[str]:
    """Return the evidence, but for what is its line and the title of the fault."""
    return [each for each in [finding.evidence] if not each.endswith(_(finding.entry.title))]


def fine(check: str) -> str:
    """Describe in a sentence a check that has found all in order."""
    return _(checklist.FINE[check]) if check in checklist.FINE else readings.sentence(check)


def not_checked(source: SourceFile, found: Diagnosis) -> list[tuple[str, str]]:
    """List the checks that could not be made, each with the reason."""
    usual, online = f"`{command(source)}`", f"`{command(source, '--hub', 'online')}`"
    return [(of, _(why).format(command=usual, online=online)) for of, why in found.not_checked]


def stood_in(source: SourceFile) -> str:
    """Say that the embedded hub took the place of the real one, in a sentence."""
    sentence = _(
        "Some models or data that the script loads from the hub are not in the cache. Small ones "
        "from the embedded hub, with the same names, were used instead. {command} downloads the "
        "real ones."
    )
    return sentence.format(command=f"`{command(source, '--hub', 'online')}`")


def command(source: SourceFile, *options: str) -> str:
    """Make the command line of this diagnosis, with other `options`."""
    own = ("--", *source.arguments) if source.arguments else ()
    return shlex.join(("course", "diagnose", str(source.path), *options, *own))


def unchecked(check: str, why: str) -> str:
    """Describe a check that could not be made, in a sentence."""
    return _("Not checked, {check}: {why}.").format(check=f"`{check}`", why=why)


def count(found: Diagnosis) -> str:
    """How many faults there are for certain, in a sentence."""
    n = sum(finding.certain for finding in found.findings)
    if not n:
        return _("We found no fault that we are sure of.")
    return ngettext("{n} fault was found.", "{n} faults were found.", n).format(n=n)


def whole(source: SourceFile, found: Diagnosis) -> Iterator[FindingBlock]:
    """All of it: how many, which, what is in order, and what could not be checked."""
    is_fine = not any(finding.certain for finding in found.findings)
    yield Paragraph(count(found), "good" if is_fine else "title")
    yield from faults(source, found.findings)
    yield from broken(found)
    yield Gap()
    for check, _stage in found.checked:
        yield Paragraph(fine(check), "good")
    for check, why in not_checked(source, found):
        yield Paragraph(unchecked(check, why), "quiet")
    if found.stood_in:
        yield Paragraph(stood_in(source), "quiet")


def _besides(source: SourceFile, finding: ScriptFinding) -> Iterator[FindingBlock]:
    """Yield the other lines that the fault may have to be mended in."""
    others = [line for line in finding.lines[1:] if source.line(line)]
    if others and finding.fix is None:
        yield Paragraph(_("Also look at these lines:"), "quiet")
        yield Code("\n".join(f"{source.line(n)}  # {source.place(n)}" for n in others))


def _place(source: SourceFile, finding: ScriptFinding) -> str:
    """Where it lies, for a person; nothing where that is not known."""
    if finding.line is None:
        return ""
    if finding.file is not None:
        place = _("line {line} of {file}").format(line=finding.line, file=f"`{finding.file}`")
    else:
        place = source.place(finding.line)
    return at_place(place)
