"""Lays a transcript beside an outline: the step of each cue, and how sure that is."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from course import i18n
from course.i18n import PSEUDO
from course.lesson.lesson import Part
from course.subtitles import chain, outline, pin
from course.subtitles.alignment import INTRO, OUTRO, Alignment, assemble
from course.subtitles.cue import Cue, Transcript
from course.subtitles.outline import Outline, Section
from course.subtitles.similarity import Matrix, Similarity, Wording
from course.subtitles.token import phrases_of
from course.subtitles.turning import Turning

SURE = 0.95
"""Whoever calls a cue surer than this is to be right 98 times in 100."""


DOUBT = 0.5
"""A transcript less related than this is taken for one of something else."""
SPREAD = 1.0
"""The usual standard deviation of what `Wording` finds (nats)."""
SHUFFLES = 6


@dataclass(frozen=True)
class Method:
    """All there is to set. The defaults were fixed on the two videos of chapter 8/4.

    `benchmarks/alignment.py` says how well they do, there and on what they were not fixed on.
    """

    similarity: Similarity = field(default_factory=Wording)
    turning: Turning = field(default_factory=Turning)
    temper: float = 0.65
    """How far to trust what a cue says: its words are not independent of each other."""
    intro: float = 0.28
    outro: float = 0.4
    """The same for intro and outro, which can be about anything."""
    phrase: float = 1.7
    """What "welcome" or "good luck" says for them (nats)."""
    skip: float = 3.0
    """What it costs to pass over a step (nats)."""
    shortest: int = 5
    """Cues: what is said of a step is at least so long."""
    lapse: float = 0.02
    """How often things go wrong in ways that the model knows nothing of."""


def to_lesson(
    transcript: Transcript,
    part: Part,
    *,
    pins: bool = True,
    languages: Iterable[str] = (),
    method: Method | None = None,
) -> Alignment:
    """The steps of a lesson's part in a transcript, in whatever languages the two are.

    The lesson's texts are taken in all `languages`, or in every one that there is, so it makes no
    difference which one the reader has chosen. Where reviewed boundaries ship for this very video
    they take the place of what was found, unless `pins` is false.
    """
    chosen = tuple(languages) or tuple(n for n in i18n.available() if n != PSEUDO)
    found = align(transcript.cues, outline.of_lesson(part, chosen), method)
    reviewed = pin.read(part) if pins else None
    if reviewed is not None and pin.fit(reviewed, transcript.cues):
        return pin.apply(reviewed, transcript.cues, [step.id for step in part.steps])
    return found


def to_document(transcript: Transcript, markdown: str, method: Method | None = None) -> Alignment:
    """The headings of a Markdown document in a transcript.

    Raises:
        UserError: the document has no headings.

    """
    return align(transcript.cues, outline.of_document(markdown), method)


def align(cues: Sequence[Cue], beside: Outline, method: Method | None = None) -> Alignment:
    """The section of each cue; time and memory grow with cues times sections."""
    method = method or Method()
    names = [INTRO, *(section.step for section in beside.sections), OUTRO]
    if not cues:
        return Alignment((), (), tuple(names[1:-1]))
    said = evidence(cues, beside, method)
    turning = method.turning(cues, len(beside.sections))
    probabilities = chain.posteriors(said, turning, method.skip, method.shortest)
    path = chain.best(probabilities)
    akin = related(said, turning, method)
    sure = (1 - method.lapse) * akin * probabilities[np.arange(len(cues)), path]
    return assemble(cues, [names[state] for state in path], sure.tolist(), names[1:-1], akin)


def evidence(cues: Sequence[Cue], beside: Outline, method: Method) -> Matrix:
    """What each cue says for intro, sections and outro, in nats; shape (cues, sections + 2)."""
    sections = [
        Section(INTRO, "", beside.intro),
        *beside.sections,
        Section(OUTRO, "", beside.outro),
    ]
    found = method.similarity([cue.text for cue in cues], sections)
    # A section that is near to everything tells nothing.
    found = found - found.mean(axis=0)
    if not isinstance(method.similarity, Wording) and found.any():
        # Cosines, distances, logits: whatever its scale, it is put on that of ours.
        found *= SPREAD / found.std()
    found[:, 0] *= method.intro
    found[:, -1] *= method.outro
    found *= method.temper
    for column, kind in ((0, "opening"), (-1, "closing")):
        said = phrases_of(kind)
        found[:, column] += [method.phrase * bool(said.search(cue.text)) for cue in cues]
    return np.asarray(found)


def related(said: Matrix, turning: Matrix, method: Method) -> float:
    """The probability that a transcript has to do with the outline at all.

    Takes evidence of shape (cues, states) and the probability of a turn at each cue. Cues about one
    step stand together, if the steps are what the video is about: put in disorder, they fit worse.
    For somebody else's transcript it makes little difference. The odds are a fit to chapter 8/4
    beside the transcripts of other chapters, of which every other one was used.
    """
    cues = len(said)
    even = np.full(cues, turning.mean())
    disorder = np.random.default_rng(0)
    ordered = chain.likelihood(said, even, method.skip, method.shortest)
    shuffled = [
        chain.likelihood(disorder.permutation(said), even, method.skip, method.shortest)
        for _ in range(SHUFFLES)
    ]
    gain = max(ordered - float(np.mean(shuffled)), 1e-9)
    odds = 1 + 8 * np.log(min(gain / 8, gain / cues / 0.1))
    return float(1 / (1 + np.exp(-odds)))
