"""What does it cost to be watched?  ``python benchmarks/watching.py [LESSON[:tf] …] [--pairs N]``

The healthy script of each lesson runs as `python script.py` and as `course run` runs it cold, in
turns, on the embedded hub and on one thread each. Prints a Markdown table: the processor time of
the whole process, medians over the pairs, and the ratio of each pair's two. A run that is watched
also answers some of its evaluation anew with the weights it began with, which is in it. Keras
(`ch8-4:tf`) compiles its evaluation, so there the watched run answers all of it once more, too.

``--memory`` takes a model of 56 million numbers, so that its weights stand out from the libraries,
and prints the largest memory of both runs: what is watched may need one copy of the weights more.
``--small`` takes the hardest case of the time, a script of no lesson: a table's network of two
layers in a loop by hand, whose steps take well under a millisecond. ``--scripts`` takes the
healthy scripts of no lesson that `diagnosis.py` reports on.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

from diagnosis import edits

from course.base import paths
from course.lesson import lesson
from course.lesson.lesson import Part
from course.runs import hub
from course.runs.child import inherited
from course.runs.environment import runtime

LARGE = """
import torch
from transformers import BertConfig, BertForSequenceClassification

torch.manual_seed(42)
config = BertConfig(hidden_size=640, num_hidden_layers=8, num_attention_heads=10,
                    intermediate_size=2560, vocab_size=25_000, num_labels=2)
model = BertForSequenceClassification(config)
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)
ids = torch.randint(0, 25_000, (64, 16))
labels = ids[:, 0] % 2
for start in range(0, 64, 8):
    part = slice(start, start + 8)
    loss = model(input_ids=ids[part], labels=labels[part]).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
model.eval()
with torch.no_grad():
    answers = torch.cat([model(input_ids=ids[at : at + 8]).logits for at in range(0, 64, 8)])
print(f"{(answers.argmax(-1) == labels).float().mean():.3f}")
"""
"""A training whose weights are larger than what varies from run to run."""
SMALL = """
import torch

torch.manual_seed(42)
rows = torch.randn(2000, 20)
labels = (rows @ torch.randn(20, 3)).argmax(1)
network = torch.nn.Sequential(torch.nn.Linear(20, 64), torch.nn.ReLU(), torch.nn.Linear(64, 3))
optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
criterion = torch.nn.CrossEntropyLoss()
data = torch.utils.data.TensorDataset(rows, labels)
loader = torch.utils.data.DataLoader(data, batch_size=32, shuffle=True)
for _epoch in range(150):
    for inputs, targets in loader:
        optimizer.zero_grad()
        loss = criterion(network(inputs), targets)
        loss.backward()
        optimizer.step()
print(f"{loss.item():.3f}")
"""
"""A training of which most is Python's: what is heard of each step weighs most."""
WEIGHTS = 56_129_922 * 4
"""Bytes of the weights of its model (`sum(p.numel() for p in model.parameters())`, float32)."""
HEAD = (
    "| lesson | alone, s | watched, s | ratio | lowest to highest |\n"
    "| --- | ---: | ---: | ---: | ---: |"
)
LESSONS = ["ch3-2", "ch3-3", "ch3-4", "ch8-4", "ch8-4:tf"]


class Used(NamedTuple):
    """What a process and those that it has waited for have used."""

    seconds: float
    """Of the processor."""
    peak: int
    """Bytes of memory."""


def measure(words: list[str], environment: dict[str, str], folder: Path) -> Used:
    """Run a program."""
    with (folder / "output").open("ab") as sink:
        process = subprocess.Popen(
            words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=sink, stderr=sink
        )
        _pid, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit((folder / "output").read_text("utf-8"))
    return Used(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def once(
    text: str, python: str, environment: dict[str, str], *, watched: bool, own: bool = False
) -> Used:
    """One run in a folder of its own; `own` is a script of no lesson."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        script = folder / "exercise.py"
        script.write_text(text, "utf-8")
        if not watched:
            return measure([python, str(script)], environment, folder)
        (folder / "journal").touch()
        order = {"script": str(script), "journal": str(folder / "journal"), "looks": []}
        if own:
            order["own"] = {"named": str(script), "arguments": [], "home": None, "module": None}
        job = folder / "job.json"
        job.write_text(json.dumps({**order, "stop": str(folder / "stop"), "beside": None}))
        return measure([python, str(paths.probe()), str(job)], environment, folder)


def pairs(
    text: str, python: str, environment: dict[str, str], count: int, *, own: bool = False
) -> list[tuple[Used, Used]]:
    """Measure the same script alone and watched, so many times, in turns."""
    found = []
    for number in range(count):
        order = (False, True) if number % 2 else (True, False)
        used = {w: once(text, python, environment, watched=w, own=own) for w in order}
        found.append((used[False], used[True]))
    return found


def environment_of(part: Part) -> tuple[str, dict[str, str]]:
    """Return the interpreter of a lesson, and the variables of its runs."""
    found = runtime.find(part.framework, part.requires)
    variables = hub.embedded(found).environment
    environment = {**inherited(), **variables, "CUDA_VISIBLE_DEVICES": ""}
    return found.python, environment | {"OMP_NUM_THREADS": "1", "ACCELERATE_USE_CPU": "1"}


def show_times(lessons: list[str], count: int) -> None:
    """Print the processor time of the lessons."""
    print(HEAD)
    for name in lessons:
        id_, _colon, framework = name.partition(":")
        part = lesson.load(id_).parts[framework or "pt"]
        show_ratio(f"`{name}`", pairs(part.text(()), *environment_of(part), count))


def show_small(count: int) -> None:
    """Print the processor time of a small network's training."""
    print(HEAD)
    part = lesson.load("ch3-4").parts["pt"]
    show_ratio("a small network", pairs(SMALL, *environment_of(part), count, own=True))


def show_scripts(count: int) -> None:
    """Print the processor time of ordinary scripts."""
    print(HEAD)
    part = lesson.load("ch3-4").parts["pt"]
    for name in edits.scripts("pt", "report"):
        found = pairs(edits.healthy("pt", name), *environment_of(part), count, own=True)
        show_ratio(f"`{name}`", found)


def show_ratio(name: str, found: list[tuple[Used, Used]]) -> None:
    """Print a row: what both took, and the ratios of the pairs."""
    ratios = [watched.seconds / alone.seconds for alone, watched in found]
    alone, watched = (statistics.median(u.seconds for u in one) for one in zip(*found, strict=True))
    spread = f"{min(ratios):.3f} to {max(ratios):.3f}"
    ratio = statistics.median(ratios)
    print(f"| {name} | {alone:.1f} | {watched:.1f} | {ratio:.3f} | {spread} |", flush=True)


def show_memory(count: int) -> None:
    """Print the memory of a large model."""
    part = lesson.load("ch3-4").parts["pt"]
    found = pairs(LARGE, *environment_of(part), count)
    alone, watched = (
        statistics.median(u.peak for u in one) / 2**20 for one in zip(*found, strict=True)
    )
    more = [(watched.peak - alone.peak) / WEIGHTS for alone, watched in found]
    print("| weights, MB | alone, MB | watched, MB | more, in copies of the weights |")
    print("| ---: | ---: | ---: | ---: |")
    spread = f"{statistics.median(more):.2f} ({min(more):.2f} to {max(more):.2f})"
    print(f"| {WEIGHTS / 2**20:.0f} | {alone:.0f} | {watched:.0f} | {spread} |")


def main() -> None:
    """Run the pairs, and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("lessons", nargs="*", default=LESSONS)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--memory", action="store_true", help="the memory of a large model")
    parser.add_argument("--small", action="store_true", help="the time of a small model's loop")
    parser.add_argument("--scripts", action="store_true", help="the time of ordinary scripts")
    options = parser.parse_args()
    if options.memory:
        show_memory(options.pairs)
    elif options.scripts:
        show_scripts(options.pairs)
    elif options.small:
        show_small(options.pairs)
    else:
        show_times(options.lessons, options.pairs)


if __name__ == "__main__":
    main()
