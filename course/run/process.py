"""Run a script under a runtime, in a folder of its own, and read what its probe reports."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course import paths
from course.run.record import RunRecord, Status, parse
from course.run.runtime import Runtime

TIMEOUT = 600.0
"""Seconds after which a run is stopped, unless the user says otherwise."""
OUTPUT_CAP = 64 * 2**20
"""Bytes that a run may print before it is stopped."""
POLL = 0.03
"""Seconds between two looks at a running process: short against what a person notices."""
SHOWN = 4000
"""Characters of a run's own output that are kept: its end, where the trouble is."""

_running: set[subprocess.Popen[bytes]] = set()

Listener = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Run:
    """A run that is over: its record, the lines it was read from, the end of its output."""

    record: RunRecord
    lines: tuple[str, ...]
    output: str


def run(
    runtime: Runtime,
    script: str,
    *,
    environment: Mapping[str, str],
    looks: tuple[str, ...] = (),
    device: str = "cpu",
    timeout: float = TIMEOUT,
    listen: Listener | None = None,
) -> Run:
    """Run the text of a script to its end, and the looks after it; never raises for its faults.

    Args:
        runtime: the interpreter.
        script: the text of the script; it runs as `exercise.py` in an empty folder.
        environment: variables to set on top of this process's own.
        looks: code to evaluate in the namespace the script leaves behind.
        device: `cpu`, or `cuda` where the runtime has it.
        timeout: seconds for the script and its looks together.
        listen: called with each event of the run record as it comes in.

    Raises:
        KeyboardInterrupt: passed on, once the run's whole process tree is gone.
        OSError: no process, or no folder to run it in, could be made.

    """
    folder = Path(tempfile.mkdtemp(prefix="course-run-"))
    try:
        target, journal = folder / "run" / "exercise.py", folder / "journal.jsonl"
        target.parent.mkdir()
        target.write_text(script, encoding="utf-8", newline="\n")
        journal.touch()
        order = {"script": str(target), "journal": str(journal), "looks": list(looks)}
        (folder / "job.json").write_text(json.dumps(order))
        output = folder / "output"
        with output.open("wb") as sink:
            process = _start(runtime, folder, sink.fileno(), {**environment, **_device(device)})
            _running.add(process)
            try:
                status, lines = _follow(process, journal, output, timeout, listen)
            finally:
                _end(process)
                _running.discard(process)
        said = output.read_bytes()[-SHOWN:].decode("utf-8", "replace")
        return Run(parse(lines, status, process.returncode), tuple(lines), said)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def stop_all() -> None:
    """Stop every run that is under way in any thread; each then returns as one that died."""
    for process in list(_running):
        _end(process)


def _device(device: str) -> dict[str, str]:
    """Keep the run off every accelerator but the one asked for.

    Apple's GPU is never chosen: a label out of range may raise nothing there, and the lesson
    would show a fault that does not bite.
    """
    if device == "cuda":
        return {}
    return {"ACCELERATE_USE_CPU": "1", "CUDA_VISIBLE_DEVICES": ""}


def _start(
    runtime: Runtime, folder: Path, sink: int, environment: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    inherited = {
        k: v for k, v in os.environ.items() if k not in ("PYTHONSTARTUP", "PYTHONSAFEPATH")
    }
    quiet = {
        "PYTHONIOENCODING": "utf-8",
        "PYTHONUNBUFFERED": "1",
        "TOKENIZERS_PARALLELISM": "false",
        **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder)),
    }
    return subprocess.Popen(
        [runtime.python, str(paths.probe()), str(folder / "job.json")],
        cwd=folder / "run",
        env={**inherited, **quiet, **environment},
        stdin=subprocess.DEVNULL,
        stdout=sink,
        stderr=sink,
        **_own_group(),
    )


def _own_group() -> dict[str, Any]:
    """A process group of its own, so that all the run has started can be stopped together."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def _follow(
    process: subprocess.Popen[bytes],
    journal: Path,
    output: Path,
    timeout: float,
    listen: Listener | None,
) -> tuple[Status | None, list[str]]:
    """Read the journal while the process runs; why it was stopped, if it was, and the lines."""
    deadline = time.monotonic() + timeout
    lines: list[str] = []
    status: Status | None = None
    with journal.open(encoding="utf-8", errors="replace") as stream:
        rest = ""
        over = False
        while not over:
            over = process.poll() is not None
            rest += stream.read()
            *whole, rest = rest.split("\n")
            for line in whole:
                lines.append(line)
                if listen is not None:
                    # The script could have written here too; a strange line is no reason to stop.
                    with suppress(ValueError, KeyError, TypeError):
                        listen(json.loads(line))
            if over:
                break
            if time.monotonic() > deadline:
                status = "time-limit"
            elif output.stat().st_size > OUTPUT_CAP:
                status = "output-limit"
            if status:
                break
            with suppress(subprocess.TimeoutExpired):
                process.wait(POLL)
    return status, lines


def _end(process: subprocess.Popen[bytes]) -> None:
    """Stop the process and all it has started, also what outlived it. Safe to call twice."""
    if sys.platform == "win32":
        if process.poll() is None:
            subprocess.run(
                ["taskkill", "/T", "/F", "/PID", str(process.pid)], capture_output=True, check=False
            )
    else:
        # The group outlives its leader for as long as one of its members runs.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
