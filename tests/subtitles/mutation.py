"""Damages transcripts as mail, editors, converters and people do; the same for the same seed."""

import random
from collections.abc import Callable

from tests.subtitles.samples import SAMPLES

Mutation = Callable[[random.Random, list[bytes]], None]


def _any(chance: random.Random, lines: list[bytes]) -> int:
    return chance.randrange(len(lines))


def delete(chance: random.Random, lines: list[bytes]) -> None:
    del lines[_any(chance, lines)]


def duplicate(chance: random.Random, lines: list[bytes]) -> None:
    lines.insert(_any(chance, lines), lines[_any(chance, lines)])


def swap(chance: random.Random, lines: list[bytes]) -> None:
    one, other = _any(chance, lines), _any(chance, lines)
    lines[one], lines[other] = lines[other], lines[one]


def drop_blanks(chance: random.Random, lines: list[bytes]) -> None:
    lines[:] = [line for line in lines if line.strip(b"\r\0") or chance.random() < 0.3] or [b""]


def add_blank(chance: random.Random, lines: list[bytes]) -> None:
    lines.insert(_any(chance, lines), b"")


def flip(chance: random.Random, lines: list[bytes]) -> None:
    at = _any(chance, lines)
    line = bytearray(lines[at] or b"\0")
    line[chance.randrange(len(line))] ^= 1 << chance.randrange(8)
    lines[at] = bytes(line)


def noise(chance: random.Random, lines: list[bytes]) -> None:
    at = _any(chance, lines)
    where = chance.randrange(len(lines[at]) + 1)
    lines[at] = lines[at][:where] + chance.randbytes(chance.randrange(1, 5)) + lines[at][where:]


def cut(chance: random.Random, lines: list[bytes]) -> None:
    del lines[_any(chance, lines) + 1 :]
    lines[-1] = lines[-1][: chance.randrange(len(lines[-1]) + 1)]


def behead(chance: random.Random, lines: list[bytes]) -> None:
    del lines[: _any(chance, lines)]


def join(chance: random.Random, lines: list[bytes]) -> None:
    at = _any(chance, lines)
    if at + 1 < len(lines):
        lines[at : at + 2] = [lines[at] + chance.choice([b"", b" "]) + lines[at + 1]]


def split(chance: random.Random, lines: list[bytes]) -> None:
    at = _any(chance, lines)
    where = chance.randrange(len(lines[at]) + 1)
    lines[at : at + 1] = [lines[at][:where], lines[at][where:]]


def add_arrow(chance: random.Random, lines: list[bytes]) -> None:
    at = _any(chance, lines)
    where = chance.randrange(len(lines[at]) + 1)
    lines[at] = lines[at][:where] + b"-->" + lines[at][where:]


def add_odd_line(chance: random.Random, lines: list[bytes]) -> None:
    odd = [b"2023", b"7", b"NOTE x", b"WEBVTT", b"-->", b"\xef\xbb\xbf1", b"\xe2\x80\xa8", b"\x0c"]
    odd += [b"00:00:09,000 --> 00:00:10,000", b"0:00:09.000,0:00:10.000", b"&lt;b&gt; &nbsp;"]
    lines.insert(_any(chance, lines), chance.choice(odd))


def change_ends(chance: random.Random, lines: list[bytes]) -> None:
    lines[:] = [line + chance.choice([b"", b"\r", b"\r\r"]) for line in lines]


MUTATIONS: tuple[Mutation, ...] = (
    delete, duplicate, swap, drop_blanks, add_blank, flip, noise, cut, behead, join, split,
    add_arrow, add_odd_line, change_ends,
)  # fmt: skip


def damaged(seed: int) -> bytes:
    """One of the samples with one to eight mutations."""
    chance = random.Random(seed)
    lines = SAMPLES[chance.choice(sorted(SAMPLES))].split(b"\n")
    for _time in range(chance.randint(1, 8)):
        chance.choice(MUTATIONS)(chance, lines)
        if not lines:
            break
    return b"\n".join(lines)
