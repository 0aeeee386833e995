"""A sandbox for code that nobody trusts: a warm process in it runs each job confined once more.

Around it is bubblewrap (https://github.com/containers/bubblewrap): a system that cannot be
written, no network, no other processes, and of the files only the interpreter, the libraries and
the embedded hub. What happens inside is told in `course_probe/serve/sandbox_worker.py`.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Literal

from course.base import paths
from course.base.errors import UserError
from course.base.i18n import N_, _
from course.runs import hub
from course.runs.child import Child, ProcessLost
from course.runs.environment.runtime import Runtime
from course.runs.process import JOURNAL, SHOWN
from course.runs.sandbox import cgroup
from course.runs.sandbox.turns import Turn, Turns
from course.runs.warm_pool import ANSWER, Forked, WarmConnection

NOTEBOOK_FOLDERS = ("/content", "/kaggle")
"""Where Colab and Kaggle keep the files of a notebook: scripts from there write to them."""
NOBODY = 65534
"""The user that everything in the box runs as where the box is begun by root."""
START = 180.0
"""Seconds that the imports may take."""
GRACE = 15.0
"""Seconds beyond the time limits after which the guard inside is not waited for any more."""
BUSIEST = 10
"""How many seconds by the clock one of the processor may take on the busiest machine."""
OFTEN, SELDOM = 0.02, 0.1
"""Seconds between two looks for what a job has reported: when it has just said something that it
may wait for an answer to, and in a training, which says much and waits for nothing."""
TALK = ("ready", "answer", "answered", "trained", "weights")
"""Events after which a job is listened to often."""
SPARE = 2**30
"""Bytes that a job's control group may take beyond its limits: its own copies of what the libraries
hold, and buffers of the kernel's."""
LINE_CAP = 4_000_000
"""Bytes of one event: a longer one is no event of ours."""
CHUNK = 2**18
"""Bytes that are read at once: what a script reports in excess costs us no more than that."""
EVENT = b'{"event": '
"""How an event of ours begins (`course_probe/event_log.py`)."""
LINKS = 40
"""Links that lead to one file, at most; as in path_resolution(7)."""
SYSTEM = (
    *("/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime"),
    *("/usr/bin", "/usr/sbin", "/usr/include", "/usr/lib", "/usr/lib32", "/usr/lib64"),
    *("/usr/libexec", "/usr/share/zoneinfo"),
    *("/usr/local/bin", "/usr/local/lib", "/usr/local/lib64"),
)
"""Files and folders of the system that programs need."""
OURS = paths.PACKAGE.name
FILES = (JOURNAL, "output", "weights", "limit", "waits")

Met = Literal["time-limit", "memory-limit", "output-limit", "process-limit"]
LIMITS: tuple[Met, ...] = ("time-limit", "memory-limit", "output-limit", "process-limit")

NEEDED = N_(
    "Submissions run only in a sandbox, but this machine has no sandbox: {reason} Grade on Linux, "
    "in WSL2 or in a container. Or use {option}, but then every submission can do everything that "
    "you can do."
)
NOT_LINUX = N_("a sandbox needs Linux.")
NOT_INSTALLED = N_("{name} is not installed: run {command}.")
REFUSED = N_(
    "the system does not allow bubblewrap to create namespaces ({said}). On Ubuntu 24.04, AppArmor "
    "may forbid this."
)


@dataclass(frozen=True)
class JobLimits:
    """What one job may take: seconds, bytes, counts.

    `cpu` is of the processor; `wall` by the clock, and only those seconds count in which the job
    waits for something: marks are not to depend on how busy the machine is.
    `memory` is beyond what the libraries take; `room` is that of its private folder, in at most
    `files` files, of at most `file` bytes each: it lies in memory, and comes on top of `memory`.
    `tasks` counts threads, `processes` does not.
    """

    wall: float = 180.0
    cpu: float = 180.0
    memory: int = 1000 * 2**20
    output: int = 16 * 2**20
    journal: int = 16 * 2**20
    file: int = 128 * 2**20
    room: int = 256 * 2**20
    files: int = 10_000
    processes: int = 16
    tasks: int = 256


@dataclass(frozen=True)
class Done:
    """A job that is over.

    `limit_hit` is the limit that ended it; `exit` its status, or minus the number of a signal;
    `output` the end of what it printed; `unconfined` why it could not be begun, or guarded.
    """

    limit_hit: Met | None
    exit: int | None
    output: str
    seconds: float
    unconfined: str = ""


@dataclass(frozen=True)
class JobMailbox:
    """The folder of one job, from outside: where its process finds what it is told."""

    place: Path

    def put(self, name: str, value: Any) -> None:
        """Lay a JSON document on the desk, whole at once."""
        unfinished = self.place / f".{name}.new"
        unfinished.write_text(json.dumps(value), "utf-8")
        unfinished.chmod(0o644)
        unfinished.replace(self.place / name)

    @property
    def weights(self) -> Path:
        """The file that the process writes weights into."""
        return self.place / "weights"

    @property
    def waits(self) -> bool:
        """Whether the job has been waiting for a while, as its guard notes it down."""
        return (self.place / "waits").stat().st_size > 0


EventHandler = Callable[[dict[str, Any], JobMailbox], None]


@dataclass
class Sandbox:
    """A sandbox with one runtime in it; several jobs may run in it at once.

    `home` is the laid out hub that each job sees a private copy of. With `unsafe` nothing is
    confined. A job begins when it has one of the `turns`.
    """

    runtime: Runtime
    modules: tuple[str, ...]
    home: Path
    unsafe: bool = False
    turns: Turns = field(default_factory=Turns)
    _place: Path = field(init=False)
    _held: contextlib.ExitStack = field(init=False, default_factory=contextlib.ExitStack)
    _groups: cgroup.Groups | None = field(init=False, default=None)
    _process: "subprocess.Popen[bytes] | None" = field(init=False, default=None)
    _lifeline: int = field(init=False, default=-1)
    _starting: threading.Lock = field(init=False, default_factory=threading.Lock)
    _count: int = field(init=False, default=0)

    def __enter__(self) -> "Sandbox":
        if not self.unsafe:
            expect_sandbox()
        self._place = self._held.enter_context(paths.working("box"))
        self._jobs.mkdir()
        self._jobs.chmod(0o755)
        self._given_away(self._jobs)
        if not self.unsafe:
            self._groups = cgroup.make(NOBODY if self._root else None)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()
        if self._groups is not None:
            self._groups.remove()
        self._held.close()

    def start(self) -> None:
        """Begin the imports; the first job waits until they are done.

        Raises:
            UserError: the sandbox does not let the runtime start.

        """
        with self._starting:
            if self._process is None or self._process.poll() is not None:
                self._stop()
                self._launch()

    def run(
        self,
        script: bytes,
        name: str,
        limits: JobLimits,
        heard: EventHandler,
        *,
        examined: bool = True,
        adapts: Mapping[str, Any] | None = None,
    ) -> Done:
        """Run a script; `heard` is called with each event that its process reports.

        It is `examined`: its parts are asked before it may train, see
        `course_probe/exam/examination.py`. Or else it is simply run, as a learner would, in as many
        processes as it likes to start; a file `stop` on its desk then ends a training. What it
        `adapts` is told in `course_probe/exam/adapted_calls.py`.

        Raises:
            ProcessLost: the box itself is gone, through no fault of the job's.
            Closed: there are no more turns.
            UserError: the box cannot be started.

        """
        with self.turns.take() as turn:
            place, request = self._request(script, name, limits, examined=examined, adapts=adapts)
            return self._done(place, request, limits, heard, turn)

    def _done(
        self,
        place: Path,
        request: dict[str, Any],
        limits: JobLimits,
        heard: EventHandler,
        turn: Turn,
    ) -> Done:
        """Run what a folder was laid out for, and clear the folder away."""
        try:
            # Before it begins: files of its own it could keep us from opening.
            with (place / JOURNAL).open("rb") as journal, (place / "output").open("rb") as output:
                child, process = self._begun(request)
                began = time.monotonic()
                try:
                    limit_hit = _follow(child, JobMailbox(place), limits, heard, journal, turn)
                except ProcessLost:
                    self._give_up(process)
                    raise
                finally:
                    child.end()
                told, reason = _limit(place)
                limit_hit = told or limit_hit or self._overrun(place.name, child.exit)
                return Done(limit_hit, child.exit, _end(output), time.monotonic() - began, reason)
        finally:
            if self._groups is not None:
                self._groups.remove(place.name)
            shutil.rmtree(place, ignore_errors=True)

    @property
    def _jobs(self) -> Path:
        return self._place / "jobs"

    @property
    def _socket(self) -> Path:
        return self._jobs / "server"

    @property
    def _root(self) -> bool:
        return not self.unsafe and os.getuid() == 0 and _knows(NOBODY)

    def _given_away(self, path: Path) -> None:
        """Let the unprivileged user of the box have a file of ours."""
        if self._root:
            os.chown(path, NOBODY, NOBODY)

    def _request(
        self,
        script: bytes,
        name: str,
        limits: JobLimits,
        *,
        examined: bool,
        adapts: Mapping[str, Any] | None = None,
    ) -> tuple[Path, dict[str, Any]]:
        """Lay out the folder of one job."""
        with self._starting:
            self._count += 1
            place = self._jobs / f"{self._count:06}"
        (place / "run").mkdir(parents=True)
        (place / "run" / name).write_bytes(script)
        seen = place if self.unsafe else Path("/box/job")
        work = place / "work" if self.unsafe else Path("/box/work")
        order: dict[str, Any] = {
            "script": str(work / "run" / name),
            "stop": str(seen / "stop"),
            "looks": [],
            "beside": None,
            **({"exam": {"place": str(seen)}} if examined else {}),
            **({"adapts": adapts} if adapts is not None else {}),
        }
        (place / "job.json").write_text(json.dumps(order))
        for each in FILES:
            (place / each).touch()
            self._given_away(place / each)
        # Whatever our umask is.
        for folder in (place, place / "run"):
            folder.chmod(0o755)
        for file in (place / "job.json", place / "run" / name):
            file.chmod(0o644)
        return place, {
            "do": "run",
            "fingerprint": "",
            "place": str(place if self.unsafe else Path("/box/jobs") / place.name),
            "job": str(seen / "job.json"),
            "work": str(work),
            "folder": str(work / "run"),
            "environment": self._environment(work),
            "limits": asdict(limits),
            "groups": self._grouped(place.name, limits),
            "several": not examined,
            "beside": None,
        }

    def _grouped(self, job: str, limits: JobLimits) -> list[str]:
        """Make control groups for a job; the files by which it is put into them."""
        memory = limits.memory + limits.room + SPARE
        if self._groups is None or not self._groups.add(job, memory, 2 * limits.tasks):
            return []
        places = range(len(self._groups.folders))
        return [f"/box/groups/{number}/{job}/{cgroup.PROCESSES}" for number in places]

    def _overrun(self, job: str, status: int | None) -> Met | None:
        """Whether the kernel has ended a job for its memory, before its guard came to it."""
        if status == -signal.SIGKILL and self._groups is not None and self._groups.overran(job):
            return "memory-limit"
        return None

    def _environment(self, work: Path) -> dict[str, str]:
        """Return the variables that a job begins with: none is from the caller's environment."""
        return {
            # Libraries look for it once, at their import, which is before any job: where nothing
            # is confined each job would have its own in another place.
            **hub.environment(self.home if self.unsafe else work / "hub"),
            "HOME": str(work / "home"),
            "TMPDIR": str(work / "tmp"),
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "USER": "student",
            "LOGNAME": "student",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "OMP_NUM_THREADS": "1",
            # A script that wants more of them would pay with its limit for how they wait.
            "OMP_WAIT_POLICY": "PASSIVE",
            "TOKENIZERS_PARALLELISM": "false",
            "PYTHONIOENCODING": "utf-8",
            "PYTHONUNBUFFERED": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "ACCELERATE_USE_CPU": "1",
            "CUDA_VISIBLE_DEVICES": "",
            "TF_CPP_MIN_LOG_LEVEL": "2",
        }

    def _launch(self) -> None:
        self._socket.unlink(missing_ok=True)
        held, self._lifeline = os.pipe()
        jobs = self._jobs if self.unsafe else Path("/box/jobs")
        order = {
            "socket": str(jobs / self._socket.name),
            "modules": list(self.modules),
            "lifeline": held,
            "user": NOBODY if self._root else None,
            "confined": not self.unsafe,
            "kept": [str(f) for f in self._shown() if f.is_relative_to("/tmp")],
            "hub": str(self.home if self.unsafe else Path("/box/hub")),
        }
        command = [self.runtime.python, str(paths.probe()), "--sandbox"]
        if not self.unsafe:
            command = [*self._bubblewrap(), *command]
        if self._groups is not None:
            command = self._groups.within(command)
        work = self._place / "work" if self.unsafe else Path("/box/work")
        log = (self._place / "log").open("wb")
        with log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                pass_fds=(held,),
                env={**self._environment(work), "TMPDIR": "/tmp"},
                cwd="/",
                start_new_session=True,
            )
        os.close(held)
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError), self._process.stdin as stream:
            stream.write(json.dumps(order).encode())
        self._await_socket()

    def _await_socket(self) -> None:
        assert self._process is not None
        deadline = time.monotonic() + START
        while not self._socket.exists():
            if self._process.poll() is not None or time.monotonic() > deadline:
                sentence = (self._place / "log").read_text("utf-8", "replace").strip()
                self._stop()
                raise UserError(
                    _("The sandbox could not be started: {said}").format(said=sentence[-500:])
                )
            time.sleep(0.02)

    def _shown(self) -> list[Path]:
        """Return the program's folders that are to be seen in the box."""
        return _outermost([*_system(), *_interpreter(self.runtime), paths.probe().parent])

    def _bubblewrap(self) -> list[str]:
        """Return the command that the box is made with."""
        shown = self._shown()
        binds = [str(part) for path in shown for part in ("--ro-bind", path, path)]
        groups = self._groups.folders if self._groups is not None else []
        for number, folder in enumerate(groups):
            binds += ["--bind", str(folder), f"/box/groups/{number}"]
        hidden = [str(folder) for folder in _answers(shown)]
        binds += [part for folder in hidden for part in ("--tmpfs", folder)]
        binds += [part for folder in hidden for part in ("--remount-ro", folder)]
        user = [] if self._root else ["--unshare-user", "--uid", str(NOBODY), "--gid", str(NOBODY)]
        return [
            *(shutil.which("bwrap") or "bwrap", *user),
            *("--unshare-ipc", "--unshare-pid", "--unshare-net"),
            # Control groups are seen as they are: a guard enters its own. A job sees none.
            *("--unshare-uts", "--hostname", "box", "--new-session"),
            *("--perms", "1777", "--tmpfs", "/tmp", "--perms", "0755", "--dir", "/box"),
            *("--perms", "0755", "--dir", "/box/groups"),
            *(*_links(shown), *_parents(shown), *binds, "--ro-bind", str(self.home), "/box/hub"),
            *("--bind", str(self._jobs), "/box/jobs", "--dir", "/box/job", "--dir", "/box/work"),
            *("--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev", "--remount-ro", "/"),
            *("--chdir", "/", "--"),
        ]

    def _begun(self, request: dict[str, Any]) -> "tuple[Child, subprocess.Popen[bytes] | None]":
        """Have a job begun; its process, and that of the box.

        Raises:
            ProcessLost: it could not be, not even in a new box.

        """
        for _attempt in range(2):
            self.start()
            process = self._process
            try:
                line = WarmConnection(self._socket)
            except OSError:
                # It was ended while it had nothing to do.
                self._give_up(process)
                continue
            try:
                line.send(request)
                answer = line.read(ANSWER)
            except (OSError, ProcessLost):
                answer = None
            if answer is not None and "pid" in answer:
                return Forked(line, int(answer["pid"]), kill=False), process
            line.close()
            if answer is None:
                self._give_up(process)
        raise ProcessLost

    def _give_up(self, process: "subprocess.Popen[bytes] | None") -> None:
        """Nobody answers in that box any more: have the next job begin a new one."""
        with self._starting:
            if process is self._process:
                self._stop()

    def _stop(self) -> None:
        """End everything in the box: its server leaves when the pipe is closed."""
        if self._lifeline >= 0:
            os.close(self._lifeline)
            self._lifeline = -1
        if self._process is not None:
            try:
                self._process.wait(5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None


def _knows(user: int) -> bool:
    """Whether there is a user of this number here: not in every namespace that root may be in."""
    lines = Path("/proc/self/uid_map").read_text("ascii").splitlines()
    ranges = [tuple(map(int, line.split())) for line in lines]
    return any(first <= user < first + count for first, _outside, count in ranges)


def expect_sandbox() -> None:
    """Make sure that a sandbox can be had.

    Raises:
        UserError: it can't; says why, and what to do.

    """
    if sys.platform != "linux":
        raise _needed(_(NOT_LINUX))
    program = shutil.which("bwrap")
    if program is None:
        command = "`sudo apt install bubblewrap`"
        raise _needed(_(NOT_INSTALLED).format(name="`bubblewrap`", command=command))
    once = [program, "--unshare-user", "--unshare-pid", "--unshare-net", "--bind", "/", "/"]
    # One within the other, as each job is in the box: there are systems that allow the first only.
    trial = [*once, *once, "true"]
    done = subprocess.run(trial, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise _needed(_(REFUSED).format(said=done.stderr.strip() or done.returncode))


def _needed(reason: str) -> UserError:
    return UserError(_(NEEDED).format(reason=reason, option="`--unsafe`"))


def _follow(
    child: Child,
    mailbox: JobMailbox,
    limits: JobLimits,
    heard: EventHandler,
    journal: BinaryIO,
    turn: Turn,
) -> Met | None:
    """Read what a job reports until it is over; the limit that we had to end it for ourselves."""
    deadline = time.monotonic() + limits.wall + BUSIEST * limits.cpu + GRACE
    rest = b""
    over, pause = False, OFTEN
    while True:
        new = journal.read(CHUNK)
        *whole, rest = (rest + new).split(b"\n")
        for line in whole:
            if _hear(line, mailbox, heard) in TALK:
                pause = OFTEN
        if len(rest) > LINE_CAP or journal.tell() > limits.journal:
            return "output-limit"
        if over and not new:
            return None
        if time.monotonic() > deadline:
            return "time-limit"
        turn.hold(not mailbox.waits)
        # Where there is more to read already, there is nothing to wait for.
        over = over or child.wait(0 if len(new) == CHUNK else pause)
        pause = min(SELDOM, pause * 1.05)


def _end(output: BinaryIO) -> str:
    """Read the end of a job's output."""
    output.seek(max(0, output.seek(0, os.SEEK_END) - SHOWN))
    return output.read(SHOWN).decode("utf-8", "replace")


def _hear(line: bytes, mailbox: JobMailbox, heard: EventHandler) -> str:
    """Pass on one event, and name it; what a script has made up may be anything."""
    if line.startswith(EVENT):
        with contextlib.suppress(ValueError, RecursionError):
            event = json.loads(line)
            if isinstance(event, dict) and isinstance(event.get("event"), str):
                heard(event, mailbox)
                return str(event["event"])
    return ""


def _limit(place: Path) -> tuple[Met | None, str]:
    """Read the guard's message: a limit that was met, or why the job could not be confined."""
    sentence = (place / "limit").read_text("utf-8", "replace")
    limit_hit = next((name for name in LIMITS if name == sentence), None)
    return limit_hit, "" if limit_hit else sentence


def _system() -> Iterator[Path]:
    # Not all of `/usr`: containers keep their projects in it.
    for name in SYSTEM:
        if os.path.exists(name):
            yield Path(name)
    for name in ("/bin", "/sbin", "/lib", "/lib64"):
        if os.path.isdir(name) and not os.path.islink(name):
            yield Path(name)


def _links(shown: Sequence[Path]) -> Iterator[str]:
    """Folders such as `/lib`, where they are links into `/usr`, and those of notebook services."""
    for name in ("/bin", "/sbin", "/lib", "/lib64"):
        if os.path.islink(name):
            yield from ("--symlink", os.readlink(name), name)
    for name in NOTEBOOK_FOLDERS:
        # Where the program itself runs there, they are what they are.
        if not any(path.is_relative_to(name) for path in shown):
            yield from ("--symlink", "/tmp", name)


def _interpreter(runtime: Runtime) -> Iterator[Path]:
    """Yield the folders that an interpreter needs: its installation, environment, packages.

    An environment may lie in a folder that is full of other things, which are not to be seen.
    """
    python = os.path.abspath(runtime.python)
    links = [python]
    while os.path.islink(python) and len(links) < LINKS:
        python = os.path.normpath(os.path.join(os.path.dirname(python), os.readlink(python)))
        links.append(python)
    for each in {*links, os.path.realpath(python)}:
        yield Path(each).parent
        for name in ("lib", "lib64", "pyvenv.cfg"):
            part = Path(each).parent.parent / name
            if part.exists():
                yield part
    yield from (Path(folder) for folder in runtime.site)


def _answers(shown: list[Path]) -> Iterator[Path]:
    """Yield the copies of this package in the folders that are shown: the lessons lie in them."""
    for folder in shown:
        for pattern in (OURS, f"python*/*-packages/{OURS}"):
            yield from (found for found in folder.glob(pattern) if found.is_dir())


def _outermost(folders: list[Path]) -> list[Path]:
    """Return the folders without those that lie in another one of them."""
    distinct = sorted(set(folders))
    return [f for f in distinct if not any(o != f and f.is_relative_to(o) for o in distinct)]


def _parents(folders: list[Path]) -> list[str]:
    """Return the options for folders above others, which bubblewrap makes for root alone."""
    above = sorted({parent for folder in folders for parent in folder.parents} - {Path("/")})
    return [part for path in above for part in ("--perms", "0755", "--dir", str(path))]
