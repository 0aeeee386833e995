"""Confining a process from within: namespaces, mounts, limits, capabilities, system calls.

Everything here is for Linux, and is done once, by a child that was just forked, before it runs a
line of anybody's code. See user_namespaces(7), mount_namespaces(7), capabilities(7), seccomp(2).
"""

import ctypes
import errno
import fcntl
import os
import platform
import resource
import socket
import struct
from pathlib import Path
from typing import Any

NEWNS, NEWCGROUP, NEWUTS, NEWIPC = 0x20000, 0x2000000, 0x4000000, 0x8000000
NEWUSER, NEWPID, NEWNET = 0x10000000, 0x20000000, 0x40000000
NEW = NEWNS | NEWCGROUP | NEWUTS | NEWIPC | NEWUSER | NEWPID | NEWNET | 0x80  # 0x80: CLONE_NEWTIME
RDONLY, NOSUID, NODEV, NOEXEC, REMOUNT, BIND, REC, PRIVATE = 1, 2, 4, 8, 32, 4096, 16384, 1 << 18
SET_DEATH_SIGNAL, SET_DUMPABLE, SET_SECCOMP, SET_NO_NEW_PRIVILEGES = 1, 4, 22, 38
FILTER = 2
HANDFUL = 4096
"""Bytes of a file system that only hides another one."""
SET_FLAGS, UP = 0x8914, 1
"""Of netdevice(7): to set the flags of an interface, and the one that it is up."""

_libc = ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def become(user: int, group: int) -> None:
    """Become an unprivileged user for good.

    Raises:
        OSError: that is not allowed here.

    """
    os.setgroups([])
    os.setresgid(group, group, group)
    os.setresuid(user, user, user)
    # Its own files under `/proc` would otherwise belong to root from now on.
    _checked(_libc.prctl(SET_DUMPABLE, 1, 0, 0, 0), "prctl")


def unshare() -> None:
    """Get namespaces of our own, with nothing of the network in them; a child has the processes.

    The user keeps its number: there is nobody else in the new namespace.

    Raises:
        OSError: the system does not allow it.

    """
    user, group = os.getuid(), os.getgid()
    flags = NEWUSER | NEWPID | NEWNET | NEWIPC | NEWUTS | NEWCGROUP
    _checked(_libc.unshare(flags), "unshare")
    own = Path("/proc/self")
    (own / "setgroups").write_text("deny")
    (own / "uid_map").write_text(f"{user} {user} 1")
    (own / "gid_map").write_text(f"{group} {group} 1")


def raise_loopback() -> None:
    """Let the processes of one job reach each other at 127.0.0.1, and nobody else.

    Raises:
        OSError: the system does not allow it.

    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sh22x", b"lo", UP))


def mount_private(job: Path, room: tuple[int, int], kept: list[str]) -> None:
    """See nothing but the system, one job and a private folder from now on, and no terminals.

    `job` appears, not to be written, as `/box/job`, and `/box/work`, which `/tmp` and `/dev/shm`
    are parts of, is an empty folder in memory with `room` for so many bytes in so many files.
    Other jobs are gone, and so are processes: a fresh `/proc` may not be mounted in here. `kept`
    are folders below `/tmp` that stay where they are: libraries may be installed there.

    Raises:
        OSError: a mount is refused.

    """
    _checked(_libc.unshare(NEWNS), "unshare")
    _mount("none", "/", None, REC | PRIVATE)
    _mount(str(job), "/box/job", None, BIND)
    # Of a mount that came from outside, flags that were set may not be taken off.
    _mount("none", "/box/job", None, REMOUNT | BIND | RDONLY | NOSUID | NODEV)
    size = "size={},nr_inodes={},mode=700".format(*room)
    _mount("tmpfs", "/box/work", size, NOSUID | NODEV)
    for name, target in (("tmp", "/tmp"), ("shared", "/dev/shm")):
        part = f"/box/work/{name}"
        os.mkdir(part, 0o700)
        for folder in kept if target == "/tmp" else ():
            place = Path(part + folder.removeprefix("/tmp"))
            if os.path.isdir(folder):
                place.mkdir(parents=True, exist_ok=True)
            else:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.touch()
            _mount(folder, str(place), None, BIND | REC)
        _mount(part, target, None, BIND | REC)
    for shared in ("/box/jobs", "/box/groups", "/dev/pts"):
        _mount("tmpfs", shared, f"size={HANDFUL},nr_inodes=1,mode=555", RDONLY | NOSUID | NODEV)
    # It reads the same, but memory that is mapped from it would be nobody's, and without a limit.
    _mount("/dev/full", "/dev/zero", None, BIND)
    _hide_processes()


def _hide_processes() -> None:
    """Have nothing under `/proc` but what libraries look for: the machine, and who they are."""
    seen = {name: Path("/proc", name).read_text("latin-1") for name in ("cpuinfo", "meminfo")}
    program = os.readlink("/proc/self/exe")
    _mount("tmpfs", "/proc", "size=1m,nr_inodes=8,mode=755", NOSUID | NODEV)
    for name, text in seen.items():
        Path("/proc", name).write_text(text)
    Path("/proc/self").mkdir()
    Path("/proc/self/exe").symlink_to(program)
    Path("/proc/self/cmdline").write_bytes(os.fsencode(program) + b"\0")
    _mount("none", "/proc", None, REMOUNT | BIND | RDONLY | NOSUID | NODEV)


def _mount(source: str, target: str, options: str | None, flags: int) -> None:
    kind = source.encode() if source == "tmpfs" else None
    data = options.encode() if options is not None else None
    result = _libc.mount(
        source.encode(), target.encode(), kind, ctypes.c_ulong(flags), ctypes.c_char_p(data)
    )
    _checked(result, f"mount {target}")


def mirror(source: Path, target: Path) -> None:
    """Make the folders of a tree anew, each file in them a link: to be added to, not changed."""
    for folder, _names, names in os.walk(source):
        own = target / os.path.relpath(folder, source)
        own.mkdir()
        for name in names:
            (own / name).symlink_to(os.path.join(folder, name))


def limit(limits: dict[str, Any]) -> None:
    """Set what the kernel itself counts: a second fence, beyond what the guard ends a run for."""
    memory = 2 * limits["memory"] + 2**32  # what libraries reserve and never use counts too
    for kind, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, limits["file"]),
        # Each may be a socket, whose buffers are no process's memory.
        (resource.RLIMIT_NOFILE, 512),
        (resource.RLIMIT_NPROC, 2 * limits["tasks"]),
        (resource.RLIMIT_DATA, memory),
        (resource.RLIMIT_CPU, int(limits["cpu"]) + 5),
        (resource.RLIMIT_MSGQUEUE, 0),
        (resource.RLIMIT_MEMLOCK, 2**16),
        (resource.RLIMIT_RTPRIO, 0),
    ):
        hard = resource.getrlimit(kind)[1]
        # Nobody may raise what was set lower before us.
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (most, most))


def give_up_privileges(parent_pipe: int, *, several: bool) -> None:
    """Drop every capability, and filter system calls; no program run later gets more.

    `parent_pipe` is at its end when the parent is: the death signal is set last, since changing
    what a process may do unsets it. `several` are to train together: each of those that torch
    starts wants a death signal of its own, and is told that it has one.

    Raises:
        OSError: the system does not allow it.

    """
    header = struct.pack("Ii", 0x20080522, 0)
    _checked(_libc.capset(header, bytes(24)), "capset")
    _checked(_libc.prctl(SET_DEATH_SIGNAL, 9, 0, 0, 0), "prctl")
    os.set_blocking(parent_pipe, False)
    try:
        if os.read(parent_pipe, 1) == b"":
            os._exit(1)
    except BlockingIOError:
        pass
    os.close(parent_pipe)
    _checked(_libc.prctl(SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0), "prctl")
    program = _filter(platform.machine(), several=several)
    if program:
        instructions = ctypes.create_string_buffer(b"".join(program))
        description = _Program(len(program), ctypes.cast(instructions, ctypes.c_void_p))
        _checked(_libc.prctl(SET_SECCOMP, FILTER, ctypes.byref(description), 0, 0), "seccomp")


class _Program(ctypes.Structure):
    """`struct sock_fprog`."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


# System calls by their numbers on x86_64 and on aarch64 (asm/unistd_64.h, asm-generic/unistd.h).
DENIED = {
    # Other namespaces and other roots.
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39),
    "pivot_root": (155, 41), "chroot": (161, 51), "open_tree": (428, 428),
    "move_mount": (429, 429), "fsopen": (430, 430), "fsconfig": (431, 431),
    "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442),
    "statmount": (457, 457), "listmount": (458, 458), "open_tree_attr": (467, 467),
    # Other processes' memory and descriptors.
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438), "kcmp": (312, 272),
    # Parts of the kernel that nobody needs here.
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218), "bpf": (321, 280),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282), "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265), "quotactl": (179, 60),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106),
    "kexec_load": (246, 104), "kexec_file_load": (320, 294), "reboot": (169, 142),
    "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89), "syslog": (103, 116),
    "settimeofday": (164, 170), "clock_settime": (227, 112), "adjtimex": (159, 171),
    "clock_adjtime": (305, 266), "fanotify_init": (300, 262),
    # Memory that no limit counts.
    "shmget": (29, 194), "msgget": (68, 186), "semget": (64, 190), "memfd_secret": (447, 447),
}  # fmt: skip
ABSENT = {"clone3": (435, 435), "memfd_create": (319, 279)}
"""Calls that are answered as an older kernel would: the C library then uses others."""
SOCKET = (41, 198)
EQUAL, ANY_OF = 0x15, 0x45
OUTLIVING = ((157, 167), 0, 0xFFFFFFFF, EQUAL, SET_DEATH_SIGNAL)
"""What of prctl would let a run outlive its guard; as in `ARGUMENTS`."""
ARGUMENTS = (
    # A call, the place of an argument, its bits that count, and what they may not be.
    ((56, 220), 0, NEW & ~0x80, ANY_OF, NEW & ~0x80),  # clone: a namespace
    ((72, 25), 1, 0xFFFFFFFF, EQUAL, 1024),  # fcntl: a lease, which holds up who opens the file
    ((9, 222), 3, 0x21, EQUAL, 0x21),  # mmap: shared and of no file, which no limit counts
)
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
FAMILIES = (1, 2, 10)
"""Families of sockets: Unix, and the internet's two, which lead nowhere."""
NETLINK, ROUTE = 16, 0
"""The family by which a process asks the kernel, and what of it tells the network's addresses."""


def _filter(machine: str, *, several: bool) -> list[bytes]:
    """Build a program for seccomp: what it does not deny is allowed. Empty for unknown machines."""
    # An error of zero is a success that nobody has had a hand in.
    errors = [*((each, errno.EPERM) for each in ARGUMENTS)]
    errors.append((OUTLIVING, 0 if several else errno.EPERM))
    if machine not in MACHINES:
        return []
    column, architecture = MACHINES[machine]
    load, at_least, both, answer = 0x20, 0x35, 0x54, 0x06
    allow, refuse = 0x7FFF0000, 0x00050000
    number, arch, first_argument = 0, 4, 16

    def line(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
        return struct.pack("HBBI", code, yes, no, value)

    def refused(error: int) -> bytes:
        return line(answer, refuse | error)

    program = [
        line(load, arch),
        line(EQUAL, architecture, 1, 0),
        refused(errno.EPERM),  # a call in the way of another, older architecture
        line(load, number),
        line(at_least, 0x40000000, 0, 1),
        refused(errno.EPERM),
    ]
    for calls, error in ((DENIED, errno.EPERM), (ABSENT, errno.ENOSYS)):
        for numbers in calls.values():
            program += [line(EQUAL, numbers[column], 0, 1), refused(error)]
    for (numbers, place, bits, comparison, value), error in errors:
        program += [
            line(EQUAL, numbers[column], 0, 5),
            line(load, first_argument + 8 * place),
            line(both, bits),
            line(comparison, value, 0, 1),
            refused(error),
            line(answer, allow),
        ]
    families: tuple[int, ...] = FAMILIES
    if several:
        # They ask for their addresses before they meet; of what else it is for, nothing.
        families = (*FAMILIES, NETLINK)
        program += [
            line(EQUAL, SOCKET[column], 0, 5),
            line(load, first_argument),
            line(EQUAL, NETLINK, 0, 3),
            line(load, first_argument + 16),
            line(EQUAL, ROUTE, 1, 0),
            refused(errno.EAFNOSUPPORT),
            line(load, number),
        ]
    program += [
        line(EQUAL, SOCKET[column], 0, 3 + len(families)),
        line(load, first_argument),
        *(line(EQUAL, family, len(families) - place, 0) for place, family in enumerate(families)),
        refused(errno.EAFNOSUPPORT),
        line(answer, allow),
        line(answer, allow),
    ]
    return program
