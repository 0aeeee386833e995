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
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from course.base import schema
from course.base.errors import UserError
from course.base.i18n import _, enumerate_words

FORMAT = 1
DEFAULT = "netflix"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a language is held to: characters a line, and characters a second."""

    line: float
    second: float


@dataclass(frozen=True, slots=True)
class StyleGuide:
    """What the cues of a transcript are held to; durations and the gap in ms.

    A language that is not among `languages` has no limits of its own.
    """

    name: str
    shortest: int
    longest: float
    gap: int
    lines: float
    languages: Mapping[str, Limits] = field(default_factory=dict)


NETFLIX = StyleGuide(
    DEFAULT,
    shortest=833,
    longest=7000,
    gap=83,
    lines=2,
    languages={"en": Limits(42, 20), "zh": Limits(16, 9), "ru": Limits(39, 17)},
)
STRUCTURE = StyleGuide("structure", shortest=0, longest=math.inf, gap=0, lines=math.inf)
"""No style at all: for transcripts that are only to be read by programs."""
PROFILES = {profile.name: profile for profile in (NETFLIX, STRUCTURE)}


def load(word: str) -> StyleGuide:
    """Return the profile of this name, or the one that a TOML file holds.

    Raises:
        UserError: there is neither, or the file breaks the format; says where.

    """
    if word in PROFILES:
        return PROFILES[word]
    path = Path(word)
    if not path.exists():
        sentence = _("There is no profile {name}: choose one of {known}, or name a TOML file.")
        known = enumerate_words(f"`{name}`" for name in PROFILES)
        raise UserError(sentence.format(name=f"`{word}`", known=known))
    return _profile(path, schema.read(_StyleTable, path, FORMAT, UserError))


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


@dataclass(frozen=True)
class _LanguageTable:
    line: float | None = None
    second: float | None = None


@dataclass(frozen=True)
class _StyleTable:
    """A profile as it is written, with durations in seconds."""

    shortest: float | None = None
    longest: float | None = None
    gap: float | None = None
    lines: float | None = None
    languages: dict[str, _LanguageTable] = field(default_factory=dict)


def _profile(path: Path, table: _StyleTable) -> StyleGuide:
    """Make the profile that a file holds: omitted values are as in `netflix`."""
    languages = dict(NETFLIX.languages)
    for name, limits in table.languages.items():
        usual = languages.get(name, Limits(math.inf, math.inf))
        languages[name] = replace(usual, **_numbers(path, limits, f"{name}."))
    given = _numbers(path, table)
    durations = {key: given[key] * 1000 for key in ("shortest", "longest", "gap") if key in given}
    return StyleGuide(
        path.stem,
        shortest=round(durations.get("shortest", NETFLIX.shortest)),
        longest=durations.get("longest", NETFLIX.longest),
        gap=round(durations.get("gap", NETFLIX.gap)),
        lines=given.get("lines", NETFLIX.lines),
        languages=languages,
    )


def _numbers(path: Path, table: _StyleTable | _LanguageTable, prefix: str = "") -> dict[str, float]:
    """Return the numbers that are given in a table, by their keys."""
    given = {k: v for k, v in vars(table).items() if isinstance(v, (int, float))}
    for key, value in given.items():
        # `nan` compares with nothing.
        if not 0 <= value < 1e9:
            sentence = _("In the profile {file}, {key} must be a number, zero or more.")
            raise UserError(sentence.format(file=f"`{path}`", key=f"`{prefix}{key}`"))
    return {key: float(value) for key, value in given.items()}
