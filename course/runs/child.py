"""A process that does one run, however it came to be."""

import abc
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course.base import paths


class ProcessLost(Exception):
    """The process is gone for a reason that is not the script's, and what it did with it."""


@dataclass(frozen=True)
class Request:
    """One run: the order for the probe, and what the process begins with.

    One that `hears` has our own standard input, as far as that is no terminal.
    """

    job: Path
    folder: Path
    output: Path
    environment: Mapping[str, str]
    beside: str | None = None
    processes: int = 0
    hears: bool = False


class Child(abc.ABC):
    """A run under way; `exit` is its status, or minus the number of a signal, once it is over."""

    exit: int | None = None

    @abc.abstractmethod
    def wait(self, seconds: float) -> bool:
        """Wait for the end, but no longer than this; whether it is over.

        Raises:
            ProcessLost: the process is gone through no fault of the script.

        """

    def interrupt(self) -> None:
        """Tell the process and all it has started that Ctrl-C was pressed; or just stop them."""
        self.end()

    @abc.abstractmethod
    def end(self) -> None:
        """Stop the process and all it has started, also what outlived it. Safe to call twice."""


class ColdChild(Child):
    """A process of its own, which has all its imports before it."""

    def __init__(self, python: str, request: Request) -> None:
        with request.output.open("ab") as sink:
            self._process = subprocess.Popen(
                [python, *_launcher(request.processes), str(paths.probe()), str(request.job)],
                cwd=request.folder,
                env=dict(request.environment),
                stdin=None if request.hears and not _is_terminal() else subprocess.DEVNULL,
                stdout=sink,
                stderr=sink,
                **own_group(),
            )

    def wait(self, seconds: float) -> bool:
        """Wait for the process; it can't be lost, since it is ours."""
        with suppress(subprocess.TimeoutExpired):
            self.exit = self._process.wait(seconds)
        return self.exit is not None

    def interrupt(self) -> None:
        """Send the signal of Ctrl-C; on Windows there is none for a group of its own."""
        if sys.platform != "win32" and self._process.poll() is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGINT)

    def end(self) -> None:
        """Stop the process and what it has started."""
        kill_tree(self._process.pid, gone=self._process.poll() is not None)
        self.exit = self._process.wait()


def _launcher(processes: int) -> list[str]:
    """Return the options of `accelerate launch`, all questions answered; none for 0 processes.

    See https://huggingface.co/docs/accelerate/basic_tutorials/launch. `--multi_gpu` is its name for
    several processes; that these are to stay on the CPU stands in the environment.
    """
    if not processes:
        return []
    # accelerate before 1.1 takes 0 for a port, and its processes wait for each other.
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    options = {"num_processes": processes, "num_machines": 1, "main_process_port": port}
    named = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    defaults = ["--multi_gpu", "--mixed_precision", "no", "--dynamo_backend", "no"]
    return ["-m", "accelerate.commands.launch", *defaults, *named]


def inherited() -> dict[str, str]:
    """Our own environment, less what would change how the interpreter starts."""
    return {**unchanged(), "TOKENIZERS_PARALLELISM": "false"}


def unchanged() -> dict[str, str]:
    """Our own environment as it is, but that what is printed is heard at once and can be read."""
    left_out = ("PYTHONSTARTUP", "PYTHONSAFEPATH")
    kept = {k: v for k, v in os.environ.items() if k not in left_out}
    return {**kept, "PYTHONIOENCODING": "utf-8", "PYTHONUNBUFFERED": "1"}


def _is_terminal() -> bool:
    """Whether our standard input is a terminal, or is not there at all."""
    try:
        return sys.stdin is None or os.isatty(sys.stdin.fileno())
    except (OSError, ValueError):
        return True


def own_group() -> dict[str, Any]:
    """Return the options for a process group, so that all the run starts can stop together."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def kill_tree(pid: int, *, gone: bool = False) -> None:
    """Stop a process and all it has started, also what outlived it. Safe to call twice."""
    if sys.platform == "win32":
        if not gone:
            subprocess.run(
                ["taskkill", "/T", "/F", "/PID", str(pid)], capture_output=True, check=False
            )
    else:
        # The group outlives its leader for as long as one of its members runs.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
