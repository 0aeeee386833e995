"""A transcript as it is exported: in which languages, and in which order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from course.subtitles.cue import Cue, Transcript
from course.subtitles.transcript.languages import Tracks, tracks


@dataclass(frozen=True, slots=True)
class Edition:
    """What each cue of `transcript` says in each language of the edition, and what is shown of it.

    `transcript` and `tracks` have every cue of the source, so that cues keep their numbers;
    `captions` has the lines to be shown, in their order, and no cue that the choice of languages
    has left without any.
    """

    transcript: Transcript
    tracks: Tracks
    captions: Transcript


def written(transcript: Transcript) -> Edition:
    """A transcript as it is written: all lines of every cue, in their order."""
    return Edition(transcript, tracks(transcript), transcript)


def chosen(edition: Edition, languages: Sequence[str]) -> Edition:
    """Only these languages, in this order; translators' notes are in none of them.

    `languages` are some of the edition's own, each once.
    """
    texts = tuple(
        {language: each[language] for language in languages if each.get(language, "").strip()}
        for each in edition.tracks.texts
    )
    cues = zip(edition.transcript, texts, strict=True)
    return Edition(
        edition.transcript,
        Tracks(tuple(languages), texts, ("",) * len(texts)),
        Transcript(
            Cue(cue.index, cue.start, cue.end, _text(each), cue.line) for cue, each in cues if each
        ),
    )


def joined(notes: Mapping[str, Transcript]) -> Edition:
    """Transcripts of the same cues, one a language, as one with the languages below each other.

    `notes` hold the same number of cues at the same times, as `course.subtitles.notes` gives them.
    """
    rows = list(zip(*notes.values(), strict=True))
    texts = tuple(dict(zip(notes, (cue.text for cue in row), strict=True)) for row in rows)
    transcript = Transcript(
        Cue(row[0].index, row[0].start, row[0].end, _text(each))
        for row, each in zip(rows, texts, strict=True)
    )
    return Edition(transcript, Tracks(tuple(notes), texts, ("",) * len(texts)), transcript)


def _text(texts: Mapping[str, str]) -> str:
    return "\n".join(texts.values())
