"""`course subtitles check` and `repair`, through the real command line."""

import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.command import CLEAN, ROOT, course
from tests.subtitles.samples import SAMPLES

pytestmark = pytest.mark.live
"""Each starts the real command; `test_subtitles.py` is the fast tier's look at them."""

CLEAN_SRT = SAMPLES["clean.srt"]
WIDTH = {"COLUMNS": "80"}
Sample = Callable[[str], str]


@pytest.fixture
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    """Write a sample into a folder of samples; its path."""
    folder = tmp_path_factory.mktemp("samples")

    def written(name: str) -> str:
        path = folder / name
        path.write_bytes(SAMPLES[name])
        return str(path)

    return written


def checked(*arguments: str) -> tuple[int, dict[str, Any]]:
    done = course("subtitles", "check", *arguments, "--json")
    return done.returncode, json.loads(done.stdout)


# -- check ----------------------------------------------------------------------------------------


def test_check_says_that_all_is_in_order(sample: Sample) -> None:
    done = course("subtitles", "check", sample("clean.srt"), "--profile", "structure")
    assert done.returncode == 0
    # The name of the file before it may be long, and break the line anywhere.
    assert "3 cues, `en`, 12 lines, `utf-8`" in " ".join(done.stdout.split())
    assert "No problems were found." in done.stdout
    assert done.stderr == ""


def test_a_structure_error_is_status_1(sample: Sample) -> None:
    done = course("subtitles", "check", sample("missing-blank-lines.srt"), **WIDTH)
    assert done.returncode == 1
    assert "✗ Line 4: There is no blank line before cue 2." in done.stdout
    assert "errors: 2, warnings: 1, notes: 0" in done.stdout
    # The name of a file is left whole, however long it is.
    lines = [line for line in done.stdout.splitlines() if "missing-blank-lines.srt" not in line]
    assert all(len(line) <= 80 for line in lines)


def test_warnings_alone_are_status_0(sample: Sample) -> None:
    done = course("subtitles", "check", sample("overlap.srt"))
    assert done.returncode == 0
    assert "! Line 5: Cue 2 begins 500 ms before cue 1 ends." in done.stdout


def test_the_document_has_every_finding(sample: Sample) -> None:
    status, document = checked(sample("pasted.txt"), "--profile", "structure")
    assert status == 1
    (file,) = document.pop("files")
    diagnostics = file.pop("findings")
    assert document == {"format": 1}
    assert file == {
        "file": sample("pasted.txt"),
        "encoding": "utf-8",
        "cues": 3,
        "languages": ["en"],
        "lines": 11,
        "error": None,
    }
    assert diagnostics[1] == {
        "line": 1,
        "cue": None,
        "code": "text-outside-cues",
        "severity": "error",
        "message": "This text belongs to no cue: “video.srt (12 lines) (raw):”.",
    }
    assert [f["code"] for f in diagnostics[2:]] == ["missing-blank-line"] * 2


def test_many_findings_of_a_kind_are_counted_unless_all_are_wanted(tmp_path: Path) -> None:
    file = tmp_path / "long.srt"
    cues = (f"{n}\n00:00:{n:02},000 --> 00:00:{n:02},900\n{'x' * 50}\n" for n in range(1, 41))
    file.write_text("\n".join(cues), "utf-8")
    done = course("subtitles", "check", str(file))
    assert done.stdout.count("characters in the language") == 3
    assert "… and 37 more. `--all` shows all." in done.stdout
    everything = course("subtitles", "check", str(file), "--all")
    assert everything.stdout.count("characters in the language") == 40
    assert "37 more" not in everything.stdout
    _status, document = checked(str(file))
    assert len(document["files"][0]["findings"]) == 80


def test_one_unreadable_file_does_not_stop_the_others(tmp_path: Path, sample: Sample) -> None:
    missing = str(tmp_path / "no.srt")
    done = course("subtitles", "check", missing, sample("zero-length.srt"), str(tmp_path))
    assert done.returncode == 2
    assert f"Error: There is no file `{missing}`." in done.stderr
    assert "is a folder" in done.stderr
    assert "is never shown" in done.stdout
    status, document = checked(missing, sample("clean.srt"))
    assert status == 2
    assert document["files"][0] == {
        "file": missing,
        "encoding": None,
        "cues": 0,
        "languages": [],
        "lines": 0,
        "findings": [],
        "error": f"There is no file `{missing}`.",
    }
    assert document["files"][1]["error"] is None


def test_findings_are_said_in_the_language_in_force(sample: Sample) -> None:
    done = course("--lang", "qps", "subtitles", "check", sample("pasted.txt"), "--all")
    ours = re.sub(r"⟦.*?⟧|“.*?”", "", done.stdout, flags=re.DOTALL)
    assert re.findall(r"[A-Za-z]+", ours) == []


def test_what_a_transcript_says_cannot_act_on_a_terminal(tmp_path: Path) -> None:
    file = tmp_path / "x.srt"
    file.write_bytes(b"title \x1b[2J\x1b]0;owned\x07\n" + CLEAN_SRT)
    done = course("subtitles", "check", str(file), FORCE_COLOR="1")
    assert "\x1b[2J" not in done.stdout
    assert "\x1b]" not in done.stdout


# -- repair ---------------------------------------------------------------------------------------


def repaired(source: str, tmp_path: Path, *more: str) -> tuple[int, str, str, bytes | None]:
    out = tmp_path / "out.srt"
    done = course("subtitles", "repair", source, "-o", str(out), *more)
    return (
        done.returncode,
        done.stdout,
        done.stderr,
        out.read_bytes() if out.exists() else None,
    )


@pytest.mark.parametrize("name", ["pasted.txt", "captions.vtt", "clean.srt"])
def test_repair_writes_clean_srt(name: str, tmp_path: Path, sample: Sample) -> None:
    status, stdout, _stderr, written = repaired(sample(name), tmp_path, "--yes")
    assert status == 0
    assert written == CLEAN_SRT
    assert f"Written: `{tmp_path / 'out.srt'}`." in " ".join(stdout.split())


def test_repair_shows_a_diff_and_what_a_diff_cannot_show(tmp_path: Path) -> None:
    file = tmp_path / "x.srt"
    file.write_bytes(b"\xef\xbb\xbftitle\n" + CLEAN_SRT.replace(b"\n\n2\n", b"\n2\n"))
    _status, stdout, _stderr, _written = repaired(str(file), tmp_path, "--yes")
    assert "The file begins with a byte order mark." in stdout
    assert "SRT cannot store these parts, so they are left out:" in stdout
    assert "belongs to no cue: “title”" in stdout
    lines = stdout.splitlines()
    assert lines[lines.index("--- x.srt") + 1 :][:3] == ["+++ x.srt", "@@ -1,6 +1,6 @@", "-title"]
    assert lines[lines.index(" 2") - 2 :][:3] == [" Today we read a stack trace.", "+", " 2"]


def test_repair_in_place(tmp_path: Path) -> None:
    file = tmp_path / "x.srt"
    file.write_bytes(SAMPLES["missing-blank-lines.srt"])
    done = course("subtitles", "repair", str(file), "-o", str(file), "--yes")
    assert done.returncode == 0
    assert file.read_bytes() == CLEAN_SRT
    again = course("subtitles", "repair", str(file), "-o", str(file))
    assert again.returncode == 0
    assert again.stdout == "Nothing to repair: the file is already clean SRT.\n"
    assert [p.name for p in tmp_path.iterdir()] == ["x.srt"]


def test_repair_to_stdout_writes_the_text_and_nothing_else(sample: Sample) -> None:
    done = course("subtitles", "repair", sample("gb18030.srt"), "-o", "-")
    assert done.returncode == 0
    assert done.stdout == SAMPLES["zh-en.srt"].decode()
    assert "Its encoding seems to be `gb18030`" in " ".join(done.stderr.split())


def test_the_repair_as_a_document(tmp_path: Path, sample: Sample) -> None:
    status, stdout, stderr, written = repaired(sample("number-gap.srt"), tmp_path, "--json")
    assert (status, written) == (2, None)
    assert "`--yes`" in stderr
    document = json.loads(stdout)
    diagnostics = document.pop("findings")
    assert [diagnostic["code"] for diagnostic in diagnostics] == ["number-gap"]
    assert document == {
        "format": 1,
        "file": sample("number-gap.srt"),
        "out": str(tmp_path / "out.srt"),
        "cues": 3,
        "changed": True,
        "written": False,
        "diff": "--- number-gap.srt\n+++ number-gap.srt\n@@ -3,10 +3,10 @@\n"
        " Today we read a stack trace.\n \n-7\n+2\n 00:00:03,500 --> 00:00:06,000\n"
        " The last line names the error,\n and the lines above say where.\n \n-8\n+3\n"
        " 00:01:02,040 --> 00:01:04,000\n <s> and <pad> are words here.\n",
    }
    status, stdout, _stderr, written = repaired(
        sample("number-gap.srt"), tmp_path, "--json", "--yes"
    )
    assert (status, written) == (0, CLEAN_SRT)
    assert json.loads(stdout)["written"] is True


def test_a_long_difference_is_cut_short_unless_all_is_wanted(tmp_path: Path) -> None:
    file = tmp_path / "x.srt"
    cues = (f"{n}\n00:00:{n:02},000 --> 00:00:{n:02},900\ntext {n}\n" for n in range(1, 60))
    file.write_text("".join(cues), "utf-8")
    _status, stdout, _stderr, _written = repaired(str(file), tmp_path, "--yes")
    assert "more. `--all` shows all." in stdout
    _status, stdout, _stderr, _written = repaired(str(file), tmp_path, "--yes", "--all")
    assert stdout.count("\n+\n") == 58
    assert "more: " not in stdout


@pytest.mark.parametrize(("answer", "written"), [("y", True), ("", False), ("no", False)])
def test_on_a_terminal_repair_asks(
    answer: str, written: bool, tmp_path: Path, sample: Sample
) -> None:
    pexpect = pytest.importorskip("pexpect", reason="terminals of this kind are POSIX's")
    out = tmp_path / "out.srt"
    out.write_bytes(b"old\n")
    terminal = pexpect.spawn(
        sys.executable,
        ["-m", "course", "subtitles", "repair", sample("pasted.txt"), "-o", str(out)],
        cwd=str(ROOT),
        env={**os.environ, **CLEAN, "PYTHONUTF8": "1", "TERM": "xterm"},
        encoding="utf-8",
        timeout=60,
        dimensions=(50, 80),
    )
    terminal.expect("Replace it")
    assert "\x1b[31m-video.srt (12 lines) (raw):" in terminal.before
    terminal.expect("to cancel:")
    terminal.sendline(answer)
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0
    assert out.read_bytes() == (CLEAN_SRT if written else b"old\n")
    assert ("Nothing was written." in terminal.before) is not written
