"""What the bytes of a transcript are written in, found out from the bytes alone."""

import codecs
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
_SURE = 0.7
"""The share of letters that must look right for a guess."""

_OUTSIDE_ASCII = re.compile(r"[^\x00-\x7f]")
_CYRILLIC_WORD = re.compile(r"(?<![A-Za-zÀ-ÿ])[А-Яа-яЁё]+(?![A-Za-z])")
_CJK_PUNCTUATION = re.compile(r"[\u3000-\u303f\uff00-\uffef—‘’“”…·]")
_LEVEL_1 = range(0xB0, 0xD8)
"""First bytes of the 3755 everyday characters in GB 2312; the rare ones follow them."""


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


def decode(data: bytes) -> Decoded:
    """Decode these bytes: by their mark, as UTF-8, as UTF-16 without a mark, or by looks.

    Never fails, and takes time in proportion to the bytes.
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return Decoded(data[len(mark) :].decode(encoding, "replace"), encoding, marked=True)
    wide = _wide(data)
    if wide:
        return Decoded(data.decode(wide, "replace"), wide, guessed=True)
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError as wrong:
        sample = data[max(0, wrong.start - 64) :][:_SAMPLE]
    encoding = _guess(sample)
    text = data.decode(encoding, "replace")
    marked = text.startswith("\ufeff")
    # Damaged UTF-8 is UTF-8 still; all else is nothing but a guess.
    guessed = encoding != "utf-8" and not marked
    return Decoded(text.removeprefix("\ufeff"), encoding, marked=marked, guessed=guessed)


def _wide(data: bytes) -> str:
    """UTF-16, told by the zero half of its digits, spaces and line ends; or ""."""
    sample = data[:_SAMPLE]
    if b"\0" not in sample:
        return ""
    high, low = sample[0::2].count(0), sample[1::2].count(0)
    more, fewer = max(high, low), min(high, low)
    # Zeros strewn about are damage; those of UTF-16 fill a good part of one half only.
    if more * 8 < len(sample) // 2 or fewer * 4 > more:
        return ""
    return "utf-16-be" if high > low else "utf-16-le"


def _guess(sample: bytes) -> str:
    """Guess the encoding of bytes that are not UTF-8 throughout."""
    text = sample.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    if len(_OUTSIDE_ASCII.findall(text)) - broken > broken:
        return "utf-8"
    chinese, russian = _chinese(sample), _russian(sample)
    if max(chinese, russian) < _SURE:
        return "cp1252"
    return "gb18030" if chinese >= russian else "cp1251"


def _chinese(sample: bytes) -> float:
    """Return the share of everyday Chinese in the non-ASCII text, read as GB 18030."""
    found = _OUTSIDE_ASCII.findall(sample.decode("gb18030", "replace"))
    return sum(map(_everyday, found)) / len(found)


def _everyday(character: str) -> bool:
    if _CJK_PUNCTUATION.match(character):
        return True
    try:
        return character.encode("gb2312")[0] in _LEVEL_1
    except UnicodeEncodeError:
        return False


def _russian(sample: bytes) -> float:
    """Return the share of Russian words' letters in the non-ASCII text, read as Windows-1251."""
    text = sample.decode("cp1251", "replace")
    words = " ".join(_CYRILLIC_WORD.findall(text))
    likely = [*re.findall(r"[а-яё]|\b[А-ЯЁ]", words), *re.findall(r"[«»–—…№“”„\xa0]", text)]
    return len(likely) / len(_OUTSIDE_ASCII.findall(text))
