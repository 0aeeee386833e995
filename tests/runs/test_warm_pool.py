"""Real warm processes, without a framework: what they inherit, survive, and leave behind."""

import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from course.base import paths
from course.runs import process, warm_pool
from course.runs.environment.runtime import Runtime
from course.runs.process import Job, Run
from course.runs.warm_pool import Warm
from tests.command import ROOT
from tests.runs.conftest import alive, noted_in, parent, sleeper, wait_for, waiting

pytestmark = [
    pytest.mark.live,  # no framework, but more time than a save has
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc, and forks"),
]
FAILED, LOST = warm_pool.STARTS_COLD.split("{")[0], process.LOST


@pytest.fixture
def ready(bare: Runtime, apart: Path, monkeypatch: pytest.MonkeyPatch) -> Warm:
    """Where a server with one import is found; none has been started."""
    monkeypatch.setenv("COURSE_WARM", "fork")
    return Warm(bare, ("json",))


def run(ready: Warm, script: str, *, cold: bool = False, **options: Any) -> Run:
    looks, beside = options.pop("looks", ()), options.pop("beside", None)
    return process.run(
        ready.runtime,
        Job(script, looks, beside=beside),
        environment=options.pop("environment", {}),
        warm=None if cold else ready,
        **options,
    )


def spare_run(ready: Warm, script: str, **options: Any) -> Run:
    wait_for(lambda: list(paths.private().glob("*.spare")))
    return run(ready, script, **options)


@contextmanager
def beside(work: Callable[[], Run]) -> Iterator["Future[Run]"]:
    """Begin a run in another thread, which does not outlive a test that fails."""
    future: Future[Run] = Future()

    def attend() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    thread = threading.Thread(target=attend, daemon=True)
    thread.start()
    try:
        yield future
        future.result(10)
    finally:
        if not future.done():
            process.stop_all()
        thread.join(5)


def server(folder: Path) -> int:
    (pid,) = waiting(folder)
    return pid


def vanished(*pids: int) -> bool:
    wait_for(lambda: not any(map(alive, pids)))
    return True


def waiter(noted: Path, go: Path) -> str:
    """Write a script that writes down its process id and then waits for a file."""
    return (
        "import os, time\n"
        f"open({str(noted)!r}, 'w').write(f'{{os.getpid()}}\\n')\n"
        f"while not os.path.exists({str(go)!r}): time.sleep(0.01)\n"
        "print('went')\n"
    )


def counted(ready: Warm) -> tuple[Warm, list[int]]:
    """Do the same, with a list that grows with each start that is announced."""
    starts: list[int] = []
    return replace(ready, began=lambda: starts.append(1)), starts


def module(folder: Path, name: str, text: str) -> dict[str, str]:
    """Write a module; the variables with which it is found."""
    (folder / f"{name}.py").write_text(text)
    return {"PYTHONPATH": str(folder)}


# Coming and going


def test_a_server_leaves_when_it_was_idle_for_long(
    ready: Warm, apart: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COURSE_IDLE", "0.2")
    # A run that takes longer is not idleness.
    done = run(ready, "import os, time\ntime.sleep(0.3)\nprint(os.getppid())\n")
    assert done.warm
    first = int(done.output)
    assert vanished(first)
    assert not list(apart.glob("*.sock*"))
    done = run(ready, "import os\nprint(os.getppid())\n")
    assert done.warm
    assert int(done.output) != first


def test_a_silent_connection_keeps_nobody_waiting_and_no_server_from_leaving(
    ready: Warm, apart: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COURSE_IDLE", "0.5")
    assert run(ready, "").warm
    pid = server(apart)
    with socket.socket(socket.AF_UNIX) as silent, socket.socket(socket.AF_UNIX) as half:
        silent.connect(str(next(apart.glob("*.sock"))))
        half.connect(str(next(apart.glob("*.sock"))))
        half.sendall(b'{"do": ')
        assert run(ready, "").warm
        assert vanished(pid)


def test_a_request_that_makes_no_sense_hurts_nobody(ready: Warm, apart: Path) -> None:
    assert run(ready, "").warm
    pid = server(apart)
    for said in (b"", b"nonsense\n", b"[]\n", b"{}\n", b'{"do": 5}\n', b'{"do": ', b"x" * 2**20):
        with socket.socket(socket.AF_UNIX) as strange, suppress(BrokenPipeError):
            strange.connect(str(next(apart.glob("*.sock"))))
            strange.sendall(said)
    assert run(ready, "").warm
    assert server(apart) == pid


def test_stop_ends_the_server_at_once(ready: Warm, apart: Path) -> None:
    assert warm_pool.stop() == 0
    assert run(ready, "").warm
    assert warm_pool.stop() == 1
    assert waiting(apart) == []
    assert not list(apart.glob("*.sock*"))
    assert warm_pool.stop() == 0
    assert run(ready, "").warm


def test_stop_ends_a_run_as_well(ready: Warm, apart: Path, tmp_path: Path) -> None:
    with beside(lambda: run(ready, sleeper(tmp_path / "pid"))) as under_way:
        child = noted_in(tmp_path / "pid")
        assert warm_pool.stop() == 1
        assert waiting(apart) == []
        assert not alive(child)
        done = under_way.result(10)
    # It ended as a run ends that is killed; it is not begun again.
    assert (done.warm, done.note, done.record.status, done.record.exit_code) == (
        True,
        "",
        "died",
        -9,
    )


def test_a_server_at_its_imports_leaves_after_them_when_told_to_stop(
    ready: Warm, apart: Path, tmp_path: Path
) -> None:
    variables = module(tmp_path, "slow", waiter(tmp_path / "pid", tmp_path / "go"))
    slow = replace(ready, modules=("slow",))
    with beside(lambda: run(slow, "print(1)", environment=variables)) as under_way:
        pid = noted_in(tmp_path / "pid")
        # Not within the same tick of the file system's clock.
        time.sleep(0.05)
        assert warm_pool.stop() == 0
        assert alive(pid)
        (tmp_path / "go").touch()
        done = under_way.result(10)
    assert (done.warm, done.note, done.output) == (False, "", "1\n")
    assert waiting(apart) == []
    # It was told to leave; that is no reason not to start another one.
    assert run(slow, "", environment=variables).warm


def test_a_server_killed_at_its_imports_is_started_again(
    ready: Warm, apart: Path, tmp_path: Path
) -> None:
    variables = module(tmp_path, "slow", waiter(tmp_path / "pid", tmp_path / "go"))
    slow = replace(ready, modules=("slow",))
    with beside(lambda: run(slow, "print(1)", environment=variables)) as under_way:
        os.kill(noted_in(tmp_path / "pid"), signal.SIGKILL)
        (tmp_path / "go").touch()
        done = under_way.result(10)
    assert (done.warm, done.note, done.output) == (True, "", "1\n")
    assert server(apart)


@pytest.mark.parametrize("change", ["variable", "modules", "package"])
def test_what_the_imports_depend_on_has_the_server_replaced(
    ready: Warm, apart: Path, tmp_path: Path, change: str
) -> None:
    packages = tmp_path / "site-packages"
    packages.mkdir()
    ready = replace(ready, runtime=replace(ready.runtime, site=(str(packages),)))
    script = waiter(tmp_path / "pid", tmp_path / "go")
    with beside(lambda: run(ready, script)) as under_way:
        noted_in(tmp_path / "pid")
        old = server(apart)
        if change == "package":
            (packages / "sentences-1.0.dist-info").mkdir()
        other = replace(ready, modules=("json", "csv")) if change == "modules" else ready
        variables = {"HF_HOME": str(tmp_path)} if change == "variable" else {}
        assert run(other, "", environment=variables).warm
        (new,) = set(waiting(apart)) - {old}
        assert run(other, "", environment=variables).warm
        # The run that is under way in the old one goes on.
        assert alive(old)
        (tmp_path / "go").touch()
        done = under_way.result(10)
    assert (done.warm, done.note, done.output) == (True, "", "went\n")
    assert vanished(old)
    assert waiting(apart) == [new]
    assert len(list(apart.glob("*.sock"))) == 1


def test_a_link_that_leads_nowhere_among_the_packages_is_no_obstacle(
    ready: Warm, tmp_path: Path
) -> None:
    (tmp_path / "gone.pth").symlink_to(tmp_path / "nowhere")
    site = (str(tmp_path), str(tmp_path / "no folder"))
    assert run(replace(ready, runtime=replace(ready.runtime, site=site)), "").warm


# What a run begins with

FACTS = """
import gc, json, locale, os, resource, signal, sys, tempfile, threading, time
place = os.path.dirname(os.path.dirname(__file__))
descriptors = {}
for number in os.listdir("/proc/self/fd"):
    try:
        descriptors[number] = os.readlink(f"/proc/self/fd/{number}")
    except OSError:
        pass
facts = {
    "folder": os.getcwd(),
    "arguments": sys.argv,
    "path": sys.path,
    "environment": dict(os.environ),
    "temporary": tempfile.gettempdir(),
    "stdin": [sys.stdin.read(), sys.stdin.fileno(), os.read(0, 1).decode()],
    "streams": [[s.encoding, s.errors, s.mode, s.line_buffering, s.write_through]
                for s in (sys.stdin, sys.stdout, sys.stderr)],
    "descriptors": descriptors,
    "handlers": {s.name: repr(signal.getsignal(s)) for s in signal.valid_signals()
                 if isinstance(s, signal.Signals)},
    "signals": [line for line in open("/proc/self/status") if line[:6] in
                ("SigBlk", "SigIgn", "SigCgt")],
    "wakeup": signal.set_wakeup_fd(-1),
    "leads": [os.getpgrp() == os.getpid(), os.getsid(0) == os.getpid()],
    "threads": [len(os.listdir("/proc/self/task")), threading.active_count()],
    "limits": [resource.getrlimit(n) for n in range(16)],
    "mask": os.umask(0),
    "nice": os.nice(0),
    "zone": time.tzname,
    "locale": [locale.setlocale(locale.LC_ALL), locale.getpreferredencoding()],
    "gc": [gc.isenabled(), gc.get_threshold()],
    "interpreter": [sys.executable, list(sys.flags), sys.getrecursionlimit(), sys.prefix],
    "hooks": [sys.excepthook is sys.__excepthook__, sys.gettrace(), sys.getprofile()],
    "main": [__name__, __file__, sorted(n for n in globals() if n.startswith("__"))],
}
open(FILE, "w").write(json.dumps(facts).replace(place, "PLACE"))
"""


def facts(ready: Warm, file: Path, **options: Any) -> dict[str, Any]:
    done = run(ready, FACTS.replace("FILE", repr(str(file))), **options)
    assert done.record.status == "finished", done.output
    assert done.warm != options.get("cold", False)
    found: dict[str, Any] = json.loads(file.read_text())
    return found


def test_a_warm_run_begins_with_what_a_cold_one_begins_with(
    ready: Warm, apart: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Relative to a folder that is another one each time, a path leads nowhere anyway.
    monkeypatch.delenv("PYTHONPATH", raising=False)
    run(ready, "")
    pid = server(apart)
    variables = {"MY_VAR": "mine", "TZ": "Asia/Tokyo"}
    # Two runs beside it have connections open, of which this one must know nothing.
    with (
        beside(lambda: run(ready, waiter(tmp_path / "1", tmp_path / "go"), environment=variables)),
        beside(lambda: run(ready, waiter(tmp_path / "2", tmp_path / "go"), environment=variables)),
    ):
        noted_in(tmp_path / "1")
        noted_in(tmp_path / "2")
        begun = facts(ready, tmp_path / "facts", environment=variables)
        (tmp_path / "go").touch()
    cold = facts(ready, tmp_path / "facts", environment=variables, cold=True)
    assert begun == cold
    assert begun["environment"]["MY_VAR"] == "mine"
    assert begun["environment"]["TMPDIR"] == begun["temporary"] == "PLACE"
    assert begun["folder"] == begun["path"][0] == "PLACE/run"
    assert begun["handlers"]["SIGINT"] == repr(signal.default_int_handler)
    assert begun["zone"][0] == "JST"
    assert server(apart) == pid


def test_each_run_has_its_own_chance(ready: Warm) -> None:
    scripts = ["import random\nprint(random.random())\n"] * 3
    assert len({run(ready, script).output for script in scripts}) == 3


def test_memory_that_runs_out_ends_the_child_and_not_the_server(ready: Warm, apart: Path) -> None:
    done = run(ready, "print(open('/proc/self/oom_score_adj').read())")
    assert int(done.output) == 1000
    ours = Path("/proc/self/oom_score_adj").read_text()
    assert Path(f"/proc/{server(apart)}/oom_score_adj").read_text() == ours


def test_a_module_beside_the_script_is_found(ready: Warm, tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("x = 'helped'\n")
    for cold in (False, True):
        done = run(ready, "import helper\nprint(helper.x)\n", beside=tmp_path, cold=cold)
        assert (done.warm, done.output) == (not cold, "helped\n")


def test_a_file_that_hides_an_imported_module_makes_the_run_begin_from_cold(
    ready: Warm, apart: Path, tmp_path: Path
) -> None:
    both = replace(ready, modules=("colorsys", "wave"))
    assert run(both, "").warm
    pid = server(apart)
    for module, name in (("colorsys", "colorsys.py"), ("wave", "wave/__init__.py")):
        file = tmp_path / f"has {module}" / name
        file.parent.mkdir(parents=True)
        file.write_text("x = 'hidden'\n")
        done = run(both, f"from {module} import x\nprint(x)\n", beside=tmp_path / f"has {module}")
        assert (done.warm, done.note, done.output) == (False, "", "hidden\n")
    # The server has nothing to do with it, and stays.
    assert run(both, "").warm
    assert server(apart) == pid


# What a run may do

BACKGROUND = (
    "import subprocess, sys\n"
    "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
    "open(NOTED, 'w').write(f'{child.pid}\\n')\n"
)
MISCHIEF = {
    "crashes": "import ctypes\nctypes.string_at(0)\n",
    "vanishes": "import os\nos._exit(0)\n",
    "kills itself": "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n",
    "kills its group": "import os, signal\nos.killpg(0, signal.SIGTERM)\n",
    "leaks a daemon thread": (
        "import threading, time\n"
        "threading.Thread(target=time.sleep, args=[600], daemon=True).start()\n"
    ),
    "leaks a thread": (
        "import threading, time\nthreading.Thread(target=time.sleep, args=[600]).start()\n"
    ),
    "leaves a process behind": BACKGROUND,
    "leaves a process behind and dies": BACKGROUND + "import os\nos.abort()\n",
    "closes all its files": "import os\nos.closerange(0, 256)\n",
    "prints without end": "while True: print('x' * 1000)\n",
    "fills its memory": (
        "import resource\n"
        "resource.setrlimit(resource.RLIMIT_AS, (2**29, 2**29))\n"
        "hoard = []\n"
        "while True: hoard.append(bytes(10**7))\n"
    ),
    "opens files without end": (
        "import resource\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))\n"
        "hoard = []\n"
        "while True: hoard.append(open('/dev/null'))\n"
    ),
    "meddles with signals": (
        "import signal\n"
        "for number in (signal.SIGTERM, signal.SIGCHLD, signal.SIGINT):\n"
        "    signal.signal(number, signal.SIG_IGN)\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())\n"
    ),
}


def test_a_script_ends_as_it_would_from_cold_and_the_server_lives_on(
    ready: Warm, apart: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "OUTPUT_CAP", 10_000)
    assert run(ready, "").warm
    pid = server(apart)

    def end(name: str, cold: bool) -> tuple[Any, ...]:
        noted = tmp_path / f"{name} {cold}"
        script = MISCHIEF[name].replace("NOTED", repr(str(noted)))
        done = run(ready, script, timeout=20, cold=cold)
        assert (done.warm, done.note) == (not cold, ""), name
        assert "NOTED" not in MISCHIEF[name] or vanished(noted_in(noted)), name
        return done.record.status, done.record.exit_code, done.record.raised

    with ThreadPoolExecutor(2) as pool:
        for name in MISCHIEF:
            begun, cold = pool.map(end, [name] * 2, [False, True])
            assert begun == cold, name
            assert server(apart) == pid, name


# What may happen to a run


def test_a_server_lost_in_the_middle_of_a_run_is_made_up_for(
    ready: Warm, apart: Path, tmp_path: Path
) -> None:
    child, grandchild = tmp_path / "child", tmp_path / "grandchild"
    script = (
        "import os, sys\n"
        "print('begun')\n"
        f"if os.path.exists({str(child)!r}): sys.exit(3)\n"
        + BACKGROUND.replace("NOTED", repr(str(grandchild)))
        + sleeper(child)
    )
    heard: list[str] = []
    with beside(lambda: run(ready, script, listen=lambda e: heard.append(e["event"]))) as under_way:
        noted_in(child)
        os.kill(server(apart), signal.SIGKILL)
        done = under_way.result(10)
    assert (done.warm, done.note) == (False, LOST)
    assert (done.record.status, done.record.exit_code, done.output) == ("finished", 3, "begun\n")
    # What was heard of the first run is taken back, and is not in the record.
    assert heard.count("again") == 1
    assert heard.index("again") == heard.index("start", 1) - 1
    assert len(done.lines) == len(heard) - heard.index("again") - 1
    assert vanished(noted_in(child), noted_in(grandchild))
    assert run(ready, "").warm


@pytest.mark.parametrize("left", ["socket", "file"])
def test_a_name_that_nobody_answers_to_is_taken_over(ready: Warm, apart: Path, left: str) -> None:
    assert run(ready, "").warm
    (path,) = apart.glob("*.sock")
    warm_pool.stop()
    if left == "socket":
        with socket.socket(socket.AF_UNIX) as stale:
            stale.bind(str(path))
    else:
        path.write_text("no socket")
    assert run(ready, "").warm
    assert run(ready, "").warm
    assert path.is_socket()
    assert len(waiting(apart)) == 1


def test_a_request_that_is_not_answered_does_not_hang(
    ready: Warm, apart: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(ready, "").warm
    pid = server(apart)
    os.kill(pid, signal.SIGSTOP)
    with monkeypatch.context() as impatient:
        impatient.setattr(warm_pool, "ANSWER", 0.1)
        began = time.monotonic()
        done = run(ready, "print(1)")
        assert time.monotonic() - began < 5
    assert (done.warm, done.output) == (False, "1\n")
    assert done.note.startswith(FAILED)
    # When it goes on, it finds requests that nobody waits for any more.
    os.kill(pid, signal.SIGCONT)
    assert run(ready, "print(2)").output == "2\n"
    assert server(apart) == pid


def test_a_run_ends_in_time_also_where_the_server_stands_still(
    ready: Warm, apart: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with beside(lambda: run(ready, sleeper(tmp_path / "pid"), timeout=1.0)) as under_way:
        child = noted_in(tmp_path / "pid")
        os.kill(server(apart), signal.SIGSTOP)
        with monkeypatch.context() as impatient:
            impatient.setattr(warm_pool, "ANSWER", 0.1)
            assert under_way.result(10).record.status == "time-limit"
    assert vanished(child)
    os.kill(server(apart), signal.SIGCONT)
    assert run(ready, "").warm


def test_a_client_that_is_killed_takes_its_child_with_it(
    ready: Warm, apart: Path, tmp_path: Path
) -> None:
    assert run(ready, "").warm
    pid = server(apart)
    code = (
        "import sys\n"
        "from course.runs import process\n"
        "from course.runs.environment.runtime import Runtime\n"
        "from course.runs.warm_pool import Warm\n"
        "bare = Runtime('pt', sys.executable, {})\n"
        "job = process.Job(sys.argv[1])\n"
        "process.run(bare, job, environment={}, warm=Warm(bare, ('json',)))\n"
    )
    script = BACKGROUND.replace("NOTED", repr(str(tmp_path / "background")))
    script += sleeper(tmp_path / "pid")
    client = subprocess.Popen([sys.executable, "-c", code, script], cwd=ROOT)
    child = noted_in(tmp_path / "pid")
    assert parent(child) == pid
    client.kill()
    client.wait()
    assert vanished(child, noted_in(tmp_path / "background"))
    assert run(ready, "").warm
    assert server(apart) == pid


@pytest.mark.parametrize(("kind", "times"), [("cold", 1), ("fork", 8), ("spare", 2)])
def test_stopping_all_runs_has_each_return_as_one_that_died(
    ready: Warm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, times: int
) -> None:
    monkeypatch.setenv("COURSE_WARM", kind)
    for number in range(times):
        noted = tmp_path / str(number)
        if kind == "spare":
            run(ready, "")
            wait_for(lambda: list(paths.private().glob("*.spare")))

        def work(noted: Path = noted) -> Run:
            return run(ready, sleeper(noted), cold=kind == "cold")

        with beside(work) as under_way:
            child = noted_in(noted)
            wait_for(lambda: process._running)
            process.stop_all()
            done = under_way.result(10)
        assert (done.record.status, done.note, done.warm) == ("died", "", kind != "cold")
        assert vanished(child)


# Many at once


@pytest.mark.parametrize("count", [2, 8])
def test_runs_that_find_no_server_start_one_together(
    ready: Warm, apart: Path, tmp_path: Path, count: int
) -> None:
    counting, starts = counted(ready)
    # Each waits until all of them are there.
    script = (
        "import os, time\n"
        f"open(os.path.join({str(tmp_path)!r}, str(os.getpid())), 'w').close()\n"
        f"while len(os.listdir({str(tmp_path)!r})) < {count}: time.sleep(0.01)\n"
        "print(os.getpid())\n"
    )
    with ThreadPoolExecutor(count) as pool:
        done = list(pool.map(lambda _n: run(counting, script, timeout=20), range(count)))
    assert all(d.warm for d in done)
    assert len({d.output for d in done}) == count
    assert len(starts) == 1
    assert server(apart)


def test_a_server_that_nobody_waited_for_makes_way(
    ready: Warm, apart: Path, tmp_path: Path
) -> None:
    """Who started it was killed meanwhile; the next one starts another before it is done."""
    text = waiter(tmp_path / "pid", tmp_path / "go")
    variables = module(tmp_path, "slow", text.replace("'w'", "'a'"))
    slow = replace(ready, modules=("slow",))
    starter = os.fork()
    if starter == 0:
        run(slow, "", environment=variables)
        os._exit(0)
    first = noted_in(tmp_path / "pid")
    os.kill(starter, signal.SIGKILL)
    os.waitpid(starter, 0)
    with beside(lambda: run(slow, "", environment=variables)) as under_way:
        wait_for(lambda: (tmp_path / "pid").read_text().count("\n") == 2)
        assert len(waiting(apart)) == 2
        (tmp_path / "go").touch()
        assert under_way.result(10).warm
    wait_for(lambda: len(waiting(apart)) == 1)
    assert run(slow, "", environment=variables).warm
    assert alive(first) != alive(int((tmp_path / "pid").read_text().split()[1]))


def test_who_holds_the_lock_for_ever_does_not_hold_up_others(
    ready: Warm, apart: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody who pressed Ctrl-Z while the server was starting, say."""
    assert run(ready, "").warm
    warm_pool.stop()
    monkeypatch.setattr(warm_pool, "START", 0.2)
    (lock,) = apart.glob("*.lock")
    with FileLock(lock), beside(lambda: run(ready, "print(1)")) as under_way:
        done = under_way.result(5)
    assert (done.warm, done.output) == (False, "1\n")
    assert done.note.startswith(FAILED)


# Where none can be had


@pytest.mark.parametrize("trouble", ["owned by others", "open to others", "a link", "a file"])
@pytest.mark.parametrize("which", ["top", "folder"])
def test_a_folder_that_is_not_this_users_alone_is_not_used(
    apart: Path, monkeypatch: pytest.MonkeyPatch, trouble: str, which: str
) -> None:
    place = apart if which == "folder" else apart.parent
    if trouble == "owned by others":
        found = os.getuid()
        monkeypatch.setattr(os, "getuid", lambda: found + 1)
        monkeypatch.setattr("tempfile.tempdir", str(apart.parent.parent))
    elif trouble == "open to others":
        place.chmod(0o770)
    else:
        aside = place.rename(place.with_name("aside"))
        if trouble == "a link":
            place.symlink_to(aside)
        else:
            place.touch()
    with pytest.raises(OSError, match=str(apart.parent.parent)):
        paths.private()


def test_without_a_folder_for_sockets_runs_begin_from_cold(ready: Warm, apart: Path) -> None:
    apart.chmod(0o777)
    done = run(ready, "print(1)")
    assert (done.warm, done.output) == (False, "1\n")
    assert str(apart) in done.note


@pytest.mark.parametrize("named", ["too long", "missing", "relative", "none", "another's"])
def test_sockets_lie_among_temporary_files_where_there_is_no_better_place(
    apart: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    long = tmp_path / ("x" * 60)
    long.mkdir()
    values = {"too long": str(long), "missing": "/not/there", "relative": "tmp", "none": ""}
    if named in values:
        monkeypatch.setenv("XDG_RUNTIME_DIR", values[named])
    elif os.getuid() == 0:
        os.chown(os.environ["XDG_RUNTIME_DIR"], 1, -1)
    else:
        pytest.skip("only root can give a folder to another user")
    monkeypatch.setattr("tempfile.tempdir", str(apart))
    assert paths.private().parent == paths.temporary()


def test_sockets_lie_in_tmp_where_every_other_place_has_too_long_a_name(
    ready: Warm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ("x" * 60)).mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / ("x" * 60)))
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    folder = paths.private()
    assert folder.parent.parent == Path("/tmp")
    assert run(ready, "").warm
    assert server(folder)
    assert warm_pool.stop() == 1
    shutil.rmtree(folder)


def test_imports_that_start_a_thread_are_not_forked(
    ready: Warm, apart: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    variables = module(
        tmp_path,
        "spins",
        "import threading, time\n"
        f"open({str(tmp_path / 'started')!r}, 'a').write('x')\n"
        "threading.Thread(target=time.sleep, args=[600]).start()\n",
    )
    counting, announced = counted(replace(ready, modules=("json", "spins")))
    done = run(counting, "print(1)", environment=variables)
    assert (done.warm, done.output) == (False, "1\n")
    assert done.note.startswith(FAILED)
    assert waiting(apart) == []
    (log,) = apart.glob("*.log")
    assert str(log) in done.note
    assert "threads" in log.read_text()
    # It is not tried again at once, and the user is told nothing more.
    done = run(counting, "print(2)", environment=variables)
    assert (done.warm, done.note, done.output) == (False, "", "2\n")
    assert (len((tmp_path / "started").read_text()), len(announced)) == (1, 1)
    # It is in another environment, and after a while.
    assert run(ready, "").warm
    monkeypatch.setattr(warm_pool, "AGAIN", 0.0)
    assert run(counting, "", environment=variables).note.startswith(FAILED)
    assert (len((tmp_path / "started").read_text()), len(announced)) == (2, 2)


def test_a_thread_that_ends_during_the_imports_is_no_obstacle(ready: Warm, tmp_path: Path) -> None:
    variables = module(
        tmp_path,
        "spun",
        "import threading\n"
        "threads = [threading.Thread(target=int) for _ in range(50)]\n"
        "for thread in threads: thread.start()\n"
        "for thread in threads: thread.join()\n",
    )
    assert run(replace(ready, modules=("spun",)), "", environment=variables).warm


def test_a_module_that_cannot_be_imported_is_left_to_the_script(
    ready: Warm, tmp_path: Path
) -> None:
    variables = module(tmp_path, "broken", "raise RuntimeError('broken')\n")
    odd = replace(ready, modules=("no_such_module", "broken", "json"))
    done = run(odd, "import broken\n", environment=variables)
    assert done.warm
    assert done.record.raised is not None
    assert done.record.raised.message == "broken"


# Spare interpreters


@pytest.fixture
def spare(ready: Warm, monkeypatch: pytest.MonkeyPatch) -> Warm:
    """Where a spare interpreter is found: one waits."""
    monkeypatch.setenv("COURSE_WARM", "spare")
    assert not run(ready, "").warm
    wait_for(lambda: list(paths.private().glob("*.spare")))
    return ready


def test_spares_leave_nothing_behind(
    ready: Warm, apart: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COURSE_WARM", "spare")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert not run(ready, "").warm
    assert spare_run(ready, "").warm
    wait_for(lambda: list(apart.glob("*.spare")))
    assert warm_pool.stop() == 1
    wait_for(lambda: not waiting(apart))
    assert {path.suffix for path in apart.iterdir()} <= {".log", ""}
    assert list(tmp_path.iterdir()) == []


def test_a_spare_leaves_when_nobody_came(
    ready: Warm, apart: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COURSE_WARM", "spare")
    monkeypatch.setenv("COURSE_IDLE", "0.2")
    run(ready, "")
    wait_for(lambda: list(apart.glob("*.spare")))
    assert vanished(server(apart))
    assert not list(apart.glob("*.spare"))


def test_a_spare_of_another_environment_makes_way(spare: Warm, apart: Path) -> None:
    old = server(apart)
    assert not run(spare, "", environment={"HF_HOME": "/elsewhere"}).warm
    assert vanished(old)
    assert spare_run(spare, "", environment={"HF_HOME": "/elsewhere"}).warm


@pytest.mark.parametrize("name", ["SIGKILL", "SIGSTOP"])
def test_a_spare_that_does_not_answer_does_not_hang(
    spare: Warm, apart: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    pid = server(apart)
    os.kill(pid, signal.Signals[name])
    with monkeypatch.context() as impatient:
        impatient.setattr(warm_pool, "ANSWER", 0.1)
        with beside(lambda: run(spare, "print(1)")) as under_way:
            try:
                done = under_way.result(5)
            finally:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
    assert (done.warm, done.output) == (False, "1\n")
    assert spare_run(spare, "").warm


# The record


def test_servers_killed_at_random_cost_no_run(
    ready: Warm, apart: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also while they start; each run ends with the right record, whatever it took."""
    monkeypatch.setattr(warm_pool, "AGAIN", 0.0)
    chance = random.Random(1)
    moments = [chance.uniform(0, 0.06) if chance.random() < 0.12 else None for _ in range(100)]

    def kill() -> None:
        for pid in waiting(apart):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def attempt(number: int) -> str:
        script = f"import time\ntime.sleep(0.01)\nprint('said', {number})\n"
        script += f"raise ValueError({number})\n" if number % 3 else ""
        moment = moments[number]
        killer = threading.Timer(moment or 0, kill)
        if moment is not None:
            killer.start()
        began = time.monotonic()
        done = run(ready, script, timeout=10)
        assert time.monotonic() - began < 10
        if moment is not None:
            killer.join()
        assert done.output.startswith(f"said {number}\n")
        assert done.output.count("said") == 1
        assert [json.loads(line)["event"] for line in done.lines].count("start") == 1
        if number % 3:
            assert (done.record.status, done.record.exit_code) == ("exception", 1)
            assert done.record.raised is not None
            assert done.record.raised.message == str(number)
        else:
            assert (done.record.status, done.record.exit_code) == ("finished", 0)
        assert done.warm or done.note
        return done.note

    with ThreadPoolExecutor(2) as pool:
        notes = list(pool.map(attempt, range(100)))
    # Without these it would prove nothing.
    assert notes.count(LOST) >= 2
    assert notes.count("") >= 30
    assert run(ready, "").warm
    assert server(apart)
