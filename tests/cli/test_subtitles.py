"""What `course subtitles` does in no time: our notes, and a paste."""

import json
from pathlib import Path

import pysrt

from tests.command import ROOT, course


def test_our_notes_are_without_a_finding() -> None:
    files = sorted(map(str, (ROOT / "subtitles").glob("*/*/*.srt")))
    done = course("subtitles", "check", *files, "--json")
    assert done.returncode == 0, done.stdout
    document = json.loads(done.stdout)
    assert len(document["files"]) == 6
    assert [diagnostic for file in document["files"] for diagnostic in file["findings"]] == []


def test_a_paste_becomes_a_transcript(tmp_path: Path) -> None:
    paste, out = tmp_path / "paste.txt", tmp_path / "out.srt"
    paste.write_text(
        "a web page (12 lines):\n1\n00:00:01.5 --> 00:00:03,000\n你好\nHello\n"
        "2\n0:00:04,000 --> 00:00:05,000\n再见\nBye\n",
        "utf-8",
    )
    refused = course("subtitles", "repair", str(paste), "-o", str(out))
    assert refused.returncode == 2
    assert not out.exists()
    done = course("subtitles", "repair", str(paste), "-o", str(out), "--yes")
    assert done.returncode == 0, done.stderr
    cues = pysrt.open(str(out))
    assert [cue.text for cue in cues] == ["你好\nHello", "再见\nBye"]
    assert cues[0].start.ordinal == 1500
