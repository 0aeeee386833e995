"""Rubrics: a teacher's file is read to the word, and what is wrong with it is said."""

import json
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest

from course.base.errors import UserError
from course.grading.rubric import LARGEST, Rubric, from_dict, read
from course.lesson import lesson
from course.runs.sandbox.bubblewrap import JobLimits

FAULTS = {"missing-input-ids", "length-mismatch"}


def reads(tmp_path: Path, text: str, faults: set[str] = FAULTS) -> Rubric:
    path = tmp_path / "rubric.toml"
    path.write_text(text, "utf-8")
    return read(path, faults)


def test_an_empty_rubric_is_ours(tmp_path: Path) -> None:
    assert reads(tmp_path, "format = 1\n") == Rubric()


def test_being_late_and_dates_of_single_students(tmp_path: Path) -> None:
    path = tmp_path / "rubric.toml"
    text = "format = 1\n[late]\nper_day = 0.1\nmost = 0.5\n[extensions]\n"
    path.write_text(
        text + 's01 = 2026-12-05\ns02 = "05.12.2026 18:30"\ns03 = 2026-12-05T08:00:00\n'
    )
    found = read(path, FAULTS, {"s01", "s02", "s03"})
    assert (found.late.per_day, found.late.most) == (0.1, 0.5)
    moments = found.late.extensions.values()
    assert [(d.day, d.hour) for d in moments] == [(5, 23), (5, 18), (5, 8)]
    # Neither is a reason to examine anything anew.
    assert found.digest == Rubric().digest
    assert "late" not in from_dict(found.to_dict()).to_dict()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[late]\nper_day = 10\n", "per_day = 10"),
        ("[late]\na_day = 0.1\n", "a_day"),
        ("[extensions]\ns04 = 2026-12-05\n", "s04"),
        ('[extensions]\ns01 = "soon"\n', "2026-12-01 23:59"),
    ],
)
def test_what_is_wrong_with_them_is_named(text: str, named: str, tmp_path: Path) -> None:
    path = tmp_path / "rubric.toml"
    path.write_text("format = 1\n" + text)
    with pytest.raises(UserError, match=re.escape(named)):
        read(path, FAULTS, {"s01"})


def test_each_word_of_it_holds(tmp_path: Path) -> None:
    rubric = reads(
        tmp_path,
        """
        format = 1
        bug = 2
        healthy = 0
        epochs = 3
        margin = 0.1
        [points]
        length-mismatch = 0.5
        [limits]
        seconds = 20
        cpu_seconds = 40
        memory_mb = 1500
        output_mb = 0x2
        room_mb = 100.5
        processes = 4
        """,
    )
    assert (rubric.of("length-mismatch"), rubric.of("missing-input-ids")) == (0.5, 2)
    assert (rubric.healthy, rubric.epochs, rubric.margin) == (0, 3, 0.1)
    assert rubric.limits == replace(
        JobLimits(),
        wall=20,
        cpu=40,
        memory=1500 * 2**20,
        output=2 * 2**20,
        room=int(100.5 * 2**20),
        processes=4,
    )


@pytest.mark.parametrize(
    ("limits", "wall", "cpu"),
    [
        ("seconds = 20", 20, 20),
        ("seconds = 600", 600, 600),
        ("cpu_seconds = 30\nseconds = 600", 600, 30),
        ("seconds = 600\ncpu_seconds = 30", 600, 30),
        ("cpu_seconds = 30", 180, 30),
    ],
)
def test_seconds_are_those_of_waiting_and_of_the_processor(
    tmp_path: Path, limits: str, wall: float, cpu: float
) -> None:
    found = reads(tmp_path, f"format = 1\n[limits]\n{limits}\n").limits
    assert (found.wall, found.cpu) == (wall, cpu)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "`format` is missing"),
        ("format = 2", "`format` does not accept `2`. Choose one of `1`"),
        ("format = 1\nbugs = 1", "unknown key `bugs`. Did you mean `bug`?"),
        ("format = 1\nlimit = 1", "unknown key `limit`. Did you mean `limits`?"),
        ("format = 1\nbug = -1", "bug = -1"),
        ("format = 1\nbug = true", "`bug` must be of the type `float`"),
        ("format = 1\nbug = '1'", "`bug` must be of the type"),
        ("format = 1\nbug = nan", "bug = nan"),
        ("format = 1\nhealthy = inf", "healthy = inf"),
        ("format = 1\nepochs = [1]", "`epochs` must be of the type"),
        ("format = 1\nmargin = 1000", "margin = 1000"),
        ("format = 1\npoints = 3", "`points` must be of the type `table`"),
        ("format = 1\npoints = [[1]]", "`points` must be of the type"),
        ("format = 1\nlimits = 'none'", "`limits` must be of the type"),
        ("format = 1\n[points]\nnan-loss = 1", "`[points]`: unknown key `nan-loss`"),
        ("format = 1\n[points]\nlength-mismatch = nan", "length-mismatch = nan"),
        ("format = 1\n[limits]\nhours = 1", "`[limits]`: unknown key `hours`"),
        ("format = 1\n[limits]\nseconds = 0", "seconds = 0"),
        ("format = 1\n[limits]\nseconds = nan", "seconds = nan"),
        ("format = 1\n[limits]\nmemory_mb = inf", "memory_mb = inf"),
        ("format = 1\n[limits]\nmemory_mb = 1e300", "memory_mb = 1e+300"),
        ("format = 1\n[limits]\nprocesses = 0.5", "processes = 0.5"),
        (f"format = 1\n[limits]\nroom_mb = {LARGEST + 1}", f"room_mb = {LARGEST + 1}"),
        (
            "format = 1\n[limits]\nseconds = {}",
            "`[limits]`: `seconds` must be of the type",
        ),
        ("format = ", "Invalid value"),
        ("format = " + "9" * 5000, "digits"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(tmp_path: Path, text: str, named: str) -> None:
    with pytest.raises(UserError) as caught:
        reads(tmp_path, text)
    assert "rubric.toml" in str(caught.value)
    assert named in str(caught.value)


def test_a_file_that_cannot_be_read_is_said_to_be_so(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes(b"# \xff\nformat = 1")
    for name, complaint in (
        ("nowhere.toml", "There is no file"),
        (".", "cannot be read"),
        ("latin.toml", "not valid TOML"),
    ):
        with pytest.raises(UserError, match=complaint):
            read(tmp_path / name, FAULTS)


def test_the_lessons_own_figures_hold_where_it_has_none() -> None:
    exam = lesson.load("ch8-4").parts["pt"].exam
    settled = Rubric(margin=0.0).settled(exam)
    assert (settled.epochs, settled.margin) == (exam.epochs, 0.0)
    assert Rubric(epochs=0).settled(exam).epochs == 0
    assert settled.settled(replace(exam, epochs=9, margin=0.9)) == settled


def test_it_can_be_sent_to_another_machine() -> None:
    rubric = Rubric(bug=2, points={"nan-loss": 0.1}, epochs=2, limits=JobLimits(wall=20))
    assert from_dict(json.loads(json.dumps(rubric.to_dict()))) == rubric


def test_any_figure_changes_the_digest_and_their_order_does_not() -> None:
    points = {"a": 1.0, "b": 2.0, "c": 3.0}
    base = Rubric(points=points)
    shuffled = list(points.items())
    random.Random(1).shuffle(shuffled)
    assert Rubric(points=dict(shuffled)).digest == base.digest
    others = [
        replace(base, bug=2),
        replace(base, healthy=2),
        replace(base, points={**points, "a": 9.0}),
        replace(base, epochs=1),
        replace(base, margin=0.0),
        *(replace(base, limits=replace(base.limits, **{name: 7})) for name in vars(base.limits)),
    ]
    assert len({each.digest for each in [base, *others]}) == len(others) + 1
