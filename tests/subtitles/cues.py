"""Cues for tests, from their lines."""

from collections.abc import Sequence

from course.subtitles.cue import Cue


def new_cue(
    start: int, end: int, lines: Sequence[str] = (), number: int | None = None, line: int = 0
) -> Cue:
    """Make a cue at these times (ms)."""
    return Cue(number, start, end, "\n".join(lines), line)
