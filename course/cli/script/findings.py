"""What reading a script has found, as blocks to show."""

from collections.abc import Iterator

from course.i18n import _, in_a_row, titled
from course.lesson.catalogue import catalogue
from course.reading.reading import Reading
from course.reading.source_file import SourceFile
from course.reading.text_fault import TextFault
from course.render.blocks import Code, Diff, Gap, Paragraph, prose

ReadingBlock = Paragraph | Code | Diff | Gap


def faults(source: SourceFile, found: Reading) -> Iterator[ReadingBlock]:
    """Each fault with its line, its evidence and the way to mend it."""
    for fault in found.faults:
        entry = catalogue()[fault.fault]
        yield Gap()
        yield Paragraph(titled(entry.title, entry.id), "title")
        yield Paragraph(_place(source, fault), "quiet")
        if source.line(fault.line):
            yield Code(source.line(fault.line))
        doubt = (_("Possibly:"),) if not fault.certain else ()
        yield Paragraph(in_a_row(*doubt, fault.sentence), "bad")
        diff = found.diff(fault)
        if diff is None:
            yield from prose(entry.fix)
        else:
            yield Diff(diff)


def left(source: SourceFile, faults: list[TextFault]) -> Iterator[ReadingBlock]:
    """What is left to a person's hands, each fault in a sentence, with how it is mended."""
    yield Gap()
    yield Paragraph(_("Left to you"), "heading")
    for fault in faults:
        yield Paragraph(in_a_row(_place(source, fault), fault.sentence), "bad")
        yield from prose(catalogue()[fault.fault].fix)


def _place(source: SourceFile, fault: TextFault) -> str:
    place = source.place(fault.line)
    return _("{place}:").format(place=place[:1].upper() + place[1:])
