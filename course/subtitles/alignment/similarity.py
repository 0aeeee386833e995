"""How near each cue of a transcript is to each section of an outline."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from course.subtitles.alignment.outline import Section
from course.subtitles.alignment.tokenizer import tokens

Matrix = NDArray[np.float64]

MEMORY = 15
"""With each cue one part in so many of what was said before is forgotten."""


class Similarity(Protocol):
    """Anything that compares cues with sections: an embedding model of the user's own, say."""

    def __call__(self, cues: Sequence[str], sections: Sequence[Section]) -> Matrix:
        """How near each cue is to each section, of shape (cues, sections).

        Only differences count, and more is nearer: cosines will do. The first section is the
        intro and the last one the outro; either may be without a text.
        """
        ...


@dataclass(frozen=True)
class Wording:
    """Compares the words: a log-likelihood ratio of section against background, in nats.

    A section is a bag of tokens, each with the square root of its count; `core` words count more
    than the text, `aside` words less. A token speaks for the sections in which it is more frequent
    than in the average one, the more so the fewer cues have it. Identifiers, numbers and notions of
    the field speak louder than `general` notions, other words and Han pairs do. This is the
    multinomial event model of naive Bayes (McCallum and Nigam 1998) with Jelinek-Mercer smoothing
    (Zhai and Lafferty 2004).
    """

    core: float = 2.4
    aside: float = 0.15
    word: float = 0.4
    general: float = 0.35
    pair: float = 0.0
    """What two tokens say that follow each other in both, beside what each says by itself."""
    mixture: float = 0.3
    """How far to trust a section's own frequencies; the rest is the background's."""
    shortest: float = 60.0
    """A section with fewer tokens than this is treated as if it had so many."""
    rarity: float = 2.0
    limit: float = 5.3
    """No cue says more than this for or against a section (nats)."""
    again: float = 0.0
    """How much less a token says for each time it was said in the cues before."""
    letters: int = 0
    """Compares so many letters in a row instead, if not zero: parts of words, and beyond them."""

    def __call__(self, cues: Sequence[str], sections: Sequence[Section]) -> Matrix:
        """Log-likelihood ratios of shape (cues, sections)."""
        read = self._letters if self.letters else tokens
        said = [read(text) for text in cues]
        written = [
            [(read(s.text), 1.0), (read(s.core), self.core), (read(s.aside), self.aside)]
            for s in sections
        ]
        result = self._ratios(said, written)
        if self.pair:
            paired = [[(_pairs(each), weight) for each, weight in bag] for bag in written]
            result += self.pair * self._ratios([_pairs(each) for each in said], paired)
        return result

    def _letters(self, text: str) -> list[str]:
        plain = re.sub(r"\W+", " ", f" {text.lower()} ")
        return [plain[i : i + self.letters] for i in range(len(plain) - self.letters + 1)]

    def _ratios(
        self, said: Sequence[list[str]], written: Sequence[list[tuple[list[str], float]]]
    ) -> Matrix:
        """Compare the tokens of cues with those of sections, each list of these with its weight."""
        counts, vocabulary = self._counts(written)
        seen = np.zeros(len(vocabulary))
        places = [
            np.fromiter({vocabulary[t]: 0 for t in each if t in vocabulary}, dtype=np.int64)
            for each in said
        ]
        for each in places:
            seen[each] += 1
        weights = self._weights(counts, seen, list(vocabulary), len(said))
        result = np.zeros((len(said), len(written)))
        lately = np.zeros(len(vocabulary))
        for row, each in enumerate(places):
            if len(each):
                result[row] = 1 / (1 + self.again * lately[each]) @ weights[each]
            lately *= 1 - 1 / MEMORY
            lately[each] += 1
        return np.clip(result, -self.limit, self.limit)

    def _counts(
        self, written: Sequence[list[tuple[list[str], float]]]
    ) -> tuple[Matrix, dict[str, int]]:
        """How often each section has each token, of shape (tokens, sections), and the tokens."""
        names = sorted({token for bag in written for listed, _weight in bag for token in listed})
        vocabulary = {token: number for number, token in enumerate(names)}
        counts = np.zeros((len(vocabulary), len(written)))
        for column, bag in enumerate(written):
            for listed, weight in bag:
                for token, count in Counter(listed).items():
                    counts[vocabulary[token], column] += weight * count**0.5
        return counts, vocabulary

    def _weights(self, counts: Matrix, seen: Matrix, names: list[str], cues: int) -> Matrix:
        """Compute the weight of each token for each section, of shape (tokens, sections)."""
        shares = counts / np.maximum(counts.sum(axis=0), self.shortest)
        inner = shares[:, 1:-1]
        background = inner.mean(axis=1) + 0.5 / max(1, len(names)) / inner.shape[1]
        rare = np.log(1 + cues / (seen + 0.5)) / np.log(1 + cues)
        kinds = np.array([self._kind(token) for token in names])
        speaks = np.log(self.mixture * shares / background[:, None] + 1 - self.mixture)
        return np.asarray(speaks * (self.rarity * rare * kinds)[:, None])

    def _kind(self, token: str) -> float:
        """How loudly a token of this kind speaks."""
        if token[0] in "=#@":
            return 1.0
        return self.general if token[0] == "~" else self.word


def _pairs(listed: Sequence[str]) -> list[str]:
    """Return each token with the next one, as loud as an identifier."""
    return [f"={one} {other}" for one, other in pairwise(listed)]
