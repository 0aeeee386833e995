"""Whatever is done to a transcript, reading it neither fails nor loses a word."""

import pytest

from tests.subtitles.cues import survives
from tests.subtitles.mutation import damaged
from tests.subtitles.samples import SAMPLES
from tests.tiers import exhaustive


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_samples_as_they_are(name: str) -> None:
    survives(SAMPLES[name])


def all_survive(seeds: range) -> None:
    for seed in seeds:
        try:
            survives(damaged(seed))
        except Exception as error:
            raise AssertionError(f"seed {seed}: {damaged(seed)!r}") from error


@pytest.mark.parametrize("hundred", range(20))
def test_two_thousand_damaged_transcripts(hundred: int) -> None:
    all_survive(range(hundred * 100, hundred * 100 + 100))


@pytest.mark.live
@pytest.mark.parametrize(
    "seeds", [range(2_000, 12_000), exhaustive(range(12_000, 102_000))], ids=["some", "rest"]
)
def test_a_hundred_thousand_damaged_transcripts(seeds: range) -> None:
    all_survive(seeds)
