"""What happens on this card?  ``python gpu.py [--device cuda] [--only PART …] [-o FILE]``

One file, for a machine that has a card, the wheel with `[pt]` installed, and no network. It walks
the lessons with `course run LESSON --device cuda`, runs scripts with faults that only a GPU shows,
and measures what watching costs: each script says itself how long a step takes, what memory the
card gave, and how often the step waited for the card, alone and watched in turns, started with the
same variables. It writes `[[result]]` tables that belong into `benchmarks/results/gpu.toml`.
``--device cpu`` tries everything but the card.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

LIMIT = 900
"""Seconds that a lesson's walk or a script may take."""
PAIRS = 3
Values = dict[str, str]
LABELS = """
import torch
inputs, labels = torch.randn(64, 20).to("DEVICE"), torch.randint(0, 3, (64,)).to("PLACE")
net = torch.nn.Linear(20, OUTPUTS).to("DEVICE")
print(torch.nn.functional.cross_entropy(net(inputs), labels).item())
"""
TOKENS = """
import torch
ids = torch.randint(0, 120, (64, 12)).to("DEVICE")
net = torch.nn.Sequential(torch.nn.Embedding(100, 16), torch.nn.Linear(16, 2)).to("DEVICE")
print(net(ids).mean().item())
"""
WORKERS = """
import torch
rows = torch.utils.data.TensorDataset(torch.randn(256, 8).to("DEVICE"))
net = torch.nn.Linear(8, 2).to("DEVICE")
for (batch,) in torch.utils.data.DataLoader(rows, 32, num_workers=2):
    print(net(batch).sum().item())
"""
NUMPY = """
import torch
net = torch.nn.Linear(8, 2).to("DEVICE")
print(net(torch.randn(64, 8).to("DEVICE")).argmax(1).numpy().mean())
"""
MEMORY = """
import torch
kept = [torch.ones(2**28, device="DEVICE") for _ in range(500 if "DEVICE" == "cuda" else 1)]
print(len(kept))
"""
FAULTS = {
    "a label that is too high": ("target-out-of-bounds", LABELS.replace("OUTPUTS", "2")),
    "labels that stay on the CPU": ("devices-differ", LABELS.replace("PLACE", "cpu")),
    "a token id that is too high": ("token-id-out-of-range", TOKENS),
    "NumPy for a tensor of the GPU": ("tensor-to-numpy", NUMPY),
    "tensors of the GPU in worker processes": ("cuda-before-launch", WORKERS),
    "more memory than there is": ("cuda-out-of-memory", MEMORY),
}
"""What only a GPU shows, or shows in words of its own: the fault's id, and a script that has it."""
CLOCK = """
import time, torch, warnings
def now():
    if "DEVICE" == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter()
def clock(step, before, count):
    for number in range(before + count):
        if number == before:
            began = now()
        step()
    print("COST", (now() - began) / count * 1e3)
    print("WEIGHTS", sum(each.double().sum().item() for each in net.parameters()).hex())
    if "DEVICE" == "cuda":
        print("MEMORY", torch.cuda.max_memory_allocated() / 2**20)
        torch.cuda.set_sync_debug_mode("warn")
        waits = [waited(step) for _ in range(100)]
        places = sorted({place for step in waits for place in step})
        print("WAITS", sum(map(bool, waits)), max(map(len, waits)), *places)
def waited(step):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        step()
    return [f"{'/'.join(each.filename.split('/')[-2:])}:{each.lineno}" for each in seen]
torch.manual_seed(0)
"""
"""Print what a step takes, in milliseconds, after some that don't count, and what was learned.

Then: how many of 100 more steps waited for the card, how often one did at most, in which lines.
"""
SMALL = """
from torch import nn
x = torch.randn(64, 64, device="DEVICE")
y = (x[:, 0] > 0).long()
net = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 2)).to("DEVICE")
optimizer = torch.optim.Adam(net.parameters(), 1e-3)
def step():
    loss = nn.functional.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
clock(step, 300, 3000)
"""
BERT = """
from transformers import BertConfig, BertForSequenceClassification
# On a CPU one layer and few steps are enough to see whether it works.
layers, before, count = (12, 40, 160) if "DEVICE" == "cuda" else (1, 1, 4)
net = BertForSequenceClassification(BertConfig(num_labels=3, num_hidden_layers=layers))
optimizer = torch.optim.AdamW(net.to("DEVICE").parameters(), 2e-5)
ids = torch.randint(5, 30000, (32, 128), device="DEVICE")
def step():
    with torch.autocast("DEVICE", torch.bfloat16):
        loss = net(input_ids=ids, labels=ids[:, 1] % 3).loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
clock(step, before, count)
"""
COSTS = {
    "a step of two layers": CLOCK + SMALL,
    "a step of BERT (base), 32 rows of 128 tokens, bf16": CLOCK + BERT,
}


def course(*words: str) -> dict[str, Any]:
    """Run a command of `course`, and return its document; empty where it gave none in time."""
    command = [sys.executable, "-m", "course", *words, "--json"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
        found = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def lessons(device: str, _path: Path) -> Iterator[tuple[str, Values]]:
    """Walk through the lessons with PyTorch on a device, side by side."""
    names = [each["lesson"] for each in course("list")["lessons"]]
    with ThreadPoolExecutor(os.cpu_count() // 2 or 1) as pool:
        for each in as_completed([pool.submit(walk, name, device) for name in names]):
            yield each.result()


def walk(lesson: str, device: str) -> tuple[str, Values]:
    """Walk through one lesson, and return how many steps came as expected."""
    began = time.monotonic()
    found = course("run", lesson, "--fw", "pt", "--device", device, "--yes")
    live = [step["matched"] for step in found.get("steps", []) if step["evidence"] == "live"]
    values = {"completed": str(found.get("completed", "no document")).lower()}
    values["steps as expected"] = f"{sum(live)} of {len(live)}"
    values["others"] = ", ".join(
        f"{step['step']} ({step['problem'] or step['observed']['fault']})"
        for step in found.get("steps", [])
        if not step["matched"]
    )
    values["seconds"] = f"{time.monotonic() - began:.0f}"
    return f"`course run {lesson} --device {device}`", values


def faults(device: str, path: Path) -> Iterator[tuple[str, Values]]:
    """Run the scripts with a fault of a GPU, and tell what each is taken for."""
    for what, (fault, text) in FAULTS.items():
        text = text.replace("OUTPUTS", "3").replace("PLACE", device)
        path.write_text(text.replace("DEVICE", device), "utf-8")
        found = course("run", str(path)).get("faults", [])
        named = [each["fault"] + ("" if each["certain"] else " (possible)") for each in found]
        yield what, {"fault": fault, "named": ", ".join(named) or "nothing"}


def costs(device: str, path: Path) -> Iterator[tuple[str, Values]]:
    """Measure steps alone and watched, in turns, and yield the medians and the ratio."""
    for what, text in COSTS.items():
        path.write_text(text.replace("DEVICE", device), "utf-8")
        ratios, said = [], {"alone": "", "watched": ""}
        times: dict[str, list[float]] = {"alone": [], "watched": []}
        for _number in range(PAIRS):
            done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True)
            step = course("run", str(path), "--cold")["steps"][0]
            lines = (line["text"] for line in step["output"]["lines"])
            said = {"alone": done.stdout, "watched": "\n".join(lines)}
            for how in said:
                times[how].append(float(after("COST", said[how]) or "nan"))
            ratios.append(times["watched"][-1] / times["alone"][-1])
        values = {how: f"{statistics.median(each):.3f} ms" for how, each in times.items()}
        values["ratio"] = f"{statistics.median(ratios):.3f}"
        weights = {after("WEIGHTS", printed) for printed in said.values()}
        same = str(len(weights) == 1).lower() if "" not in weights else "not measured"
        values["weights to the bit as alone"] = same
        for how, printed in said.items():
            values[f"memory {how}, MiB"] = after("MEMORY", printed) or "not measured"
            # Steps that waited, the most waits of a step, and the lines that did.
            values[f"of 100 steps waited, {how}"] = after("WAITS", printed) or "not measured"
        yield what, values


def after(word: str, text: str) -> str:
    """Return what a script has printed after a word; empty where it did not."""
    return next((line[len(word) + 1 :] for line in text.splitlines() if line.startswith(word)), "")


def machine(device: str) -> str:
    """Return the card's name and its memory."""
    import torch

    if device == "cpu":
        return "a CPU"
    card = torch.cuda.get_device_properties(0)
    return f"{card.name}, {card.total_memory / 2**30:.0f} GiB"


def table(what: str, values: Values, about: Values) -> str:
    """Format one measurement as a `[[result]]`."""
    pairs = ", ".join(f"{json.dumps(k)} = {json.dumps(v)}" for k, v in values.items())
    rows = [f"what = {json.dumps(what)}", f"values = {{ {pairs} }}"]
    return "\n".join(["[[result]]", *rows, *(f"{k} = {json.dumps(v)}" for k, v in about.items())])


PARTS = {"costs": costs, "faults": faults, "lessons": lessons}


def main() -> None:
    """Measure, and write each result as it comes."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("-o", dest="file", type=Path, default=Path("gpu.toml"))
    options = parser.parse_args()
    # Threads that wait for a core would be counted as the cost of watching.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    release = subprocess.check_output([sys.executable, "-m", "course", "--version"], text=True)
    about = {
        "command": f"python benchmarks/gpu.py --device {options.device}",
        "by": release.strip(),
    }
    about |= {"date": datetime.date.today().isoformat(), "machine": machine(options.device)}
    with tempfile.TemporaryDirectory() as place, options.file.open("w") as sink:
        for part in options.only:
            for what, values in PARTS[part](options.device, Path(place) / "script.py"):
                print(table(what, values, about), end="\n\n", file=sink, flush=True)
                print(f"{what}: {values}", flush=True)


if __name__ == "__main__":
    main()
