"""What a diagnosis has found in a script, as blocks to show."""

from collections.abc import Iterable, Iterator

from course.diagnosis.finding import ScriptFinding
from course.i18n import _, in_a_row, titled
from course.reading.source_file import SourceFile
from course.render.blocks import Code, Diff, Gap, Paragraph, prose

FindingBlock = Paragraph | Code | Diff | Gap


def found(source: SourceFile, findings: Iterable[ScriptFinding]) -> Iterator[FindingBlock]:
    """Each fault with its line, its evidence and the way to mend it."""
    for finding in findings:
        yield Gap()
        yield Paragraph(titled(finding.entry.title, finding.fault), "title")
        place = _place(source, finding)
        if place:
            yield Paragraph(place, "quiet")
        if finding.file is None and finding.line and source.line(finding.line):
            yield Code(source.line(finding.line))
        doubt = (_("Possibly:"),) if not finding.certain else ()
        yield Paragraph(in_a_row(*doubt, finding.evidence), "bad" if finding.certain else "quiet")
        if finding.fix is None:
            yield from prose(finding.entry.fix)
        else:
            yield Diff(finding.fix)


def left(source: SourceFile, findings: Iterable[ScriptFinding]) -> Iterator[FindingBlock]:
    """What is left to a person's hands, each fault in a sentence, with how it is mended."""
    yield Gap()
    yield Paragraph(_("Left to you"), "heading")
    for finding in findings:
        yield Paragraph(in_a_row(_place(source, finding), finding.evidence), "bad")
        yield from prose(finding.entry.fix)


def _place(source: SourceFile, finding: ScriptFinding) -> str:
    """Where it lies, for a person; nothing where that is not known."""
    if finding.line is None:
        return ""
    if finding.file is not None:
        place = _("line {line} of {file}").format(line=finding.line, file=f"`{finding.file}`")
    else:
        place = source.place(finding.line)
    return _("{place}:").format(place=place[:1].upper() + place[1:])
