"""`course subtitles export`, as a user calls it."""

import json
import os
from pathlib import Path

import pytest

from course.base import paths
from course.lesson import lesson
from course.subtitles.transcript import parser
from tests.command import course
from tests.subtitles.cues import said

pytestmark = pytest.mark.live
"""Each starts the real command; `test_subtitles.py` is the fast tier's look at them."""

ZH_EN = """\
1
00:00:00,500 --> 00:00:02,000
先看 input_ids <s>
First look at input_ids <s>

2
00:00:02,000 --> 00:00:04,000
然后 a --> b
（译者注：一种写法）
Then a --> b

3
00:00:04,000 --> 00:00:05,250
最后没有英文的一行
Finally & in the end

4
100:00:00,001 --> 100:00:00,002
Only this line
"""
DOC = """\
# Guide

## Look at `input_ids` first

The ids of the tokens: input_ids, and what <s> means.

## Arrows --> and more

From a --> to b.
"""


@pytest.fixture
def srt(tmp_path: Path) -> Path:
    path = tmp_path / "видео 1.srt"
    path.write_text(ZH_EN, "utf-8")
    return path


def export(*arguments: str | Path, **variables: str) -> str:
    done = course("subtitles", "export", *map(str, arguments), **variables)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_transcript_as_it_is_written(srt: Path, tmp_path: Path) -> None:
    assert export(srt, "--to", "srt") == ZH_EN
    out = tmp_path / "out.vtt"
    assert export(srt, "--to", "vtt", "-o", out) == ""
    data = out.read_bytes()
    assert data.startswith(b"WEBVTT\n\n00:00:00.500 --> 00:00:02.000\n")
    assert "然后 a --&gt; b".encode() in data
    assert b"100:00:00.001 --> 100:00:00.002\n" in data
    assert said(parser.read(data).transcript) == said(parser.load(srt).transcript)
    assert json.loads(export(srt, "--to", "json"))["segments"] is None


def test_languages_in_the_order_asked_for(srt: Path) -> None:
    done = course("subtitles", "export", str(srt), "--to", "srt", "--languages", "en, zh")
    assert "\nFirst look at input_ids <s>\n先看 input_ids <s>\n" in done.stdout
    assert "译者注" not in done.stdout
    assert "1 translator's note" in done.stderr
    assert "no text" not in done.stderr
    done = course("subtitles", "export", str(srt), "--to", "vtt", "--languages", "zh")
    assert done.stdout.count(" --> ") == 3
    assert "1 cue has no text" in done.stderr


def test_steps_of_a_document(srt: Path, tmp_path: Path) -> None:
    doc = tmp_path / "guide.md"
    doc.write_text(DOC, "utf-8")
    found = json.loads(export(srt, "--to", "json", "--doc", doc))
    steps = {s["step"] for s in found["segments"]} | {*found["missing"]}
    assert {"Look at input_ids first", "Arrows --> and more"} <= steps
    assert {c["step"] for c in found["cues"]} == {s["step"] for s in found["segments"]}
    metadata = export(srt, "--to", "metadata", "--doc", doc)
    assert metadata.count("-->") == len(found["segments"])
    payloads = [json.loads(line) for line in metadata.split("\n") if line.startswith("{")]
    assert [p["step"] for p in payloads] == [s["step"] for s in found["segments"]]


@pytest.mark.parametrize("lang", ["en", "zh", "ru"])
def test_our_notes_are_in_the_language_in_force(lang: str) -> None:
    folder = paths.subtitles() / "ch8-4" / "tf"
    shown = export("ch8-4", "--fw", "tf", "--to", "srt", "--lang", lang)
    assert shown == (folder / f"{lang}.srt").read_text("utf-8")


def test_markdown_of_our_notes_links_into_the_lessons_video() -> None:
    shown = export("ch8-4", "--fw", "tf", "--to", "markdown")
    video = lesson.load("ch8-4").parts["tf"].video
    assert shown.startswith("# Debugging the training pipeline (`tf`)\n\n## Introduction\n\n- [")
    assert f"](https://www.youtube.com/watch?v={video}&t=" in shown
    mirror = "https://mirror.example/{video}?t={seconds}"
    assert f"](https://mirror.example/{video}?t=" in export(
        "ch8-4", "--fw", "tf", "--to", "markdown", "--video-url", mirror
    )


def test_output_is_utf_8_whatever_the_console(srt: Path) -> None:
    """Give a console in an old code page question marks for what it lacks, and no file."""
    shown = export(srt, "--to", "srt", PYTHONUTF8="0", PYTHONIOENCODING="utf-8:strict")
    assert shown == ZH_EN
    done = course(
        *("subtitles", "export", str(srt), "--to", "srt", "-o", "-"),
        PYTHONUTF8="0",
        PYTHONIOENCODING="cp1251",
    )
    assert done.stdout == ZH_EN


def test_a_broken_structure_is_said(tmp_path: Path) -> None:
    path = tmp_path / "x.srt"
    path.write_text(ZH_EN.replace("\n\n3\n", "\n3\n"), "utf-8")
    done = course("subtitles", "export", str(path), "--to", "srt")
    assert done.returncode == 0
    assert done.stdout == ZH_EN
    assert "course subtitles check" in done.stderr


def test_an_output_takes_the_place_of_its_own_source(srt: Path) -> None:
    export(srt, "--to", "vtt", "-o", srt)
    assert srt.read_text("utf-8").startswith("WEBVTT\n")
    assert os.listdir(srt.parent) == [srt.name]
