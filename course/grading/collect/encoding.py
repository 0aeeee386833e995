"""Which of a few old encodings a short text is in: names of people, mostly."""

import re

_OUTSIDE_ASCII = re.compile(r"[^\x00-\x7f]")
_CYRILLIC = re.compile(r"(?<![A-Za-z])[\u0400-\u04ff]+(?![A-Za-z])")
_MARKS = re.compile(r"[«»–—…№“”„\xa0]")
_CJK_MARKS = re.compile(r"[\u3000-\u303f\uff00-\uffef·]")
_LEVEL_1 = range(0xB0, 0xD8)
"""First bytes of the 3755 everyday characters in GB 2312; the rarer ones follow them."""
_RARER, _SHOUTED, _SURE = 0.6, 0.55, 0.5


def likeliest(data: bytes, cyrillic: str) -> str | None:
    """`gb18030`, the given Cyrillic encoding, or None where the bytes look like neither.

    Chinese is told by its everyday characters, Cyrillic by words in small letters with at most a
    capital before them. Most Cyrillic words of odd length are no GB 18030 at all.
    """
    scores = {"gb18030": _score(data, "gb18030"), cyrillic: _score(data, cyrillic)}
    best = max(scores, key=lambda name: scores[name])
    return best if scores[best] > _SURE else None


def _score(data: bytes, encoding: str) -> float:
    """From 0 to 1: how much of what is not ASCII looks right in this encoding."""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return 0.0
    found = _OUTSIDE_ASCII.findall(text)
    if not found:
        return 0.0
    right = sum(map(_chinese, found)) if encoding == "gb18030" else _words(text)
    return right / len(found)


def _chinese(character: str) -> float:
    if _CJK_MARKS.match(character):
        return 1.0
    try:
        return 1.0 if character.encode("gb2312")[0] in _LEVEL_1 else _RARER
    except UnicodeEncodeError:
        return 0.0


def _words(text: str) -> float:
    """How many characters belong to words that could be Cyrillic, or are its marks."""
    right = float(len(_MARKS.findall(text)))
    for word in _CYRILLIC.findall(text):
        if word[1:] == word[1:].lower():
            right += len(word)
        elif word == word.upper():
            right += len(word) * _SHOUTED
    return right
