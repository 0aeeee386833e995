"""Saves are noticed, whatever way an editor has to write a file: real files, real notices."""

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import watchfiles  # noqa: F401 - loaded beforehand, so that a watch is up soon

from course.exercise.watch import file_watcher
from tests.command import CLEAN, ROOT

pytestmark = pytest.mark.live

PAUSE = 0.06
"""Seconds in which a watch comes up, or would have told of a save."""


class Watched:
    """A watch of a file in a thread of its own: what it found in the file at each call."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.texts: list[str | None] = []
        self.stop = threading.Event()
        arguments = (path, self._saved, self.stop, file_watcher.stamp(path))
        self.thread = threading.Thread(target=file_watcher.watch, args=arguments)

    def _saved(self) -> None:
        self.texts.append(self.path.read_text("utf-8") if self.path.exists() else None)

    def found(self, least: int = 1, within: float = 2.5) -> list[str | None]:
        """Return what was found until now, once there were so many calls and no more follow."""
        deadline = time.monotonic() + within
        while len(self.texts) < least and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(PAUSE)
        return self.texts


@contextmanager
def watching(path: Path) -> Iterator[Watched]:
    watched = Watched(path)
    watched.thread.start()
    time.sleep(PAUSE)
    try:
        yield watched
    finally:
        watched.stop.set()
        watched.thread.join(5)
        assert not watched.thread.is_alive()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "урок 课" / "exercise.py"
    file.parent.mkdir()
    file.write_text("old", "utf-8")
    return file


@pytest.fixture
def watched(path: Path) -> Iterator[Watched]:
    with watching(path) as watched:
        yield watched


def test_a_file_written_in_place(path: Path, watched: Watched) -> None:
    path.write_text("new")
    assert watched.found() == ["new"]
    path.write_text("newer")
    assert watched.found(2) == ["new", "newer"]


def test_a_new_file_that_takes_the_name_of_the_old_one(path: Path, watched: Watched) -> None:
    """As PyCharm and VS Code's atomic saves do, and `course fix`."""
    for text in ("new", "newer"):
        other = path.with_name(".exercise.py.new")
        other.write_text(text)
        os.replace(other, path)
        assert watched.found(len(watched.texts) + 1)[-1] == text
    assert watched.texts == ["new", "newer"]


def test_an_old_file_that_is_moved_aside_first(path: Path, watched: Watched) -> None:
    """As Vim does."""
    path.rename(path.with_name("exercise.py~"))
    path.write_text("new")
    path.with_name("exercise.py~").unlink()
    assert watched.found() == ["new"]


def test_a_file_that_goes_and_later_comes_back(path: Path, watched: Watched) -> None:
    path.unlink()
    assert watched.found() == [None]
    path.write_text("new")
    assert watched.found(2) == [None, "new"]


def test_a_file_emptied_first_is_one_save_and_never_empty(path: Path, watched: Watched) -> None:
    with path.open("w") as stream:
        time.sleep(0.1)
        stream.write("new")
    assert watched.found() == ["new"]


def test_a_file_that_stays_empty_is_told_in_the_end(path: Path, watched: Watched) -> None:
    path.write_text("")
    assert watched.found() == [""]


def test_a_burst_of_writes_is_few_saves_and_ends_with_the_last(
    path: Path, watched: Watched
) -> None:
    for i in range(20):
        path.write_text(f"text {i}")
        time.sleep(0.005)
    texts = watched.found()
    assert texts[-1] == "text 19"
    assert len(texts) <= 8


def test_a_save_that_changes_no_text_is_a_save_all_the_same(path: Path, watched: Watched) -> None:
    path.write_text("old")
    assert watched.found() == ["old"]
    path.touch()
    assert watched.found(2) == ["old", "old"]


def test_what_is_no_save_is_not_told(path: Path, watched: Watched) -> None:
    path.read_text()
    path.chmod(0o600)
    (path.parent / "other.py").write_text("x")
    (path.parent / "exercise.py.bak").write_text("x")
    (path.parent / "__pycache__").mkdir()
    (path.parent / "__pycache__" / "exercise.py").write_text("x")
    os.replace(path.parent / "other.py", path.parent / "another.py")
    assert watched.found(within=0.1) == []


@pytest.mark.parametrize("renamed", [False, True], ids=["in place", "renamed"])
def test_a_link_is_saved_where_its_target_is(path: Path, tmp_path: Path, renamed: bool) -> None:
    link = tmp_path / "desk" / "link.py"
    link.parent.mkdir()
    link.symlink_to(path)
    with watching(link) as watched:
        target = path.with_name("new") if renamed else path
        target.write_text("new")
        target.replace(path)
        assert watched.found() == ["new"]


def test_a_link_that_leads_elsewhere_now(path: Path, tmp_path: Path) -> None:
    link, other = tmp_path / "link.py", tmp_path / "other.py"
    link.symlink_to(path)
    other.write_text("other")
    with watching(link) as watched:
        link.unlink()
        link.symlink_to(other)
        assert watched.found() == ["other"]


def test_a_folder_that_goes_and_comes_back(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_watcher, "LOOK", 200)
    with watching(path) as watched:
        shutil.rmtree(path.parent)
        assert watched.found() == [None]
        path.parent.mkdir()
        path.write_text("new")
        assert watched.found(2) == [None, "new"]
        path.write_text("newer")
        assert watched.found(3) == [None, "new", "newer"]


def test_a_file_that_comes_late(tmp_path: Path) -> None:
    with watching(tmp_path / "exercise.py") as watched:
        watched.path.write_text("new")
        assert watched.found() == ["new"]


def test_a_save_while_the_watch_comes_up_is_not_lost(path: Path) -> None:
    seen = file_watcher.stamp(path)
    path.write_text("new")
    stop, saved = threading.Event(), threading.Event()
    thread = threading.Thread(target=file_watcher.watch, args=(path, saved.set, stop, seen))
    thread.start()
    assert saved.wait(2)
    stop.set()
    thread.join(5)


@pytest.mark.parametrize("where", ["there", "no file", "no folder"])
def test_a_watch_ends_at_once(path: Path, where: str) -> None:
    if where == "no file":
        path.unlink()
    elif where == "no folder":
        shutil.rmtree(path.parent)
    with watching(path) as watched:
        watched.stop.set()
        began = time.monotonic()
        watched.thread.join(5)
        assert time.monotonic() - began < file_watcher.LOOK / 2000
        assert watched.texts == []


@pytest.mark.skipif(sys.platform != "linux", reason="notices that take a file handle are Linux's")
def test_where_no_notice_can_be_had_the_file_is_looked_at_in_turn(path: Path) -> None:
    """Without a file handle to spare the system tells of no changes."""
    script = (
        "import os, resource, sys, threading, time\n"
        "from pathlib import Path\n"
        "import watchfiles\n"
        "from course.exercise.watch import file_watcher as saves\n"
        "path, stop, looks = Path(sys.argv[1]), threading.Event(), []\n"
        "saves.LOOK, real = 300, saves.stamp\n"
        "saves.stamp = lambda path: looks.append(1) or real(path)\n"
        "limit = os.dup(0)\n"
        "os.close(limit)\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))\n"
        "saved = lambda: print(len(looks), flush=True) or stop.set()\n"
        "threading.Timer(0.1, lambda: os.utime(path, (0, 0))).start()\n"
        "saves.watch(path, saved, stop, real(path))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)],
        cwd=ROOT, env=CLEAN, capture_output=True, text=True, timeout=10,
    )  # fmt: skip
    assert done.stderr == ""
    assert int(done.stdout) <= 5
