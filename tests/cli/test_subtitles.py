"""What `course subtitles` does in no time: our notes, a paste, and what it refuses."""

import json
from pathlib import Path

import pysrt
import pytest

from course.base.errors import UserError
from tests.command import ROOT, course, inside


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


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("align x.srt", "add `--lesson LESSON` or `--doc FILE`"),
        ("align x.srt --lesson ch8-5", "no lesson `ch8-5`"),
        ("align x.srt --lesson ch8-4 --fw jax", "`jax`"),
        ("align x.srt --lesson ch8-4 --doc bare.md", "leave out `--lesson` or `--doc`"),
        ("align x.srt --fw pt", "needs `--lesson LESSON`: add it"),
        ("align x.srt --doc no.md", "`no.md` cannot be read"),
        ("align x.srt --doc .", "`.` cannot be read"),
        ("align x.srt --doc empty.md", "no headings"),
        ("align x.srt --doc bare.md", "no headings"),
        ("align x.srt --doc binary.md", "not a text in UTF-8"),
        ("export x.srt --to chapters", "add `--lesson LESSON` or `--doc FILE`"),
        ("export x.srt --to metadata", "add `--lesson LESSON` or `--doc FILE`"),
        ("export x.srt --to sbv", "does not accept `sbv`"),
        ("export x.srt --to marckdown", "Did you mean `markdown`?"),
        ("export x.srt --to srt --languages ru", "no text in the language `ru`"),
        ("export x.srt --to srt --languages ,", "one language or more of `zh`, `en`"),
        ("export x.srt --to srt --fw pt", "needs `--lesson LESSON`: add it"),
        ("export x.srt --to json --lesson ch8-5", "no lesson `ch8-5`"),
        ("export x.srt --to json --lesson ch8-4 --doc x.md", "leave out `--lesson`"),
        ("export x.srt --to json --doc x.md", "`x.md` cannot be read"),
        ("export x.srt --to markdown --video-url https://x", "has no `{seconds}` in it"),
        ("export x.srt --to markdown --video-url {video}{seconds}", "No video is known"),
        ("export x.srt --to srt -o no/such/folder/x.srt", "There is no folder"),
        ("export x.srt --to srt -o .", "is a folder"),
        ("export ch8-5 --to srt", "Did you mean `ch8-4`?"),
        ("export no.srt --to srt", "no file `no.srt`"),
        ("export ch8-4 --to srt --fw xx", "`xx`"),
        ("export ch8-4 --to srt --languages de", "no text in the language `de`"),
        ("export ch8-4 --to srt --doc x.md", "leave out `--doc`"),
        ("export ch8-4 --to srt --lesson ch8-4", "leave out `--lesson`"),
        ("page ch8-9 -o page.html", "ch8-4"),
        ("page ch8-4 --fw jax -o page.html", "jax"),
        ("page ch8-4 --srt no.srt -o page.html", "no.srt"),
        ("page ch8-4 --video no.mp4 -o page.html", "no.mp4"),
        ("page ch8-4 -o folder", "is a folder"),
        ("page ch8-4 -o no/page.html", "There is no folder"),
        ("page ch8-4 -o bare.md/page.html", "There is no folder"),
        ("serve ch8-4 --srt .", "folder"),
        ("serve ch8-4 --video no.mp4", "no.mp4"),
        ("repair x.srt -o - --json", "one document only"),
    ],
)
def test_what_cannot_be_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, why: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\n你好\nHello\n", "utf-8")
    Path("folder").mkdir()
    for name, content in (("empty", b""), ("bare", b"no heading\n"), ("binary", b"\xff\xfe\0")):
        Path(f"{name}.md").write_bytes(content)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(UserError) as error:
        inside("subtitles", *words.split())
    assert why in str(error.value)
    assert "\n" not in str(error.value)
    assert sorted(tmp_path.rglob("*")) == before
