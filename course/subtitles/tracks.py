"""The languages of a transcript: which line of a cue is in which."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tracks:
    """A transcript taken apart into languages.

    `languages` are codes (`zh`, `ru`, `en`) in the order in which a cue's lines stand; `texts` has
    for each cue its text in each language that it has, line breaks kept; `notes` has for each cue
    what a translator put between them, or "".
    """

    languages: tuple[str, ...]
    texts: tuple[Mapping[str, str], ...]
    notes: tuple[str, ...]
