"""A script does the same watched as unwatched: what it counts, draws, keeps alive, and prints."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from course.cli.environment.run_place import find_context
from course.judge.script_verdict import ScriptVerdict, judge_script
from course.lesson import lesson
from course.runs.process import InPlace, Job
from course.runs.record import RunRecord
from course.runs.run_context import RunContext
from tests.command import CLEAN, course

BEGIN = """
import gc, random, weakref
random.seed(0)
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset
torch.manual_seed(0)
x = torch.randn(160, 6)
y = (x.sum(1) > 0).long()
def trained(network, optimizer, batches, rounds=3):
    for _ in range(rounds):
        for rows, labels in batches:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(network(rows), labels)
            loss.backward()
            optimizer.step()
    return loss.item()
"""
SCRIPTS = {
    "an optimizer that knows no rate": """
class Plain(torch.optim.Optimizer):
    def __init__(self, parameters):
        super().__init__(parameters, {"pace": 0.05})
    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                p -= group["pace"] * p.grad
network = nn.Linear(6, 2)
print(trained(network, Plain(network.parameters()), list(zip(x.split(16), y.split(16)))))
""",
    "a stream whose length raises an error of its own": """
class Stream(IterableDataset):
    def __len__(self):
        raise NotImplementedError("endless")
    def __iter__(self):
        return iter(zip(x, y))
network = nn.Linear(6, 2)
loader = DataLoader(Stream(), batch_size=20)
print(trained(network, torch.optim.SGD(network.parameters(), 0.1), loader))
""",
    "a dataset and a sampler that count": """
calls = {"len": 0, "item": 0, "order": 0, "sampler": 0}
class Rows(Dataset):
    split = "train"
    def __len__(self):
        calls["len"] += 1
        return len(x)
    def __getitem__(self, place):
        calls["item"] += 1
        return x[place], y[place]
class Order(torch.utils.data.Sampler):
    def __len__(self):
        calls["sampler"] += 1
        return 64
    def __iter__(self):
        calls["order"] += 1
        return iter(range(64))
network = nn.Linear(6, 2)
optimizer = torch.optim.Adam(network.parameters(), 0.01)
trained(network, optimizer, DataLoader(Rows(), batch_size=16, shuffle=True))
trained(network, optimizer, DataLoader(Rows(), batch_size=16, sampler=Order()))
with torch.no_grad():
    for rows, _ in DataLoader(Rows(), batch_size=32):
        network(rows)
print(calls, torch.rand(1).item(), random.random())
""",
    "a model of transformers that counts its passes and draws numbers": """
from transformers import BertConfig, BertForSequenceClassification
class Noisy(BertForSequenceClassification):
    passes = 0
    def forward(self, input_ids=None, **named):
        Noisy.passes += 1
        made = self.bert.embeddings.word_embeddings(input_ids)
        return super().forward(inputs_embeds=made + 0.01 * torch.randn_like(made), **named)
small = dict(hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16)
network = Noisy(BertConfig(vocab_size=30, num_labels=2, **small))
optimizer = torch.optim.AdamW(network.parameters(), 1e-3)
for step in range(6):
    ids = torch.randint(0, 30, (8, 10))
    loss = network(input_ids=ids, labels=(ids[:, 0] > 15).long()).loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
network.eval()
with torch.no_grad():
    for step in range(2):
        ids = torch.randint(0, 30, (8, 10))
        network(input_ids=ids, labels=(ids[:, 0] > 15).long())
print(loss.item(), Noisy.passes, torch.rand(1).item())
""",
    "folds that are let go, and a large tensor": """
kept = []
def fold():
    rows, labels = torch.randn(160, 6), torch.randint(0, 2, (160,))
    data = TensorDataset(rows, labels)
    loader = DataLoader(data, batch_size=16, shuffle=True)
    network = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2))
    optimizer = torch.optim.Adam(network.parameters(), 0.01)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 5)
    for number in range(2):
        for batch, wanted in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(network(batch), wanted).backward()
            optimizer.step()
            schedule.step()
        with torch.no_grad():
            for batch, wanted in DataLoader(data, batch_size=32):
                network(batch).argmax(1)
    large = torch.zeros(1_000_000)
    watched = (network, network[0].weight, network[2].bias, data, rows, batch, loader, optimizer)
    kept.append([weakref.ref(each) for each in (*watched, schedule)])
    let_go = weakref.ref(large)
    del large
    return let_go() is None
print([fold() for _ in range(4)])
gc.collect()
print([[each() is None for each in fold] for fold in kept])
""",
    "batches cut by hand, and a loader for the evaluation": """
network = nn.Linear(6, 2)
optimizer = torch.optim.Adam(network.parameters(), 0.01)
held = DataLoader(TensorDataset(x[120:], y[120:]), batch_size=10)
for _ in range(4):
    print(trained(network, optimizer, list(zip(x[:120].split(20), y[:120].split(20))), 1))
    with torch.no_grad():
        print(sum((network(rows).argmax(1) == labels).sum().item() for rows, labels in held) / 40)
""",
    "inputs with gradients": """
network = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.Adam(network.parameters(), 0.01)
for rows, labels in list(zip(x.split(16), y.split(16))) * 4:
    rows = rows.clone().requires_grad_(True)
    loss = nn.functional.cross_entropy(network(rows), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item(), rows.grad.abs().sum().item())
""",
    "warnings": """
import sys, warnings
warnings.showwarning = lambda message, kind, file, line, *_: print(kind.__name__, file, line)
network = nn.Linear(6, 2)
optimizer = torch.optim.SGD(network.parameters(), 0.1)
schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
schedule.step()
print(trained(network, optimizer, list(zip(x.split(16), y.split(16)))))
""",
}
LEAK = """
{first} = DataLoader(TensorDataset(x, y), batch_size=16, shuffle=True)
{second} = DataLoader(TensorDataset(x[40:100], y[40:100]), batch_size=20)
network = nn.Linear(6, 2)
optimizer = torch.optim.Adam(network.parameters(), 0.01)
for _ in range(4):
    trained(network, optimizer, {first}, 1)
    with torch.no_grad():
        print(sum((network(a).argmax(1) == b).sum().item() for a, b in {second}) / 60)
"""


@pytest.fixture(scope="module")
def context() -> RunContext:
    """The warm runtime of the lessons."""
    return find_context(lesson.load("ch3-2").parts["pt"], "embedded", quiet=True)


def watched(context: RunContext, script: Path) -> tuple[RunRecord, ScriptVerdict, str]:
    """The record of a script, the verdict, and what it printed."""
    lines: list[str] = []

    def hear(event: dict[str, Any]) -> None:
        if event["event"] == "output":
            lines.extend(each["text"] for each in event["lines"] if each["stream"] == "stdout")

    place = InPlace(script.parent, script.name, path=script)
    record = context.run(Job("", name=script.name, in_place=place), hear).record
    return record, judge_script(record, script.read_text("utf-8")), "\n".join(lines)


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_does_the_same(name: str, context: RunContext, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(BEGIN + SCRIPTS[name], encoding="utf-8")
    bare = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, env=CLEAN, check=True
    )
    record, verdict, printed = watched(context, script)
    assert printed == bare.stdout.strip()
    assert verdict.problem is None
    assert [each.fault.id for each in verdict.namings if each.certain] == []
    assert ("notes_failed" in record.figures, record.own_failures) == (False, ())


def test_names_of_variables_tell_nothing(context: RunContext, tmp_path: Path) -> None:
    found = []
    for first, second in (("train_loader", "test_loader"), ("first", "second")):
        script = tmp_path / f"{first}.py"
        script.write_text(BEGIN + LEAK.format(first=first, second=second), encoding="utf-8")
        _record, verdict, _printed = watched(context, script)
        found.append([each.fault.id for each in verdict.namings if each.certain])
    assert found == [["evaluation-on-training-data"]] * 2


HAND = """
network = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2))
for rows, labels in list(zip(x.split(16), y.split(16))) * 10:
    loss = nn.functional.cross_entropy(network(rows), labels)
    loss.backward()
    with torch.no_grad():
        for p in network.parameters():
            p -= 0.5 * p.grad
print(loss.item())
"""


def test_steps_by_hand_are_steps(context: RunContext, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(BEGIN + HAND, encoding="utf-8")
    _record, verdict, _printed = watched(context, script)
    assert [each.fault.id for each in verdict.namings] == ["gradients-not-cleared"]


def test_what_fails_in_our_own_code_is_ours(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\n"
        "print(sys.argv[1:], flush=True)\n"
        "if 'course_probe.serve.script' in sys.modules:\n"
        "    from course_probe.vital_signs.optimization import gradients\n"
        "    gradients.rate_of(None)\n"
        "print('to its end')\n",
        encoding="utf-8",
    )
    done = course("run", str(script), "given")
    assert done.returncode == 3, done.stdout + done.stderr
    assert "to its end" in done.stdout
    assert "['given']" in done.stdout
    assert "AttributeError" not in done.stdout + done.stderr
    assert "mistake of ours" in done.stdout + done.stderr
