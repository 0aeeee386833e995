"""What a grader costs: wall time, CPU seconds and memory of all its processes, and what of that is
the submissions' own: their training, and the time in which the hanging ones hang.
"""

import ctypes
import json
import os
import resource
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import psutil

from grading.submissions import WAITING

T = TypeVar("T")
SUBREAPER = 36
"""`PR_SET_CHILD_SUBREAPER` of prctl(2): processes that lose their parent become ours."""
PAUSE = 0.25


@dataclass(frozen=True)
class Cost:
    """Seconds and MB. `training` and `hanging` are sums over the submissions."""

    wall: float
    cpu: float
    training_cpu: float
    training_wall: float
    hanging_cpu: float
    hanging_wall: float
    memory: float

    @property
    def cpu_beyond(self) -> float:
        """CPU seconds that are the grader's own."""
        return self.cpu - self.training_cpu - self.hanging_cpu

    def wall_beyond(self, jobs: int) -> float:
        """Seconds of the clock that are the grader's own, if `jobs` run side by side."""
        return self.wall - (self.training_wall + self.hanging_wall) / jobs


@dataclass
class Seen:
    """A process as it was last seen; `hung` and `freed` are its CPU and the clock as it hung."""

    cpu: float
    wall: float
    hung: tuple[float, float] | None = None
    freed: tuple[float, float] = (0.0, 0.0)


@dataclass
class Meter:
    """Looks at all descendants of this process while something runs.

    `journal` is what `inside/sitecustomize.py` writes. With a `limit`, a process is killed
    when it has written nothing there for that many seconds.
    """

    journal: Path
    limit: float | None = None
    peak: float = 0.0
    _seen: dict[psutil.Process, Seen] = field(default_factory=dict)
    _over: threading.Event = field(default_factory=threading.Event)

    def measure(self, work: Callable[[], T]) -> tuple[T, Cost]:
        """Do something, and say what it cost."""
        adopt()
        before = _spent()
        began = time.monotonic()
        looking = threading.Thread(target=self._look)
        looking.start()
        try:
            done = work()
            wall = time.monotonic() - began
        finally:
            self._over.set()
            looking.join()
            end_all()
        cpu = _spent() - before
        # What nobody waited for is not in the first figure.
        cpu = max(cpu, sum(p.cpu for p in self._seen.values()))
        return done, Cost(wall, cpu, *self._training(), *self._hanging(), self.peak)

    def _look(self) -> None:
        while not self._over.wait(PAUSE):
            memory = 0.0
            for process in descendants():
                # It may be gone, or closed to us.
                with suppress(psutil.Error):
                    cpu, now = sum(process.cpu_times()[:2]), time.monotonic()
                    seen = self._seen.setdefault(process, Seen(cpu, now))
                    seen.cpu, seen.wall = cpu, now
                    memory += _size(process)
                    if _waits(process.pid):
                        seen.freed = cpu, now
                        seen.hung = seen.hung or seen.freed
            self.peak = max(self.peak, memory)
            self._stop_overdue()

    def _stop_overdue(self) -> None:
        if self.limit is None:
            return
        last = {int(line["pid"]): float(line["wall"]) for line in self._lines()}
        now = time.monotonic()
        for process in descendants():
            if now - last.get(process.pid, now) > self.limit:
                with suppress(psutil.Error):
                    process.kill()

    def _lines(self) -> Iterator[dict[str, float | str]]:
        if self.journal.exists():
            for line in self.journal.read_text().splitlines():
                yield json.loads(line)

    def _hanging(self) -> tuple[float, float]:
        """CPU seconds and seconds of the clock in which submissions hung."""
        hung = [(p.hung, p.freed) for p in self._seen.values() if p.hung is not None]
        return sum(b[0] - a[0] for a, b in hung), sum(b[1] - a[1] for a, b in hung)

    def _training(self) -> tuple[float, float]:
        """CPU seconds and seconds of the clock of all trainings, also of those cut short."""
        cpu = wall = 0.0
        began: dict[int, tuple[float, float]] = {}
        for line in self._lines():
            pid, at = int(line["pid"]), (float(line["cpu"]), float(line["wall"]))
            if line["event"] == "train":
                began[pid] = at
            elif line["event"] == "trained" and pid in began:
                first = began.pop(pid)
                cpu, wall = cpu + at[0] - first[0], wall + at[1] - first[1]
        for process, seen in self._seen.items():
            if process.pid in began:
                first = began.pop(process.pid)
                last = seen.hung or (seen.cpu, seen.wall)
                cpu, wall = cpu + last[0] - first[0], wall + last[1] - first[1]
        return cpu, wall


def adopt() -> None:
    """From now on a process that loses its parent becomes a child of this one."""
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)


def descendants() -> list[psutil.Process]:
    """List all processes below this one."""
    return psutil.Process().children(recursive=True)


def bury() -> None:
    """Wait for those that are dead already; nobody else may be waiting for a child."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def end_all() -> int:
    """Kill and wait for every process that is left; how many were still alive."""
    bury()
    living = len(descendants())
    while left := descendants():
        for process in left:
            with suppress(psutil.Error):
                process.kill()
        time.sleep(0.02)
        bury()
    return living


def _spent() -> float:
    """CPU seconds of all children that were waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _waits(pid: int) -> bool:
    """Whether the process holds the file open by which a hanging submission is known.

    In a sandbox its path is of no file that psutil would find.
    """
    with suppress(OSError):
        opened = Path(f"/proc/{pid}/fd").iterdir()
        return any(os.readlink(each).endswith(f"/{WAITING}") for each in opened)
    return False


def _size(process: psutil.Process) -> float:
    """MB of the process, its part of what it shares with others; all of it where that is closed."""
    try:
        return process.memory_full_info().pss / 2**20
    except psutil.AccessDenied:
        return process.memory_info().rss / 2**20
