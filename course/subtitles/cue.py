"""A transcript and its cues: what was said, and when.

Times are whole milliseconds from the beginning of the video, so that none ever drifts.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cue:
    """What is shown from `start` to `end` (ms): one line of text or more, in any languages.

    `lines` hold plain text: `<s>` and `<pad>` are words. `number` is the number that the file
    gives the cue, None where it gives none; `line` is the line of the file that the cue begins
    at, counted from 1, and 0 for a cue that comes from no file.
    """

    start: int
    end: int
    lines: tuple[str, ...]
    number: int | None = None
    line: int = 0

    @property
    def text(self) -> str:
        """The lines, one below the other."""
        return "\n".join(self.lines)


@dataclass(frozen=True, slots=True)
class Transcript:
    """The cues of one video, in the order of the file."""

    cues: tuple[Cue, ...]
