"""Is a model that never learned ever called healthy, and an honest script ever accused?

``python benchmarks/mutants.py --table`` (20 minutes), ``--sample 200 --seed 1``; all of them take a
day. It goes on where it was stopped.

Each healthy script is changed in one place by the operators of `benchmarks/mutants/operators.py`.
Each *mutant* runs twice with each seed, on its own each time: as a learner's copy, judged by the
product; and under an oracle (`mutants/oracle.py`) that has nothing to do with the probe. It
compares weights before and after, has saved weights answer the true validation examples anew, and
looks up what was trained on among the examples that ship. It judges each training of the script, of
those that there are. By that (`mutants/judge.py`) a mutant is

wrong
    it raised an exception (*crash*); its weights did not move, fell short of a tenth of the healthy
    progress or of the lesson's margin (*never learned*); a tenth of the examples was missing, or
    0.02 of the rows were others (*other data*); or its figure is more than 0.03 off, comes from
    training examples, or the metric was given answers and labels in each other's place or the same
    for both (*scored wrongly*)
equivalent
    it trained on the same data, learned as well as the healthy script does with this seed (at most
    0.03 less accuracy, at least half of the fall of the loss), and told the true figure
grey
    neither: it learned less, scored on other unseen examples or not at all, or did what harms
    without showing (no dropout in training, gradients that pile up, needless padding, a part that
    stood still, a schedule of its own); or it took too long to tell

A learner is told a fault by its name, or a problem in a *sentence*: one that names the cause (so
many of the examples were seen), or an *unspecific* one that says no more than that the model is not
good enough, or that the failure is unknown.

A *false healthy* is a wrong mutant that the product calls healthy, an *accused* one an equivalent
mutant that it does not. Goals: no false healthy; a fault named in 0.9 of the wrong ones; at most
0.01 of the equivalent ones accused; each row of the table named as it should be.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mutants import judge, operators, table
from mutants.operators import Mutant

from course.base import paths
from course.judge.attempt import judge_attempt
from course.judge.verdict import describe_problem, should_stop
from course.lesson import lesson
from course.lesson.lesson import Part
from course.runs import hub, process
from course.runs.environment import runtime
from course.runs.process import Job
from course.runs.run_context import RunContext
from course.runs.warm_pool import Warm

LESSONS = ("ch3-2", "ch3-3", "ch3-4", "ch8-4")
ORACLE = Path(__file__).parent / "mutants" / "oracle.py"
HEALTHY = "healthy"
OWN_SEED = 42
"""The seed of the lessons' scripts, which are run as they are with it."""
LIMIT = 4.0
"""How many times as much of the processor as the healthy script a mutant may take."""
BASELINES = {"mrpc": 2 / 3, "mnli": 1 / 3}
SPLITS = {"mrpc": "validation", "mnli": "validation_matched"}
TOLD = ("named", "sentence", "unspecific", "healthy", "not judged")
UNSPECIFIC = frozenset({"below-baseline", "no-gain", "not-measured", "unknown", "several", "died"})
"""Problems whose sentence says that something is wrong, and not what."""
TITLES = {
    ("wrong", "healthy"): "false healthy",
    ("wrong", "sentence"): "wrong, and only a sentence",
    ("wrong", "unspecific"): "wrong, and only an unspecific sentence",
    ("equivalent", "named"): "accused",
    ("equivalent", "sentence"): "accused",
    ("equivalent", "unspecific"): "accused",
}
"""What is listed, by what a mutant is and what a learner is told."""


def seeded(text: str, seed: int) -> str:
    """Set another seed in the text; a mutated one stays as it is."""
    if seed == OWN_SEED:
        return text
    text = re.sub(rf"set_seed\({OWN_SEED}\)", f"set_seed({seed})", text)
    return re.sub(r"(TrainingArguments\([^()]*?)(\b\w+=)", rf"\1seed={seed}, \2", text, count=1)


class Oracle:
    """The worker that tells what a script really did."""

    def __init__(self, place: RunContext) -> None:
        variables = {**os.environ, **place.hub.environment, **place.hub.pace}
        variables |= {"TOKENIZERS_PARALLELISM": "false", "CUDA_VISIBLE_DEVICES": ""}
        variables |= {"ACCELERATE_USE_CPU": "1"}
        self.worker = subprocess.Popen(
            [place.runtime.python, str(ORACLE), str(paths.lessons() / "hub")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=variables,
        )

    def ask(self, text: str, task: str, limit: float) -> dict[str, Any]:
        """Run a script with a limit on its processor time, and return what it did."""
        assert self.worker.stdin is not None
        assert self.worker.stdout is not None
        with tempfile.TemporaryDirectory(prefix="mutants-", ignore_cleanup_errors=True) as folder:
            order = {"text": text, "task": task, "folder": folder, "limit": limit}
            self.worker.stdin.write(json.dumps(order) + "\n")
            self.worker.stdin.flush()
            answer: dict[str, Any] = json.loads(self.worker.stdout.readline())
        return answer


class Kept:
    """Answers that outlast this process: a file of JSON lines, by mutant and seed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known: dict[tuple[str, int], dict[str, Any]] = {}
        if path.exists():
            for line in path.read_text("utf-8").splitlines():
                found = json.loads(line)
                self.known[found["id"], found["seed"]] = found

    def get(
        self, mutant: Mutant, seed: int, make: Callable[[], dict[str, Any]] | None = None
    ) -> dict[str, Any]:
        """Return what is known of a mutant, made if need be; empty where it can't be made."""
        key = (mutant.id, seed)
        if key not in self.known and make is not None:
            self.known[key] = {"id": mutant.id, "seed": seed, **make()}
            with self.path.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(self.known[key]) + "\n")
        return self.known.get(key, {})


@dataclass
class Bench:
    """Where mutants run, and what is known of them.

    What the oracle answers stays right when the product changes, so it is kept by itself.
    """

    place: RunContext
    oracle: Oracle
    parts: dict[str, Part]
    answers: Kept
    verdicts: Kept

    def ask(self, mutant: Mutant, seed: int) -> dict[str, Any]:
        """Ask the oracle what the script of a mutant does."""
        part = self.parts[mutant.lesson]

        def make() -> dict[str, Any]:
            task = operators.Script(mutant.lesson, part.text(())).task
            return self.oracle.ask(seeded(mutant.text, seed), task, self._limit(mutant, seed))

        return self.answers.get(mutant, seed, make)

    def is_known(self, mutant: Mutant, seed: int) -> bool:
        """Whether both halves are there, or the oracle has found that it can't tell."""
        answer = self.answers.get(mutant, seed)
        is_told = bool(self.verdicts.get(mutant, seed)) or "timed_out" in answer or "died" in answer
        return bool(answer) and is_told

    def judge(self, mutant: Mutant, seed: int) -> dict[str, Any]:
        """Return what a learner is told; nothing where the oracle could not tell what is right."""
        if {"timed_out", "died"} & self.answers.get(mutant, seed).keys():
            return {}
        return self.verdicts.get(mutant, seed, lambda: self._verdict(mutant, seed))

    def _limit(self, mutant: Mutant, seed: int) -> float:
        if mutant.operator == HEALTHY:
            return process.TIMEOUT
        took: float = self.ask(healthy_of(self.parts[mutant.lesson]), seed)["seconds"]
        return took * LIMIT + 10

    def _verdict(self, mutant: Mutant, seed: int) -> dict[str, Any]:
        part = self.parts[mutant.lesson]
        outcome = part.outcome
        job = Job(seeded(mutant.text, seed))
        record = self.place.run(job, enough=lambda record: should_stop(record, outcome)).record
        attempt = judge_attempt(part, (), record)
        verdict = attempt.verdict
        return {
            "healthy": attempt.healthy,
            "fault": verdict.match.fault.id if verdict.match else None,
            "problem": verdict.problem,
            "says": describe_problem(verdict, outcome),
            "figures": {**record.figures, **verdict.metrics},
            "status": record.status,
            "raised": record.raised.type if record.raised else None,
            "seconds": record.seconds,
        }


def healthy_of(part: Part) -> Mutant:
    """Return the healthy script as a mutant in which nothing is changed."""
    return Mutant(f"{part.lesson}:{HEALTHY}", part.lesson, HEALTHY, 0, part.text(()))


def chosen(options: argparse.Namespace, parts: dict[str, Part]) -> list[Mutant]:
    """Return the mutants that the options ask for, in a stable order, and the healthy scripts."""
    texts = {name: part.text(()) for name, part in parts.items()}
    found = (
        list(table.rows(texts))
        if options.table
        else [m for name, text in texts.items() for m in operators.mutants(name, text)]
    )
    found = [m for m in found if re.search(options.only, m.id)]
    if options.sample and options.sample < len(found):
        found = random.Random(options.seed).sample(found, options.sample)
    return [*(healthy_of(part) for part in parts.values()), *found]


def main() -> None:
    """Run what is missing, then print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("lessons", nargs="*", default=LESSONS)
    parser.add_argument("--table", action="store_true", help="the rows of the issue's table")
    parser.add_argument("--list", action="store_true", help="print the ids, and run nothing")
    parser.add_argument("--text", action="store_true", help="print the texts, and run nothing")
    parser.add_argument("--only", default="", help="a pattern for the ids")
    parser.add_argument("--sample", type=int, default=0, help="so many of them")
    parser.add_argument("--seed", type=int, default=1, help="what the sample is drawn with")
    parser.add_argument("--seeds", default="42,7", help="the seeds of the scripts")
    parser.add_argument("--half", choices=("oracle", "product"), help="only one of the two runs")
    parser.add_argument("--known", action="store_true", help="run nothing, tell what is known")
    parser.add_argument("--kept", type=Path, default=Path("mutants-runs"), help="a folder")
    options = parser.parse_args()
    parts = {name: lesson.load(name).parts["pt"] for name in options.lessons}
    wanted = chosen(options, parts)
    if options.list or options.text:
        for mutant in wanted:
            print(f"# {mutant.id}\n{mutant.text}" if options.text else mutant.id)
        print(f"# {len(wanted)} mutants")
        return
    orders = [(m, int(seed)) for m in wanted for seed in options.seeds.split(",")]
    options.kept.mkdir(parents=True, exist_ok=True)
    bench = opened(parts, options.kept)
    if options.known:
        orders = [o for o in orders if bench.is_known(*o)]
        show(bench, orders)
        return
    for number, (mutant, seed) in enumerate(orders, start=1):
        if options.half != "product":
            bench.ask(mutant, seed)
        if options.half != "oracle":
            bench.judge(mutant, seed)
        print(f"\r{number} of {len(orders)}", end="", flush=True)
    show(bench, orders)


def opened(parts: dict[str, Part], kept: Path) -> Bench:
    """Open a bench: a runtime with all the imports done, the embedded hub, and the oracle."""
    imports = tuple(dict.fromkeys(name for part in parts.values() for name in part.imports))
    requires = tuple(dict.fromkeys(wish for part in parts.values() for wish in part.requires))
    found = runtime.find("pt", requires)
    place = RunContext(found, hub.embedded(found), warm=Warm(found, imports))
    answers, verdicts = Kept(kept / "oracle.jsonl"), Kept(kept / "verdicts.jsonl")
    return Bench(place, Oracle(place), parts, answers, verdicts)


def show(bench: Bench, orders: Iterable[tuple[Mutant, int]]) -> None:
    """How many were caught by name, by a sentence, missed, accused; and which."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    lists: dict[str, list[str]] = defaultdict(list)
    for mutant, seed in orders:
        label = label_of(bench, mutant, seed)
        found = bench.verdicts.get(mutant, seed)
        told = _told(found)
        why = label.reason.split(":")[0] if label.kind == "wrong" else ""
        counts[f"{label.kind} {why}".strip()][told] += 1
        line = f"{mutant.id} (seed {seed}): {label.kind}, {label.reason}; told {_words(found)}"
        title = TITLES.get((label.kind, told))
        if label.kind == "grey":
            title = "grey"
        if title:
            lists[title].append(line)
        if mutant.operator == "table" and not _as_expected(mutant, found):
            lists["rows of the table that are not told as they should be"].append(line)
    print("\n\n| really | " + " | ".join(TOLD) + " |\n|" + " --- |" * (len(TOLD) + 1))
    for kind, row in sorted(counts.items()):
        print(f"| {kind} | " + " | ".join(str(row[told]) for told in TOLD) + " |")
    wrong = Counter[str]()
    for kind, row in counts.items():
        wrong.update(row if kind.startswith("wrong") else {})
    if wrong.total():
        shares = (f"{told} {wrong[told] / wrong.total():.1%}" for told in TOLD if wrong[told])
        print(f"\nof {wrong.total()} wrong ones: {', '.join(shares)}")
    for title, lines in sorted(lists.items()):
        print(f"\n{title}: {len(lines)}")
        print("\n".join(f"- {line}" for line in lines))


def label_of(bench: Bench, mutant: Mutant, seed: int) -> judge.Label:
    """Label a mutant as what it really is: wrong, grey or equivalent."""
    part = bench.parts[mutant.lesson]
    task = operators.Script(mutant.lesson, part.text(())).task
    goal = judge.Goal(part.outcome.margin, BASELINES[task], SPLITS[task])
    healthy = bench.answers.get(healthy_of(part), seed)
    found = bench.answers.get(mutant, seed)
    return judge.label(found, healthy, goal) if found else judge.Label("grey", "not asked")


def _told(found: dict[str, Any]) -> str:
    if not found:
        return "not judged"
    if found["healthy"]:
        return "healthy"
    if found["fault"]:
        return "named"
    return "unspecific" if found["problem"] in UNSPECIFIC else "sentence"


def _words(found: dict[str, Any]) -> str:
    return found.get("fault") or found.get("problem") or _told(found)


def _as_expected(mutant: Mutant, found: dict[str, Any]) -> bool:
    return found.get("fault") in mutant.expected


if __name__ == "__main__":
    main()
