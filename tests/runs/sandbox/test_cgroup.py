"""Control groups, on trees of plain files as both versions lay them out.

What the kernel makes of them is tried in `tests/live/test_sandbox.py`, where there are any.
"""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from course.runs.sandbox import cgroup

Process = Callable[[dict[str, str], list[str]], Path]
OURS = "user.slice/app.slice/term.scope"


@pytest.fixture
def process(tmp_path: Path) -> Process:
    """Make a folder like `/proc/PID`: the groups of a process, and what is mounted where."""

    def make(own: dict[str, str], mounts: list[str]) -> Path:
        place = tmp_path / "process"
        place.mkdir()
        lines = [f"{n}:{name}:{path}\n" for n, (name, path) in enumerate(own.items())]
        (place / "cgroup").write_text("".join(lines))
        others = ["23 1 0:21 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"]
        (place / "mountinfo").write_text("".join(others + mounts))
        return place

    return make


def mounted(place: Path, kind: str, options: str = "rw", root: str = "/") -> str:
    return f"31 23 0:28 {root} {place} rw,nosuid shared:9 - {kind} cgroup {options}\n"


def unified(top: Path, given: dict[str, str]) -> None:
    """Make a tree of version 2: each group, and what it gives to those below it."""
    for path, controllers in given.items():
        folder = top / path
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "cgroup.subtree_control").write_text(f"{controllers}\n")
        (folder / "cgroup.procs").touch()


@pytest.fixture
def delegated(tmp_path: Path, process: Process) -> Path:
    """Make a process whose session has the controllers, but whose own group holds processes."""
    top = tmp_path / "tree"
    given = {"": "cpu memory pids", "user.slice": "memory pids", OURS: ""}
    unified(top, {**given, "user.slice/app.slice": "cpu memory pids"})
    return process({"": f"/{OURS}"}, [mounted(top, "cgroup2")])


@pytest.fixture
def groups(delegated: Path) -> cgroup.Groups:
    """Make the groups of a box for that process."""
    made = cgroup.make(None, delegated)
    assert made is not None
    return made


def test_in_version_2_groups_are_made_where_the_controllers_are_given(
    tmp_path: Path, groups: cgroup.Groups
) -> None:
    (folder,) = groups.folders
    assert folder.parent == tmp_path / "tree" / "user.slice" / "app.slice"
    assert (folder / "cgroup.subtree_control").read_text() == "+memory +pids"
    # A group that gives controllers on has no processes of its own.
    assert (folder / "server").is_dir()


def test_in_version_2_a_job_is_capped_swap_and_all(groups: cgroup.Groups) -> None:
    assert groups.add("000001", 5_000_000, 32)
    job = groups.memory / "000001"
    caps = {name: (job / name).read_text() for name in ("memory.max", "pids.max")}
    assert caps == {"memory.max": "5000000", "pids.max": "32"}
    assert (job / "memory.swap.max").read_text() == "0"
    assert not groups.overran("000001")
    (job / "memory.events").write_text("low 0\nhigh 0\nmax 9\noom 1\noom_kill 1\n")
    assert groups.overran("000001")


def test_in_version_2_nothing_is_made_where_nothing_is_given(
    tmp_path: Path, process: Process
) -> None:
    top = tmp_path / "tree"
    unified(top, {"": "cpu", "user.slice": "cpu", "user.slice/app.slice": "pids", OURS: ""})
    assert cgroup.make(None, process({"": f"/{OURS}"}, [mounted(top, "cgroup2")])) is None
    assert not [*top.rglob("course-*")]


def test_in_version_1_groups_are_made_below_our_own_of_each_controller(
    tmp_path: Path, process: Process
) -> None:
    memory, pids, empty = (tmp_path / name for name in ("memory", "pids", "unified"))
    (memory / "job" / "a").mkdir(parents=True)
    pids.mkdir()
    unified(empty, {"": ""})
    mounts = [
        mounted(memory, "cgroup", "rw,memory"),
        mounted(pids, "cgroup", "rw,pids"),
        mounted(empty, "cgroup2"),
    ]
    groups = cgroup.make(None, process({"memory": "/job/a", "pids": "/", "": "/"}, mounts))
    assert groups is not None
    assert [folder.parent for folder in groups.folders] == [memory / "job" / "a", pids]
    assert groups.add("000001", 5_000_000, 32)
    assert (groups.memory / "000001" / "memory.limit_in_bytes").read_text() == "5000000"
    assert (groups.pids / "000001" / "pids.max").read_text() == "32"
    events = groups.memory / "000001" / "memory.oom_control"
    events.write_text("oom_kill_disable 0\nunder_oom 0\noom_kill 0\n")
    assert not groups.overran("000001")
    events.write_text("oom_kill_disable 0\nunder_oom 0\noom_kill 2\n")
    assert groups.overran("000001")


def test_a_container_sees_its_own_group_as_the_root(tmp_path: Path, process: Process) -> None:
    memory, pids = tmp_path / "memory", tmp_path / "pids"
    mounts = []
    for place in (memory, pids):
        (place / "inner").mkdir(parents=True)
        mounts.append(mounted(place, "cgroup", f"rw,{place.name}", "/docker/123"))
    own = {"memory": "/docker/123/inner", "pids": "/docker/123"}
    groups = cgroup.make(None, process(own, mounts))
    assert groups is not None
    assert [folder.parent for folder in groups.folders] == [memory / "inner", pids]


@pytest.mark.parametrize(
    ("own", "mounts"),
    [({}, []), ({"memory": "/", "pids": "/"}, []), ({"memory": "/", "pids": "/"}, ["nonsense\n"])],
    ids=["none", "not-mounted", "unreadable"],
)
def test_without_control_groups_there_are_none_and_nothing_is_said(
    own: dict[str, str], mounts: list[str], process: Process
) -> None:
    assert cgroup.make(None, process(own, mounts)) is None


def test_where_only_one_controller_is_ours_nothing_is_left(
    tmp_path: Path, process: Process
) -> None:
    memory = tmp_path / "memory"
    memory.mkdir()
    mounts = [mounted(memory, "cgroup", "rw,memory"), mounted(tmp_path / "x", "cgroup", "rw,pids")]
    assert cgroup.make(None, process({"memory": "/", "pids": "/"}, mounts)) is None
    assert [*memory.iterdir()] == []


def test_a_job_that_gets_no_group_is_told_so(groups: cgroup.Groups) -> None:
    (groups.memory / "000001").touch()
    assert not groups.add("000001", 5_000_000, 32)


def test_a_command_begins_in_the_group_of_the_server(groups: cgroup.Groups) -> None:
    said = subprocess.run(
        groups.within(["printf", "%s|", "a b", "--", "$c"]), capture_output=True, check=True
    )
    assert said.stdout == b"a b|--|$c|"
    assert (groups.memory / "server" / "cgroup.procs").read_text() == "0\n"


def test_groups_of_those_who_are_gone_are_taken_away_and_no_others(
    tmp_path: Path, delegated: Path
) -> None:
    top = tmp_path / "tree" / "user.slice" / "app.slice"
    dead = subprocess.Popen(["true"])
    dead.wait()
    (top / f"course-box-{dead.pid}-abc" / "server").mkdir(parents=True)
    (top / f"course-box-{os.getpid()}-abc" / "server").mkdir(parents=True)
    (top / "somebody-elses").mkdir()
    groups = cgroup.make(None, delegated)
    assert groups is not None
    left = {folder.name for folder in top.iterdir() if folder.is_dir()}
    ours = {f"course-box-{os.getpid()}-abc", groups.memory.name}
    assert left == {*ours, "somebody-elses", "term.scope"}


def test_a_job_s_group_is_taken_away_when_it_is_over(tmp_path: Path) -> None:
    groups = cgroup.Groups(tmp_path / "memory", tmp_path / "pids", None)
    for folder in groups.folders:
        (folder / "server").mkdir(parents=True)
        (folder / "000001").mkdir()
    groups.remove("000001")
    assert [[f.name for f in folder.iterdir()] for folder in groups.folders] == [["server"]] * 2
    groups.remove()
    groups.remove()
    assert [*tmp_path.iterdir()] == []
