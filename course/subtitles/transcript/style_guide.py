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
import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from course.errors import UserError
from course.i18n import _, enumerate_words

FORMAT = 1
DEFAULT = "netflix"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a language is held to: characters a line, and characters a second."""

    line: float
    second: float


@dataclass(frozen=True, slots=True)
class Profile:
    """What the cues of a transcript are held to; durations and the gap in ms.

    A language that is not among `languages` has no limits of its own.
    """

    name: str
    shortest: int
    longest: float
    gap: int
    lines: float
    languages: Mapping[str, Limits] = field(default_factory=dict)


NETFLIX = Profile(
    DEFAULT,
    shortest=833,
    longest=7000,
    gap=83,
    lines=2,
    languages={"en": Limits(42, 20), "zh": Limits(16, 9), "ru": Limits(39, 17)},
)
STRUCTURE = Profile("structure", shortest=0, longest=math.inf, gap=0, lines=math.inf)
"""No style at all: for transcripts that are only to be read by programs."""
PROFILES = {profile.name: profile for profile in (NETFLIX, STRUCTURE)}


def load(word: str) -> Profile:
    """The profile of this name, or the one that a TOML file holds.

    Raises:
        UserError: there is neither, or the file breaks the format; says where.

    """
    if word in PROFILES:
        return PROFILES[word]
    path = Path(word)
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        said = _("There is no profile {name}: choose one of {known}, or name a TOML file.")
        known = enumerate_words(f"`{name}`" for name in PROFILES)
        raise UserError(said.format(name=f"`{word}`", known=known)) from None
    except (OSError, ValueError) as error:
        # A broken TOML file and one that is not UTF-8 are both a ValueError.
        reason = getattr(error, "strerror", None) or str(error)
        said = _("The profile {file} can't be read: {reason}.")
        raise UserError(said.format(file=f"`{word}`", reason=reason.rstrip("."))) from None
    return _profile(path, data)


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


_KEYS = ("shortest", "longest", "gap", "lines")
_LANGUAGE_KEYS = ("line", "second")


def _profile(path: Path, data: Mapping[str, Any]) -> Profile:
    """The profile that a file holds: what it leaves out is as in `netflix`."""
    _check_keys(path, data, ("format", "languages", *_KEYS))
    if data.get("format") != FORMAT:
        said = _("The profile {file} needs the line {line}.")
        raise UserError(said.format(file=f"`{path}`", line=f"`format = {FORMAT}`"))
    languages = dict(NETFLIX.languages)
    for name, limits in _table(path, data, "languages").items():
        chosen = _table(path, {name: limits}, name)
        _check_keys(path, chosen, _LANGUAGE_KEYS)
        usual = languages.get(name, Limits(math.inf, math.inf))
        values = {key: _number(path, f"{name}.{key}", chosen[key]) for key in chosen}
        languages[name] = replace(usual, **values)
    values = {key: _number(path, key, data[key]) for key in _KEYS if key in data}
    return Profile(
        path.stem,
        # Durations are in seconds where people write them.
        shortest=round(values["shortest"] * 1000) if "shortest" in values else NETFLIX.shortest,
        longest=values["longest"] * 1000 if "longest" in values else NETFLIX.longest,
        gap=round(values["gap"] * 1000) if "gap" in values else NETFLIX.gap,
        lines=values.get("lines", NETFLIX.lines),
        languages=languages,
    )


def _check_keys(path: Path, data: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for key in data:
        if key not in known:
            said = _("The profile {file} has the key {key}: it may have {known}.")
            words = enumerate_words(f"`{name}`" for name in known)
            raise UserError(said.format(file=f"`{path}`", key=f"`{key}`", known=words))


def _table(path: Path, data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = data.get(key, {})
    if not isinstance(value, dict):
        said = _("In the profile {file}, {key} must be a table.")
        raise UserError(said.format(file=f"`{path}`", key=f"`{key}`"))
    return value


def _number(path: Path, key: str, value: object) -> float:
    # `true` is an int in Python; `nan` compares with nothing.
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e9:
        said = _("In the profile {file}, {key} must be a number, zero or more.")
        raise UserError(said.format(file=f"`{path}`", key=f"`{key}`"))
    return float(value)
