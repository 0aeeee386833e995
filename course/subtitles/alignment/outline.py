"""What a transcript is laid beside: the steps of a lesson, or the headings of a document."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from course.base import texts
from course.base.errors import UserError
from course.base.i18n import N_, _, translator
from course.lesson import lesson
from course.lesson.catalogue import catalogue
from course.lesson.lesson import Part, Step
from course.lesson.signature import Signature
from course.subtitles.alignment.alignment import INTRO, OUTRO

_FRONT_MATTER = re.compile(r"\A\ufeff?---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_NUMBER = re.compile(r"\D{0,12}(\d{1,6})\b")
FEWEST = 10
"""Fewer numbered headings are those of a text."""

TRAINS = N_(
    "The script runs to the end and trains: the loss goes down, it converges to a low value, and "
    "the model works at last."
)
"""What the step without a fault is about."""


@dataclass(frozen=True)
class Section:
    """One step: its id, and what is written about it, in one language or several.

    `core` says what the step is (a heading; a fault's name, its messages, the edits that mend it),
    `text` tells of it, `aside` is what is looked at on the way.
    """

    step: str
    core: str
    text: str
    aside: str = ""


@dataclass(frozen=True)
class Outline:
    """Sections in their order; `intro` and `outro` are what is written before and after them."""

    sections: tuple[Section, ...]
    intro: str = ""
    outro: str = ""


def of_lesson(part: Part, languages: Iterable[str]) -> Outline:
    """Make the outline of a lesson's part, with its texts in each of these languages."""
    found = lesson.load(part.lesson)
    into = [translator(name) for name in languages]

    def translated(*written: str) -> Iterator[str]:
        for paragraph in (p for text in written for p in texts.paragraphs(text)):
            yield from (translate(paragraph) for translate in into)

    sections = []
    for step in part.steps:
        fault = catalogue()[step.fault] if step.fault else None
        titles = [fault.title if fault else TRAINS, *([step.bug.reason] if step.bug else [])]
        prose = [step.intro, *([fault.means, fault.where, fault.fix] if fault else [])]
        looks = part.looks_at(step.id)
        sections.append(
            Section(
                step.id,
                "\n".join([*translated(*titles), *_code(step)]),
                "\n".join(translated(*prose)),
                "\n".join(
                    [
                        *translated(*(t for look in looks for t in (look.caption, look.shows))),
                        *(look.code for look in looks),
                    ]
                ),
            )
        )
    return Outline(
        tuple(sections),
        "\n".join([*translated(found.title, found.summary), part.script]),
        "\n".join(translated(part.outro)),
    )


def _code(step: Step) -> Iterator[str]:
    """Yield the texts that are the same in every language: the id, messages, edits."""
    yield step.id.replace("-", " ")
    for signature in catalogue()[step.fault].signatures if step.fault else ():
        if isinstance(signature, Signature):
            yield from (*signature.exception.split("."), signature.example)
    for edit in step.bug.edits if step.bug else ():
        yield from (edit.buggy, edit.healthy)


def of_document(markdown: str) -> Outline:
    """Make the outline of a Markdown document (CommonMark): headings with the text below each.

    One heading above all others that stands first is the document's title: what it says, and what
    stands below it, belongs to the intro. A heading that occurs again gets a number.

    Raises:
        UserError: the document has no headings.

    """
    from markdown_it import MarkdownIt

    text = _FRONT_MATTER.sub("", markdown.replace("\r\n", "\n").replace("\r", "\n"))
    lines = text.splitlines(keepends=True)
    blocks = MarkdownIt("commonmark").parse(text)
    places = [
        (int(block.tag[1]), inline.content, block.map[0], block.map[1])
        for block, inline in pairwise(blocks)
        if block.type == "heading_open" and block.map and not block.level
    ]
    if not places:
        raise UserError(
            _(
                "The file has no headings that can be used as steps. Begin the line of each "
                "heading with {mark}."
            ).format(mark="`## `")
        )
    level, _title, begin, _body = places[0]
    entitled = len(places) > 1 and all(level < other for other, *_rest in places[1:])
    intro = "".join(lines[: begin if not entitled else places[1][2]])
    names: list[str] = []
    sections = []
    for number, (_level, heading, _begin, body) in enumerate(places):
        if number == 0 and entitled:
            continue
        end = places[number + 1][2] if number + 1 < len(places) else len(lines)
        names.append(_unique(strip_markup(heading), names))
        sections.append(Section(names[-1], heading, "".join(lines[body:end])))
    return Outline(tuple(sections), intro)


def numbered(found: Outline) -> bool:
    """Whether the sections are slides: ten or more, each of which has its number in its name."""
    numbers = [_NUMBER.match(section.step) for section in found.sections]
    places = range(1, len(numbers) + 1)
    return len(numbers) >= FEWEST and all(
        number is not None and int(number[1]) == place
        for number, place in zip(numbers, places, strict=True)
    )


def strip_markup(heading: str) -> str:
    """Strip links, images, HTML tags and emphasis off a Markdown heading."""
    bare = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    bare = re.sub(r"<[^>]+>", "", bare)
    return re.sub(r"[*`]|(?<!\w)_|_(?!\w)", "", bare).strip()


def _unique(name: str, taken: Sequence[str]) -> str:
    """Make a name for a step: ids must not occur twice, nor be one of the reserved ones."""
    name = name or "?"
    result, number = name, 1
    while result in taken or result in (INTRO, OUTRO):
        number += 1
        result = f"{name} ({number})"
    return result
