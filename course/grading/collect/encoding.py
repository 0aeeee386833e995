"""Which of a few old encodings a text is in: names of people, and scripts."""

import codecs
import contextlib
import re

_OUTSIDE_ASCII = re.compile(r"[^\x00-\x7f]")
_CYRILLIC = re.compile(r"(?<![A-Za-z])[\u0400-\u04ff]+(?![A-Za-z])")
_MARKS = re.compile(r"[«»–—…№“”„\xa0]")
_CJK_MARKS = re.compile(r"[\u3000-\u303f\uff00-\uffef·]")
_LEVEL_1 = range(0xB0, 0xD8)
"""First bytes of the 3755 everyday characters in GB 2312; the rarer ones follow them."""
_RARER, _SHOUTED, _SURE = 0.6, 0.55, 0.5


_COOKIE = re.compile(
    r"\A((?:[^\r\n]*(?:\r\n?|\n))??[ \t\f]*#[^\r\n]*?coding[:=][ \t]*)([-\w.]+)", re.ASCII
)
"""An encoding that one of the first two lines names."""
_ASCII = bytes({*range(9, 127)} - {ord("\\")}) + rb"\x41+AGU-"
_WIDE = (
    *((codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32")),
    *((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")),
)
"""Marks at the beginning of a text, the longer ones first, and the encodings that they tell."""


def read_script(data: bytes) -> tuple[str, str]:
    """Return the text of a script and its encoding, where Python could not read it as it is.

    The encoding is "" for UTF-8. What names its encoding in a comment is read by that, unless ASCII
    stands for something else in it. The comment of the text says UTF-8 in any case: no Python is to
    read another text than we do.

    Raises:
        ValueError: no encoding that is known here fits, or it is no text.

    """
    text, encoding = _decode(data)
    if "\0" in text:
        raise ValueError("a zero in a text")
    return _COOKIE.sub(r"\1utf-8", text), encoding


def _decode(data: bytes) -> tuple[str, str]:
    wide = next((name for mark, name in _WIDE if data.startswith(mark)), "")
    if not wide and data[1::2].count(0) > len(data) // 5:
        # No mark, and yet every second byte of what is code is a zero.
        wide = "utf-16-le"
    if wide:
        return data.decode(wide), wide
    if named := _COOKIE.match(data.decode("latin-1")):
        with contextlib.suppress(LookupError, ValueError):
            if _ASCII.decode(named[2]) == _ASCII.decode():
                return data.decode(named[2]), ""
    try:
        return data.decode(), ""
    except UnicodeDecodeError:
        old = likeliest(data, "cp1251")
        if old is None or sum(byte < 128 for byte in data) < 2:
            # Not even a comment begins without a sign of ASCII.
            raise
        return data.decode(old), old


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
