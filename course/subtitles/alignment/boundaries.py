"""Where a speaker goes on to the next part: pauses, ends of sentences, words used for it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from course.subtitles.alignment.similarity import Matrix
from course.subtitles.alignment.tokenizer import beginnings_of, is_han, phrases_of
from course.subtitles.cue import Cue

ENDS = (".", "?", "!", "。", "？", "！", "…", ":", "：")


@dataclass(frozen=True)
class BoundaryModel:
    """How likely a new part begins at a cue, in log-odds: what each sign adds to an even cut."""

    pause: float = 1.4
    """For each second of silence before the cue, up to one and a half."""
    inside: float = -2.0
    """Within a sentence: the cue before does not end one."""
    turn: float = 2.5
    again: float = 3.0
    """After words such as "run again"."""
    first: float = 1.0
    """At words that parts often begin with, such as "now"."""
    onward: float = -1.0
    """At words that no part begins with, such as "it"."""

    def __call__(self, cues: Sequence[Cue], parts: int) -> Matrix:
        """Compute the log-odds that a new part begins at each cue, of shape (cues,)."""
        turn, again = phrases_of("turn"), phrases_of("again")
        first, onward = beginnings_of("first"), beginnings_of("onward")
        odds = np.full(len(cues), np.log(parts / max(parts, len(cues))))
        for i in range(1, len(cues)):
            before, cue = cues[i - 1], cues[i]
            silence = max(0, cue.start.ordinal - before.end.ordinal) / 1000
            odds[i] += self.pause * min(silence, 1.5)
            if not any(line.rstrip("\"'”’)） ").endswith(ENDS) for line in before.lines):
                odds[i] += self.inside
            if turn.search(cue.text):
                odds[i] += self.turn
            if again.search(before.text):
                odds[i] += self.again
            # In a cue of two languages the second one begins at its own line.
            starts = [cue.text, *(line for line in cue.lines if is_han(line))]
            if any(map(first.match, starts)):
                odds[i] += self.first
            elif any(map(onward.match, starts)):
                odds[i] += self.onward
        return odds
