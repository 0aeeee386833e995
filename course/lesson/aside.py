"""Asides: what there is to read beside a step, as `lessons/<id>/asides.toml` has it."""

from dataclasses import dataclass
from typing import Annotated

from course.base import schema
from course.base.i18n import _, about
from course.base.schema import As, Place, Unfit
from course.lesson import lesson
from course.lesson.lesson import Lesson, Part

FORMAT = 1
FILE = "asides.toml"


def _check_url(url: str) -> str:
    if not url.startswith("https://"):
        raise Unfit(about("`url`", schema.not_of_form(url, "https://...")))
    return url


@dataclass(frozen=True)
class Aside:
    """A text on what a step does not need, and many will ask; opened on demand."""

    step: str
    title: str
    text: str
    framework: str | None = None


@dataclass(frozen=True)
class WebLink:
    """An address that helps at the end of a step; a title in backticks is a name."""

    step: str
    title: str
    url: Annotated[str, As(str, _check_url)]
    framework: str | None = None


@dataclass(frozen=True)
class Asides:
    """The asides and the links of a step, or of a whole lesson, in the order of the file."""

    asides: tuple[Aside, ...] = ()
    links: tuple[WebLink, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.asides or self.links)

    def at(self, part: Part, step: str) -> "Asides":
        """Those of one step of a part."""
        frameworks = None, part.framework
        return Asides(
            tuple(a for a in self.asides if a.step == step and a.framework in frameworks),
            tuple(a for a in self.links if a.step == step and a.framework in frameworks),
        )


@dataclass(frozen=True)
class _AsidesFile:
    """The file as it is written."""

    aside: tuple[Aside, ...] = ()
    link: tuple[WebLink, ...] = ()


def of_step(part: Part, step: str) -> Asides:
    """Return the asides for one step of a part.

    Raises:
        ContentError: see `load`.

    """
    return load(lesson.load(part.lesson)).at(part, step)


def load(of: Lesson) -> Asides:
    """Load the asides of a lesson; none where it has no such file.

    Raises:
        ContentError: the file breaks the format, or names a step that there is not; says where.

    """
    source = lesson.folder(of.id) / FILE
    if not source.is_file():
        return Asides()
    read = schema.read(_AsidesFile, source, FORMAT)
    for key, entries in vars(read).items():
        for number, entry in enumerate(entries, start=1):
            _check_step(of, entry, Place(source).at(key, number))
    return Asides(read.aside, read.link)


def _check_step(of: Lesson, entry: Aside | WebLink, where: Place) -> None:
    parts = [p for p in of.parts.values() if entry.framework in (None, p.framework)]
    if not parts:
        sentence = _("There is no framework {name}.")
        raise schema.wrong(where, sentence.format(name=f"`{entry.framework}`"))
    known = [step.id for part in parts for step in part.steps]
    if entry.step not in known:
        sentence = _("There is no step {name}.").format(name=f"`{entry.step}`")
        raise schema.wrong(where, schema.suggest(sentence, entry.step, known))
