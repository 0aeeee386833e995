"""Which limit a run has met is known by what it used up, however late its guard looks."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import ROOT

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="a guard reads /proc"),
    # It waits for the kernel's seconds.
    pytest.mark.live,
]

GUARD = """
import os, resource, signal, sys, time
nap = time.sleep
from course_probe.serve import sandbox_worker as worker

looks = sys.argv[1]
if looks == "late":
    # It comes to look again once the run is over.
    worker.time.sleep = lambda _: os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
else:
    worker.OFTEN = worker.SELDOM = float(looks)
limits = {"wall": 60.0, "cpu": 1.0, "memory": 2**27, "output": 1000, "journal": 1000,
          "processes": 16, "tasks": 256}
opened = {name: os.open(name, os.O_RDWR | os.O_CREAT | os.O_APPEND)
          for name in ("output", "journal.jsonl", "limit", "waits")}
pid = os.fork()
if pid == 0:
    exec(sys.argv[2])
    os._exit(0)
worker._Guard(pid, limits, opened, worker._private(os.getpid())).watch()
"""
LATE, SELDOM, OFTEN = "late", "4", "0.05"
"""Seconds between two looks of a guard, or too late: on a machine with much to do, and else."""
SPINS = "resource.setrlimit(resource.RLIMIT_CPU, (2, 2))\nwhile True: pass"
WRITES = "os.write(opened['output'], bytes(5000))"


def limit_of(place: Path, looks: str, does: str, wall: float = 60.0) -> tuple[str, int]:
    """Return the limit that a guard notes down of a run, and how the run ends itself."""
    guard = GUARD.replace('"wall": 60.0', f'"wall": {wall}')
    command = [sys.executable, "-c", guard, looks, does]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=place, env=environment, check=False, timeout=60)
    return (place / "limit").read_text(), done.returncode


@pytest.mark.parametrize("looks", [LATE, OFTEN])
def test_the_kernel_may_end_a_run_before_its_guard_looks(tmp_path: Path, looks: str) -> None:
    assert limit_of(tmp_path, looks, SPINS) == ("time-limit", -signal.SIGKILL)


def test_a_run_that_ends_by_itself_has_used_up_what_it_has_used_up(tmp_path: Path) -> None:
    ends = "while time.process_time() < 1.5: pass"
    assert limit_of(tmp_path, LATE, ends)[0] == "time-limit"


def test_output_is_too_much_whenever_it_is_looked_at(tmp_path: Path) -> None:
    assert limit_of(tmp_path, LATE, WRITES)[0] == "output-limit"


def test_who_is_killed_for_its_memory_has_met_that_limit(tmp_path: Path) -> None:
    takes = "held = bytearray(b'1') * 2**28\nos.kill(os.getpid(), 9)"
    assert limit_of(tmp_path, LATE, takes) == ("memory-limit", -signal.SIGKILL)


@pytest.mark.parametrize("does", ["pass", "os.kill(os.getpid(), 9)", "nap(1)"])
def test_a_run_that_used_up_nothing_has_met_no_limit(tmp_path: Path, does: str) -> None:
    assert limit_of(tmp_path, OFTEN, does)[0] == ""


def test_seconds_of_the_processor_are_no_seconds_of_waiting(tmp_path: Path) -> None:
    """A guard that looks late, when a run has just gone to sleep, knows that it has worked."""
    does = "while time.process_time() < 0.9: pass\nnap(3)"
    assert limit_of(tmp_path, SELDOM, does, wall=3.9) == ("", 0)
