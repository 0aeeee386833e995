"""Our grading on a Dask cluster of one local worker beside `--jobs`, on the same submissions."""

import statistics
import time
from collections.abc import Callable

from course.runs.sandbox.turns import AHEAD
from grading import with_course
from grading.submissions import Example
from grading.tool import Scores, Setting


def report(
    examples: list[Example], setting: Setting, rounds: int, say: Callable[[str], None]
) -> None:
    """Grade in turn with the one and the other, and print the medians."""
    try:
        from distributed import LocalCluster
    except ImportError as error:
        raise SystemExit("--cluster wants `pip install distributed`.") from error
    made = with_course.make(examples, setting.folder)
    took: dict[str, list[float]] = {"jobs": [], "cluster": []}
    marks: dict[str, Scores] = {}
    for number in range(rounds):
        for way in took:
            say(f"round {number + 1} of {rounds}: {way}")
            book = made.gradebook(f"{way}.db")
            if way == "jobs":
                command = made.command(book, *with_course.jobs(setting))
                seconds, marks[way] = _timed(command, setting)
            else:
                # A new one each time, as the other way starts from nothing each time, too.
                with LocalCluster(
                    n_workers=1, threads_per_worker=AHEAD * setting.jobs, dashboard_address=None
                ) as cluster:
                    address = cluster.scheduler_address
                    options = [*with_course.options(setting), "--cluster", address]
                    command = made.command(book, *options)
                    seconds, marks[way] = _timed(command, setting)
            took[way].append(seconds)
    jobs, dask = statistics.median(took["jobs"]), statistics.median(took["cluster"])
    differ = [s for s in marks["jobs"] if marks["jobs"][s] != marks["cluster"].get(s)]
    print(f"\n{len(examples)} submissions, median seconds of {rounds}:\n")
    print("| `--jobs` | Dask cluster | ratio | marks that differ |\n| ---: | ---: | ---: | ---: |")
    print(f"| {jobs:.1f} | {dask:.1f} | {dask / jobs:.2f} | {len(differ)} |")


def _timed(command: list[str], setting: Setting) -> tuple[float, Scores]:
    began = time.monotonic()
    document = with_course.run(command, setting.folder)
    return time.monotonic() - began, with_course.scores(document)
