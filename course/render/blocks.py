"""What there is to show, piece by piece: a backend of this room draws each block in its own way."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from course.base.i18n import _, numbers
from course.base.texts import paragraphs, pieces
from course.lesson.catalogue import STAGES

Tone = Literal["text", "title", "heading", "quiet", "bad", "error", "good"]
Folded = TypeVar("Folded", covariant=True)
"""What a fold may hold: what is drawn around it, too."""


@dataclass(frozen=True)
class Paragraph:
    """A sentence or several, with `code` between backticks; a heading is one, too.

    `indent` is a number of columns, where a backend has such.
    """

    text: str
    tone: Tone = "text"
    indent: int = 0


@dataclass(frozen=True)
class Code:
    """Lines of code, or a library's own words, as they are.

    `prompt`: as typed in at a prompt; `numbered`: a whole file, with the numbers of its lines.
    """

    text: str
    tone: Tone = "text"
    indent: int = 2
    prompt: bool = False
    numbered: bool = False


@dataclass(frozen=True)
class Diff:
    """A unified diff; the names of its files, which it begins with, are shown if it is `named`."""

    text: str
    named: bool = False

    @property
    def lines(self) -> list[tuple[str, str]]:
        """Each line with its role: `added`, `removed`, `place`, or none."""
        roles = {"+": "added", "-": "removed", "@": "place"}
        shown = self.text.strip("\n").splitlines()[0 if self.named else 2 :]
        return [(line, roles.get(line[:1], "")) for line in shown]


@dataclass(frozen=True)
class Output:
    """What was printed, or an error's words; a backend cuts it where it is long.

    `losses` are (step, loss), where that is what the output holds: it can be drawn instead.
    """

    text: str
    tone: Tone = "text"
    indent: int = 4
    losses: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True)
class Losses:
    """The loss of a training over its steps, and that of healthy runs where it is known.

    `last` is the step at which a training under way will end.
    """

    losses: tuple[tuple[int, float], ...]
    healthy: tuple[tuple[int, float], ...] = ()
    last: int | None = None

    @property
    def sentence(self) -> str:
        """The first and the last loss, for those who see no picture."""
        (first, before), (last, after) = self.losses[0], self.losses[-1]
        return _("The loss: {before} at step {first}, {after} at step {last}.").format(
            before=numbers.decimal(before, 2),
            first=first,
            after=numbers.decimal(after, 2),
            last=last,
        )


@dataclass(frozen=True)
class Stages:
    """The stages of a training run in a row, with the one where a fault sits set apart."""

    here: str

    @property
    def names(self) -> list[tuple[str, bool]]:
        """What the stages are called, each with whether it is the one."""
        return [
            (_(label), name == self.here)
            for name, label in STAGES.items()
            if name not in ("script", "environment") or self.here == name
        ]


@dataclass(frozen=True)
class Gap:
    """Something new begins: an empty line on a terminal."""


@dataclass(frozen=True)
class Bar:
    """A share from 0 to 1 as a bar, with its name and its figure beside it."""

    label: str
    figure: str
    share: float
    good: bool = False


MARK = "!"
"""Stands before a row that is not as usual: a sign that any terminal has, beside the colour."""


@dataclass(frozen=True)
class TableRow:
    """The cells of a row, which may have `code` in them; one of the tone `bad` is marked."""

    cells: tuple[str, ...]
    tone: Tone = "text"

    @property
    def is_marked(self) -> bool:
        """Whether the row is set apart by a sign, too."""
        return self.tone == "bad"


@dataclass(frozen=True)
class Table:
    """Rows below the headings of their columns.

    The first column is as wide as the widest of `firsts`, where there is room: so tables stand
    below each other.
    """

    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]
    firsts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Items:
    """A list whose items are blocks again."""

    items: tuple[tuple["Block", ...], ...]


@dataclass(frozen=True)
class Details(Generic[Folded]):
    """What is shown where its reader asks for it; at once where nothing can be folded."""

    summary: str
    blocks: tuple[Folded, ...]


@dataclass(frozen=True)
class Reference:
    """A page elsewhere: what it is about, and its address."""

    title: str
    url: str


@dataclass(frozen=True)
class Bars:
    """Bars below each other, to be compared."""

    bars: tuple[Bar, ...]


Block = Paragraph | Code | Diff | Items | Stages | Details["Block"] | Reference
"""What a page consists of."""
StoryBlock = (
    Paragraph
    | Code
    | Diff
    | Output
    | Losses
    | Stages
    | Bars
    | Table
    | Gap
    | Details["StoryBlock"]
    | Reference
)
"""What a run is told of in."""


def unfolded(found: Iterable[StoryBlock]) -> Iterator[StoryBlock]:
    """Unfold blocks: what a fold holds stands below its summary."""
    for block in found:
        if isinstance(block, Details):
            yield Paragraph(block.summary, "heading")
            yield from unfolded(block.blocks)
        else:
            yield block


def prose(text: str) -> Iterable[Paragraph]:
    """Return a text that is not translated yet, paragraph by paragraph."""
    return (Paragraph(_(part)) for part in paragraphs(text))


def text(source: str) -> Iterable[Paragraph | Code]:
    """Return a text with blocks of code in it, the prose of which is not translated yet."""
    return (Code(part) if is_code else Paragraph(_(part)) for part, is_code in pieces(source))
