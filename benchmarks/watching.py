"""What does it cost to be watched?  ``python benchmarks/watching.py [LESSON[:tf] …] [--pairs N]``

The healthy script of each lesson runs as `python script.py` and as `course run` runs it cold, in
turns, on the embedded hub and on one thread each. Prints a Markdown table: the processor time of
the whole process, medians over the pairs, and the ratio of each pair's two. A run that is watched
also answers some of its evaluation anew with the weights it began with, which is in it. Keras
(`ch8-4:tf`) compiles its evaluation, so there the watched run answers all of it once more, too.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

from course import paths
from course.lesson import lesson
from course.runs import hub
from course.runs.child import inherited
from course.runs.environment import runtime

LESSONS = ["ch3-2", "ch3-3", "ch3-4", "ch8-4", "ch8-4:tf"]


def cpu(words: list[str], environment: dict[str, str], folder: Path) -> float:
    """Seconds of processor time of a process and of those that it has waited for."""
    with (folder / "output").open("ab") as sink:
        process = subprocess.Popen(
            words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=sink, stderr=sink
        )
        _pid, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit((folder / "output").read_text("utf-8"))
    return usage.ru_utime + usage.ru_stime


def once(text: str, python: str, environment: dict[str, str], *, watched: bool) -> float:
    """One run in a folder of its own."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        script = folder / "exercise.py"
        script.write_text(text, "utf-8")
        if not watched:
            return cpu([python, str(script)], environment, folder)
        (folder / "journal").touch()
        order = {"script": str(script), "journal": str(folder / "journal"), "looks": []}
        job = folder / "job.json"
        job.write_text(json.dumps({**order, "stop": str(folder / "stop"), "beside": None}))
        return cpu([python, str(paths.probe()), str(job)], environment, folder)


def main() -> None:
    """Run the pairs, and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("lessons", nargs="*", default=LESSONS)
    parser.add_argument("--pairs", type=int, default=5)
    options = parser.parse_args()
    print("| lesson | alone, s | watched, s | ratio | lowest to highest |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name in options.lessons:
        id_, _colon, framework = name.partition(":")
        part = lesson.load(id_).parts[framework or "pt"]
        found = runtime.find(part.framework, part.requires)
        variables = hub.embedded(found).environment
        environment = {**inherited(), **variables, "CUDA_VISIBLE_DEVICES": ""}
        environment |= {"OMP_NUM_THREADS": "1", "ACCELERATE_USE_CPU": "1"}
        pairs = []
        for number in range(options.pairs):
            order = (False, True) if number % 2 else (True, False)
            taken = {w: once(part.text(()), found.python, environment, watched=w) for w in order}
            pairs.append((taken[False], taken[True]))
        ratios = [watched / alone for alone, watched in pairs]
        alone, watched = (statistics.median(times) for times in zip(*pairs, strict=True))
        spread = f"{min(ratios):.3f} to {max(ratios):.3f}"
        ratio = statistics.median(ratios)
        print(f"| `{name}` | {alone:.1f} | {watched:.1f} | {ratio:.3f} | {spread} |", flush=True)


if __name__ == "__main__":
    main()
