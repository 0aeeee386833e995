import json
from pathlib import Path

import pytest

from course.lesson import lesson
from course.subtitles.alignment.alignment import SURE
from tests.command import ROOT, course

pytestmark = pytest.mark.live
"""Each starts the real command; `test_subtitles.py` is the fast tier's look at them."""

NOTES = ROOT / "subtitles" / "ch8-4"


@pytest.mark.parametrize("framework", ["pt", "tf"])
@pytest.mark.parametrize("option", [(), ("--no-pins",)])
def test_json_tells_the_steps_of_a_lesson(framework: str, option: tuple[str, ...]) -> None:
    file = str(NOTES / framework / "zh.srt")
    words = ("align", file, "--lesson", "ch8-4", "--fw", framework, "--json", *option)
    done = course("subtitles", *words)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert all(c["sure"] == (c["confidence"] >= SURE) for c in document["cues"])
    found = [segment["step"] for segment in document["segments"]]
    steps = [step.id for step in lesson.load("ch8-4").parts[framework].steps]
    assert found == [step for step in ("intro", *steps, "outro") if step in found]
    assert document["missing"] == [step for step in steps if step not in found]
    assert document["cues"][0]["index"] == 1
    if framework == "pt" and not option:
        assert document["missing"] == ["size-1-array"]


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "Introduction"), ("ru", "Введение"), ("zh", "引言")],
)
def test_the_terminal_shows_times_titles_and_what_is_missing(language: str, words: str) -> None:
    file = str(NOTES / "pt" / f"{language}.srt")
    done = course("subtitles", "align", file, "--lesson", "ch8-4", "--lang", language)
    assert done.returncode == 0, done.stderr
    assert words in done.stdout
    assert "0:25" in done.stdout
    assert "size-1-array" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_the_transcript_of_something_else_is_told_to_be(tmp_path: Path) -> None:
    talk = tmp_path / "talk.srt"
    lines = ["The weather is fine.", "We walk along the river.", "A duck swims by."] * 10
    talk.write_text(
        "\n\n".join(
            f"{i}\n00:00:{i:02},000 --> 00:00:{i:02},900\n{t}" for i, t in enumerate(lines, 1)
        )
    )
    done = course("subtitles", "align", str(talk), "--lesson", "ch8-4")
    assert done.returncode == 0
    assert "something else" in " ".join(done.stderr.split())


def test_a_similarity_of_the_user_s_own(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import numpy\n\n"
        "def near(cues, sections):\n"
        "    return numpy.array([[len(set(c.split()) & set((s.core + s.text).split()))\n"
        "                         for s in sections] for c in cues], dtype=float)\n"
    )
    file = str(NOTES / "tf" / "en.srt")
    words = ("align", file, "--lesson", "ch8-4", "--fw", "tf", "--no-pins", "--json")
    done = course("subtitles", *words, "--similarity", "mine:near", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    plain = course("subtitles", *words)
    assert json.loads(done.stdout)["cues"] != json.loads(plain.stdout)["cues"]
