"""The sandbox, tried from within by scripts that mean no good, and looked at from outside.

The interpreter in it is this one, with no framework imported: what holds the scripts is the same.
"""

import contextlib
import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import textwrap
import time
import tomllib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from course.base import paths
from course.base.errors import UserError
from course.runs.child import ProcessLost
from course.runs.environment.runtime import Runtime
from course.runs.sandbox import bubblewrap as room
from course.runs.sandbox.bubblewrap import Done, JobLimits, JobMailbox, Sandbox, expect_sandbox
from course.runs.sandbox.turns import Turns
from tests.command import ROOT
from tests.runs.conftest import wait_for

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux")

MB = 2**20
TIGHT = JobLimits(
    wall=30,
    cpu=30,
    memory=200 * MB,
    output=MB,
    journal=MB,
    file=8 * MB,
    room=16 * MB,
    files=200,
    processes=8,
    tasks=40,
)
MODULES = ("ctypes", "json", "mmap", "multiprocessing", "socket", "subprocess", "threading")
FAULTY = """
import ctypes, errno, json, os, signal, socket, stat, subprocess, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)

def refused(call, *arguments, **named):
    try:
        call(*arguments, **named)
    except OSError as error:
        return errno.errorcode.get(error.errno, str(error))
    return "done"

def walk(top="/"):
    # Libraries are many; all that matters of them is whether ours is among them.
    for folder, folders, files in os.walk(top):
        if folder in ("/usr/lib", "/usr/include", "/usr/bin"):
            folders.clear()
        elif folder.endswith("-packages"):
            folders[:] = [name for name in folders if name == "course"]
        yield folder, folders, files

def journals():
    def written(number):
        return refused(os.fstat, number) == refused(os.write, number, b"") == "done"
    return [number for number in range(3, 64) if written(number)]
"""
"""What the scripts begin with."""


@dataclass(frozen=True)
class Told:
    """A run that is over, and what its process reported."""

    done: Done
    events: list[dict[str, Any]]

    @property
    def raised(self) -> list[str]:
        return [f"{e['type']}: {e['message']}" for e in self.events if e["event"] == "exception"]

    @property
    def answer(self) -> Any:
        """What the script printed, once it has come to its end as it should."""
        assert (self.done.limit_hit, self.done.exit, self.done.unconfined) == (None, 0, ""), (
            self.done
        )
        assert self.raised == []
        return json.loads(self.done.output)


def runtime() -> Runtime:
    return Runtime("pt", sys.executable, {})


def run(
    box: Sandbox,
    script: str,
    limits: JobLimits = TIGHT,
    when_done: Callable[[], object] = lambda: None,
    name: str = "exercise.py",
    *,
    examined: bool = True,
) -> Told:
    """Run a script; `when_done` is called at its end, while its process is still there."""
    events: list[dict[str, Any]] = []

    def heard(event: dict[str, Any], desk: JobMailbox) -> None:
        events.append(event)
        if event["event"] == "ready":
            when_done()
            desk.put("questions.json", [])
        elif event["event"] == "answered":
            desk.put("then.json", {"do": "leave"})

    text = FAULTY + textwrap.dedent(script)
    return Told(box.run(text.encode(), name, limits, heard, examined=examined), events)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a hub of two files."""
    place = tmp_path_factory.mktemp("hub")
    (place / "models" / "tiny").mkdir(parents=True)
    (place / "models" / "tiny" / "config.json").write_text("{}")
    (place / "data.txt").write_text("shared")
    for folder in (place, place / "models", place / "models" / "tiny"):
        folder.chmod(0o755)
    return place


@pytest.fixture(scope="module")
def box(home: Path) -> Iterator[Sandbox]:
    with Sandbox(runtime(), MODULES, home) as made:
        yield made


def alive(pid: int) -> bool:
    with contextlib.suppress(OSError, IndexError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    return False


def descendants(pid: int) -> list[int]:
    """Find the processes below one, as seen from here."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parent = int((entry / "stat").read_text("latin-1").rpartition(")")[2].split()[1])
            parents.setdefault(parent, []).append(int(entry.name))
    found: list[int] = []
    waiting = [pid]
    while waiting:
        below = parents.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def named(name: str) -> list[int]:
    """Find the processes that have given themselves a name."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (entry / "comm").read_text().strip() == name and alive(int(entry.name)):
                found.append(int(entry.name))
    return found


def server(box: Sandbox) -> int:
    """Find the warm process: the one that runs our probe and whose parent does not."""

    def is_probe(pid: int) -> bool:
        with contextlib.suppress(OSError):
            return b"--sandbox" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[-2:]
        return False

    assert box._process is not None
    found = [pid for pid in descendants(box._process.pid) if is_probe(pid)]
    # bubblewrap's own processes have the whole command for theirs, and come first.
    return next(p for p in found if os.path.basename(os.readlink(f"/proc/{p}/exe")) != "bwrap")


# What it tries alone


TRIED = tomllib.loads(Path(__file__).with_name("sandbox.toml").read_text("utf-8"))


@pytest.mark.parametrize("name", TRIED)
def test_a_script_that_means_no_good_ends_as_it_should(name: str, box: Sandbox) -> None:
    row = TRIED[name]
    given = row.get("limits", {})
    if "memory" in given:
        given = {**given, "memory": given["memory"] * MB}
    limits = replace(TIGHT, **given)
    told = run(box, row["script"], limits, examined=row.get("examined", True))
    if "answer" in row:
        assert told.answer == row["answer"]
    else:
        assert told.done.limit_hit == row.get("limit")
        # The guard has seen to it, not we, who wait much longer.
        assert told.done.seconds < row.get("within", TIGHT.wall)
        assert len(told.done.output) <= 4000
    if "exit" in row:
        assert (told.done.exit, told.done.unconfined) == (row["exit"], "")
        assert "end" not in [e["event"] for e in told.events]


# Who it is, and what it may


IDENTITY = """
class Header(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]
sets = (ctypes.c_uint32 * 6)()
header = Header(0x20080522, 0)
assert libc.capget(ctypes.byref(header), sets) == 0
print(json.dumps({
    "ids": [*os.getresuid(), *os.getresgid()],
    "groups": os.getgroups(),
    "capabilities": list(sets),
    "ambient": [n for n in range(41) if libc.prctl(47, 1, n, 0, 0) == 1],
    "no_new_privileges": libc.prctl(39, 0, 0, 0, 0),
    "seccomp": libc.prctl(21, 0, 0, 0, 0),
    "pid": [os.getpid(), os.getppid()],
    "setuid": refused(os.setuid, 0),
    "chown": refused(os.chown, "/box/work", 0, 0),
    "root": refused(os.chroot, "/box/work"),
    "nice": refused(os.setpriority, os.PRIO_PROCESS, 0, -5),
    "real_time": refused(os.sched_setscheduler, 0, os.SCHED_FIFO, os.sched_param(1)),
}))
"""


@pytest.fixture(scope="module")
def identity(box: Sandbox) -> dict[str, Any]:
    found: dict[str, Any] = run(box, IDENTITY).answer
    return found


def test_it_is_nobody(identity: dict[str, Any]) -> None:
    assert identity["ids"] == [room.NOBODY] * 6
    # Groups of ours that have no number inside show as the one that nobody has.
    assert set(identity["groups"]) <= {room.NOBODY}


def test_it_has_no_capability_at_all(identity: dict[str, Any]) -> None:
    assert identity["capabilities"] == [0] * 6
    assert identity["ambient"] == []


def test_no_program_gives_it_more(identity: dict[str, Any]) -> None:
    assert identity["no_new_privileges"] == 1
    # Of a user that does not exist here, the number makes no sense.
    for attempt in ("setuid", "chown", "root", "real_time", "nice"):
        assert identity[attempt] in ("EPERM", "EACCES", "EINVAL")


def test_its_system_calls_are_filtered(identity: dict[str, Any]) -> None:
    assert identity["seccomp"] == 2


def test_it_is_the_first_process_of_its_world(identity: dict[str, Any]) -> None:
    assert identity["pid"] == [1, 0]


CALLS = {
    "unshare": (272, 0x10000000),
    "unshare-mounts": (272, 0x20000),
    "setns": (308, 0, 0),
    "mount": (165, 0, 0, 0, 0, 0),
    "umount2": (166, b"/box/jobs", 2),
    "umount-proc": (166, b"/proc", 2),
    "pivot_root": (155, b"/", b"/"),
    "move_mount": (429, 0, 0, 0, 0, 0),
    "open_tree": (428, -100, b"/", 1),
    "fsopen": (430, b"tmpfs", 0),
    "ptrace": (101, 0, 0, 0, 0),
    "ptrace-attach": (101, 16, 1, 0, 0),
    "process_vm_readv": (310, 1, 0, 0, 0, 0, 0),
    "pidfd_getfd": (438, 0, 0, 0),
    "keyctl": (250, 0, 0),
    "add_key": (248, b"user", b"a", b"b", 1, -3),
    "bpf": (321, 0, 0, 0),
    "io_uring_setup": (425, 8, 0),
    "perf_event_open": (298, 0, 0, 0, 0, 0),
    "userfaultfd": (323, 0),
    "open_by_handle_at": (304, -100, 0, 0),
    "clone-user": (56, 0x10000000 | 17, 0, 0, 0, 0),
    "clone-network": (56, 0x40000000 | 17, 0, 0, 0, 0),
    "death-signal": (157, 1, 0, 0, 0, 0),
    "lease": (72, 1, 1024, 0),
    "shmget": (29, 0, 4096, 0o1600),
    "msgget": (68, 0, 0o1600),
    "statmount": (457, 0, 0, 0, 0),
    "syslog": (103, 3, 0, 0),
    "vsock": (41, 40, 1, 0),
    "netlink": (41, 16, 3, 0),
    "alg": (41, 38, 5, 0),
    "packet": (41, 17, 3, 0),
    "mapped-shared": (9, 0, 4096, 3, 0x21, -1, 0),
    "clone3": (435, 0, 0),
    "memfd_create": (319, b"a", 0),
    "old-numbers": (0x40000000 + 39,),
}
"""System calls by their numbers on x86_64, with arguments that mean something."""
OTHER = {
    **dict.fromkeys(("vsock", "netlink", "alg", "packet"), "EAFNOSUPPORT"),
    **dict.fromkeys(("clone3", "memfd_create"), "ENOSYS"),
}


@pytest.fixture(scope="module")
def calls(box: Sandbox) -> dict[str, str]:
    plain = {
        name: [n, *(a.decode() if isinstance(a, bytes) else a for a in arguments)]
        for name, (n, *arguments) in CALLS.items()
    }
    script = f"""
    calls = json.loads({json.dumps(plain)!r})
    said = {{}}
    for name, (number, *arguments) in calls.items():
        given = [a.encode() if isinstance(a, str) else ctypes.c_long(a) for a in arguments]
        ctypes.set_errno(0)
        result = libc.syscall(ctypes.c_long(number), *given)
        said[name] = errno.errorcode[ctypes.get_errno()] if result == -1 else "done"
    print(json.dumps(said))
    """
    found: dict[str, str] = run(box, script).answer
    return found


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="by the numbers of x86_64")
@pytest.mark.parametrize("name", CALLS)
def test_a_system_call_that_nobody_needs_is_refused(name: str, calls: dict[str, str]) -> None:
    assert calls[name] == OTHER.get(name, "EPERM")


# What it sees


def test_nothing_of_our_environment_is_inside(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEACHER_TOKEN", "very-secret")
    monkeypatch.setenv("HF_TOKEN", "very-secret")
    with Sandbox(runtime(), (), home) as box:
        told = run(box, "print(json.dumps(dict(os.environ)))").answer
        log = (box._place / "log").read_text()
    assert "very-secret" not in str(told) + log
    assert {"TEACHER_TOKEN", "HF_TOKEN", "COURSE_STATE"} & told.keys() == set()
    assert told["HOME"].startswith("/box/work")


def test_it_inherits_nothing_but_its_output_and_its_reports(box: Sandbox) -> None:
    script = """
    found = {}
    for number in range(1024):
        try:
            found[number] = os.fstat(number).st_mode
        except OSError:
            pass
    print(json.dumps(found))
    """
    found = {int(k): stat.S_IFMT(v) for k, v in run(box, script).answer.items()}
    assert found.pop(0) == stat.S_IFCHR
    # Output twice; the journal and the weights. No socket, no pipe, no folder.
    assert sorted(found.values()) == [stat.S_IFREG] * 4
    assert {1, 2} <= found.keys()


def test_of_our_files_it_sees_its_own(box: Sandbox, tmp_path: Path) -> None:
    secret = tmp_path / "gradebook.db"
    secret.touch()
    others = [secret, ROOT / "README.md", ROOT / "lessons", Path(__file__), Path("/etc/passwd")]
    others += [Path("/etc/hostname"), Path("/sys/fs"), Path("/proc/1"), box._place]
    script = f"""
    print(json.dumps({{
        "box": sorted(os.listdir("/box")),
        "jobs": os.listdir("/box/jobs"),
        "groups": os.listdir("/box/groups"),
        "others": [p for p in {[str(p) for p in others]!r} if os.path.exists(p)],
        "run": os.listdir("."),
        "terminals": os.listdir("/dev/pts"),
    }}))
    """
    found = run(box, script).answer
    assert found["box"] == ["groups", "hub", "job", "jobs", "work"]
    assert found["jobs"] == found["groups"] == found["terminals"] == []
    assert found["run"] == ["exercise.py"]
    assert found["others"] == []


def test_the_answers_do_not_exist_inside(box: Sandbox) -> None:
    """Among the libraries there may be this very package, with the lessons in it."""
    script = """
    print(json.dumps([
        f"{folder}/{file}" for folder, _folders, files in walk() for file in files
        if file in ("lesson.toml", "gradebook.db", "grading.py")
    ]))
    """
    assert (paths.lessons() / "ch8-4" / "lesson.toml").exists()
    assert run(box, script).answer == []


def test_a_package_that_lies_among_the_libraries_is_hidden(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    libraries = tmp_path / "libraries"
    package = libraries / "course"
    shutil.copytree(paths.probe().parent, libraries / "course_probe")
    (package / "data" / "lessons").mkdir(parents=True)
    (package / "data" / "lessons" / "answers.toml").write_text("the answers")
    (libraries / "other.py").write_text("")
    for folder in (*tmp_path.parents, *tmp_path.rglob("*")):
        with contextlib.suppress(PermissionError):
            folder.chmod(folder.stat().st_mode | 0o555)
    monkeypatch.setattr(paths, "PACKAGE", package)
    with Sandbox(Runtime("pt", sys.executable, {}, (str(libraries),)), (), home) as box:
        script = f"""
        print(json.dumps([
            sorted(os.listdir({str(libraries)!r})),
            os.listdir({str(package)!r}),
            refused(open, {str(package / "new")!r}, "w"),
        ]))
        """
        assert run(box, script).answer == [["course", "course_probe", "other.py"], [], "EROFS"]


# What it can write


REFUSED = {"EROFS", "EACCES", "EPERM"}


def test_it_can_write_into_its_own_folder_and_nowhere_else(box: Sandbox) -> None:
    script = """
    places = []
    for folder, folders, files in walk():
        try:
            with open(os.path.join(folder, ".new"), "w"):
                places.append(folder)
        except OSError:
            pass
    devices = [name for name in os.listdir("/dev") if refused(os.remove, f"/dev/{name}") == "done"]
    print(json.dumps([sorted({p.split("/")[1] + "/" + p.split("/")[2] if p.startswith("/box") or
        p.startswith("/dev") else "/".join(p.split("/")[:2]) for p in places}), devices]))
    """
    places, removed = run(box, script, replace(TIGHT, files=20000, room=64 * MB)).answer
    assert places == ["/tmp", "box/work", "dev/shm"]
    assert removed == []


def test_its_orders_and_its_reports_can_only_be_read(box: Sandbox) -> None:
    script = """
    names = ["job.json", "journal.jsonl", "output", "weights", "limit", "run/exercise.py"]
    tried = [refused(open, f"/box/job/{name}", "r+") for name in names]
    tried.append(refused(open, "/box/job/questions.json", "w"))
    tried.append(refused(os.remove, "/box/job/job.json"))
    tried.append(refused(os.chmod, "/box/job/limit", 0o777))
    print(json.dumps(tried))
    """
    assert set(run(box, script).answer) <= REFUSED


def test_its_folder_has_room_for_so_many_bytes(box: Sandbox) -> None:
    script = """
    written = 0
    said = "none"
    while said != "ENOSPC" and written < 40:
        file = open(f"/box/work/{written}", "wb", buffering=0)
        said = refused(file.write, bytes(2**20)) if written % 2 else "done"
        if said == "done" and not written % 2:
            said = refused(file.write, bytes(2**20))
        written += 1
    others = [refused(os.mkdir, f"{folder}/new") for folder in ("/tmp", "/dev/shm")]
    size = sum(e.stat().st_size for e in os.scandir("/box/work") if e.is_file())
    print(json.dumps([said, size, others]))
    """
    said, size, _others = run(box, script).answer
    assert said == "ENOSPC"
    assert size <= TIGHT.room


@pytest.mark.parametrize("folder", ["/box/work", "/tmp", "/dev/shm"])
def test_all_that_it_can_write_is_within_the_same_room(folder: str, box: Sandbox) -> None:
    script = f"""
    said, number = "done", 0
    while said == "done" and number < 100:
        number += 1
        with open(f"{folder}/{{number}}", "wb", buffering=0) as file:
            said = refused(file.write, bytes(2**20 - 1))
    # A short write is what a full file system gives at first.
    rest = [refused(open(f"{{other}}/more", "wb", buffering=0).write, bytes(2**20)) for other in
        ("/box/work", "/tmp", "/dev/shm")]
    free = os.statvfs("/box/work")
    print(json.dumps([number, free.f_bavail * free.f_bsize]))
    """
    number, free = run(box, script).answer
    assert number <= TIGHT.room // MB + 1
    assert free == 0


def test_its_folder_has_room_for_so_many_files(box: Sandbox) -> None:
    script = """
    number, said = 0, "done"
    while said == "done":
        number += 1
        said = refused(os.mkdir, f"/tmp/{number}")
    print(json.dumps([number, said, refused(os.mkdir, "/dev/shm/more")]))
    """
    number, said, elsewhere = run(box, script).answer
    assert said == elsewhere == "ENOSPC"
    assert number <= TIGHT.files


def test_the_hub_can_be_added_to_and_not_changed(box: Sandbox, home: Path) -> None:
    script = """
    hub = os.environ["HF_HOME"]
    tried = [open(f"{hub}/data.txt").read(), refused(open, f"{hub}/data.txt", "r+")]
    tried.append(refused(open, "/box/hub/data.txt", "r+"))
    tried.append(refused(os.remove, "/box/hub/data.txt"))
    open(f"{hub}/models/tiny/added.lock", "w").write("a")
    os.remove(f"{hub}/data.txt")
    open(f"{hub}/data.txt", "w").write("poisoned")
    tried.append(open(f"{hub}/data.txt").read())
    print(json.dumps(tried))
    """
    before, *refused, own = run(box, script).answer
    assert (before, own) == ("shared", "poisoned")
    assert set(refused) <= REFUSED
    after = """
    hub = os.environ["HF_HOME"]
    print(json.dumps([open(f"{hub}/data.txt").read(), os.listdir(f"{hub}/models/tiny")]))
    """
    assert run(box, after).answer == ["shared", ["config.json"]]
    assert (home / "data.txt").read_text() == "shared"


def test_nothing_that_it_wrote_outlives_it(box: Sandbox) -> None:
    script = """
    for folder in ("/box/work", "/tmp", "/dev/shm", os.environ["HOME"], os.environ["TMPDIR"]):
        open(f"{folder}/left-behind", "w").write("for the next one")
    print("null")
    """
    look = """
    print(json.dumps([f for _folder, _folders, files in walk() for f in files
        if f == "left-behind"]))
    """
    assert run(box, script).answer is None
    assert run(box, look).answer == []
    assert os.listdir(box._place / "jobs") == ["server"]


# The network


def test_nothing_of_the_network_can_be_reached(box: Sandbox) -> None:
    name = f"course-test-{os.getpid()}"
    with socket.socket() as tcp, socket.socket(socket.AF_UNIX) as abstract:
        tcp.bind(("127.0.0.1", 0))
        tcp.listen()
        abstract.bind(f"\0{name}")
        abstract.listen()
        port = tcp.getsockname()[1]
        # They can be, from here.
        socket.create_connection(("127.0.0.1", port)).close()
        socket.socket(socket.AF_UNIX).connect(f"\0{name}")
        script = f"""
        def udp(address):
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"a", address)
        def unix(address):
            socket.socket(socket.AF_UNIX).connect(address)
        try:
            found = socket.getaddrinfo("example.com", 80)
        except socket.gaierror:
            found = None
        print(json.dumps({{
            "tcp": refused(socket.create_connection, ("127.0.0.1", {port}), 2),
            "far": refused(socket.create_connection, ("192.0.2.1", 80), 2),
            "six": refused(socket.socket(socket.AF_INET6).connect, ("::1", {port})),
            "udp": refused(udp, ("192.0.2.1", 53)),
            "near": refused(udp, ("127.0.0.1", {port})),
            "names": found,
            "abstract": refused(unix, chr(0) + {name!r}),
            "server": refused(unix, "/box/jobs/server"),
            "interfaces": refused(socket.if_nameindex),
        }}))
        """
        said = run(box, script).answer
    assert said.pop("names") is None
    assert said.pop("abstract") == "ECONNREFUSED"
    assert said.pop("server") == "ENOENT"
    assert said.pop("interfaces") == "EAFNOSUPPORT"
    assert set(said.values()) <= {"ENETUNREACH", "EADDRNOTAVAIL", "ECONNREFUSED"}


# Limits


def test_a_run_that_only_waits_lets_another_begin_and_one_that_computes_does_not(
    box: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = Turns(1)
    monkeypatch.setattr(box, "turns", turns)
    ends: list[str] = []

    def timed(name: str, script: str) -> None:
        run(box, script, replace(TIGHT, wall=5.0, cpu=2))
        ends.append(name)

    with ThreadPoolExecutor(2) as pool:
        sleeps = pool.submit(timed, "sleeps", "time.sleep(60)")
        wait_for(lambda: turns._free == 0)
        other = pool.submit(timed, "other", "pass")
        for each in (sleeps, other):
            each.result(60)
    assert ends == ["other", "sleeps"]
    with ThreadPoolExecutor(2) as pool:
        computes = pool.submit(timed, "computes", "while True: pass")
        wait_for(lambda: turns._free == 0)
        last = pool.submit(timed, "last", "pass")
        for each in (computes, last):
            each.result(60)
    assert ends == ["other", "sleeps", "computes", "last"]


def test_a_guard_that_stands_still_is_not_waited_for(
    box: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "GRACE", 0.5)
    stopped: list[int] = []

    def heard(event: dict[str, Any], desk: JobMailbox) -> None:
        if event["event"] == "start":
            (guard, _child) = descendants(server(box))
            os.kill(guard, signal.SIGSTOP)
            stopped.append(guard)

    limits = replace(TIGHT, wall=0.5, cpu=0.2)
    done = box.run(b"import time; time.sleep(60)", "a.py", limits, heard)
    assert done.limit_hit == "time-limit"
    assert done.seconds < 10
    assert not alive(*stopped)


def test_memory_that_is_no_processs_ends_with_the_group(
    box: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The buffers of sockets are in no figure of any process: only a control group has them."""
    if box._groups is None:
        pytest.skip("no control groups are delegated here")
    monkeypatch.setattr(room, "SPARE", 64 * MB)
    script = """
    def fill():
        held = []
        for _each in range(240):
            pair = socket.socketpair()
            pair[0].setblocking(False)
            held.append(pair)
            try:
                while True:
                    pair[0].send(bytes(4096))
            except BlockingIOError:
                pass
        return held
    for _each in range(6):
        if os.fork() == 0:
            held = fill()
            time.sleep(60)
    held = fill()
    time.sleep(60)
    """
    limits = replace(TIGHT, wall=10, memory=32 * MB)
    assert run(box, script, limits).done.limit_hit == "memory-limit"


# Its end


DAEMONS = """
libc.prctl(15, b"{name}", 0, 0, 0)
def stubborn():
    os.setsid()
    libc.prctl(1, 0, 0, 0, 0)
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    while True:
        time.sleep(1)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        stubborn()
    os._exit(0)
os.wait()
if os.fork() == 0:
    stubborn()
"""


def test_daemons_do_not_outlive_the_run(box: Sandbox) -> None:
    name = f"dmn{os.getpid()}"
    seen: list[int] = []
    told = run(box, DAEMONS.format(name=name), when_done=lambda: seen.extend(named(name)))
    assert (told.done.limit_hit, told.done.exit) == (None, 0)
    assert len(seen) == 3
    assert named(name) == []


def test_daemons_do_not_outlive_a_run_that_met_a_limit(box: Sandbox) -> None:
    name = f"lim{os.getpid()}"
    told = run(box, DAEMONS.format(name=name) + "time.sleep(60)", replace(TIGHT, wall=0.5))
    assert told.done.limit_hit == "time-limit"
    assert named(name) == []


def test_two_jobs_at_once_do_not_see_each_other(box: Sandbox) -> None:
    mark = f"mark-{os.getpid()}"
    first = f"""
    for folder in ("/box/work", "/tmp", "/dev/shm"):
        open(f"{{folder}}/{mark}", "w").write("a")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(chr(0) + {mark!r})
    listener.listen()
    tcp = socket.socket()
    bound = refused(tcp.bind, ("127.0.0.1", 54321))
    tcp.listen()
    print("null")
    """
    second = f"""
    seen = [folder for folder, _folders, files in walk() if {mark!r} in files]
    def there(pid):
        return refused(os.kill, pid, 0) != "ESRCH"
    print(json.dumps([
        seen, os.listdir("/box/jobs"), [p for p in range(2, 1000) if there(p)],
        refused(socket.socket(socket.AF_UNIX).connect, chr(0) + {mark!r}),
        refused(socket.create_connection, ("127.0.0.1", 54321), 2),
    ]))
    """
    said: list[Any] = []
    both = run(box, first, when_done=lambda: said.append(run(box, second).answer))
    assert both.answer is None
    (seen, jobs, processes, abstract, tcp), *_rest = said
    assert (seen, jobs, processes) == ([], [], [])
    assert abstract == "ECONNREFUSED"
    assert tcp in ("ENETUNREACH", "EADDRNOTAVAIL", "ECONNREFUSED")


def test_many_jobs_from_several_threads_each_get_their_own_answer(box: Sandbox) -> None:
    def one(number: int) -> Any:
        script = f"open('/tmp/n', 'w').write('{number}')\nprint(open('/tmp/n').read())"
        return run(box, script, name=f"e{number}.py").answer

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(one, range(20))) == list(range(20))


def test_a_job_in_trouble_is_none_of_its_neighbours_business(box: Sandbox) -> None:
    bomb = "while True:\n    try:\n        os.fork()\n    except OSError:\n        pass\n"
    with ThreadPoolExecutor(2) as pool:
        bombing = pool.submit(run, box, bomb)
        honest = [pool.submit(run, box, "time.sleep(0.1)\nprint(1)") for _each in range(4)]
        assert [told.result().answer for told in honest] == [1] * 4
        assert bombing.result().done.limit_hit == "process-limit"


# The box itself


def test_a_box_that_is_killed_loses_the_run_and_no_other(box: Sandbox) -> None:
    name = f"los{os.getpid()}"

    def kill() -> None:
        assert len(named(name)) == 3
        os.kill(server(box), signal.SIGKILL)

    with pytest.raises(ProcessLost):
        run(box, DAEMONS.format(name=name), when_done=kill)
    wait_for(lambda: named(name) == [], 2)
    assert run(box, "print(1)").answer == 1


def test_a_box_that_is_killed_between_two_runs_is_made_anew(box: Sandbox) -> None:
    assert run(box, "print(1)").answer == 1
    os.kill(server(box), signal.SIGKILL)
    assert run(box, "print(2)").answer == 2


def test_closing_the_box_leaves_nothing(home: Path) -> None:
    with Sandbox(runtime(), (), home) as box:
        assert run(box, "print(1)").answer == 1
        assert box._process is not None
        inside = [box._process.pid, *descendants(box._process.pid)]
        assert len(inside) >= 3
        place, groups = box._place, box._groups
        began = time.monotonic()
    # The last process of a control group is soon gone.
    assert time.monotonic() - began < 2
    assert not place.exists()
    wait_for(lambda: not any(alive(pid) for pid in inside), 2)
    assert groups is None or not any(folder.exists() for folder in groups.folders)


OWNER = """
import sys
from pathlib import Path
from course.runs.sandbox.bubblewrap import JobLimits, Sandbox
from course.runs.environment.runtime import Runtime

def heard(event, desk):
    print(event["event"], flush=True)

with Sandbox(Runtime("pt", sys.executable, {}), (), Path(sys.argv[1])) as box:
    print(box._place, *(box._groups.folders if box._groups else ()), flush=True)
    box.run(sys.argv[2].encode(), "exercise.py", JobLimits(wall=60), heard)
"""


def test_a_grader_that_is_killed_leaves_no_process(home: Path) -> None:
    """Its folder may stay, with copies of what was under way: among the temporary files."""
    name = f"own{os.getpid()}"
    script = FAULTY + DAEMONS.format(name=name) + "time.sleep(60)"
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(home), script],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert owner.stdout is not None
    with owner, owner.stdout:
        place, *groups = map(Path, owner.stdout.readline().split())
        wait_for(lambda: len(named(name)) == 3)
        below = descendants(owner.pid)
        assert len(below) >= 6
        owner.kill()
    wait_for(lambda: not any(alive(pid) for pid in below), 2)
    for leftover in place.glob("**/*.py"):
        leftover.unlink()
    # The next one takes away the control groups.
    with Sandbox(runtime(), (), home):
        assert not any(folder.exists() for folder in groups)


def test_each_job_has_a_control_group_where_they_are_delegated(box: Sandbox) -> None:
    if box._groups is None:
        pytest.skip("no control groups are delegated here")
    groups = box._groups
    name = f"grp{os.getpid()}"
    seen: list[set[int]] = []

    def look() -> None:
        for folder in groups.folders:
            (job,) = (f for f in folder.iterdir() if f.is_dir() and f.name != "server")
            seen.append({int(pid) for pid in (job / "cgroup.procs").read_text().split()})
            assert {*named(name)} <= seen[-1]

    run(box, DAEMONS.format(name=name), when_done=look)
    # The guard, the script, and two daemons.
    assert [len(pids) for pids in seen] == [4] * len(groups.folders)
    for folder in groups.folders:
        assert [f.name for f in folder.iterdir() if f.is_dir()] == ["server"]


def test_a_strict_umask_does_not_keep_it_from_its_orders(home: Path) -> None:
    before = os.umask(0o077)
    try:
        with Sandbox(runtime(), (), home) as box:
            assert run(box, "print(1)").answer == 1
    finally:
        os.umask(before)


def test_a_job_that_cannot_be_confined_is_not_begun_and_says_why(home: Path) -> None:
    with Sandbox(runtime(), (), home) as box:
        told = run(box, "print(1)", replace(TIGHT, room=-1))
    assert told.done.unconfined != ""
    assert told.done.output == ""
    assert told.events == []


def test_without_the_sandbox_it_works_the_same_as_ourselves(
    home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with Sandbox(runtime(), MODULES, home, unsafe=True) as box:
        script = "print(json.dumps([os.getuid(), os.path.exists(os.environ['HF_HOME'])]))"
        assert run(box, script).answer == [os.getuid(), True]
        assert run(box, "time.sleep(60)", replace(TIGHT, wall=0.3)).done.limit_hit == "time-limit"
        assert run(box, "os._exit(3)").done.exit == 3
        place = box._place
    assert not place.exists()


def test_without_the_sandbox_too_a_killed_server_takes_the_run_with_it(home: Path) -> None:
    name = f"uns{os.getpid()}"
    with Sandbox(runtime(), MODULES, home, unsafe=True) as box:

        def kill() -> None:
            assert len(named(name)) == 1
            assert box._process is not None
            os.kill(box._process.pid, signal.SIGKILL)

        with pytest.raises(ProcessLost):
            run(box, f"libc.prctl(15, b'{name}', 0, 0, 0)", when_done=kill)
        wait_for(lambda: named(name) == [], 2)
        assert run(box, "print(1)").answer == 1


# Where there is none


def fake(place: Path, text: str) -> str:
    """Make a `PATH` with a bubblewrap of ours before the system's programs."""
    program = place / "bwrap"
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(0o755)
    return f"{place}:{os.environ['PATH']}"


def test_a_system_without_bubblewrap_is_told_what_to_install(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match="apt install bubblewrap"), Sandbox(runtime(), (), home):
        pass


def test_a_system_that_refuses_is_quoted(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = fake(tmp_path, "echo 'No permissions to create a new namespace' >&2; exit 1")
    monkeypatch.setenv("PATH", path)
    with (
        pytest.raises(UserError, match=r"\(No permissions to create a new namespace\)"),
        Sandbox(runtime(), (), home),
    ):
        pass


def test_a_system_that_allows_one_sandbox_but_none_within_it_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = fake(tmp_path, 'case "$*" in *bwrap*) echo nested >&2; exit 1;; esac')
    monkeypatch.setenv("PATH", path)
    with pytest.raises(UserError, match="nested"):
        expect_sandbox()


def test_other_systems_are_told_to_use_linux(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(UserError, match="a sandbox needs Linux"):
        expect_sandbox()


def test_a_sandbox_that_does_not_start_says_what_it_said(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = fake(tmp_path, 'case "$*" in *" true") exit 0;; esac; echo "no room" >&2; exit 1')
    monkeypatch.setenv("PATH", path)
    with Sandbox(runtime(), (), home) as box:
        place = box._place
        with pytest.raises(UserError, match="could not be started: no room"):
            run(box, "print(1)")
    assert not place.exists()
