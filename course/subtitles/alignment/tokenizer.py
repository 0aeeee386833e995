"""What two texts can share whatever their languages: identifiers, numbers, notions, word stems."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from course.base import paths, schema
from course.base.errors import ContentError

_WORD = re.compile(
    # An identifier with its dots; 1e-3, 0.5, 2; a run of Han characters; a word of any script.
    r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)+"
    r"|\d+(?:\.\d+)?(?:[eE]-?\d+)?(?![A-Za-z])"
    r"|[\u3400-\u4dbf\u4e00-\u9fff]+"
    r"|\w+",
)
_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_CYRILLIC = re.compile(r"[\u0400-\u04ff]")

GENERAL = "# General words."
"""The line of `subtitles/terms.txt` behind which notions are of no field."""


@dataclass(frozen=True)
class Phrases:
    """Phrases of any language, and which notions each can stand for.

    `beginnings` are those of Russian words, by their first two letters and the longest first.
    `idle` words and Han characters carry no subject.
    """

    han: re.Pattern[str]
    han_names: dict[str, list[str]]
    stems: dict[tuple[str, ...], list[str]]
    beginnings: dict[str, list[tuple[tuple[str, ...], list[str]]]]
    longest: int
    idle: frozenset[str]
    idle_han: re.Pattern[str]


def tokens(text: str) -> list[str]:
    """Return the tokens of a text, in its order, repeated as often as they occur.

    Identifiers come whole (`loss.backward`) and in their parts; a number comes as its value
    (`#0.001`); a notion of `subtitles/terms.txt` as its name (`@label`), whatever the language;
    other words as their stems, and Han characters in pairs.
    """
    return list(_tokens(text))


def _tokens(text: str) -> Iterator[str]:
    known = phrases()
    words: list[str] = []
    for match in _WORD.finditer(unicodedata.normalize("NFKC", text)):
        word = match.group()
        if _HAN.match(word):
            yield from _flush(words, known)
            words = []
            yield from _han(word, known)
        elif word[0].isdigit():
            number = _number(word)
            if number:
                yield number
            else:
                words.append(word)
        else:
            pieces = _pieces(word)
            if len(pieces) > 1:
                yield f"={word.lower()}"
            words.extend(pieces)
    yield from _flush(words, known)


def _pieces(word: str) -> list[str]:
    """Return the parts of an identifier; the word itself where it is none."""
    if _CYRILLIC.search(word) or not word.isascii():
        return [word.lower()]
    return [piece.lower() for part in re.split(r"[._]", word) for piece in _PIECE.findall(part)]


def _number(word: str) -> str:
    try:
        return f"#{float(word):g}"
    except (ValueError, OverflowError):
        return ""


def _flush(words: Sequence[str], known: Phrases) -> Iterator[str]:
    """Yield the tokens of adjacent words: the longest phrase at each place, else a stem."""
    i = 0
    stems = [stem(word) for word in words]
    while i < len(words):
        for size in range(min(known.longest, len(words) - i), 0, -1):
            names = known.stems.get(tuple(stems[i : i + size])) or _begins(words[i : i + size])
            if names:
                yield from names
                i += size
                break
        else:
            word = words[i]
            if word.isdigit():
                yield _number(word)
            elif len(word) > 1 and word not in known.idle:
                yield stems[i]
            i += 1


def _begins(words: Sequence[str]) -> list[str]:
    return _russian(tuple(words)) if _CYRILLIC.match(words[0]) else []


@lru_cache(maxsize=65536)
def _russian(words: tuple[str, ...]) -> list[str]:
    unmarked = tuple(word.replace("ё", "е") for word in words)
    for beginning, names in phrases().beginnings.get(unmarked[0][:2], ()):
        if len(beginning) == len(unmarked) and all(
            word.startswith(start) for word, start in zip(unmarked, beginning, strict=True)
        ):
            return names
    return []


def _han(run: str, known: Phrases) -> Iterator[str]:
    """Yield the tokens of a run of Han characters: notions, and pairs between them."""
    end = 0
    for match in known.han.finditer(run):
        yield from _pairs(run[end : match.start()])
        yield from known.han_names[match.group()]
        end = match.end()
    yield from _pairs(run[end:])


def _pairs(run: str) -> Iterator[str]:
    for part in phrases().idle_han.split(run):
        yield from (part[i : i + 2] for i in range(len(part) - 1))


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return the stem of a lower-case word, by Snowball's rules (snowballstem.org)."""
    english, russian = _stemmers()
    stemmer = russian if _CYRILLIC.search(word) else english
    return str(stemmer.stemWord(word))


@cache
def _stemmers() -> tuple[Any, Any]:
    import snowballstemmer

    return snowballstemmer.stemmer("english"), snowballstemmer.stemmer("russian")


def is_han(text: str) -> bool:
    """Whether a text begins with a Han character."""
    return _HAN.match(text) is not None


@cache
def phrases() -> Phrases:
    """Read the notions of `subtitles/terms.txt`.

    Raises:
        ContentError: a line breaks the format; says which.

    """
    source = paths.subtitles() / "terms.txt"
    han: defaultdict[str, list[str]] = defaultdict(list)
    stems: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    russian: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    mark = "@"
    for number, line in enumerate(source.read_text("utf-8").splitlines(), 1):
        if line == GENERAL:
            mark = "~"
        if not line or line.startswith("#"):
            continue
        columns = [[form.strip() for form in column.split(",")] for column in line.split("|")]
        if len(columns) != 3 or not all(form for column in columns for form in column):
            raise ContentError(f"{source}:{number}: not English | Chinese | Russian: {line!r}")
        name = columns[0][0]
        token = f"#{name}" if name.isdigit() else f"{mark}{name}"
        for form in columns[0]:
            _add_form(stems, tuple(stem(word) for word in re.findall(r"\w+", form.lower())), token)
        for form in columns[1]:
            if _HAN.match(form):
                _add_form(han, form, token)
        for form in columns[2]:
            _add_form(russian, tuple(form.lower().replace("ё", "е").split()), token)
    longest_first = sorted(han, key=len, reverse=True)
    index: defaultdict[str, list[tuple[tuple[str, ...], list[str]]]] = defaultdict(list)
    for beginning in sorted(russian, key=lambda words: -sum(map(len, words))):
        index[beginning[0][:2]].append((beginning, russian[beginning]))
    idle = _phrases_file()["idle"]
    return Phrases(
        han=re.compile("|".join(map(re.escape, longest_first))),
        han_names=dict(han),
        stems=dict(stems),
        beginnings=dict(index),
        longest=max(len(words) for words in [*stems, *russian]),
        idle=frozenset(idle["words"].split()),
        idle_han=re.compile(f"[{idle['han']}]"),
    )


def _add_form(table: dict[Any, list[str]], form: Any, token: str) -> None:
    if token not in table[form]:
        table[form].append(token)


@cache
def phrases_of(kind: str) -> re.Pattern[str]:
    """Phrases that begin or end a video or a part of it: `opening`, `closing`, `turn`, `again`."""
    return re.compile("|".join(map(re.escape, _phrases_file()["phrases"][kind])), re.IGNORECASE)


@cache
def beginnings_of(kind: str) -> re.Pattern[str]:
    """Words at the beginning of a cue that tell whether a part begins there: `first`, `onward`."""
    words = (
        re.escape(word) + (r"\b" if re.search(r"[a-z]$", word) else "")
        for word in _phrases_file()["phrases"][kind]
    )
    return re.compile(rf"[\s\-–—(（]*(?:{'|'.join(words)})", re.IGNORECASE)


@cache
def _phrases_file() -> dict[str, Any]:
    return schema.load(paths.subtitles() / "phrases.toml")
