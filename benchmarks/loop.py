"""The learner's loop: `python benchmarks/loop.py [--runs 5] [--quick]`.

Side by side in one run, in turn, so that a busy moment of the machine falls on all alike:

- from the save to the verdict, on steps that fail before the first training step: a plain
  `python exercise.py` (with the offline variables and the one thread that `course` sets, so that
  neither a network nor OpenMP flatters us), `course run PATH`, and `course watch`;
- from the start to the first line that the script prints, after its imports (python's unbuffered);
- the healthy run: what it takes beyond the training and evaluation, as the Trainer measured them;
- the memory of ten runs at once: the unique set size of each child (what would be freed if it
  were gone), against that of a process of its own.
"""

import argparse
import json
import os
import re
import select
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from course.exercise import working_copy
from course.lesson import lesson
from course.lesson.lesson import Part
from course.runs import hub, warm_pool
from course.runs.environment import runtime
from course.runs.process import Job
from course.runs.run_context import RunContext
from course.runs.warm_pool import Warm

EARLY = ("missing-input-ids", "length-mismatch", "target-out-of-bounds")
"""Steps that fail before the first training step."""
COURSE = [sys.executable, "-m", "course"]
CHILDREN = 10
FIRST_LINE = b"the first line"


def main() -> None:
    """Measure and print tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="leave out the healthy run")
    arguments = parser.parse_args()
    # An installed package is compiled; what counts is not how long a checkout takes to compile.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    part = lesson.load("ch8-4").parts["pt"]
    found = runtime.find("pt", part.requires)
    embedded = hub.embedded(found)
    place = RunContext(found, embedded, warm=Warm(found, part.imports))
    plain = {**os.environ, **embedded.environment, **embedded.pace, "CUDA_VISIBLE_DEVICES": ""}
    with tempfile.TemporaryDirectory() as folder:
        os.environ["COURSE_STATE"] = str(Path(folder) / "state")
        early(part, Path(folder), plain, arguments.runs)
        printed(part, Path(folder), plain, arguments.runs)
        if not arguments.quick:
            healthy(part, Path(folder), plain, arguments.runs)
    memory(part, place)
    warm_pool.stop()


def text_at(part: Part, step: str) -> str:
    """Return the exercise with the bugs that it still has at this step."""
    bugs = next(s.bugs for s in part.steps if s.id == step)
    return working_copy.text(part, part.bugs).split("\n", 1)[0] + "\n" + part.text(bugs)


def seconds(command: list[str], environment: dict[str, str], folder: Path) -> float:
    """Wall-clock seconds of one command."""
    began = time.perf_counter()
    subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    return time.perf_counter() - began


class Watch:
    """A `course watch` that prints its verdicts into a pipe."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [*COURSE, "watch", str(folder), "--lang", "en"],
            cwd=folder,  # not the checkout, whose `course` may be another one than that installed
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.wait_for(b"course hint")

    def wait_for(self, words: bytes) -> None:
        """Read until these words come."""
        assert self._process.stdout is not None
        read = b""
        while words not in read:
            ready, _w, _x = select.select([self._process.stdout], [], [], 120)
            assert ready, read
            read += os.read(self._process.stdout.fileno(), 65536)

    def drain(self) -> None:
        """Take in what is still being said."""
        assert self._process.stdout is not None
        while select.select([self._process.stdout], [], [], 0.5)[0]:
            os.read(self._process.stdout.fileno(), 65536)

    def end(self) -> None:
        """Stop it."""
        self._process.terminate()
        self._process.wait()


def early(part: Part, folder: Path, plain: dict[str, str], runs: int) -> None:
    """Time the steps that fail before the first training step."""
    path = working_copy.start(part, part.bugs, folder / "mine")
    run = [*COURSE, "run", str(path), "--lang", "en"]
    seconds(run, dict(os.environ), folder)
    watch = Watch(path.parent)
    took: dict[tuple[str, str], list[float]] = {}
    for _number in range(runs):
        for step in EARLY:
            text = text_at(part, step)
            (folder / "exercise.py").write_text(text)
            # A text that differs from the last one, as after any edit.
            path.write_text(text + f"# {time.monotonic_ns()}\n")
            watch.wait_for(b"course hint")
            for name, command, environment in (
                ("python", [sys.executable, "exercise.py"], plain),
                ("run", run, dict(os.environ)),
            ):
                took.setdefault((step, name), []).append(seconds(command, environment, folder))
            watch.drain()
            began = time.perf_counter()
            path.write_text(text + f"# {time.monotonic_ns()}\n")
            watch.wait_for(f"(`{step}`)".encode())
            took.setdefault((step, "watch"), []).append(time.perf_counter() - began)
    watch.end()
    print("\nFrom the save to the verdict, median seconds:\n")
    print("| step | `python exercise.py` | `course run PATH` | ratio | `course watch` | ratio |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for step in EARLY:
        base, run_, watched = (
            statistics.median(took[step, name]) for name in ("python", "run", "watch")
        )
        ratios = f"{run_:.2f} | {run_ / base:.3f} | {watched:.2f} | {watched / base:.3f}"
        print(f"| `{step}` | {base:.2f} | {ratios} |")


def first_line(command: list[str], environment: dict[str, str], folder: Path) -> float:
    """Wall-clock seconds until a command prints the script's first line; then it is ended."""
    began = time.perf_counter()
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        while FIRST_LINE not in (line := process.stdout.readline()):
            assert line
        took = time.perf_counter() - began
        process.terminate()
    return took


def printed(part: Part, folder: Path, plain: dict[str, str], runs: int) -> None:
    """Time the first line that a script prints once it has its imports."""
    path = working_copy.start(part, part.bugs, folder / "prints")
    text = path.read_text().replace("set_seed(42)", f"set_seed(42)\nprint({FIRST_LINE.decode()!r})")
    (folder / "exercise.py").write_text(text)
    path.write_text(text)
    commands = {
        "python": ([sys.executable, "-u", "exercise.py"], plain),
        "run": ([*COURSE, "run", str(path), "--lang", "en"], dict(os.environ)),
    }
    took: dict[str, list[float]] = {name: [] for name in commands}
    for _number in range(runs):
        for name, (command, environment) in commands.items():
            took[name].append(first_line(command, environment, folder))
    base, run_ = (statistics.median(took[name]) for name in commands)
    print("\nFrom the start to the first line that the script prints, median seconds:\n")
    print("| `python -u exercise.py` | `course run PATH` | ratio |")
    print("| ---: | ---: | ---: |")
    print(f"| {base:.2f} | {run_:.2f} | {run_ / base:.3f} |")


def healthy(part: Part, folder: Path, plain: dict[str, str], runs: int) -> None:
    """Time the healthy run: the whole of it, and without its training and evaluation."""
    path = working_copy.start(part, (), folder / "healthy")
    (folder / "exercise.py").write_text(part.text(()))
    beyond: dict[str, list[float]] = {"python": [], "run": []}
    whole: dict[str, list[float]] = {"python": [], "run": []}
    for _number in range(runs):
        began = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "exercise.py"], cwd=folder, env=plain, capture_output=True, text=True
        )
        took = time.perf_counter() - began
        inside = re.search(r"'train_runtime': '?([0-9.]+)", done.stdout)
        assert inside is not None, done.stdout
        whole["python"].append(took)
        beyond["python"].append(took - float(inside[1]))
        began = time.perf_counter()
        out = subprocess.run([*COURSE, "run", str(path), "--json"], capture_output=True).stdout
        took = time.perf_counter() - began
        step = json.loads(out)["steps"][0]
        assert step["matched"], out
        whole["run"].append(took)
        beyond["run"].append(took - step["metrics"]["train_seconds"])
    print("\nThe healthy run, median seconds (training and evaluation are the same work):\n")
    print("| | whole | beyond training and evaluation |")
    print("| --- | ---: | ---: |")
    for name, label in (("python", "`python exercise.py`"), ("run", "`course run PATH`")):
        row = f"{statistics.median(whole[name]):.1f} | {statistics.median(beyond[name]):.2f}"
        print(f"| {label} | {row} |")
    ratio = statistics.median(beyond["run"]) / statistics.median(beyond["python"])
    print(f"\nBeyond the training: {ratio:.2f} of what `python` takes.")


def memory(part: Part, place: RunContext) -> None:
    """Measure the unique set sizes of ten children in the middle of their training."""
    sizes: dict[int, float] = {}

    def run(number: int, warm_one: bool) -> Any:
        here = place if warm_one else RunContext(place.runtime, place.hub)
        text = part.text(()).replace("num_train_epochs=3", "max_steps=120")
        return here.run(Job(text, name=f"exercise{number}.py"))

    print(f"\nMemory of {CHILDREN} runs at once, MB of unique set size, at their highest:\n")
    with ThreadPoolExecutor(CHILDREN) as pool:
        runs = [pool.submit(run, number, True) for number in range(CHILDREN)]
        while not all(r.done() for r in runs):
            for pid in children():
                sizes[pid] = max(sizes.get(pid, 0.0), unique(pid))
            time.sleep(0.2)
        assert all(r.result().warm for r in runs)
    cold: dict[int, float] = {}
    with ThreadPoolExecutor(1) as pool:
        one = pool.submit(run, 0, False)
        while not one.done():
            for pid in probes("job.json"):
                cold[pid] = max(cold.get(pid, 0.0), unique(pid))
            time.sleep(0.2)
    shared = statistics.median(sizes.values())
    print("| | median | highest |")
    print("| --- | ---: | ---: |")
    print(f"| each of {len(sizes)} children | {shared:.0f} | {max(sizes.values()):.0f} |")
    print(f"| a process of its own | {max(cold.values()):.0f} | |")
    print(f"\nA child takes {shared / max(cold.values()):.2f} of what a process of its own does.")


def probes(word: str) -> Iterator[int]:
    """Yield the ids of the probe's processes that have this word in their command."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            command = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if b"course_probe/__main__.py" in command and word.encode() in command:
            yield int(entry.name)


def children() -> Iterator[int]:
    """Children of the warm runtime: they have its command, and it for a parent."""
    warm_ones = set(probes("--warm"))
    for pid in warm_ones:
        try:
            status = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(status[1]) in warm_ones:
            yield pid


def unique(pid: int) -> float:
    """MB that only this process has (`smaps_rollup`, see proc(5))."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    private = (line.split()[1] for line in lines if line.startswith("Private_"))
    return sum(map(int, private)) / 1024


if __name__ == "__main__":
    main()
