import os
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from course.base import paths
from course.runs import process, warm_pool
from course.runs.environment.runtime import Runtime
from course.runs.process import Job, Run
from course.runs.warm_pool import Warm


@pytest.fixture
def apart(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """Warm processes of this test's own, ended after it; the folder they live in."""
    monkeypatch.setenv("COURSE_CACHE", str(tmp_path_factory.mktemp("cache")))
    # Not the test's own folder: the names of sockets must be short.
    top = tempfile.mkdtemp()
    monkeypatch.setenv("XDG_RUNTIME_DIR", top)
    folder = paths.private()
    yield folder
    with monkeypatch.context() as patched:
        # A test that stopped a process in its tracks may have left it there.
        patched.setattr(warm_pool, "ANSWER", 1.0)
        patched.setattr(paths, "private", lambda: folder)
        with suppress(OSError):
            warm_pool.stop()
    for pid in waiting(folder):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    shutil.rmtree(top)


WARM: Warm | None = None
"""Where the runs of `each_start` find a warm process."""


@pytest.fixture(
    params=[
        "cold",
        pytest.param("fork", marks=pytest.mark.live),
        pytest.param("spare", marks=pytest.mark.live),
    ]
)
def each_start(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, bare: Runtime
) -> str:
    """Have runs begin `cold`, from a `fork`, and from a `spare` interpreter."""
    global WARM
    WARM = None
    if request.param != "cold":
        request.getfixturevalue("apart")
        monkeypatch.setenv("COURSE_WARM", request.param)
        WARM = Warm(bare, ("json",))
    if request.param == "spare":
        # The first run begins from cold, and has a spare made for the second.
        assert not process.run(bare, Job("pass"), environment={}, warm=WARM).warm
    return str(request.param)


def run_each(runtime: Runtime, job: Job, **options: Any) -> Run:
    """Run a job as `each_start` has it."""
    if os.environ.get("COURSE_WARM") == "spare":
        wait_for(lambda: list(paths.private().glob("*.spare")))
    done = process.run(runtime, job, environment={}, warm=WARM, **options)
    assert done.warm == (WARM is not None)
    return done


def waiting(folder: Path) -> list[int]:
    """Find the warm processes that live in a folder, without those in which a run is under way."""
    found = {}
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            words = (entry / "cmdline").read_bytes().split(b"\0")
            if {b"--warm", b"--standby"} & {*words} and Path(os.readlink(entry / "cwd")) == folder:
                found[int(entry.name)] = parent(int(entry.name))
    # A child that has just been forked looks like its server.
    return [pid for pid, above in found.items() if above not in found and alive(pid)]


def parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])


def alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    # A zombie waits for its parent only; it does nothing any more.
    return stat.rsplit(")", 1)[1].split()[0] != "Z"


def wait_for(condition: Callable[[], object], seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def noted_in(path: Path) -> int:
    """Read the process id that a script writes down there, once it has."""
    wait_for(lambda: path.exists() and path.read_text().endswith("\n"))
    return int(path.read_text())


def gone(noted: Path) -> bool:
    """Whether the process noted down ends soon: a signal sent is not yet a signal arrived."""
    deadline = time.monotonic() + 10
    while alive(int(noted.read_text())):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def sleeper(noted: Path) -> str:
    """Write a script that writes down its process id and then does nothing for a long time."""
    note = f"open({str(noted)!r}, 'w').write(f'{{os.getpid()}}\\n')"
    return f"import os, time\n{note}\ntime.sleep(600)\n"


def interrupt_once(noted: Path) -> None:
    """Interrupt this process, from a thread, once a script has written its process id there."""

    def interrupt() -> None:
        noted_in(noted)
        signal.raise_signal(signal.SIGINT)

    threading.Thread(target=interrupt).start()
