"""A warm process in a sandbox: each run is confined once more, and guarded until its end.

The outer box is bubblewrap's (`course/runs/sandbox/bubblewrap.py`). For each request the server
forks a *guard*, which goes into namespaces of its own and forks the child there: the child is the
first process of its own process namespace, so that all it starts ends with it. The guard stays
outside of that, counts what the child and its descendants use, and ends them when it is too much.
Nobody's code runs in the server or in a guard.

Requests and answers are those of `warm.py`. A request has, in place of `beside` and `fingerprint`:
`place`, the folder of the job; `limits`; `groups`, files by which a process joins the job's control
groups; and `several`, whether it may train in several processes. The place holds, made beforehand,
the files `journal.jsonl`, `output` and `weights`, which the child has open and cannot reach by
name, and `limit`, where the guard writes which limit was met.
"""

import contextlib
import os
import resource
import selectors
import signal
import time
from pathlib import Path
from typing import Any, NoReturn, TypedDict

from course_probe.serve import confine, preload, script, warm

OFTEN, SELDOM = 0.02, 0.1
"""Seconds between two looks at a run: when it has just begun, and later."""
TICK = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
HELD, SHARED_OUT = ("RssAnon:", "RssShmem:", "VmSwap:"), ("Pss_Anon:", "Pss_Shmem:", "SwapPss:")
"""What of a process's memory comes from no file: all of it, and its part of what it shares."""
AWHILE = 1.0
"""Seconds of waiting after which it is noted down that a run waits: another may begin."""
BUSY = ("R", "D")
"""States of a process that computes, or would if a processor were free: see proc(5)."""
TABLES = ("VmPTE:",)
"""The memory in which it is noted where all that lies, which can be made to be more than it."""
SOCKETS = 64
"""Sockets of TCP that a run may have: each may hold some megabytes that are no process's memory.
Two processes that train together need a dozen."""


class SandboxOrder(TypedDict):
    """Where to serve, and what runs may see: the folder of the `hub`, and those that are `kept`.

    `lifeline` is the descriptor of a pipe that ends when the client does, `user` the number of one
    to become where root has begun the sandbox, `confined` is false where there is none.
    """

    socket: str
    modules: list[str]
    lifeline: int
    user: int | None
    hub: str
    confined: bool
    kept: list[str]


def serve(order: SandboxOrder) -> NoReturn:
    """Serve until the pipe `lifeline` is at its end, and end the process."""
    if order["user"] is not None:
        confine.become(order["user"], order["user"])
    preload.prepare(order["modules"])
    if preload.threads():
        print("threads that a fork would lose:", *preload.threads(), flush=True)
        os._exit(warm.THREADS)
    _Server(order).serve()


class _Server(warm.WarmServer):
    """A server whose runs are confined, for the one client that has begun it."""

    def __init__(self, order: SandboxOrder) -> None:
        super().__init__(Path(order["socket"]), "", float("inf"))
        self._lifeline = order["lifeline"]
        self._confined = order["confined"]
        self._hub = Path(order["hub"])
        self._kept = order["kept"]
        self._waiting.register(self._lifeline, selectors.EVENT_READ)
        self._base = _private(os.getpid())

    def handle_other(self, source: Any) -> bool:
        """Leave, with all that runs, once our client has hung up, however it came to its end."""
        if source == self._lifeline:
            os._exit(0)
        return False

    def may(self, user: int) -> bool:
        """Only our client sees the socket at all; it may be root, and we are not."""
        return True

    def prepare(self, request: dict[str, Any]) -> script.ScriptJob:
        """Become the guard of a run, and fork the child that does it; only the child returns."""
        place = Path(request["place"])
        opened = {
            name: os.open(place / name, os.O_RDWR | (0 if name == "weights" else os.O_APPEND))
            for name in ("journal.jsonl", "output", "weights", "limit", "waits")
        }
        os.close(self._lifeline)
        try:
            return self._fork_guarded(place, request, opened)
        except Exception as error:  # noqa: BLE001 - handed on as the reason why the run did not begin
            # Nothing of the script has run: whatever this is, it is not the script's doing.
            os.write(opened["limit"], f"{type(error).__name__}: {error}".encode())
            os._exit(warm.UNPREPARED)

    def _fork_guarded(
        self, place: Path, request: dict[str, Any], opened: dict[str, int]
    ) -> script.ScriptJob:
        """Fork the child, and guard it; returns in the child, with its job."""
        for group in request["groups"]:
            # A second fence. Where it can't be had, the guard alone does.
            with contextlib.suppress(OSError):
                Path(group).write_text("0")
        if self._confined:
            confine.unshare()
            if request["several"]:
                # They find each other by the network. Who is alone does without it.
                with contextlib.suppress(OSError):
                    confine.raise_loopback()
        guard = os.getpid()
        alive, held = os.pipe()
        pid = os.fork()
        if pid:
            os.close(alive)
            _Guard(pid, request["limits"], opened, self._base).watch()
        os.close(held)
        self._confine(place, request, alive, guard)
        job = warm.enter({**request, "output": opened["output"]})
        target = Path(job["script"])
        target.write_bytes((Path(request["job"]).parent / "run" / target.name).read_bytes())
        if "exam" in job:
            job["exam"]["weights"] = opened["weights"]
        else:
            os.close(opened["weights"])
        os.close(opened["limit"])
        os.close(opened["waits"])
        job["journal"] = opened["journal.jsonl"]
        return job

    def _confine(self, place: Path, request: dict[str, Any], alive: int, guard: int) -> None:
        """See only what is to be seen, and give up all that is not needed."""
        work, limits = Path(request["work"]), request["limits"]
        if self._confined:
            confine.mount_private(place, (limits["room"], limits["files"]), self._kept)
        work.mkdir(exist_ok=True)
        for name in ("run", "home", "tmp"):
            (work / name).mkdir(exist_ok=True)
        if self._confined:
            confine.mirror(self._hub, work / "hub")
        confine.limit(limits)
        if self._confined:
            # A signal to its whole process group is not to reach the guard.
            os.setsid()
            confine.give_up_privileges(alive, several=request["several"])
        else:
            os.close(alive)
            script.end_with_parent(guard)


class _Guard:
    """Watches a child and its descendants, and ends them when they take too much."""

    def __init__(self, pid: int, limits: dict[str, Any], opened: dict[str, int], base: int) -> None:
        self._pid = pid
        self._limits = limits
        self._opened = opened
        self._base = base
        self._resident = _figures("self/status", ("VmRSS:",))
        self._looked = time.monotonic()
        self._worked = 0.0
        self._waited = 0.0
        self._busy_at = self._looked
        self._waits = False

    def watch(self) -> NoReturn:
        """Wait for the end of the child, and end as it did."""
        limit_hit: str | None = None
        try:
            pause = OFTEN
            while os.waitid(os.P_PID, self._pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                limit_hit = self._limit_hit()
                if limit_hit is not None:
                    os.kill(self._pid, signal.SIGKILL)
                    break
                time.sleep(pause)
                pause = min(SELDOM, pause * 1.1)
            # The kernel may have ended it before we looked: what it used up tells why.
            limit_hit = limit_hit or self._used_up(_usage(self._pid))
            _pid, status, whole = os.wait4(self._pid, 0)
        except Exception:
            os.kill(self._pid, signal.SIGKILL)
            raise
        code = os.waitstatus_to_exitcode(status)
        peak = whole.ru_maxrss * 1024 - self._resident
        if limit_hit is None and code == -signal.SIGKILL and peak > self._limits["memory"]:
            # So the kernel ends who takes what the whole machine has left.
            limit_hit = "memory-limit"
        if limit_hit is not None:
            os.write(self._opened["limit"], limit_hit.encode())
        if code < 0:
            # Killed by a signal, which only its parent can see; so say it in the same way.
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            with contextlib.suppress(OSError, ValueError):
                signal.signal(-code, signal.SIG_DFL)
            os.kill(os.getpid(), -code)
            time.sleep(1)
        os._exit(code if code >= 0 else 1)

    def _note_waiting(self, waits: bool) -> None:
        """Note down, for who began the run, whether it only waits."""
        if waits is not self._waits:
            self._waits = waits
            if waits:
                os.write(self._opened["waits"], b"1")
            else:
                os.ftruncate(self._opened["waits"], 0)

    def _used_up(self, used: "_Used") -> str | None:
        """Return the limit that output or processor time has met, after a run as well as in it."""
        limits = self._limits
        for name, most in (("output", limits["output"]), ("journal.jsonl", limits["journal"])):
            if os.fstat(self._opened[name]).st_size > most:
                return "output-limit"
        return "time-limit" if used.cpu > limits["cpu"] else None

    def _limit_hit(self) -> str | None:
        """Return the limit that has been met, if one has."""
        limits = self._limits
        used = _usage(self._pid)
        now = time.monotonic()
        if used.is_busy:
            self._busy_at = now
        else:
            # Who waits for a busy machine's processor does not count as waiting, nor does who has
            # worked since we looked, which may be long ago.
            self._waited += max(0.0, now - self._looked - max(0.0, used.cpu - self._worked))
        self._looked, self._worked = now, used.cpu
        self._note_waiting(now - self._busy_at > AWHILE)
        limit_hit = self._used_up(used)
        if limit_hit is not None or self._waited > limits["wall"]:
            return limit_hit or "time-limit"
        if used.processes > limits["processes"] or used.tasks > limits["tasks"]:
            return "process-limit"
        if _tcp_sockets() > SOCKETS:
            return "memory-limit"
        most = limits["memory"]
        if used.memory - self._base > most and used.shared_out() > most:
            return "memory-limit"
        return None


class _Used:
    """What a process and its descendants take: bytes of memory, seconds, and how many they are.

    One that `is_busy` computes, or would if it were let.
    """

    def __init__(self) -> None:
        self.memory = 0
        self.tasks = 0
        self.cpu = 0.0
        self.is_busy = False
        self._pids: list[int] = []

    @property
    def processes(self) -> int:
        return len(self._pids)

    def add(self, pid: int, stat: list[str]) -> None:
        """Add a process, given `/proc/PID/stat` from its third field on."""
        self._pids.append(pid)
        self.is_busy |= stat[0] in BUSY
        self.tasks += int(stat[17])
        self.cpu += sum(map(int, stat[11:15])) / TICK
        self.memory += _private(pid)

    def shared_out(self) -> int:
        """Bytes of memory, where each page that several processes share is divided among them.

        It takes the kernel long to find out, so it is only asked where much is held. Whoever does
        not let itself be looked into is counted in full.
        """
        return sum(
            (_figures(f"{pid}/smaps_rollup", SHARED_OUT) or _figures(f"{pid}/status", HELD))
            + _figures(f"{pid}/status", TABLES)
            for pid in self._pids
        )


def _usage(root: int) -> _Used:
    """Add up a process and all that descend from it.

    What is orphaned in a process namespace becomes a child of its first process, so nobody gets
    away.
    """
    children: dict[int, list[int]] = {}
    figures: dict[int, list[str]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError):
                # The name of the program, in brackets, may itself hold spaces and brackets.
                rest = Path("/proc", entry, "stat").read_text("latin-1").rpartition(")")[2].split()
                figures[int(entry)] = rest
                children.setdefault(int(rest[1]), []).append(int(entry))
    used = _Used()
    waiting = [root]
    while waiting:
        pid = waiting.pop()
        waiting += children.get(pid, ())
        if pid in figures:
            used.add(pid, figures[pid])
    return used


def _tcp_sockets() -> int:
    """How many there are in the namespace that a guard shares with its run: see proc(5)."""
    found = 0
    for name in ("sockstat", "sockstat6"):
        with contextlib.suppress(OSError):
            for line in Path("/proc/self/net", name).read_text("ascii").splitlines():
                if line.startswith(("TCP: inuse ", "TCP6: inuse ")):
                    found += int(line.split()[2])
    return found


def _private(pid: int) -> int:
    """Bytes of a process that come from no file: what was forked is counted, shared or not."""
    return _figures(f"{pid}/status", HELD + TABLES)


def _figures(file: str, names: tuple[str, ...]) -> int:
    """Sum some lines of a file below `/proc`, in bytes; return 0 where it can't be read."""
    found = 0
    with contextlib.suppress(OSError):
        for line in Path("/proc", file).read_text("latin-1").splitlines():
            if line.startswith(names):
                found += int(line.split()[1]) * 1024
    return found
