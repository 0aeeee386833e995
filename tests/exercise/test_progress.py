"""What is known of a copy survives whatever happens while it is written."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from course.base import i18n, paths
from course.exercise import progress, walk_progress, working_copy
from course.exercise.working_copy import Copy
from course.judge.attempt import Attempt, judge_attempt
from course.lesson import lesson
from tests.exercise.watch.made import stored
from tests.killing import killed_at_each_instant

pytestmark = pytest.mark.live

PART = lesson.load("ch8-4").parts["pt"]


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Copy:
    monkeypatch.setenv("COURSE_STATE", str(tmp_path / "state"))
    return working_copy.read(working_copy.start(PART, PART.bugs, tmp_path / "mine"))


def attempt(name: str) -> Attempt:
    return judge_attempt(PART, PART.bugs, stored(name))


def test_nothing_is_known_of_a_new_copy(made: Copy) -> None:
    known = progress.of(made)
    assert (known.runs, known.behind, known.healthy) == (0, (), None)
    assert progress.everything() == []


def test_what_a_run_showed_is_kept(made: Copy) -> None:
    known = progress.after(progress.of(made), attempt("target-out-of-bounds"), made.digest)
    assert progress.keep(known)
    assert progress.of(made) == known
    assert known.behind == ("missing-input-ids", "length-mismatch")
    assert (known.fault, known.problem, known.runs) == ("target-out-of-bounds", None, 1)
    assert progress.everything() == [known]


def test_what_bites_again_is_not_behind_and_a_strange_failure_changes_nothing(made: Copy) -> None:
    known = progress.after(progress.of(made), attempt("size-1-array"), "1")
    assert len(known.behind) == 3
    assert progress.after(known, attempt("none.syntax"), "2").behind == known.behind
    # One that bites hides those after it: what was mended there still counts.
    again = progress.after(known, attempt("length-mismatch"), "3")
    assert again.behind == ("missing-input-ids", "target-out-of-bounds")
    # Where its text stands again, it is not mended any more.
    undone = replace(attempt("length-mismatch"), undone=("target-out-of-bounds",))
    assert progress.after(known, undone, "4").behind == ("missing-input-ids",)


def test_the_first_healthy_run_is_never_forgotten(made: Copy) -> None:
    known = progress.after(progress.of(made), attempt("none.healthy"), "1")
    assert known.healthy is not None
    assert len(known.behind) == 4
    first = replace(known, healthy="2026-01-01T00:00:00+0000")
    assert progress.after(first, attempt("none.healthy"), "2").healthy == first.healthy
    progress.keep(first)
    progress.forget(made)
    assert progress.of(made).healthy == first.healthy
    assert (progress.of(made).behind, progress.of(made).runs) == ((), 0)


def test_another_exercise_at_the_same_place_has_a_page_of_its_own(made: Copy) -> None:
    progress.keep(progress.after(progress.of(made), attempt("size-1-array"), "1"))
    other = replace(made, bugs=made.bugs[:1])
    assert progress.of(other).runs == 0


def test_what_is_mended_in_part_is_kept_until_a_run_tells_more(made: Copy) -> None:
    partly = replace(attempt("size-1-array"), behind=(), partly=("length-mismatch",))
    known = progress.after(progress.of(made), partly, "1")
    progress.keep(known)
    assert progress.of(made).partly == ("length-mismatch",)
    assert progress.after(known, attempt("none.syntax"), "2").partly == ("length-mismatch",)
    assert progress.after(known, attempt("size-1-array"), "3").partly == ()


def test_the_language_of_the_last_copy_is_known_before_its_first_run(made: Copy) -> None:
    assert walk_progress.last_language() == ""
    progress.forget(replace(made, header=replace(made.header, lang="zh")))
    assert walk_progress.last_language() == "zh"
    assert progress.everything() == []


@pytest.mark.parametrize("language", ["zh", "ru"])
def test_the_language_of_a_walk_is_known_to_what_follows(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, language: str
) -> None:
    monkeypatch.setenv("COURSE_STATE", str(tmp_path))
    i18n.activate(language)
    part = lesson.load("ch8-4").parts["pt"]
    walk_progress.keep(part, walk_progress.of(part))
    assert walk_progress.last_language() == language


@pytest.mark.parametrize(
    "damage",
    ["", "{", "[]", "null", '{"format": 1}', '{"format": 2}', "\0" * 99, '{"format": 1, "x": 1}'],
)
def test_a_damaged_page_is_as_good_as_none_and_is_replaced(made: Copy, damage: str) -> None:
    known = progress.after(progress.of(made), attempt("length-mismatch"), "1")
    progress.keep(known)
    (page,) = (paths.state() / "progress").iterdir()
    page.write_text(damage)
    assert progress.of(made).runs == 0
    assert progress.everything() == []
    assert progress.keep(known)
    assert progress.of(made) == known


def test_where_nothing_can_be_written_what_was_known_stands(
    made: Copy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COURSE_STATE", "/proc/nowhere")
    assert not progress.keep(progress.after(progress.of(made), attempt("size-1-array"), "1"))
    assert progress.of(made).runs == 0


def one_run_more(made: Copy) -> None:
    known = progress.of(made)
    progress.keep(replace(known, runs=known.runs + 1, behind=("missing-input-ids",) * 40))


def test_progress_survives_kill_9_at_every_write(made: Copy) -> None:
    assert progress.keep(replace(progress.of(made), runs=1))
    runs, deaths = set(), 0
    for _instant in killed_at_each_instant(lambda: one_run_more(made)):
        known = progress.of(made)
        runs.add(known.runs)
        assert known in progress.everything()
        progress.keep(replace(known, runs=1, behind=()))
        deaths += 1
    assert runs == {1, 2}
    assert deaths > 10
    assert progress.of(made).runs == 2


def test_the_very_first_page_survives_it_too(made: Copy) -> None:
    """With no folder there yet: either nothing is known, or all of it."""
    for _instant in killed_at_each_instant(lambda: one_run_more(made)):
        assert progress.of(made).runs in (0, 1)
        for page in (paths.state() / "progress").glob("*.json"):
            json.loads(page.read_text())
        shutil.rmtree(paths.state(), ignore_errors=True)


def test_reset_loses_no_text_at_any_instant(made: Copy) -> None:
    fresh = made.path.read_bytes()
    mine = fresh + b"# mine, and only mine\n" * 50
    made.path.write_bytes(mine)
    for _instant in killed_at_each_instant(lambda: working_copy.reset(made)):
        backups = [p.read_bytes() for p in made.path.parent.glob("*.bak")]
        now = made.path.read_bytes()
        assert now == mine or (now == fresh and mine in backups)
        made.path.write_bytes(mine)
        for backup in made.path.parent.glob("*.bak"):
            backup.unlink()
    assert made.path.read_bytes() == fresh
