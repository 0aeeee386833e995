"""The Python interface: what is there, lazily, and what it gives."""

from pathlib import Path

import pytest

import course
from course import subtitles
from tests.command import python
from tests.diagnosis.text.scripts import LOOP

SRT = "1\n00:00:01,000 --> 00:00:03,000\nThe model needs token ids.\n"


def test_every_name_is_there_and_nothing_is_loaded_before_it_is_asked_for() -> None:
    code = (
        "import sys, course; before = {m for m in sys.modules if m.startswith('course.')}; "
        "found = [getattr(course, name) for name in course.__all__]; "
        "print(before, len(found), callable(course.subtitles.read), 'torch' in sys.modules)"
    )
    done = python("-c", code)
    assert done.stdout.strip() == f"set() {len(course.__all__)} True False"


def test_a_script_is_run_and_judged(tmp_path: Path) -> None:
    script = tmp_path / "mine.py"
    script.write_text("import sys\nprint(sys.argv[1])\nprint(lenght)\n")
    done = course.run(script, "7")
    assert done.verdict.raised is not None
    assert done.verdict.raised.name == "NameError"
    assert "7" in done.run.output


def test_a_script_is_diagnosed_without_running_it(tmp_path: Path) -> None:
    script = tmp_path / "mine.py"
    script.write_text(LOOP.replace("        loss.backward()\n", ""))
    found = course.diagnose(script, static=True)
    assert [finding.fault for finding in found.findings] == ["backward-missing"]


def test_a_transcript_is_read_and_aligned(tmp_path: Path) -> None:
    file = tmp_path / "video.srt"
    file.write_text(SRT)
    read = subtitles.read(file)
    assert len(read.transcript) == 1
    found = subtitles.align(read, document="# Start\n\nThe model needs token ids.\n")
    assert found.cues
    assert subtitles.align(read, "ch8-4", "pt").cues
    with pytest.raises(TypeError):
        subtitles.align(read)
