"""The languages of a transcript: which line of a cue is in which.

A line's script tells its language, where it has one: Han is zh, Cyrillic ru, Latin en. Where it
tells nothing (a cue of "1997", a Chinese line that is all API names) the line's place decides, as
the other cues of the file have it.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from course.subtitles.cue import Cue, Transcript

UNDETERMINED = "und"
"""The language of a transcript that has no letter anywhere, as BCP 47 names it."""

_ENOUGH = 0.2
"""A language has a track of its own where this share of cues has a line in it: a few lines that
are all API names make no English track of a Chinese transcript."""

_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_CYRILLIC = re.compile(r"[\u0400-\u052f]+")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]+")
_WORD = re.compile(r"\w+")
_FULL_WIDTH = re.compile(r"[\u3000-\u303f\uff01-\uff60]")
_NAMED_NOTE = re.compile(
    r"[*＊]?\s*[\[［【(（]\s*(?:译者?注|译按|注[:：]|прим|translator|tn\b|n\.?\s?b\.?\b)",
    re.IGNORECASE,
)
_BRACKETED_NOTE = re.compile(r"[*＊]|[\[［【].*[\]］】]$")


@dataclass(frozen=True, slots=True)
class LanguageTracks:
    """A transcript taken apart into languages; all parts have the same cues.

    `languages` are codes (`zh`, `ru`, `en`) in the order in which a cue's lines stand; `texts` has
    for each cue its text in each language that it has, line breaks kept; `notes` has for each cue
    what a translator put between them, or "".
    """

    transcript: Transcript
    languages: tuple[str, ...]
    texts: tuple[Mapping[str, str], ...]
    notes: tuple[str, ...]


def split_languages(transcript: Transcript) -> LanguageTracks:
    """Split each cue into its languages: every line of it is in one text, or in the note."""
    scripts = [tuple(map(_script, cue.lines)) for cue in transcript]
    languages = _languages(scripts)
    texts: list[Mapping[str, str]] = []
    notes = []
    for cue in transcript:
        lines, note = _split_notes(cue, len(languages))
        texts.append(_assign(lines, languages))
        notes.append(note)
    return LanguageTracks(transcript, languages, tuple(texts), tuple(notes))


def select(tracks: LanguageTracks, languages: Sequence[str]) -> LanguageTracks:
    """Select some languages, in this order; translators' notes are in none of them.

    `languages` are some of the transcript's own, each once. Every cue keeps its place; one that
    the choice has left without a line has no text.
    """
    texts = [
        {language: each[language] for language in languages if each.get(language, "").strip()}
        for each in tracks.texts
    ]
    return _tracks(tracks.transcript, languages, texts)


def join(notes: Mapping[str, Transcript]) -> LanguageTracks:
    """Join transcripts of the same cues, one a language, with the languages below each other.

    `notes` hold the same number of cues at the same times, as `course.subtitles.notes` gives them.
    """
    rows = list(zip(*notes.values(), strict=True))
    texts = [dict(zip(notes, (cue.text for cue in row), strict=True)) for row in rows]
    return _tracks(Transcript(row[0] for row in rows), tuple(notes), texts)


def _tracks(
    transcript: Transcript, languages: Sequence[str], texts: Sequence[Mapping[str, str]]
) -> LanguageTracks:
    """Make the tracks of these texts, each language of a cue on lines of its own."""
    cues = Transcript(
        Cue(cue.index, cue.start, cue.end, "\n".join(by.values()), cue.line)
        for cue, by in zip(transcript, texts, strict=True)
    )
    return LanguageTracks(cues, tuple(languages), tuple(texts), ("",) * len(texts))


def _script(line: str) -> str:
    """Return the language of a line's letters, or ""; a few foreign words do not change it."""
    latin = len(_LATIN.findall(line))
    if len(_HAN.findall(line)) * 3 > latin:
        return "zh"
    if len(_CYRILLIC.findall(line)) * 3 > latin:
        return "ru"
    return "en" if latin else ""


def _languages(scripts: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the languages of a file, in the order in which most cues have them."""
    spoken = [cue for cue in scripts if cue]
    if not spoken:
        return ()
    counts = Counter(language for cue in spoken for language in dict.fromkeys(cue) if language)
    if not counts:
        return (UNDETERMINED,)
    enough = [x for x, count in counts.items() if count >= _ENOUGH * len(spoken)]
    chosen = enough or [counts.most_common(1)[0][0]]
    # How many lines of the cue are above the language's first one, on average.
    above = {x: [cue.index(x) for cue in spoken if x in cue and len(set(cue)) > 1] for x in chosen}
    return tuple(sorted(chosen, key=lambda x: sum(above[x]) / max(1, len(above[x]))))


def _split_notes(cue: Cue, languages: int) -> tuple[tuple[str, ...], str]:
    """Return a cue's lines without those of a translator's note, and the note."""
    lines = cue.lines
    if languages < 2 or len(lines) < 2:
        return lines, ""
    last = len(lines) - 1
    notes = [
        at
        for at, line in enumerate(lines)
        if _NAMED_NOTE.match(line)
        or (last >= languages and 0 < at < last and _BRACKETED_NOTE.match(line))
    ]
    if len(notes) == len(lines):
        return lines, ""
    kept = tuple(line for at, line in enumerate(lines) if at not in notes)
    return kept, "\n".join(lines[at] for at in notes)


def _assign(lines: tuple[str, ...], languages: tuple[str, ...]) -> dict[str, str]:
    """Return the text of each language in a cue, in the order of the lines."""
    if not lines:
        return {}
    if len(languages) == 1:
        return {languages[0]: "\n".join(lines)}
    scripts = [_script(line) for line in lines]
    known = {script for script in scripts if script in languages}
    if len(lines) == 1 or (len(known) == 1 and _is_one_text(lines, scripts)):
        return {(known or {languages[0]}).pop(): "\n".join(lines)}
    if len(languages) == 2:
        return _halve(lines, scripts, (languages[0], languages[1]))
    return _by_script(lines, scripts, languages)


def _is_one_text(lines: Sequence[str], scripts: Sequence[str]) -> bool:
    """Whether lines in one script are one text that was broken, not two languages.

    A line that is the other's translation although both are in Latin letters has hardly anything
    but names in it: so the two share their words, or one has the other language's punctuation.
    """
    if "" in scripts:
        return False
    if scripts[0] != "en":
        return True
    if any(map(_FULL_WIDTH.search, lines)):
        return False
    first, *others = [set(_WORD.findall(line.lower())) for line in lines]
    shared = first.intersection(*others)
    return len(shared) * 2 < min(map(len, (first, *others)))


def _halve(
    lines: tuple[str, ...], scripts: Sequence[str], languages: tuple[str, str]
) -> dict[str, str]:
    """Cut a cue's lines in two where the halves fit their languages best, in either order.

    Where that leaves a choice, the order is the file's.
    """
    best, result = -1, {}
    for first, second in (languages, languages[::-1]):
        for cut in range(1, len(lines)):
            fit = sum(_fit(script, first) for script in scripts[:cut])
            fit += sum(_fit(script, second) for script in scripts[cut:])
            if fit > best:
                best = fit
                result = {first: "\n".join(lines[:cut]), second: "\n".join(lines[cut:])}
    return result


def _fit(script: str, language: str) -> int:
    """How well a line in a script goes into a language: names in Latin letters go anywhere."""
    if script == language:
        return 2
    return 1 if script in ("", "en") else 0


def _by_script(
    lines: tuple[str, ...], scripts: Sequence[str], languages: tuple[str, ...]
) -> dict[str, str]:
    """Three languages or more: each line by its script, a line that tells nothing to the last."""
    result: dict[str, list[str]] = {}
    language = next((script for script in scripts if script in languages), languages[0])
    for line, script in zip(lines, scripts, strict=True):
        language = script if script in languages else language
        result.setdefault(language, []).append(line)
    return {language: "\n".join(parts) for language, parts in result.items()}
