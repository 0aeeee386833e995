"""Transcripts and their cues: pysrt's files and items.

A time is a `pysrt.SubRipTime`: whole milliseconds (`ordinal`) from the beginning of the video, so
that none drifts. It compares slowly, so long loops compare ordinals.
"""

from collections.abc import Iterable

from pysrt import SubRipFile, SubRipItem, SubRipTime


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
