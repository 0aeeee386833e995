"""Does the embedded hub keep its promises?  ``python benchmarks/hub.py [--seeds N] [--quick]``.

For each seed: the healthy script of lesson ch8-4 (its real text, only the seed changed) must
beat the majority baseline by 0.20; plain Adam at a constant 1e-3 must stall near ln 3 and at
5e-5 must learn.  And no classifier that sees one of the two sentences may reach 0.45.
Prints a Markdown table; each run is a forked child of one process that has the imports done.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import itertools
import json
import multiprocessing
import os
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from course.base import paths
from course.lesson import lesson
from course.lesson.bug import Bug, Edit
from course.runs import hub
from course.runs.environment import runtime

PART = lesson.load("ch8-4").parts["pt"]
DATA = paths.lessons() / "hub" / "datasets" / "glue" / "mnli"
CHECKPOINT = "distilbert-base-uncased"
QUIET = {"TOKENIZERS_PARALLELISM": "false"}
BASELINE = 1 / 3  # three balanced classes


def _in_child(work: Callable[..., dict[str, Any]], *args: Any) -> dict[str, Any]:
    """Run ``work`` in a forked child with its output swallowed, and return what it returns."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)

    def target() -> None:
        said = io.StringIO()
        try:
            with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
                result = work(*args)
        except Exception as error:
            print(said.getvalue()[-2000:], file=sys.stderr)
            result = {"error": f"{type(error).__name__}: {error}"}
        there.send(result)

    child = context.Process(target=target)
    child.start()
    result: dict[str, Any] = here.recv()
    child.join()
    if "error" in result:
        raise SystemExit(f"A run failed: {result['error']}")
    return result


def healthy_script(seed: int) -> str:
    """Return the lesson's script without its bugs, seeded; each edit must fit exactly once."""
    seeded = Bug(
        "seed",
        (
            Edit("set_seed(42)", f"set_seed({seed})"),
            Edit('report_to="none",', f'report_to="none", seed={seed}, disable_tqdm=True,'),
        ),
        "",
    )
    return seeded.take_out(PART.text(()))


def healthy(seed: int) -> dict[str, Any]:
    """Accuracy on validation_matched after the healthy script, and its seconds (warm)."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        space: dict[str, Any] = {"__name__": "__main__"}
        exec(compile(healthy_script(seed), "exercise.py", "exec"), space)
        log = space["trainer"].state.log_history
    accuracies = [entry["eval_accuracy"] for entry in log if "eval_accuracy" in entry]
    return {
        "accuracy": accuracies[-1],
        "epochs": accuracies,
        "seconds": time.monotonic() - start,
    }


def _rows(split: str) -> list[dict[str, Any]]:
    text = (DATA / f"{split}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def adam(
    seed: int, rate: float, size: int, epochs: int = 3, hide: str = "", split: str = "train"
) -> dict[str, Any]:
    """Train in a plain torch loop: Adam at a constant ``rate``, batches of ``size``.

    Returns accuracy on validation_matched after each epoch, and the mean loss of each window of
    50 steps.  ``hide`` names a column ("premise", "hypothesis") that is blanked everywhere.
    """
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer, set_seed

    set_seed(seed)
    start = time.monotonic()
    tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)
    model = AutoModelForSequenceClassification.from_pretrained(CHECKPOINT, num_labels=3)

    def encoded(name: str) -> tuple[list[list[int]], torch.Tensor]:
        rows = _rows(name)
        first, second = (
            ["" if column == hide else row[column] for row in rows]
            for column in ("premise", "hypothesis")
        )
        ids = tokenizer(first, second, truncation=True)["input_ids"]
        return ids, torch.tensor([row["label"] for row in rows])

    def batch(ids: list[list[int]]) -> dict[str, torch.Tensor]:
        return dict(tokenizer.pad({"input_ids": ids}, return_tensors="pt"))

    ids, labels = encoded(split)
    check_ids, check_labels = encoded("validation_matched")
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    losses: list[float] = []
    accuracies: list[float] = []
    for _ in range(epochs):
        model.train()
        for chosen in torch.randperm(len(ids)).split(size):
            inputs = batch([ids[i] for i in chosen.tolist()])
            loss = model(**inputs, labels=labels[chosen]).loss
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            losses.append(loss.item())
        model.eval()
        with torch.no_grad():
            guesses = torch.cat(
                [
                    model(**batch(check_ids[i : i + 64])).logits.argmax(dim=-1)
                    for i in range(0, len(check_ids), 64)
                ]
            )
        accuracies.append((guesses == check_labels).float().mean().item())
    windows = [sum(losses[i : i + 50]) / 50 for i in range(0, len(losses) - 49, 50)]
    return {
        "accuracy": accuracies[-1],
        "epochs": accuracies,
        "windows": windows,
        "lowest_window": min(windows[1:]),
        "seconds": time.monotonic() - start,
    }


def one_batch(seed: int, rate: float, steps: int = 200) -> dict[str, Any]:
    """Overfit the first 8 pairs; the first step from which all are right to the end."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer, set_seed

    set_seed(seed)
    tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)
    model = AutoModelForSequenceClassification.from_pretrained(CHECKPOINT, num_labels=3).train()
    rows = _rows("train")[:8]
    inputs = tokenizer(
        [row["premise"] for row in rows],
        [row["hypothesis"] for row in rows],
        padding=True,
        return_tensors="pt",
    )
    labels = torch.tensor([row["label"] for row in rows])
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    since: int | None = None
    accuracy = 0.0
    for step in range(steps):
        out = model(**inputs, labels=labels)
        accuracy = (out.logits.argmax(dim=-1) == labels).float().mean().item()
        since = None if accuracy < 1 else step if since is None else since
        out.loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return {"accuracy": accuracy, "since": since}


def bag_of_words(column: str) -> dict[str, Any]:
    """Logistic regression on the words and word pairs of one column; the best of all epochs."""
    import torch

    def grams(text: str) -> list[str]:
        words = re.findall(r"\w+", text.lower())
        return words + [f"{a} {b}" for a, b in itertools.pairwise(words)]

    train, check = _rows("train"), _rows("validation_matched")
    counts = Counter(gram for row in train for gram in set(grams(row[column])))
    index = {gram: i for i, gram in enumerate(sorted(g for g, n in counts.items() if n > 1))}

    def matrix(rows: list[dict[str, Any]]) -> tuple[torch.Tensor, torch.Tensor]:
        x = torch.zeros(len(rows), len(index))
        for at, row in enumerate(rows):
            for gram in grams(row[column]):
                if gram in index:
                    x[at, index[gram]] = 1
        return x, torch.tensor([row["label"] for row in rows])

    torch.manual_seed(0)
    (x, y), (check_x, check_y) = matrix(train), matrix(check)
    layer = torch.nn.Linear(len(index), 3)
    optimizer = torch.optim.Adam(layer.parameters(), lr=0.05, weight_decay=1e-4)
    best = last = 0.0
    for _ in range(100):
        loss = torch.nn.functional.cross_entropy(layer(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            last = (layer(check_x).argmax(dim=-1) == check_y).float().mean().item()
        best = max(best, last)
    return {"accuracy": last, "best": best}


def main() -> int:
    """Run what was asked for, print the tables, and return 0 if every promise held."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10, help="how many seeds (default 10)")
    parser.add_argument("--first", type=int, default=1, help="the first seed (default 1)")
    parser.add_argument("--quick", action="store_true", help="two seeds, shorter checks")
    parser.add_argument(
        "--thorough", action="store_true", help="stall and learn with batches of 8 as well"
    )
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time (default 2)")
    parser.add_argument("--json", type=Path, help="write every figure to this file as well")
    options = parser.parse_args()
    seeds = range(options.first, options.first + (2 if options.quick else options.seeds))

    # Before the first import of a framework: they read the environment then.
    home = hub.embedded(runtime.find("pt", PART.requires))
    os.environ.update({**home.environment, "ACCELERATE_USE_CPU": "1", **QUIET})
    import datasets
    import evaluate  # noqa: F401
    import torch
    import transformers

    datasets.disable_progress_bars()
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)  # as `course run` does: see `course.runs.hub`

    found: dict[str, Any] = {"seeds": {}, "baseline": BASELINE, "alone": {}}
    found["libraries"] = {
        module.__name__: module.__version__ for module in (torch, transformers, datasets)
    }
    print(
        "| seed | healthy | over baseline | seconds | 1e-3, lowest window after 50 steps "
        "(batch 16) | accuracy | 5e-5 (batch 16) | one batch of 8 at 5e-5: right since |"
    )
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |", flush=True)

    def measure(seed: int) -> dict[str, Any]:
        run = {
            "healthy": _in_child(healthy, seed),
            "stall_16": _in_child(adam, seed, 1e-3, 16),
            "learn_16": _in_child(adam, seed, 5e-5, 16),
            "one_batch": _in_child(one_batch, seed, 5e-5),
        }
        if options.thorough:
            run["stall_8"] = _in_child(adam, seed, 1e-3, 8, 1)
            run["learn_8"] = _in_child(adam, seed, 5e-5, 8, 1)
        return run

    with ThreadPoolExecutor(options.jobs) as pool:
        for seed, run in zip(seeds, pool.map(measure, seeds), strict=True):
            found["seeds"][seed] = run
            good, stall = run["healthy"], run["stall_16"]
            print(
                f"| {seed} | {good['accuracy']:.3f} | {good['accuracy'] - BASELINE:+.3f} "
                f"| {good['seconds']:.0f} | {stall['lowest_window']:.3f} "
                f"| {stall['accuracy']:.3f} | {run['learn_16']['accuracy']:.3f} "
                f"| {run['one_batch']['since']} |",
                flush=True,
            )
    if options.thorough:
        print("\nBatches of 8, one epoch:\n\n| seed | 1e-3, lowest window | accuracy | 5e-5 |")
        print("| ---: | ---: | ---: | ---: |")
        for seed, run in found["seeds"].items():
            print(
                f"| {seed} | {run['stall_8']['lowest_window']:.3f} "
                f"| {run['stall_8']['accuracy']:.3f} | {run['learn_8']['accuracy']:.3f} |"
            )
    print("\n| sees only | bag of words (best) | tiny model |\n| --- | ---: | ---: |")
    for column, hidden in (("hypothesis", "premise"), ("premise", "hypothesis")):
        words = _in_child(bag_of_words, column)
        tiny = _in_child(adam, 1, 5e-5, 8, 1 if options.quick else 3, hidden)
        found["alone"][column] = {"bag_of_words": words, "tiny_model": tiny}
        print(
            f"| the {column} | {words['accuracy']:.3f} ({words['best']:.3f}) "
            f"| {max(tiny['epochs']):.3f} |",
            flush=True,
        )

    held = all(
        run["healthy"]["accuracy"] >= BASELINE + 0.20
        and run["stall_16"]["lowest_window"] >= 1.07
        and run["stall_16"]["accuracy"] < 0.40
        and run["learn_16"]["accuracy"] >= BASELINE + 0.20
        for run in found["seeds"].values()
    ) and all(
        max(alone["bag_of_words"]["best"], *alone["tiny_model"]["epochs"]) < 0.45
        for alone in found["alone"].values()
    )
    found["held"] = held
    print(f"\n{'Every promise held.' if held else 'NOT every promise held.'}")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
