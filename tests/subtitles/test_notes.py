"""Our own notes: the ones that ship, and ones that must be refused."""

from pathlib import Path

import pytest

from course.base import paths
from course.base.errors import ContentError, UserError
from course.lesson import lesson
from course.subtitles.notes import notes
from course.subtitles.transcript import parser

PARTS = [
    (name, framework)
    for name in lesson.ids()
    for framework, part in lesson.load(name).parts.items()
    if part.video
]
CUE = "1\n00:00:01,000 --> 00:00:02,000\n{text}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(paths, "subtitles", lambda: tmp_path)
    made = tmp_path / "ch8-4" / "pt"
    made.mkdir(parents=True)
    return made


@pytest.mark.parametrize(("name", "framework"), PARTS)
def test_notes_come_in_every_language_with_the_same_times(name: str, framework: str) -> None:
    found = notes(name, framework)
    assert list(found) == ["en", "ru", "zh"]
    times = {tuple((c.start.ordinal, c.end.ordinal) for c in each) for each in found.values()}
    assert len(times) == 1


def test_notes_by_language(folder: Path) -> None:
    (folder / "zh.srt").write_text(CUE.format(text="一"), "utf-8")
    (folder / "en.srt").write_text(CUE.format(text="one"), "utf-8")
    (folder / "pins.toml").write_text("", "utf-8")
    found = notes("ch8-4", "pt")
    assert {language: each[0].text for language, each in found.items()} == {
        "en": "one",
        "zh": "一",
    }
    assert found["en"] == parser.load(folder / "en.srt").transcript


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (CUE.replace("01,000", "01,001"), "cue 1: 1001-2000 ms, 1000-2000 ms"),
        (CUE + "\n2\n00:00:03,000 --> 00:00:04,000\nmore\n", "2 cues, 1 cues"),
    ],
)
def test_notes_that_differ_are_refused(folder: Path, other: str, why: str) -> None:
    (folder / "en.srt").write_text(CUE, "utf-8")
    (folder / "zh.srt").write_text(other, "utf-8")
    with pytest.raises(ContentError, match=f"zh and en: {why}"):
        notes("ch8-4", "pt")


def test_a_lesson_without_notes_is_said_to_have_none(folder: Path) -> None:
    with pytest.raises(UserError, match="We have no notes"):
        notes("ch8-4", "pt")
