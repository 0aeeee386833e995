"""Where a walk goes on, and drills that show nothing to ask about."""

from pathlib import Path

import click
import pytest

from course.base import paths
from course.cli.learner import practice
from course.cli.stage import walk
from course.cli.terminal import keys
from course.exercise import drill, walk_progress
from course.exercise.walk_progress import WalkProgress
from course.judge.verdict import judge
from course.lesson import lesson
from course.runs.environment.runtime import Runtime
from course.runs.hub import Hub
from course.runs.run_context import RunContext
from tests.exercise.watch.made import stored

PART = lesson.load("ch8-4").parts["pt"]
LOOP = lesson.walked("ch3-4", "pt")


@pytest.fixture(autouse=True)
def somebody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "state", lambda: tmp_path)
    monkeypatch.setattr(paths, "cache", lambda: tmp_path)
    monkeypatch.setattr(keys, "are_there", lambda: True)


@pytest.mark.parametrize(("typed", "step"), [("", "size-1-array"), ("1", None)])
def test_a_walk_goes_on_where_it_was_left(
    monkeypatch: pytest.MonkeyPatch, typed: str, step: str | None
) -> None:
    walk_progress.keep(PART, WalkProgress("ch8-4", "pt", "size-1-array"))
    monkeypatch.setattr("builtins.input", lambda prompt="": typed)
    assert walk.going_on([PART]) == step


def test_q_leaves_and_begins_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    walk_progress.keep(PART, WalkProgress("ch8-4", "pt", "size-1-array"))
    monkeypatch.setattr("builtins.input", lambda prompt="": "q")
    with pytest.raises(click.exceptions.Exit):
        walk.going_on([PART])


def test_a_step_that_two_parts_have_is_not_taken_for_the_first() -> None:
    walk_progress.keep(LOOP[0], WalkProgress("ch3-4", "pt", "healthy"))
    assert walk.going_on(LOOP) is None


def test_a_drill_that_shows_nothing_is_not_asked_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = RunContext(Runtime("pt", "no-such-python", {}), Hub("embedded"), "cpu")
    record = stored("none.healthy")
    verdict = judge(PART.steps[-1], PART.outcome, record)
    monkeypatch.setattr(practice._Session, "_run", lambda *_arguments: (record, verdict))
    monkeypatch.setattr("builtins.input", lambda prompt="": "")
    found = drill.drills(["pt"])[:2]
    assert practice._Session(found, place).run(None) == 0
    assert capsys.readouterr().out.count("This run showed no fault") == len(found)
