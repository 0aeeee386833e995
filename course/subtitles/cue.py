"""Transcripts and their cues: pysrt's files and items.

A time is a `pysrt.SubRipTime`: whole milliseconds (`ordinal`) from the beginning of the video, so
that none drifts. It compares slowly, so long loops compare ordinals.
"""

import re
from collections.abc import Iterable

from pysrt import SubRipFile, SubRipItem, SubRipTime

_BREAK = re.compile(r"\s*[\r\n]+\s*")
_FULL_BREAK = re.compile(rf"(?<=[\u3000-\u303f\uff01-\uff60]){_BREAK.pattern}")
"""A line's end after a full-width mark, which brings its own space along."""


def unwrapped(text: str) -> str:
    """Return a text on one line: captions are wrapped for the screen."""
    return _BREAK.sub(" ", _FULL_BREAK.sub("", text.strip()))


class Cue(SubRipItem):
    """A text shown from `start` to `end`: one line or more, in any languages.

    `text` is plain: `<s>` and `<pad>` are words. `index` is the number that the file gives the
    cue, None where it gives none; `line` is the line of the file that the cue begins at, counted
    from 1, and 0 for a cue that comes from no file.
    """

    def __init__(
        self,
        index: int | None = None,
        start: SubRipTime | int = 0,
        end: SubRipTime | int = 0,
        text: str = "",
        line: int = 0,
    ) -> None:
        super().__init__(index, start, end, text)
        self.line = line

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of the text; none where it is empty."""
        return tuple(self.text.split("\n")) if self.text else ()

    def __repr__(self) -> str:
        times = f"{self.start.ordinal}, {self.end.ordinal}"
        return f"Cue({self.index}, {times}, {self.text!r}, {self.line})"

    def _cmpkey(self) -> tuple[object, ...]:
        """By time, as pysrt sorts; but cues are equal only if all else is equal too."""
        return (self.start.ordinal, self.end.ordinal, self.text, self.line, str(self.index))


class Transcript(SubRipFile[Cue]):
    """The cues of one video, in the order of the file; written with LF at each line's end."""

    def __init__(self, cues: Iterable[Cue] = ()) -> None:
        super().__init__(list(cues), eol="\n")
