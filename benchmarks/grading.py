"""Grading beside other graders: `python benchmarks/grading.py [--otter PYTHON] [--nbgrader PY]`.

Sixty submissions whose marks are known by how they were made: 40 honest ones in all degrees, 12
wrong, 4 that hang, 4 hostile (harmless ones: the other graders have no sandbox). Each grader gets
the same texts, the same offline data and one thread a process, and grades two side by side:

- ours: one `course class grade`;
- otter-grader and nbgrader, with our questions as their tests, a notebook a submission.

A table tells what of the wall time and the CPU seconds is the submissions' own (training; hanging
until the time limit) and what is beyond that, and how many of the marks are right. The time limit
of otter-grader counts from when the libraries are imported, and anew from the training's beginning
and end, as nbgrader's does for each cell: else honest trainings would reach it.

One that is named several times (`--tools course,otter,course`) is measured as often, since a
machine that others share is not always as fast; the ratios are to the mean of the first.

otter-grader and nbgrader are left out unless named. Each wants an environment of its own with the
lesson's libraries in the versions that are here (the data are cached for these versions):

    pip install otter-grader ipykernel 'torch==…' 'transformers==…' 'datasets==…' …
    pip install nbgrader ipykernel 'torch==…' …

`--scale`, `--cluster` and `--kills` measure something else about our own grading, in place of that.
"""

import argparse
import os
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from grading import table, with_course, with_nbgrader, with_otter
from grading.meter import Meter
from grading.submissions import QUICK, Example, Maker, sixty
from grading.tool import Grader, Result, Setting, versions

from course.lesson import lesson
from course.runs import hub
from course.runs.environment import runtime

LIBRARIES = ("torch", "transformers", "datasets", "evaluate")


def main() -> None:
    """Measure and print tables."""
    arguments = asked()
    part = lesson.load("ch8-4").parts["pt"]
    embedded = hub.embedded(runtime.find("pt", part.requires))
    environment = {
        **os.environ, **embedded.environment, **embedded.pace, "CUDA_VISIBLE_DEVICES": "",
        # An environment that was never used may compile its libraries once, and not for each.
        "PYTHONDONTWRITEBYTECODE": "",
    }  # fmt: skip
    maker = Maker(part, arguments.epochs)
    examples = sixty(part, arguments.epochs)
    wanted = QUICK if arguments.quick else arguments.only.split(",") if arguments.only else None
    if wanted is not None:
        examples = [e for e in examples if e.student in wanted]
    with ExitStack() as stack:
        folder = arguments.keep or stack.enter_context(tempfile.TemporaryDirectory())
        setting = Setting(
            Path(folder).absolute(), environment,
            arguments.limit, arguments.jobs, arguments.epochs,
        )  # fmt: skip
        if arguments.scale:
            from grading import scale

            scale.report(maker, [int(n) for n in arguments.scale.split(",")], setting, say)
        elif arguments.cluster:
            from grading import cluster

            cluster.report(examples, setting, arguments.rounds, say)
        elif arguments.kills:
            from grading import kills

            kills.report(kills.count(maker.small(24), setting, arguments.kills, say))
        else:
            results = [graded(g, examples, setting) for g in graders(arguments)]
            table.beside(examples, results, arguments.jobs)


def asked() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--otter", metavar="PYTHON", help="the Python that has otter-grader")
    parser.add_argument("--nbgrader", metavar="PYTHON", help="the Python that has nbgrader")
    parser.add_argument("--tools", help="some of course,otter,nbgrader")
    parser.add_argument("--quick", action="store_true", help="six submissions in place of sixty")
    parser.add_argument("--only", metavar="ID,ID", help="some of the sixty, as `wrong-half`")
    parser.add_argument("--limit", type=float, default=20.0, help="seconds (20)")
    parser.add_argument("--epochs", type=float, default=1.0, help="of a healthy training (1)")
    parser.add_argument("--jobs", type=int, default=2, help="submissions side by side (2)")
    other = parser.add_mutually_exclusive_group()
    other.add_argument("--scale", metavar="N,N", help="classes of these sizes: what each one costs")
    other.add_argument("--cluster", action="store_true", help="a Dask cluster beside --jobs")
    other.add_argument("--kills", type=int, metavar="N", help="SIGKILL N times, and count")
    parser.add_argument("--rounds", type=int, default=3, help="of --cluster (3)")
    parser.add_argument("--keep", metavar="DIR", help="work in this empty folder, and leave it")
    return parser.parse_args()


def graders(arguments: argparse.Namespace) -> list[Grader]:
    """Those that were asked for."""
    label = versions(sys.executable, "nlp-course-companion")
    known = {"course": Grader(f"`{label}`", with_course.prepare)}
    say(versions(sys.executable, *LIBRARIES))
    otter, nbgrader = arguments.otter, arguments.nbgrader
    if otter:
        say(versions(otter, *LIBRARIES))
        label = versions(otter, "otter-grader")
        known["otter"] = Grader(label, lambda *it: with_otter.prepare(*it, otter), watched=True)
    if nbgrader:
        say(versions(nbgrader, *LIBRARIES))
        label = versions(nbgrader, "nbgrader")
        known["nbgrader"] = Grader(label, lambda *it: with_nbgrader.prepare(*it, nbgrader))
    wanted = arguments.tools.split(",") if arguments.tools else list(known)
    if unknown := set(wanted) - set(known):
        raise SystemExit(f"{', '.join(sorted(unknown))}: unknown, or its PYTHON is not named")
    return [known[name] for name in wanted]


def graded(grader: Grader, examples: list[Example], setting: Setting) -> Result:
    """Grade the submissions with one of the graders."""
    folder = Path(tempfile.mkdtemp(dir=setting.folder))
    here = replace(setting, folder=folder)
    say(f"{grader.label}: {len(examples)} submissions")
    work = grader.prepare(examples, here)
    done, cost = Meter(here.journal, here.limit if grader.watched else None).measure(work)
    if done.training is not None:
        cost = replace(cost, training_cpu=done.training, training_wall=done.training)
    say(f"{grader.label}: {cost.wall:.0f} s, {cost.cpu:.0f} CPU seconds")
    return Result(grader.label, done.scores, cost)


def say(words: str) -> None:
    """Tell how far it is."""
    print(words, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
