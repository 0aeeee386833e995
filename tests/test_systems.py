"""What only POSIX has is not needed to import a module: neither ours nor a test of the fast tier.

Windows is simulated: whatever our own modules import of a system's, lacks what Windows lacks.
"""

import pytest

from tests.command import python

LINUX_ONLY = ["course_probe.serve.confine", "course_probe.serve.sandbox_worker"]
"""What runs in the sandbox alone, which only Linux has."""
LIVE = [
    "tests.attacks",
    "tests.honest",
    "tests.live",
    "tests.scripts",
    "tests.twin",
]
"""Tests of the live tier, and scripts that they run."""
HIDING = """
import builtins, importlib, os, select, signal, socket, sys, time, types
from pathlib import Path

MODULES = set("crypt curses fcntl grp posix pty pwd readline resource syslog termios tty".split())
ATTRIBUTES = {
    os: '''
        O_CLOEXEC O_DIRECTORY O_NOCTTY O_NOFOLLOW O_NONBLOCK P_PID WEXITSTATUS WIFEXITED WIFSIGNALED
        WNOHANG WTERMSIG WUNTRACED chown chroot fork forkpty getegid geteuid getgid getgroups
        getloadavg getpgid getpgrp getpriority getsid getuid initgroups killpg lchown memfd_create
        mkfifo mknod nice openpty pidfd_open posix_fallocate posix_spawn pread pwrite
        register_at_fork sched_getaffinity sched_setaffinity sendfile setegid seteuid setgid
        setgroups setpgid setpriority setsid setuid statvfs sysconf uname wait wait3 wait4 waitid
    ''',
    select: "epoll poll",
    signal: '''
        ITIMER_REAL SIGALRM SIGBUS SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGQUIT SIGSTOP SIGTSTP
        SIGUSR1 SIGUSR2 SIGWINCH SIGXCPU SIG_BLOCK SIG_SETMASK SIG_UNBLOCK alarm pause
        pthread_kill pthread_sigmask setitimer sigpending sigtimedwait sigwait
    ''',
    socket: "AF_UNIX CMSG_SPACE SCM_RIGHTS SO_PEERCRED recv_fds send_fds",
    time: "CLOCK_MONOTONIC CLOCK_REALTIME clock_gettime tzset",
}
SHOWN = {}
for module, hidden in ATTRIBUTES.items():
    SHOWN[module.__name__] = shown = types.ModuleType(module.__name__)
    shown.__dict__.update({k: v for k, v in vars(module).items() if k not in hidden.split()})
ours, *left_out = sys.argv[1:]
load = builtins.__import__


def hiding(name, globals=None, locals=None, fromlist=(), level=0):
    importer = (globals or {}).get("__name__", "")
    if level == 0 and importer.partition(".")[0] == ours:
        if name.partition(".")[0] in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}")
        if name in SHOWN:
            return SHOWN[name]
    return load(name, globals, locals, fromlist, level)


builtins.__import__ = hiding
for file in sorted(Path(ours).rglob("*.py")):
    name = ".".join(file.with_suffix("").parts).removesuffix(".__init__")
    if name.endswith("__main__") or f"{name}.".startswith(tuple(f"{each}." for each in left_out)):
        continue
    try:
        importlib.import_module(name)
    except Exception as error:
        print(f"{name}: {error}")
"""


def failing(package: str, *left_out: str) -> str:
    """Import each module of a package in a process of its own; say which need POSIX."""
    done = python("-c", HIDING, package, *left_out)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("package", "left_out"),
    [
        ("course", []),
        ("course_probe", LINUX_ONLY),
        pytest.param("tests", LIVE, marks=pytest.mark.live),
    ],
)
def test_every_module_is_imported_where_there_is_no_posix(
    package: str, left_out: list[str]
) -> None:
    assert failing(package, *left_out) == ""


def test_what_needs_posix_is_found() -> None:
    found = failing("course_probe")
    assert [line.partition(":")[0] for line in found.splitlines()] == LINUX_ONLY
