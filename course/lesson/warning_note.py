"""What is known of libraries' warnings, `lessons/warnings/<id>.toml`: which matter, and why."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Annotated

from course.base import paths, schema
from course.base.i18n import _
from course.base.schema import As, Place, Unfit
from course.base.texts import paragraphs

FORMAT = 1


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise Unfit(str(error)) from error


@dataclass(frozen=True)
class WarningNote:
    """An explanation of the warnings that `pattern` is found in.

    `quote` finds the words of it that matter. One that is `folded` is no news for a learner, and is
    explained where all the output is asked for.
    """

    id: str
    pattern: Annotated[re.Pattern[str], As(str, _pattern)]
    quote: Annotated[re.Pattern[str], As(str, _pattern)]
    means: str
    folded: bool = False

    def quoted(self, message: str) -> str:
        """Return the words of a warning that matter, on one line; sorted: libraries vary it."""
        found = sorted(" ".join(each.group().split()) for each in self.quote.finditer(message))
        return ", ".join(dict.fromkeys(found))

    @property
    def text(self) -> str:
        """The explanation in the language in force."""
        return " ".join(_(part) for part in paragraphs(self.means))


@cache
def warning_notes() -> dict[str, WarningNote]:
    """All explanations by id.

    Raises:
        ContentError: one breaks the format.

    """
    found = {}
    for source in sorted((paths.lessons() / "warnings").glob("*.toml")):
        note = schema.read(WarningNote, source, FORMAT)
        if note.id != source.stem:
            sentence = _("The id must be {name}: the name of its file or folder.")
            raise schema.wrong(Place(source), sentence.format(name=f"`{source.stem}`"))
        found[note.id] = note
    return found


def find_note(message: str) -> WarningNote | None:
    """Find the explanation of a warning; None where it has none."""
    return next((n for n in warning_notes().values() if n.pattern.search(message)), None)
