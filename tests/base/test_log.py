"""The log: a file for each process, made when there is something to tell, and never too large."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from course.base import log, paths
from tests.command import CLEAN, ROOT, python


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COURSE_CACHE", str(tmp_path))
    return tmp_path / "logs"


def fail(name: str, what: str) -> None:
    """Log an exception."""
    try:
        raise ZeroDivisionError(what)
    except ZeroDivisionError:
        log.logger(name).exception("failed at %s", what)


def test_nothing_is_written_until_something_is_logged(folder: Path) -> None:
    log.logger("here")
    assert log.file() is None
    assert not folder.exists()
    fail("here", "one")
    (written,) = folder.iterdir()
    assert log.file() == written


@pytest.mark.live
def test_a_record_tells_where_and_when_and_the_terminal_stays_quiet(folder: Path) -> None:
    work = r"from tests.base.test_log import fail; fail('here', '\u4e00 \udc80')"
    done = python("-c", work, COURSE_CACHE=str(folder.parent))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    text = next(folder.iterdir()).read_text("utf-8")
    assert f"python {sys.version}" in text
    assert "ERROR course.here [MainThread]: failed at 一 \\udc80" in text
    assert "ZeroDivisionError: 一" in text
    assert "Traceback (most recent call last)" in text


def test_another_cache_folder_has_another_log(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail("here", "one")
    monkeypatch.setenv("COURSE_CACHE", str(tmp_path / "other"))
    assert log.file() is None
    fail("here", "two")
    assert paths.cache() / "logs" == log.file().parent  # type: ignore[union-attr]
    assert "two" not in next(folder.iterdir()).read_text("utf-8")


def test_a_log_that_cannot_be_written_breaks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("COURSE_CACHE", str(tmp_path / "file"))
    fail("here", "one")
    assert log.file() is None
    assert capfd.readouterr() == ("", "")


@pytest.mark.live
def test_threads_and_processes_lose_no_record(folder: Path) -> None:
    work = (
        "import threading; from tests.base.test_log import fail\n"
        "work = lambda: [fail('x', i) for i in range(25)]\n"
        "for n in range(4): threading.Thread(target=work).start()"
    )
    command = [sys.executable, "-c", work]
    env = {**CLEAN, "COURSE_CACHE": str(folder.parent)}
    started = [subprocess.Popen(command, cwd=ROOT, env=env) for _ in range(2)]
    assert [each.wait() for each in started] == [0, 0]
    texts = [each.read_text("utf-8") for each in folder.iterdir()]
    assert [text.count("\nZeroDivisionError: ") for text in texts] == [100, 100]


def test_old_files_go_and_no_file_grows_without_end(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "LARGEST", 10_000)
    folder.mkdir()
    for number in range(2 * log.FILES):
        (folder / f"20200101-{number:06}-1.log").touch()
    (folder / "runtime-pt.log").touch()
    with ThreadPoolExecutor(4) as executor:
        list(executor.map(lambda n: fail("here", str(n)), range(200)))
    left = sorted(each.name for each in folder.iterdir())
    assert "runtime-pt.log" in left
    assert "20200101-000000-1.log" not in left
    assert len(left) <= log.FILES + 3
    own = log.file()
    assert own is not None
    both = [own, own.with_name(f"{own.name}.1")]
    assert all(0 < each.stat().st_size <= 10_000 for each in both)
    assert "\nZeroDivisionError: " in own.read_text("utf-8")
