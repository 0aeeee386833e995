"""Control groups: where some are ours to make, the kernel itself caps what each job takes.

A box looks at its processes anyway (`course_probe/serve/sandbox_worker.py`) and knows what they
hold. The cap of a group also holds for memory that belongs to no process, such as the buffers of
sockets. Version 2 is used where `memory` and `pids` are delegated, version 1 where both can be
written; see cgroups(7). Everywhere else there is none, and nothing is said.
"""

import contextlib
import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

PREFIX = "course-box-"
PROCESSES = "cgroup.procs"
SERVER = "server"
"""The group of what is no job: in version 2, a group that holds others holds no processes."""
PATIENCE = 2.0
"""Seconds after which the last process of a group should be gone."""


@dataclass(frozen=True)
class Groups:
    """The groups of one box: below `memory` and `pids`, which in version 2 are one folder.

    `owner` is the user that processes of the box have, if it is not ours.
    """

    memory: Path
    pids: Path
    owner: int | None

    @property
    def folders(self) -> list[Path]:
        """The folders that the groups lie in, each once."""
        return [self.memory, self.pids][: 1 if self._unified else 2]

    @property
    def _unified(self) -> bool:
        return self.memory == self.pids

    def add(self, name: str, memory: int, tasks: int) -> bool:
        """Make the group of a job, of at most so many bytes and threads; whether it could be."""
        cap = "memory.max" if self._unified else "memory.limit_in_bytes"
        try:
            self._make(name)
            (self.memory / name / cap).write_text(str(memory))
            (self.pids / name / "pids.max").write_text(str(tasks))
        except OSError:
            return False
        with contextlib.suppress(OSError):
            # Only version 2 can always cap it, and not every system has any.
            (self.memory / name / "memory.swap.max").write_text("0")
        return True

    def overran(self, name: str) -> bool:
        """Whether the kernel has ended a process of a job, since its group had no memory left."""
        events = "memory.events" if self._unified else "memory.oom_control"
        with contextlib.suppress(OSError, ValueError, KeyError):
            lines = (self.memory / name / events).read_text().splitlines()
            return int(dict(line.split() for line in lines)["oom_kill"]) > 0
        return False

    def remove(self, name: str = "") -> None:
        """Take away the group of a job, or all of them, once the last process is gone."""
        deadline = time.monotonic() + PATIENCE
        for folder in self.folders:
            while not _removed(folder / name) and time.monotonic() < deadline:
                time.sleep(0.01)

    def within(self, command: list[str]) -> list[str]:
        """Return the command that begins another one in the group of the server."""
        enter = 'while [ "$1" != -- ]; do echo 0 > "$1"; shift; done; shift; exec "$@"'
        files = [str(folder / SERVER / PROCESSES) for folder in self.folders]
        return ["sh", "-c", enter, "sh", *files, "--", *command]

    def prepare(self) -> None:
        """Make what jobs' groups need beside them.

        Raises:
            OSError: the system does not allow it.

        """
        self._make(SERVER)
        if self._unified:
            self._make("")
            (self.memory / "cgroup.subtree_control").write_text("+memory +pids")

    def _make(self, name: str) -> None:
        for folder in self.folders:
            (folder / name).mkdir(exist_ok=True)
            if self.owner is not None:
                os.chown(folder / name / PROCESSES, self.owner, self.owner)


def make(owner: int | None, process: Path = Path("/proc/self")) -> Groups | None:
    """Make groups for a box below those of a process; none where they are not ours to make."""
    made: list[Path] = []
    with contextlib.suppress(OSError, ValueError, KeyError):
        for top in _tops(process):
            _sweep(top)
            made.append(Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=top)))
            made[-1].chmod(0o755)
        groups = Groups(made[0], made[-1], owner)
        groups.prepare()
        return groups
    for folder in made:
        _removed(folder)
    return None


def _tops(process: Path) -> list[Path]:
    """Find the folders where a process may make groups: that of both controllers, or of each.

    Raises:
        OSError, ValueError, KeyError: there are none.

    """
    own = dict(line.split(":", 2)[1:] for line in (process / "cgroup").read_text().splitlines())
    mounted: dict[str, tuple[Path, Path]] = {}
    for line in (process / "mountinfo").read_text().splitlines():
        before, _dash, after = line.partition(" - ")
        root, mount = before.split()[3:5]
        kind, _source, options = after.split()[:3]
        for name in {"cgroup2": [""], "cgroup": options.split(",")}.get(kind, []):
            inside = Path(own[name]).is_relative_to(root) if name in own else False
            within = Path(own[name]).relative_to(root) if inside else Path()
            mounted[name] = Path(mount), within
    for folder in _upwards(*mounted[""]) if "" in mounted else ():
        given = (folder / "cgroup.subtree_control").read_text().split()
        if {"memory", "pids"} <= set(given) and os.access(folder / PROCESSES, os.W_OK):
            return [folder]
    return [Path(*mounted["memory"]), Path(*mounted["pids"])]


def _upwards(mount: Path, within: Path) -> list[Path]:
    """Return a folder and those above it, up to where the tree of groups begins."""
    return [mount / within, *(mount / above for above in within.parents)]


def _sweep(top: Path) -> None:
    """Take away what a killed process of ours has left; groups with processes in them stay."""
    for folder in top.glob(f"{PREFIX}*"):
        owner = folder.name.removeprefix(PREFIX).partition("-")[0]
        if not Path("/proc", owner).exists():
            _removed(folder)


def _removed(folder: Path) -> bool:
    """Take away a folder of groups; whether it is gone."""
    try:
        for inner in folder.iterdir():
            if inner.is_dir():
                inner.rmdir()
        folder.rmdir()
    except FileNotFoundError:
        pass
    except OSError:
        return False
    return True
