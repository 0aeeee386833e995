"""A process that has the imports done and forks a clean child for every run.

It runs nothing itself, so that a child starts from a process without thread pools and without a
CUDA context. Requests come over a Unix socket, a line of JSON each, one run a connection:

    {"do": "run", "fingerprint": "…", "job": "…/job.json", "folder": "…", "output": "…",
     "environment": {…}, "beside": "…" | null}
        → {"pid": 123}, and when the child has ended {"exit": 0}  (minus the number of a signal)
        → {"changed": true}    made for another environment; leaves when its children have
        → {"shadowed": "random.py"}    a file of the learner's hides a module that is imported
    {"do": "leave"} → {"stopping": true}    leaves when its children have: another one takes over
    {"do": "stop"}  → {"stopping": true}    ends its children, leaves, and only then hangs up

A client that goes away takes its child with it.
"""

import contextlib
import json
import math
import os
import random
import selectors
import signal
import socket
import struct
import sys
import time
import traceback
from pathlib import Path
from typing import Any, NoReturn, TypedDict, cast

from course_probe.serve import preload, script

REQUEST_CAP = 1_000_000
"""Bytes of one request: an environment, mostly."""
CHANGED, THREADS, UNPREPARED = 3, 4, 70
"""Exit statuses: another environment was asked for; an import has started threads; and that of a
child that could not take on its job."""


class WarmOrder(TypedDict):
    """Where to serve, for which environment, with which modules, until it was `idle` for so long.

    `idle` is in seconds; the server leaves at once if the file `stop` is touched while it prepares.
    """

    socket: str
    fingerprint: str
    modules: list[str]
    idle: float
    stop: str


def serve(order: WarmOrder) -> NoReturn:
    """Serve until there has been nothing to do for `idle` seconds, and end the process."""
    preload.prepare(order["modules"], order["stop"])
    if preload.threads():
        print("threads that a fork would lose:", *preload.threads(), flush=True)
        os._exit(THREADS)
    WarmServer(Path(order["socket"]), order["fingerprint"], order["idle"]).serve()


class WarmServer:
    """The loop: connections, requests, children that ended."""

    def __init__(self, path: Path, fingerprint: str, idle: float) -> None:
        self._path = path
        self._fingerprint = fingerprint
        self._idle = idle
        self._waiting = selectors.DefaultSelector()
        self._children: dict[int, socket.socket] = {}
        self._leaving: int | None = None
        self._stop_waiters: list[socket.socket] = []
        self._busy = time.monotonic()
        self._listener = self._listen()
        self._wake, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._pipe = (self._wake, wake)
        signal.set_wakeup_fd(wake)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        self._waiting.register(self._wake, selectors.EVENT_READ)

    def _listen(self) -> socket.socket:
        """Listen at a path of this process, then take the well-known one in one step."""
        listener = socket.socket(socket.AF_UNIX)
        own = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        own.unlink(missing_ok=True)
        listener.bind(str(own))
        os.chmod(own, 0o600)
        listener.listen(64)
        self._inode = own.stat().st_ino
        with socket.socket(socket.AF_UNIX) as other:
            # There may be one already, if whoever started it did not wait for it.
            other.settimeout(1)
            there = other.connect_ex(str(self._path)) == 0
            own.replace(self._path)
            if there:
                _send(other, {"do": "leave"})
        self._waiting.register(listener, selectors.EVENT_READ)
        return listener

    def serve(self) -> NoReturn:
        """Serve until it is time to leave, and end the process."""
        while self._leaving is None or self._children:
            left = self._busy + self._idle - time.monotonic()
            if left <= 0 and not self._children:
                break
            patient = self._children or math.isinf(left)
            for key, _mask in self._waiting.select(None if patient else left):
                if key.fileobj is self._listener:
                    self._accept()
                elif key.fileobj == self._wake:
                    with contextlib.suppress(BlockingIOError):
                        os.read(self._wake, 4096)
                elif not self.handle_other(key.fileobj):
                    self._read(cast(socket.socket, key.fileobj), key.data)
            self._reap()
        self._unlink()
        # This is what hangs up on those who asked for it.
        os._exit(self._leaving or 0)

    def _unlink(self) -> None:
        """Remove the socket, unless it is a successor's by now."""
        with contextlib.suppress(OSError):
            if self._path.stat().st_ino == self._inode:
                self._path.unlink()

    def _accept(self) -> None:
        connection, _address = self._listener.accept()
        self._busy = time.monotonic()
        if sys.platform == "linux":
            size = struct.calcsize("3i")
            peer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
            if not self.may(struct.unpack("3i", peer)[1]):
                connection.close()
                return
        self._waiting.register(connection, selectors.EVENT_READ, bytearray())

    def _read(self, connection: socket.socket, buffer: bytearray | None) -> None:
        """Read a request, or notice that the client of a running child has gone away."""
        try:
            data = connection.recv(65536)
        except OSError:
            data = b""
        if buffer is None or not data:
            self._forget(connection)
            for pid, owner in self._children.items():
                if owner is connection:
                    _end(pid)
            if buffer is not None:
                connection.close()
            return
        buffer += data
        if b"\n" in buffer:
            self._waiting.modify(connection, selectors.EVENT_READ, None)
            self._answer(connection, buffer)
        elif len(buffer) > REQUEST_CAP:
            self._forget(connection)
            connection.close()

    def _answer(self, connection: socket.socket, line: bytearray) -> None:
        try:
            request = json.loads(line)
            kind, fingerprint = request["do"], request.get("fingerprint")
        except (ValueError, KeyError, TypeError, AttributeError):
            kind = fingerprint = None
        if kind == "run" and (fingerprint != self._fingerprint or self._leaving is not None):
            self._leave(CHANGED)
            self._reply_and_close(connection, {"changed": True})
        elif kind == "run":
            name = preload.shadows(request["beside"])
            if name is not None:
                self._reply_and_close(connection, {"shadowed": name})
            else:
                self._fork(connection, request)
        elif kind == "stop":
            self._leave(0)
            for pid in self._children:
                _end(pid)
            self._forget(connection)
            _send(connection, {"stopping": True})
            self._stop_waiters.append(connection)
        else:
            if kind == "leave":
                self._leave(0)
            self._reply_and_close(connection, {"stopping": kind == "leave"})

    def _leave(self, status: int) -> None:
        """Take no more requests; a successor may use the name from now on."""
        if self._leaving is None:
            self._leaving = status
            self._unlink()

    def _fork(self, connection: socket.socket, request: dict[str, Any]) -> None:
        server = os.getpid()
        try:
            pid = os.fork()
        except OSError as error:
            # Out of processes: this run begins elsewhere, and the others go on.
            self._reply_and_close(connection, {"failed": str(error)})
            return
        if pid == 0:
            self._become_child(request, server)
        self._children[pid] = connection
        _send(connection, {"pid": pid})

    def _become_child(self, request: dict[str, Any], server: int) -> NoReturn:
        """Close what is the server's, and do the job."""
        status = UNPREPARED
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            os.setsid()
            script.end_with_parent(server)
            for key in list(self._waiting.get_map().values()):
                if isinstance(key.fileobj, socket.socket):
                    key.fileobj.close()
            self._waiting.close()
            for descriptor in self._pipe:
                os.close(descriptor)
            _prefer_for_killing()
            job = self.prepare(request)
            status = 1  # Python's own, where an exception is not caught
            if "own" not in job:
                script.main(job)
        except BaseException:  # noqa: BLE001 - printed: the process ends here, whatever it was
            traceback.print_exc()
            os._exit(status)
        # What it ends with goes through all of the server's levels, up to Python itself.
        script.main(job, is_alone=True)

    def handle_other(self, source: Any) -> bool:
        """Whether this was about something else than a connection; here there is nothing else."""
        return False

    def may(self, user: int) -> bool:
        """Return whether the user with this number may ask for runs."""
        return user == os.getuid()

    def prepare(self, request: dict[str, Any]) -> script.ScriptJob:
        """Take on the environment and folder of a request in the forked child; returns its job."""
        return enter(request)

    def _reap(self) -> None:
        """Send the exit statuses of children that have ended to their clients."""
        for pid in list(self._children):
            # Looked at first and reaped later: until then nobody else can have its number.
            if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                continue
            _end(pid)
            _pid, status = os.waitpid(pid, 0)
            connection = self._children.pop(pid)
            self._reply_and_close(connection, {"exit": os.waitstatus_to_exitcode(status)})
            self._busy = time.monotonic()

    def _reply_and_close(self, connection: socket.socket, message: dict[str, Any]) -> None:
        self._forget(connection)
        _send(connection, message)
        connection.close()

    def _forget(self, connection: socket.socket) -> None:
        with contextlib.suppress(KeyError, ValueError):
            self._waiting.unregister(connection)


def enter(request: dict[str, Any]) -> script.ScriptJob:
    """Set what a new process would begin with: environment, folder, output, random numbers.

    `output` is a file, or the descriptor of one. Returns the job.
    """
    os.environ.clear()
    os.environ.update({**preload.SET_BY_IMPORTS, **request["environment"]})
    os.chdir(request["folder"])
    output = request["output"]
    sink = output if isinstance(output, int) else os.open(output, os.O_WRONLY | os.O_APPEND)
    os.dup2(sink, 1)
    os.dup2(sink, 2)
    os.close(sink)
    import tempfile

    # Asked for once and remembered; but the folder is another one now, and so may be the zone.
    tempfile.tempdir = None
    if sys.platform != "win32":
        time.tzset()
    if "multiprocessing.process" in sys.modules:
        # Where what it starts anew looks for the script.
        vars(sys.modules["multiprocessing.process"])["ORIGINAL_DIR"] = os.getcwd()
    random.seed()
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed()
    job: script.ScriptJob = json.loads(Path(request["job"]).read_text("utf-8"))
    return job


def _prefer_for_killing() -> None:
    """Where memory runs out, it is the child that is to be ended, not the server (Linux)."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def _end(pid: int) -> None:
    """End a child and all it has started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _send(connection: socket.socket, message: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):
        connection.sendall(json.dumps(message).encode() + b"\n")
