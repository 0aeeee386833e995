"""What is refused: one sentence says why, and nothing is left behind."""

import shlex
import signal
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from course import cli

FILES = {
    "video.srt": "1\n00:00:01,000 --> 00:00:02,000\n先看标签\nFirst the labels\n".encode(),
    "empty.md": b"",
    "bare.md": b"no heading\n",
    "binary.md": b"\xff\xfe\0",
    "picture.py": b"\x89PNG\x00",
    "broken.ipynb": b"{",
    "there.ipynb": b"mine",
    "error.txt": b"ValueError: no",
    "mine.py": b"near = len\n",
    "roster.csv": b"id,name\n1,Ann\n",
}
REFUSED = tomllib.loads(Path(__file__).with_name("refused.toml").read_text("utf-8"))
"""What a sentence says of each command."""

Refuses = Callable[[str], None]


@pytest.fixture
def refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Refuses:
    (tmp_path / "folder").mkdir()
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COURSE_STATE", str(tmp_path / "state"))
    monkeypatch.setattr(signal, "signal", lambda number, handler: None)
    monkeypatch.setattr("sys.dont_write_bytecode", True)  # Of what `--similarity` imports.
    for name in ("COURSE_LANG", "LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)

    def refuses(command: str) -> None:
        status = cli._guarded(shlex.split(command))
        told = capsys.readouterr()
        assert (status, told.out) == (2, "")
        assert REFUSED[command] in told.err
        assert len(told.err.splitlines()) == 1
        assert sorted(tmp_path.rglob("*")) == before

    return refuses


TRANSCRIPTS = [command for command in REFUSED if command.startswith("subtitles")]


@pytest.mark.parametrize("command", [each for each in REFUSED if each not in TRANSCRIPTS])
def test_what_is_refused_is_one_sentence_and_status_2(command: str, refuses: Refuses) -> None:
    refuses(command)


@pytest.mark.parametrize("command", TRANSCRIPTS)
def test_so_is_what_is_refused_of_transcripts(command: str, refuses: Refuses) -> None:
    refuses(command)
