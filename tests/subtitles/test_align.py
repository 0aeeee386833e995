import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.base import paths
from course.lesson import lesson
from course.subtitles.alignment import reviewed_boundaries
from course.subtitles.alignment.align import (
    DOCUMENT,
    LESSON,
    SLIDES,
    Method,
    certainty,
    to_document,
    to_lesson,
)
from course.subtitles.alignment.alignment import DOUBT, INTRO, OUTRO, SURE, Alignment, PlacedCue
from course.subtitles.alignment.outline import Section
from course.subtitles.alignment.similarity import Matrix, Wording
from course.subtitles.cue import Cue, Transcript
from course.subtitles.transcript import parser
from tests.subtitles.cues import new_cue

FRAMEWORKS = ("pt", "tf")
LANGUAGES = ("en", "ru", "zh")
DOCUMENT_TEXT = """\
# A day

## Baking bread
Flour, water, yeast and salt; the dough rises, and the oven bakes a loaf.

## Repairing a bicycle
A puncture: take off the wheel, find the hole in the inner tube, glue a patch on the tyre.

## Watching birds
Through binoculars, a heron at the lake and a woodpecker in the oak; feathers, nests, songs.
"""
SAID = """\
Welcome to this video.
Here is what I did on one day.
We mix flour, water and yeast for a dough.
The dough rises beside the oven for an hour.
The oven bakes the loaf of bread.
There is salt in the dough, too.
Flour is cheap, and yeast is cheaper.
The loaf has to cool down beside the oven.
Now the bicycle has a puncture.
We take the wheel off the bicycle.
The inner tube has a hole.
A patch and glue mend the tyre.
The patch sticks, and the tyre is round.
The wheel is back on the bicycle.
Now take the binoculars to the lake.
A heron shows its feathers.
A woodpecker has a nest in the oak.
Listen to the songs of the birds.
The heron stands in the lake.
The woodpecker flies to its nest.
Good luck, and thanks for watching.
""".splitlines()


def transcript(lines: Sequence[str]) -> Transcript:
    return Transcript(
        tuple(new_cue(3000 * i, 3000 * i + 2900, (line,)) for i, line in enumerate(lines))
    )


def ours(framework: str, language: str) -> Transcript:
    return parser.load(paths.subtitles() / "ch8-4" / framework / f"{language}.srt").transcript


def check(found: Alignment, cues: Sequence[Cue], steps: Sequence[str]) -> None:
    """Check what holds for every alignment."""
    order = [INTRO, *steps, OUTRO]
    assert [placed.index for placed in found.cues] == list(range(1, len(cues) + 1))
    places = [order.index(placed.step) for placed in found.cues]
    assert places == sorted(places)
    assert all(0 <= placed.confidence <= 1 for placed in found.cues)
    covered = [i for s in found.segments for i in range(s.first_cue, s.last_cue + 1)]
    assert covered == list(range(1, len(cues) + 1))
    assert len({s.step for s in found.segments}) == len(found.segments)
    met = {s.step for s in found.segments}
    assert list(found.missing) == [step for step in steps if step not in met]
    for segment in found.segments:
        inside = cues[segment.first_cue - 1 : segment.last_cue]
        assert segment.start_ms == min(cue.start for cue in inside)
        assert segment.end_ms == max(cue.end for cue in inside)


def test_a_talk_is_aligned_to_the_headings_of_a_document() -> None:
    talk = transcript(SAID)
    found = to_document(talk, DOCUMENT_TEXT)
    check(found, talk, ["Baking bread", "Repairing a bicycle", "Watching birds"])
    assert [(s.step, s.first_cue) for s in found.segments[:4]] == [
        (INTRO, 1),
        ("Baking bread", 3),
        ("Repairing a bicycle", 9),
        ("Watching birds", 15),
    ]
    assert found.cues[-1].step == OUTRO
    assert found.missing == ()


def test_a_heading_that_the_talk_leaves_out_is_missing() -> None:
    talk = transcript(SAID)
    taxes = "## Paying taxes\nThe form asks for income, expenses and a signature.\n\n"
    place = DOCUMENT_TEXT.index("## Watching")
    found = to_document(talk, DOCUMENT_TEXT[:place] + taxes + DOCUMENT_TEXT[place:])
    assert found.missing == ("Paying taxes",)
    check(
        found,
        talk,
        ["Baking bread", "Repairing a bicycle", "Paying taxes", "Watching birds"],
    )


@pytest.mark.live
def test_our_notes_find_their_steps_without_pins() -> None:
    """In any language; the pins are what two readers of the videos found."""
    shares, sure = [], []
    for framework, language in itertools.product(FRAMEWORKS, LANGUAGES):
        part = lesson.load("ch8-4").parts[framework]
        notes = ours(framework, language)
        wanted = to_lesson(notes, part)
        found = to_lesson(notes, part, pins=False)
        check(found, notes, [step.id for step in part.steps])
        pairs = list(zip(found.cues, wanted.cues, strict=True))
        shares.append(np.mean([a.step == b.step for a, b in pairs]))
        sure += [a.step == b.step for a, b in pairs if a.sure]
    # Notes say less than a transcript: docs/benchmarks.md has what is measured for those.
    assert np.mean(shares) >= 0.85
    assert min(shares) >= 0.75
    assert len(sure) > 100
    assert np.mean(sure) >= 0.95


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_pins_are_what_they_say(framework: str, language: str) -> None:
    part = lesson.load("ch8-4").parts[framework]
    found = to_lesson(ours(framework, language), part)
    pins = reviewed_boundaries.read(part)
    assert pins is not None
    starts = {segment.step: segment.start_ms for segment in found.segments}
    assert {pin.step: starts[pin.step] for pin in pins.pin} == {p.step: p.at_ms for p in pins.pin}
    assert {placed.confidence for placed in found.cues} == {1.0}


def test_pins_are_for_their_own_video_only() -> None:
    part = lesson.load("ch8-4").parts["pt"]
    pins = reviewed_boundaries.read(part)
    assert pins is not None
    assert reviewed_boundaries.fit(pins, ours("pt", "zh"))
    assert not reviewed_boundaries.fit(pins, ours("tf", "zh"))
    later = ours("pt", "en")
    later.shift(seconds=20)
    assert not reviewed_boundaries.fit(pins, later)
    assert not reviewed_boundaries.fit(pins, [])


def test_steps_never_go_back_even_if_times_do() -> None:
    part = lesson.load("ch8-4").parts["pt"]
    pins = reviewed_boundaries.read(part)
    assert pins is not None
    cues = ours("pt", "en")
    mixed = [*cues[:20], cues[2], *cues[20:]]
    steps = [step.id for step in part.steps]
    check(reviewed_boundaries.apply(pins, mixed, steps), mixed, steps)


def test_the_transcript_of_something_else_is_known() -> None:
    part = lesson.load("ch8-4").parts["tf"]
    found = to_lesson(transcript(SAID * 4), part)
    assert found.related < DOUBT
    assert max(placed.confidence for placed in found.cues) < DOUBT
    assert to_lesson(ours("tf", "ru"), part, pins=False).related > 0.9


@pytest.mark.parametrize("text", ["", "…", "\x00", "-->", "<script>", "一", "я"])
@pytest.mark.parametrize("count", [1, 2, 30])
def test_cues_that_say_nothing_do_no_harm(text: str, count: int) -> None:
    talk = transcript([text] * count)
    check(
        to_document(talk, DOCUMENT_TEXT),
        talk,
        ["Baking bread", "Repairing a bicycle", "Watching birds"],
    )


def test_without_cues_every_step_is_missing() -> None:
    found = to_document(Transcript(), DOCUMENT_TEXT)
    assert found.segments == () == found.cues
    assert len(found.missing) == 3


def test_an_outline_of_a_thousand_headings_is_no_trouble() -> None:
    headings = "\n\n".join(f"## Heading {i}\nword{i} other{i}" for i in range(300))
    talk = transcript([f"word{i} and other{i}" for i in range(300) for _twice in range(2)])
    found = to_document(talk, headings)
    assert sum(p.step == f"Heading {(p.index - 1) // 2}" for p in found.cues) > 540


class Letters:
    """A similarity of the user's own, on a scale of its own: shared initials."""

    def __call__(self, cues: Sequence[str], sections: Sequence[Section]) -> Matrix:
        def words(text: str) -> set[str]:
            return {word.strip(".,;:").lower() for word in text.split() if len(word) > 3}

        known = [words(f"{section.core} {section.text}") for section in sections]
        return np.array([[1000.0 + len(words(c) & k) for k in known] for c in cues])


def test_a_user_can_bring_a_similarity() -> None:
    talk = transcript(SAID)
    method = replace(DOCUMENT, similarity=Letters())
    found = to_document(talk, DOCUMENT_TEXT, method)
    wanted = to_document(talk, DOCUMENT_TEXT)
    assert [p.step for p in found.cues][3:19] == [p.step for p in wanted.cues][3:19]


DECK = "".join(
    f"## Slide {n}\n\n{text}\n\n"
    for n, text in enumerate(
        (
            "flour and yeast",
            "dough in the oven",
            "a puncture of the wheel",
            "glue and patches",
            "heron feathers",
            "woodpecker nests",
            "binoculars",
            "an orchard of apples",
            "cider and vinegar",
            "sailing boats",
            "sailing boats",
            "sailing boats",
        ),
        start=1,
    )
)
"""The last three slides have the same words."""
SHOWN = tuple(
    f"{text} number {n}"
    for text in DECK.replace("## Slide", "").split("\n\n")[1::2]
    for n in ("one", "two", "three")
)


def test_numbered_headings_are_slides_which_are_all_shown() -> None:
    found = to_document(transcript(SHOWN), DECK)
    check(found, transcript(SHOWN), [f"Slide {n}" for n in range(1, 13)])
    assert found == to_document(transcript(SHOWN), DECK, SLIDES)
    assert [cue.step for cue in found.cues[9:12]] == ["Slide 4"] * 3


def test_of_slides_with_the_same_words_none_is_sure() -> None:
    found = to_document(transcript(SHOWN), DECK)
    assert not any(cue.sure for cue in found.cues[30:35])


def test_what_is_said_again_and_again_says_less() -> None:
    sections = [Section("", "", text) for text in ("", "yeast", "oven", "")]
    said = ["yeast", "yeast", *["……"] * 100, "yeast"]
    first, second, *_pauses, last = Wording(again=0.5)(said, sections)[:, 1]
    assert second == pytest.approx(first / 1.5)
    assert last == pytest.approx(first, rel=0.01)


def test_letters_tell_words_that_no_stem_joins() -> None:
    sections = [Section("", "", text) for text in ("", "photovoltaics", "thermodynamics", "")]
    found = Wording(letters=5)(["A photovoltage."], sections)[0]
    assert found[1] > found[2]
    assert not Wording()(["A photovoltage."], sections).any()


def test_another_similarity_is_added() -> None:
    blind = replace(SLIDES, others=(lambda cues, sections: np.zeros((len(cues), len(sections))),))
    both, one = (
        to_document(transcript(SHOWN), DECK, method)
        for method in (blind, replace(SLIDES, others=()))
    )
    assert both == one
    assert both != to_document(transcript(SHOWN), DECK)


def test_a_cue_about_the_next_slide_may_be_said_before_it_is_shown() -> None:
    early, plain = (
        to_document(transcript(SHOWN), DECK, replace(SLIDES, ahead=shares)).cues
        for shares in ((0.0, 0.3), (0.0,))
    )
    assert [cue.step for cue in early] == [cue.step for cue in plain]
    first = 6
    assert early[first].step == "Slide 3" != early[first - 1].step
    assert early[first].confidence < plain[first].confidence


def test_slides_without_a_word_of_the_talk_are_never_sure() -> None:
    found = to_document(transcript(["……"] * 40), DECK)
    assert not any(cue.sure for cue in found.cues)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=9), st.floats(0.1, 3), st.floats(-2, 2))
def test_the_more_probable_the_more_certain(
    believed: list[float], slope: float, offset: float
) -> None:
    found = certainty(np.array(sorted(believed)), (slope, offset), 0.02)
    assert (np.diff(found) >= 0).all()
    assert ((found >= 0) & (found <= 0.98)).all()


@pytest.mark.parametrize("method", [LESSON, DOCUMENT, SLIDES])
def test_a_place_as_probable_as_another_is_never_sure(method: Method) -> None:
    even = certainty(np.array([0.5, 0.4]), method.calibration, method.lapse)
    assert not any(PlacedCue(1, "a", each).sure for each in even)
    assert PlacedCue(1, "a", SURE).sure
    beyond = certainty(np.array([0.999]), method.calibration, method.lapse)
    assert PlacedCue(1, "a", float(beyond[0])).sure
