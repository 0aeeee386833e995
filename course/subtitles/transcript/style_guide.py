"""Limits that captions are held to: what a viewer can read at ease.

The profile `netflix` has those of Netflix's Timed Text Style Guides for adult programmes (the
general requirements and the guides for Simplified Chinese, Russian and English; see
partnerhelp.netflixstudios.com): duration, lines a cue, characters a line and a second, and a gap
of two frames, here at 24 frames a second. Two departures, both because transcripts come without a
cut list: cues that follow each other without any gap are let pass, and nothing is asked about
shot changes.

How characters are counted: spaces and punctuation count, breaks between lines do not. In Chinese a
full-width character (East Asian Width W or F) counts 1 and any other one half: 16 is a limit of
full-width characters, and API names would break it at once. So does Netflix's Korean guide, whose
limit is 16 as well; how Latin letters count in Chinese is our reading, for checks there are that
count every character 1 (Subtitle Edit's). In other languages every character counts 1. Combining
marks and characters without a width of their own count nothing.
"""

import math
import unicodedata
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

from course.base import schema
from course.base.errors import UserError
from course.base.i18n import _

FORMAT = 1


@dataclass(frozen=True)
class Limits:
    """What a language is held to: characters a line, and characters a second; None is no limit."""

    line: float | None = None
    second: float | None = None


def _ms(seconds: float) -> float:
    return seconds * 1000


@dataclass(frozen=True)
class StyleGuide:
    """What the cues of a transcript are held to; durations and the gap in ms, in a file in seconds.

    A language that is not among `languages` has no limits of its own.
    """

    shortest: Annotated[int, schema.As(float, _ms)] = 833
    longest: Annotated[float, schema.As(float, _ms)] = 7000
    gap: Annotated[int, schema.As(float, _ms)] = 83
    lines: float = 2
    languages: dict[str, Limits] = field(
        default_factory=lambda: {"en": Limits(42, 20), "zh": Limits(16, 9), "ru": Limits(39, 17)}
    )


NETFLIX = StyleGuide()
STRUCTURE = StyleGuide(shortest=0, longest=math.inf, gap=0, lines=math.inf, languages={})
"""No style at all: for transcripts that are only to be read by programs."""
PROFILES = {"netflix": NETFLIX, "structure": STRUCTURE}


def load(word: str) -> StyleGuide:
    """Return the profile of this name, or the one that a TOML file holds.

    Raises:
        UserError: there is neither, or the file breaks the format; says where.

    """
    if word in PROFILES:
        return PROFILES[word]
    path = Path(word)
    if not (path.suffix or path.exists()):
        raise UserError(schema.refused("--profile", word, list(PROFILES)))
    found = schema.read(StyleGuide, path, FORMAT, UserError)
    languages = dict(NETFLIX.languages)
    for name, own in found.languages.items():
        usual = languages.get(name, Limits())
        languages[name] = Limits(
            usual.line if own.line is None else own.line,
            usual.second if own.second is None else own.second,
        )
        _check(path, own, f"{name}.")
    _check(path, found)
    return replace(found, shortest=round(found.shortest), gap=round(found.gap), languages=languages)


def _check(path: Path, table: StyleGuide | Limits, prefix: str = "") -> None:
    for key, value in vars(table).items():
        # `nan` compares with nothing.
        if isinstance(value, int | float) and not 0 <= value < 1e12:
            sentence = _("In the profile {file}, {key} must be a number, zero or more.")
            raise UserError(sentence.format(file=f"`{path}`", key=f"`{prefix}{key}`"))


def width(text: str, language: str) -> float:
    """How many characters a line has, as the limits of its language count them."""
    if text.isascii():
        return len(text) / 2 if language == "zh" else len(text)
    return sum(_width(character, language) for character in text)


def _width(character: str, language: str) -> float:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    full = language != "zh" or unicodedata.east_asian_width(character) in "WF"
    # Quotes, dashes and dots that Chinese shares with other scripts are full-width there.
    return 1 if full or character in "‘’“”…—·" else 0.5
