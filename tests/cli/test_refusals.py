"""What is refused: one sentence says why, and nothing is left behind."""

import shlex
import signal
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
CLASS = "class make ch8-4 --students roster.csv --out class --db book.db"
ALIGN = "subtitles align video.srt --lesson ch8-4 --no-pins"
REFUSED = {
    "rnu": "There is no command `rnu`. Did you mean `run`?",
    "dev chek": "There is no command `chek`. Did you mean `check`?",
    "run": "`.` is not an exercise of this course: `course start` makes one.",
    "start": "`LESSON` is missing.",
    "run ch8-5": "There is no lesson or file `ch8-5`. Did you mean `ch8-4`?",
    "run ../none": "There is no file `../none`.",
    "run ch8-4 --fw pz": "framework `pz`. Did you mean `pt`?",
    "run ch8-4 --step cubls": "There is no step `cubls`. Did you mean `cublas`?",
    "run ch8-4 --lang xx": "`--lang` does not accept `xx`.",
    "run ch8-4 --hub onlin": "`--hub` does not accept `onlin`. Did you mean `online`?",
    "run ch8-4 --timeout 0": "`--timeout`: Give a number of at least 1.",
    "run ch8-4 --timeout nan": "`--timeout`: Give a number of at least 1.",
    "run ch8-4 --timeout soon": "value given for `--timeout` cannot be used",
    "run mine.py --timeout 0": "`--timeout`: Give a number of at least 1.",
    "run ch8-4 --stp x": "There is no option `--stp`. Did you mean `--step`?",
    "run ch8-4 --lang": "The option `--lang` needs a value.",
    "run ch8-4 more": "so these cannot be used: `more`.",
    "run ch8-4 -- --lr 3": "so these cannot be used: `--lr 3`.",
    "run . --step healthy": "`--step` can only be used with `LESSON`",
    "env --shell fsh": "`--shell` does not accept `fsh`. Did you mean `fish`?",
    "env --fw jx": "There is no framework `jx`.",
    "start ch8-4 . --bugs lenght-mismatch": "Did you mean `length-mismatch`?",
    "start ch8-4 . --bugs 9": "a number from 1 to 4",
    "start ch8-4 . --bugs cublas --seed 1": "not both",
    "start ch8-5": "Did you mean `ch8-4`?",
    "start ch8-4 --fw jx": "framework `jx`",
    "fix . --apply": "add `--yes`",
    "fix . --apply --mended": "Give either `--mended` or `--apply`, not both.",
    "fix . --apply --json": "add `--yes`",
    "hint ch8-4": "You have no exercise for `ch8-4` yet. `course start ch8-4` makes one.",
    "watch ch8-4": "You have no exercise for `ch8-4` yet. `course start ch8-4` makes one.",
    "more ch8-4 length-mismach": "`length-mismatch`",
    "more ch8-5": "Did you mean `ch8-4`?",
    "explain nan-los": "Error: There is no fault `nan-los`. Did you mean `nan-loss`?",
    "explain zzz": "For more: `course explain`",
    "explain eror.txt": "There is no file `eror.txt`. Did you mean `error.txt`?",
    "explain folder": "is a folder. Give the name of a file in it",
    "diagnose folder": "is a folder. Give the name of a file in it",
    "diagnose none.py --static": "There is no file",
    "diagnose picture.py --static": "is not a text in UTF-8",
    "diagnose broken.ipynb --static": "not a complete notebook",
    "practice": "needs a terminal",
    "runtime install": "is missing",
    "runtime install tff": "There is no framework `tff`. Did you mean `tf`?",
    "runtime use tff .": "There is no framework `tff`. Did you mean `tf`?",
    "runtime remove tff": "There is no framework `tff`. Did you mean `tf`?",
    "runtime remove pt": "are in the environment of `course` itself",
    "runtime use tf": "either `PATH` or `--default`",
    "runtime use tf . --default": "either `PATH` or `--default`",
    "runtime use tf nowhere": "`nowhere` is not a Python interpreter",
    "notebook ch8-4 -o there.ipynb": "already exists",
    "notebook ch8-4 -o folder": "is a folder",
    "notebook ch8-4 -o none/x.ipynb": "There is no folder",
    "notebook ch8-4 -o x.txt": "ends in `.ipynb`",
    "notebook ch8-4 -o - --json": "either `-o -` or `--json`",
    "notebook ch8-4 --install '$(ls)'": "The value given for `--install`",
    "notebook ch8-4 --bugs nan-los": "does not accept `nan-los`",
    f"{CLASS} --bugs 9": "a number from 1 to 4",
    f"{CLASS} --bugs 0": "`--bugs` cannot be used",
    f"{CLASS} --seed -1": "`--seed` cannot be used",
    f"{CLASS} --fw jx": "framework `jx`",
    f"{CLASS} --students none.csv": "There is no file `none.csv`",
    f"{CLASS} --out roster.csv": "roster.csv` cannot be written",
    "subtitles page ch8-9 -o page.html": "ch8-4",
    "subtitles page ch8-4 --fw jax -o page.html": "jax",
    "subtitles page ch8-4 --srt nothing.srt -o page.html": "nothing.srt",
    "subtitles page ch8-4 --video nothing.mp4 -o page.html": "nothing.mp4",
    "subtitles page ch8-4 -o folder": "is a folder",
    "subtitles page ch8-4 -o no/page.html": "There is no folder",
    "subtitles page ch8-4 -o bare.md/page.html": "There is no folder",
    "subtitles serve ch8-4 --srt .": "folder",
    "subtitles serve ch8-4 --video nothing.mp4": "nothing.mp4",
    "subtitles align video.srt": "Add `--lesson LESSON` or `--doc FILE`",
    "subtitles align video.srt --lesson ch8-5": "no lesson `ch8-5`",
    "subtitles align video.srt --lesson ch8-4 --fw jax": "`jax`",
    "subtitles align video.srt --lesson ch8-4 --doc README.md": "either `--lesson` or `--doc`",
    "subtitles align video.srt --fw pt": "can only be used with `--lesson LESSON`",
    "subtitles align video.srt --doc nowhere.md": "`nowhere.md` cannot be read",
    "subtitles align video.srt --doc empty.md": "no headings",
    "subtitles align video.srt --doc bare.md": "no headings",
    "subtitles align video.srt --doc binary.md": "not a text in UTF-8",
    "subtitles align video.srt --doc .": "`.` cannot be read",
    f"{ALIGN} --similarity mine:far": "module:function",
    f"{ALIGN} --similarity nowhere:near": "module:function",
    f"{ALIGN} --similarity mine": "module:function",
    "subtitles repair video.srt -o - --json": "`-o -`",
    "subtitles export video.srt": "`--to` is missing",
    "subtitles export video.srt --to chapters": "Add `--lesson LESSON` or `--doc FILE`",
    "subtitles export video.srt --to metadata": "Add `--lesson LESSON` or `--doc FILE`",
    "subtitles export video.srt --to sbv": "does not accept `sbv`",
    "subtitles export video.srt --to marckdown": "Did you mean `markdown`?",
    "subtitles export video.srt --to srt --languages ru": "does not accept `ru`",
    "subtitles export video.srt --to srt --languages ,": "Choose one of `zh`, `en`",
    "subtitles export video.srt --to srt --fw pt": "can only be used with `--lesson LESSON`",
    "subtitles export video.srt --to json --lesson ch8-5": "no lesson `ch8-5`",
    "subtitles export video.srt --to json --lesson ch8-4 --doc x.md": "either `--lesson` or",
    "subtitles export video.srt --to json --doc x.md": "`x.md` cannot be read",
    "subtitles export video.srt --to markdown --video-url https://x": "is not of the form `https://...{seconds}`",
    "subtitles export video.srt --to srt -o no/such/folder/x.srt": "There is no folder",
    "subtitles export video.srt --to srt -o .": "is a folder",
    "subtitles export ch8-5 --to srt": "Did you mean `ch8-4`?",
    "subtitles export no.srt --to srt": "no file `no.srt`",
    "subtitles export ch8-4 --to srt --fw xx": "`xx`",
    "subtitles export ch8-4 --to srt --languages de": "does not accept `de`",
    "subtitles export ch8-4 --to srt --doc x.md": "Remove `--doc`",
    "subtitles export ch8-4 --to srt --lesson ch8-4": "Remove `--lesson`",
    "subtitles export video.srt --to markdown --video-url {video}{seconds}": "Replace `{video}`",
}
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
