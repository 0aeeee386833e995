"""A draw: the bugs of a copy as a short code, so that its first line does not give them away.

It hides them from a glance, not from a search. Each bug stands in it by a hash of its fault's id,
never by its place, so a draw keeps its meaning when bugs are added to a lesson or change places.
"""

import hashlib
from collections.abc import Iterable

NONE = "none"
"""The draw of an exercise without bugs."""
ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32, without letters that look like digits (https://www.crockford.com/base32)."""
SIZE = 3
"""Characters for a bug, and for the check in front of them all: 15 bits each."""
BITS = 5 * SIZE
_LOOKALIKES = str.maketrans("oil", "011")
_DIGITS = str.maketrans(ALPHABET, "0123456789abcdefghijklmnopqrstuv")
"""From Crockford's digits to those of `int`."""


class DamagedDraw(ValueError):
    """A code that is none, or has been changed."""


def encode(lesson: str, framework: str, faults: Iterable[str]) -> str:
    """Write the draw of a set of faults: a check, then each of them."""
    marks = sorted({_hashed(lesson, framework, fault) for fault in faults})
    if not marks:
        return NONE
    check = _check(lesson, framework, marks)
    masked = (mark ^ _mask(check, place) for place, mark in enumerate(marks))
    return "".join(map(_written, (check, *masked)))


def decode(lesson: str, framework: str, code: str, known: Iterable[str]) -> tuple[str, ...] | None:
    """Decode the faults of a draw, in the order of `known`; None where one is not known.

    Raises:
        DamagedDraw: the code has been changed.

    """
    code = code.lower()
    if code == NONE:
        return ()
    code = code.translate(_LOOKALIKES)
    if len(code) < 2 * SIZE or len(code) % SIZE or set(code) - set(ALPHABET):
        raise DamagedDraw(code)
    plain = code.translate(_DIGITS)
    check, *masked = (int(plain[at : at + SIZE], 32) for at in range(0, len(code), SIZE))
    marks = [value ^ _mask(check, place) for place, value in enumerate(masked)]
    if check != _check(lesson, framework, marks):
        raise DamagedDraw(code)
    names = {_hashed(lesson, framework, fault): fault for fault in known}
    return (
        tuple(f for mark, f in names.items() if mark in marks) if set(marks) <= {*names} else None
    )


def _hashed(*words: str) -> int:
    """Return a number of so many bits that stands for these words in a row."""
    digest = hashlib.sha256("\0".join(words).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:4], "big") >> (32 - BITS)


def _check(lesson: str, framework: str, marks: Iterable[int]) -> int:
    return _hashed(lesson, framework, "check", *map(str, marks))


def _mask(check: int, place: int) -> int:
    """Make the mask that hides the bug in this place: other characters in each set of bugs."""
    return _hashed("mask", str(check), str(place))


def _written(value: int) -> str:
    return "".join(ALPHABET[value >> shift & 31] for shift in range(BITS - 5, -1, -5))
