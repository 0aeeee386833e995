"""Lays a transcript beside an outline: the step of each cue, and how sure that is."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from course.base import i18n
from course.base.i18n import PSEUDO
from course.lesson.lesson import Part
from course.subtitles.alignment import hmm, outline, reviewed_boundaries
from course.subtitles.alignment.alignment import INTRO, OUTRO, Alignment, assemble
from course.subtitles.alignment.boundaries import BoundaryModel
from course.subtitles.alignment.outline import Outline, Section
from course.subtitles.alignment.similarity import Matrix, Similarity, Wording
from course.subtitles.alignment.tokenizer import phrases_of
from course.subtitles.cue import Cue, Transcript

SPREAD = 1.0
"""The usual standard deviation of what `Wording` finds (nats)."""
SHUFFLES = 6


@dataclass(frozen=True)
class Plan:
    """How a video may go through an outline: section by section, or by a few of many.

    `base` is the log-odds of a boundary beyond those of `BoundaryModel`, `skip` what it
    costs to pass over a section (nats), `prior` how likely the plan is against the others (nats).
    """

    base: float
    skip: float
    prior: float = 0.0


@dataclass(frozen=True)
class Method:
    """All there is to set: the defaults for lessons, `DOCUMENT` and `SLIDES` for documents.

    They were fixed on the two videos of chapter 8/4, and the gold called `development` in
    `benchmarks/alignment.py`, which says how well they do, there and on what they were not fixed
    on.
    """

    similarity: Similarity = field(default_factory=Wording)
    others: tuple[Similarity, ...] = ()
    """What each of these finds is added to what the first one finds."""
    ahead: tuple[float, ...] = (0.0,)
    """How much of what a cue says for the next section it says for this one, too: a speaker often
    begins before the slide is turned. Each share finds an alignment, and these are averaged."""
    boundaries: BoundaryModel = field(default_factory=BoundaryModel)
    plans: tuple[Plan, ...] = (Plan(0.0, 3.0), Plan(-4.4, 0.05))
    """Section by section, and only a few of many. What the transcript says for each decides."""
    centre: float = 1.0
    """How much of a section's mean nearness to all cues is taken away: what is near to everything
    tells nothing. A lesson's steps are all met; a video may be about one heading of a document."""
    temper: float = 0.65
    """How far to trust what a cue says: its words are not independent of each other."""
    intro: float = 0.5
    outro: float = 0.6
    """The same for intro and outro, which can be about anything."""
    linger: float = 0.0
    """What each cue of an intro costs (nats)."""
    phrase: float = 2.1
    """What "welcome" or "good luck" says for them (nats)."""
    shortest: int = 5
    """The fewest cues that a step takes."""
    gain: tuple[float, float] = (8.0, 0.1)
    """What the order of cues is to gain, in all and each (nats), lest the two be unrelated."""
    trust: float = 0.0
    """The same for a video about a few sections of many, where the order of cues says nothing."""
    lapse: float = 0.02
    """How often things go wrong in ways that the model knows nothing of."""
    calibration: tuple[float, float] = (1.0, 0.0)
    """Slope and offset, in log-odds, from what the model believes to how often it is right."""


LESSON = Method()
DOCUMENT = Method(
    similarity=Wording(core=4.5, word=0.85, general=0.6, mixture=0.25, limit=7.0),
    boundaries=BoundaryModel(pause=2.1, inside=-2.2, turn=0.0, again=1.2, first=2.0, onward=-1.5),
    plans=(Plan(-0.45, 2.6, 2.5), Plan(-4.7, 0.2)),
    centre=0.2,
    temper=0.5,
    intro=0.17,
    outro=0.3,
    linger=0.11,
    phrase=4.0,
    shortest=4,
    gain=(6.0, 0.07),
    trust=0.6,
)
SLIDES = Method(
    similarity=Wording(
        core=1.0, word=1.1, general=0.7, pair=0.7, shortest=30.0, limit=12.0, again=0.5
    ),
    others=(Wording(core=1.0, word=0.14, shortest=300.0, limit=8.4, again=0.5, letters=5),),
    boundaries=BoundaryModel(pause=1.7, inside=-1.8, turn=0.0, again=1.0, first=1.6, onward=-1.2),
    plans=(Plan(0.5, 6.0),),
    ahead=(0.0, 0.3),
    centre=1.5,
    temper=0.3,
    intro=0.17,
    outro=0.3,
    linger=0.2,
    phrase=4.0,
    shortest=2,
    gain=(6.0, 0.07),
    lapse=0.0,
    calibration=(0.480, -0.094),
)
"""Nearly every slide is shown, and many share most of their words: what they differ in counts.

The calibration is the fit to all lectures of `benchmarks/mavils.py`."""


def to_lesson(
    transcript: Transcript,
    part: Part,
    *,
    pins: bool = True,
    method: Method = LESSON,
) -> Alignment:
    """Align a transcript with the steps of a lesson's part, in whatever languages the two are.

    The lesson's texts are taken in every language that there is, so it makes no difference which
    one the reader has chosen. Where reviewed boundaries ship for this very video
    they take the place of what was found, unless `pins` is false.
    """
    reviewed = reviewed_boundaries.alignment(transcript, part) if pins else None
    if reviewed is not None:
        return reviewed
    languages = [name for name in i18n.available() if name != PSEUDO]
    return align(transcript, outline.of_lesson(part, languages), method)


def to_document(transcript: Transcript, markdown: str, method: Method = DOCUMENT) -> Alignment:
    """Align a transcript with the headings of a Markdown document; numbered ones are slides.

    Raises:
        UserError: the document has no headings.

    """
    found = outline.of_document(markdown)
    slides = method is DOCUMENT and outline.numbered(found)
    return align(transcript, found, SLIDES if slides else method)


def align(cues: Sequence[Cue], target: Outline, method: Method) -> Alignment:
    """Find the section of each cue; time and memory grow with cues times sections."""
    names = [INTRO, *(section.step for section in target.sections), OUTRO]
    if not cues:
        return Alignment((), (), tuple(names[1:-1]))
    odds = method.boundaries(cues, len(target.sections))
    boundaries = [1 / (1 + np.exp(-odds - plan.base)) for plan in method.plans]
    likelihoods = evidence(cues, target, method)
    ahead = np.hstack([likelihoods[:, 1:-1], likelihoods[:, -2:]])
    votes = [likelihoods + share * ahead for share in method.ahead]
    weights = np.array(
        [
            plan.prior + hmm.likelihood(likelihoods, boundary, plan.skip, method.shortest)
            for plan, boundary in zip(method.plans, boundaries, strict=True)
        ]
    )
    weights = np.exp(weights - weights.max())
    weights /= weights.sum() * len(votes)
    probabilities = np.zeros(likelihoods.shape)
    for plan, boundary, weight in zip(method.plans, boundaries, weights, strict=True):
        for vote in votes:
            probabilities += weight * hmm.posteriors(vote, boundary, plan.skip, method.shortest)
    path = hmm.best(probabilities)
    whole = weights.argmax() == 0
    relatedness = related(likelihoods, boundaries[0], method) if whole else method.trust
    believed = probabilities[np.arange(len(cues)), path]
    sure = relatedness * certainty(believed, method.calibration, method.lapse)
    return assemble(cues, [names[state] for state in path], sure.tolist(), names[1:-1], relatedness)


def certainty(believed: Matrix, calibration: tuple[float, float], lapse: float) -> Matrix:
    """Return how often a cue is right whose place has this probability in the model."""
    slope, offset = calibration
    likely = np.clip(believed, 1e-6, 1 - 1e-6)
    odds = slope * np.log(likely / (1 - likely)) + offset
    return np.asarray((1 - lapse) / (1 + np.exp(-odds)))


def evidence(cues: Sequence[Cue], target: Outline, method: Method) -> Matrix:
    """Return log-likelihoods (nats) of intro, sections, outro by cue, up to a constant a cue.

    Of shape (cues, sections + 2).
    """
    sections = [
        Section(INTRO, "", target.intro),
        *target.sections,
        Section(OUTRO, "", target.outro),
    ]
    texts = [cue.text for cue in cues]
    found = np.sum([near(texts, sections) for near in (method.similarity, *method.others)], axis=0)
    found = found - method.centre * found.mean(axis=0)
    if not isinstance(method.similarity, Wording) and found.any():
        # Cosines, distances, logits: whatever its scale, it is put on that of ours.
        found *= SPREAD / found.std()
    found[:, 0] *= method.intro
    found[:, -1] *= method.outro
    found *= method.temper
    found[:, 0] -= method.linger
    for column, kind in ((0, "opening"), (-1, "closing")):
        pattern = phrases_of(kind)
        found[:, column] += [method.phrase * bool(pattern.search(cue.text)) for cue in cues]
    return np.asarray(found)


def related(likelihoods: Matrix, boundary: Matrix, method: Method) -> float:
    """Compute the probability that a transcript has to do with the outline at all.

    Takes evidence of shape (cues, states), and the probability of a turn at each cue if the video
    goes section by section. Cues about one section stand together, if the sections are what the
    video is about: put in disorder, they fit worse. For somebody else's transcript it makes little
    difference. The odds are a fit to chapter 8/4 and to the development documents, each beside
    transcripts of other chapters.
    """
    cues = len(likelihoods)
    skip, shortest = method.plans[0].skip, method.shortest
    even = np.full(cues, boundary.mean())
    disorder = np.random.default_rng(0)
    ordered = hmm.likelihood(likelihoods, even, skip, shortest)
    shuffled = [
        hmm.likelihood(disorder.permutation(likelihoods), even, skip, shortest)
        for _ in range(SHUFFLES)
    ]
    gain = max(ordered - float(np.mean(shuffled)), 1e-9)
    enough, each = method.gain
    odds = 1 + 8 * np.log(min(gain / enough, gain / cues / each))
    return float(1 / (1 + np.exp(-odds)))
