"""A transcript as it is exported: in which languages, and in which order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from course.subtitles.cue import Cue, Transcript
from course.subtitles.transcript.languages import LanguageTracks, split_languages


@dataclass(frozen=True, slots=True)
class LanguageSelection:
    """The text of each cue in each language chosen, and the captions made of it.

    `transcript` and `tracks` have every cue of the source, so that cues keep their numbers;
    `captions` has the lines to be shown, in their order, and no cue that the choice of languages
    has left without any.
    """

    transcript: Transcript
    tracks: LanguageTracks
    captions: Transcript


def select_all(transcript: Transcript) -> LanguageSelection:
    """Select every language: all lines of every cue, in their order."""
    return LanguageSelection(transcript, split_languages(transcript), transcript)


def select(selection: LanguageSelection, languages: Sequence[str]) -> LanguageSelection:
    """Select some languages, in this order; translators' notes are in none of them.

    `languages` are some of the selection's own, each once.
    """
    texts = tuple(
        {language: each[language] for language in languages if each.get(language, "").strip()}
        for each in selection.tracks.texts
    )
    cues = zip(selection.transcript, texts, strict=True)
    return LanguageSelection(
        selection.transcript,
        LanguageTracks(tuple(languages), texts, ("",) * len(texts)),
        Transcript(
            Cue(cue.index, cue.start, cue.end, _text(each), cue.line) for cue, each in cues if each
        ),
    )


def join(notes: Mapping[str, Transcript]) -> LanguageSelection:
    """Join transcripts of the same cues, one a language, with the languages below each other.

    `notes` hold the same number of cues at the same times, as `course.subtitles.notes` gives them.
    """
    rows = list(zip(*notes.values(), strict=True))
    texts = tuple(dict(zip(notes, (cue.text for cue in row), strict=True)) for row in rows)
    transcript = Transcript(
        Cue(row[0].index, row[0].start, row[0].end, _text(each))
        for row, each in zip(rows, texts, strict=True)
    )
    return LanguageSelection(
        transcript, LanguageTracks(tuple(notes), texts, ("",) * len(texts)), transcript
    )


def _text(texts: Mapping[str, str]) -> str:
    """One text of several languages, each on lines of its own."""
    return "\n".join(texts.values())
