"""The commands around a working copy, up to the point where a framework is needed."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from course.exercise import header, progress, working_copy
from course.lesson import lesson
from tests.command import CLEAN, ROOT, course, listed

pytestmark = pytest.mark.live
"""Each starts the real command, most of them several times."""

COURSE = f"{sys.executable} -m course"
FAULTS = [b.fault for b in lesson.load("ch8-4").parts["pt"].bugs]


def start(folder: Path, *more: str, **variables: str) -> Path:
    done = course("start", "ch8-4", str(folder), "--json", *more, **variables)
    assert done.returncode == 0, done.stderr
    return Path(json.loads(done.stdout)["path"])


@pytest.mark.parametrize("lang", ["en", "zh", "ru"])
def test_start_says_what_to_do_with_it(tmp_path: Path, lang: str) -> None:
    done = course("start", "ch8-4", "--lang", lang, cwd=tmp_path, PYTHONPATH=str(ROOT))
    assert done.returncode == 0
    for command in ("watch", "run", "hint", "fix"):
        assert f"`course {command} ./ch8-4`" in done.stdout
    assert (tmp_path / "ch8-4" / "ch8-4-pt.py").is_file()


@pytest.mark.parametrize(
    ("options", "bugs"),
    [
        ((), FAULTS),
        (("--bugs", "length-mismatch"), FAULTS[1:2]),
        (("--bugs", f"{FAULTS[3]},{FAULTS[0]}"), [FAULTS[0], FAULTS[3]]),
        (("--bugs", "none"), []),
        (("--bugs", ""), []),
    ],
)
def test_start_puts_in_the_bugs_that_were_asked_for(
    tmp_path: Path, options: tuple[str, ...], bugs: list[str]
) -> None:
    text = start(tmp_path, *options).read_text()
    found = header.find(text)
    assert found is not None
    assert found.bugs == tuple(bugs)
    # Whoever opens the file is not told them.
    assert not [fault for fault in FAULTS if fault in text]


def test_a_seed_draws_the_same_bugs_again(tmp_path: Path) -> None:
    first, second = (start(tmp_path / n, "--seed", "7") for n in "ab")
    assert first.read_text() == second.read_text()
    two = header.find(start(tmp_path / "c", "--bugs", "2", "--seed", "7").read_text())
    assert two is not None
    assert two.bugs is not None
    assert len(two.bugs) == 2


def mounted(folder: Path, mount: str, *commands: str) -> subprocess.CompletedProcess[str]:
    """Run shell commands in a folder that something else is mounted at."""
    lines = "; ".join((f"{mount} {folder}", f"cd {folder}", *commands))
    return subprocess.run(
        ["unshare", "-rm", "bash", "-c", lines],
        env={**CLEAN, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
    )  # fmt: skip


def test_an_exercise_on_a_full_disk_is_one_sentence_and_nothing_is_left(tmp_path: Path) -> None:
    done = mounted(
        tmp_path,
        "mount -t tmpfs -o size=8k,nr_inodes=4 none",
        "head -c 9000 /dev/zero > filler 2>/dev/null",
        f"{COURSE} start ch8-4 .; echo status $?; ls -A",
    )
    assert done.stdout == "status 2\nfiller\n"
    assert "There is no space left" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_backup_that_finds_no_room_leaves_the_exercise(tmp_path: Path) -> None:
    done = mounted(
        tmp_path,
        "mount -t tmpfs -o size=16k,nr_inodes=9 none",
        f"{COURSE} start ch8-4 . >/dev/null; echo '# mine' >> ch8-4-pt.py",
        "head -c 99999 /dev/zero > filler 2>/dev/null",
        f"{COURSE} reset .; echo status $?; tail -n 1 ch8-4-pt.py; ls -A",
    )
    assert done.stdout == "status 2\n# mine\nch8-4-pt.py\nfiller\n"
    assert "There is no space left" in done.stderr


def test_list_shows_how_far_one_has_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = str(tmp_path / "state")
    path = start(tmp_path / "mine", COURSE_STATE=state)
    assert listed("ch8-4", COURSE_STATE=state)["exercises"] == []
    monkeypatch.setenv("COURSE_STATE", state)
    known = progress.of(working_copy.read(path))
    progress.keep(replace(known, behind=known.bugs[:3], runs=9, updated="2026"))
    (exercise,) = listed("ch8-4", COURSE_STATE=state)["exercises"]
    assert (exercise["behind"], exercise["runs"], exercise["healthy"]) == (FAULTS[:3], 9, None)
    assert "●●●○  3 of 4 bugs fixed" in course("list", COURSE_STATE=state).stdout
    assert "###." in course("list", COURSE_STATE=state, PYTHONIOENCODING="ascii").stdout


def test_runtime_stop_says_so_where_nothing_runs(tmp_path: Path) -> None:
    done = course("runtime", "stop", COURSE_CACHE=str(tmp_path))
    assert (done.returncode, done.stdout) == (0, "0 warm runtimes ended.\n")


@pytest.mark.parametrize("command", [("reset", "."), ("start", "ch8-4", "new")])
def test_a_folder_that_cannot_be_written_is_one_sentence(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    path = start(tmp_path)
    fresh = path.read_text()
    mount = f"mount --bind {tmp_path} {tmp_path} && mount -o remount,ro,bind"
    done = mounted(tmp_path, mount, f"{COURSE} {' '.join(command)}; echo status $?")
    assert done.stdout == "status 2\n", done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "cannot be written" in done.stderr
    assert path.read_text() == fresh
