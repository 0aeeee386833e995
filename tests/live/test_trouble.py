"""Bad luck of every kind: one sentence, the right status, and nothing left behind or lost."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pexpect
import pytest

from course.lesson import lesson
from course.runs import hub
from course.runs.environment.runtime import Runtime, find
from tests.command import CLEAN, ROOT, course
from tests.runs.conftest import wait_for
from tests.tiers import exhaustive


def pt() -> Runtime:
    return find("pt", lesson.load("ch8-4").parts["pt"].requires)


def probes() -> list[str]:
    """Find the processes that run a learner's script for these tests, by their ids."""
    mark = f"COURSE_TESTS={os.getpid()}".encode()
    found, servers = {}, set()
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            command = (process / "cmdline").read_bytes()
            if (
                b"course_probe/__main__.py" in command
                and mark in (process / "environ").read_bytes()
            ):
                found[process.name] = (process / "stat").read_text().rsplit(")", 1)[1].split()[1]
                if b"--warm" in command:
                    servers.add(process.name)
    # A warm runtime itself stays; its children have its command, and it for a parent.
    return [name for name, parent in found.items() if name not in servers or parent in servers]


RUN = ("run", "ch8-4", "--step", "healthy", "--yes")
PROVE = ("dev", "check", "ch8-4")


@pytest.mark.parametrize(
    ("command", "number", "status"),
    [
        (RUN, signal.SIGINT, 130),
        (RUN, signal.SIGTERM, 143),
        (RUN, signal.SIGHUP, 129),
        (PROVE, signal.SIGINT, 130),
    ],
)
def test_a_signal_ends_the_run_and_all_its_processes(
    command: tuple[str, ...], number: int, status: int
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "course", *command],
        cwd=ROOT, env=CLEAN, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    # `dev check` reads all texts first.
    wait_for(probes, 60)
    time.sleep(1)
    process.send_signal(number)
    _out, err = process.communicate(timeout=20)
    assert process.returncode == status
    assert "Traceback" not in err
    wait_for(lambda: not probes(), 5)


def terminal(*arguments: str, lang: str = "zh") -> "pexpect.spawn[str]":
    return pexpect.spawn(
        sys.executable,
        ["-m", "course", *arguments, "--lang", lang],
        cwd=str(ROOT),
        env={**CLEAN, "TERM": "xterm-256color"},
        encoding="utf-8",
        dimensions=(24, 80),
        timeout=120,
    )


def test_ctrl_c_on_a_terminal_restores_it() -> None:
    shown = terminal("run", "ch8-4", "--step", "healthy", lang="ru")
    shown.expect("> ?")
    shown.send("\r")
    shown.expect(r"\[\?25l")
    wait_for(probes)
    shown.sendintr()
    shown.expect(pexpect.EOF)
    seen = shown.before or ""
    shown.close()
    assert shown.exitstatus == 130
    # The live line hides the cursor; whoever hides it shows it again.
    assert seen.rfind("\x1b[?25h") > seen.rfind("\x1b[?25l")
    wait_for(lambda: not probes(), 5)


def test_two_runs_at_once_lay_out_one_hub(tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(course, "env", COURSE_CACHE=str(tmp_path)) for _ in range(2)]
        first, second = (run.result() for run in runs)
    assert (first.returncode, second.returncode) == (0, 0)
    assert first.stdout == second.stdout
    (place,) = tmp_path.iterdir()
    assert (place / "hub").is_dir()


def test_a_cache_that_cannot_be_written_is_replaced_with_a_note() -> None:
    done = course("env", COURSE_CACHE="/proc/none", TMPDIR="/tmp")
    assert done.returncode == 0
    assert "`/proc/none` cannot be written" in done.stderr
    assert "export HF_HOME=" in done.stdout


def unshared(command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command with mounts of its own, where this machine allows that."""
    return subprocess.run(
        ["unshare", "-rm", "bash", "-c", command],
        cwd=ROOT, env={**CLEAN, **variables}, capture_output=True, text=True,
    )  # fmt: skip


def test_a_full_disk_is_told_in_one_sentence(tmp_path: Path) -> None:
    mount = f"mount -t tmpfs -o size=256k none {tmp_path}"
    done = unshared(f"{mount} && {sys.executable} -m course env; echo status $?; ls -A {tmp_path}",
                    COURSE_CACHE=str(tmp_path))  # fmt: skip
    assert done.stdout == "status 2\n"
    assert "There is not enough space" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_full_place_for_temporary_files_is_told_too(tmp_path: Path) -> None:
    hub.embedded(pt())
    mount = f"mount -t tmpfs -o size=4k,nr_inodes=2 none {tmp_path}"
    done = unshared(f"{mount} && {sys.executable} -m course run ch8-4 --yes; echo status $?",
                    TMPDIR=str(tmp_path))  # fmt: skip
    assert "status 2" in done.stdout
    assert "Traceback" not in done.stderr
    assert "space" in done.stderr


@pytest.mark.parametrize("name", ["课程", exhaustive("Мои уроки"), exhaustive("it's a & (b)")])
def test_a_home_may_have_any_name(tmp_path: Path, name: str) -> None:
    home = tmp_path / name
    home.mkdir()
    variables = {k: v for k, v in CLEAN.items() if k not in ("COURSE_CACHE", "XDG_CACHE_HOME")}
    record = home / "record.jsonl"
    done = subprocess.run(
        [sys.executable, "-m", "course", "dev", "record", "ch8-4", "missing-input-ids",
         "-o", str(record)],
        cwd=ROOT, env={**variables, "HOME": str(home)}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "input_ids" in record.read_text()
    assert (home / ".cache" / "course").is_dir()


def test_no_home_at_all_is_no_hindrance() -> None:
    variables = {k: v for k, v in CLEAN.items() if k not in ("COURSE_CACHE", "HOME")}
    done = subprocess.run(
        [sys.executable, "-m", "course", "list"],
        cwd=ROOT, env=variables, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0


@pytest.mark.parametrize("shell", [exhaustive("bash"), "fish"])
def test_env_leads_a_script_run_by_hand_to_the_hub(tmp_path: Path, shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    shutil.copy(ROOT / "lessons/ch8-4/pt/exercise.py", tmp_path)
    python = sys.executable
    load = {"bash": 'eval "$({0})"', "fish": "{0} | source"}[shell]
    command = load.format(f"{python} -m course env --shell {shell}")
    done = subprocess.run(
        [shell, "-c", f"{command}; cd {tmp_path}; {python} exercise.py"],
        cwd=ROOT, env=CLEAN, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 1
    assert "input_ids or inputs_embeds" in done.stderr


def test_a_reader_that_leaves_early_stops_the_walk() -> None:
    command = f"{sys.executable} -m course run ch8-4 --yes | head -n 2"
    done = subprocess.run(
        ["bash", "-c", command], cwd=ROOT, env=CLEAN, capture_output=True, text=True
    )
    assert len(done.stdout.splitlines()) == 2
    assert done.stderr == ""
    wait_for(lambda: not probes(), 5)


@pytest.mark.exhaustive  # libraries ask for half a minute before they give up
def test_the_real_hub_out_of_reach_is_a_fault_with_a_name() -> None:
    """`--hub online` with an address that nobody answers at: told, not waited for."""
    done = course(
        "run", "ch8-4", "--hub", "online", "--step", "healthy", "--json", "--timeout", "300",
        HF_ENDPOINT="http://127.0.0.1:9", HF_HOME=f"/tmp/course-none-{os.getpid()}",
    )  # fmt: skip
    assert done.returncode == 1
    assert '"hub": "online"' in done.stdout
    assert '"fault": "hub-unreachable"' in done.stdout
