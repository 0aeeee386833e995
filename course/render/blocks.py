"""What there is to show, piece by piece: a backend of this room draws each block in its own way."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from course.i18n import _
from course.texts import paragraphs

Tone = Literal["text", "heading", "bad"]


@dataclass(frozen=True)
class Paragraph:
    """A sentence or several, with `code` between backticks; a heading is one, too."""

    text: str
    tone: Tone = "text"


@dataclass(frozen=True)
class Code:
    """Lines of code, or a library's own words, as they are."""

    text: str
    tone: Tone = "text"


@dataclass(frozen=True)
class Diff:
    """A unified diff; the names of its files, which it begins with, are not shown."""

    text: str

    @property
    def lines(self) -> list[tuple[str, str]]:
        """Each line with its role: `added`, `removed`, `place`, or none."""
        roles = {"+": "added", "-": "removed", "@": "place"}
        return [(line, roles.get(line[:1], "")) for line in self.text.splitlines()[2:]]


@dataclass(frozen=True)
class Bar:
    """A share from 0 to 1 as a bar, with its name and its figure beside it."""

    label: str
    figure: str
    share: float
    good: bool = False


@dataclass(frozen=True)
class Items:
    """A list whose items are blocks again."""

    items: tuple[tuple["Block", ...], ...]


@dataclass(frozen=True)
class Details:
    """What is shown where its reader asks for it."""

    summary: str
    blocks: tuple["Block", ...]


Block = Paragraph | Code | Diff | Items | Details


def prose(text: str) -> Iterable[Paragraph]:
    """A text that is not translated yet, paragraph by paragraph."""
    return (Paragraph(_(part)) for part in paragraphs(text))
