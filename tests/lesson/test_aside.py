"""What there is to read beside a step."""

import shutil
import tomllib
from pathlib import Path

import pytest

from course.base import paths
from course.base.errors import ContentError
from course.base.texts import paragraphs, pieces
from course.lesson import aside, lesson
from course.subtitles.export import video

FILE = """format = 1

[[aside]]
step = "length-mismatch"
title = "Pictures and sound"
text = '''
A collator also puts
pictures together.

    batch["pixel_values"].shape

See.
'''

[[aside]]
framework = "tf"
step = "nan-loss"
title = "Keras alone"
text = "Only here."

[[link]]
framework = "pt"
step = "length-mismatch"
title = "`DataCollatorWithPadding`"
url = "https://example.org/collator"
"""


@pytest.fixture
def beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of asides of a copy of `ch8-4`."""
    shutil.copytree(paths.lessons() / "ch8-4", tmp_path / "ch8-4")
    monkeypatch.setattr(paths, "lessons", lambda: tmp_path)
    found = tmp_path / "ch8-4" / aside.FILE
    found.write_text(FILE, "utf-8")
    return found


def test_asides_and_links_belong_to_a_step_of_a_part(beside: Path) -> None:
    found = lesson.load("ch8-4")
    asides = aside.load(found)
    here = asides.at(found.parts["pt"], "length-mismatch")
    assert [each.title for each in here.asides] == ["Pictures and sound"]
    assert [each.url for each in here.links] == ["https://example.org/collator"]
    assert not asides.at(found.parts["pt"], "nan-loss")
    assert asides.at(found.parts["tf"], "nan-loss").asides[0].text == "Only here."


def test_code_in_a_text_is_kept_as_it_is_and_not_translated(beside: Path) -> None:
    text = aside.load(lesson.load("ch8-4")).asides[0].text
    assert paragraphs(text) == ["A collator also puts pictures together.", "See."]
    assert pieces(text)[1] == ('batch["pixel_values"].shape', True)


def test_a_lesson_without_the_file_has_none(beside: Path) -> None:
    beside.unlink()
    assert not aside.load(lesson.load("ch8-4"))


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('step = "nan-loss"', 'step = "nan-los"', "`nan-loss`"),
        ('framework = "tf"', 'framework = "jax"', "`jax`"),
        ("https://example", "http://example", "`https://...`"),
        ("title =", "titel =", "`title`"),
        ("format = 1", "format = 2", "`format` does not accept `2`"),
    ],
)
def test_a_broken_file_says_where(beside: Path, old: str, new: str, complaint: str) -> None:
    beside.write_text(FILE.replace(old, new), "utf-8")
    with pytest.raises(ContentError, match=aside.FILE) as raised:
        aside.load(lesson.load("ch8-4"))
    assert complaint in str(raised.value)


@pytest.mark.parametrize("name", lesson.ids())
def test_those_that_ship_are_whole(name: str) -> None:
    found = aside.load(lesson.load(name))
    titles = [(each.framework, each.step, each.title) for each in found.asides]
    assert len(titles) == len(set(titles))
    assert all(len(each.title) <= 40 for each in found.asides)
    assert all(paragraphs(each.text) for each in found.asides)


def test_the_links_to_a_video_begin_where_their_step_does() -> None:
    seen = 0
    for name in lesson.ids():
        found = lesson.load(name)
        for part in found.parts.values():
            table = paths.subtitles() / name / part.framework / "pins.toml"
            pins = tomllib.loads(table.read_text("utf-8"))["pin"] if table.is_file() else ()
            at = {pin["step"]: pin["at_ms"] for pin in pins}
            for step in part.steps:
                for link in aside.load(found).at(part, step.id).links:
                    if "youtube" in link.url:
                        assert part.video is not None
                        assert link.url == video.link(video.YOUTUBE, part.video)(at[step.id])
                        seen += 1
    assert seen
