import os
import subprocess
import sys
from pathlib import Path

import pytest

from course.base import paths


def test_course_cache_names_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_CACHE", str(tmp_path / "缓存"))
    assert paths.cache() == tmp_path / "缓存"
    monkeypatch.setenv("COURSE_CACHE", "~/elsewhere")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert paths.cache() == tmp_path / "elsewhere"


def test_without_a_home_the_cache_lies_among_temporary_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A user id without an entry in the passwd file leaves `~` as it is."""
    monkeypatch.delenv("COURSE_CACHE", raising=False)
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *a, **k: Path("~/.cache/course"))
    assert paths.cache() == paths.temporary()
    assert paths.temporary().is_absolute()


def test_what_ships_is_there() -> None:
    assert (paths.lessons() / "ch8-4" / "lesson.toml").exists()
    assert (paths.lessons() / "hub" / "manifest.json").exists()
    assert paths.probe().exists()
    assert (paths.locales() / "zh").is_dir()


def test_a_working_folder_is_gone_afterwards_and_so_is_what_a_killed_process_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "private", lambda: tmp_path)
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    for pid in (gone.pid, os.getpid()):
        (tmp_path / f"box-{pid}-abc").mkdir()
    (tmp_path / "other").mkdir()
    with paths.working("box") as place:
        assert place.parent == tmp_path
        (place / "file").touch()
    assert sorted(p.name for p in tmp_path.iterdir()) == [f"box-{os.getpid()}-abc", "other"]
