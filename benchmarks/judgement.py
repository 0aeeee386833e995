"""How surely is a learning rate that stalls told from a healthy run?

``python benchmarks/judgement.py`` (half an hour on two cores; it goes on where it was interrupted)

The TensorFlow lesson of ch8-4 judges a silent fault by the loss of the first steps, beside that of
healthy runs. Here its healthy script is run with many seeds: with the lesson's rate (healthy), with
that of the bug (too high), and slow but honest, with lower rates. Half of the seeds fix the step at
which a run is judged, and the threshold; the other half tell how often the judgement errs.

``--write`` keeps what was found as the lesson's curve (`lessons/ch8-4/tf/healthy.json`).

Each run is the script's own code in one process: weights, optimizer and order of the examples begin
anew, and the compiled training step is kept, since compiling it takes longer than the run itself.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
from collections import defaultdict
from pathlib import Path
from typing import Any

from course.base import paths
from course.judge.verdict import judge, should_stop
from course.lesson import lesson
from course.lesson.lesson import Step
from course.lesson.loss_curve import LossCurve
from course.runs import hub
from course.runs.environment import runtime
from course.runs.record import RunRecord, Training

PART = lesson.load("ch8-4").parts["tf"]
TARGET = paths.lessons() / "ch8-4" / "tf" / "healthy.json"
BATCH = 16
KINDS = {"healthy": 5e-5, "too high": 1e-3, "slow": 1e-5}
WINDOW = 20
STEPS = (20, 25, 30, 40)
"""At which steps a run could be judged."""
GAP = 0.1
"""How far apart the two kinds must be, at the least, where a run is judged; else it is later."""
SHOWN = 4
"""Healthy runs that go on to the end, for the picture."""

WORKER = """
import ast, json, sys
source, orders = sys.argv[1], json.loads(sys.argv[2])
tree = ast.parse(open(source).read())
tree.body.pop()  # `model.fit(…)` is called below
space = {"__name__": "__main__"}
exec(compile(tree, source, "exec"), space)
tf_keras, model = space["tf_keras"], space["model"]
head = [w for w in model.weights if "classifier" in w.name]
start = [w.numpy() for w in model.weights]
initial = space["classifier"].config.initializer_range

class Losses(tf_keras.callbacks.Callback):
    def on_train_begin(self, logs=None):
        self.losses = []
    def on_epoch_begin(self, epoch, logs=None):
        self.before = 0.0
    def on_train_batch_end(self, batch, logs=None):
        total = logs["loss"] * (batch + 1)
        self.losses.append(round(float(total - self.before), 5))
        self.before = total

for kind, rate, seed, steps in orders:
    tf_keras.utils.set_random_seed(seed)
    for weight, value in zip(model.weights, start):
        weight.assign(value)
    for weight in head:  # what `from_pretrained` makes anew
        if "kernel" in weight.name:
            make = tf_keras.initializers.TruncatedNormal(stddev=initial, seed=seed)
            weight.assign(make(weight.shape))
        else:
            weight.assign(weight * 0)
    for variable in model.optimizer.variables:
        variable.assign(variable * 0)
    model.optimizer.learning_rate.assign(rate)
    train = space["batches"]("train", shuffle=True)
    per_epoch = len(train)
    heard = Losses()
    epochs = -(-steps // per_epoch)
    data = train if epochs > 1 else train.take(steps)
    model.fit(data, epochs=epochs, verbose=0, callbacks=[heard])
    found = {"kind": kind, "rate": rate, "seed": seed, "losses": heard.losses}
    print(json.dumps(found), flush=True)
"""


def seeded_runs(
    wanted: list[tuple[str, int, int]], jobs: int, kept: Path
) -> dict[str, dict[int, list[float]]]:
    """Return the losses of each step, by kind and seed, of all (kind, seed, steps) that are wanted.

    What lies in the file `kept` is not run again.
    """
    runs: dict[str, dict[int, list[float]]] = defaultdict(dict)
    if kept.exists():
        for line in kept.read_text().splitlines():
            found = json.loads(line)
            runs[found["kind"]][found["seed"]] = found["losses"]
    orders = [
        (kind, KINDS[kind], seed, steps)
        for kind, seed, steps in wanted
        if len(runs[kind].get(seed, ())) < steps
    ]
    if not orders:
        return runs
    place = runtime.find(PART.framework, PART.requires)
    embedded = hub.embedded(place)
    variables = {**os.environ, **embedded.environment, **embedded.pace}
    variables |= {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "healthy.py")
        script.write_text(PART.text(()), encoding="utf-8")
        Path(folder, "worker.py").write_text(WORKER, encoding="utf-8")
        done = 0
        writing = threading.Lock()

        def work(share: list[Any]) -> None:
            nonlocal done
            process = subprocess.Popen(
                [place.python, f"{folder}/worker.py", str(script), json.dumps(share)],
                cwd=folder,
                env=variables,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            assert process.stdout is not None
            for line in process.stdout:
                found = json.loads(line)
                with writing:
                    runs[found["kind"]][found["seed"]] = found["losses"]
                    with kept.open("a") as stream:
                        stream.write(line)
                    done += 1
                    print(f"\r{done} of {len(orders)} runs", end="", file=sys.stderr, flush=True)
            if process.wait() != 0:
                raise SystemExit("A run failed.")

        threads = [threading.Thread(target=work, args=(orders[i::jobs],)) for i in range(jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(file=sys.stderr)
    return runs


def healthy_curve(runs: dict[int, list[float]], versions: dict[str, str]) -> LossCurve:
    """Average all healthy runs of the first half, in stretches of five steps."""
    points = []
    longest = max(map(len, runs.values()))
    for end in range(5, longest + 1, 5):
        here = [statistics.fmean(r[end - 5 : end]) for r in runs.values() if len(r) >= end]
        points.append((end, round(statistics.fmean(here), 4)))
    return LossCurve(BATCH, tuple(points), 0, WINDOW, 0.0, versions)


def excess(curve: LossCurve, losses: list[float], step: int) -> float:
    """How far above the healthy curve a run is at a step."""
    points = tuple(enumerate(losses[:step], start=1))
    found = curve.above(points, BATCH)
    assert found is not None
    return found[1] - found[2]


def verdict_of(curve: LossCurve, losses: list[float], rate: float) -> str:
    """Return the program's verdict on a run's losses: a fault, a problem, or that it goes on."""
    record = RunRecord(
        status="stopped",
        training=Training(
            examples=PART.outcome.examples,
            batch_size=BATCH,
            learning_rate=rate,
            num_labels=3,
            labels={"0": 810, "1": 810, "2": 810},
            from_logits=True,
            outputs="logits",
        ),
        losses=tuple(enumerate(losses, start=1)),
    )
    from dataclasses import replace

    outcome = replace(PART.outcome, curve=curve)
    if not should_stop(record, outcome):
        return "goes on"
    verdict = judge(Step("healthy", None, "", (), None), outcome, record)
    return verdict.match.fault.id if verdict.match else str(verdict.problem)


def main() -> None:
    """Run, choose, report."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--seeds", type=int, default=100, help="seeds to fix, and as many to report"
    )
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--kept", type=Path, default=Path("judgement.jsonl"))
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    n = options.seeds
    whole = 2 * (PART.outcome.examples // BATCH)
    wanted = [
        (kind, seed, whole if kind == "healthy" and seed < SHOWN else max(STEPS))
        for seed in range(n)
        for kind in ("healthy", "too high")
    ]
    fixing = seeded_runs(wanted, options.jobs, options.kept)
    versions = runtime.find(PART.framework, PART.requires).versions
    fixing = {kind: {s: r for s, r in of.items() if s < n} for kind, of in fixing.items()}
    curve = healthy_curve(fixing["healthy"], versions)

    print(f"\nExcess of the mean loss of the last {WINDOW} steps over the healthy runs', ")
    print(f"seeds 0 to {n - 1}, by the step at which it is judged:\n")
    print("| step | healthy: highest | too high: lowest | between |\n| ---: | ---: | ---: | ---: |")
    gaps = {}
    for step in STEPS:
        high = max(excess(curve, r, step) for r in fixing["healthy"].values())
        low = min(excess(curve, r, step) for r in fixing["too high"].values())
        gaps[step] = (low - high, (low + high) / 2)
        print(f"| {step} | {high:+.3f} | {low:+.3f} | {low - high:+.3f} |")
    chosen = next((s for s in STEPS if gaps[s][0] >= GAP), STEPS[-1])
    final = LossCurve(BATCH, curve.losses, chosen, WINDOW, round(gaps[chosen][1], 3), versions)
    print(f"\nJudged at step {chosen}, stalled above {final.excess}.\n")
    # No more steps than the judgement sees.
    others = [(kind, seed, chosen) for seed in range(n, 2 * n) for kind in KINDS]
    reported = seeded_runs(others, options.jobs, options.kept)
    reported = {kind: {s: r for s, r in of.items() if s >= n} for kind, of in reported.items()}
    print(f"Seeds {n} to {2 * n - 1}, never looked at before:\n")
    print("| kind | rate | runs | called `learning-rate-too-high` | loss alone says stalled |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for kind, rate in KINDS.items():
        found = reported[kind].values()
        called = sum(verdict_of(final, r[:chosen], rate) == "learning-rate-too-high" for r in found)
        alone = sum(excess(final, r, chosen) > final.excess for r in found)
        print(f"| {kind} | {rate:g} | {len(found)} | {called} | {alone} |")
    short = [r[: chosen // 2] for r in reported["healthy"].values()]
    called = sum(verdict_of(final, r, KINDS["healthy"]) != "goes on" for r in short)
    print(f"| healthy, {chosen // 2} steps | {KINDS['healthy']:g} | {len(short)} | {called} | – |")
    if options.write:
        document = {
            "format": 1,
            "made_by": "benchmarks/judgement.py",
            "versions": versions,
            "batch_size": BATCH,
            "judged_at": final.judged_at,
            "window": final.window,
            "excess": final.excess,
        }
        points = ",\n  ".join(json.dumps(point) for point in final.losses)
        text = json.dumps(document, indent=1).removesuffix("\n}")
        TARGET.write_text(f'{text},\n "losses": [\n  {points}\n ]\n}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
