"""What the playback page shows in step with a video: cues in their languages, and their steps."""

from dataclasses import dataclass, replace
from statistics import fmean

from course.base.i18n import SOURCE, language
from course.lesson import lesson
from course.lesson.lesson import Part
from course.subtitles.alignment import reviewed_boundaries
from course.subtitles.alignment.alignment import DOUBT, Alignment
from course.subtitles.cue import Transcript
from course.subtitles.notes import notes
from course.subtitles.transcript.languages import LanguageTracks, join, split_languages

CLEARLY = 0.05
"""A transcript fits another framework's steps better when it is surer of them by so much."""


@dataclass(frozen=True)
class Captions:
    """A transcript with its languages and its alignment, which have the same cues.

    The languages are in the order in which they are shown, `first` those shown at the beginning.
    """

    tracks: LanguageTracks
    first: tuple[str, ...]
    alignment: Alignment

    @property
    def strange(self) -> bool:
        """Whether the transcript hardly speaks of the lesson that it was laid beside."""
        return self.alignment.related < DOUBT


def ours(part: Part, *, pins: bool = True) -> Captions:
    """Our own notes on the video of a part, in all their languages.

    Raises:
        UserError: there are none.
        ContentError: their languages don't go together.

    """
    found = notes(part.lesson, part.framework)
    # All languages have the same cues, so the alignment of one holds for each.
    return _captions(join(found), _align(found[SOURCE], part, pins=pins), most=1)


def of_viewer(transcript: Transcript, part: Part, *, pins: bool = True) -> Captions:
    """Lay a transcript of the viewer's own beside a part."""
    alignment = _align(transcript, part, pins=pins)
    return _captions(split_languages(transcript), alignment, most=2)


def other_framework(found: Captions, part: Part) -> str | None:
    """Return the framework of the lesson whose steps fit a transcript clearly better, if any."""
    best, cues = _fit(found.alignment) + CLEARLY, found.tracks.transcript
    for framework, other in lesson.load(part.lesson).parts.items():
        if framework != part.framework and _fit(_align(cues, other, pins=True)) > best:
            return framework
    return None


def _align(transcript: Transcript, part: Part, *, pins: bool) -> Alignment:
    """Align a transcript to a part; the aligner is loaded only where no pins settle it."""
    reviewed = reviewed_boundaries.alignment(transcript, part) if pins else None
    if reviewed is not None:
        return reviewed
    from course.subtitles.alignment import align

    return align.to_lesson(transcript, part, pins=False)


def _fit(alignment: Alignment) -> float:
    """How sure a transcript's steps are, in the mean."""
    return fmean(cue.confidence for cue in alignment.cues) if alignment.cues else 0.0


def _captions(tracks: LanguageTracks, alignment: Alignment, most: int) -> Captions:
    """With the reader's language in front, and so many of them shown at first."""
    ordered = tuple(sorted(tracks.languages, key=lambda name: name != language()))
    return Captions(replace(tracks, languages=ordered), ordered[:most], alignment)
