"""Warm runtimes, as seen from outside: found, started, asked for a run, stopped.

What they do is in `course_probe/serve/warm.py` (a server that forks a child for each run) and
`course_probe/serve/standby.py` (where there is no fork: an interpreter that waits for one run).
"""

import contextlib
import hashlib
import json
import os
import secrets
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import course
from course.base import files, paths
from course.base.i18n import N_, _
from course.runs.child import Child, ProcessLost, Request, inherited, kill_tree, own_group
from course.runs.environment.runtime import Runtime

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

IDLE = 600.0
"""Seconds without work after which a warm runtime leaves; `COURSE_IDLE` sets another number."""
START = 120.0
"""Seconds that the imports may take."""
AGAIN = 600.0
"""Seconds before a start that failed is tried once more."""
ANSWER = 30.0
"""Seconds within which a runtime that is there answers a request."""
READ_AT_IMPORT = (
    "ACCELERATE_", "ARROW_", "CUDA_", "DATASETS_", "EVALUATE_", "HF_", "HOME", "HUGGINGFACE_",
    "KERAS_", "KMP_", "LANG", "LC_", "LD_", "DYLD_", "MKL_", "NUMEXPR_", "NUMPY_", "OMP_",
    "OPENBLAS_", "PYTHON", "PYTORCH_", "TF_", "TOKENIZERS_", "TORCH", "TQDM_",
    "TRANSFORMERS_", "USE_", "XDG_CACHE_HOME", "XLA_",
)  # fmt: skip
"""How the names of variables begin that Python or the libraries read when they are loaded."""
STARTS_COLD = N_(
    "The runs start without a warm runtime (a process that has loaded the libraries): {reason}."
)


class Unavailable(Exception):
    """No warm runtime can be had; says why, in a sentence for the user, or nothing."""


@dataclass(frozen=True)
class Warm:
    """Where warm processes of a runtime are found, and what they have imported.

    `began` is called when one is started, before the wait for its imports.
    """

    runtime: Runtime
    modules: tuple[str, ...]
    began: Callable[[], None] = lambda: None

    def start(self, request: Request) -> Child:
        """Have a run begin in a warm process, started if there is none.

        Raises:
            Unavailable: none can be had, or this run can't begin in one.

        """
        if kind() == "off":
            raise Unavailable
        try:
            folder = paths.private()
        except OSError as error:
            raise Unavailable(_(STARTS_COLD).format(reason=error)) from error
        fingerprint = _fingerprint(self.runtime, self.modules, request.environment)
        offer = _WarmRequest(self, folder, fingerprint, request)
        return offer.fork() if kind() == "fork" else offer.spare()


def kind() -> str:
    """How a warm process gives rise to a run: `fork`, or `spare` where forking is not safe.

    macOS has a fork, but its system libraries may not be used after it; Windows has none.
    `COURSE_WARM` names another one, or `off`.
    """
    return os.environ.get("COURSE_WARM") or ("fork" if sys.platform == "linux" else "spare")


def stop(framework: str = "") -> int:
    """End every warm process of this user, or those of one framework; how many there were.

    One that is still at its imports leaves when it has done with them.
    """
    try:
        folder = paths.private()
        (folder / "stop").touch()
    except OSError:
        # Where none can lie, none is.
        return 0
    ended = 0
    prefix = f"{framework}-" if framework else ""
    for path in folder.glob(f"{prefix}*.sock"):
        try:
            line = WarmConnection(path)
        except OSError:
            # Nobody is there: a crash left the name behind.
            path.unlink(missing_ok=True)
            continue
        with contextlib.closing(line), contextlib.suppress(OSError, ProcessLost):
            line.send({"do": "stop"})
            ended += line.read(ANSWER) is not None
            # It is gone when it has hung up.
            line.read(ANSWER)
    for entry in folder.glob(f"{prefix}*.spare"):
        with contextlib.suppress(OSError, EOFError, ValueError, KeyError):
            _connected(_take(entry)).send_bytes(b'{"do": "stop"}')
            ended += 1
    return ended


def _fingerprint(runtime: Runtime, modules: tuple[str, ...], environment: Mapping[str, str]) -> str:
    """Return a digest for a warm process: interpreter, packages, program version, variables."""
    variables = sorted((k, v) for k, v in environment.items() if k.startswith(READ_AT_IMPORT))
    probe = [_stamp(p) for p in sorted(paths.probe().parent.rglob("*.py"))]
    packages = [_stamp(e) for folder in runtime.site for e in _distributions(Path(folder))]
    parts = [course.__version__, _stamp(Path(os.path.realpath(runtime.python))), modules]
    key = json.dumps([*parts, variables, probe, packages])
    return hashlib.sha256(key.encode()).hexdigest()


def _distributions(folder: Path) -> list[Path]:
    """Return the entries that change when a package is installed, upgraded or removed."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    return [folder / n for n in names if n.endswith((".dist-info", ".egg-info", ".pth"))]


def _stamp(path: Path) -> tuple[str, int, int]:
    try:
        found = path.stat()
    except OSError:
        # Just removed, or a link that leads nowhere.
        return str(path), 0, 0
    return str(path), found.st_mtime_ns, found.st_size


@dataclass(frozen=True)
class _WarmRequest:
    """One request, and all it takes to find somebody for it, by the files in `folder`."""

    warm: Warm
    folder: Path
    fingerprint: str
    request: Request

    def _file(self, suffix: str) -> Path:
        # Not its real path: that is the same for every environment made from one Python.
        runtime = self.warm.runtime
        key = hashlib.sha256(os.path.abspath(runtime.python).encode()).hexdigest()[:8]
        return self.folder / f"{runtime.framework}-{key}{suffix}"

    def fork(self) -> Child:
        """Fork a child from the runtime's server, which is started if need be."""
        path = self._file(".sock")
        for _attempt in range(3):
            with contextlib.suppress(OSError, ProcessLost):
                return self._asked(WarmConnection(path))
            self._start_server(path)
        raise self._failed()

    def _asked(self, line: "WarmConnection") -> Child:
        """Return the answer to the request; a server of another environment makes way for a new."""
        try:
            line.send(self._message())
            answer = line.read(ANSWER)
            if answer is not None and "pid" in answer:
                return Forked(line, int(answer["pid"]))
        except BaseException:
            line.close()
            raise
        line.close()
        if answer is None:
            # It is there, but stands still; another attempt would take as long.
            raise self._failed()
        if "shadowed" in answer:
            raise Unavailable
        raise ProcessLost

    def _message(self) -> dict[str, Any]:
        return {
            "do": "run",
            "fingerprint": self.fingerprint,
            "job": str(self.request.job),
            "folder": str(self.request.folder),
            "output": str(self.request.output),
            "environment": dict(self.request.environment),
            "beside": self.request.beside,
        }

    def _start_server(self, path: Path) -> None:
        """Start the server and wait until it listens; one at a time, whoever asks."""
        from filelock import FileLock, Timeout

        try:
            with FileLock(self._file(".lock"), timeout=START, poll_interval=0.05):
                # Somebody else may have started it while we waited for our turn.
                if not _answers(path):
                    self._start_server_alone(path)
        except Timeout as error:
            # Who is starting it stands still: stopped with Ctrl-Z, say.
            raise self._failed() from error

    def _start_server_alone(self, path: Path) -> None:
        self._expect_no_failure()
        self.warm.began()
        before = _inode(path)
        process = self._launch("--warm", {"socket": str(path)})
        deadline = time.monotonic() + START
        while _inode(path) in (before, None):
            if process.poll() == 0:
                # It was told to stop while it was at its imports.
                raise Unavailable
            if process.poll() is not None or time.monotonic() > deadline:
                kill_tree(process.pid, gone=process.poll() is not None)
                if process.returncode is not None and process.returncode < 0:
                    # Somebody killed it, which says nothing about the next one.
                    return
                files.write(self._file(".failed"), self.fingerprint.encode())
                raise self._failed()
            time.sleep(0.02)

    def spare(self) -> Child:
        """Return an interpreter that waited; a next one is started for the next run."""
        for entry in self.folder.glob(self._file("-*.spare").name):
            with contextlib.suppress(OSError, ValueError, KeyError, EOFError):
                filed = _take(entry)
                connection = _connected(filed)
                if filed["fingerprint"] != self.fingerprint:
                    connection.send_bytes(b'{"do": "stop"}')
                    continue
                connection.send_bytes(json.dumps(self._message()).encode())
                _expect_word(connection)
                answer = json.loads(connection.recv_bytes())
                with contextlib.suppress(Unavailable):
                    self._start_spare()
                if "shadowed" in answer:
                    raise Unavailable
                return _Standby(connection, int(answer["pid"]))
        self._expect_no_failure()
        self.warm.began()
        self._start_spare()
        raise Unavailable

    def _start_spare(self) -> None:
        name = f"-{os.getpid()}-{time.monotonic_ns()}.spare"
        key = secrets.token_hex(32)
        self._launch("--standby", {"file": str(self._file(name)), "key": key})

    def _launch(self, mode: str, order: dict[str, Any]) -> "subprocess.Popen[bytes]":
        """Start a process that imports the modules and then waits."""
        idle = IDLE
        with contextlib.suppress(ValueError):
            idle = float(os.environ.get("COURSE_IDLE") or IDLE)
        full = order | {
            "fingerprint": self.fingerprint,
            "modules": self.warm.modules,
            "idle": idle,
            "stop": str(self.folder / "stop"),
        }
        # Not the run's own folder for temporary files, which is gone before long.
        kept = {k: v for k, v in inherited().items() if k in ("TMPDIR", "TEMP", "TMP")}
        environment = {
            k: v for k, v in self.request.environment.items() if k not in ("TMPDIR", "TEMP", "TMP")
        }
        with self._file(".log").open("wb") as log:
            process = subprocess.Popen(
                [self.warm.runtime.python, str(paths.probe()), mode],
                cwd=self.folder,
                env=environment | kept,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                **own_group(),
            )
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError), process.stdin as order_book:
            order_book.write(json.dumps(full).encode())
        return process

    def _expect_no_failure(self) -> None:
        """Make sure that a start has not failed lately in this very environment.

        Raises:
            Unavailable: it has.

        """
        failed = self._file(".failed")
        with contextlib.suppress(OSError):
            recent = time.time() - failed.stat().st_mtime < AGAIN
            if recent and failed.read_text() == self.fingerprint:
                raise Unavailable

    def _failed(self) -> Unavailable:
        log = self._file(".log")
        return Unavailable(_(STARTS_COLD).format(reason=f"`{log}`"))


def _inode(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except OSError:
        return None


def _answers(path: Path) -> bool:
    """Whether a server listens there: a crash leaves a name behind that nobody answers to."""
    try:
        WarmConnection(path).close()
    except OSError:
        return False
    return True


def _take(entry: Path) -> dict[str, Any]:
    """Take up an offer: the file can be renamed only once.

    Raises:
        OSError: somebody else was faster.

    """
    taken = entry.rename(entry.with_suffix(f".taken-{os.getpid()}"))
    filed: dict[str, Any] = json.loads(taken.read_text())
    taken.unlink()
    return filed


def _connected(filed: dict[str, Any]) -> "Connection[Any, Any]":
    """Connect to a spare. The file is its user's own, and so is the key that lies in it.

    Raises:
        OSError: it is gone, or does not answer.

    """
    from multiprocessing.connection import Client, answer_challenge, deliver_challenge

    connection = Client(filed["address"])
    # What `Client` does with a key, which would wait for ever.
    _expect_word(connection)
    key = bytes.fromhex(filed["key"])
    answer_challenge(connection, key)
    deliver_challenge(connection, key)
    return connection


def _expect_word(connection: "Connection[Any, Any]") -> None:
    """Wait until something can be read.

    Raises:
        OSError: nothing came in time.

    """
    if not connection.poll(ANSWER):
        connection.close()
        raise TimeoutError


class WarmConnection:
    """A connection to a server: a line of JSON each way."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._buffer = b""
        try:
            self._socket.settimeout(ANSWER)
            self._socket.connect(str(path))
        except BaseException:
            self._socket.close()
            raise

    def send(self, message: dict[str, Any]) -> None:
        """Send a message."""
        self._socket.sendall(json.dumps(message).encode() + b"\n")

    def read(self, seconds: float) -> dict[str, Any] | None:
        """Read the next message; None where none came in time, or where it makes no sense.

        Raises:
            ProcessLost: the server has hung up.

        """
        deadline = time.monotonic() + seconds
        while b"\n" not in self._buffer:
            left = deadline - time.monotonic()
            if left < 0 or not select.select([self._socket], [], [], left)[0]:
                return None
            try:
                data = self._socket.recv(4096)
            except OSError as error:
                raise ProcessLost from error
            if not data:
                raise ProcessLost
            self._buffer += data
        line, self._buffer = self._buffer.split(b"\n", 1)
        message = json.loads(line)
        return message if isinstance(message, dict) else None

    def hang_up(self) -> None:
        """Tell the server that nobody waits any more; its last word can still be read."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """Hang up."""
        self._socket.close()


class Forked(Child):
    """A child of the server. It is the server that ends it, since it alone knows it by number.

    `kill` is false where its number means nothing here, as it has process numbers of its own.
    It may be ended from another thread than the one that waits for it, so only one of them at a
    time reads what the server has to say.
    """

    def __init__(self, line: WarmConnection, pid: int, *, kill: bool = True) -> None:
        self._line: WarmConnection | None = line
        self._pid = pid
        self._kill = kill
        self._reading = threading.RLock()

    def wait(self, seconds: float) -> bool:
        """Wait for the end, which the server tells.

        Raises:
            ProcessLost: the server is gone.

        """
        with self._reading:
            if self._line is None:
                return True
            try:
                message = self._line.read(seconds)
            except ProcessLost:
                self._lose()
                raise
            if message is not None:
                self.exit = int(message["exit"])
                self._line.close()
                self._line = None
            return self._line is None

    def end(self) -> None:
        """Have the server end the child, and wait until it has."""
        line = self._line
        if line is not None:
            line.hang_up()
            with self._reading, contextlib.suppress(ProcessLost):
                if not self.wait(ANSWER):
                    self._lose()

    def _lose(self) -> None:
        """Give up the lost server: its child dies with it, but what the child started may not."""
        if self._line is not None:
            self._line.close()
            self._line = None
            if self._kill:
                kill_tree(self._pid)


def _is_gone(pid: int) -> bool:
    """Whether a process has ended; one of ours is gone for good then."""
    from course_probe.serve.conversation import is_alive

    if sys.platform != "win32":
        with contextlib.suppress(ChildProcessError):
            return os.waitpid(pid, os.WNOHANG)[0] == pid
    return not is_alive(pid)


class _Standby(Child):
    """An interpreter that waited for this run."""

    def __init__(self, connection: "Connection[Any, Any]", pid: int) -> None:
        self._connection = connection
        self._pid = pid
        self._over = False
        self._leaves = False
        self._reading = threading.Lock()

    def wait(self, seconds: float) -> bool:
        with self._reading:
            if not self._over and self._connection.poll(seconds):
                self._over = True
                with contextlib.suppress(EOFError, OSError, ValueError, KeyError):
                    answer = json.loads(self._connection.recv_bytes())
                    self.exit = int(answer["exit"])
                    # Then it hangs up only when it is gone.
                    self._over = not answer.get("leaves", False)
                    self._leaves = not self._over
            elif self._leaves and _is_gone(self._pid):
                # What it has forked and left behind may still hold the line.
                self._over = True
            return self._over

    def end(self) -> None:
        kill_tree(self._pid)
        with self._reading:
            self._connection.close()
            self._over = True
