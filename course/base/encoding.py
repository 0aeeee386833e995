"""Which encoding a text is in: by its mark, as UTF-8, by its zeros, or by its letters."""

import codecs
import contextlib
import re
from dataclasses import dataclass

_BOMS = (
    # The longer first: the mark of UTF-32 begins with that of UTF-16.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 1 << 16
"""Bytes that a guess is made from: more would not make it better, only slower."""

_COOKIE = re.compile(
    r"\A((?:[^\r\n]*(?:\r\n?|\n))??[ \t\f]*#[^\r\n]*?coding[:=][ \t]*)([-\w.]+)", re.ASCII
)
"""An encoding that one of the first two lines names."""
_ASCII = bytes({*range(9, 127)} - {ord("\\")}) + rb"\x41+AGU-"

_OUTSIDE_ASCII = re.compile(r"[^\x00-\x7f]")
_CYRILLIC = re.compile(r"(?<![A-Za-z])[А-яЁёЄєІіЇїЎўҐґ]+(?![A-Za-z])")
_MARKS = re.compile(r"[«»–—…№“”„\xa0]")
_CJK_MARKS = re.compile(r"[\u3000-\u303f\uff00-\uffef·]")
_LEVEL_1 = range(0xB0, 0xD8)
"""First bytes of the 3755 everyday characters in GB 2312; the rarer ones follow them."""
_RARER, _SHOUTED, _SURE = 0.6, 0.55, 0.5


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text and what its bytes were written in.

    `encoding` is Python's name; `marked` tells that a byte order mark said so, `guessed` that
    nothing but the look of the letters did. Bytes that are no character there are U+FFFD in
    `text`. The mark is not part of the text.
    """

    text: str
    encoding: str
    marked: bool = False
    guessed: bool = False


def decode(data: bytes, errors: str = "replace") -> Decoded:
    """Decode these bytes: by their mark, as UTF-8, as UTF-16 without a mark, or by looks.

    Takes time in proportion to the bytes.

    Raises:
        UnicodeDecodeError: bytes are no character, and `errors` is "strict".

    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return Decoded(data[len(mark) :].decode(encoding, errors), encoding, marked=True)
    wide = _wide(data)
    if wide:
        return Decoded(data.decode(wide, errors), wide, guessed=True)
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError as wrong:
        sample = data[max(0, wrong.start - 64) :][:_SAMPLE]
    # A sample may begin and end within a character.
    looked_at = data if errors == "strict" else sample
    guess = "utf-8" if _is_damaged(sample) else likeliest(looked_at, "cp1251", errors)
    encoding = guess or "cp1252"
    text = data.decode(encoding, errors)
    marked = text.startswith("\ufeff")
    # Damaged UTF-8 is UTF-8 still; all else is nothing but a guess.
    guessed = encoding != "utf-8" and not marked
    return Decoded(text.removeprefix("\ufeff"), encoding, marked=marked, guessed=guessed)


def read_script(data: bytes) -> tuple[str, str]:
    """Return the text of a script and its encoding, where Python could not read it as it is.

    The encoding is "" for UTF-8. What names its encoding in a comment is read by that, unless ASCII
    stands for something else in it. The comment of the text says UTF-8 in any case: no Python is to
    read another text than we do.

    Raises:
        ValueError: no encoding that is known here fits, or it is no text.

    """
    text, encoding = _of_script(data)
    if "\0" in text:
        raise ValueError("a zero in a text")
    return _COOKIE.sub(r"\1utf-8", text), encoding


def _of_script(data: bytes) -> tuple[str, str]:
    if named := _COOKIE.match(data.decode("latin-1")):
        with contextlib.suppress(LookupError, ValueError):
            if _ASCII.decode(named[2]) == _ASCII.decode():
                return data.decode(named[2]), ""
    found = decode(data, "strict")
    if found.encoding == "utf-8":
        return found.text, ""
    # A guess at Western letters is none, and not even a comment begins without a sign of ASCII.
    is_code = found.encoding != "cp1252" and sum(0 < byte < 128 for byte in data) > 1
    if found.guessed and not is_code:
        raise ValueError("no text")
    return found.text, found.encoding


def _wide(data: bytes) -> str:
    """UTF-16, told by the zero half of its digits, spaces and line ends; or ""."""
    sample = data[:_SAMPLE]
    if b"\0" not in sample:
        return ""
    high, low = sample[0::2].count(0), sample[1::2].count(0)
    more, fewer = max(high, low), min(high, low)
    # Zeros strewn about are damage; those of UTF-16 fill a good part of one half only.
    if more < 2 or more * 8 < len(sample) // 2 or fewer * 4 > more:
        return ""
    return "utf-16-be" if high > low else "utf-16-le"


def _is_damaged(sample: bytes) -> bool:
    """Whether bytes that are not UTF-8 throughout are so mostly."""
    text = sample.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    return len(_OUTSIDE_ASCII.findall(text)) - broken > broken


def likeliest(data: bytes, cyrillic: str, errors: str = "strict") -> str | None:
    """`gb18030`, the given Cyrillic encoding, or None where the bytes look like neither.

    Chinese is told by its everyday characters, Cyrillic by words in small letters with at most a
    capital before them. Most Cyrillic words of odd length are no GB 18030 at all, which `errors`
    other than "strict" overlooks.
    """
    scores = {name: _score(data, name, errors) for name in ("gb18030", cyrillic)}
    best = max(scores, key=lambda name: scores[name])
    return best if scores[best] > _SURE else None


def _score(data: bytes, encoding: str, errors: str) -> float:
    """From 0 to 1: how much of what is not ASCII looks right in this encoding."""
    try:
        text = data.decode(encoding, errors)
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
    """How many characters belong to words that could be Cyrillic, or are marks beside such."""
    right = 0.0
    for word in _CYRILLIC.findall(text):
        if word[1:] == word[1:].lower():
            right += len(word)
        elif word == word.upper():
            right += len(word) * _SHOUTED
    return right and right + len(_MARKS.findall(text))
