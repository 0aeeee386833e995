"""The two ways into a lesson, the walk and a copy of one's own, and how they are told apart."""

from pathlib import Path

import pytest

from course import cli
from course.cli.learner import run as command
from course.exercise import working_copy
from course.lesson import lesson
from tests.command import inside

PART = lesson.load("ch8-4").parts["pt"]
OTHER = lesson.load("ch8-4").parts["tf"]


def test_the_list_and_the_bare_command_lead_to_both(capsys: pytest.CaptureFixture[str]) -> None:
    inside("list")
    listed = " ".join(capsys.readouterr().out.split())
    assert cli._guarded([]) == 2
    helped = " ".join(capsys.readouterr().out.split())
    for word in ("run", "start"):
        assert f"`course {word} LESSON`" in listed
        assert f"`course {word} ch8-4`" in helped


def told(capsys: pytest.CaptureFixture[str]) -> str:
    command._tell_own_copy("ch8-4")
    seen = capsys.readouterr()
    assert seen.out == ""
    return seen.err


def test_a_walk_tells_of_the_learners_own_copy_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert told(capsys) == ""
    other = lesson.load("ch3-2").parts["pt"]
    working_copy.start(other, (), tmp_path)
    assert told(capsys) == ""
    working_copy.start(PART, (), tmp_path / "ch8-4")
    assert "copy `./ch8-4/ch8-4-pt.py`, use `course run ./ch8-4`." in told(capsys)
    working_copy.start(OTHER, (), tmp_path / "ch8-4")
    assert "use `course run ./ch8-4/ch8-4-pt.py`." in told(capsys)
    monkeypatch.chdir(tmp_path / "ch8-4")
    (tmp_path / "ch8-4" / "ch8-4-tf.py").unlink()
    assert "copy `./ch8-4-pt.py`, use `course run .`." in told(capsys)
    (tmp_path / "ch8-4" / "ch8-4-pt.py").write_bytes(b"\xff")
    assert told(capsys) == ""


def test_nothing_mended_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = working_copy.start(PART, PART.bugs, tmp_path)
    assert inside("fix", path, mended=True) == 0
    assert "No run has shown yet" in capsys.readouterr().out
